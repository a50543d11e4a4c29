#!/usr/bin/env python3
"""What one caller asks for stays within bounds for the others (A20): few commands that write many rows (G003)."""

import threading
import time
import unittest
import uuid
from collections import Counter

from gavel_process import Gavel, new_key

SKUS = [f"s{i}" for i in range(100)]
RSS_MAX = 256 * 1024  # KiB
WAIT_MAX = 1.5  # Seconds; judge_within is 2.


def uuid7():
    """A request key of version 7, which is the id of the order that is made under it."""
    digits = uuid.uuid4().hex
    text = f"{int(time.time() * 1000):012x}7{digits[:3]}8{digits[3:6]}{digits[6:18]}"
    return str(uuid.UUID(text))


def memory(process, name):
    """A line of the process's status, in KiB."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name + ":"))


class Shopper(threading.Thread):
    """Orders one unit every 20 ms, as the operators' account, until it is stopped."""

    def __init__(self, gavel):
        super().__init__()
        self.gavel, self.statuses, self.waits, self.stopped = gavel, Counter(), [], False

    def run(self):
        order = {"user": "ann", "lines": [{"sku": "tee", "quantity": 1}]}
        while not self.stopped:
            begun = time.monotonic()
            self.statuses[self.gavel.operate("POST", "/v1/orders", order).status] += 1
            self.waits.append(time.monotonic() - begun)
            time.sleep(0.02)

    def stop(self):
        self.stopped = True
        self.join()


class Bounds(unittest.TestCase):
    def test_a_call_of_many_rows_beside_another_caller_A20_G003(self):
        with Gavel() as gavel:
            gavel.start()
            for sku in SKUS:
                gavel.operate("PUT", f"/v1/skus/{sku}", {"buckets": 64})
                gavel.operate("POST", f"/v1/stock/{sku}/receive", {"quantity": 640})
            gavel.operate("PUT", "/v1/skus/tee", {})
            gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": 100_000})
            commands = []
            for number in range(300):
                order = uuid7()
                lines = [{"sku": sku, "quantity": 630} for sku in SKUS]
                commands.append({"act": "reserve", "request_id": order, "user": f"u{number}", "lines": lines})
                commands.append({"act": "cancel", "request_id": new_key(), "order": order})
            shopper = Shopper(gavel)
            shopper.start()
            answer = gavel.ask("POST", "/v1/batch", commands)
            shopper.stop()
            outcomes = Counter(one["code"] for one in answer.json)
            self.assertEqual(answer.status, 200)
            self.assertLessEqual(set(outcomes), {"reserved", "cancelled", "overloaded"})
            self.assertEqual(sum(outcomes.values()), 600)
            self.assertGreaterEqual(outcomes["reserved"], 1)
            self.assertEqual(set(shopper.statuses), {201}, "the shopper is served as ever")
            self.assertLess(max(shopper.waits), WAIT_MAX)
            self.assertLess(memory(gavel.process, "VmHWM"), RSS_MAX)
            self.assertEqual(gavel.terminate(), 0)
            self.assertEqual(gavel.verify().code, 0)


if __name__ == "__main__":
    unittest.main()
