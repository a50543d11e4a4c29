#!/usr/bin/env python3
"""Who may call: accounts and their keys, made at the command line and read by a running service.

    A9, G002   without a key nobody is served where accounts are configured; an account's orders are its own
    F015       SIGHUP reads the accounts again and opens the log anew, and never ends a sale
    interfaces.md, ADR 27   the file, its rights, what is told of errors

One noun: the accounts.
"""

import json
import os
import signal
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from gavel_process import Gavel, NotServing, new_key, program, run

ORDER = {"user": "u1", "lines": [{"sku": "tee", "quantity": 1}]}


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gavel-accounts-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "gavel.accounts"
        self.gavel = Gavel(self.folder)
        self.addCleanup(self.gavel.close)

    def run_here(self, *arguments, **more):
        return run(*arguments, folder=self.folder, **more)

    def done(self, *arguments):
        ended = self.run_here(*arguments)
        self.assertEqual(ended.code, 0, ended)
        return ended

    def refused(self, line, *arguments):
        ended = self.run_here(*arguments)
        self.assertEqual((ended.code, ended.out), (2, ""), ended)
        self.assertRegex(ended.errors, r"\Agavel: [^\n]+\n\Z")
        self.assertIn(line, ended.errors)

    def key_of(self, account, *more):
        """A new key of the account, which stands alone on standard output."""
        ended = self.done("key", "create", account, *more)
        self.assertRegex(ended.out, r"\Agavel_[0-9a-f]{64}\n\Z")
        return ended.out.strip()

    def stock(self):
        self.gavel.operate("PUT", "/v1/skus/tee", {})
        self.gavel.operate("POST", "/v1/stock/tee/receive", {"quantity": 100})

    def errors(self):
        return (self.folder / "stderr.txt").read_text()

    def hang_up(self, told):
        """SIGHUP, and a new line on standard error that contains `told`."""
        before = len(self.errors())
        self.gavel.signal(signal.SIGHUP)
        end = time.monotonic() + 10
        while told not in self.errors()[before:]:
            self.assertLess(time.monotonic(), end, self.errors()[before:])
            time.sleep(0.02)

    def status_of(self, key, path="/v1/orders?user=u1"):
        return self.gavel.ask("GET", path, headers=bearer(key) if key else {}).status


