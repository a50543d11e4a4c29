#!/usr/bin/env python3
"""Time goes on by itself, and sales end by it.

    F026        a sale closes by itself at its end, and its unsold units are free again
    G001        the database began with a clock that was eight hours ahead: holds end by the time that passes, over a
                restart too, and the difference is told in the log, the metrics and `/readyz`
"""

import datetime
import sqlite3
import time
import unittest

from gavel_process import Gavel, new_key

AHEAD_MS = 8 * 3600 * 1000


def rfc3339(seconds_from_now):
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds_from_now)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Time(unittest.TestCase):
    def setUp(self):
        self.gavel = Gavel()
        self.addCleanup(self.gavel.close)
        self.gavel.start()
        self.gavel.operate("PUT", "/v1/skus/tee", {})
        self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": 10})

    def order(self, user, quantity, **more):
        body = {"user": user, "lines": [{"sku": "tee", "quantity": quantity}], **more}
        return self.gavel.ask("POST", "/v1/orders", body, key=new_key())

    def comes_true(self, what, within):
        """Whether `what` is true in time."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            if what():
                return True
            time.sleep(0.05)
        return False

    def stock(self):
        rows = self.gavel.operate("GET", "/v1/stock?sku=tee").json["stock"]
        return {row["pool"]: (row["available"], row["sold"]) for row in rows}

    def test_a_sale_closes_by_itself_E23_F026(self):
        self.gavel.operate("POST", "/v1/activities", {"id": "drop", "name": "Drop", "closes_at": rfc3339(2),
                                                      "lines": [{"sku": "tee", "allotment": 10}]})
        self.assertEqual(self.gavel.operate("POST", "/v1/activities/drop/open").status, 200)
        order = self.order("ann", 2, activity="drop").json["order"]
        self.assertEqual(self.gavel.ask("POST", f"/v1/orders/{order}/confirm", key=new_key()).status, 200)
        self.assertEqual(self.stock(), {"-": (0, 0), "drop": (8, 2)})
        closed = lambda: self.gavel.operate("GET", "/v1/activities/drop").json["state"] == "closed"
        self.assertTrue(self.comes_true(closed, within=2 + 2))
        self.assertEqual(self.stock(), {"-": (8, 0), "drop": (0, 2)})
        self.assertEqual(self.order("bob", 8).status, 201)
        self.gavel.terminate()
        self.assertIn('"event":"sale_closed","activity":"drop"', self.gavel.stopped_errors)
        self.assertEqual(self.gavel.verify().code, 0)

    def test_the_clock_was_ahead_when_the_database_began_E25_G001(self):
        self.gavel.terminate()
        database = sqlite3.connect(self.gavel.database, isolation_level=None)
        database.execute("DROP TRIGGER batch_stays")
        database.execute("UPDATE batch SET at = at + ?", (AHEAD_MS,))
        database.close()
        for restart in range(2):
            self.gavel.start()
            self.assertEqual(self.order(f"ann{restart}", 10, hold_seconds=1).status, 201)
            self.assertTrue(self.comes_true(lambda: self.stock()["-"][0] == 10, within=1 + 2))
            ready = self.gavel.ask("GET", "/readyz")
            self.assertEqual(ready.status, 200)
            self.assertRegex(ready.json["warnings"][0], r"^the wall clock is 288\d\d s behind the judge's time")
            clocks = self.gavel.operate("GET", "/v1/admin/clock").json
            self.assertAlmostEqual(clocks["difference_ms"], -AHEAD_MS, delta=60_000)
            metrics = self.gavel.operate("GET", "/metrics").body.decode()
            self.assertRegex(metrics, r"\ngavel_jobs_clock_difference_seconds -28[78]\d\d")
            self.gavel.kill9()
            self.assertIn('"event":"clock_differs"', self.gavel.stopped_errors)


if __name__ == "__main__":
    unittest.main()
