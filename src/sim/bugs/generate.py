#!/usr/bin/env python3
"""Writes copies of the product's sources with the bugs of catalogue.toml in them, chosen at run time.

    generate.py --list                    the sources of which there will be copies, one a line, from src/
    generate.py --check                   says which bugs are not where they should be; tools/check asks
    generate.py FOLDER                    writes them below FOLDER, and FOLDER/bug_list.cc

A bug replaces a text. It is found exactly once in its file, or in the longer text `context`, which is; otherwise the build
fails, so that a bug whose place has changed is noticed. An expression E becomes (seeded_bug(n) ? (faulty) : (E)), a
statement S becomes { if (seeded_bug(n)) { faulty } else { S } }. Several bugs may replace the same text.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
CALL = "::gavel::sim::seeded_bug"


class Misplaced(Exception):
    """A bug whose place is not found."""


def load():
    """The bugs in order, numbered from 1."""
    with open(HERE / "catalogue.toml", "rb") as file:
        bugs = tomllib.load(file)["bug"]
    names = [bug["name"] for bug in bugs]
    if len(set(names)) != len(names):
        sys.exit(f"catalogue.toml: a name stands twice: {sorted(n for n in names if names.count(n) > 1)}")
    for number, bug in enumerate(bugs, 1):
        bug["number"] = number
        unknown = set(bug) - {"number", "name", "file", "right", "faulty", "context", "form", "oracle"}
        if unknown or bug.get("form", "expression") not in ("expression", "statement"):
            sys.exit(f"catalogue.toml: bug {bug['name']}: {unknown or bug['form']}")
    return bugs


def place_of(bug, text):
    """(begin, end) of the text that the bug replaces."""
    context, right = bug.get("context", bug["right"]), bug["right"]
    for what, where in ((context, text), (right, context)):
        if where.count(what) != 1:
            raise Misplaced(f"catalogue.toml: bug {bug['name']}: {where.count(what)} times in {bug['file']}: {what!r}")
    begin = text.index(context) + context.index(right)
    return begin, begin + len(right)


def replacement(bugs, right):
    """What stands in the place of `right`; the first of the bugs says of which form it is."""
    if bugs[0].get("form", "expression") == "expression":
        for bug in reversed(bugs):
            right = f"({CALL}({bug['number']}) ? ({bug['faulty']}) : ({right}))"
        return right
    for bug in reversed(bugs):
        right = f"{{ if ({CALL}({bug['number']})) {{ {bug['faulty']} }} else {{ {right} }} }}"
    return right


def with_bugs(path, bugs, misplaced_bugs):
    """The text of a source with its bugs; what is wrong with their places is added to the list."""
    text = (SOURCES / path).read_text(encoding="utf-8")
    places = {}
    for bug in bugs:
        try:
            places.setdefault(place_of(bug, text), []).append(bug)
        except Misplaced as misplaced:
            misplaced_bugs.append(str(misplaced))
    ordered = sorted(places, reverse=True)
    for later, earlier in zip(ordered, ordered[1:]):
        if earlier[1] > later[0]:
            sys.exit(f"catalogue.toml: bugs overlap in {path}: {places[earlier][0]['name']}, {places[later][0]['name']}")
    for begin, end in ordered:
        text = text[:begin] + replacement(places[begin, end], text[begin:end]) + text[end:]
    return f'#include "sim/bugs/seeded_bug.h"\n{text}'


def bug_list(bugs):
    rows = "".join(f'    {{{b["number"]}, "{b["name"]}", "{b["file"]}", "{b["oracle"]}"}},\n' for b in bugs)
    return ('#include "sim/bugs/bug_list.h"\n\nnamespace gavel::sim {\nnamespace {\nconstexpr Bug bugs[] = {\n' + rows +
            "};\n}\nstd::span<const Bug> all_bugs() { return bugs; }\n}\n")


def write(path, text):
    """Only where it differs, so that the rest is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    bugs = load()
    files = sorted({bug["file"] for bug in bugs})
    if sys.argv[1] == "--list":
        print("\n".join(files))
        return
    misplaced_bugs = []
    texts = {path: with_bugs(path, [bug for bug in bugs if bug["file"] == path], misplaced_bugs) for path in files}
    if misplaced_bugs:
        sys.exit("\n".join(misplaced_bugs))
    if sys.argv[1] == "--check":
        return
    folder = Path(sys.argv[1])
    for path, text in texts.items():
        write(folder / path, text)
    write(folder / "bug_list.cc", bug_list(bugs))


if __name__ == "__main__":
    main()
