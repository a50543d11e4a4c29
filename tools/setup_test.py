"""A known system gets its packages under its own names; any other is told what it needs, and nothing is installed."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).resolve().parent / "setup"
# As on a fresh machine: dpkg knows none of the packages. Whatever apt-get is asked for is written down.
DPKG_QUERY = "#!/bin/sh\nexit 1\n"
APT_GET = '#!/bin/sh\necho "$@" >> "$APT_LOG"\n'


def setup(system, *arguments):
    """Runs tools/setup on a system with this os-release; returns (exit code, output, what apt-get was asked for)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET), ("sudo", '#!/bin/sh\nexec "$@"\n')):
            program = Path(folder, name)
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)
        release, log = Path(folder, "os-release"), Path(folder, "apt.log")
        release.write_text(system, encoding="utf-8")
        log.touch()
        result = subprocess.run([SETUP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                stdin=subprocess.DEVNULL,
                                env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "APT_LOG": str(log),
                                                  "OS_RELEASE": str(release)})
        return result.returncode, result.stdout, log.read_text(encoding="utf-8").split()


class Setup(unittest.TestCase):
    def test_a_known_system_gets_its_packages_under_its_own_names(self):
        for version, theirs, others in (("12", "libboost1.81-dev libtcmalloc-minimal4", "libboost1.83-dev"),
                                        ("13", "libboost1.83-dev libtcmalloc-minimal4t64", "libboost1.81-dev")):
            with self.subTest(version=version):
                code, output, asked = setup(f'ID=debian\nVERSION_ID="{version}"\n', "build")
                self.assertEqual(code, 0, output)
                self.assertLessEqual({"update", "install", "g++", *theirs.split()}, set(asked))
                self.assertNotIn(others, asked)

    def test_any_other_system_is_told_the_packages_and_how_to_go_on(self):
        for system, name in (("ID=fedora\nVERSION_ID=41\n", "fedora 41"), ("ID=debian\nVERSION_ID=11\n", "debian 11"),
                             ("ID=debian\n", "debian"), ("", "unknown")):
            for purpose, following in (("build", "demo"), ("bench", "bench"), ("test", "test"),
                                       ("release", "release-check")):
                with self.subTest(system=name, purpose=purpose):
                    code, output, asked = setup(system, purpose)
                    self.assertEqual((code, asked), (1, []))
                    self.assertIn(f"this system is '{name}'", output)
                    self.assertIn(" libsqlite3-dev ", output)
                    self.assertTrue(output.endswith(f"Then run: make {following} SETUP=--no-setup\n"), output)

    def test_without_setup_every_system_goes_on_and_nothing_is_installed(self):
        for system in ("ID=fedora\nVERSION_ID=41\n", "ID=debian\nVERSION_ID=13\n"):
            with self.subTest(system=system):
                code, output, asked = setup(system, "--no-setup", "build")
                self.assertEqual((code, asked), (0, []), output)
                self.assertIn(" libsqlite3-dev ", output)

    def test_wrong_usage_installs_nothing(self):
        for arguments in ((), ("everything",), ("--no-setup",)):
            with self.subTest(arguments=arguments):
                code, output, asked = setup("ID=debian\nVERSION_ID=12\n", *arguments)
                self.assertEqual((code, asked), (1, []), output)
                self.assertIn("tools/setup build, bench, test or release", output)


if __name__ == "__main__":
    unittest.main()
