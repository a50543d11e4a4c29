"""Each disagreement between includes, declarations and the table is found, and a tree that agrees passes."""

import unittest

import include_table
from house_rules import File

BASE = File("src/base/CMakeLists.txt", "gavel_library(base SOURCES check.cc)\n")
BASE_H = File("src/base/check.h", "")
BASE_CC = File("src/base/check.cc", '#include "base/check.h"\n')
JUDGE = File("src/judge/CMakeLists.txt", """
gavel_library(judge SOURCES judge.cc DEPENDS base)  # the interface
gavel_library(judge_sqlite SOURCES sqlite_store.cc DEPENDS judge base LINKS SQLite::SQLite3)
""")
JUDGE_CC = File("src/judge/judge.cc", '#include "base/check.h"\n')
SQLITE_H = File("src/judge/sqlite_store.h", '#include "judge/judge.h"\n')
SQLITE_CC = File("src/judge/sqlite_store.cc", '#include "judge/judge.h"\n#include "base/check.h"\n')
GOOD = [BASE, BASE_H, BASE_CC, JUDGE, JUDGE_CC, SQLITE_H, SQLITE_CC]


def findings(*more):
    """The names of the checks that fail on the good tree with these files added or put in place of their namesakes."""
    files = {f.path: f for f in (*GOOD, *more)}
    return [name for name, found in include_table.run(list(files.values())) if found]


