"""Holds docs/tour.md against the code: each place it names is where the tour says.

A place is written [`src/pipeline/pipeline.cc:38`](../src/pipeline/pipeline.cc#L38) `Pipeline::submit`: the line must
contain the words that follow it. `python3 tools/tour.py --fix` puts the line numbers right after code has moved.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
TOUR = "docs/tour.md"
PLACE = re.compile(r"\[`(?P<path>[\w./]+):(?P<line>\d+)`\]\(\.\./(?P=path)#L(?P=line)\) `(?P<words>[^`]+)`")


def line_of(words, lines):
    """The first line (from 1) that contains the words outside of a comment, or none."""
    for number, line in enumerate(lines, start=1):
        if words in line and not line.lstrip().startswith("//"):
            return number
    return None


def check(files):
    """Yields (path, line, message) for each place that is not as the tour says."""
    by_path = {file.path: file for file in files}
    tour = by_path.get(TOUR)
    if tour is None:
        yield TOUR, 1, "missing"
        return
    for number, text in enumerate(tour.lines, start=1):
        for place in PLACE.finditer(text):
            there = by_path.get(place["path"])
            if there is None:
                yield TOUR, number, f"there is no {place['path']}"
            elif line_of(place["words"], there.lines) != int(place["line"]):
                found = line_of(place["words"], there.lines)
                yield TOUR, number, f"`{place['words']}` is at {place['path']}:{found}; run python3 tools/tour.py --fix"
    if not PLACE.search(tour.text):
        yield TOUR, 1, "names no place in the code"


def fixed(text, read_lines):
    """The tour's text with every line number put right; a place that is gone keeps its number for check() to find."""

    def put_right(place):
        path, words = place["path"], place["words"]
        line = line_of(words, read_lines(path)) or place["line"]
        return f"[`{path}:{line}`](../{path}#L{line}) `{words}`"

    return PLACE.sub(put_right, text)


def main():
    if sys.argv[1:] != ["--fix"]:
        print(__doc__)
        return 2
    tour = ROOT / TOUR
    tour.write_text(fixed(tour.read_text(), lambda path: (ROOT / path).read_text().splitlines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
