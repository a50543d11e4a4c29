"""For every house rule: sources that break it and are caught, sources that keep it and pass.

A rule without both kinds of sample fails this test. Marks that a rule would find in this very file are put together
from two halves.
"""

import unittest

import cpp_scan
import house_rules
from house_rules import File

CC, H, TEST = "src/judge/plan.cc", "src/judge/plan.h", "src/judge/plan_test.cc"
LONG_BODY = "  step();\n" * 59
LONG_FILE = "int x;\n" * 401

# rule: [(path, source)] that must be found
BROKEN = {
    "file-names": [("src/base/string_util.cc", ""), ("src/common/x.h", ""), ("web/OrderManager.ts", "")],
    "names": [
        (H, "class StockManager {};"), (H, "struct order_helper;"), (H, "enum class Info : int { a };"),
        (H, "template <class T>\nclass Impl final {};"), (H, "namespace gavel::util {\n}"),
        (H, "using OrderData = int;"),
        (H, "struct GAVEL_THREAD_ATTRIBUTE(capability(\"mutex\")) LockHandle {"),
        (CC, "int handle_request(int n) { return n; }"),
        (H, "class A {\n public:\n  void do_it() const;\n};"),
        (CC, "Result Store::process_helper(const X& x) {\n}"),
        (H, "std::vector<int> common_items(std::span<int> s);"),
    ],
    "rand": [(CC, "int n = rand();"), (CC, "std::srand(1);"), (TEST, "int n = ::rand ();")],
    "wall-clock": [
        (CC, "auto t = time(nullptr);"), (CC, "auto t = std::time(0);"),
        (CC, "gettimeofday(&tv, nullptr);"),
        (CC, "auto t = std::chrono::system_clock::now();"),
        (CC, "using namespace std::chrono; steady_clock::now();"),
        ("src/base/time.cc", "auto t = std::chrono::system_clock::now();"),
    ],
    "sleep": [(CC, "sleep(1);"), (CC, "::usleep(5);"), (CC, "std::this_thread::sleep_for(1ms);")],
    "assert": [(CC, "assert(x > 0);"), (TEST, "#include <cassert>\n")],
    "stdout": [
        (CC, 'printf("x");'), (CC, "std::cout << 1;"), (H, 'inline void f() { std::puts("x"); }'),
        (CC, 'std::fprintf(stdout, "x");'),
    ],
    "detach": [(CC, "std::thread(run).detach();"), (CC, "worker->detach();")],
    "empty-catch": [
        (CC, "try { f(); } catch (...) {}"), (CC, "try { f(); } catch (...) {\n  // Never mind.\n}"),
    ],
    "using-namespace": [
        (H, "using namespace std;"), (H, "namespace gavel {\n  using namespace std::chrono;\n}"),
    ],
    "skipped-test": [(TEST, "TEST(A, DISABLED_" "B) {}"), (TEST, "GTEST_" "SKIP();")],
    "skipped-script": [
        ("tests/e2e/x.py", "@unittest.sk" "ip('later')\ndef f(): pass"), ("web/x.ts", "it.sk" "ip('x')"),
    ],
    "co-await-braces": [
        (CC, "co_await f({.s = 1});"), (CC, "auto r = co_await f(Agg{1});"), (CC, "co_await Sleep{5};"),
        (CC, "if (co_await f(std::vector<int>{1})) {"), (CC, "co_await g(1,\n           h({2}));"),
        (CC, "co_await g([](int y) { return y; }, Agg{1});"), (CC, "co_await g(a[1], Agg{});"),
        (CC, "co_await g([x] { return 1; });"), (CC, "co_await g(1, [&y, x = std::move(x)]() mutable {});"),
        (CC, "co_await g([=] { return 1; });"), (CC, "co_await g([*this] { return 1; });"),
    ],
    "one-noun": [
        (CC, LONG_FILE), (CC, "// Plans and what becomes of them.\n" + LONG_FILE),
        (CC, "// One noun: plans and loads.\n" + LONG_FILE), (CC, "// One noun: the plan, its loads.\n" + LONG_FILE),
        (CC, "// One noun: the load.\n" + LONG_FILE), (CC, LONG_FILE + "// One noun: the plan.\n"),
        ("tools/plan.py", LONG_FILE), (TEST, LONG_FILE),
    ],
    "prose-width": [("docs/x.md", "a b " * 31 + "\n"), ("docs/x.md", "```\nx\n```\n" + "a b " * 31 + "\n")],
    "function-lines": [
        (CC, "void f() {\n" + LONG_BODY + "}"), (TEST, "TEST(A, B) {\n" + LONG_BODY + "}"),
        (CC, "A::A(int x)\n    : x_{x}, y_(g({1})) {\n" + LONG_BODY + "}"),
        (CC, "// ladder\nvoid f() {\n" + LONG_BODY + "}"),
        (CC, "namespace a {\nstruct B {\n  auto f() const -> std::vector<int> {\n" + LONG_BODY + "  }\n};\n}"),
        (CC, "template <class T>\nbool operator==(const T& a, const T& b) {\n" + LONG_BODY + "}"),
        (CC, "void f() {\n  g([](int x) {\n" + LONG_BODY + "  });\n}"),
        (CC, "// ladder: its refusals are one list\nvoid f() {\n}\nvoid g() {\n" + LONG_BODY + "}"),
    ],
    "top-comment": [(H, "#pragma once\n#include <x>\n"), (H, "//\n#pragma once\n")],
    "pragma-once": [(H, "// A header.\n#ifndef X\n"), (H, "// A header.\n// #pragma once\n")],
    "globals": [
        (CC, "namespace {\nint count = 0;\n}"), (CC, "std::atomic<int> count{0};"),
        (CC, "const char* name = \"x\";"), (CC, "const char* names[] = {\"x\"};"),
        (CC, "Thing& thing() {\n  static Thing it;\n  return it;\n}"),
        (CC, "void f() {\n  static int n{1};\n}"),
        (H, "struct A {\n  static int count;\n};"), (CC, "thread_local std::string buffer;"),
        (CC, "std::map<int, std::vector<int>> cache = {{1, {2}}};"), (CC, "int table[4];"),
        (CC, "// global: short\nint count = 0;"),
    ],
    "open-ends": [
        (CC, "// TO" "DO: later"), ("tools/x.sh", "# FIX" "ME"), ("Makefile", "# X" "XX"),
        (CC, "// HA" "CK"),
    ],
    "machine-paths": [
        ("README.md", "see /ho" "me/me/x"), (CC, 'f("/wo' 'rk/main");'), ("tools/x", "cd /Us" "ers/me"),
    ],
    "nolint": [
        (CC, "x();  // NOLINT"), (CC, "// NOLINTNEXTLINE(misc-x)\nx();"),
        (CC, "x();  // NOLINT: because it is so"),
    ],
    "history": [(CC, "// Now we use a map."), (H, "/* Here, now we\n wait. */")],
    "white-space": [
        (CC, "int x; \n"), (CC, "\tint x;\n"), (CC, "int x;"), (CC, "int x;\n\n"),
        ("README.md", "a  \nb\n"),
    ],
}

