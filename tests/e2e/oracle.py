"""The history of a load, and the question whether anything in it cannot be.

A load asks requests, each under its own key and perhaps several times; every reply is noted. check() writes all of it
down and has it held against the database by the program `gavel-oracle`, whose checks are those of the simulator, too
(tests/oracle/check.h: I1 to I15, and U1: nobody is told "sold out" while something is left). What it cannot see is
checked here: that no reply was a fault of the service.

"Unknown" (no reply, or 504) says nothing about what happened: only a retry with the same key resolves it (A13).
oracle_test.py shows that a doctored history is found; that each check finds its fault, tests/oracle/check_test.cc.
"""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from gavel_process import program

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# Refusals that promise no more than "not by this attempt": after an answer they are no contradiction.
PASSING = {"overloaded", "not_ready", "rate_limited", "key_in_flight"}
# Requests of the operators' listener; its keys are another account's.
OF_OPERATORS = {"receive", "put_sku", "create_activity", "change_activity", "warm_activity", "check_activity",
                "open_activity", "close_activity"}
NANOSECONDS = 10**9
FINDINGS = 4  # The exit code of gavel-oracle that says so.


@dataclass(frozen=True)
class Request:
    """What is asked under one key, however often."""

    key: str
    act: str  # reserve, confirm, cancel, receive, …: the words of tests/oracle/history.h
    method: str
    path: str
    body: bytes = b""
    user: str = ""
    lines: tuple = ()  # ((sku, quantity), ...), each SKU once
    activity: str = ""
    order: str = ""  # of acts on an order: the one that is meant
    at_once: bool = False  # of reserve: sold without a hold


@dataclass(frozen=True)
class Reply:
    """What came back for one attempt; times are those of time.monotonic()."""

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
class Reading:
    """Stock of one pool as it was shown to somebody."""

    start: float
    end: float
    sku: str
    activity: str
    available: int
    reserved: int
    sold: int
    shortage: int


class History:
    """Requests and their replies. Thread-safe while it is noted in; everything else is for the time after the load."""

    def __init__(self):
        self._mutex = threading.Lock()
        self.requests = {}
        self.replies = defaultdict(list)
        self.readings = []

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
        self.readings += other.readings

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


@dataclass
class Verdict:
    """What the oracles say: a line for each thing that cannot be, and how many orders are in which state."""

    found: list
    states: dict


def check(history, database, release_within=None, overdue=None):
    """Holds the history against the database, at rest or in use.

    `release_within`: seconds after its end within which a hold was free for everybody, if the service was always
    there. `overdue`: no hold may be past its end by more seconds than that."""
    with tempfile.TemporaryDirectory(prefix="gavel-history-") as folder:
        file = Path(folder) / "history"
        file.write_text("".join(json.dumps(line) + "\n" for line in _lines(history, release_within)), encoding="utf-8")
        more = ["--overdue-ms", str(int(overdue * 1000))] if overdue else []
        ended = subprocess.run([oracle_program(), str(file), str(database), *more], capture_output=True, text=True)
    if ended.returncode not in (0, FINDINGS):
        raise RuntimeError(f"gavel-oracle ended with {ended.returncode}: {ended.stderr}")
    *found, summary = ended.stdout.splitlines()
    states = {name: int(count) for name, count in (word.split("=") for word in summary.split("; ")[-1].split())} \
        if "=" in summary else {}
    return Verdict(list(faults(history)) + found, states)


def faults(history):
    """No 5xx but the two that promise something."""
    for key, replies in history.replies.items():
        for reply in replies:
            if reply.status >= 500 and reply.status not in (503, 504):
                yield f"faults: key {key} got {reply.status} {reply.body[:200]!r}"


def oracle_program():
    """The path of gavel-oracle, which is built beside the program under test."""
    path = os.environ.get("GAVEL_ORACLE") or Path(program()).resolve().parent / "gavel-oracle"
    if not os.access(path, os.X_OK):
        raise SystemExit(f"{path} is missing: cmake --build --preset release --target gavel-oracle")
    return str(path)


def _lines(history, release_within):
    """The history as tests/plain/history_file.h wants it."""
    terms = {"per_ms": NANOSECONDS // 1000, "at_epoch": time.monotonic_ns() - time.time_ns()}
    if release_within is not None:
        terms["release_within_ms"] = int(release_within * 1000)
    yield {"terms": terms}
    for key, request in history.requests.items():
        asked = {"caller": "operator" if request.act in OF_OPERATORS else "shop", "key": key, "act": request.act,
                 "user": request.user, "activity": request.activity, "meant_order": request.order,
                 "lines": [list(line) for line in request.lines], "at_once": request.at_once}
        for reply in sorted(history.replies[key], key=lambda r: r.start):
            yield asked | {"call": int(reply.start * NANOSECONDS)} | _told(reply)
    for shown in history.readings:
        yield {"reading": True, "call": int(shown.start * NANOSECONDS), "answered": int(shown.end * NANOSECONDS),
               "sku": shown.sku, "activity": shown.activity, "available": shown.available, "reserved": shown.reserved,
               "sold": shown.sold, "shortage": shown.shortage}


def _told(reply):
    """What is said of a reply; nothing where there is none."""
    if reply.status == 0 or not reply.code:
        return {}
    try:
        content = json.loads(reply.body)
    except ValueError:
        content = {}
    told = {"answered": int(reply.end * NANOSECONDS), "outcome": reply.code, "recorded": reply.recorded,
            "replayed": reply.replayed, "order": reply.order, "sku": content.get("sku", ""),
            "text": f"{reply.status} {reply.body.decode(errors='replace')}"}
    return told | {name: content[name] for name in ("available", "allowed", "claimed") if name in content}
