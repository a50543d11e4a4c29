#!/usr/bin/env python3
"""The matrix of concurrent requests (C17), and cases from the field that need a crowd, against the real service.

Each crowd is as many connections as requests: all are open and all requests are sent before the first answer is read.
A refusal that promises nothing but "not by this attempt" is asked again with the same key, as clients do. After every
test the numbers are recomputed from the ledger.
"""

import json
import time
import unittest
from collections import Counter
from random import Random

import load
import oracle
from gavel_process import Gavel
from oracle import History, PASSING

RELEASED_WITHIN = 2  # Seconds after its end in which a hold is released (C9).


class Crowd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gavel = Gavel().start()
        cls.addClassCleanup(cls.gavel.close)
        cls.history = History()
        cls.random = Random(17)
        cls.number = 0

    def setUp(self):
        self.desk = load.Desk(self.gavel, self.history)
        self.addCleanup(self.desk.close)

    def tearDown(self):
        report = self.gavel.verify()
        self.assertEqual(report.code, 0, report)
        self.assertEqual([], oracle.check(self.history, self.gavel.database, release_within=2).found)

    def key(self):
        type(self).number += 1
        return f"key-{self.number}"

    def stocked(self, units, buckets=1):
        """A SKU of its own with so many units."""
        sku = f"sku-{self.key()}"
        self.desk.insist(load.put_sku(self.key(), sku, buckets))
        self.assertEqual(self.desk.insist(load.receive(self.key(), sku, units)).code, "received")
        return sku

    def on_sale(self, units, limit=None):
        """(activity, sku) of an open sale of all there is."""
        sku = self.stocked(units)
        activity = f"sale-{sku}"
        self.desk.insist(load.create_activity(self.key(), activity, [(sku, units, 1)], limit))
        self.assertEqual(self.desk.insist(load.open_activity(self.key(), activity)).code, "opened")
        return activity, sku

    def orders(self, count, sku, quantity=1, user=None, **more):
        """As many requests for an order, from as many users unless one is named."""
        keys = [self.key() for _ in range(count)]
        return [load.reserve(key, user or f"user-{key}", [(sku, quantity)], **more) for key in keys]

    def at_once(self, requests):
        """The replies to requests that are all under way at the same time."""
        connections = [load.Connection(self.gavel.shop) for _ in requests]
        start = time.monotonic()
        for connection, request in zip(connections, requests):
            connection.send(request.method, request.path, request.body, request.key)
        replies = [load.reply_of(start, *connection.read()) for connection in connections]
        for connection, request, reply in zip(connections, requests, replies):
            connection.close()
            self.desk.history.note(request, reply)
        return [self.desk.insist(request) if reply.code in PASSING else reply
                for request, reply in zip(requests, replies)]

    def codes(self, requests):
        return dict(Counter(reply.code for reply in self.at_once(requests)))

    def stock(self, sku):
        """(available, reserved, sold), all pools together."""
        return tuple(load.stock_of(self.gavel, [sku])[sku].values())