class IncludeTable(unittest.TestCase):
    def test_a_tree_that_agrees_passes(self):
        self.assertEqual(findings(), [])

    def test_an_include_that_points_up(self):
        self.assertEqual(findings(File("src/base/x.h", '#include "judge/judge.h"\n')),
                         ["include-table", "declared-includes"])

    def test_siblings_do_not_include_one_another(self):
        self.assertIn("include-table", findings(File("src/gate/gate.h", '#include "judge/judge.h"\n')))

    def test_an_include_in_a_comment_is_none(self):
        commented = '// #include "judge/judge.h"\n/*\n#include "rules/x.h"\n*/\n'
        self.assertEqual(findings(File("src/base/x.h", commented)), [])

    def test_a_folder_outside_the_table(self):
        self.assertIn("include-table", findings(File("src/misc/x.h", "")))

    def test_an_include_without_its_folder(self):
        self.assertIn("include-table", findings(File("src/judge/x.h", '#include "judge.h"\n')))

    def test_rules_are_pure(self):
        rules = File("src/rules/CMakeLists.txt", "gavel_library(rules SOURCES decide.cc)\n")
        for header in ("<mutex>", "<boost/asio/io_context.hpp>", "<sys/stat.h>", "<fstream>"):
            self.assertEqual(findings(rules, File("src/rules/decide.cc", f"#include {header}\n")), ["pure-rules"])
        self.assertEqual(findings(rules, File("src/rules/decide.cc", "#include <span>\n")), [])

    def test_rules_are_pure_through_headers_in_between(self):
        rules = File("src/rules/CMakeLists.txt", "gavel_library(rules SOURCES decide.cc DEPENDS base)\n")
        decide = File("src/rules/decide.cc", '#include "base/uuid.h"\n')
        uuid = File("src/base/uuid.h", '#include "base/dice.h"\n')
        for header, expected in (("<random>", ["pure-rules"]), ("<array>", [])):
            dice = File("src/base/dice.h", f'#include "base/uuid.h"\n#include {header}\n')  # and a cycle
            self.assertEqual(findings(rules, decide, uuid, dice), expected)

    def test_a_name_of_a_folder_that_may_not_be_included(self):
        gate = File("src/gate/gate.h", "void f(const gavel::judge::Reader& reader);\n")
        self.assertEqual(findings(gate), ["used-names"])
        for text in ("// judge::Reader\n", 'f("judge::x");\n', "other::judge::Reader x;\n", "judge::\n"):
            self.assertEqual(findings(File("src/gate/gate.h", text)), [])
        self.assertEqual(findings(File("src/app/x.h", "judge::Reader& reader();\n")), [])

    def test_a_header_that_gives_on_the_names_of_another_folder(self):
        for text in ("namespace gavel::app {\nusing judge::Reader;\n}\n", "using Reader = gavel::judge::Reader;\n"):
            self.assertEqual(findings(File("src/app/x.h", text)), ["exported-names"])
        for text in ("struct A {\n  using Reader = judge::Reader;\n};\n", "using Orders = std::vector<judge::Order>;\n",
                     "using std::vector;\n"):
            self.assertEqual(findings(File("src/app/x.h", text)), [])
        self.assertEqual(findings(File("src/app/x_test.h", "using judge::Reader;\n")), [])

    def test_an_excuse_that_is_not_needed(self):
        found = [("a.h", 7, "judge", "x"), ("b.h", 8, "judge", "y")]
        tree = [File("a.h", ""), File("b.h", ""), File("c.h", "")]
        excused = {("a.h", "judge"), ("c.h", "judge"), ("gone.h", "judge")}
        self.assertEqual([(path, line) for path, line, _ in include_table._excused(found, excused, tree)],
                         [("b.h", 8), ("c.h", 1)])

    def test_a_link_that_the_table_forbids(self):
        for link, expected in (("SQLite::SQLite3", []), ("spdlog::spdlog", ["link-table"])):
            self.assertEqual(findings(File(JUDGE.path, JUDGE.text.replace("SQLite::SQLite3", link))), expected)
        base = File(BASE.path, "gavel_library(base SOURCES check.cc LINKS Boost::headers)\n")
        self.assertEqual(findings(base), ["link-table"])

    def test_tests_may_link_what_they_need(self):
        test = "gavel_test(base_test LABEL unit SOURCES check_test.cc LINKS Boost::json)\n"
        self.assertEqual(findings(File(BASE.path, BASE.text + test), File("src/base/check_test.cc", "")), [])

    def test_a_link_past_the_declarations(self):
        base = File(BASE.path, BASE.text + "target_link_libraries(gavel_base PUBLIC spdlog::spdlog)\n")
        self.assertEqual(findings(base), ["link-table"])

    def test_a_dependency_that_the_table_forbids(self):
        base = File(BASE.path, "gavel_library(base SOURCES check.cc DEPENDS judge)\n")
        self.assertEqual(findings(base), ["declared-table"])

    def test_a_dependency_that_does_not_exist(self):
        base = File(BASE.path, "gavel_library(base SOURCES check.cc DEPENDS bass)\n")
        self.assertEqual(findings(base), ["declared-table"])

    def test_a_library_that_links_an_adapter(self):
        for kind, expected in (("library", ["declared-table"]), ("test", [])):
            jobs = File("src/jobs/CMakeLists.txt", f"gavel_{kind}(jobs SOURCES x.cc DEPENDS judge_sqlite)\n")
            self.assertEqual(findings(jobs, File("src/jobs/x.cc", "")), expected)

    def test_the_interface_does_not_link_its_adapter(self):
        judge = File(JUDGE.path, JUDGE.text.replace("judge.cc DEPENDS base", "judge.cc DEPENDS judge_sqlite base"))
        self.assertEqual(findings(judge), ["declared-table"])

    def test_the_program_and_the_simulator_choose_adapters(self):
        for folder in ("app", "sim"):
            program = File(f"src/{folder}/CMakeLists.txt", "gavel_program(x SOURCES x.cc DEPENDS judge_sqlite)\n")
            self.assertEqual(findings(program, File(f"src/{folder}/x.cc", "")), [])

    def test_an_include_that_is_not_declared(self):
        judge = File(JUDGE.path, JUDGE.text.replace("judge.cc DEPENDS base", "judge.cc"))
        self.assertEqual(findings(judge), ["declared-includes"])

    def test_an_include_of_a_neighbour_that_is_not_declared(self):
        self.assertEqual(findings(File("src/judge/judge.cc", '#include "judge/sqlite_store.h"\n')),
                         ["declared-includes"])

    def test_a_test_that_includes_what_it_does_not_declare(self):
        judge = File(JUDGE.path, JUDGE.text + "gavel_test(judge_test LABEL unit SOURCES judge_test.cc DEPENDS judge)\n")
        test = File("src/judge/judge_test.cc", '#include "base/check.h"\n')
        self.assertEqual(findings(judge, test), ["declared-includes"])

    def test_a_header_of_tests_belongs_to_the_tests_that_include_it(self):
        shared = File("src/judge/form_test.h", '#include "judge/sqlite_store.h"\n')
        test = File("src/judge/judge_test.cc", '#include "judge/form_test.h"\n')
        for depends, expected in (("judge_sqlite", []), ("judge", ["declared-includes"])):
            call = f"gavel_test(judge_test LABEL unit SOURCES judge_test.cc DEPENDS {depends})\n"
            self.assertEqual(findings(File(JUDGE.path, JUDGE.text + call), shared, test), expected)

    def test_a_source_that_nobody_compiles(self):
        self.assertEqual(findings(File("src/judge/orphan_test.cc", "")), ["built-sources"])


if __name__ == "__main__":
    unittest.main()
