#!/usr/bin/env python3
"""Twenty times what the service admits at once: it refuses the surplus, stays small, and is itself again afterwards.

A moderate load is measured, then 400 connections offer orders at once to a service that admits 40, for several seconds,
then the moderate load again on fresh connections.

    A20, B11   the surplus gets 503 `overloaded` with Retry-After; there is no other error, and nothing is refused that
               was done: what was answered 201 is exactly what is sold
    B11        memory stays bounded: RSS grows by no more than RSS_GROWTH_MAX
    proof.md   liveness: from 2 s after the overload on, the rate is at least 90 % of what it was before

The machine's own speed changes from second to second, since others work on it too. So a second service, the twin, which
is never overloaded, bears the same moderate load at the same time: the rate of the one is taken as a share of the
other's, window by window, and the medians of these shares are compared. A measurement that does not begin with a share
of about one was disturbed. Up to three are made in one run, of which one must be good; each is printed. Counts, errors,
memory and the books must be right in all of them.
"""

import json
import os
import select
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse
import uuid
from collections import Counter, deque

import load
from gavel_process import Gavel

IN_FLIGHT_MAX = 40
OFFERED = 400  # Connections in overload, each with a request under way or about to be.
PROCESSES = 8  # That share them: one Python process alone would be the bottleneck.
MODERATE = 16  # Connections before and after: less than is admitted, so nothing of it is refused.
PAUSE = 0.05  # Seconds between a refusal and the next try; impatient, since Retry-After asks for one at least.
WINDOW = 0.25  # Seconds.
MODERATE_SECONDS, OVERLOAD_SECONDS = 4.5, 5.0
SETTLE = 2.0  # Seconds after the overload until the rate must be back; left out before the overload, too.
RATE_LEAST = 0.9
DISTURBED = 0.15  # How far from one the share of two equal services under equal loads may be.
# Each of 400 connections may own buffers of header and body (72 KiB), once in the service and once on the way out,
# which makes 58 MiB; 40 requests in flight, the database's cache of 2 MiB and its log's index are small beside it.
RSS_GROWTH_MAX = 64 * 1024 * 1024


