#!/usr/bin/env python3
"""The disk fills up, or refuses to write, under load: the service says so and stops; nothing that it promised is lost.

    log          the write-ahead log meets a limit on the size of files (EFBIG, an I/O error), without and with the gate
    checkpoint   the database file meets it, when the log is copied into it
    full         the file system is full (ENOSPC): a small one of its own, in a mount namespace

In each case shoppers are at work until the service ends by itself. It must end with the documented code and one line
that names the reason; after a restart with room, `verify` is clean and the oracle finds nothing (pitfalls.md, SQLite:
"stop acknowledging and exit; recover from the file"; A1, A9, A11, A13, C11, I1 to I13).

A failing fsync is not among the cases: on a healthy kernel it takes a device mapper to make one.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

import load
import oracle
from gavel_process import Gavel, NotServing, run
from oracle import History

SKUS = ["tee", "cap"]
SHOPPERS = 4
BREAKS_WITHIN = 90  # Seconds of load until the limit is met and the service has ended.
BROKEN_CODE = 3
SAID = "nothing is acknowledged any more"
SMALL, LARGE = "6m", "64m"  # Sizes of the file system of the case `full`.


class Case:
    """One way to break, on a service of its own."""

    def __init__(self, name, gavel, prefix=(), settings=None, make_room=lambda: None):
        self.name, self.gavel, self.prefix, self.make_room = name, gavel, list(prefix), make_room
        self.settings = settings or {}
        self.database = self.settings.get("judge__url", f"sqlite:{gavel.database}").removeprefix("sqlite:")
        self.history = History()
        self.found = []

    def run(self):
        self.gavel.start(prefix=self.prefix, **self.settings)
        shoppers = self._load()
        started = time.monotonic()
        code = self.gavel.wait(BREAKS_WITHIN)
        seconds = time.monotonic() - started
        load.stop_shoppers(shoppers)
        self._judge_end(code)
        at_end = {key: self.history.resolved(key) for key in self.history.requests}
        self._start_without_room()
        self.make_room()
        self.gavel.start(**self.settings)
        self._check()
        unknown = [key for key, resolved in at_end.items() if not resolved]
        done = sum(1 for key in unknown if self.history.answer(key) and self.history.answer(key).replayed)
        print(f"{self.name}: broke after {seconds:.1f} s with code {code}; {len(at_end) - len(unknown)} acknowledged, "
              f"{len(unknown)} unknown ({done} had been done); {len(self.found) or 'no'} violations", flush=True)
        return [f"{self.name}: {what}" for what in self.found]

    def _load(self):
        desk = load.Desk(self.gavel, self.history)
        for sku in SKUS:
            desk.insist(load.put_sku(f"make-{sku}", sku, 4))
            desk.insist(load.receive(f"in-{sku}", sku, 1_000_000))
        desk.close()
        shop = load.Shop(SKUS, holds=(600,), lines_most=2)
        return load.start_shoppers(self.gavel, self.history, shop, 1, SHOPPERS)

    def _judge_end(self, code):
        """It says why, in one line for people, and what to do is in the code."""
        # The log says the same, in lines for programs.
        said = [line for line in self.gavel.stopped_errors.splitlines() if line.startswith("gavel: ") and SAID in line]
        if code != BROKEN_CODE:
            self.found.append(f"ended with {code} instead of {BROKEN_CODE}")
        if len(said) != 1:
            self.found.append(f"did not say in one line why it ended: {self.gavel.stopped_errors[-2000:]!r}")
        else:
            print(f"{self.name}: it said: {said[0]}", flush=True)

    def _start_without_room(self):
        """Whether it serves again without room is its own decision; that it ends by a fault is not."""
        try:
            self.gavel.start(prefix=self.prefix, **self.settings)
        except NotServing as refusal:
            print(f"{self.name}: without room it did not start: {refusal}", flush=True)
            if refusal.code != BROKEN_CODE:
                self.found.append(f"the start without room ended with {refusal.code}: {refusal.errors!r}")
        else:
            self.gavel.kill9()

    def _check(self):
        report = run("verify", "--json", *(f for n, v in self.settings.items() if n == "judge__url"
                                           for f in ("--judge.url", v)), folder=self.gavel.folder)
        if report.code != 0:
            self.found.append(f"verify: code {report.code}: {report.out}{report.errors}")
        load.retry(self.gavel, self.history, list(self.history.requests))
        self.found += oracle.check(self.history, self.database).found


def size_limit(name, mebibytes, **settings):
    """A service of which no file may become larger than that (ulimit -f)."""
    with Gavel() as gavel:
        return Case(name, gavel, ["prlimit", f"--fsize={mebibytes * 2**20}"], settings).run()


def full(mount):
    """A service whose database lies on a file system of its own, which is too small at first."""
    with Gavel() as gavel:
        def make_room():
            subprocess.run(["mount", "-o", f"remount,size={LARGE}", mount], check=True)

        return Case("full", gavel, settings={"judge__url": f"sqlite:{mount}/gavel.db"}, make_room=make_room).run()


def within_namespace():
    """Runs this file once more where it may mount: nothing outside sees that file system."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    return subprocess.run([*unshare, sys.executable, "-B", __file__, "--full"]).returncode


@contextmanager
def small_file_system():
    mount = tempfile.mkdtemp(prefix="gavel-disk-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", mount], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", mount], check=True)
        os.rmdir(mount)


def tell(violations):
    for violation in violations[:20]:
        print(f"  {violation}", flush=True)
    return 1 if violations else 0


def main():
    if sys.argv[1:] == ["--full"]:
        with small_file_system() as mount:
            sys.exit(tell(full(mount)))
    codes = [tell(size_limit("log", 3)), tell(size_limit("log, gated", 3, pipeline__mode="gated")),
             tell(size_limit("checkpoint", 1, judge__checkpoint_pages=100)),
             within_namespace()]
    print(f"disk_test: {codes.count(0)} of {len(codes)} cases hold")
    sys.exit(1 if any(codes) else 0)


if __name__ == "__main__":
    main()
