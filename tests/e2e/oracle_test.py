"""The oracle is able to fail: a sound history passes, and each way to doctor it is found by the check meant for it.

Every check of the oracle must have a row here; a check that nothing trips is a defect, and fails this test.
"""

import unittest
from collections import Counter
from dataclasses import replace

from random import Random

import load
import oracle
from ledger import Ledger, Windows
from oracle import History, Order, Reply, World, check

KEY7 = "019aa000-0000-7000-8000-000000000001"
GONE7 = "019aa000-0000-7000-8000-000000000002"


def sound():
    """A small sale in which nothing is wrong: (history, world)."""
    history = History()

    def say(request, *replies):
        for reply in replies:
            history.note(request, reply)

    def yes(start, order="", code="reserved", replayed=False):
        return Reply(start, start + 1, 201, code, b'{"order":"%s"}' % order.encode(), order, True, replayed)

    def no(start, code, replayed=False, status=409):
        body = b'{"code":"%s","sku":"tee","available":2}' % code.encode()
        return Reply(start, start + 1, status, code, body, "", True, replayed)

    lost = Reply(0, 1, 0, "lost")
    busy = Reply(4, 5, 503, "overloaded", b"{}")
    say(load.receive("in", "tee", 10), yes(0, code="received"))
    say(load.reserve("a", "u1", [("tee", 1), ("tee", 1)], "sale"), yes(1, "A"), busy, yes(6, "A", replayed=True))
    say(load.reserve(KEY7, "u1", [("tee", 2)], "sale"), lost, yes(7, KEY7, replayed=True))
    say(load.reserve("c", "u2", [("tee", 1)]), yes(2, "C"))
    say(load.reserve("d", "u3", [("tee", 3)], at_once=True), yes(3, "D", "sold"))
    say(load.reserve(GONE7, "u2", [("tee", 9)]), no(8, "insufficient"), no(10, "insufficient", replayed=True))
    say(load.transition("pay", "confirm", "A"), yes(9, code="confirmed"))
    say(load.transition("pay2", "confirm", "A"), no(11, "already_confirmed"))
    say(load.transition("stop", "cancel", KEY7), yes(12, code="cancelled"))
    say(load.transition("late", "confirm", "C"), no(40, "hold_expired"))

    sale = {"user": "u1", "activity": "sale"}
    orders = [Order("A", "paid", lines=(("tee", 2),), created_at=1, expires_at=30, settled_at=9, **sale),
              Order(KEY7, "cancelled", lines=(("tee", 2),), created_at=13, expires_at=30, settled_at=14, **sale),
              Order("C", "expired", "u2", (("tee", 1),), created_at=2, expires_at=32, settled_at=32.5),
              Order("D", "paid", "u3", (("tee", 3),), created_at=3)]
    world = World({order.id: order for order in orders} | {GONE7: None},
                  {"tee": {"available": 5, "reserved": 0, "sold": 5}},
                  {"c": "reserved", GONE7: "insufficient"}, {"sale": 4}, ledger())
    return history, world


def ledger():
    """That of the small sale: ten units came in, four of them were moved into the sale."""
    rows = Ledger()
    for activity, action, quantity, key in (
            ("", "receive", 10, "in"), ("", "move_out", 4, None), ("sale", "move_in", 4, None),
            ("sale", "reserve", 2, "a"), ("", "reserve", 1, "c"), ("", "sell", 3, "d"), ("sale", "reserve", 2, KEY7),
            ("sale", "confirm", 2, "pay"), ("sale", "cancel", 2, "stop"), ("", "expire", 1, None)):
        rows.add(("tee", activity), action, quantity, key)
    return rows


# Each row doctors a sound history: (the check that must find it, what is done).
ROWS = []


def doctored(name):
    def add(act):
        ROWS.append((name, act))
        return act
    return add


def change(history, key, at, **fields):
    history.replies[key][at] = replace(history.replies[key][at], **fields)


def change_order(world, order, **fields):
    world.orders[order] = replace(world.orders[order], **fields)


@doctored("faults")
def a_500(history, _):
    history.replies["a"].append(Reply(20, 21, 500, "", b"oops"))


@doctored("resolved")
def nothing_but_a_lost_reply(history, _):
    history.replies["late"] = [Reply(0, 1, 0, "lost")]


@doctored("resolved")
def nothing_but_a_504(history, _):
    history.replies["late"] = [Reply(0, 1, 504, "outcome_unknown", b"{}")]