class Stock(Crowd):
    def test_one_unit_against_10_100_and_1000_C17(self):
        for crowd in (10, 100, 1000):
            with self.subTest(crowd=crowd):
                sku = self.stocked(1)
                self.assertEqual(self.codes(self.orders(crowd, sku)), {"reserved": 1, "sold_out": crowd - 1})
                self.assertEqual(self.stock(sku), (0, 1, 0))

    def test_the_last_unit_on_every_path_B009(self):
        for activity in (False, True):
            for at_once in (False, True):
                with self.subTest(activity=activity, at_once=at_once):
                    sale, sku = self.on_sale(1) if activity else ("", self.stocked(1))
                    codes = self.codes(self.orders(2, sku, activity=sale, at_once=at_once))
                    self.assertEqual(codes, {"sold" if at_once else "reserved": 1, "sold_out": 1})

    def test_a_hundred_units_in_quantities_of_1_10_and_101_C17(self):
        for quantity, crowd, taken in ((1, 150, 100), (10, 15, 10)):
            with self.subTest(quantity=quantity):
                sku = self.stocked(100, buckets=4)
                codes = self.codes(self.orders(crowd, sku, quantity))
                self.assertEqual(codes, {"reserved": taken, "sold_out": crowd - taken})
                self.assertEqual(self.stock(sku), (0, 100, 0))
        sku = self.stocked(100, buckets=4)
        self.assertEqual(self.codes(self.orders(20, sku, 101)), {"insufficient": 20})
        mixed = self.orders(20, sku, 101) + self.orders(5, sku, 10) + self.orders(120, sku, 1)
        self.random.shuffle(mixed)
        self.at_once(mixed)
        self.assertEqual(self.stock(sku), (0, 100, 0), "those who want one take what the others leave")

    def test_an_allotment_of_1000_against_1500_B123(self):
        sale, sku = self.on_sale(1000, limit=1)
        self.assertEqual(self.codes(self.orders(1500, sku, activity=sale)), {"reserved": 1000, "sold_out": 500})
        self.assertEqual(self.stock(sku), (0, 1000, 0))

    def test_five_at_once_from_one_user_with_a_limit_of_one_B055_B121(self):
        sale, sku = self.on_sale(10, limit=1)
        codes = self.codes(self.orders(5, sku, user="u", activity=sale))
        self.assertEqual(codes, {"reserved": 1, "limit_reached": 4})
        self.assertEqual(self.stock(sku), (9, 1, 0))


class Keys(Crowd):
    def test_one_id_2_5_and_20_times_C17(self):
        for times in (2, 5, 20):
            for key in (self.key(), load.uuid7(self.random)):
                with self.subTest(times=times, key=key):
                    sku = self.stocked(50)
                    request = load.reserve(key, "ann", [(sku, 1)])
                    replies = self.at_once([request] * times)
                    self.assertEqual({reply.code for reply in replies}, {"reserved"})
                    self.assertEqual(len({reply.body for reply in replies}), 1, "all are told the same")
                    self.assertEqual(sum(not reply.replayed for reply in replies), 1, "one of them is the first")
                    self.assertEqual(self.stock(sku), (49, 1, 0))


