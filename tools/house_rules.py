"""The house rules that a script can hold: names, calls, sizes, headers, coroutines, globals and plain text.

Each rule is a function that yields (line, message) for one file; its docstring says why the rule is there. Where a rule
admits an exception, the reason stands in a comment right above the code, and the rule names the word it begins with.
tools/house_rules_test.py holds a violating and a clean sample for every rule.

One noun: the house rules.
"""

import re
from functools import cached_property
from pathlib import PurePosixPath

import cpp_scan

LONG_FILE_LINES = 400
HEAD_LINES = 25  # Where the comment stands that heads a file.
FUNCTION_LINES_MAX = 60
PROSE_WIDTH = 120
# Units that take in Asio or Beast, by the role that they have: (role, where its units are, at most so many, why). A unit
# belongs to the first role that its path fits.
NETWORK_ROLES = (
    ("client", r"src/app/client/", 3, "the parser of responses, the connection, and the client that waits for it"),
    ("load", r"src/app/load/", 1, "one engine drives every kind of load"),
    ("redis", r"src/gate/redis", 1, "one driver, behind the interface of the gate"),
    ("broker", r"src/queue/", 1, "one driver, behind the interface of the queue"),
    ("server", r"src/", 8, "the listeners, the service behind them, and the stages that answer on its executor"),
)
# Where a thread may sleep, and why it may.
SLEEP_ALLOWED = {
    "src/app/sleep.h": "a pause between two tries, on a thread that has nothing else to do and that nobody stops",
}
# Where folders are roles with libraries of their own; those of the oracles serve the simulator, too.
FOLDERS_OF_LIBRARIES = ("src/", "tests/oracle/", "tests/plain/")


class File:
    """A file of the tree: its path from the root with forward slashes, its text, and views of it made on demand."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.name, self.suffix = PurePosixPath(path).name, PurePosixPath(path).suffix
        self.folder = path.split("/")[1] if path.startswith(FOLDERS_OF_LIBRARIES) and path.count("/") > 1 else ""
        self.is_cpp = self.suffix in (".h", ".cc")
        self.is_header = self.suffix == ".h"
        self.is_test = path.startswith(("tests/", "bench/")) or self.name.endswith(("_test.cc", "_test.h"))
        self.is_product = self.is_cpp and path.startswith("src/") and not self.is_test

    @cached_property
    def lines(self):
        return self.text.split("\n")

    @cached_property
    def code(self):
        return cpp_scan.without_literals(self.text)

    @cached_property
    def scan(self):
        return cpp_scan.scan(self.text)

    @cached_property
    def includes(self):
        """(line, name) of each include; the name keeps its quotes or brackets."""
        bare = cpp_scan.without_comments(self.text)
        return [(self.line_at(bare, m.start(1)), m[1])
                for m in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"][^>"\n]+[>"])', bare, re.M)]

    @staticmethod
    def line_at(text, position):
        return text.count("\n", 0, position) + 1

    def matches(self, pattern, text=None):
        """Yields (line, match) for a pattern in the code, or in the given text of the same length."""
        text = self.code if text is None else text
        for match in re.finditer(pattern, text, re.M):
            yield self.line_at(text, match.start()), match

    def excused(self, line, word):
        """Whether the comment right above `line` has a line `// word: reason`."""
        at = line - 2
        while at >= 0 and self.lines[at].lstrip().startswith("//"):
            if re.match(rf"\s*// {word}: \S.{{9,}}", self.lines[at]):
                return True
            at -= 1
        return False


RULES = {}  # name -> (which files, the rule)
CODE_SUFFIXES = (".h", ".cc", ".py", ".sh", ".sql", ".lua", ".cmake", ".ts", ".js", ".css", ".html")


def rule(name, where):
    def add(function):
        RULES[name] = (where, function)
        return function
    return add


def is_cpp(file):
    return file.is_cpp


def is_product(file):
    return file.is_product


def is_code(file):
    return file.suffix in CODE_SUFFIXES or file.name in ("Makefile", "CMakeLists.txt") or not file.suffix


def is_text(file):
    return file.name != "LICENSE"


# Names.

VAGUE = {"manager", "handler", "processor", "helper", "helpers", "util", "utils", "common", "impl"}
VAGUE_TYPES = VAGUE | {"data", "info", "do", "handle"}
VAGUE_VERBS = {"do", "handle"}


def words(name):
    """The words of a name in either spelling: order_state and OrderState are both order, state."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