@doctored("answers_equal")
def a_replay_with_another_body(history, _):
    change(history, "a", 2, body=b'{"order": "A"}')


@doctored("answers_equal")
def a_replay_with_another_status(history, _):
    change(history, "a", 2, status=200)


@doctored("answers_equal")
def a_refusal_that_became_a_yes(history, _):
    change(history, GONE7, 1, status=201, code="reserved")


@doctored("answers_stand")
def a_yes_that_was_forgotten(history, _):
    history.replies["c"].append(Reply(20, 21, 404, "unknown_request", b"{}"))


@doctored("answers_stand")
def a_refusal_without_a_record_after_a_recorded_one(history, _):
    history.replies[GONE7].append(Reply(20, 21, 409, "sold_out", b"{}"))


@doctored("requests_remembered")
def a_yes_that_is_not_remembered(_, world):
    world.requests["c"] = None


@doctored("requests_remembered")
def a_refusal_remembered_as_a_yes(_, world):
    world.requests[GONE7] = "reserved"


@doctored("replays_marked")
def a_replay_that_does_not_say_so(history, _):
    change(history, "a", 2, replayed=False)


@doctored("replays_marked")
def a_replay_of_nothing(history, _):
    change(history, "c", 0, replayed=True)


@doctored("orders_exist")
def an_acknowledged_order_that_is_lost(_, world):
    world.orders["C"] = None


@doctored("orders_exist")
def an_order_of_somebody_else(_, world):
    change_order(world, "C", user="u9")


@doctored("orders_exist")
def an_order_with_fewer_units(_, world):
    change_order(world, "A", lines=(("tee", 1),))


@doctored("orders_exist")
def an_order_from_another_pool(_, world):
    change_order(world, "A", activity="")


@doctored("orders_once")
def one_order_for_two_keys(history, _):
    change(history, "c", 0, order="A")


@doctored("orders_once")
def an_order_that_does_not_bear_its_key(history, _):
    change(history, KEY7, 1, order="X")


@doctored("refused_have_none")
def an_order_behind_a_refusal(_, world):
    world.orders[GONE7] = Order(GONE7, "held", "u2", (("tee", 9),))


@doctored("refused_have_none")
def a_refusal_with_units(_, world):
    world.orders[GONE7] = Order(GONE7, "refused", "u2", (("tee", 9),))


@doctored("refused_have_none")
def an_order_behind_a_refusal_that_was_not_recorded(history, world):
    history.replies[GONE7] = [Reply(1, 2, 409, "not_open", b"{}")]
    world.orders[GONE7] = Order(GONE7, "held", "u2", (("tee", 9),))


@doctored("states_legal")
def a_state_that_does_not_exist(_, world):
    change_order(world, "D", state="shipped")


@doctored("states_legal")
def an_order_paid_by_nobody(_, world):
    change_order(world, "C", state="paid", settled_at=20)


@doctored("transitions_exclusive")
def a_confirmed_order_that_is_held(_, world):
    change_order(world, "A", state="held")


@doctored("transitions_exclusive")
def confirmed_and_cancelled(history, _):
    history.note(load.transition("stop2", "cancel", "A"), Reply(20, 21, 200, "cancelled", b"{}", "", True))


@doctored("transitions_exclusive")
def a_transition_of_an_order_that_is_lost(history, world):
    history.replies.pop("c")
    history.requests.pop("c")
    world.orders["C"] = None


@doctored("transitions_once")
def confirmed_twice(history, _):
    change(history, "pay2", 0, status=200, code="confirmed")


@doctored("in_time")
def expired_too_early(_, world):
    change_order(world, "C", settled_at=31.9)


@doctored("in_time")
def confirmed_too_late(_, world):
    change_order(world, "A", settled_at=30)


@doctored("limits_hold")
def two_more_than_allowed(_, world):
    world.limits["sale"] = 1


@doctored("limits_hold")
def more_than_allowed_for_a_moment(_, world):
    world.limits["sale"] = 3


@doctored("units_kept")
def a_negative_number(_, world):
    world.stock["tee"].update(available=-1, reserved=6)


@doctored("units_kept")
def a_unit_out_of_nothing(_, world):
    world.stock["tee"]["available"] += 1


@doctored("units_kept")
def a_unit_lost(_, world):
    world.stock["tee"]["available"] -= 1


