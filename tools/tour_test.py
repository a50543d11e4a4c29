"""A tour that points past the code is found, and put right."""

import unittest

import tour
from house_rules import File

CODE = File("src/a.cc", "// void decide() is spoken of here.\n\nvoid decide() {}\n")


def findings(text, *more):
    return [message for _, _, message in tour.check([File(tour.TOUR, text), CODE, *more])]


def place(line, words="void decide"):
    return f"Read [`src/a.cc:{line}`](../src/a.cc#L{line}) `{words}` first.\n"


class Tour(unittest.TestCase):
    def test_a_place_that_is_right_passes(self):
        self.assertEqual(findings(place(3)), [])

    def test_a_comment_is_not_the_place(self):
        self.assertEqual(len(findings(place(1))), 1)

    def test_code_that_moved_is_found_and_put_right(self):
        self.assertIn("src/a.cc:3", findings(place(7))[0])
        self.assertEqual(tour.fixed(place(7), lambda path: CODE.lines), place(3))

    def test_words_that_are_gone(self):
        self.assertEqual(len(findings(place(3, "void judge"))), 1)

    def test_a_file_that_is_gone(self):
        self.assertEqual(findings(place(3).replace("a.cc", "b.cc")), ["there is no src/b.cc"])

    def test_a_tour_without_places(self):
        self.assertEqual(findings("Nothing to see.\n"), ["names no place in the code"])


if __name__ == "__main__":
    unittest.main()