@rule("file-names", is_text)
def file_names(file):
    """A file called util holds what nobody thought about; a noun says what belongs in it."""
    for part in PurePosixPath(file.path).parts:
        for word in VAGUE & set(words(part)):
            yield 1, f"'{part}' is named after '{word}'; name what it is"


@rule("names", is_cpp)
def names(file):
    """Names of ours say what a thing is or does; names that libraries ask for are not defined by us and pass."""
    kinds = r"^[ \t]*(?:template\b[^;{]*>\s*)?(class|struct|union|enum class|enum|concept|namespace|using)\s+"
    for line, match in file.matches(kinds + r"(?:GAVEL_\w+\(.*\)\s*)?([\w:]+)\s*([{:=;]|final\b|$)"):
        if match[1] == "using" and match[3] != "=":
            continue  # a name of somebody else's
        for word in VAGUE_TYPES & set(words(match[2])):
            yield line, f"'{match[2]}' is named after '{word}'"
    for statement in file.scan.statements:
        if statement.scope == "code" or "()" not in statement.head or re.match(r"using\b|friend\b", statement.head):
            continue
        if re.search(r"\boverride\b", statement.head):
            continue  # named by the class that declares it, perhaps a library's
        declared = words(cpp_scan.function_name(statement.head.split("=")[0]))
        vague = VAGUE & set(declared) or VAGUE_VERBS & set(declared[:1])
        for word in vague:
            yield statement.line, f"'{'_'.join(declared)}' is named after '{word}'"


# Calls.

FREE = r"(?<![\w.>:])(?:std::|::)?"  # a call of the C or standard library, not of a member or of another namespace


def banned(name, where, pattern, message):
    """Adds a rule that a pattern must not occur in the code of certain files."""
    def check(file):
        for line, _ in file.matches(pattern):
            yield line, message
    check.__doc__ = message
    rule(name, where)(check)


def outside_clock(file):
    return file.is_product and not file.path.startswith("src/base/clock")


banned("rand", is_cpp, FREE + r"s?rand\s*\(", "randomness comes from an injected Random, so that a seed repeats a run")
banned("wall-clock", outside_clock,
       FREE + r"time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)|" + FREE + r"(?:gettimeofday|clock_gettime)\s*\("
       r"|\b(?:system|steady|high_resolution)_clock::now\b",
       "time comes from an injected Clock; only base/clock reads the machine's")
def outside_sleep(file):
    return outside_clock(file) and file.path not in SLEEP_ALLOWED


banned("sleep", outside_sleep, FREE + r"(?:u|nano)?sleep\s*\(|\bthis_thread::sleep_(?:for|until)\b",
       "a sleeping thread cannot be simulated or shut down; wait on a Condition, step by the Clock, or take the sleep "
       "of app/sleep.h by constructor where a pause between two tries is all there is")
banned("assert", is_cpp, FREE + r"assert\s*\(|#\s*include\s*<(?:cassert|assert\.h)>",
       "assert vanishes in release builds; CHECK stays in every build")
banned("stdout", lambda f: f.is_product and f.folder not in ("app", "sim"),
       FREE + r"(?:v?printf|puts|putchar)\s*\(|\bcout\b|\bfv?printf\s*\(\s*stdout\b",
       "a library does not own standard output; return text or log")
banned("detach", is_product, r"(?:\.|->)detach\s*\(\s*\)", "a detached thread outlives what it uses; join it")
banned("empty-catch", is_cpp, r"\bcatch\s*\(\s*\.\.\.\s*\)\s*\{\s*\}", "an error that is swallowed is never found")
banned("using-namespace", lambda f: f.is_header, r"^\s*using\s+namespace\b",
       "a header must not change what names mean where it is included")
banned("skipped-test", is_cpp, r"\bDISABLED_\w|\bGTEST_SKIP\b", "a test that is switched off is a defect")


@rule("skipped-script", lambda f: f.suffix in (".py", ".ts", ".js"))
def skipped_script(file):
    """A test that is switched off is a defect, in any language."""
    for line, _ in file.matches(r"unittest\.skip|\bskipTest\(|\b(?:test|it|describe)\.skip\(", file.text):
        yield line, "a test that is switched off is a defect"


@rule("co-await-braces", is_cpp)
def co_await_braces(file):
    """GCC 12 frees an aggregate or a closure that is a temporary of a co_await expression twice: name it first."""
    for line, match in file.matches(r"\bco_await\b"):
        if _temporary_within(file.code, match.end()):
            yield line, "GCC 12 frees a braced temporary or a value that a lambda captures here twice: name it first"