class Words(Folder):
    def test_a_life_of_accounts_and_keys_A9(self):
        self.assertIn("no account is configured", self.done("account", "list").out)
        made = self.done("account", "create", "web")
        self.assertIn("under another account a retry is another request", made.errors)
        self.assertIn("asks everybody for a key", made.errors)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        one = self.key_of("web")
        two = self.done("key", "rotate", "web", "key-1", "--name", "autumn").out.strip()
        self.assertNotEqual(one, two)
        self.assertNotIn("gavel_", self.file.read_text())
        self.assertEqual([(k["account"], k["name"], k["role"]) for k in self.done("key", "list", "--json").json["keys"]],
                         [("web", "key-1", "shop"), ("web", "autumn", "shop")])
        self.assertIn("never used", self.done("key", "list", "web").out)
        self.done("key", "revoke", "web", "key-1")
        self.done("account", "create", "prometheus", "--role", "metrics")
        self.assertEqual([(a["account"], a["role"], a["keys"]) for a in
                          self.done("account", "list", "--json").json["accounts"]],
                         [("prometheus", "metrics", 0), ("web", "shop", 1)])
        self.done("account", "remove", "prometheus")
        self.assertIn("no account is left", self.done("account", "remove", "web").errors)
        self.assertEqual(self.done("account", "list", "--json").json["accounts"], [])

    def test_what_is_wrong_is_told_and_changes_nothing_A9(self):
        self.key_of("shop")
        self.done("account", "create", "web")
        before = self.file.read_bytes()
        for line, arguments in [
                ("there already", ["account", "create", "shop"]), ("there already", ["account", "create", "operator"]),
                ("Gavel's own", ["account", "create", "gavel"]), ("Gavel's own", ["key", "create", "gavel"]),
                ("a name is", ["account", "create", "a b"]), ("already", ["account", "create", "web"]),
                ("no account app", ["key", "create", "app"]), ("no account app", ["account", "remove", "app"]),
                ("a key key-1 already", ["key", "create", "shop", "--name", "key-1"]),
                ("has no key key-9", ["key", "revoke", "shop", "key-9"]),
                ("has no key key-9", ["key", "rotate", "shop", "key-9"]),
                ("a name is", ["key", "create", "web", "--name", "a/b"])]:
            self.refused(line, *arguments)
        self.assertEqual(self.run_here("account", "create", "x", "--role", "admin").code, 2)
        self.assertEqual(self.file.read_bytes(), before)
        self.file.chmod(0o644)
        self.refused("chmod 600", "key", "create", "shop")
        self.file.chmod(0o600)
        self.file.write_text("{")
        self.refused("is damaged", "key", "list")
        self.refused("is damaged", "account", "create", "app")
        serving = self.run_here("serve")
        self.assertEqual((serving.code, serving.out), (2, ""))
        self.assertRegex(serving.errors, r"gavel\.accounts is damaged: [^\n]+\n\Z")
        self.assertEqual(self.file.read_text(), "{")

    def test_kills_leave_the_old_file_or_the_new_one_A9(self):
        self.key_of("shop")
        for after in range(20):
            process = subprocess.Popen([program(), "key", "create", "shop"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(after * 0.002)
            process.kill()
            process.wait()
            self.done("key", "list")
        self.key_of("shop")


class Served(Folder):
    def test_the_shop_is_open_on_loopback_alone_unless_somebody_says_so_A9_G002(self):
        with self.assertRaises(NotServing) as refused:
            self.gavel.start(http__address="0.0.0.0")
        self.assertEqual(refused.exception.code, 2)
        self.assertRegex(refused.exception.errors, r"gavel key create shop.*http\.open = true")
        for _ in range(2):  # At each start.
            self.gavel.start(http__address="0.0.0.0", http__open="true")
            self.assertIn("EVERYBODY MAY ORDER", self.errors())
            self.assertEqual(self.gavel.ask("GET", "/v1/orders?user=u1").status, 200)
            self.assertEqual(self.gavel.terminate(), 0)
        self.refused("true or false is needed", "serve", "--http.open", "yes")
        key = self.key_of("shop")
        self.gavel.start(http__address="0.0.0.0")
        self.assertNotIn("EVERYBODY", self.errors())
        self.assertEqual((self.status_of(None), self.status_of("gavel_x"), self.status_of(key)), (401, 401, 200))

    def test_what_was_made_without_a_key_is_of_shop_A9(self):
        self.gavel.start()
        self.stock()
        first = new_key()
        order = self.gavel.ask("POST", "/v1/orders", ORDER, key=first).json["order"]
        shop = self.key_of("shop")
        self.done("account", "create", "web")
        web = self.key_of("web")
        self.assertEqual(self.status_of("gavel_x"), 401, "a wrong key is nobody's, though the shop is open")
        self.assertEqual(self.status_of(None), 200, "until the service has read the file again")
        self.hang_up("read 2 accounts with 2 keys")
        self.assertEqual(self.status_of(None), 401)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.gavel.ask("GET", path).status, 200)
        again = self.gavel.ask("POST", "/v1/orders", ORDER, key=first, headers=bearer(shop))
        self.assertEqual((again.status, again.replayed, again.json["order"]), (201, True, order))
        for path, key, status in [(f"/v1/orders/{order}", web, 404), (f"/v1/orders/{order}", shop, 200),
                                  (f"/v1/requests/{first}", web, 404), (f"/v1/requests/{first}", shop, 200)]:
            self.assertEqual(self.status_of(key, path), status, path)
        for act in ("confirm", "cancel"):
            told = self.gavel.ask("POST", f"/v1/orders/{order}/{act}", key=new_key(), headers=bearer(web))
            self.assertEqual((told.status, told.outcome), (404, "unknown_order"))
        self.assertEqual(self.gavel.ask("GET", "/v1/orders?user=u1", headers=bearer(web)).json["orders"], [])
        paid = self.gavel.ask("POST", f"/v1/orders/{order}/confirm", key=new_key(), headers=bearer(shop))
        self.assertEqual(paid.outcome, "confirmed")
        self.assertEqual(self.gavel.verify().code, 0)

    def test_keys_are_made_used_rotated_and_revoked_while_it_serves_A9_F015(self):
        old = self.key_of("shop")
        self.gavel.start(log__file="gavel.log")
        self.stock()
        self.assertEqual(self.status_of(old), 200)
        new = self.done("key", "rotate", "shop", "key-1").out.strip()
        self.assertEqual(self.status_of(new), 401)
        self.hang_up("read 1 accounts with 2 keys")
        self.assertEqual((self.status_of(old), self.status_of(new)), (200, 200))
        self.done("key", "revoke", "shop", "key-1")
        self.hang_up("read 1 accounts with 1 keys")
        self.assertEqual((self.status_of(old), self.status_of(new)), (401, 200))
        good = self.file.read_bytes()
        for wrong in (b"", b"{", good.replace(b'"role":"shop"', b'"role":"ship"'), None):
            if wrong is None:
                self.file.unlink()
            else:
                self.file.write_bytes(wrong)
            self.hang_up("the accounts stay as they were")
            self.assertEqual((self.status_of(old), self.status_of(new)), (401, 200))
        self.file.write_bytes(good)
        self.file.chmod(0o600)
        self.hang_up("read 1 accounts with 1 keys")
        self.assertEqual(self.gavel.terminate(), 0)
        log = (self.folder / "gavel.log").read_text()
        self.assertIn('"event":"accounts_refused"', log)
        for text in (log, self.errors(), self.file.read_text(), (self.folder / "gavel.accounts.used").read_text()):
            for secret in (old, new):
                self.assertNotIn(secret, text)
        used = self.done("key", "list", "--json").json["keys"]
        self.assertEqual([k["name"] for k in used], ["key-2"])
        self.assertRegex(used[0]["used_at"], r"\A20\d\d-")

    def test_the_log_is_opened_anew_and_the_sale_goes_on_F015(self):
        self.gavel.start(log__file="gavel.log", log__sample_one_in=1)
        log = self.folder / "gavel.log"
        os.rename(log, self.folder / "gavel.log.old")
        for _ in range(3):
            self.hang_up("read 0 accounts with 0 keys")
            self.assertEqual(self.gavel.ask("GET", "/readyz").status, 200)
        events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
        self.assertEqual(events.count("accounts_read"), 3)
        self.assertEqual(self.gavel.terminate(), 0)

    def test_commands_take_a_key_where_one_is_needed_A9(self):
        shop = self.key_of("shop")
        self.done("account", "create", "desk", "--role", "ops")
        (self.folder / "shop.key").write_text(shop + "\n")
        (self.folder / "desk.key").write_text(self.key_of("desk") + "\n")
        for name in ("shop.key", "desk.key"):
            (self.folder / name).chmod(0o600)
        self.gavel.start()
        self.stock()
        order = self.gavel.ask("POST", "/v1/orders", ORDER, key=new_key(), headers=bearer(shop)).json["order"]
        self.assertEqual(self.done("order", "show", order, "--json").json["state"], "held")
        shown = self.done("order", "show", order, "--server", self.gavel.shop, "--admin.key_file", "shop.key", "--json")
        self.assertEqual(shown.json["id"], order)
        self.done("stock", "show", "tee", "--server", self.gavel.operators, "--admin.key_file", "desk.key")
        bench = ["bench", "--server", self.gavel.operators, "--shop", self.gavel.shop, "--rate", "50", "--seconds", "1",
                 "--json"]
        self.refused("--shop-key-file", *bench)
        measured = self.run_here(*bench, "--shop-key-file", "shop.key")
        self.assertEqual(measured.code, 0, measured)
        self.assertEqual(self.gavel.verify().code, 0)


if __name__ == "__main__":
    unittest.main()
