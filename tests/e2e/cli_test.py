#!/usr/bin/env python3
"""The command line as people and programs meet it: help, exit codes, settings, the key file, one server a file, stops.

    interfaces.md  0 done, 2 usage, 3 unreachable, 4 check failed; --json everywhere; one clear line on every refusal
    architecture   a stop finishes what was accepted and ends within its bound; a second signal ends at once

One noun: the CLI.
"""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from gavel_process import Gavel, Lost, NotServing, new_key, program, run

SUBCOMMANDS = ["serve", "demo", "bench", "verify", "migrate", "backup", "restore", "config"]
STOP_BOUND = 10  # Seconds, of src/app/instance.h.
WITHOUT_FILE = [name for name in SUBCOMMANDS if name not in ("backup", "restore")]
ORDER = {"user": "u1", "lines": [{"sku": "tee", "quantity": 1}]}


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gavel-cli-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.gavel = Gavel(self.folder)
        self.addCleanup(self.gavel.close)

    def run_here(self, *arguments, **more):
        return run(*arguments, folder=self.folder, **more)

    def refused(self, code, line, *arguments, **more):
        """The command ends with `code`, one line on standard error that holds `line`, and nothing on the other."""
        ended = self.run_here(*arguments, **more)
        self.assertEqual(ended.code, code, ended)
        self.assertEqual(ended.out, "")
        self.assertRegex(ended.errors, r"\Agavel: [^\n]+\n\Z")
        self.assertIn(line, ended.errors)
        return ended

    def stock(self, units=1000):
        self.gavel.operate("PUT", "/v1/skus/tee", {})
        self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": units})


class Words(Folder):
    def test_help_has_examples(self):
        for arguments in [["--help"], *[[name, "--help"] for name in SUBCOMMANDS]]:
            ended = self.run_here(*arguments)
            self.assertEqual((ended.code, ended.errors), (0, ""), arguments)
            self.assertIn("Examples:\n  ", ended.out)
            self.assertEqual([line for line in ended.out.splitlines() if len(line) > 120], [])
        for name in SUBCOMMANDS:
            self.assertRegex(self.run_here("--help").out, rf"(?m)^  {name} +[A-Z]")
        self.assertIn("--judge.url", self.run_here("serve", "--help").out)

    def test_the_period_of_keys_stands_wherever_they_are_explained_A28_F006(self):
        settings = json.loads(self.run_here("config", "--json").out)["settings"]
        kept = next(one for one in settings if one["name"] == "rules.requests_kept_hours")
        self.assertEqual(kept["value"], "168")
        self.assertRegex(self.run_here("serve", "--help").out, r"--rules\.requests_kept_hours N=168 .*remembered")
        self.assertIn("a week", self.run_here("stock", "receive", "--help").out)
        for name in ("README.md", "docs/interfaces.md", "docs/openapi.json"):
            self.assertIn("168 hours", (Path(__file__).parents[2] / name).read_text(), name)

    def test_version(self):
        version = (Path(__file__).parents[2] / "VERSION").read_text().split()[0]
        self.assertEqual(self.run_here("--version").out, f"gavel {version}\n")

    def test_what_is_not_understood_is_usage(self):
        self.refused(2, "a command is required: serve, demo, bench, verify, migrate, backup, restore, config, account, key, stock, order, activity, gate, clock, trace")
        self.refused(2, "unknown command 'srve'", "srve")
        self.refused(2, "--loud", "--loud")
        for name in WITHOUT_FILE:
            self.refused(2, f"--loud; see gavel {name} --help", name, "--loud")
            self.refused(2, "superfluous", name, "superfluous")
        self.refused(2, "--users", "demo", "--users", "many")
        self.refused(2, "--users", "demo", "--users", "0")
        self.refused(2, "--mode", "demo", "--mode", "fast")
        self.refused(2, "http.port = \"x\" (flag --http.port): an integer from 0 to 65535", "serve", "--http.port", "x")
        self.refused(2, "http.port = 65536", "serve", "--http.port", "65536")
        self.assertEqual(list(self.folder.iterdir()), [], "a refused command leaves nothing behind")