@doctored("units_kept")
def a_receipt_counted_twice(_, world):
    world.started_with = Counter({"tee": 10})


@doctored("books")
def a_unit_sold_to_nobody(_, world):
    world.stock["tee"].update(available=4, sold=6)


@doctored("books")
def a_unit_held_for_nobody(_, world):
    world.stock["tee"].update(available=4, reserved=1)


def refuse_with(history, code, available):
    for at in (0, 1):
        change(history, GONE7, at, code=code, body=b'{"sku":"tee","available":%d}' % available)


@doctored("refusals_justified")
def sold_out_while_two_are_left(history, _):
    refuse_with(history, "sold_out", 0)


@doctored("refusals_justified")
def a_number_that_was_true_too_early(history, _):
    refuse_with(history, "insufficient", 5)


@doctored("refusals_justified")
def a_number_that_was_true_too_late(history, _):
    refuse_with(history, "insufficient", 3)


@doctored("refusals_justified")
def refused_although_there_is_enough(history, _):
    history.requests[GONE7] = load.reserve(GONE7, "u2", [("tee", 2)])


class OracleTest(unittest.TestCase):
    def test_a_sound_history_passes(self):
        self.assertEqual([], check(*sound()))

    def test_each_doctored_history_is_found_by_its_check(self):
        for name, doctor in ROWS:
            with self.subTest(doctor.__name__):
                history, world = sound()
                doctor(history, world)
                found = check(history, world)
                self.assertIn(name, {violation.split(":")[0] for violation in found}, found)

    def test_each_check_has_a_row(self):
        self.assertEqual(set(oracle.CHECKS), {name for name, _ in ROWS})

    def test_a_refusal_may_be_shown_as_an_order_without_lines(self):
        history, world = sound()
        world.orders[GONE7] = Order(GONE7, "refused", "u2", ())
        self.assertEqual([], check(history, world))

    def test_a_window_of_the_ledger_is_what_all_positions_tried_one_by_one_allow(self):
        random = Random(7)
        for _ in range(1000):
            calls = []
            for position in range(1, random.randint(2, 9)):
                at = position + random.uniform(-3, 3)
                calls.append((at - random.uniform(0, 2), at + random.uniform(0, 2), position, position))
            rows = Ledger(last=len(calls))
            start = random.uniform(-3, 12)
            end = start + random.uniform(0, 4)
            low, high = Windows(rows, calls).of(start, end)
            tried = [k for k in range(rows.last + 1)
                     if all(k >= c[2] for c in calls if c[1] < start) and all(k < c[2] for c in calls if c[0] > end)]
            self.assertEqual(tried, list(range(low, high + 1)))

    def test_one_key_for_two_requests_is_a_fault_of_the_load(self):
        history, _ = sound()
        with self.assertRaises(ValueError):
            history.note(load.reserve("a", "u1", [("tee", 5)]), Reply(0, 1, 0))

    def test_a_busy_signal_or_a_lost_reply_leaves_a_key_open(self):
        history, _ = sound()
        history.note(load.reserve("open", "u1", [("tee", 1)]), Reply(0, 1, 503, "overloaded"))
        history.note(load.reserve("lost", "u1", [("tee", 1)]), Reply(0, 1, 0, "lost"))
        history.note(load.reserve("early", "u1", [("tee", 1)], "sale"), Reply(0, 1, 409, "not_open"))
        history.note(load.reserve("past", "u1", [("tee", 1)], "sale"), Reply(0, 1, 409, "over"))
        history.note(load.reserve("past", "u1", [("tee", 1)], "sale"), Reply(0, 2, 409, "key_in_flight"))
        history.note(load.reserve("gone", "u1", [("tee", 1)], "sale"), Reply(0, 1, 409, "over"))
        history.note(load.reserve("gone", "u1", [("tee", 1)], "sale"), Reply(1, 2, 504, "outcome_unknown"))
        self.assertEqual(["open", "lost", "gone"], history.open_keys())

    def test_the_load_makes_uuids_of_version_7(self):
        random = Random(1)
        self.assertTrue(all(oracle.UUID7.fullmatch(load.uuid7(random)) for _ in range(100)))

    def test_times_are_read_to_the_fraction(self):
        self.assertAlmostEqual(1764449326.25, load.seconds_of("2025-11-29T20:48:46.250Z"), 4)
        self.assertEqual(1764449326, load.seconds_of("2025-11-29T20:48:46Z"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
