"""One gavel server as the end to end tests drive it: started on free ports in a folder of its own, asked over HTTP,
stopped or killed, verified.

    with Gavel() as gavel:                                 # a temporary folder, removed at the end
        gavel.start(judge__batch_commands_max=100)         # every setting by its name, a dot as two underscores
        gavel.operate("PUT", "/v1/skus/tee", {})           # the operators' listener, with the operators' key
        answer = gavel.ask("POST", "/v1/orders", {"user": "u1", "lines": [{"sku": "tee", "quantity": 1}]}, key="k1")
        answer.status, answer.json["code"], answer.headers["idempotency-replayed"]
        gavel.kill9()                                      # as by a power cut of this process alone
        gavel.start()                                      # the same data folder, on other ports
        assert gavel.terminate() == 0                      # SIGTERM; the exit code
        report = gavel.verify()                            # of the file, or of the running server
        assert report.code == 0, report

ask() and operate() may be called from several threads: each thread has a connection of its own, which is kept alive.
A request that got no whole answer raises Lost, whose `sent` is False where certainly nothing reached the server. It is
never sent again by itself: whether to retry with the same key is what the tests are about.

The program is the one in the environment variable GAVEL_PROGRAM.
"""

import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse
import uuid
from dataclasses import dataclass, field
from pathlib import Path

START_WITHIN = 20  # Seconds; a cold machine that builds at the same time needs a few.
STOP_WITHIN = 15  # The program bounds its own stop at 10 s.
ANSWER_WITHIN = 30


def program():
    """The path of the program under test, absolute: it is started in a folder of its own."""
    path = os.environ.get("GAVEL_PROGRAM")
    if not path:
        raise SystemExit("set GAVEL_PROGRAM to the program under test, for instance build/release/gavel")
    return os.path.abspath(path)


class Lost(Exception):
    """No whole answer came. sent=False: the connection could not be made, so certainly nothing was done."""

    def __init__(self, sent, why):
        super().__init__(f"no answer ({'perhaps done' if sent else 'certainly not done'}): {why}")
        self.sent = sent


class NotServing(Exception):
    """The server ended, or stayed silent, before it served. `code` is None if it had to be killed."""

    def __init__(self, code, errors):
        super().__init__(f"gavel serve ended with {code}: {errors.strip()}")
        self.code, self.errors = code, errors


@dataclass
class Answer:
    status: int
    headers: dict  # Names in lower case.
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def replayed(self):
        return self.headers.get("idempotency-replayed") == "true"

    @property
    def outcome(self):
        """The outcome word: `code` of a problem, else `outcome`, else None."""
        content = self.json
        return content.get("code") or content.get("outcome")


@dataclass
class Ended:
    """A command that ran to its end."""
    code: int
    out: str
    errors: str
    json: object = field(default=None)  # The whole standard output read as JSON, where it is that.


def new_key():
    """A request key of the usual kind that no other call returned."""
    return str(uuid.uuid4())


