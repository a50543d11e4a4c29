#!/usr/bin/env python3
"""The quick tour of README.md, run to the letter: every command, against the real service, prints what stands there.

    tests/e2e/readme_test.py            runs the tour and compares
    tests/e2e/readme_test.py --print    prints the section with the outputs of this run

In the section `Quick tour`, a fenced block `sh` holds commands; the block behind it, where there is one that is not
`sh`, is their exact output. All commands run in one bash, in the order of the page. Only two things are substituted in
the commands: the ports, by free ones, and `make`, which has been run. What differs from run to run is masked in both
the page and the output by mask(); nothing else is.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gavel_process import program

README = Path(__file__).resolve().parent.parent.parent / "README.md"
SECTION = "## Quick tour"
PORTS = ("8080", "8081")
WITHIN = 60  # Seconds for the whole tour.
MARK = "-- end of step --"


@dataclass
class Step:
    line: int
    commands: str
    expected: str  # Empty where no output is shown: there must be none.
    shown_at: slice | None  # Where it stands in the section.


def mask(text):
    """The one place that says what may differ: UUIDs, but an id that stands twice must stand twice; times; the ports;
    the folder; the number of the background process."""
    seen = {}

    def number(match):
        return f"UUID-{seen.setdefault(match[0], len(seen) + 1)}"

    text = re.sub(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", number, text)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", text)
    text = re.sub(r"(127\.0\.0\.1):\d+", r"\1:PORT", text)
    text = re.sub(r"/tmp/tmp\.\w+", "FOLDER", text)
    return re.sub(r"^\[1\] \d+$", "[1] PROCESS", text, flags=re.M)


def section():
    """(its text, the line that it begins in)."""
    text = README.read_text(encoding="utf-8")
    begin = text.index(f"{SECTION}\n")
    end = text.find("\n## ", begin)
    return text[begin:end + 1 if end >= 0 else len(text)], text.count("\n", 0, begin) + 1


def steps_of(text, first_line):
    blocks = list(re.finditer(r"^```(\w*)\n(.*?)^```\n", text, re.M | re.S))
    steps = []
    for block, after in zip(blocks, blocks[1:] + [None]):
        if block[1] != "sh":
            continue
        shown = after is not None and after[1] != "sh"
        line = first_line + text.count("\n", 0, block.start())
        steps.append(Step(line, block[2], after[2], slice(*after.span(2))) if shown else Step(line, block[2], "", None))
    return steps


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(s.getsockname()[1]) for s in sockets]
    for one in sockets:
        one.close()
    return ports


def play(steps):
    """The output of each step. One bash runs all of them; it and all that it started are ended at the end."""
    ports = free_ports(len(PORTS))
    script = "make() { :; }\n"
    for step in steps:
        commands = step.commands
        for shown, free in zip(PORTS, ports):
            commands = commands.replace(f":{shown}", f":{free}")
        script += f"{commands}echo '{MARK}'\n"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GAVEL_")}
    environment |= {"GAVEL_HTTP__PORT": ports[0], "GAVEL_ADMIN__PORT": ports[1]}
    with tempfile.TemporaryDirectory(prefix="gavel-readme-") as folder:
        place = Path(folder, "build", "release")
        place.mkdir(parents=True)
        place.joinpath("gavel").symlink_to(Path(program()).resolve())
        bash = subprocess.Popen(["bash"], cwd=folder, env=environment | {"TMPDIR": folder}, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True)
        try:
            out, _ = bash.communicate(script, timeout=WITHIN)
        finally:
            end_group(bash)
    outputs = out.split(f"{MARK}\n")
    if len(outputs) != len(steps) + 1 or outputs[-1]:
        raise AssertionError(f"the tour broke off after step {len(outputs) - 1} of {len(steps)}:\n{out}")
    return outputs[:-1]


def end_group(bash):
    """Ends what the tour may have left: its processes are a group of their own."""
    try:
        os.killpg(bash.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    bash.wait()


def differences(steps, outputs):
    """Masked as one text, so that an id keeps its number over all steps."""
    cut = "\n-- next step --\n"
    expected = mask(cut.join(step.expected for step in steps)).split(cut)
    actual = mask(cut.join(outputs)).split(cut)
    for step, wanted, got in zip(steps, expected, actual):
        if wanted != got:
            yield f"README.md:{step.line}: {step.commands}--- the page says\n{wanted}--- the service says\n{got}"


def with_outputs(text, steps, outputs):
    """The section with what was printed in the place of what stands there."""
    for step, output in reversed(list(zip(steps, outputs))):
        if step.shown_at is not None:
            text = text[:step.shown_at.start] + output + text[step.shown_at.stop:]
    return text


def check_comparison(steps, outputs):
    """The comparison finds a changed word, a line too many, and an id that stands in the place of another."""
    ids = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", "".join(outputs))
    other = next(each for each in ids if each != ids[0])
    for doctor in (lambda text: text.replace("reserved", "sold"), lambda text: text + "{}\n",
                   lambda text: text.replace(ids[0], other, 1)):
        doctored = [doctor(output) for output in outputs]
        if not list(differences(steps, doctored)):
            raise AssertionError("the comparison does not see a doctored output")


def main():
    text, first_line = section()
    steps = steps_of(text, first_line)
    started = time.monotonic()
    outputs = play(steps)
    if sys.argv[1:] == ["--print"]:
        print(with_outputs(text, steps, outputs), end="")
        return
    check_comparison(steps, outputs)
    wrong = list(differences(steps, outputs))
    print("\n".join(wrong), end="")
    shown = sum(1 for step in steps if step.shown_at is not None)
    print(f"readme_test: {len(steps)} steps, {shown} with their output, {len(wrong)} differ, "
          f"{time.monotonic() - started:.1f} s")
    sys.exit(1 if wrong or not shown else 0)


if __name__ == "__main__":
    main()
