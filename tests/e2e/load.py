"""A load of shoppers and operators: asks over plain sockets, fast and without a retry of its own, and notes it all.

    shoppers = start_shoppers(gavel, history, Shop(...), seed=7, count=6)
    ...                                                   # kill, wait, open a sale
    stop_shoppers(shoppers)
    retry(gavel, history, history.open_keys())            # with the same keys, until each has its answer
    violations = check(history, gavel.database).found

One seed gives the same questions per thread, not the same order between threads: the service's answers steer what is
asked next, and threads race. That is what the tests are for.

One noun: the load.
"""

import calendar
import json
import queue
import socket
import threading
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from oracle import OF_OPERATORS, PASSING, Reading, Reply, Request

ANSWER_WITHIN = 15  # Seconds; beyond it a reply counts as lost.


# Requests.

def uuid7(random):
    """A fresh UUIDv7, whose random part comes from the seed."""
    value = int(time.time() * 1000) << 80 | 7 << 76 | random.getrandbits(12) << 64 | 2 << 62 | random.getrandbits(62)
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def merged(lines):
    """Lines as the oracle wants them: each SKU once, in order."""
    units = Counter()
    for sku, quantity in lines:
        units[sku] += quantity
    return tuple(sorted(units.items()))


def reserve(key, user, lines, activity="", hold=None, at_once=False):
    body = {"user": user, "lines": [{"sku": sku, "quantity": quantity} for sku, quantity in lines]}
    if activity:
        body["activity"] = activity
    if at_once:
        body["payment"] = "none"
    elif hold:
        body["hold_seconds"] = hold
    return Request(key, "reserve", "POST", "/v1/orders", json.dumps(body).encode(), user, merged(lines), activity,
                   at_once=at_once)


def transition(key, act, order):
    return Request(key, act, "POST", f"/v1/orders/{order}/{act}", order=order)


def extend(key, order, seconds):
    return Request(key, "extend", "POST", f"/v1/orders/{order}/extend", json.dumps({"seconds": seconds}).encode(),
                   order=order)


def change(key, order, lines):
    body = {"lines": [{"sku": sku, "quantity": quantity} for sku, quantity in lines]}
    return Request(key, "change", "PATCH", f"/v1/orders/{order}", json.dumps(body).encode(), lines=merged(lines), order=order)


def receive(key, sku, quantity):
    return Request(key, "receive", "POST", f"/v1/stock/{sku}/receive", json.dumps({"quantity": quantity}).encode(),
                   lines=((sku, quantity),))


def put_sku(key, sku, buckets=1):
    return Request(key, "put_sku", "PUT", f"/v1/skus/{sku}", json.dumps({"buckets": buckets}).encode())


def create_activity(key, activity, lines, limit=None, **more):
    """`lines` are (sku, allotment, buckets)."""
    body = {"id": activity, "name": activity,
            "lines": [{"sku": s, "allotment": n, "buckets": b} for s, n, b in lines]} | more
    if limit:
        body["limit_per_user"] = limit
    return Request(key, "create_activity", "POST", "/v1/activities", json.dumps(body).encode(), activity=activity)


def open_activity(key, activity):
    return Request(key, "open_activity", "POST", f"/v1/activities/{activity}/open", activity=activity)


def change_activity(key, activity, **what):
    return Request(key, "change_activity", "PUT", f"/v1/activities/{activity}", json.dumps(what).encode(),
                   activity=activity)


def open_by_the_book(desk, activity, mode):
    """Opens an activity as its mode wants it (B12); returns the reply to the opening."""
    for step in ("warm", "check") if mode == "gated" else ():
        path = f"/v1/activities/{activity}/{step}"
        taken = desk.insist(Request(f"{activity}-{step}", f"{step}_activity", "POST", path, activity=activity))
        if not taken.yes:
            return taken
    return desk.insist(open_activity(f"{activity}-open", activity))


def close_activity(key, activity):
    return Request(key, "close_activity", "POST", f"/v1/activities/{activity}/close", activity=activity)


# Connections.