class Offer:
    """Connections in one process that offer orders as fast as they are answered; counts answers per window."""

    def __init__(self, address, connections, pause):
        place = urllib.parse.urlsplit(address)
        self.pause = pause
        self.windows = {}  # index of a window -> Counter of statuses
        self.wrong = []
        self.run = uuid.uuid4().hex[:12]
        self.number = 0
        body = b'{"user":"u%d","lines":[{"sku":"tee","quantity":1}],"payment":"none"}'
        self.head = (f"POST /v1/orders HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
                     f"Idempotency-Key: {self.run}-%d\r\nContent-Length: %d\r\n\r\n").encode()
        self.body = body
        self.poll = select.epoll()
        self.sockets, self.buffers = {}, {}
        for _ in range(connections):
            connection = socket.create_connection((place.hostname, place.port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets[connection.fileno()] = connection
            self.buffers[connection.fileno()] = b""
            self.poll.register(connection, select.EPOLLIN)

    def until(self, deadline):
        """Offers until then, and waits for what is still under way: (windows, what was wrong)."""
        for number in self.sockets:
            self._send(number)
        paused = deque()  # (time, connection) in order of time
        under_way = set(self.sockets)
        while time.monotonic() < deadline or under_way:
            for number, _ in self.poll.poll(0.01):
                status = self._read(number)
                if status is None:
                    continue
                now = time.monotonic()
                under_way.discard(number)
                if status == 503:
                    paused.append((now + self.pause, number))
                elif now < deadline and status:
                    self._send(number)
                    under_way.add(number)
            now = time.monotonic()
            while paused and paused[0][0] <= now < deadline:
                number = paused.popleft()[1]
                self._send(number)
                under_way.add(number)
            if now > deadline + 15:
                self.wrong.append(f"{len(under_way)} requests without an answer after 15 s")
                break
        return self.windows, self.wrong[:20]

    def _send(self, number):
        self.number += 1
        body = self.body % (self.number % 1000)
        self.sockets[number].sendall(self.head % (self.number, len(body)) + body)

    def _read(self, number):
        """The status of an answer that is whole, None before that, 0 for a lost connection."""
        received = self.sockets[number].recv(65536)
        if not received:
            self.wrong.append("a connection was closed")
            self.poll.unregister(number)
            return 0
        whole = self.buffers[number] + received
        head, end, body = whole.partition(b"\r\n\r\n")
        if not end or len(body) < self._length(head):
            self.buffers[number] = whole
            return None
        self.buffers[number] = b""
        status = int(head[9:12])
        self.windows.setdefault(int(time.monotonic() / WINDOW), Counter())[status] += 1
        if status == 503 and not (b"\r\nRetry-After: " in head and b'"code":"overloaded"' in body):
            self.wrong.append(f"503 without Retry-After or code: {head!r} {body!r}")
        if status not in (201, 503):
            self.wrong.append(f"{status}: {body[:300]!r}")
        return status

    @staticmethod
    def _length(head):
        at = head.lower().index(b"content-length: ") + 16
        return int(head[at:].split(b"\r\n", 1)[0])


def offer(address, connections, seconds, processes):
    """Starts processes that offer for so long; ends_of() collects what they saw."""
    deadline = time.monotonic() + seconds
    share = connections // processes
    return [subprocess.Popen([sys.executable, "-B", __file__, "--offer", address, str(share), str(deadline)],
                             stdout=subprocess.PIPE, text=True) for _ in range(processes)]


def ends_of(offering):
    """({window: Counter of statuses}, [what was wrong]) of all of them together."""
    windows, wrong = {}, []
    for process in offering:
        out, _ = process.communicate(timeout=60)
        if process.returncode != 0:
            raise AssertionError(f"an offering process ended with {process.returncode}")
        seen = json.loads(out)
        wrong += seen["wrong"]
        for index, counts in seen["windows"].items():
            into = windows.setdefault(int(index), Counter())
            for status, count in counts.items():
                into[int(status)] += count
    return windows, wrong


def rate(windows, skip=1.0):
    """Orders a second: the median over whole windows, without the first seconds and the last window."""
    return statistics.median(windows.get(i, Counter())[201] for i in whole(windows, skip)) / WINDOW


def whole(windows, skip):
    """The indexes of the windows that were offered in from end to end, without the first seconds."""
    return range(min(windows) + 1 + round(skip / WINDOW), max(windows))


def share(windows, twin):
    """The median share of the orders that the service, and not its twin, accepted in the same window."""
    indexes = sorted(set(whole(windows, SETTLE)) & set(whole(twin, SETTLE)))
    return statistics.median(windows.get(i, Counter())[201] / max(twin.get(i, Counter())[201], 1) for i in indexes)


def total(windows, status):
    return sum(counts[status] for counts in windows.values())


def rss_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


class Overload:
    def __init__(self, gavel, twin):
        self.gavel, self.twin, self.sold, self.failures = gavel, twin, 0, []

    def measure(self, number):
        """One measurement; returns whether the rate came back. What must never happen goes to `failures`."""
        before, share_before = self._moderate()
        if share_before == 0:
            print(f"measurement {number}: the machine stood still before the overload, so it says nothing", flush=True)
            return False
        rss_before = rss_of(self.gavel.process.pid)
        windows, rss_most = self._overload()
        after, share_after = self._moderate()
        back = share_after / share_before
        refused = total(windows, 503) / OVERLOAD_SECONDS
        growth = rss_most - rss_before
        print(f"measurement {number}: before {before:.0f}/s ({share_before:.2f} of the twin's); {OFFERED} at once: "
              f"{rate(windows):.0f}/s sold, {refused:.0f}/s refused; after {after:.0f}/s ({share_after:.2f} of the "
              f"twin's), which is {back:.0%}; RSS {rss_before / 2**20:.0f} MiB, at most {rss_most / 2**20:.0f} MiB",
              flush=True)
        if total(windows, 503) < 10 * OFFERED:
            self.failures.append(f"there was no overload: {refused:.0f}/s refused")
        if growth > RSS_GROWTH_MAX:
            self.failures.append(f"RSS grew by {growth / 2**20:.0f} MiB, limit {RSS_GROWTH_MAX / 2**20:.0f} MiB")
        return back >= RATE_LEAST and 1 - DISTURBED <= share_before <= 1 + DISTURBED

    def _moderate(self):
        """(orders a second, as a share of the twin's)."""
        offering = [offer(gavel.shop, MODERATE, MODERATE_SECONDS, 1) for gavel in (self.gavel, self.twin)]
        (windows, wrong), (twin, twin_wrong) = map(ends_of, offering)
        self.failures += wrong + twin_wrong
        if total(windows, 503):
            self.failures.append(f"{total(windows, 503)} refused under a load that is admitted")
        self.sold += total(windows, 201)
        return rate(windows, SETTLE), share(windows, twin)

    def _overload(self):
        """(windows, the most memory seen)."""
        offering = offer(self.gavel.shop, OFFERED, OVERLOAD_SECONDS, PROCESSES)
        most = 0
        while any(process.poll() is None for process in offering):
            most = max(most, rss_of(self.gavel.process.pid))
            time.sleep(0.1)
        windows, wrong = ends_of(offering)
        self.failures += wrong
        self.sold += total(windows, 201)
        return windows, most

    def close_books(self):
        stock = load.stock_of(self.gavel, ["tee"])["tee"]
        if stock["sold"] != self.sold:
            self.failures.append(f"{self.sold} were answered 201, {stock['sold']} are sold")
        report = self.gavel.verify()
        if report.code != 0:
            self.failures.append(f"verify: {report.out}{report.errors}")


def stock_up(gavel):
    for path, method, body in (("/v1/skus/tee", "PUT", {"buckets": 8}),
                               ("/v1/stock/tee/receive", "POST", {"quantity": 1_000_000})):
        answer = gavel.operate(method, path, body)
        assert answer.status in (200, 201), answer


def main():
    with Gavel() as gavel, Gavel() as twin:
        for each in (gavel, twin):
            stock_up(each.start(admission__in_flight_max=IN_FLIGHT_MAX))
        overload = Overload(gavel, twin)
        good = any(overload.measure(number) for number in (1, 2, 3))
        overload.close_books()
    if not good:
        overload.failures.append(f"the rate did not come back to {RATE_LEAST:.0%} in three measurements")
    for failure in overload.failures[:20]:
        print(f"  {failure}")
    print(f"overload_test: {overload.sold} sold, {len(overload.failures) or 'no'} failures")
    sys.exit(1 if overload.failures else 0)


def offer_and_tell():
    """An offering process: its counts as one line of JSON."""
    address, connections, deadline = sys.argv[2:]
    windows, wrong = Offer(address, int(connections), PAUSE).until(float(deadline))
    print(json.dumps({"windows": windows, "wrong": wrong}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--offer"]:
        offer_and_tell()
    else:
        main()