class Config(Folder):
    def origins(self, *arguments, environment=None):
        ended = self.run_here("config", "--json", *arguments, environment=environment)
        self.assertEqual(ended.code, 0, ended)
        return {one["name"]: (one["value"], one["origin"]) for one in ended.json["settings"]}

    def test_precedence_and_origins(self):
        self.assertEqual(self.origins()["judge.url"], ("sqlite:gavel.db", "default"))
        (self.folder / "gavel.toml").write_text('[judge]\nurl = "sqlite:a.db"\nbatch_commands_max = 7\n')
        self.assertEqual(self.origins()["judge.url"], ("sqlite:a.db", "file gavel.toml"))
        environment = {"GAVEL_JUDGE__URL": "sqlite:b.db"}
        told = self.origins(environment=environment)
        self.assertEqual(told["judge.url"], ("sqlite:b.db", "environment GAVEL_JUDGE__URL"))
        self.assertEqual(told["judge.batch_commands_max"], ("7", "file gavel.toml"))
        told = self.origins("--judge.url", "memory:", environment=environment)
        self.assertEqual(told["judge.url"], ("memory:", "flag --judge.url"))

    def test_table_for_people(self):
        ended = self.run_here("config", "--http.port", "9000")
        self.assertEqual(ended.code, 0, ended)
        self.assertRegex(ended.out, r"(?m)^http\.port +9000 +flag --http\.port +port of the shop's listener; 0 picks a free one$")

    def test_named_file(self):
        other = self.folder / "other.toml"
        other.write_text("[http]\nport = 9001\n")
        (self.folder / "gavel.toml").write_text("[http]\nport = 9002\n")
        self.assertEqual(self.origins("--config", str(other))["http.port"], ("9001", f"file {other}"))
        self.refused(2, "absent.toml", "config", "--config", "absent.toml")

    def test_wrong_settings_are_one_line(self):
        (self.folder / "gavel.toml").write_text("[judge]\nurk = 1\n")
        self.refused(2, "judge.urk", "config")
        (self.folder / "gavel.toml").write_text("[judge\n")
        self.refused(2, "gavel.toml line 1", "serve")
        (self.folder / "gavel.toml").unlink()
        self.refused(2, "GAVEL_JUDGE_URL is not a setting", "serve", environment={"GAVEL_JUDGE_URL": "memory:"})

    def test_contradictions_are_usage_and_the_table_is_shown(self):
        ended = self.run_here("config", "--admin.address", "0.0.0.0")
        self.assertEqual(ended.code, 2)
        self.assertIn("0.0.0.0", ended.out)
        self.assertIn("a loopback address is required", ended.errors)


