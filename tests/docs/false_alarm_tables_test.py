"""The limits of docs/tables/false_alarm_tables.py, held to cases that can be worked out."""

import unittest

from false_alarm_tables import upper_limit


class UpperLimit(unittest.TestCase):
    def test_none_of_n_leaves_the_nth_root(self):
        for runs in (1, 3, 200):
            self.assertAlmostEqual(upper_limit(0, runs), 1 - 0.05 ** (1 / runs), delta=1e-9)

    def test_one_of_three_solves_a_cubic(self):
        # (1 - p)^3 + 3 p (1 - p)^2 = (1 - p)^2 (1 + 2 p) = 0.05
        p = upper_limit(1, 3)
        self.assertAlmostEqual((1 - p) ** 2 * (1 + 2 * p), 0.05, delta=1e-9)
        self.assertAlmostEqual(p, 0.8646, delta=1e-4)

    def test_all_of_n_say_nothing(self):
        self.assertEqual(upper_limit(4, 4), 1)

    def test_2995_seeds_show_the_probability_of_the_design(self):
        self.assertLessEqual(upper_limit(0, 2995), 1e-3)
        self.assertGreater(upper_limit(0, 2994), 1e-3)
