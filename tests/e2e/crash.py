#!/usr/bin/env python3
"""Kills the service with SIGKILL under load, again and again on one data folder, and verifies what it had promised.

    tests/e2e/crash.py --rounds 20 [--mode gated] [--seed N]        the program: GAVEL_PROGRAM

Each round: shoppers and operators at work (orders, payments, cancellations, holds that end, receipts, sales with a
limit that open and close, double clicks, retries), a kill at a random moment, a restart. Then, by the oracle:

    A1, A11, I5   every acknowledged order is there, with its user and its units, and none twice
    A9, C11, I8   the retry of every key, acknowledged or unknown, gives the first answer again, byte for byte
    A13, I9       what was unknown is resolved by its retry, and nothing that was told is contradicted
    C3, I1        no unit is made or lost, and the orders explain every unit
    U1, A7        nobody was told "sold out" while something was left
    B3, I13       no user above a sale's limit, at any moment; C5, C6, C9: states legal, holds end in time and once
    verify        the ledger alone gives the same numbers (`gavel verify` is clean after every kill)

In mode gated everything passes the gate, which a kill loses whole: what was granted and not judged, what was stated.

Every third round is killed a second time, while the retries run. Every start draws how many commands a transaction
takes and how often the log is copied into the database, so that kills meet both. With --control each kill takes the
database along: that run passes when the checks say so.

SIGKILL takes the process, not the operating system: what is in its cache survives, so this shows nothing about a loss
of power.
"""

import argparse
import shutil
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from random import Random, SystemRandom

import load
import oracle
from gavel_process import Gavel, program
from oracle import History

SKUS = ["tee", "cap", "mug", "pin"]
BUCKETS = {"tee": 8, "mug": 4}
LIMIT = 3
SHOPPERS = 6
SETTINGS = {"judge__batch_commands_max": (1, 7, 1000, 1000), "judge__checkpoint_pages": (16, 100, 1000, 1000)}
EXPIRY_WITHIN = 2  # Seconds after its end in which a hold is released (C9).
HOLDS = (1, 2, 24 * 3600)  # Seconds; the short ones end while the run goes on, the others long after it.


class Crash:
    """One data folder, and what was promised in it so far."""

    def __init__(self, gavel, seed, settings, mode="direct"):
        self.gavel, self.seed, self.mode = gavel, seed, mode
        self.settings = settings | {"pipeline__mode": mode}
        self.all = History()
        self.shop = load.Shop(SKUS, holds=HOLDS)
        self.counts = {"acknowledged": 0, "unknown": 0, "had been done": 0, "replayed": 0, "kills": 0}
        self.violations = []
        self.random = Random(f"{seed}/settings")

    def begin(self):
        self._start()
        desk, history = self._desk()
        for sku in SKUS:
            desk.insist(load.put_sku(f"make-{sku}", sku, BUCKETS.get(sku, 1)))
        desk.close()
        self.all.add(history)

    def round(self, number):
        """Load, kill, restart, retry, check. Returns what is to be told about it."""
        random = Random(f"{self.seed}/{number}")
        history = History()
        self._open_sale(number, history)
        seconds = self._load_until_kill(number, random, history)
        at_kill = {key: history.resolved(key) for key in history.requests}
        restart = self._restart()
        if number % 3 == 0:
            self._kill_while_retrying(random, history)
        load.retry(self.gavel, history, list(history.requests))
        counts = self._count(history, at_kill)
        self.all.add(history)
        found = oracle.check(self.all, self.gavel.database).found
        self.violations += [f"round {number}: {violation}" for violation in found]
        said = ", ".join(f"{n} {name}" for name, n in counts.items())
        return f"killed after {seconds:.2f} s, back in {restart:.2f} s: {said}: {len(found) or 'no'} violations"

    def finish(self):
        """Waits until no hold can end any more, asks for everything once more, and checks all rounds together."""
        time.sleep(sorted(HOLDS)[-2] + EXPIRY_WITHIN + 0.5)
        load.retry(self.gavel, self.all, list(self.all.requests))
        code = self.gavel.terminate()
        found = [] if code == 0 else [f"stop: SIGTERM ended the service with {code}"]
        verdict = oracle.check(self.all, self.gavel.database, overdue=EXPIRY_WITHIN)
        found += verdict.found + self._verify()
        self.violations += [f"end: {violation}" for violation in found]
        self.counts |= verdict.states

    def blind_spots(self):
        """What the run did not meet although it should have: a check of nothing finds nothing."""
        return [name for name in ("acknowledged", "unknown", "replayed", "expired", "cancelled", "paid")
                if not self.counts.get(name)]

    def _start(self):
        drawn = {name: self.random.choice(values) for name, values in SETTINGS.items()}
        self.gavel.start(**drawn, **self.settings)

    def _desk(self):
        history = History()
        return load.Desk(self.gavel, history), history

    def _open_sale(self, number, history):
        """A sale of this round, beside that of the round before."""
        desk, sale = load.Desk(self.gavel, history), f"sale-{number}"
        for sku in SKUS:
            desk.insist(load.receive(f"{sale}-in-{sku}", sku, 150))
        lines = [(sku, 60, BUCKETS.get(sku, 1)) for sku in SKUS]
        desk.insist(load.create_activity(f"{sale}-create", sale, lines, LIMIT))
        opened = load.open_by_the_book(desk, sale, self.mode)
        if opened.code != "opened":
            raise AssertionError(f"{sale} did not open: {opened.body!r}")
        desk.close()
        self.shop.activities = (self.shop.activities + [sale])[-2:]

    def _load_until_kill(self, number, random, history):
        """Seconds until the kill. Where there is an earlier sale it closes under load, with holds of it still open."""
        seconds = random.uniform(0.2, 1.3)
        shoppers = load.start_shoppers(self.gavel, history, self.shop, self.seed, SHOPPERS, f"r{number}")
        time.sleep(seconds * 0.5)
        if len(self.shop.activities) > 1:
            desk = load.Desk(self.gavel, history)
            desk.ask(load.close_activity(f"sale-{number - 1}-close", self.shop.activities[0]))
            desk.close()
        time.sleep(seconds * 0.5)
        before = time.monotonic()
        self.gavel.kill9()
        self.counts["kills"] += 1
        load.stop_shoppers(shoppers)
        self.violations += [f"lost: key {key} had no answer before the kill: {reply}"
                            for key, replies in history.replies.items() for reply in replies
                            if reply.unknown and reply.end < before]
        return seconds

    def _restart(self):
        """Seconds until it serves again."""
        start = time.monotonic()
        self._start()
        seconds = time.monotonic() - start
        self.violations += self._verify()
        return seconds

    def _verify(self):
        report = self.gavel.verify()
        return [] if report.code == 0 else [f"verify: code {report.code}: {report.out}{report.errors}"]

    def _kill_while_retrying(self, random, history):
        """A second kill, while clients come back with their keys."""
        keys = list(history.requests)
        random.shuffle(keys)
        shoppers = [threading.Thread(target=self._retry_until_gone, args=(history, keys[n::4]), daemon=True)
                    for n in range(4)]
        for shopper in shoppers:
            shopper.start()
        time.sleep(random.uniform(0.02, 0.2))
        self.gavel.kill9()
        self.counts["kills"] += 1
        for shopper in shoppers:
            shopper.join()
        self._restart()

    def _retry_until_gone(self, history, keys):
        desk = load.Desk(self.gavel, history)
        for key in keys:
            reply = desk.ask(history.requests[key])
            if reply is None or reply.unknown:
                break
        desk.close()

    def _count(self, history, at_kill):
        replies = [reply for several in history.replies.values() for reply in several]
        unknown = [key for key, resolved in at_kill.items() if not resolved]
        counts = {
            "acknowledged": len(at_kill) - len(unknown),
            "unknown": len(unknown),
            "had been done": sum(1 for key in unknown if history.answer(key) and history.answer(key).replayed),
            "replayed": sum(1 for reply in replies if reply.replayed),
        }
        for name, count in counts.items():
            self.counts[name] += count
        return counts


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--mode", choices=["direct", "gated"], default="direct")
    parser.add_argument("--control", action="store_true", help="lose everything on purpose, to see it found")
    return parser.parse_args()