# rule: [(path, source)] that must pass
KEPT = {
    "file-names": [("src/base/commonality.h", ""), ("docs/utility.md", ""), ("src/http/route.cc", "")],
    "names": [
        (H, "template <class Handler>\nvoid run(Handler handler);"), (CC, "Value* d = x.data();"),
        (H, "std::span<int> data() const;"),
        (CC, "void f() {\n  asio::completion_handler h = impl_helper(1);\n}"),
        (CC, "// A manager of helpers.\nint f();"), (CC, 'f("class Manager {");'), (H, "class Handled {};"),
        (H, "using boost::asio::any_completion_handler;"), (H, "using X = Outcome;"),
        (H, "friend void handle_it(int n);"), (H, "int done();"),
    ],
    "rand": [
        (CC, "int n = random.rand();"), (CC, "int brand();"), (CC, "int n = dice::rand();"),
        (CC, "// rand()"),
    ],
    "wall-clock": [
        ("src/base/clock.cc", "auto t = std::chrono::system_clock::now();"),
        (CC, "auto t = clock.time(0);"),
        (CC, "Time time() const;"), (TEST, "auto t = std::chrono::steady_clock::now();"),
        (CC, "auto t = clock_.now();"),
    ],
    "sleep": [
        (TEST, "std::this_thread::sleep_for(1ms);"), (CC, "clock.sleep(1);"),
        ("tests/e2e/x.cc", "sleep(1);"), ("src/app/sleep.h", "std::this_thread::sleep_for(duration);"),
    ],
    "assert": [(CC, "static_assert(x > 0);"), (CC, "CHECK(x);"), (CC, "// assert(x)")],
    "stdout": [
        ("src/app/main.cc", "std::cout << 1;"), (CC, "std::snprintf(b, n, f);"), (TEST, 'printf("x");'),
        (CC, 'std::fprintf(stderr, "x");'),
    ],
    "detach": [(CC, "asio::co_spawn(io, f(), asio::detached);"), (CC, "worker.join();")],
    "empty-catch": [
        (CC, "try { f(); } catch (...) { return fail(); }"), (CC, "try { f(); } catch (const X&) {}"),
    ],
    "using-namespace": [
        (CC, "using namespace std::chrono_literals;"), (H, "using std::vector;"),
        (H, "// using namespace std;"),
    ],
    "skipped-test": [(TEST, "TEST(A, B) {}"), (TEST, "// A DISABLED_" "B in a comment.")],
    "skipped-script": [("tests/e2e/x.py", "skip = 1"), ("web/x.ts", "it('does not skip')")],
    "co-await-braces": [
        (CC, "if (co_await f(x)) {"), (CC, "for (auto& y : co_await f()) {"),
        (CC, "co_await f(x);\nAgg a{1};"),
        (CC, "co_await g([&x, this](int y) mutable { return Agg{y}; });"), (CC, "co_await g([&] { return 1; });"),
        (CC, "co_await g(a[i], b()[j]);"),
        (CC, "co_await g([](int y) -> std::vector<int> { return {y}; }, 2);"),
        (CC, '// co_await f({1});\nf("co_await {");'),
        (CC, "Agg a{co_await f()};"), (CC, "switch (co_await f()) {"),
    ],
    "one-noun": [
        (CC, "int x;\n" * 400), (CC, "// One noun: the plan of a batch.\n" + LONG_FILE),
        ("src/judge/plans.h", "// What it is.\n// One noun: the plan.\n#pragma once\n" + LONG_FILE),
        ("tools/plan.py", '"""Plans.\n\nOne noun: the plan.\n"""\n' + LONG_FILE), ("docs/long.md", LONG_FILE),
        ("src/sim/bugs/catalogue.toml", LONG_FILE),
    ],
    "prose-width": [
        ("docs/x.md", "a b " * 30 + "\n"), ("docs/x.md", "| a b " * 40 + "|\n"), ("docs/x.md", "x" * 140 + "\n"),
        ("docs/x.md", "## " + "a b " * 40 + "\n"),
        ("docs/x.md", "```\n" + "a b " * 40 + "\n```\n"), (CC, "// " + "a b " * 40 + "\n"),
    ],
    "function-lines": [
        (CC, "void f() {\n" + LONG_BODY[:-10] + "}"),
        (CC, "// ladder: every refusal in the order of its number\nvoid f() {\n" + LONG_BODY + "}"),
        (CC, "// Renders it.\n// table: one row for each outcome\nvoid f() {\n" + LONG_BODY + "}"),
        (CC, "class A {\n" + "  void f();\n" * 80 + "};"),
        (CC, "const X table[] = {\n" + "  {1, 2},\n" * 80 + "};"),
        (CC, "namespace a {\n" + "void f() { g(); }\n" * 80 + "}"),
    ],
    "top-comment": [(H, "// What it is.\n#pragma once\n"), (H, "#pragma once\n// What it is.\n")],
    "pragma-once": [(H, "// A header.\n#pragma once\n"), (CC, "int x;")],
    "globals": [
        (CC, "constexpr int count = 0;"), (CC, "constexpr const char* version = R\"(x)\";"), (CC, "const std::string name{\"x\"};"),
        (CC, "inline constexpr char x[] = \"\";"),
        (CC, "// global: the signal handler can reach nothing else\nstd::atomic<bool> stop;"),
        (CC, "void f() {\n  static const std::map<int, int> m{{1, 2}};\n}"),
        (H, "struct A {\n  int count = 0;\n};"),
        (H, "int f(int x = 0);\nstd::string g() const;\nextern int x;\nusing A = int;\nclass B;\nenum class C : int;"),
        (CC, "static_assert(a == b);\nstatic int f(int x) {\n  return x;\n}"), (TEST, "int count = 0;"),
        (H, "struct A {\n  static A parse(std::string_view text);\n  static constexpr int x = 1;\n};"),
        (CC, "A::A() = default;\nbool operator==(const A&, const A&) = default;\nconst char* const name = \"x\";"),
    ],
    "open-ends": [(CC, 'auto t = make("/tmp/x.XXXXXX");'), ("README.md", "To" "do lists.")],
    "machine-paths": [
        ("README.md", "https://example.org/ho" "me/x and ./wo" "rk/x"), (CC, "/usr/lib/x /tmp/x /etc/x"),
    ],
    "nolint": [
        (CC, "x();  // NOLINT(misc-x): the library's callback has this form"), (CC, "// NOLINTEND(misc-x)"),
    ],
    "history": [(CC, "// What we know we keep."), (CC, 'f("now we");')],
    "white-space": [(CC, "int x;\n"), ("Makefile", "all:\n\tx\n"), (CC, "")],
}