def _temporary_within(code, at):
    """Whether the expression that goes on at `at` holds a braced temporary, or a lambda that captures by value."""
    depth = 0
    while at < len(code):
        char = code[at]
        if char == "[" and not re.search(r"[\w\])]\s*$", code[:at]):
            captures = code[at + 1:code.index("]", at)].split(",")
            if any(c.strip() and not re.match(r"\s*(?:&|this\s*$)", c) for c in captures):
                return True
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{":
            if not re.search(r"(?:[\])]|\b(?:mutable|noexcept)|->\s*[\w:<>*&, ]+)\s*$", code[:at]):
                return True
            at = _closing(code, at)
        if depth < 0 or (char in ";}" and depth == 0):
            return False
        at += 1
    return False


def _closing(code, at):
    """The position of the brace that closes the one at `at`."""
    depth = 0
    for position in range(at, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


# Sizes and shape.

def noun_of(file):
    """What the comment at the head of a file says after `One noun: `, up to the end of its sentence; else nothing."""
    match = re.search(r"\bOne noun: ([^.;:\n]+)", "\n".join(file.lines[:HEAD_LINES]))
    return match[1].strip() if match else None


def is_long(file):
    """Tables of data, such as the catalogue of seeded bugs, grow by their rows and are no code."""
    return is_code(file) and file.text.count("\n") > LONG_FILE_LINES


@rule("one-noun", is_long)
def one_noun(file):
    """A long file is one thing, and its head says which: `// One noun: the schema.`. There is no length to stay below:
    tools/check lists the long files with their nouns, and a reviewer asks whether each is one."""
    noun = noun_of(file)
    count = file.text.count("\n")
    if noun is None:
        yield 1, f"{count} lines: its head comment says `One noun: …`, or it is split by meaning"
    elif {"and", "or", "with", "etc"} & set(words(noun)) or "," in noun:
        yield 1, f"'{noun}' is more than one noun: split the file"
    elif not any(_same_word(a, b) for a in words(noun) for b in words(PurePosixPath(file.path).stem)):
        yield 1, f"'{noun}' shares no word with the name of the file: one of the two is wrong"


def _same_word(a, b):
    """Whether one word is the other, perhaps with an ending: render and rendering, plan and plans."""
    return min(len(a), len(b)) > 2 and (a.startswith(b) or b.startswith(a))


@rule("function-lines", is_cpp)
def function_lines(file):
    """A function over 60 lines is split, unless `// ladder: reason` or `// table: reason` above it says what it is."""
    for function in file.scan.functions:
        count = function.last_line - function.first_line + 1
        excused = file.excused(function.first_line, "(?:ladder|table)")
        if count > FUNCTION_LINES_MAX and not excused:
            yield function.first_line, f"{function.name} has {count} lines; at most {FUNCTION_LINES_MAX}"


@rule("top-comment", lambda f: f.is_header)
def top_comment(file):
    """The header is the contract: it begins with what the thing is and is not."""
    if not re.match(r"\s*(?:#pragma once\s*)?(?://|/\*)[ \t]*\S", file.text):
        yield 1, "a header begins with a comment that says what it is"


@rule("pragma-once", lambda f: f.is_header)
def pragma_once(file):
    """One form of include guard, which cannot be copied with a wrong name."""
    if len(re.findall(r"^#pragma once$", file.code, re.M)) != 1:
        yield 1, "a header has exactly one '#pragma once'"


@rule("globals", is_product)
def globals_(file):
    """State that everybody can change cannot be tested or simulated; `// global: reason` above admits one."""
    for statement in file.scan.statements:
        head = cpp_scan.without_templates(statement.head)
        if statement.scope != "namespace" and not re.match(r"(?:inline\s+)?(?:static|thread_local)\b", head):
            continue
        if _is_mutable_variable(head) and not file.excused(statement.line, "global"):
            yield statement.line, f"mutable state outside an object: {' '.join(head.split())}"


_NO_VARIABLE = re.compile(r"(?:using|typedef|extern|friend|template|namespace|class|struct|union|enum|concept|return"
                          r"|static_assert|asm|goto|else|case)\b")


def _is_mutable_variable(head):
    declared = re.split(r"(?<![=!<>])=(?!=)", head)[0]
    declared = re.sub(r"\{\}", "", declared).strip()
    declared = re.sub(r"\[\[.*?\]\]|alignas\s*\(\)", "", declared).strip()
    if _NO_VARIABLE.match(declared) or not re.fullmatch(r"[\w:\s*&]+[\s*&]\w+(?:\[\w*\])*", declared):
        return False
    if re.search(r"\bconstexpr\b", declared):
        return False
    # A pointer itself can change, whatever it points to.
    return bool(re.search(r"\*\s*\w+(?:\[\w*\])*$", declared)) or not re.search(r"\bconst\b", declared)


# Text.

@rule("open-ends", is_code)
def open_ends(file):
    """What is not done is an issue or is said in the documents, not a mark in the code."""
    marks = "|".join(("TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"))
    for line, match in file.matches(rf"\b(?:{marks})\b", file.text):
        yield line, f"{match[0]}: do it, or write down elsewhere that it is not done"


@rule("machine-paths", is_text)
def machine_paths(file):
    """A path of one person's machine is true nowhere else."""
    roots = "|".join(("ho" "me", "Us" "ers", "ro" "ot", "wo" "rk"))
    for line, match in file.matches(rf"(?<![\w./~$}}-])/(?:{roots})/\w+", file.text):
        yield line, f"path of a machine: {match[0]}"


@rule("nolint", is_cpp)
def nolint(file):
    """A silenced check names itself and says why: NOLINT(check): reason."""
    for first, comment in cpp_scan.comments(file.text):
        if re.search(r"\bNOLINT(?!END)", comment) and not re.search(r"\bNOLINT\w*\([\w.,* -]+\):\s*\S.{7,}", comment):
            yield first, "NOLINT without a check and a reason"


@rule("history", is_cpp)
def history(file):
    """Comments speak of the code as it is; what it was is in the log."""
    for first, comment in cpp_scan.comments(file.text):
        if re.search(r"\bnow we\b", comment, re.I):
            yield first, "a comment that tells history ('now we')"


@rule("prose-width", lambda f: f.suffix == ".md")
def prose_width(file):
    """A change in a paragraph of one long line cannot be read. Tables, headings and fences keep their lines."""
    fenced = False
    for number, line in enumerate(file.lines, 1):
        fenced ^= line.lstrip().startswith("```")
        if len(line) > PROSE_WIDTH and not fenced and not line.lstrip().startswith(("|", "```", "#")) and " " in line.strip():
            yield number, f"{len(line)} columns; prose in Markdown is wrapped at {PROSE_WIDTH}"


@rule("white-space", is_text)
def white_space(file):
    """Invisible differences make noise in every later change."""
    tabs_allowed = file.name == "Makefile" or file.suffix in (".mk", ".tsv")
    for number, line in enumerate(file.lines, 1):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if "\t" in line and not tabs_allowed:
            yield number, "a tab"
    if file.text and not file.text.endswith("\n"):
        yield len(file.lines), "no newline at the end of the file"
    if file.text.endswith("\n\n"):
        yield len(file.lines), "an empty line at the end of the file"


# Of all files together.

def network_units(files):
    """The units that take in Asio or Beast, directly or through headers of ours: (product, tests), sorted paths.

    The simulator is built with the tests and counts as one of them."""
    by_name = {f.path.removeprefix("src/"): f for f in files if f.is_cpp}
    takes_in = {}

    def reaches(file):
        if file.path not in takes_in:
            takes_in[file.path] = False  # ends a cycle; an include that is already being followed adds nothing
            takes_in[file.path] = any(
                re.match(r"<boost/(?:asio|beast)\b", name) or (own and reaches(own))
                for name, own in ((n, by_name.get(n.strip('"'))) for _, n in file.includes))
        return takes_in[file.path]

    units = sorted((f for f in files if f.suffix == ".cc" and reaches(f)), key=lambda f: f.path)
    tests = [f.path for f in units if f.is_test or f.folder == "sim"]
    return [f.path for f in units if f.path not in tests], tests


def network_units_by_role(files):
    """{role: sorted paths of its product units}."""
    product, _ = network_units(files)
    by_role = {role: [] for role, *_ in NETWORK_ROLES}
    for path in product:
        by_role[next(role for role, where, *_ in NETWORK_ROLES if re.match(where, path))].append(path)
    return by_role


def check_network_units(files):
    """Asio and Beast cost 25 seconds a unit; few units for each role keep the build short and the network at the edge."""
    by_role = network_units_by_role(files)
    for role, _, most, why in NETWORK_ROLES:
        units = by_role[role]
        if len(units) > most:
            yield units[-1], 1, f"{len(units)} units of the role {role} include Asio or Beast, at most {most} ({why}): {units}"


def run(files):
    """Yields (rule name, findings) for every rule; a finding is (path, line, message)."""
    for name, (where, check) in sorted(RULES.items()):
        yield name, [(f.path, *finding) for f in files if where(f) for finding in check(f)]
    yield "network-units", list(check_network_units(files))
