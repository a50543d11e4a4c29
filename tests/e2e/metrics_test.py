#!/usr/bin/env python3
"""GET /metrics of a service that is under load: what a reader of it sees meanwhile, and that it adds up afterwards (C16).

    while a load runs   batch sizes, queue depth, verdicts by outcome, gate against judge, the hottest SKUs
    afterwards          each figure is what was answered, and the units are what verify counts
"""

import re
import threading
import time
import unittest

from gavel_process import Gavel, new_key

UNITS = 300
BUYERS = 8
ORDERS = 120  # Of each buyer.


def read(gavel):
    """The samples by name and labels: {'gavel_judge_units_total{action="reserve"}': 3.0}."""
    text = gavel.operate("GET", "/metrics").body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def by_label(samples, name):
    """The samples of one name by their labels: {("tee", "reserved"): 3.0}, or {"reserved": 3.0} where there is one."""
    found = {}
    for key, value in samples.items():
        match = re.fullmatch(rf"{name}\{{(.*)\}}", key)
        if match:
            labels = tuple(sorted(dict(re.findall(r'(\w+)="([^"]*)"', match[1])).items()))
            values = tuple(value for _, value in labels)
            found[values if len(values) > 1 else values[0]] = value
    return found


class Metrics(unittest.TestCase):
    def setUp(self):
        self.gavel = Gavel()
        self.addCleanup(self.gavel.close)

    def stock(self, sku, units):
        self.gavel.operate("PUT", f"/v1/skus/{sku}", {})
        self.gavel.operate("POST", f"/v1/stock/{sku}/receive", {"quantity": units})

    def buy(self, codes):
        mine = {}
        for _ in range(ORDERS):
            body = {"user": new_key(), "lines": [{"sku": "tee", "quantity": 1}]}
            code = self.gavel.ask("POST", "/v1/orders", body, new_key()).outcome
            mine[code] = mine.get(code, 0) + 1
        codes.append(mine)

    def load(self):
        """Lets all buy, and reads the metrics meanwhile. What was answered, and the readings."""
        codes, readings = [], []
        buyers = [threading.Thread(target=self.buy, args=(codes,)) for _ in range(BUYERS)]
        for buyer in buyers:
            buyer.start()
        while any(buyer.is_alive() for buyer in buyers):
            readings.append(read(self.gavel))
            time.sleep(0.01)
        for buyer in buyers:
            buyer.join()
        return {code: sum(one.get(code, 0) for one in codes) for code in {c for one in codes for c in one}}, readings

    def test_a_reader_sees_the_load_and_what_came_of_it_C16(self):
        self.gavel.start(pipeline__mode="gated")
        self.stock("tee", UNITS)
        answered, readings = self.load()
        after = read(self.gavel)
        self.assertEqual(answered, {"reserved": UNITS, "sold_out": BUYERS * ORDERS - UNITS})

        # While the load runs the figures move, and none that counts goes back.
        self.assertGreater(len(readings), 3)
        for name in ["gavel_pipeline_batch_commands_count", 'gavel_pipeline_verdicts_total{outcome="reserved"}',
                     'gavel_judge_units_total{action="reserve"}']:
            seen = [one[name] for one in readings]
            self.assertEqual(seen, sorted(seen), name)
            self.assertGreater(len(set(seen)), 2, name)
        for name in ["gavel_pipeline_queue_commands", "gavel_pipeline_in_flight_commands"]:
            self.assertIn(name, readings[0])
            self.assertEqual(after[name], 0, name)
        self.assertGreater(max(one["gavel_pipeline_in_flight_commands"] for one in readings), 0)

        # Afterwards they add up, by outcome, by action of the ledger, and by SKU.
        judged = by_label(after, "gavel_pipeline_verdicts_total")
        turned_away = by_label(after, "gavel_pipeline_refused_total")
        self.assertEqual(judged["reserved"], UNITS)
        self.assertEqual(judged["sold_out"] + turned_away["sold_out"], answered["sold_out"])
        self.assertGreater(turned_away["sold_out"], 0, "the closed gate's no")
        self.assertEqual(by_label(after, "gavel_judge_units_total")["reserve"], UNITS)
        self.assertEqual(by_label(after, "gavel_pipeline_sku_answers_total"),
                         {("reserved", "tee"): UNITS, ("sold_out", "tee"): answered["sold_out"]})

        # Gate against judge: what it said to each probe, the reads that confirmed its no, and what its yes was worth.
        said = by_label(after, "gavel_pipeline_gate_answers_total")
        self.assertEqual(set(said), {"granted", "too_few", "closed", "not_initialised", "unavailable"})
        self.assertGreaterEqual(said["granted"], UNITS / 2)
        self.assertGreaterEqual(said["closed"], turned_away["sold_out"])
        self.assertEqual((said["not_initialised"], said["unavailable"]), (0, 0), "no fault of a gate in memory")
        self.assertGreater(after["gavel_pipeline_gate_confirming_reads_total"], 0)
        self.assertLessEqual(after["gavel_pipeline_gate_confirming_reads_total"], said["closed"])
        self.assertGreater(len({one['gavel_pipeline_gate_answers_total{answer="granted"}'] for one in readings}), 2)
        # A token was never worth more than the judge's word.
        granted = by_label(after, "gavel_pipeline_gate_granted_verdicts_total")
        self.assertEqual(sum(granted.values()), granted["reserved"] + granted["sold_out"])
        self.assertGreater(granted["reserved"], 0)
        self.assertEqual(self.gavel.verify().code, 0)

    def test_holds_that_expire_are_told_with_their_delay_C16(self):
        self.gavel.start()
        self.stock("tee", 10)
        for n in range(5):
            body = {"user": f"u{n}", "lines": [{"sku": "tee", "quantity": 2}], "hold_seconds": 1}
            self.assertEqual(self.gavel.ask("POST", "/v1/orders", body, new_key()).status, 201)
        until = time.monotonic() + 10
        while read(self.gavel)["gavel_jobs_expiry_released_total"] < 5 and time.monotonic() < until:
            time.sleep(0.05)
        after = read(self.gavel)
        self.assertEqual(by_label(after, "gavel_judge_units_total")["expire"], 10)
        self.assertEqual(after["gavel_jobs_expiry_delay_seconds_count"], 5)
        self.assertLess(after["gavel_jobs_expiry_delay_seconds_sum"] / 5, 2)

    def test_the_index_of_orders_catches_up_C16(self):
        self.gavel.start()
        self.stock("tee", 10)
        body = {"user": "ann", "lines": [{"sku": "tee", "quantity": 1}]}
        self.gavel.ask("POST", "/v1/orders", body, new_key())
        until = time.monotonic() + 10
        while read(self.gavel)["gavel_jobs_projection_behind_batches"] > 0 and time.monotonic() < until:
            time.sleep(0.05)
        after = read(self.gavel)
        self.assertEqual(after["gavel_jobs_projection_behind_batches"], 0)
        self.assertEqual(after["gavel_jobs_projection_behind_seconds"], 0)


if __name__ == "__main__":
    unittest.main()
