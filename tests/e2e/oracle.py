"""The oracle of the end to end tests: it keeps the history of a load and says what in it cannot be.

A load asks requests, each under its own key and perhaps several times; every reply is noted. When the load is over and
every request has an answer, the world is read once (orders and stock, at rest), and check() compares them:

    answers   I8 all recorded replies to a key are equal byte for byte, I9 none is contradicted later; A9, C11
    effects   I5 every yes is one order with the same user and lines; I6 a no has none; I7 one effect per key
    life      I10 legal states; I11 released at most once, confirm and release exclude each other; I12 in its time
    limits    I13 no user above the limit of an activity, at any moment (B3)
    books     I1 available + reserved + sold = received, and the orders explain reserved and sold to the unit (C3, U4)
    refusals  "sold out" was true at a moment between question and answer, and so was "only 3 left" (A7, A8); this takes
              the ledger of a service that has ended

"Unknown" (no reply, or 504) says nothing about what happened: only a retry with the same key resolves it (A13). The
oracle knows nothing of how the service decides; oracle_test.py shows that each check finds what it is there for.
"""

import json
import re
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ledger import Ledger, Windows

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# Refusals that promise no more than "not by this attempt": after an answer they are no contradiction.
PASSING = {"overloaded", "not_ready", "rate_limited", "key_in_flight"}
# What a refused transition says about the order it was asked for.
STATE_SAID = {"confirmed": "paid", "cancelled": "cancelled", "already_confirmed": "paid",
              "already_cancelled": "cancelled", "hold_expired": "expired"}
STATES = {"held", "paid", "cancelled", "expired"}


@dataclass(frozen=True)
class Request:
    """What is asked under one key, however often."""

    key: str
    act: str  # reserve, confirm, cancel, receive; the oracle takes no interest in others
    method: str
    path: str
    body: bytes = b""
    user: str = ""
    lines: tuple = ()  # ((sku, quantity), ...), each SKU once
    activity: str = ""
    order: str = ""  # of confirm and cancel: the order that is meant


@dataclass(frozen=True)
class Reply:
    """What came back for one attempt."""

    start: float
    end: float
    status: int  # 0: the connection was lost
    code: str = ""
    body: bytes = b""
    order: str = ""
    recorded: bool = False
    replayed: bool = False

    @property
    def unknown(self):
        return self.status in (0, 504)

    @property
    def yes(self):
        return 200 <= self.status < 300

    @property
    def answer(self):
        """Whether this is the recorded result of the key, for good."""
        return self.recorded and not self.unknown


@dataclass(frozen=True)
class Order:
    """An order as the service shows it; times in seconds, None where it has none."""

    id: str
    state: str
    user: str
    lines: tuple
    activity: str = ""
    created_at: float = 0.0
    expires_at: float | None = None
    settled_at: float | None = None


@dataclass
class World:
    """What the service shows at rest. Of an order that was asked for and is not there, `orders` holds None."""

    orders: dict = field(default_factory=dict)
    stock: dict = field(default_factory=dict)  # sku -> {"available": n, "reserved": n, "sold": n}, all pools together
    requests: dict = field(default_factory=dict)  # key -> the code it is remembered with; those that were looked up
    limits: dict = field(default_factory=dict)  # activity -> units per user and SKU
    ledger: Ledger | None = None
    started_with: Counter = field(default_factory=Counter)  # sku -> units that were there before the history began


class History:
    """Requests and their replies. Thread-safe while it is noted in; everything else is for the time after the load."""

    def __init__(self):
        self._mutex = threading.Lock()
        self.requests = {}
        self.replies = defaultdict(list)

    def note(self, request, reply):
        with self._mutex:
            known = self.requests.setdefault(request.key, request)
            if known is not request and known != request:
                raise ValueError(f"the load used key {request.key} for two requests")
            self.replies[request.key].append(reply)

    def add(self, other):
        """Takes in another history, of other keys."""
        self.requests.update(other.requests)
        self.replies.update(other.replies)

    def answer(self, key):
        """The recorded answer to a key, or None."""
        return next((r for r in self.replies.get(key, ()) if r.answer), None)

    def resolved(self, key):
        """Whether nothing is open: an answer, or a refusal that is more than a busy signal, after all lost replies."""
        replies = self.replies[key]
        refused_at = max((r.end for r in replies if not (r.unknown or r.code in PASSING)), default=-1)
        lost_at = max((r.end for r in replies if r.unknown), default=-1)
        return self.answer(key) is not None or refused_at > lost_at

    def open_keys(self):
        return [key for key in self.requests if not self.resolved(key)]

    def wanted_orders(self):
        """Ids of all orders that the world must be asked for: those acknowledged, and those that must not exist."""
        ids = set()
        for key, request in self.requests.items():
            if request.act == "reserve" and UUID7.fullmatch(key):
                ids.add(key)
        ids.update(r.order for replies in self.replies.values() for r in replies if r.order)
        return sorted(ids)


