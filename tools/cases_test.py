"""A row that names a test which is not there is found, and so is a test that no row names."""

import unittest

import cases
from house_rules import File

CC = File("src/a_test.cc", "TEST(Orders, Once_B001) {\n}\nTEST_P(Judge, Once) {\n}\n")
PY = File("tests/e2e/b_test.py", "class Stock(Crowd):\n    def test_one_C17(self):\n        pass\n\n\nclass Crash:\n    pass\n")
SHOWN = {"B001": "`src/a_test.cc` `Orders.Once_B001`, `src/a_test.cc` `Judge.Once`; waits for Redis (a note)",
         "B003": "`tests/e2e/b_test.py` `Crash`", "B005": "outside: no such thing", "B007": "waits for the queue"}
MATRIX = ["`tests/e2e/b_test.py` `Stock.test_one_C17`"] + ["waits for acts on stock"] * 7


def findings(shown=None, matrix=MATRIX, numbers=range(1, cases.LAST_CASE + 1, 2), more="", code=CC):
    """What is found of a document that is right but for the given rows."""
    names = [f"B{n:03}" for n in numbers]
    rows = [f"| {n} | a kind | {(SHOWN | (shown or {})).get(n, 'waits for Redis')} |" for n in names]
    rows += ["", "| entry | shown by |", "| --- | --- |"] + [f"| an entry | {entry} |" for entry in matrix]
    text = "| case | kind | shown by |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n" + more
    return [message for _, _, message in cases.check([File(cases.CASES, text), code, PY])]


class Cases(unittest.TestCase):
    def test_what_is_right_passes(self):
        self.assertEqual(findings(), [])

    def test_each_wrong_row_is_found(self):
        for shown, message in (
                ("`src/b_test.cc` `Orders.Once`", "there is no src/b_test.cc"),
                ("`src/a_test.cc` `Orders.Twice`", "has no test Orders.Twice"),
                ("`src/a_test.cc` `Judge.Once_B001`", "has no test Judge.Once_B001"),
                ("`tests/e2e/b_test.py` `Stock.test_two`", "has no test Stock.test_two"),
                ("`tests/e2e/b_test.py` `Stack.test_one_C17`", "has no test Stack.test_one_C17"),
                ("waits for better days", "which is none of"),
                ("waits for Redis; `Judge.Once`", "not in the form"),
                ("outside: ", "neither"),
                ("", "neither")):
            with self.subTest(shown=shown):
                found = findings({"B003": shown})
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])

    def test_a_numbered_test_that_its_row_does_not_name(self):
        self.assertIn("Once_B001 is not in the row B001", findings({"B001": "waits for Redis"})[0])
        self.assertIn("test_one_C17 is not in the row C17", findings(matrix=["waits for Redis"] * 8)[0])

    def test_rows_that_are_missing_or_too_many(self):
        self.assertIn("wrong: B139", findings(numbers=range(1, 139, 2))[0])
        self.assertIn("wrong: B141", findings(numbers=range(1, 142, 2))[0])
        self.assertIn("wrong: their order", findings(numbers=[3, 1, *range(5, 140, 2)])[0])
        self.assertIn("8 entries", findings(matrix=MATRIX[:7])[0])

    def test_what_was_found_on_the_running_service_has_a_row_where_a_test_names_it(self):
        code = File("src/a_test.cc", CC.text + "TEST(Losers, Wait_E28_F010) {\n}\n")
        row = "| F010 | a storm | `src/a_test.cc` `Losers.Wait_E28_F010` |\n"
        self.assertEqual(findings(more=row, code=code), [])
        self.assertIn("Wait_E28_F010 is not in the row F010", findings(code=code)[0])
        self.assertIn("once each and in order", findings(more="| G007 | stuck | waits for Redis |\n" + row, code=code)[0])

    def test_a_document_that_is_gone(self):
        self.assertEqual([m for _, _, m in cases.check([CC])], ["missing"])


if __name__ == "__main__":
    unittest.main()
