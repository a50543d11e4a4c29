"""The history of the end to end tests and the oracle behind it are able to fail: a sound sale passes, a doctored one
is found. That each check finds what it is there for is shown by tests/oracle/check_test.cc."""

import time
import unittest
from dataclasses import replace
from random import Random

import load
import oracle
from gavel_process import Gavel
from oracle import History, Reply


class OracleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A small sale, and its database after the end."""
        cls.gavel = Gavel().start()
        cls.addClassCleanup(cls.gavel.close)
        cls.sound = History()
        desk = load.Desk(cls.gavel, cls.sound)
        desk.insist(load.put_sku("make", "tee", 2))
        desk.insist(load.receive("in", "tee", 10))
        desk.insist(load.create_activity("create", "sale", [("tee", 4, 1)], 3))
        desk.insist(load.open_activity("open", "sale"))
        desk.insist(load.reserve("a", "ann", [("tee", 1), ("tee", 1)], "sale"))
        desk.insist(load.reserve("a", "ann", [("tee", 1), ("tee", 1)], "sale"))
        bought = desk.insist(load.reserve(load.uuid7(Random(1)), "bob", [("tee", 6)]))
        desk.insist(load.transition("pay", "confirm", bought.order))
        desk.insist(load.reserve("at-once", "cid", [("tee", 1)], "sale", at_once=True))
        gone = desk.insist(load.reserve("none", "dot", [("tee", 1)]))
        few = desk.insist(load.reserve("few", "dot", [("tee", 2)], "sale"))
        desk.insist(load.reserve("short", "eve", [("tee", 1)], hold=1))
        desk.insist(load.close_activity("close", "sale"))
        desk.close()
        assert cls.gavel.terminate() == 0
        assert (gone.code, few.code) == ("sold_out", "insufficient"), (gone, few)

    def found(self, doctor=lambda history: None):
        """The names of the checks that find something in the history, when it was doctored."""
        history = History()
        for key, replies in self.sound.replies.items():
            for reply in replies:
                history.note(self.sound.requests[key], reply)
        doctor(history)
        return [line.split(":")[0] for line in oracle.check(history, self.gavel.database, release_within=2).found]

    def test_a_sound_history_passes(self):
        self.assertEqual([], self.found())
        self.assertEqual({"held": 1, "paid": 2}, oracle.check(self.sound, self.gavel.database).states)

    def test_doctored_histories_are_found(self):
        def change(key, **fields):
            def act(history):
                history.replies[key][-1] = replace(history.replies[key][-1], **fields)
            return act

        def forget(key):
            return lambda history: (history.requests.pop(key), history.replies.pop(key))

        def ask(request, *replies):
            return lambda history: [history.note(request, reply) for reply in replies]

        at = time.monotonic()
        body = b'{"code":"sold_out","sku":"tee"}'
        for check, doctor in (
                ("faults", change("pay", status=500, code="")),
                ("I5", ask(load.reserve("b", "ann", [("tee", 1)]), Reply(at, at + 1, 201, "reserved", b"{}", "B", True))),
                ("I5", forget("at-once")),
                ("I6", change("at-once", status=409, code="sold_out", body=body)),
                ("I8", change("a", body=b"{}")),
                ("U1", ask(load.reserve("free", "fay", [("tee", 1)]), Reply(at, at + 1, 409, "sold_out", body))),
                ("resolved", ask(load.reserve("lost", "fay", [("tee", 1)]), Reply(at, at + 1, 0)))):
            with self.subTest(check):
                self.assertIn(check, self.found(doctor))

    def test_a_history_that_the_program_cannot_read_is_no_clean_bill(self):
        with self.assertRaises(RuntimeError):
            oracle.check(self.sound, str(self.gavel.database) + ".missing")

    def test_one_key_for_two_requests_is_a_fault_of_the_load(self):
        history = History()
        history.note(load.reserve("a", "u1", [("tee", 1)]), Reply(0, 1, 0))
        with self.assertRaises(ValueError):
            history.note(load.reserve("a", "u1", [("tee", 5)]), Reply(0, 1, 0))

    def test_a_busy_signal_or_a_lost_reply_leaves_a_key_open(self):
        history = History()
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


if __name__ == "__main__":
    unittest.main(verbosity=1)