def check(history, world):
    """Every violation as one line, "check: what is wrong"; an empty list is a clean bill."""
    return [f"{name}: {what}" for name, find in CHECKS.items() for what in find(history, world)]


# Answers.

def faults(history, _):
    """No 5xx but the two that promise something."""
    for key, replies in history.replies.items():
        for reply in replies:
            if reply.status >= 500 and reply.status not in (503, 504):
                yield f"key {key} got {reply.status} {reply.body[:200]!r}"


def resolved(history, _):
    """Every request has an answer in the end."""
    for key in history.open_keys():
        yield f"key {key} ({history.requests[key].act}) never got an answer, last {history.replies[key][-1].code!r}"


def answers_equal(history, _):
    """I8: status and body are the same for every recorded reply to one key."""
    for key, replies in history.replies.items():
        different = {(r.status, r.body) for r in replies if r.answer}
        if len(different) > 1:
            yield f"key {key} has {len(different)} different answers: {sorted(different)}"


def answers_stand(history, _):
    """I9: what was asked after an answer had come gets that answer, or a busy signal, or no reply."""
    for key, replies in history.replies.items():
        known_at = min((r.end for r in replies if r.answer), default=None)
        if known_at is None:
            continue
        for reply in replies:
            if reply.start >= known_at and not (reply.answer or reply.unknown or reply.code in PASSING):
                yield f"key {key} had its answer, and was told {reply.status} {reply.code} later"


def requests_remembered(history, world):
    """C11: who asks for a request by its key is told what was answered."""
    for key, code in world.requests.items():
        answer = history.answer(key)
        if answer and answer.code != code:
            yield f"key {key} was told {answer.code}, and is remembered as {code!r}"


def replays_marked(history, _):
    """I7, A9: one reply at most is the first one; a replay has an attempt before it that it repeats."""
    for key, replies in history.replies.items():
        first = [r for r in replies if r.answer and not r.replayed]
        if len(first) > 1:
            yield f"key {key} was answered afresh {len(first)} times"
        for reply in replies:
            if reply.replayed and not any(r is not reply and r.start <= reply.end for r in replies):
                yield f"key {key} was answered with a replay of nothing"


# Effects.

def _made(history):
    """(key, request, reply) of every acknowledged order."""
    for key, request in history.requests.items():
        answer = history.answer(key)
        if request.act == "reserve" and answer and answer.yes:
            yield key, request, answer


def orders_exist(history, world):
    """I5: an acknowledged order is there, for that user, with these units, from that pool."""
    for key, request, answer in _made(history):
        order = world.orders.get(answer.order)
        if order is None:
            yield f"key {key} was told {answer.code}, order {answer.order} is not there"
            continue
        for name in ("user", "lines", "activity"):
            asked, shown = getattr(request, name), getattr(order, name)
            if asked != shown:
                yield f"order {order.id} of key {key}: {name} was {asked!r}, is {shown!r}"


def orders_once(history, _):
    """I7: no two keys name one order, and a UUIDv7 key is the id of its order."""
    keys = defaultdict(list)
    for key, _, answer in _made(history):
        keys[answer.order].append(key)
        if UUID7.fullmatch(key) and answer.order != key:
            yield f"key {key} made order {answer.order}, a UUIDv7 key should be its id"
    for order, several in keys.items():
        if len(several) > 1:
            yield f"order {order} stands for {len(several)} keys: {several}"


def refused_have_none(history, world):
    """I6: a refused request has no order, ever; under a UUIDv7 the refusal itself may be shown, with no line. Plain
    keys hide their orders from this; `books` finds those."""
    for key, request in history.requests.items():
        if request.act != "reserve" or not history.resolved(key) or any(r.yes for r in history.replies[key]):
            continue
        order = world.orders.get(key)
        if order is not None and (order.state != "refused" or order.lines):
            yield f"key {key} was refused ({history.replies[key][-1].code}), and order {key} is {order.state}"


# Life.

def _said(history):
    """order id -> {state said by an answer to confirm or cancel: the keys that were told so}."""
    said = defaultdict(lambda: defaultdict(list))
    for key, request in history.requests.items():
        answer = history.answer(key)
        if request.order and answer and answer.code in STATE_SAID:
            said[request.order][STATE_SAID[answer.code]].append(key)
    return said


def states_legal(history, world):
    """I10: no state but those of the drawing, and none of the last ones without somebody who took that step."""
    said = _said(history)
    at_once = {answer.order for _, _, answer in _made(history) if answer.code == "sold"}
    for order in filter(None, world.orders.values()):
        if order.state == "refused" and not order.lines:
            continue
        if order.state not in STATES:
            yield f"order {order.id} is {order.state!r}"
        elif order.state in ("paid", "cancelled") and order.state not in said[order.id] and order.id not in at_once:
            yield f"order {order.id} is {order.state} although no answer says so"


def transitions_exclusive(history, world):
    """I11: all answers about an order agree, and agree with its state."""
    for order_id, states in _said(history).items():
        order = world.orders.get(order_id)
        if len(states) > 1:
            yield f"order {order_id} is told to be {dict(states)}"
        elif order is None:
            yield f"order {order_id} had an answer {dict(states)} and is not there"
        elif order.state not in states:
            yield f"order {order_id} is {order.state}, answers say {dict(states)}"