class Forgetful(Gavel):
    """A service whose data is gone after a kill, as if it had been in memory alone."""

    def kill9(self):
        super().kill9()
        for file in Path(self.folder).glob("gavel.db*"):
            file.unlink()


def control(seed):
    """The exit code of a run that must fail: nothing outlives the kill."""
    with Forgetful() as gavel:
        crash = Crash(gavel, seed, {})
        crash.begin()
        said = crash.round(1)
    found = {violation.split(": ")[1] for violation in crash.violations if violation.startswith("round 1: ")}
    missed = {"I5", "I8", "I9"} - found
    print(f"control: {said}; found by {', '.join(sorted(found))}")
    print(f"control: {'NOT found by ' + ', '.join(sorted(missed)) if missed else 'the loss was found'}")
    return 1 if missed else 0


def main():
    options = arguments()
    if options.control:
        sys.exit(control(options.seed))
    program()  # Says what is missing before there is anything to remove.
    print(f"crash: {options.rounds} rounds in mode {options.mode}, seed {options.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="gavel-crash-")
    gavel = Gavel(folder)
    crash = Crash(gavel, options.seed, {}, options.mode)
    try:
        crash.begin()
        for number in range(1, options.rounds + 1):
            print(f"round {number:2}/{options.rounds} {crash.round(number)}", flush=True)
            if crash.violations:
                break
        crash.finish()
    except Exception as error:
        traceback.print_exc()
        crash.violations.append(f"the run broke off: {error!r}")
    finally:
        gavel.close()
    sys.exit(verdict(crash, options, folder))


def verdict(crash, options, folder):
    """Prints it; returns the exit code. A folder that holds evidence is kept."""
    counts = ", ".join(f"{n} {name}" for name, n in crash.counts.items())
    for violation in crash.violations[:20]:
        print(f"  {violation}")
    blind = crash.blind_spots() if options.rounds >= 3 else []
    if blind:
        print(f"  the run met none that were: {', '.join(blind)}")
    if not crash.violations and not blind:
        shutil.rmtree(folder)
        print(f"crash: nothing lost, nothing twice. {counts}")
        return 0
    print(f"crash: {len(crash.violations)} violations. {counts}. The data is in {folder}; repeat with: "
          f"GAVEL_PROGRAM={program()} python3 -B tests/e2e/crash.py --rounds {options.rounds} --mode {options.mode} "
          f"--seed {options.seed}")
    return 1


if __name__ == "__main__":
    main()