class Connection:
    """One keep-alive connection to one listener. Raises OSError when no whole answer comes; connects again after it."""

    def __init__(self, address, token=None):
        place = urllib.parse.urlsplit(address)
        self.place = place.hostname, place.port
        self.common = f"Host: {place.netloc}\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "")
        self.socket, self.rest = None, b""

    def ask(self, method, path, body=b"", key=None, first=False):
        """(status, headers with lower-case names, body)."""
        self.send(method, path, body, key, first)
        return self.read()

    def send(self, method, path, body=b"", key=None, first=False):
        lines = f"{method} {path} HTTP/1.1\r\n{self.common}"
        if key is not None:
            lines += f"Idempotency-Key: {key}\r\n"
        if first:
            lines += "Gavel-Attempt: 1\r\n"
        if body:
            lines += "Content-Type: application/json\r\n"
        if body or method != "GET":
            lines += f"Content-Length: {len(body)}\r\n"
        if self.socket is None:
            self.socket = socket.create_connection(self.place, ANSWER_WITHIN)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.sendall(lines.encode() + b"\r\n" + body)
        except OSError:
            self.close()
            raise

    def read(self):
        try:
            while b"\r\n\r\n" not in self.rest:
                self._more()
            head, _, self.rest = self.rest.partition(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines)
            headers = {name.lower(): value for name, value in headers.items()}
            length = int(headers.get("content-length", 0))
            while len(self.rest) < length:
                self._more()
        except (OSError, ValueError) as error:
            self.close()
            raise error if isinstance(error, OSError) else OSError(f"no HTTP: {error}") from error
        body, self.rest = self.rest[:length], self.rest[length:]
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(first.split()[1]), headers, body

    def _more(self):
        received = self.socket.recv(65536)
        if not received:
            raise ConnectionResetError("closed before the answer was whole")
        self.rest += received

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket, self.rest = None, b""


def reply_of(start, status, headers, body):
    """An answer as the oracle wants it."""
    try:
        content = json.loads(body) if body else {}
    except ValueError:
        content = {}
    yes = 200 <= status < 300
    return Reply(start, time.monotonic(), status, content.get("code", ""), body,
                 content.get("order", "") if yes else "", yes or content.get("recorded", False),
                 headers.get("idempotency-replayed") == "true")


class Desk:
    """The two connections of one thread, and the history that all they say is noted in."""

    def __init__(self, gavel, history):
        self.history = history
        self.shop = Connection(gavel.shop)
        self.operators = Connection(gavel.operators, gavel.key)

    def ask(self, request):
        """Asks once and notes the reply, a lost one too. Returns it; None if the server could not be reached at all."""
        first = request.key not in self.history.requests
        connection = self.operators if request.act in OF_OPERATORS else self.shop
        start = time.monotonic()
        try:
            reply = reply_of(start, *connection.ask(request.method, request.path, request.body, request.key, first))
        except ConnectionRefusedError:
            return None
        except OSError:
            reply = Reply(start, time.monotonic(), 0, "lost")
        self.history.note(request, reply)
        return reply

    def ask_twice(self, request, other):
        """The same request over two connections at once: a double click."""
        start = time.monotonic()
        sent = []
        for connection in (self.shop, other):
            try:
                connection.send(request.method, request.path, request.body, request.key)
                sent.append(connection)
            except OSError:
                self.history.note(request, Reply(start, time.monotonic(), 0, "lost"))
        replies = []
        for connection in sent:
            try:
                replies.append(reply_of(start, *connection.read()))
            except OSError:
                replies.append(Reply(start, time.monotonic(), 0, "lost"))
            self.history.note(request, replies[-1])
        return next((r for r in replies if r.answer), replies[0] if replies else None)

    def insist(self, request, within=30):
        """Asks with the same key until the answer is no busy signal; returns it."""
        deadline = time.monotonic() + within
        while True:
            reply = self.ask(request)
            if reply is not None and not (reply.unknown or reply.code in PASSING):
                return reply
            if time.monotonic() > deadline:
                raise TimeoutError(f"{request.act} {request.key} has no answer after {within} s, last: {reply}")
            time.sleep(0.02)

    def look(self, sku):
        """Reads the stock of a SKU and notes what was shown of each pool."""
        start = time.monotonic()
        status, _, body = self.operators.ask("GET", f"/v1/stock?sku={sku}")
        if status != 200:
            raise AssertionError(f"GET /v1/stock?sku={sku}: {status} {body!r}")
        end = time.monotonic()
        for item in json.loads(body)["stock"]:
            activity = "" if item["pool"] == "-" else item["pool"]
            self.history.readings.append(
                Reading(start, end, sku, activity, item["available"], item["reserved"], item["sold"],
                        item["shortage"]))

    def close(self):
        self.shop.close()
        self.operators.close()


# Shoppers.

@dataclass
class Shop:
    """What is on sale, and how shoppers behave. Shares need not add up to one: the rest is more orders."""

    skus: list
    users: int = 300
    skew: float = 2.0  # 1 is even; above it the first users want most.
    activities: list = field(default_factory=list)  # Codes; may change while shoppers run.
    quantities: tuple = (1, 1, 1, 2, 3)
    lines_most: int = 3
    holds: tuple = (1, 2, 600)  # Seconds.
    orders: float = 0.55
    confirms: float = 0.18
    cancels: float = 0.12
    receipts: float = 0.05
    again: float = 0.05  # A finished request once more.
    double: float = 0.05  # A new order, clicked twice at once.
    at_once: float = 0.1  # Of the orders: sold without a hold.
    in_activity: float = 0.5  # Of the orders, where there is an activity.


