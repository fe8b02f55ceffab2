"""Do simultaneous intervals hold all differences at once as often as they say, and is a pointwise one refuted?"""

import math
import unittest

import numpy as np
from learned_attention import intervals

WINDOWS, CONTRASTS, TRUTH = 96, 20, 0.3


def skewed(random):
    """Differences that share half of their noise, as losses of one window do; exponential, of mean TRUTH."""
    shared, own = random.exponential(size=(WINDOWS, 1)), random.exponential(size=(WINDOWS, CONTRASTS))
    return TRUTH + (shared + own - 2) * np.linspace(0.1, 3, CONTRASTS)


def covered(trials, of):
    """How many of the tables lie wholly within their intervals."""
    random, hits = np.random.default_rng(5), 0
    for trial in range(trials):
        found = of(skewed(random), trial)
        hits += bool(((found[0] <= TRUTH) & (found[1] >= TRUTH)).all())
    return hits


def simultaneous(differences, seed):
    found = intervals.of_means(differences, resamples=400, seed=seed)
    return found.low, found.high


def pointwise(differences, seed):
    """The lie: 1.96 standard errors for each."""
    error = differences.std(axis=0, ddof=1) / math.sqrt(len(differences))
    return differences.mean(axis=0) - 1.96 * error, differences.mean(axis=0) + 1.96 * error


class Means(unittest.TestCase):
    def test_coverage_of_the_table_and_a_pointwise_lie(self):
        # 400 tables: 95% less four deviations (4 x 1.09%) and 1.6% for the bootstrap of 96 skewed windows is 89%.
        self.assertGreaterEqual(covered(400, simultaneous), 0.89 * 400)
        self.assertLess(covered(400, pointwise), 0.75 * 400)

    def test_one_contrast_is_student_s_about(self):
        normal = np.random.default_rng(1).standard_normal((30, 1))
        found = intervals.of_means(normal, resamples=20000)
        self.assertAlmostEqual(found.half_width, 2.045, delta=0.3)  # t of 29 degrees at 97.5%
        self.assertAlmostEqual(found.mean[0], normal.mean(), places=12)

    def test_copies_of_a_contrast_cost_nothing_and_others_do(self):
        random = np.random.default_rng(2)
        one = random.standard_normal((60, 1))
        single, copies = intervals.of_means(one), intervals.of_means(np.repeat(one, 30, axis=1))
        self.assertAlmostEqual(single.half_width, copies.half_width, places=9)
        thirty = intervals.of_means(random.standard_normal((60, 30)))
        self.assertGreater(thirty.half_width, single.half_width + 0.7)  # normal: 2.00 against 3.14

    def test_the_same_seed_gives_the_same_and_scale_moves_through(self):
        d = np.random.default_rng(3).standard_normal((40, 4))
        a, b, c = intervals.of_means(d, seed=9), intervals.of_means(d, seed=9), intervals.of_means(5 * d, seed=9)
        np.testing.assert_array_equal(a.low, b.low)
        np.testing.assert_allclose(5 * a.high, c.high)

    def test_a_contrast_without_spread_has_no_bounds(self):
        d = np.random.default_rng(4).standard_normal((40, 2))
        d[:, 1] = 0
        found = intervals.of_means(d)
        self.assertTrue(math.isnan(found.low[1]) and math.isnan(found.high[1]) and found.mean[1] == 0)
        np.testing.assert_allclose(found.low[0], intervals.of_means(d[:, :1]).low[0])

    def test_a_contrast_that_moves_at_three_windows_of_24_widens_no_other(self):
        d = np.random.default_rng(5).standard_normal((24, 3))
        d[3:, 1] = 0  # (21/24)^24 = 4% of the draws see it as 0
        d[8:, 2] = 0  # (16/24)^24 = 0.006% of them
        found = intervals.of_means(d)
        self.assertTrue(math.isnan(found.low[1]) and math.isnan(found.high[1]))
        self.assertTrue(np.isfinite(found.low[[0, 2]]).all())
        self.assertEqual(found.half_width, intervals.of_means(d[:, [0, 2]]).half_width)

    def test_two_windows_bound_nothing(self):
        found = intervals.of_means(np.array([[0.1], [0.3]]))  # half of the draws are of one window
        self.assertEqual((found.low[0], found.high[0]), (-math.inf, math.inf))

    def test_refusals(self):
        for bad in (np.zeros((1, 3)), np.zeros(5), np.full((4, 2), np.nan)):
            with self.assertRaisesRegex(ValueError, "allowed are finite numbers"):
                intervals.of_means(bad)


class Shares(unittest.TestCase):
    def test_bounds_of_clopper_and_pearson_by_hand(self):
        # None of n: upper bound 1 - error^(1/n); all: lower error^(1/n); 1 of 2: 1 - (1 - p)^2 = e, and p^2 = 1 - e.
        self.assertAlmostEqual(intervals.share_bounds(0, 20, 0.01)[1], 1 - 0.01 ** (1 / 20), places=9)
        self.assertAlmostEqual(intervals.share_bounds(20, 20, 0.01)[0], 0.01 ** (1 / 20), places=9)
        low, high = intervals.share_bounds(1, 2, 0.1)
        self.assertAlmostEqual(low, 1 - math.sqrt(0.9), places=9)
        self.assertAlmostEqual(high, math.sqrt(0.9), places=9)

    def test_differences_of_pairs_by_hand(self):
        # 10 examples: 4 gained, none lost, one contrast; 5% over four sides.
        first = np.array([[True]] * 7 + [[False]] * 3)
        second = np.array([[True]] * 3 + [[False]] * 7)
        found = intervals.of_share_differences(first, second)
        gained, lost = intervals.share_bounds(4, 10, 0.0125), intervals.share_bounds(0, 10, 0.0125)
        self.assertAlmostEqual(found.mean[0], 0.4)
        self.assertAlmostEqual(found.low[0], gained[0] - lost[1])
        self.assertAlmostEqual(found.high[0], gained[1] - lost[0])

    def test_no_difference_seen_is_no_proof_of_none(self):
        same = np.ones((50, 3), dtype=bool)
        found = intervals.of_share_differences(same, same)
        self.assertTrue((found.low < -0.09).all() and (found.high > 0.09).all())

    def test_coverage_where_few_pairs_differ(self):
        # Discordant pairs are rare, 1% and 3%: the usual normal interval of such a table fails, the exact one holds.
        random, exact, normal, trials = np.random.default_rng(6), 0, 0, 300
        for _ in range(trials):
            u = random.random((40, 12))
            first, second = u < 0.53, (u >= 0.03) & (u < 0.54)
            found = intervals.of_share_differences(first, second)
            truth = 0.53 - 0.51
            exact += bool(((found.low <= truth) & (truth <= found.high)).all())
            d = first.astype(float) - second
            error = 2.87 * d.std(axis=0, ddof=1) / math.sqrt(40)  # Bonferroni of 12 for normal means
            normal += bool((abs(d.mean(axis=0) - truth) <= error).all())
        self.assertGreaterEqual(exact, 0.95 * trials)
        self.assertLess(normal, 0.5 * trials)


if __name__ == "__main__":
    unittest.main()
