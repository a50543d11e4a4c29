#!/usr/bin/env python3
"""Another program keeps the database locked while shoppers order: they are told in time, and all is well afterwards.

    G007    requests that were never begun get 503 within judge_within, with Retry-After, and never 504; no batch is
            halved; `/readyz` is not ready, with callers and without; what was refused is ordered with the same key
"""

import json
import sqlite3
import threading
import time
import unittest
from contextlib import contextmanager

from gavel_process import Gavel

JUDGE_WITHIN = 2.0  # Seconds, of admission.judge_within_ms.
PATIENCE = 0.7      # Of a busy machine, beyond that and beyond the pace at which the service looks at the clock.
READY_AGAIN_WITHIN = 5.0
LOCKED = 5.0


class Locked(unittest.TestCase):
    def setUp(self):
        self.gavel = Gavel()
        self.addCleanup(self.gavel.close)
        self.gavel.start()
        self.gavel.operate("PUT", "/v1/skus/tee", {})
        self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": 1000})

    @contextmanager
    def lock(self):
        """The write lock of the database, in another program's hands."""
        other = sqlite3.connect(self.gavel.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
            other.close()

    def order(self, key):
        return self.gavel.ask("POST", "/v1/orders", {"user": key, "lines": [{"sku": "tee", "quantity": 1}]}, key=key)

    def order_at_once(self, keys, told):
        """Threads that order, a key each; {key: (answer, seconds)} comes into `told`."""
        def one(key):
            begun = time.monotonic()
            answer = self.order(key)
            told[key] = (answer, time.monotonic() - begun)

        threads = [threading.Thread(target=one, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        return threads

    def readiness(self):
        return self.gavel.ask("GET", "/readyz")

    def becomes(self, status, within):
        """Whether /readyz comes to that status in time."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            if self.readiness().status == status:
                return True
            time.sleep(0.05)
        return False

    def test_callers_are_told_in_time_and_order_again_with_their_keys_G007(self):
        told = {}
        with self.lock():
            begun = time.monotonic()
            threads = self.order_at_once([f"first-{n}" for n in range(4)], told)
            time.sleep(0.3)
            threads += self.order_at_once([f"then-{n}" for n in range(8)], told)
            self.assertTrue(self.becomes(503, 2 * JUDGE_WITHIN))
            time.sleep(1.5)
            threads += self.order_at_once([f"last-{n}" for n in range(8)], told)
            for thread in threads:
                thread.join()
            refusal = self.readiness()
            self.assertEqual((refusal.status, refusal.outcome), (503, "not_ready"))
            self.assertIn("locked", refusal.json["detail"])
            self.assertIn("retry-after", refusal.headers)
            time.sleep(max(0.0, begun + LOCKED - time.monotonic()))
        for key, (answer, seconds) in told.items():
            self.assertEqual((answer.status, answer.outcome), (503, "overloaded"), key)
            self.assertIn(int(answer.headers["retry-after"]), (1, 2, 3))
            self.assertLess(seconds, JUDGE_WITHIN + PATIENCE, key)
        self.assertEqual(len(told), 20)
        self.assertTrue(self.becomes(200, READY_AGAIN_WITHIN), "without any caller")
        for key in told:
            self.assertEqual(self.order(key).status, 201, key)
            self.assertTrue(self.order(key).replayed, key)
        stock = self.gavel.operate("GET", "/v1/stock?sku=tee").json["stock"][0]
        self.assertEqual((stock["available"], stock["reserved"]), (980, 20))
        self.assertEqual(self.gavel.terminate(), 0)
        self.assertEqual(self.gavel.verify().code, 0)
        events = [json.loads(line)["event"] for line in self.gavel.stopped_errors.splitlines() if line.startswith("{")]
        self.assertNotIn("batch_halved", events)
        self.assertEqual((events.count("judge_stuck"), events.count("judge_goes_on")), (1, 1), events)

    def test_readiness_knows_it_without_callers_G007(self):
        self.assertEqual(self.readiness().status, 200)
        with self.lock():
            self.assertTrue(self.becomes(503, 5.0))
            self.assertIn("gavel_pipeline_lane_stuck{lane=\"1\"} 1\n",
                          self.gavel.operate("GET", "/metrics").body.decode())
        self.assertTrue(self.becomes(200, READY_AGAIN_WITHIN))

    def test_a_short_lock_is_waited_for(self):
        told = {}
        with self.lock():
            threads = self.order_at_once(["k1", "k2"], told)
            time.sleep(0.4)
        for thread in threads:
            thread.join()
        self.assertEqual([answer.status for answer, _ in told.values()], [201, 201])


if __name__ == "__main__":
    unittest.main()