def found(name, path, source):
    where, check = house_rules.RULES[name]
    file = File(path, source)
    return bool(where(file) and list(check(file)))


class HouseRules(unittest.TestCase):
    def test_every_rule_has_samples_of_both_kinds(self):
        self.assertEqual(set(house_rules.RULES), set(BROKEN))
        self.assertEqual(set(house_rules.RULES), set(KEPT))

    def test_what_breaks_a_rule_is_found(self):
        missed = [(n, *sample) for n, samples in BROKEN.items() for sample in samples if not found(n, *sample)]
        self.assertEqual(missed, [])

    def test_what_keeps_a_rule_passes(self):
        wrong = [(n, *sample) for n, samples in KEPT.items() for sample in samples if found(n, *sample)]
        self.assertEqual(wrong, [])

    def test_a_finding_names_its_line(self):
        _, check = house_rules.RULES["globals"]
        self.assertEqual([line for line, _ in check(File(CC, "\n\n// x\nint count = 0;\n"))], [4])

    def test_network_units_count_what_headers_bring_in(self):
        tree = [
            File("src/http/a.h", '#include "http/b.h"\n'),
            File("src/http/b.h", "#include <boost/asio/awaitable.hpp>\n"),
            File("src/http/c.cc", "#include <boost/beast.hpp>\n"),
            File("src/http/d.cc", '#include "http/a.h"\n'),
            File("src/http/d_test.cc", '#include "http/a.h"\n'),
            File("src/http/e.cc", "#include <boost/json.hpp>\n"),
        ]
        self.assertEqual(house_rules.network_units(tree), (["src/http/c.cc", "src/http/d.cc"], ["src/http/d_test.cc"]))
        self.assertEqual(list(house_rules.check_network_units(tree)), [])

    def test_network_units_have_a_budget_by_role(self):
        for role, where, most, _ in house_rules.NETWORK_ROLES:
            folder = "src/http/" if where == "src/" else where.rstrip("/") + "/"
            units = [File(f"{folder}n{i}.cc", "#include <boost/asio.hpp>\n") for i in range(most + 1)]
            self.assertEqual(len(house_rules.network_units_by_role(units)[role]), most + 1, role)
            self.assertEqual(list(house_rules.check_network_units(units[:most])), [], role)
            found = list(house_rules.check_network_units(units))
            self.assertEqual(len(found), 1, role)
            self.assertIn(f"of the role {role} ", found[0][2])


class CppScan(unittest.TestCase):
    def test_literals_and_comments_do_not_confuse(self):
        source = 'auto a = R"x({ " // )x";\nint n = 1\'000\'000;  // it\'s {\nchar c = \'{\';\nvoid f() {\n}\n'
        self.assertEqual([(f.name, f.first_line, f.last_line) for f in cpp_scan.scan(source).functions], [("f", 4, 5)])

    def test_names_of_functions(self):
        heads = ("void f() {}", "A::A(int x) : x_{x} {}", "std::function<void()> g(int n) const {}",
                 "[[nodiscard]] auto h() -> int {}", "explicit(true) B(int x) noexcept {}", "A::~A() {}")
        self.assertEqual([cpp_scan.scan(h).functions[0].name for h in heads], ["f", "A", "g", "h", "B", "~A"])


if __name__ == "__main__":
    unittest.main()
