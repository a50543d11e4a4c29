#!/usr/bin/env python3
"""The program that is shipped has no seeded bug in it: none of the names by which gavel-sim-bugs chooses one (proof.md).

The names are looked for in the whole file, symbols of the debugger included; that a name of ours is found there shows
that they would be.
"""

import sys
from pathlib import Path

from gavel_process import program

OF_BUGS = (b"seeded_bug", b"choose_bug", b"all_bugs")
OF_THE_SERVICE = b"raise_generations"


def main():
    content = Path(program()).read_bytes()
    found = [name.decode() for name in OF_BUGS if name in content]
    if found:
        print(f"the program knows of seeded bugs: {', '.join(found)}")
    if OF_THE_SERVICE not in content:
        print("the program shows none of its names, so that nothing can be said of these")
    sys.exit(1 if found or OF_THE_SERVICE not in content else 0)


if __name__ == "__main__":
    main()