class Shopper(threading.Thread):
    """Asks one thing after the other until told to stop, or until the server is gone."""

    def __init__(self, gavel, history, shop, name, random, stop):
        super().__init__(daemon=True)
        self.desk, self.other = Desk(gavel, history), Connection(gavel.shop)
        self.shop, self.label, self.random, self.stop = shop, name, random, stop
        self.held, self.asked, self.number = [], [], 0
        self.error = None

    def run(self):
        try:
            while not self.stop.is_set() and self._step():
                pass
        except Exception as error:  # Told by stop_shoppers: a thread must not take its fault along.
            self.error = error
        finally:
            self.desk.close()
            self.other.close()

    def _step(self):
        """False once the server is gone."""
        draw, shop = self.random.random(), self.shop
        for share, act in ((shop.confirms, self._confirm), (shop.cancels, self._cancel), (shop.receipts, self._receive),
                           (shop.again, self._again), (shop.double, self._double)):
            if draw < share:
                return self._learn(*act())
            draw -= share
        return self._learn(*self._order())

    def _learn(self, request, reply):
        if request is None:
            return True
        if reply is None or reply.unknown:
            return False
        if reply.code in PASSING:
            time.sleep(0.01)
        if request.act == "reserve" and reply.code == "reserved" and reply.order not in self.held:
            self.held.append(reply.order)
        self.asked.append(request)
        return True

    def _key(self):
        self.number += 1
        return uuid7(self.random) if self.random.random() < 0.5 else f"{self.label}-{self.number}"

    def _new_order(self):
        random, shop = self.random, self.shop
        user = f"u{int(shop.users * random.random() ** shop.skew)}"
        activity = ""
        if shop.activities and random.random() < shop.in_activity:
            activity = random.choice(shop.activities)
        lines = [(random.choice(shop.skus), random.choice(shop.quantities))
                 for _ in range(random.randint(1, shop.lines_most))]
        return reserve(self._key(), user, lines, activity, random.choice(shop.holds), random.random() < shop.at_once)

    def _order(self):
        request = self._new_order()
        return request, self.desk.ask(request)

    def _double(self):
        request = self._new_order()
        return request, self.desk.ask_twice(request, self.other)

    def _again(self):
        if not self.asked:
            return None, None
        request = self.random.choice(self.asked)
        return request, self.desk.ask(request)

    def _transition(self, act):
        if not self.held:
            return None, None
        order = self.random.choice(self.held)
        if self.random.random() < 0.9:  # Else it stays, and meets a second transition later.
            self.held.remove(order)
        request = transition(self._key(), act, order)
        return request, self.desk.ask(request)

    def _confirm(self):
        return self._transition("confirm")

    def _cancel(self):
        return self._transition("cancel")

    def _receive(self):
        request = receive(self._key(), self.random.choice(self.shop.skus), self.random.randint(1, 20))
        return request, self.desk.ask(request)


def start_shoppers(gavel, history, shop, seed, count, label="s"):
    stop = threading.Event()
    shoppers = [Shopper(gavel, history, shop, f"{label}.{n}", Random(f"{seed}/{label}/{n}"), stop)
                for n in range(count)]
    for shopper in shoppers:
        shopper.start()
    return shoppers


def stop_shoppers(shoppers):
    """Stops them and waits. A fault of the load itself is raised here."""
    for shopper in shoppers:
        shopper.stop.set()
    for shopper in shoppers:
        shopper.join()
    for shopper in shoppers:
        if shopper.error is not None:
            raise shopper.error


# After the load.

def in_parallel(items, desk_of_thread, act, threads=4):
    """act(desk, item) for every item, over a few threads with a desk each. The first exception is raised."""
    todo, errors = queue.SimpleQueue(), []
    for item in items:
        todo.put(item)

    def work():
        desk = desk_of_thread()
        try:
            while not errors:
                act(desk, todo.get_nowait())
        except queue.Empty:
            pass
        except Exception as error:
            errors.append(error)
        finally:
            desk.close()

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]


def retry(gavel, history, keys, threads=4):
    """Asks every key's request again, until its answer is more than a busy signal."""
    in_parallel(list(keys), lambda: Desk(gavel, history), lambda desk, key: desk.insist(history.requests[key]), threads)


def seconds_of(text):
    """A time of RFC 3339 in UTC as seconds; None for None."""
    if text is None:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


def stock_of(gavel, skus):
    """sku -> {"available": n, "reserved": n, "sold": n}, all pools together; nothing of a SKU that is not there."""
    connection = Connection(gavel.operators, gavel.key)
    stock = {sku: {"available": 0, "reserved": 0, "sold": 0} for sku in skus}
    for sku, sums in stock.items():
        status, _, body = connection.ask("GET", f"/v1/stock?sku={sku}")
        if status not in (200, 404):
            raise AssertionError(f"GET /v1/stock?sku={sku}: {status} {body!r}")
        for item in json.loads(body)["stock"] if status == 200 else ():
            for name in sums:
                sums[name] += item[name]
    connection.close()
    return stock