def transitions_once(history, _):
    """I7: one confirm or cancel of an order at most is told that it happened."""
    happened = defaultdict(list)
    for key, request in history.requests.items():
        answer = history.answer(key)
        if request.order and answer and answer.yes:
            happened[request.order].append(key)
    for order, keys in happened.items():
        if len(keys) > 1:
            yield f"order {order} took the same step {len(keys)} times: {keys}"


def in_time(_, world):
    """I12: never confirmed after its time, never expired before it, by the judge's clock."""
    for order in filter(None, world.orders.values()):
        if order.expires_at is None or order.settled_at is None:
            continue
        if order.state == "expired" and order.settled_at < order.expires_at:
            yield f"order {order.id} expired {order.expires_at - order.settled_at:.3f} s too early"
        if order.state in ("paid", "cancelled") and order.settled_at >= order.expires_at:
            yield f"order {order.id} was {order.state} {order.settled_at - order.expires_at:.3f} s after its time"


# Limits.

def limits_hold(_, world):
    """I13: what a user holds or has paid of one SKU in an activity never exceeds the limit, at any moment.

    Units that return at the very moment of a claim are counted out first: both may stand in one batch."""
    steps = defaultdict(list)
    for order in filter(None, world.orders.values()):
        if order.activity not in world.limits:
            continue
        for sku, quantity in order.lines:
            claim = steps[order.activity, order.user, sku]
            claim.append((order.created_at, quantity))
            if order.state in ("cancelled", "expired"):
                claim.append((order.settled_at, -quantity))
    for (activity, user, sku), claim in steps.items():
        claimed = 0
        for at, quantity in sorted(claim):
            claimed += quantity
            if claimed > world.limits[activity]:
                yield f"{user} held {claimed} of {sku} in {activity} at {at:.3f}, limit {world.limits[activity]}"
                break


# Books.

def received(history, world):
    """sku -> units that came in: before the history, and by every acknowledged receipt."""
    units = Counter(world.started_with)
    for key, request in history.requests.items():
        answer = history.answer(key)
        if request.act == "receive" and answer and answer.yes:
            for sku, quantity in request.lines:
                units[sku] += quantity
    return units


def units_kept(history, world):
    """I1, I2: nothing negative, no unit made or lost."""
    incoming = received(history, world)
    for sku, stock in world.stock.items():
        if min(stock.values()) < 0:
            yield f"{sku} has a negative number: {stock}"
        if sum(stock.values()) != incoming[sku]:
            yield f"{sku} has {sum(stock.values())} units, {incoming[sku]} came in: {stock}"


def books(_, world):
    """C3: the orders explain what is reserved and sold, to the unit."""
    held, paid = Counter(), Counter()
    for order in filter(None, world.orders.values()):
        for sku, quantity in order.lines:
            if order.state == "held":
                held[sku] += quantity
            elif order.state == "paid":
                paid[sku] += quantity
    for sku, stock in world.stock.items():
        if stock["reserved"] != held[sku]:
            yield f"{sku} has {stock['reserved']} reserved, its orders hold {held[sku]}"
        if stock["sold"] != paid[sku]:
            yield f"{sku} has {stock['sold']} sold, its paid orders have {paid[sku]}"


# Refusals.

def _effects(history, ledger):
    """(start, end, first position, last position) of every call whose effect is in the ledger; without an answer its
    end is never."""
    for key, replies in history.replies.items():
        if key in ledger.positions:
            end = min((r.end for r in replies if r.answer), default=float("inf"))
            yield (min(r.start for r in replies), end, *ledger.positions[key])


def refusals_justified(history, world):
    """U1: what a refusal says was available, was so at a position that its call may have seen."""
    if world.ledger is None:
        return
    windows = Windows(world.ledger, list(_effects(history, world.ledger)))
    for key, request in history.requests.items():
        replies = history.replies[key]
        refusals = [r for r in replies if r.code in ("sold_out", "insufficient")]
        if request.act != "reserve" or not refusals:
            continue
        refusal = min(refusals, key=lambda r: r.end)
        content = json.loads(refusal.body)
        units = content.get("available", 0)
        low, high = windows.of(min(r.start for r in replies), refusal.end)
        seen = world.ledger.between((content["sku"], request.activity), low, high)
        if units not in seen or dict(request.lines)[content["sku"]] <= units:
            yield (f"key {key} was told {refusal.code}, {units} available of {content['sku']}; at positions {low} to {high} "
                   f"of the ledger there were {min(seen)} to {max(seen)}")


CHECKS = {check.__name__: check for check in (
    faults, resolved, answers_equal, answers_stand, requests_remembered, replays_marked,
    orders_exist, orders_once, refused_have_none,
    states_legal, transitions_exclusive, transitions_once, in_time,
    limits_hold, units_kept, books, refusals_justified)}