class Life(Crowd):
    def test_a_cancellation_races_a_payment_C17(self):
        sku = self.stocked(200)
        orders = [reply.order for reply in self.at_once(self.orders(200, sku))]
        race = []
        for number, order in enumerate(orders):
            pair = [load.transition(self.key(), act, order) for act in ("confirm", "cancel")]
            race += pair if number % 2 else reversed(pair)
        replies = self.at_once(race)
        won = Counter(tuple(sorted((a.code, b.code))) for a, b in zip(replies[::2], replies[1::2]))
        self.assertEqual(set(won), {("already_confirmed", "confirmed"), ("already_cancelled", "cancelled")})
        paid = won["already_confirmed", "confirmed"]
        self.assertEqual(self.stock(sku), (200 - paid, 0, paid))

    def test_changes_race_for_what_is_left_E5(self):
        sku = self.stocked(100, buckets=4)
        orders = [reply.order for reply in self.at_once(self.orders(50, sku))]
        self.assertEqual(self.codes([load.change(self.key(), order, [(sku, 3)]) for order in orders]),
                         {"changed": 25, "sold_out": 25})
        self.assertEqual(self.stock(sku), (0, 100, 0))
        self.assertEqual(self.codes([load.change(self.key(), order, [(sku, 1)]) for order in orders]), {"changed": 50})
        self.assertEqual(self.stock(sku), (50, 50, 0))

    def test_a_change_races_a_payment_and_the_units_go_one_way_E5(self):
        sku, other = self.stocked(300), self.stocked(300)
        orders = [reply.order for reply in self.at_once(self.orders(100, sku))]
        race = []
        for number, order in enumerate(orders):
            pair = [load.change(self.key(), order, [(sku, 2), (other, 1)]), load.transition(self.key(), "confirm", order)]
            race += pair if number % 2 else reversed(pair)
        codes = Counter(reply.code for reply in self.at_once(race))
        self.assertEqual(set(codes) - {"already_confirmed"}, {"changed", "confirmed"})
        self.assertEqual(codes["confirmed"], 100)
        changed = codes["changed"]
        self.assertEqual(self.stock(sku), (200 - changed, 0, 100 + changed))
        self.assertEqual(self.stock(other), (300 - changed, 0, changed))

    def test_extensions_end_at_the_cap_whoever_asks_E4_B029(self):
        sku = self.stocked(1)
        held = self.desk.insist(load.reserve(self.key(), "ann", [(sku, 1)], hold=1))
        made = load.seconds_of(json.loads(held.body)["at"])
        replies = self.at_once([load.extend(self.key(), held.order, 60) for _ in range(20)])
        self.assertEqual(dict(Counter(reply.code for reply in replies)), {"extended": 1, "hold_capped": 19})
        ends = {round(load.seconds_of(json.loads(reply.body)["expires_at"]), 3) for reply in replies}
        self.assertEqual(ends, {round(made + 3, 3)})
        while self.stock(sku) != (1, 0, 0):
            self.assertLess(time.time(), made + 3 + RELEASED_WITHIN)
            time.sleep(0.05)
        self.assertGreaterEqual(time.time(), made + 3)

    def test_a_failed_payment_gives_back_once_B013(self):
        sku = self.stocked(1)
        replies = self.at_once(self.orders(2, sku))
        self.assertEqual(sorted(reply.code for reply in replies), ["reserved", "sold_out"])
        order = next(reply.order for reply in replies if reply.yes)
        cancels = [load.transition(self.key(), "cancel", order) for _ in range(5)]
        self.assertEqual(self.codes(cancels), {"cancelled": 1, "already_cancelled": 4})
        self.assertEqual(self.stock(sku), (1, 0, 0))

    def test_a_hold_that_ended_shows_without_traffic_B033(self):
        sku = self.stocked(10)
        held = self.desk.insist(load.reserve(self.key(), "ann", [(sku, 10)], hold=1))
        ends = load.seconds_of(json.loads(held.body)["expires_at"])
        self.assertEqual(self.stock(sku), (0, 10, 0))
        while self.stock(sku) != (10, 0, 0):
            self.assertLess(time.time(), ends + RELEASED_WITHIN)
            time.sleep(0.05)
        self.assertGreaterEqual(time.time(), ends)

    def test_thousands_of_holds_end_at_once_and_orders_go_on_B129(self):
        sku = self.stocked(3000)
        held = self.at_once(self.orders(1000, sku, hold=4)) + self.at_once(self.orders(1000, sku, hold=4))
        ends = [load.seconds_of(json.loads(reply.body)["expires_at"]) for reply in held]
        self.assertEqual(self.stock(sku), (1000, 2000, 0))
        time.sleep(max(0, min(ends) - time.time()))
        slowest, sold = 0.0, 0
        while self.stock(sku)[1]:
            self.assertLess(time.time(), max(ends) + RELEASED_WITHIN)
            reply = self.desk.insist(load.reserve(self.key(), "ann", [(sku, 1)], at_once=True))
            self.assertEqual(reply.code, "sold")
            slowest, sold = max(slowest, reply.end - reply.start), sold + 1
        print(f"2,000 holds ended: {sold} orders meanwhile, the slowest in {slowest * 1000:.0f} ms", flush=True)
        self.assertGreater(sold, 0)
        self.assertLess(slowest, 1.0)
        self.assertEqual(self.stock(sku), (3000 - sold, 0, sold))


if __name__ == "__main__":
    unittest.main()
