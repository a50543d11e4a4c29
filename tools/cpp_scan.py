"""Reads C++ just well enough for the house rules.

It is no parser: it blanks comments and literals, then follows braces and parentheses and tells what each opening brace
begins. That is exact for code in the form that clang-format gives it, and needs no compiler.
"""

import re
from dataclasses import dataclass, field

_LITERAL = re.compile(
    r"""(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
      | R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'""",
    re.S | re.X)
_DIRECTIVE = re.compile(r"^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(source):
    """The source with comments blanked; positions and line numbers stay."""
    return _LITERAL.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], source)


def without_literals(source):
    """The source with comments and the inside of literals blanked; positions and line numbers stay."""
    return _LITERAL.sub(lambda m: _blank(m[0]) if m["comment"] else '"' + _blank(m[0][1:-1]) + '"', source)


def comments(source):
    """Yields (line, text) of each comment."""
    for match in _LITERAL.finditer(source):
        if match["comment"]:
            yield source.count("\n", 0, match.start()) + 1, match[0]


@dataclass
class Function:
    name: str
    first_line: int
    last_line: int


@dataclass
class Statement:
    scope: str  # namespace, type or code: what directly encloses it
    head: str  # its text, with what stands inside (), {} and <> left out
    line: int


@dataclass
class Scan:
    functions: list = field(default_factory=list)  # those that have a body
    statements: list = field(default_factory=list)  # declarations and statements, and what stands before a brace


_PAREN = re.compile(r"\([^(){}]+\)")
_BRACE = re.compile(r"\{[^(){}]*[^(){}\s][^(){}]*\}|\{\s+\}")
_NOT_A_NAME = {"void", "bool", "int", "decltype", "explicit", "alignas", "noexcept", "requires", "__attribute__"}


def flatten(text):
    """Empties parentheses and braces, innermost first, so that only the outermost form of a declaration is left."""
    while True:
        shorter = _BRACE.sub("{}", _PAREN.sub("()", text))
        shorter = re.sub(r"\((?:\(\)|\{\}|[^(){}])+\)", "()", shorter)
        shorter = re.sub(r"\{(?:\(\)|\{\}|[^(){}])+\}", "{}", shorter)
        if shorter == text:
            # Annotations such as GAVEL_GUARDED_BY(x) look like calls and are no part of the form.
            text = re.sub(r"(?<=\S)\s+GAVEL_[A-Z_]+(?:\s*\(\))?", "", text)
            return re.sub(r"\boperator\s*(?:\(\)|[^\s(]+)", "operator_", text)
        text = shorter


def without_templates(text):
    """Empties template argument lists; `text` is flat."""
    text = text.replace("->", "  ").replace("<=>", "   ")
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def function_name(flat):
    """The name in a function's flat head, without its qualifiers; empty when there is none."""
    for match in re.finditer(r"([\w:~]+)\s*\(\)", without_templates(flat)):
        if match[1] not in _NOT_A_NAME:
            return match[1].split("::")[-1]
    return ""


def _begins(head, scope):
    """What an opening brace begins that follows `head` in `scope`: namespace, type, function, code or data."""
    flat = flatten(head).strip()
    plain = without_templates(flat)
    is_type = re.match(r"(?:template\s*)*(?:typedef\s+|static\s+)?(?:class|struct|union|enum)\b", plain)
    if is_type and not plain.endswith(")"):
        return "type"
    if scope == "code":
        return "code"
    if re.match(r'(?:inline\s+)?namespace\b|extern\s*"', plain):
        return "namespace"
    if re.search(r"(?<![=!<>])=(?!=)", plain):
        return "data"
    if re.search(r"\(\)\s*(?:noexcept\s*(?:\(\))?\s*)?:(?!:)", plain):  # a constructor and its initialisers
        return "function" if plain[-1] in ")}" else "data"
    if re.search(r"(?:\)|\bconst|\bnoexcept|\boverride|\bfinal|\btry|\)\s*&{1,2})$", plain) and "()" in plain:
        return "function"
    if re.search(r"\(\).*(?:->|\brequires\b)", flat):
        return "function"
    return "data"


def scan(source):
    """Follows the braces of a source and returns its functions and statements."""
    code = without_literals(source)
    code = _DIRECTIVE.sub(lambda m: _blank(m[0]), code)
    result = Scan()
    stack = []  # (what the brace began, where its head began, depth of parentheses before it)
    scope, start, depth = "namespace", 0, 0

    def line_of(position):
        while position < len(code) and code[position].isspace():
            position += 1
        return code.count("\n", 0, position) + 1

    def state(end):
        result.statements.append(Statement(scope, flatten(code[start:end]).strip(), line_of(start)))

    for at, char in enumerate(code):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{":
            kind = "data" if depth > 0 else _begins(code[start:at], scope)
            if kind != "data":
                state(at)
            stack.append((kind, scope, start, depth))
            # A lambda may stand inside data; what is in its braces is code all the same.
            scope = kind if kind in ("namespace", "type") else "code"
            start, depth = at + 1, 0
        elif char == "}" and stack:
            kind, scope, head, depth = stack.pop()
            if kind == "function":
                name = function_name(flatten(code[head:code.index("{", head)]))
                result.functions.append(Function(name, line_of(head), code.count("\n", 0, at) + 1))
            # The statement around data goes on; everything else ends with its brace.
            start = head if kind == "data" else at + 1
        elif char == ";" and depth == 0:
            state(at)
            start = at + 1
        elif char == ":" and scope == "type" and code[start:at].strip() in ("public", "private", "protected"):
            start = at + 1
    return result
