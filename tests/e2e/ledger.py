"""The ledger as the tests read it, after the service has ended: every change of a stock item, as it was written.

It is what a refusal is measured by (proof.md, Undersell): "sold out" is justified only if nothing was left at some
position between the last effect whose answer had come before the refusal was asked for, and the first effect that was
asked for after the refusal was answered. The order is that of the batches (lane, n) and of the rows in them; nothing of
the service's own code is used to read it.
"""

import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

EFFECT_ON_AVAILABLE = {"receive": 1, "reserve": -1, "sell": -1, "confirm": 0, "cancel": 1, "expire": 1, "move_out": -1,
                       "move_in": 1}
ROWS = """
  SELECT sku.code, coalesce(activity.code, ''), flow.action, flow.quantity, flow.key
  FROM flow JOIN item ON item.id = flow.item JOIN sku ON sku.id = item.sku
  LEFT JOIN activity ON activity.id = item.activity
  ORDER BY flow.lane, flow.n, flow.i"""


@dataclass
class Ledger:
    """Positions are counted from 1; at position 0 nothing is available."""

    last: int = 0
    # item -> [(position, units from it on), ...]
    available: dict = field(default_factory=lambda: defaultdict(lambda: [(0, 0)]))
    positions: dict = field(default_factory=dict)  # key -> (first, last) position of its effect

    def add(self, item, action, quantity, key):
        """`item` is (SKU, activity or "")."""
        self.last += 1
        units = self.available[item][-1][1] + EFFECT_ON_AVAILABLE[action] * quantity
        self.available[item].append((self.last, units))
        if key is not None:
            first, _ = self.positions.get(key, (self.last, self.last))
            self.positions[key] = first, self.last

    def between(self, item, low, high):
        """What was available at the positions from low to high."""
        steps = self.available[item]
        begin = bisect_right(steps, low, key=lambda step: step[0]) - 1
        end = bisect_right(steps, high, key=lambda step: step[0])
        return {units for _, units in steps[begin:end]}


def read(database):
    """Of a database that nobody has open."""
    ledger = Ledger()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        for sku, activity, action, quantity, key in connection.execute(ROWS):
            ledger.add((sku, activity), action, quantity, key)
    finally:
        connection.close()
    return ledger


class Windows:
    """Which positions of the ledger a call may have seen, by the times of the calls around it."""

    def __init__(self, ledger, calls):
        """`calls`: (start, end, first position, last position) of every effect whose caller is known."""
        self.last = ledger.last
        returned = sorted((end, last) for _, end, _, last in calls)
        begun = sorted((start, first) for start, _, first, _ in calls)
        self.ends = [end for end, _ in returned]
        self.starts = [start for start, _ in begun]
        self.reached, most = [], 0
        for _, position in returned:
            most = max(most, position)
            self.reached.append(most)
        self.untouched, least = [], self.last + 1
        for _, position in reversed(begun):
            least = min(least, position)
            self.untouched.append(least)
        self.untouched.reverse()

    def of(self, start, end):
        """(the earliest, the latest) position that a call in [start, end] may have seen."""
        before = bisect_left(self.ends, start)
        after = bisect_right(self.starts, end)
        low = self.reached[before - 1] if before else 0
        high = self.untouched[after] - 1 if after < len(self.untouched) else self.last
        return low, high