class Serve(Folder):
    def test_says_where_it_serves(self):
        self.gavel.start()
        self.assertEqual(self.gavel.serving, {
            "event": "serving", "shop": self.gavel.shop, "operators": self.gavel.operators,
            "judge": "sqlite:gavel.db", "key_file": "gavel.key"})
        self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)
        self.assertEqual(self.gavel.terminate(), 0)

    def test_says_it_to_people(self):
        process = subprocess.Popen([program(), "serve", "--http.port", "0", "--admin.port", "0"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=STOP_BOUND)
        self.assertRegex(line, r"\Agavel: serving http://127\.0\.0\.1:\d+ \(shop\) and http://127\.0\.0\.1:\d+ "
                               r"\(operators\), judge sqlite:gavel\.db\n\Z")
        self.assertEqual(out, "gavel: stopped; every accepted request was answered\n")
        self.assertEqual(process.returncode, 0)
        self.assertIn("gavel: created a new operators' key in gavel.key\n", errors)
        self.assertIn("gavel: stopping: accepted requests are finished first; a second signal ends at once\n", errors)

    def test_memory_says_that_nothing_is_kept(self):
        self.gavel.start(judge__url="memory:")
        self.stock(1)
        self.assertEqual(self.gavel.ask("POST", "/v1/orders", ORDER, new_key()).status, 201)
        self.assertEqual(self.gavel.terminate(), 0)
        self.assertIn("NOTHING IS KEPT", self.gavel.stopped_errors)
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"gavel.key", "stderr.txt"})

    def test_one_server_a_file(self):
        self.gavel.start()
        pid = self.gavel.process.pid
        self.refused(3, f"gavel.db is open for writing in process {pid}", "serve", "--http.port", "0", "--admin.port",
                     "0")
        self.refused(3, f"process {pid}", "migrate")
        # The refused one took nothing from the one that serves.
        self.assertTrue((self.folder / "gavel.db.serving").exists())
        self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.run_here("migrate")
            ended = self.run_here("serve", "--http.port", port, "--admin.port", "0")
            self.assertEqual(ended.code, 3, ended)
            self.assertIn(f"gavel: cannot listen on 127.0.0.1 port {port}", ended.errors)
            self.assertIn("--http.address and --http.port name another", ended.errors)
            ended = self.run_here("serve", "--http.port", "0", "--admin.port", port)
            self.assertIn("--admin.address and --admin.port name another", ended.errors)
        self.assertFalse((self.folder / "gavel.db.serving").exists())

    def test_a_folder_in_place_of_a_file(self):
        for command in ("serve", "migrate", "verify"):
            ended = self.run_here(command, "--judge.url", f"sqlite:{self.folder}")
            self.assertEqual(ended.code, 3, ended)
            self.assertIn(f"sqlite:{self.folder}: this is a folder; name the database's file in it", ended.errors)

    def test_a_file_that_may_not_be_written(self):
        self.run_here("migrate")
        (self.folder / "gavel.db").chmod(0o444)
        (self.folder / "gavel.db.lock").unlink()  # Of the user who migrated.
        self.folder.chmod(0o777)
        # Root may write everything, so another user tries, with a copy of the program that it may run.
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        copy = shutil.copy(program(), self.folder / "copy")
        ended = subprocess.run([copy, "serve", "--http.port", "0", "--admin.port", "0"], cwd=self.folder, text=True,
                               capture_output=True, timeout=30, **other)
        self.assertEqual((ended.returncode, ended.stdout), (3, ""), ended)
        self.assertIn("gavel.db may not be written by this user; change its permissions", ended.stderr)

    def test_a_pipe_in_place_of_a_file(self):
        os.mkfifo(self.folder / "pipe")
        for command in ("serve", "migrate", "verify"):
            ended = self.run_here(command, "--judge.url", "sqlite:pipe")
            self.assertEqual(ended.code, 3, ended)
            self.assertIn("sqlite:pipe: this is no regular file", ended.errors)
        ended = self.run_here("serve", "--admin.key_file", "pipe")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("admin.key_file pipe is not a regular file", ended.errors)

    def test_a_folder_that_is_not_there(self):
        ended = self.run_here("serve", "--judge.url", "sqlite:absent/gavel.db")
        self.assertEqual(ended.code, 3, ended)
        self.assertIn("there is no folder absent", ended.errors)

    def test_a_file_of_another_program(self):
        sqlite3.connect(self.folder / "gavel.db").executescript("CREATE TABLE t (a); PRAGMA application_id = 7;")
        before = (self.folder / "gavel.db").read_bytes()
        for command in ["serve", "migrate", "verify"]:
            ended = self.run_here(command)
            self.assertEqual(ended.code, 3, ended)
        self.assertEqual((self.folder / "gavel.db").read_bytes(), before)

    def test_too_few_open_files_are_told(self):
        self.gavel.start(prefix=["prlimit", "--nofile=200:200"])
        self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)
        self.gavel.terminate()
        self.assertIn("gavel: the system allows 200 open files, so only 40 of http.connections_max = 10000",
                      self.gavel.stopped_errors)

    def test_the_soft_limit_of_open_files_is_raised(self):
        self.gavel.start(prefix=["prlimit", "--nofile=200:12000"])
        limits = Path(f"/proc/{self.gavel.process.pid}/limits").read_text()
        self.gavel.terminate()
        self.assertRegex(limits, r"Max open files +10160 +12000 ")
        self.assertNotIn("open files", self.gavel.stopped_errors)

    def test_the_log_goes_to_its_file(self):
        self.gavel.start(log__file="gavel.log", log__sample_one_in=1)
        self.stock(1)
        self.gavel.terminate()
        events = [json.loads(line)["event"] for line in (self.folder / "gavel.log").read_text().splitlines()]
        self.assertEqual(events[0], "serving")
        self.assertIn("request", events)
        self.assertEqual(events[-2:], ["draining", "stopped"])
        self.assertNotIn("{", self.gavel.stopped_errors)