def run(*arguments, folder=None, timeout=60, environment=None):
    """Runs `gavel <arguments>` to its end, in `folder`, with nothing in the environment that sets a setting."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GAVEL_")}
    done = subprocess.run([program(), *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout, env=clean | (environment or {}))
    try:
        content = json.loads(done.stdout)
    except ValueError:
        content = None
    return Ended(done.returncode, done.stdout, done.stderr, content)


def flags(settings):
    """{"judge__url": "memory:"} as ["--judge.url", "memory:"]."""
    return [part for name, value in settings.items() for part in ("--" + name.replace("__", "."), str(value))]


class Gavel:
    """A server and its data folder. Not more than one server at a time; start() again after it ended."""

    def __init__(self, folder=None):
        """`folder` (a path) is used and left; without one a temporary folder is made, and removed by close()."""
        self._own_folder = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix="gavel-e2e-") if folder is None else folder)
        self.process = None
        self.shop = self.operators = self.key = None  # Base addresses and the operators' key, while serving.
        self.serving = None  # The line of JSON that told that it serves.
        self.stopped_errors = ""  # Standard error of the server that ended last, its log included.
        self._connections = threading.local()
        self._starts = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def database(self):
        """The path of the database file."""
        return self.folder / "gavel.db"

    def start(self, **settings):
        """Starts `gavel serve --json` on free ports and waits until it accepts. Raises NotServing. Returns self.
        `prefix` (a list) is put in front of the command, for instance ["prlimit", "--nofile=64"]; `environment` (a
        dict) is added to the environment."""
        assert self.process is None, "already started"
        prefix, environment = settings.pop("prefix", []), settings.pop("environment", {})
        chosen = {"http__port": 0, "admin__port": 0} | settings
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GAVEL_")}
        self._errors_path = self.folder / "stderr.txt"
        with open(self._errors_path, "wb") as errors:
            self.process = subprocess.Popen(
                [*prefix, program(), "serve", "--json", *flags(chosen)], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, env=clean | environment)
        watch = threading.Timer(START_WITHIN, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        if not line:
            code = self._ended()
            raise NotServing(None if code == -signal.SIGKILL else code, self.stopped_errors)
        self.serving = json.loads(line)
        assert self.serving["event"] == "serving", line
        self.shop, self.operators = self.serving["shop"], self.serving["operators"]
        self.key = (self.folder / self.serving["key_file"]).read_text().strip()
        self._starts += 1  # Makes every thread connect anew.
        return self

    def request(self, method, path, body=None, key=None, operators=False, headers=None, timeout=ANSWER_WITHIN):
        """Sends one request and returns its Answer. `body` is bytes, or anything that JSON can say. `key` is the
        Idempotency-Key. Raises Lost."""
        content = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        sent_headers = {} if content is None else {"Content-Type": "application/json"}
        if key is not None:
            sent_headers["Idempotency-Key"] = key
        if operators:
            sent_headers["Authorization"] = f"Bearer {self.key}"
        connection = self._connection(self.operators if operators else self.shop, timeout)
        sent = False
        try:
            if connection.sock is None:
                connection.connect()
            sent = True
            connection.request(method, path, content, sent_headers | (headers or {}))
            response = connection.getresponse()
            return Answer(response.status, {n.lower(): v for n, v in response.getheaders()}, response.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Lost(sent, repr(error)) from error

    def ask(self, method, path, body=None, key=None, **more):
        """A request to the shop's listener."""
        return self.request(method, path, body, key, **more)

    def operate(self, method, path, body=None, key=None, **more):
        """A request to the operators' listener with their key; a write gets an Idempotency-Key if none is given."""
        if key is None and method != "GET":
            key = new_key()
        return self.request(method, path, body, key, operators=True, **more)

    def kill9(self):
        """Ends the server as a crash does, and waits until it is gone."""
        self.process.kill()
        return self._ended()

    def signal(self, number):
        """Sends a signal and does not wait."""
        self.process.send_signal(number)

    def terminate(self, timeout=STOP_WITHIN):
        """Sends SIGTERM and waits; returns the exit code. A server that does not end in time is killed, and that is
        an AssertionError."""
        self.process.terminate()
        return self.wait(timeout)

    def wait(self, timeout=STOP_WITHIN):
        """Waits until the server ends by itself; returns the exit code."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self._ended()
            raise AssertionError(f"the server did not end within {timeout} s: {self.stopped_errors}") from None
        return self._ended()

    def verify(self, timeout=120):
        """`gavel verify --json` in the data folder, as Ended: code 0 clean, 4 findings; json is the report."""
        return run("verify", "--json", folder=self.folder, timeout=timeout)

    def close(self):
        """Kills a server that still runs, and removes the folder if it is a temporary one."""
        if self.process is not None:
            self.kill9()
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _ended(self):
        code = self.process.wait()
        self._close_connections()
        self.process.stdout.close()
        self.stopped_errors = self._errors_path.read_text(errors="replace")
        self.process = self.shop = self.operators = self.key = self.serving = None
        return code

    def _connection(self, address, timeout):
        """This thread's connection to one listener of the server that runs at present."""
        kept = self._connections
        if getattr(kept, "starts", None) != self._starts:
            self._close_connections()
            kept.starts, kept.by_address = self._starts, {}
        if address not in kept.by_address:
            place = urllib.parse.urlsplit(address)
            kept.by_address[address] = http.client.HTTPConnection(place.hostname, place.port, timeout=timeout)
        connection = kept.by_address[address]
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    def _close_connections(self):
        """Those of this thread; another thread's close when it asks again, or ends."""
        for connection in getattr(self._connections, "by_address", {}).values():
            connection.close()
