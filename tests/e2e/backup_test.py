#!/usr/bin/env python3
"""Backup and restore while the service sells, and storage that goes or is replaced underneath it (E24, F013).

    Backup    a copy made under load, restored elsewhere, has every order that was acknowledged before its position;
              killed at any moment it leaves the served file alone; a full disk is told, and nothing stays behind
    Restore   killed at any moment, either the old database or the new is in its place
    Storage   gone, moved, replaced, written over, without its lock file, mounted for reading alone: within a second
              nothing more is acknowledged, and the process ends with code 3 and the reason
    ByHand    a database that was put back beside a log that is not its own is not served

Cases that mount a file system of their own run in a mount namespace, which nothing outside sees.

One noun: the backup.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from gavel_process import Gavel, Lost, NotServing, new_key, program, run

BROKEN_CODE = 3
TOLD_WITHIN = 1.5  # Seconds; the service looks five times a second, and a busy machine needs some of its own.
UNITS = 1_000_000


class Buyers:
    """Threads that order one unit after the other, and what was acknowledged to them: {order: time}."""

    def __init__(self, gavel, count=4):
        self.gavel, self.acknowledged, self._ended = gavel, {}, threading.Event()
        self._threads = [threading.Thread(target=self._buy, args=[n]) for n in range(count)]
        for thread in self._threads:
            thread.start()

    def _buy(self, number):
        try:
            self._order_on(number)
        finally:
            self.gavel._close_connections()

    def _order_on(self, number):
        while not self._ended.is_set():
            try:
                answer = self.gavel.ask("POST", "/v1/orders", {
                    "user": f"u{number}", "lines": [{"sku": "tee", "quantity": 1}]}, key=new_key())
            except (Lost, TypeError, AttributeError):  # It ended, and has no address any more.
                return
            if answer.status == 201:
                self.acknowledged[answer.json["order"]] = answer.json["at"]

    def stop(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gavel-backup-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.gavel = Gavel(self.folder)
        self.addCleanup(self.gavel.close)

    def start_with_stock(self, **settings):
        self.gavel.start(**settings)
        self.assertEqual(self.gavel.operate("PUT", "/v1/skus/tee", {}).status, 201)
        self.assertEqual(self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": UNITS}).status, 200)

    def stop_service(self):
        code = self.gavel.terminate()
        self.assertEqual(code, 0, self.gavel.stopped_errors)

    def start_buyers(self):
        buyers = Buyers(self.gavel)
        self.addCleanup(buyers.stop)
        return buyers

    def grow(self, orders=20_000):
        """Orders in large batches, so that copying takes a while."""
        for first in range(0, orders, 5000):
            batch = [{"request_id": f"grow-{n}", "act": "reserve", "user": f"g{n}", "hold_seconds": 86_400,
                      "lines": [{"sku": "tee", "quantity": 1}]} for n in range(first, first + 5000)]
            answers = self.gavel.ask("POST", "/v1/batch", batch).json
            self.assertTrue(all(answer["code"] == "reserved" for answer in answers))

    def run_here(self, *arguments, **more):
        return run(*arguments, folder=self.folder, **more)

    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def expect_clean(self, database="gavel.db"):
        ended = self.run_here("verify", "--json", "--judge.url", f"sqlite:{database}")
        self.assertEqual(ended.code, 0, ended)
        return ended.json


class Backup(Folder):
    def test_has_all_that_was_acknowledged_before_its_position_E24_F013(self):
        self.start_with_stock()
        self.grow()
        buyers = self.start_buyers()
        time.sleep(1)
        ended = self.run_here("backup", "one.backup", "--json", "--rate", "10")
        self.assertEqual(ended.code, 0, ended)
        time.sleep(0.5)
        buyers.stop()
        self.stop_service()
        self.expect_clean()

        with Gavel() as elsewhere:
            restored = run("restore", str(self.folder / "one.backup"), "--json", folder=elsewhere.folder)
            self.assertEqual((restored.code, restored.json["as_of"]), (0, ended.json["as_of"]), restored)
            self.assertEqual(elsewhere.verify().code, 0)
            elsewhere.start()
            as_of = ended.json["as_of"]["at"]
            before = [order for order, at in buyers.acknowledged.items() if at < as_of]
            self.assertGreater(len(before), 50)
            self.assertGreater(len(buyers.acknowledged), len(before), "nothing was sold during the backup")
            for order in before:
                self.assertEqual(elsewhere.ask("GET", f"/v1/orders/{order}").status, 200, order)
            self.assertEqual(elsewhere.operate("POST", "/v1/stock/tee/receive", {"quantity": 1}).status, 200)

    def test_killed_at_any_moment_leaves_the_served_file_alone_E24(self):
        self.start_with_stock()
        self.grow()
        buyers = self.start_buyers()
        chance = random.Random(1)
        for _ in range(20):
            process = subprocess.Popen([program(), "backup", "killed.backup", "--replace", "--rate", "40"],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0, 0.8))
            process.kill()
            process.communicate()
            if (self.folder / "killed.backup").exists():
                self.expect_clean("killed.backup")
        before = len(buyers.acknowledged)
        time.sleep(0.3)
        self.assertGreater(len(buyers.acknowledged), before, "the service stopped selling")
        buyers.stop()
        self.expect_clean()  # By the service.
        self.stop_service()
        self.expect_clean()
        self.assertEqual(self.run_here("backup", "killed.backup", "--replace").code, 0)
        self.assertNotIn("killed.backup.draft", self.names())

    def test_without_a_service_and_words_for_people_E24(self):
        self.start_with_stock()
        self.gavel.kill9()
        ended = self.run_here("backup", "one.backup")
        self.assertEqual((ended.code, ended.errors), (0, ""), ended)
        self.assertRegex(ended.out, r"\Abackup of sqlite:gavel\.db in one\.backup\n"
                                    r"  as of     lane \d+, batch \d+, at \S+Z\n"
                                    r"  holds     1 ledger entries, 0 orders, in [\d,]+ bytes\n"
                                    r"verified: every number is as the ledger says\n\Z")
        restored = self.run_here("restore", "one.backup")
        self.assertEqual((restored.code, restored.errors), (0, ""), restored)
        self.assertRegex(restored.out, r"the old database is kept in \S+gavel\.db\.before\.\d{8}T\d{6}Z\n\Z")

    def test_refuses_in_one_line_E24(self):
        self.start_with_stock()
        before = self.names()
        for line, arguments in [("is the database itself", ["gavel.db"]), ("is the database's own", ["gavel.db-wal"]),
                                ("there is no folder", ["none/one"]), ("FILE is required", []),
                                ("--keep needs --every", ["one", "--keep", "3"]),
                                ("there is no such file", ["one", "--judge.url", "sqlite:absent.db"]),
                                ("memory:", ["one", "--judge.url", "memory:"])]:
            ended = self.run_here("backup", *arguments)
            self.assertEqual((ended.code, ended.out), (2, ""), ended)
            self.assertRegex(ended.errors, r"\Agavel: [^\n]+\n\Z")
            self.assertIn(line, ended.errors)
        served = self.run_here("restore", "gavel.key")
        self.assertEqual(served.code, 2, served)
        self.assertEqual(self.names(), before)

    def test_again_and_again_keeps_the_newest_E24(self):
        self.start_with_stock()
        process = subprocess.Popen([program(), "backup", "b", "--every", "1", "--keep", "2", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = [process.stdout.readline() for _ in range(4)]
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertTrue(all('"as_of":{"lane":' in line for line in lines), lines)
        kept = sorted(name for name in self.names() if name.startswith("b."))
        self.assertIn(len(kept), (2, 3))  # The third where the end came between a backup and the removal.
        self.assertRegex(kept[-1], r"\Ab\.\d{8}T\d{6}Z\Z")

    def test_a_number_that_disagrees_with_the_ledger_is_no_backup_E24(self):
        self.start_with_stock()
        self.stop_service()
        with sqlite3.connect(self.folder / "gavel.db") as database:
            database.execute("UPDATE bucket SET available = available + 1, seq = seq")
        database.close()
        ended = self.run_here("backup", "one.backup")
        self.assertEqual(ended.code, 4, ended)
        self.assertIn("NOT CLEAN, so no backup was kept", ended.errors)
        self.assertNotIn("one.backup", self.names())
        self.assertNotIn("one.backup.draft", self.names())


class Restore(Folder):
    def test_killed_at_any_moment_the_old_or_the_new_is_there_E24(self):
        self.start_with_stock()
        self.grow()
        self.assertEqual(self.run_here("backup", "one.backup").code, 0)
        self.grow_on()
        self.gavel.kill9()  # The old database has a log.
        old, new = self.flows("gavel.db"), self.flows("one.backup")
        self.assertGreater(old, new)
        for name in ("gavel.db", "gavel.db-wal"):
            shutil.copy2(self.folder / name, self.folder / ("kept-" + name))
        began = time.monotonic()
        self.assertEqual(self.run_here("restore", "one.backup").code, 0)
        lasts = time.monotonic() - began
        chance, found = random.Random(2), []
        for _ in range(20):
            self.put_old_back()
            process = subprocess.Popen([program(), "restore", "one.backup"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0, 1.1 * lasts) if len(found) % 2 else chance.uniform(0.85, 1.05) * lasts)
            process.kill()
            process.communicate()
            self.gavel.start()
            found.append(self.gavel.verify().json["flows"])
            self.assertIn(found[-1], (old, new))
            self.assertEqual(self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": 1}).status, 200)
            self.stop_service()
            self.expect_clean()
        print(f"killed in a restore: {found.count(old)} times the old, {found.count(new)} times the new", flush=True)

    def grow_on(self):
        for n in range(200):
            self.gavel.ask("POST", "/v1/orders", {"user": "x", "lines": [{"sku": "tee", "quantity": 1}]}, key=f"on-{n}")

    def flows(self, database):
        return self.expect_clean(database)["flows"]

    def put_old_back(self):
        for path in self.folder.glob("gavel.db*"):
            path.unlink()
        for name in ("gavel.db", "gavel.db-wal"):
            shutil.copy2(self.folder / ("kept-" + name), self.folder / name)

    def test_a_served_database_is_refused_E24(self):
        self.start_with_stock()
        self.assertEqual(self.run_here("backup", "one.backup").code, 0)
        before = self.names()
        ended = self.run_here("restore", "one.backup")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("is open for writing in process", ended.errors)
        self.assertEqual(self.names(), before)
        self.stop_service()

    def test_a_backup_is_not_served_E24(self):
        self.start_with_stock()
        self.assertEqual(self.run_here("backup", "one.backup").code, 0)
        self.stop_service()
        for arguments in (["serve", "--http.port", "0", "--admin.port", "0"], ["migrate"]):
            ended = self.run_here(*arguments, "--judge.url", "sqlite:one.backup")
            self.assertEqual(ended.code, 3, ended)
            self.assertIn("is a backup; run `gavel restore`", ended.errors)


class Storage(Folder):
    """Each way on a service of its own, with buyers and without."""

    def lose(self, happen, reason, selling=True, **settings):
        self.start_with_stock(**settings)
        database = Path(settings.get("judge__url", f"sqlite:{self.folder}/gavel.db").removeprefix("sqlite:"))
        if selling:
            buyers = self.start_buyers()
            time.sleep(0.3)
        probe = Probe(self.gavel)
        happen(database)
        happened = time.monotonic()
        process = self.gavel.process
        process.wait(15)
        if selling:
            buyers.stop()
        probe.stop()
        code = self.gavel.wait()
        self.assertEqual(code, BROKEN_CODE, self.gavel.stopped_errors)
        self.assertLess(probe.last_ready - happened, TOLD_WITHIN)
        said = [line for line in self.gavel.stopped_errors.splitlines() if line.startswith("gavel: stopped")]
        self.assertEqual(len(said), 1, self.gavel.stopped_errors)
        self.assertIn(reason, said[0])
        self.assertIn("nothing is acknowledged any more", said[0])

    def test_removed_E24_F013(self):
        self.lose(lambda path: path.unlink(), "is gone")

    def test_removed_while_nobody_orders_E24_F013(self):
        self.lose(lambda path: path.unlink(), "is gone", selling=False)

    def test_moved_with_its_folder_E24_F013(self):
        def move(path):
            path.parent.rename(path.parent.parent / "elsewhere")
        data = self.folder / "data"
        data.mkdir()
        self.lose(move, "is gone", judge__url=f"sqlite:{data}/gavel.db")

    def test_an_older_database_moved_over_it_F013(self):
        self.lose(lambda path: self.put_over(path, os.replace), "was replaced")

    def test_an_older_database_copied_over_it_F013(self):
        self.lose(lambda path: self.put_over(path, shutil.copyfile), "was written by another program", selling=False)

    def put_over(self, path, put):
        self.assertEqual(self.run_here("backup", "one.backup").code, 0)
        put(self.folder / "one.backup", path)

    def test_without_its_log_E24_F013(self):
        self.lose(lambda path: Path(f"{path}-wal").unlink(), "-wal, is gone")

    def test_without_its_lock_file_E24_F013(self):
        self.lose(lambda path: Path(f"{path}.lock").unlink(), ".lock, is gone", selling=False)


class Probe(threading.Thread):
    """Asks on one kept connection whether the service is ready, and remembers when it last was."""

    def __init__(self, gavel):
        super().__init__()
        self.gavel, self.last_ready, self.reasons, self._ended = gavel, time.monotonic(), [], threading.Event()
        self.start()

    def run(self):
        while not self._ended.is_set():
            try:
                asked, answer = time.monotonic(), self.gavel.ask("GET", "/readyz", timeout=2)
            except (Lost, TypeError, AttributeError):
                return
            if answer.status == 200:
                self.last_ready = asked
            else:
                self.reasons.append(answer.json["detail"])
            time.sleep(0.02)

    def stop(self):
        self._ended.set()
        self.join()


class ByHand(Folder):
    """What F013 did, on a database whose process was killed under load."""

    def setUp(self):
        super().setUp()
        self.start_with_stock(judge__checkpoint_pages=100)
        for method in ("api", "copy"):
            self.make_copy(method)
        buyers = self.start_buyers()
        time.sleep(1)
        self.gavel.kill9()
        buyers.stop()
        self.assertGreater((self.folder / "gavel.db-wal").stat().st_size, 0)

    def make_copy(self, method):
        if method == "copy":
            self.assertEqual(self.run_here("backup", "copy.db").code, 0)
            return
        source, target = sqlite3.connect(self.folder / "gavel.db"), sqlite3.connect(self.folder / "api.db")
        source.backup(target)
        source.execute("VACUUM INTO ?", [str(self.folder / "vacuum.db")])
        source.close()
        target.close()

    def expect_refused(self, why):
        before = [(self.folder / name).read_bytes() for name in ("gavel.db", "gavel.db-wal")]
        with self.assertRaises(NotServing) as refusal:
            self.gavel.start()
        self.assertEqual(refusal.exception.code, BROKEN_CODE)
        self.assertIn(why, refusal.exception.errors)
        self.assertIn("gavel restore", refusal.exception.errors)
        self.assertEqual([(self.folder / name).read_bytes() for name in ("gavel.db", "gavel.db-wal")], before)

    def test_a_copy_by_other_tools_is_refused_beside_the_log_F013(self):
        for name, why in [("api.db", "this is not the file that was served last"),
                          ("vacuum.db", "this file never had a log")]:
            shutil.copyfile(self.folder / name, self.folder / "gavel.db")
            self.expect_refused(why)

    def test_a_backup_is_refused_beside_the_log_and_restored_by_the_program_F013(self):
        shutil.copyfile(self.folder / "copy.db", self.folder / "gavel.db")
        self.expect_refused("this is a backup")
        ended = self.run_here("restore", "copy.db", "--json")
        self.assertEqual(ended.code, 0, ended)
        self.assertTrue(Path(ended.json["kept"] + "-wal").exists())
        self.gavel.start()
        stock = self.gavel.operate("GET", "/v1/stock?sku=tee").json["stock"][0]
        self.assertEqual(stock["available"], UNITS, "the stock of the backup")
        self.stop_service()
        self.expect_clean()

    def test_the_log_without_its_database_is_refused_F013(self):
        (self.folder / "gavel.db").unlink()
        with self.assertRaises(NotServing) as refusal:
            self.gavel.start()
        self.assertIn("its log is there", refusal.exception.errors)
        self.assertTrue((self.folder / "gavel.db-wal").exists())

    def test_what_was_killed_goes_on_E24(self):
        self.gavel.start()
        self.stop_service()
        self.expect_clean()


class OwnFileSystem(Folder):
    """Run in a mount namespace."""

    def setUp(self):
        super().setUp()
        self.mount = self.folder / "mount"
        self.mount.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", self.mount], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.mount], check=True))

    def test_a_full_disk_is_told_and_leaves_nothing_E24(self):
        self.start_with_stock()
        self.grow()
        subprocess.run(["mount", "-o", "remount,size=2m", self.mount], check=True)
        buyers = self.start_buyers()
        ended = self.run_here("backup", "mount/one.backup")
        self.assertEqual(ended.code, BROKEN_CODE, ended)
        self.assertRegex(ended.errors, r"\Agavel: [^\n]*full[^\n]*\n\Z")
        self.assertEqual(list(self.mount.iterdir()), [])
        buyers.stop()
        self.assertGreater(len(buyers.acknowledged), 0)
        self.stop_service()
        self.assertEqual(self.run_here("backup", "one.backup").code, 0)
        place = ["--judge.url", f"sqlite:{self.mount}/gavel.db"]
        ended = self.run_here("restore", "one.backup", *place)
        self.assertEqual(ended.code, BROKEN_CODE, ended)
        self.assertEqual([path.name for path in self.mount.iterdir()], ["gavel.db.lock"])

    def test_mounted_for_reading_alone_E24(self):
        self.start_there()
        subprocess.run(["mount", "--bind", self.mount, self.mount], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.mount], check=True))
        subprocess.run(["mount", "-o", "remount,bind,ro", self.mount], check=True)
        self.expect_reason("for reading alone")

    def test_another_file_system_mounted_over_it_E24(self):
        self.start_there()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.mount], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.mount], check=True))
        self.expect_reason("is gone")

    def test_unmounted_under_it_E24(self):
        self.start_there()
        subprocess.run(["umount", "-l", self.mount], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.mount], check=True)  # For the cleanup.
        self.expect_reason("is gone")

    def start_there(self):
        self.start_with_stock(judge__url=f"sqlite:{self.mount}/gavel.db")

    def expect_reason(self, reason):
        began = time.monotonic()
        code = self.gavel.wait()
        self.assertEqual(code, BROKEN_CODE, self.gavel.stopped_errors)
        self.assertIn(reason, self.gavel.stopped_errors)
        self.assertLess(time.monotonic() - began, TOLD_WITHIN)


def within_namespace():
    """Runs this file once more where it may mount."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    return subprocess.run([*unshare, sys.executable, "-B", __file__, "OwnFileSystem"]).returncode


def main():
    if len(sys.argv) > 1:
        unittest.main()
    suite = unittest.TestSuite()
    for case in (Backup, Restore, Storage, ByHand):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    passed = unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()
    sys.exit(0 if within_namespace() == 0 and passed else 1)


if __name__ == "__main__":
    main()