class KeyFile(Folder):
    def test_is_made_once_for_its_owner_alone(self):
        self.gavel.start()
        key = self.gavel.key
        self.assertRegex(key, r"\A[0-9a-f]{64}\Z")
        self.assertEqual(stat.S_IMODE((self.folder / "gavel.key").stat().st_mode), 0o600)
        self.gavel.terminate()
        self.assertNotIn(key, self.gavel.stopped_errors)
        self.gavel.start()
        self.assertEqual(self.gavel.key, key)
        self.gavel.terminate()
        self.assertNotIn("created", self.gavel.stopped_errors)

    def test_is_wanted_from_operators(self):
        self.gavel.start()
        right = {"Authorization": f"Bearer {self.gavel.key}"}
        for headers, status in [({}, 401), ({"Authorization": "Bearer x"}, 401), (right, 200)]:
            self.gavel.shop = self.gavel.operators  # ask() sends no key of its own.
            self.assertEqual(self.gavel.ask("GET", "/v1/admin/verify", headers=headers).status, status, headers)

    def test_is_refused_where_others_may_read_it(self):
        path = self.folder / "gavel.key"
        path.write_text("k" * 64 + "\n")
        for mode in [0o644, 0o640, 0o604, 0o660]:
            path.chmod(mode)
            self.refused(2, "chmod 600 gavel.key", "serve")
        path.chmod(0o600)
        path.write_text("short\n")
        self.refused(2, "holds no key", "serve")
        self.assertEqual(path.read_text(), "short\n")


class Verify(Folder):
    def sell_some(self):
        self.gavel.start()
        self.stock(10)
        for _ in range(5):
            self.assertEqual(self.gavel.ask("POST", "/v1/orders", ORDER, new_key()).status, 201)

    def test_nothing_to_verify(self):
        self.refused(3, "there is no such file", "verify")
        self.refused(3, "judge.url memory:", "verify", "--judge.url", "memory:")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_of_a_running_server_and_of_its_file(self):
        self.sell_some()
        served = self.gavel.verify()
        self.assertEqual(served.code, 0, served)
        self.assertEqual(served.json["by"], f"asking the server at {self.gavel.operators}")
        self.gavel.terminate()
        alone = self.gavel.verify()
        self.assertEqual(alone.code, 0, alone)
        self.assertEqual(alone.json.pop("by"), "reading the file")
        served.json.pop("by")
        self.assertEqual(alone.json, served.json)
        self.assertEqual((alone.json["orders"], alone.json["clean"], alone.json["findings"]), (5, True, []))
        people = self.run_here("verify")
        self.assertRegex(people.out, r"(?s)\Averify sqlite:gavel\.db, by reading the file\n.*5 orders.*\nclean: .*\n\Z")

    def test_after_a_kill_the_file_is_read(self):
        self.sell_some()
        self.gavel.kill9()
        self.assertTrue((self.folder / "gavel.db.serving").exists())
        ended = self.gavel.verify()
        self.assertEqual((ended.code, ended.json["by"]), (0, "reading the file"), ended)
        self.assertEqual(ended.json["orders"], 5)

    def test_a_number_that_was_changed_behind_our_back(self):
        self.sell_some()
        self.gavel.terminate()
        with sqlite3.connect(self.folder / "gavel.db") as database:
            changed = 0
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                if "reserved" in columns and "available" in columns:
                    changed += database.execute(f"UPDATE {table} SET available = available + 1").rowcount
            self.assertGreater(changed, 0, "no table of buckets was found")
        database.close()
        ended = self.gavel.verify()
        self.assertEqual(ended.code, 4, ended)
        self.assertFalse(ended.json["clean"])
        self.assertGreater(ended.json["findings_total"], 0)
        people = self.run_here("verify")
        self.assertEqual(people.code, 4)
        self.assertIn("\n  finding   ", people.out)
        self.assertIn(" (item 1: tee, free stock)\n", people.out)
        self.assertIn("NOT CLEAN", people.out)


class Migrate(Folder):
    def test_is_repeatable(self):
        first = self.run_here("migrate", "--json")
        self.assertEqual(first.code, 0, first)
        self.assertEqual(first.json["from"], 0)
        self.assertEqual(first.json["to"], first.json["from"] + first.json["steps"])
        again = self.run_here("migrate", "--json")
        self.assertEqual((again.code, again.json["steps"], again.json["to"]), (0, 0, first.json["to"]))
        self.assertIn("nothing to do", self.run_here("migrate").out)
        self.gavel.start()

    def test_a_database_that_was_not_there_is_told(self):
        self.assertRegex(self.run_here("migrate", "--judge.url", "sqlite:none.db").out,
                         r"\Acreated none\.db, an empty database with schema version \d+; the file did not exist\n\Z")
        self.assertEqual((self.run_here("migrate", "--json").json["made"], self.run_here("migrate", "--json").json["made"]),
                         (True, False))

    def test_a_newer_file_is_refused(self):
        self.run_here("migrate")
        with sqlite3.connect(self.folder / "gavel.db") as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        self.refused(3, "version", "migrate")
        self.refused(3, "version", "verify")
        ended = self.run_here("serve")
        self.assertEqual(ended.code, 3, ended)
        self.assertIn("schema version 99", ended.errors)


