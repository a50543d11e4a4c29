#!/usr/bin/env python3
"""The commands of administration against a running server, and against one that loses its answers.

    interfaces.md  stock, order, activity, trace; --json everywhere; 0 done, 1 refused by a business rule, 2 usage, 3 no final answer
    A9, A13        a lost answer is asked for again under the same key, and unknown is never told as failed
    B17            one command shows the whole chain by order, request or user

The tool `openssl` makes the certificates of the tests over TLS.
"""

import shlex
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from gavel_process import Gavel, run

VERBS = ["stock create", "stock show", "stock short", "stock receive", "stock adjust", "stock count", "order show", "order list",
         "order confirm", "order extend", "order change", "order cancel", "order refund", "order ship",
         "activity list", "activity show", "activity create",
         "activity change", "activity warm", "activity check", "activity open", "activity close",
         "gate show", "trace"]


class Folder(unittest.TestCase):
    """A test with a folder of its own, and commands that run in it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gavel-administration-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.gavel = Gavel(self.folder)
        self.addCleanup(self.gavel.close)

    def run_here(self, line, *more):
        return run(*line.split(), *more, folder=self.folder)

    def done(self, line, *more):
        ended = self.run_here(line, *more)
        self.assertEqual((ended.code, ended.errors), (0, ""), (line, ended))
        return ended

    def refused(self, code, words, line, *more):
        """Ends with `code` and one line on standard error that holds `words`; nothing on the other."""
        ended = self.run_here(line, *more)
        self.assertEqual(ended.code, code, (line, ended))
        self.assertEqual(ended.out, "")
        self.assertRegex(ended.errors, r"\Agavel: [^\n]+\n\Z")
        self.assertIn(words, ended.errors)

    def key_file(self):
        path = self.folder / "gavel.key"
        path.write_text("k" * 64)
        path.chmod(0o600)


class Words(Folder):
    def test_help_has_examples(self):
        for name in [*VERBS, "stock", "order", "activity", "gate"]:
            ended = self.done(f"{name} --help")
            self.assertIn("Examples:\n  gavel " + name, ended.out)
            self.assertEqual([line for line in ended.out.splitlines() if len(line) > 120], [])

    def test_what_is_not_understood_is_usage(self):
        for group, words in [("stock", "create, show, short, receive, adjust, count"), ("activity", "list, show, create")]:
            self.refused(2, f"a command is required: {words}", group)
            self.refused(2, f"unknown command 'frobnicate'; the commands are {words}", f"{group} frobnicate")
        for name in VERBS:
            self.refused(2, f"see gavel {name} --help", f"{name} --loud")
        for line, words in [
                ("stock receive tee", "QUANTITY is required; see gavel stock receive --help"),
                ("stock receive tee 3 4", "4; see gavel stock receive --help"),
                ("stock receive tee 3 --key a --key b", "--key"),
                ("stock receive tee many", "QUANTITY: 'many' is not an integer"),
                ("stock adjust tee 3", "--reason is required"),
                ("order list", "--user is required"),
                ("order refund x --restock perhaps", "--restock: must be yes or no, but is 'perhaps'"),
                ("order confirm x --lines tee", "--lines: 'tee' is not SKU=N, such as tee=2"),
                ("stock show tee --http.port 80", "--http.port")]:
            self.refused(2, words, line)
        self.assertEqual(list(self.folder.iterdir()), [], "a refused command leaves nothing behind")

    def test_nobody_there_is_unreachable(self):
        self.refused(3, "no server has gavel.db open (there is no file gavel.db.serving); start gavel serve", "stock show tee")
        self.key_file()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % free.getsockname()[1]
        self.refused(3, f"nobody answers at {url}: Connection refused; start gavel serve", "stock show tee --server", url)
        self.refused(2, "localhost:1 is not the address of a server; write it like http://127.0.0.1:8081", "stock show tee --server localhost:1")


class Served(Folder):
    def setUp(self):
        super().setUp()
        self.gavel.start()

    def order(self, user, key):
        body = {"user": user, "lines": [{"sku": "tee", "quantity": 2}]}
        return self.gavel.ask("POST", "/v1/orders", body, key).json["order"]

    def test_a_life_at_the_command_line(self):
        self.assertRegex(self.done("stock create tee").out, r"\Acreated: sku tee, buckets 1, at \S+Z\n\Z")
        first = self.done("stock receive tee 10 --key in-1").out
        self.assertEqual(self.done("stock receive tee 10 --key in-1").out,
                         first + "(already done under this key; this is the first response)\n")
        self.done("stock adjust tee -1 --reason", "fell into the sea")
        self.refused(1, "run gavel stock show again and pass the version it shows", "stock count tee 9 --version 1")
        self.refused(1, "use another --key, or repeat the first command of this key unchanged", "stock receive tee 11 --key in-1")
        self.done("stock count tee 10 --version 2")
        self.assertEqual(self.done("stock show tee").out,
                         "SKU  WAREHOUSE  POOL  AVAILABLE  RESERVED  SOLD  SHIPPED  SHORT  VERSION\n"
                         "tee  main       -            10         0     0        0      0        3\n"
                         "from the judge, 0 ms old\n")
        self.assertNotIn("tee", self.done("stock short").out)
        self.done("activity create drop --lines tee=4 --limit-per-user 2 --mode gated --name", "Friday drop")
        self.refused(1, "This sale is gated: warm it, check it, then open it", "activity open drop")
        for step in ("warm", "check", "open"):
            self.done(f"activity {step} drop")
        self.assertRegex(self.done("activity change drop --buckets 2 --mode direct").out,
                         r"\Achanged: activity drop, state open, buckets 2, mode direct, at \S+Z\n\Z")
        self.assertEqual(self.done("activity list --json").json["activities"], [self.done("activity show drop --json").json])
        self.assertRegex(self.done("activity show drop").out, r"drop +open +tee 4 +2 +Friday drop\n\Z")
        self.done("activity close drop")
        self.refused(1, "illegal_transition", "activity open drop")

        order, other = self.order("ann", "a1"), self.order("ann", "a2")
        self.assertIn(f"order {order}, held, of user ann\n", self.done(f"order show {order}").out)
        self.assertRegex(self.done(f"order extend {order} --seconds 1000").out, r"\Aextended: order ")
        self.done(f"order change {other} --lines tee=1")
        self.assertEqual(self.done(f"order show {other} --json").json["lines"][0]["quantity"], 1)
        self.done(f"order confirm {order} --lines tee=1")
        self.done(f"order cancel {other}")
        self.refused(1, "already_confirmed", f"order cancel {order}")
        self.assertRegex(self.done(f"order ship {order}").out, rf"\Ashipped: order {order}, state shipped, at \S+Z\n\Z")
        self.refused(1, "already_shipped", f"order ship {order}")
        self.assertEqual(self.done(f"order show {order} --json").json["lines"][0]["shipped"], 1)
        self.refused(1, "illegal_transition", f"order refund {order} --restock no --from shelf")
        self.done(f"order refund {order} --restock no --from buyer")
        listed = self.done("order list --user ann --json").json
        self.assertEqual([(one["id"], one["state"]) for one in listed["orders"]], [(other, "cancelled"), (order, "refunded")])
        self.assertEqual(self.done("order list --user ann --state cancelled --limit 1 --json").json["orders"][0]["id"], other)
        self.assertEqual(self.gavel.verify().code, 0)

    def test_names_as_shops_have_them_E27_F021(self):
        names = ["24\" / 61 cm & 'co' + #1 (100%)", "Größe M, grün", "手机壳 📱", "auth0|5f7c", "ann+shop@example.org", "[a,b]", "a=b"]
        for number, name in enumerate(names):
            self.done("stock create", name)
            self.done("stock receive", name, "5")
            self.done("activity create", name, "--name", name, "--lines", f"{name}=2")
            self.done("activity open", name)
            body = {"user": name, "activity": name, "lines": [{"sku": name, "quantity": 1}]}
            order = self.gavel.ask("POST", "/v1/orders", body, f"key/{number}?").json["order"]
            self.assertEqual(self.done("stock show --json", name).json["stock"][1]["pool"], name)
            self.assertIn(f"order {order}, held, of user {name}, activity {name}\n", self.done("order show", order).out)
            self.assertEqual(self.done("order list --json --user", name).json["orders"][0]["lines"][0]["sku"], name)
            self.done("order change", order, "--lines", f"{name}=2")
            self.assertIn(f"reserve 1 {name} at main/0", self.done("trace --request", f"key/{number}?").out)
            self.assertEqual(self.done("activity show --json", name).json["name"], name)
        listed, cursor = [], []
        while cursor is not None:
            page = self.done("activity list --limit 1 --json", *cursor).json
            listed += [one["id"] for one in page["activities"]]
            cursor = ["--cursor", page["next"]] if "next" in page else None
        self.assertEqual(listed, sorted(names, key=str.encode))
        # Copied from the line, the cursor is one word of the shell.
        more = self.done("activity list --limit 5").out.splitlines()[-1]
        self.assertEqual(shlex.split(more)[-2:], ["--cursor", listed[4]])
        self.refused(2, "SKU: is not UTF-8", "stock create", "caf\udce9")
        self.refused(2, "sku: must be 1 to 128 bytes of UTF-8 without control characters", "stock create", "x" * 129)
        self.refused(2, "reason: must have 1 to 200 characters", "stock adjust", names[0], "1", "--reason", "汉" * 201)
        self.done("stock adjust", names[0], "1", "--reason", "汉" * 200)
        metrics = self.gavel.operate("GET", "/metrics").body.decode()
        self.assertIn(r"""sku="24\" / 61 cm & 'co' + #1 (100%)",""", metrics)
        self.assertEqual(self.gavel.verify().code, 0)

    def test_the_gate_beside_the_judge(self):
        self.done("stock create tee --mode gated")
        self.done("stock receive tee 10")
        self.order("ann", "a1")
        seen = self.done("gate show tee").out
        self.assertRegex(seen, r"\ASKU +POOL +MODE +BUCKET +AVAILABLE +SEQ +AT GATE +HELD +SEQ AT GATE +CLOSED\n"
                               r"tee +- +gated +0 +8 +2 ")
        self.assertEqual(self.done("gate show tee --json").json["gate"][0]["available"], 8)
        self.refused(1, "unknown_sku", "gate show nosuch")
        # A draft has nothing set aside, so nothing to compare; the units are taken when it opens.
        self.done("activity create big --lines tee=9 --mode gated --name Big")
        self.refused(1, "illegal_transition", "activity check big")
        self.done("activity warm big")
        self.refused(1, "illegal_transition", "activity open big")
        self.done("activity check big")
        self.refused(1, "insufficient", "activity open big")

    def test_traces_by_order_request_and_user_B17(self):
        self.done("stock create tee")
        self.done("stock receive tee 10 --key in-1")
        order = self.order("ann", "a1")
        self.done(f"order confirm {order} --key pays")
        shown = self.done(f"trace --order {order}").out
        self.assertRegex(shown, r"request +shop:a1 +reserved\n.* ledger +shop:a1 +reserve 2 tee at main/0, available 10 to 8")
        self.assertRegex(shown, r"request +operator:pays +confirmed\n.* ledger +operator:pays +confirm 2 tee")
        self.assertEqual(self.done("trace --request a1").out, shown)
        self.assertEqual(self.done("trace --request pays --caller operator").out, shown)
        self.assertEqual(self.done("trace --user ann").out, shown)
        self.assertEqual(self.done("trace --user ann --json").json["traces"],
                         [self.done(f"trace --order {order} --json").json])
        self.refused(2, "malformed: give one of order, request", "trace")
        self.refused(1, "unknown_request", "trace --request nosuch")

    def test_json_is_what_the_server_said(self):
        self.assertEqual(self.done("stock create tee --json").json["code"], "created")
        ended = self.run_here("stock show nosuch --json")
        self.assertEqual((ended.code, ended.json["code"], ended.json["retry"]), (1, "unknown_sku", "never"))
        self.assertRegex(ended.errors, r"\Agavel: unknown_sku: [^\n]+\n\Z")
        self.refused(2, "malformed: quantity: must be 1 to 1000000\n", "stock receive tee 1000001")

    def test_another_servers_key_is_named(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "key").write_text("k" * 64)
        (other / "key").chmod(0o600)
        self.refused(2, f"does not accept the key in {other}/key; give its key file with --admin.key_file",
                     f"stock show tee --admin.key_file {other}/key --server {self.gavel.operators}")
        # The shop's listener does not know the operators' paths.
        self.refused(2, f"there is no such path at {self.gavel.shop}; is this the shop's address?", f"stock show tee --server {self.gavel.shop}")


class Losing(Folder):
    """A server that reads each request and says only what it is told to: None closes the connection instead."""

    def serve(self, *answers):
        self.key_file()
        self.seen = []
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def work():
            for answer in answers:
                connection, _ = listener.accept()
                with connection:
                    self.seen.append(connection.recv(65536).decode())
                    if answer is not None:
                        connection.sendall(answer.encode())
            listener.close()

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join)
        return "http://127.0.0.1:%d" % listener.getsockname()[1]

    @staticmethod
    def answer(status, body, headers=""):
        return f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}"

    def keys(self):
        return {line for request in self.seen for line in request.split("\r\n") if line.startswith("Idempotency-Key")}

    def test_a_lost_answer_is_asked_for_again_under_the_same_key_A9(self):
        overloaded = '{"code":"overloaded","detail":"Too much.","retry":"same_key"}'
        url = self.serve(None, self.answer(503, overloaded, "Retry-After: 1\r\n"),
                         self.answer(200, '{"code":"received","sku":"tee"}'))
        self.assertEqual(self.done("stock receive tee 5 --server", url).out, "received: sku tee\n")
        self.assertEqual(len(self.seen), 3)
        self.assertEqual(len(self.keys()), 1)
        self.assertRegex(self.keys().pop(), r"\AIdempotency-Key: [0-9a-f]{8}-[0-9a-f]{4}-7")

    def test_unknown_is_not_failed_A13(self):
        url = self.serve(None)  # Then nobody listens any more.
        self.refused(3, "the request may have been applied; rerun with --key k1 (safe: same key, same effect)",
                     "stock receive tee 5 --key k1 --server", url)

    def test_a_refusal_is_not_asked_again(self):
        url = self.serve(self.answer(409, '{"code":"sold_out","detail":"Nothing is left.","retry":"new_key","sku":"tee"}'))
        self.refused(1, "sold_out: Nothing is left (sku tee)", "stock adjust tee -5 --reason lost --server", url)
        self.assertEqual(len(self.seen), 1)

    def test_another_service_is_not_taken_for_gavel(self):
        url = self.serve(self.answer(500, "<html>"), self.answer(200, "<html>"))
        self.refused(3, "answered with status 500 and not in Gavel's format; is it the operators' address?", "stock show tee --server", url)
        self.refused(3, "the response lacks a field or is not JSON", "stock show tee --server", url)


class Tls(Folder):
    """A server that speaks TLS, as one behind a proxy does, with a certificate whose CA is made here."""

    def setUp(self):
        super().setUp()
        self.key_file()
        self.openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=ca -keyout ca.key -out ca.pem")
        self.openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=shop -keyout server.key -out server.csr")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost")
        self.openssl("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 1 -extfile names -out server.pem")
        self.openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=other -keyout other.key "
                     "-out other.pem")

    def openssl(self, line):
        subprocess.run(["openssl", *line.split()], cwd=self.folder, check=True, capture_output=True)

    def serve(self):
        """The port of a server that answers every request alike, and the requests that it got."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.pem", self.folder / "server.key")
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        requests = []

        def work():
            while True:
                try:
                    plain, _ = listener.accept()
                except OSError:
                    return
                try:
                    with context.wrap_socket(plain, server_side=True) as connection:
                        while request := connection.recv(65536):
                            requests.append(request.decode())
                            connection.sendall(Losing.answer(200, '{"code":"received","sku":"tee"}').encode())
                except OSError:  # The client ends where it does not trust the certificate.
                    plain.close()

        threading.Thread(target=work, daemon=True).start()
        self.addCleanup(listener.shutdown, socket.SHUT_RDWR)
        return listener.getsockname()[1], requests

    def test_a_trusted_certificate(self):
        port, requests = self.serve()
        self.assertEqual(self.done(f"stock receive tee 5 --server https://localhost:{port} --ca-file ca.pem").out,
                         "received: sku tee\n")
        self.assertEqual(len(requests), 1)
        self.assertIn(f"Host: localhost:{port}\r\nAuthorization: Bearer {'k' * 64}\r\n", requests[0])

    def test_a_certificate_that_is_not_trusted(self):
        """The operators' key is not sent to a server that cannot show who it is."""
        port, requests = self.serve()
        untrusted = f"the certificate of https://localhost:{port} is not trusted: "
        for more in ("", " --ca-file other.pem"):
            self.refused(2, untrusted, f"stock receive tee 5 --server https://localhost:{port}{more}")
        # It is of another name.
        self.refused(2, "is not trusted: hostname mismatch",
                     f"stock receive tee 5 --server https://127.0.0.1:{port} --ca-file ca.pem")
        self.refused(2, "the certificates in absent.pem cannot be read",
                     f"stock receive tee 5 --server https://localhost:{port} --ca-file absent.pem")
        self.assertEqual(requests, [])

    def test_a_server_without_tls(self):
        self.gavel.start()
        url = self.gavel.operators.replace("http:", "https:")
        self.refused(3, f"no TLS with {url}: ", f"stock show tee --server {url}")


if __name__ == "__main__":
    unittest.main()
