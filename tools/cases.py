"""Holds docs/cases.md against the tests: each test it names is there, and each numbered test stands in its row.

A row ends with what shows the case: tests, written `src/rules/orders_test.cc` `OrdersTest.ACase`, then perhaps what it
still waits for ("waits for the queue"), or "outside: " and the reason. tools/cases_test.py shows what is found.
"""

import re

CASES = "docs/cases.md"
LAST_CASE = 139  # They carry the odd numbers from 1.
FOUND = r"[FG]\d{3}"  # What was found by trying the running service; a row each for those that are mended.
MATRIX_ENTRIES = 8
PARTS = ("the gate in memory", "acts on orders", "acts on stock", "the databases", "Redis", "the queue", "the console")
TEST = re.compile(r"`(?P<path>[\w/]+\.(?:cc|py))` `(?P<name>\w+(?:\.\w+)?)`")
NUMBERED_TEST = r"^(?:TEST(?:_F|_P)?\((?P<suite>\w+), |    def )(?P<name>\w*?_(?:B\d{3}|C17|[FG]\d{3})\w*)"


def has_test(file, name):
    """Whether a file of tests holds the test `Suite.Name`, or for a script the class or function."""
    suite, _, test = name.rpartition(".")
    if file.path.endswith(".cc"):
        return re.search(rf"^TEST(?:_F|_P)?\({suite}, {test}\)", file.text, re.M) is not None
    found = re.search(rf"^(?:class|def) {suite or test}\b", file.text, re.M)
    return found is not None and (not suite or re.search(rf"^    def {test}\(", file.text, re.M) is not None)


def rows_of(file):
    """(line, cells) of each row of a table that is no head."""
    for number, line in enumerate(file.lines, 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|- ") and cells[-1] != "shown by":
            yield number, cells


def _row(cells, by_path):
    """Messages about one row."""
    shown = cells[-1]
    tests = list(TEST.finditer(shown))
    for test in tests:
        file = by_path.get(test["path"])
        if file is None:
            yield f"there is no {test['path']}"
        elif not has_test(file, test["name"]):
            yield f"{test['path']} has no test {test['name']}"
    rest = TEST.sub("", shown)
    for waits in re.finditer(r"waits for ([^;(]+)", rest):
        if waits[1].strip() not in PARTS:
            yield f"waits for '{waits[1].strip()}', which is none of: {', '.join(PARTS)}"
    if "`" in rest:
        yield f"not in the form `file` `test`: {rest[rest.index('`'):]}"
    if not tests and not re.search(r"waits for |outside: \S", rest):
        yield "says neither a test, nor what it waits for, nor why it is outside"


def _numbers(test_name):
    return re.findall(r"(?<=_)(?:B\d{3}|C17|[FG]\d{3})(?=_|$)", test_name)


def check(files):
    """Yields (path, line, message) for what docs/cases.md says wrongly or not at all."""
    by_path = {file.path: file for file in files}
    if CASES not in by_path:
        yield CASES, 1, "missing"
        return
    rows = list(rows_of(by_path[CASES]))
    shown = {}
    for line, cells in rows:
        for message in _row(cells, by_path):
            yield CASES, line, message
        number = cells[0] if len(cells) == 3 else "C17"
        shown[number] = shown.get(number, "") + cells[-1]
    found = [cells[0] for _, cells in rows if re.fullmatch(FOUND, cells[0])]
    if found != sorted(set(found)):
        yield CASES, 1, f"the rows of {', '.join(found)} stand once each and in order"
    numbers = [cells[0] for _, cells in rows if len(cells) == 3 and cells[0] not in found]
    wanted = [f"B{n:03}" for n in range(1, LAST_CASE + 1, 2)]
    if numbers != wanted:
        wrong = sorted(set(numbers) ^ set(wanted)) or ["their order"]
        yield CASES, 1, f"the cases are B001, B003, … B{LAST_CASE}, each once and in order; wrong: {', '.join(wrong)}"
    if len(rows) - len(numbers) - len(found) != MATRIX_ENTRIES:
        yield CASES, 1, f"the matrix of C17 has {MATRIX_ENTRIES} entries"
    for file in files:
        if not file.path.startswith(("src/", "tests/")) or file.suffix not in (".cc", ".py"):
            continue
        for line, match in file.matches(NUMBERED_TEST, file.text):
            for number in _numbers(match["name"]):
                if match["name"] + "`" not in shown.get(number, ""):
                    yield file.path, line, f"{match['name']} is not in the row {number} of {CASES}"