class Stop(Folder):
    def test_what_was_accepted_is_answered(self):
        """SIGTERM in the middle of a load: every request is answered, or was certainly not done."""
        self.gavel.start()
        self.stock(1_000_000)
        answers, failures = [], []

        def shopper(number):
            while True:
                key = new_key()
                try:
                    answers.append((key, self.gavel.ask("POST", "/v1/orders", ORDER | {"user": f"u{number}"}, key)))
                except Lost as lost:
                    failures.append((key, lost))
                    return

        threads = [threading.Thread(target=shopper, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        began = time.monotonic()
        self.gavel.signal(signal.SIGTERM)
        code = self.gavel.process.wait(STOP_BOUND)
        took = time.monotonic() - began
        for thread in threads:
            thread.join()
        self.assertEqual(self.gavel.wait(), 0)
        self.assertEqual(code, 0)
        self.assertLess(took, STOP_BOUND)
        self.assertEqual({answer.status for _, answer in answers}, {201})
        self.gavel.start()
        for key, answer in answers[-64:]:
            again = self.gavel.ask("POST", "/v1/orders", ORDER | {"user": answer.json["user"]}, key)
            self.assertTrue(again.replayed)
            self.assertEqual(again.json["order"], answer.json["order"])
        # A request that was lost was sent on a connection that the server had closed already.
        for key, lost in failures:
            self.assertEqual(self.gavel.ask("GET", f"/v1/requests/{key}").status, 404, lost)
        self.assertEqual(self.gavel.verify().code, 0)

    def test_idle_connections_do_not_hold_it_up(self):
        self.gavel.start()
        self.gavel.ask("GET", "/readyz")  # Kept alive.
        place = self.gavel.shop.removeprefix("http://").split(":")
        with socket.create_connection((place[0], int(place[1]))):
            began = time.monotonic()
            self.assertEqual(self.gavel.terminate(), 0)
            self.assertLess(time.monotonic() - began, 3)

    def test_a_request_that_never_ends_holds_it_up_within_the_bound(self):
        self.gavel.start()
        place = self.gavel.shop.removeprefix("http://").split(":")
        with socket.create_connection((place[0], int(place[1]))) as half:
            half.sendall(b"POST /v1/orders HTTP/1.1\r\nHost: x\r\n")
            time.sleep(0.2)
            began = time.monotonic()
            self.assertEqual(self.gavel.terminate(STOP_BOUND + 1), 0)
            self.assertLess(time.monotonic() - began, STOP_BOUND)

    def test_a_second_signal_ends_at_once(self):
        self.gavel.start()
        place = self.gavel.shop.removeprefix("http://").split(":")
        with socket.create_connection((place[0], int(place[1]))) as half:
            half.sendall(b"POST /v1/orders HTTP/1.1\r\nHost: x\r\n")
            time.sleep(0.2)
            self.gavel.signal(signal.SIGTERM)
            time.sleep(0.3)
            began = time.monotonic()
            self.gavel.signal(signal.SIGTERM)
            self.assertEqual(self.gavel.wait(), 128 + signal.SIGTERM)
            self.assertLess(time.monotonic() - began, 2)
        self.assertIn("gavel: ended at once; what was decided is recorded under its keys\n", self.gavel.stopped_errors)
        self.gavel.start()

    def test_a_database_that_hangs_does_not_hold_it_up(self):
        """Another program that writes to the file keeps the judge waiting; the stop keeps its bound all the same."""
        # One by one, a second each, and none too late to be tried: together they wait twice as long as the bound.
        self.gavel.start(judge__batch_commands_max=1, admission__judge_within_ms=60000,
                         admission__answer_within_ms=61000)
        self.stock()
        other = sqlite3.connect(self.gavel.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        keys = [f"k{i}" for i in range(20)]
        threads = [threading.Thread(target=self.ask_in_vain, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        began = time.monotonic()
        self.gavel.signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        self.assertEqual(self.gavel.wait(STOP_BOUND + 2), 3)
        self.assertLess(time.monotonic() - began, STOP_BOUND + 1)
        self.assertIn("gavel: shutdown timed out after 10 s waiting for the judge's database", self.gavel.stopped_errors)
        other.rollback()
        other.close()
        # What was unknown is resolved by asking again.
        self.gavel.start()
        self.assertEqual({self.gavel.ask("POST", "/v1/orders", ORDER, key).status for key in keys}, {201})
        self.assertEqual(self.gavel.verify().json["orders"], len(keys))

    def ask_in_vain(self, key):
        try:
            self.gavel.ask("POST", "/v1/orders", ORDER, key)
        except Lost:
            pass

    def test_nohup_stays_nohup(self):
        self.gavel.start(prefix=["nohup"])
        self.gavel.signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)
        self.assertEqual(self.gavel.terminate(), 0)

    def test_the_reader_of_its_output_may_go_away(self):
        self.gavel.start()
        self.gavel.process.stdout.close()
        self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)
        self.assertEqual(self.gavel.terminate(), 0)


class Demo(Folder):
    def demo(self, *arguments):
        return self.run_here("demo", *arguments, environment={"TMPDIR": str(self.folder)})

    def test_the_correctness_sale(self):
        ended = self.demo("--json", "--seed", "7")
        self.assertEqual(ended.code, 0, ended)
        verdict = ended.json
        self.assertEqual(
            {n: verdict[n] for n in ["passed", "users", "units", "requests", "seed", "orders", "mode", "left_at_gate", "available",
                                     "reserved",
                                     "users_with_two", "verify_findings", "deviations"]},
            {"passed": True, "users": 1000, "units": 100, "requests": 5000, "seed": 7, "orders": 100, "mode": "gated",
             "left_at_gate": 0, "available": 0,
             "reserved": 100, "users_with_two": 0, "verify_findings": 0, "deviations": []})
        self.assertEqual(sum(verdict["other_answers"].values()), 4900)
        self.assertLessEqual(set(verdict["other_answers"]), {"sold_out", "limit_reached"})
        self.assertEqual(ended.errors, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_for_people(self):
        ended = self.demo("--requests", "500")
        self.assertEqual(ended.code, 0, ended)
        self.assertTrue(ended.out.endswith("\n  PASSED: every unit was sold, and none twice.\n\n"), ended.out)
        self.assertIn("sending", ended.errors)
        self.assertNotIn("\033", ended.out + ended.errors)

    def test_more_units_than_users(self):
        ended = self.demo("--json", "--users", "20", "--units", "50", "--requests", "100", "--connections", "200")
        self.assertEqual(ended.code, 0, ended)
        self.assertEqual((ended.json["orders"], ended.json["available"]), (20, 30))

    def test_ctrl_c_cleans_up(self):
        """Once, and twice: `timeout` and an impatient hand send it twice."""
        for times in [1, 2]:
            self.interrupted("demo", "--requests", "1000000", times=times)
            self.interrupted("bench", "--seconds", "60", times=times)

    def interrupted(self, *arguments, times):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GAVEL_")} | {"TMPDIR": str(self.folder)}
        process = subprocess.Popen([program(), *arguments], cwd=self.folder, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        time.sleep(0.5)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.002)
        process.communicate(timeout=STOP_BOUND)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.folder.iterdir()), [], arguments)

    def test_stay_goes_on_serving(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GAVEL_")} | {"TMPDIR": str(self.folder)}
        process = subprocess.Popen([program(), "demo", "--stay", "--requests", "100"], cwd=self.folder, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = ""
        while "Authorization: Bearer" not in said:
            line = process.stdout.readline()
            self.assertTrue(line, said)
            said += line
        place = re.search(r"shop +http://([\d.]+):(\d+)", said)
        with socket.create_connection((place[1], int(place[2]))) as connection:
            body = b'{"user":"you","lines":[{"sku":"demo-mug","quantity":1}]}'
            connection.sendall(b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nIdempotency-Key: try-1\r\nConnection: close\r\n"
                               b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            self.assertIn(b"201 Created", connection.recv(4096))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=STOP_BOUND)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(list(self.folder.iterdir()), [])


class NotStarted(Folder):
    def test_gavel_process_tells_why(self):
        """The tests' own tool must not take a server that ended for one that serves."""
        (self.folder / "gavel.key").write_text("k")
        with self.assertRaises(NotServing) as raised:
            self.gavel.start()
        self.assertEqual(raised.exception.code, 2)
        self.assertIn("gavel.key", raised.exception.errors)


if __name__ == "__main__":
    unittest.main()
