"""Is each rule drawn at its bits, the limit where it is, and are the paper's settings marked?"""

import math

import bits
import numpy as np
from plot_case import PlotCase, lines_of, points


def row(dim, of_bits, rule, correlation, recall=math.nan):
    return {"dim": dim, "bits": of_bits, "rule": rule, "correlation": correlation, "recall": recall}


ROWS = [
    row(64, 128, "equal bits", 0.6), row(64, 32, "equal bits", 0.4), row(128, 32, "equal bits", 0.3),
    row(64, 144, "product quantisation, measured", 0.9, 0.81), row(64, 480, "SOCKET, P=8 tau=0.3, Table 6", 0.75), row(64, 480, "SOCKET, P=8 tau=0.5", 0.77),
]  # fmt: skip


class Bits(PlotCase):
    def test_points_stand_at_their_bits_and_the_settings_of_the_paper_apart(self):
        small, large, recalls, _ = bits.draw(ROWS).axes
        self.assertEqual(points(lines_of(small, "#009E73")[0]), [(32, 0.4), (128, 0.6)])
        self.assertEqual(points(lines_of(large, "#009E73")[0]), [(32, 0.3)])
        self.assertEqual(points(lines_of(small, "#D55E00")[0]), [(480, 0.75)])
        self.assertEqual(points(lines_of(recalls, "#332288")[0]), [(144, 0.81)])  # measured
        ((place, of_normal),) = points(lines_of(recalls, "#D55E00")[0])
        self.assertEqual(place, 480)
        self.assertAlmostEqual(of_normal, bits.normal_recall(0.75))

    def test_the_recall_of_normal_scores_is_that_of_draws(self):
        scores, noise = np.random.default_rng(1).normal(size=(2, 400_000))
        truth = 0.75 * scores + np.sqrt(1 - 0.75**2) * noise
        both = (scores > np.quantile(scores, 0.9)) & (truth > np.quantile(truth, 0.9))
        self.assertAlmostEqual(bits.normal_recall(0.75), both.mean() / 0.1, delta=0.01)
        self.assertAlmostEqual(bits.normal_recall(0), 0.1, delta=1e-6)

    def test_all_of_a_tenth_takes_its_entropy(self):
        entropy = -(0.1 * np.log2(0.1) + 0.9 * np.log2(0.9))
        self.assertEqual(bits.recall_limit(64, 64 * entropy + 1e-6), 1)
        self.assertLess(bits.recall_limit(64, 64 * entropy - 1e-3), 1)
        self.assertAlmostEqual(bits.recall_limit(64, 0), 0.1, places=5)

    def test_the_limit_is_that_of_half_a_bit_and_two_bits_a_coordinate(self):
        self.assertAlmostEqual(bits.limit_of(64, 32), 0.5**0.5)
        self.assertAlmostEqual(bits.limit_of(64, 128), (15 / 16) ** 0.5)
        drawn = dict(points(bits.draw(ROWS).axes[0].lines[0]))
        self.assertAlmostEqual(drawn[32], 0.5**0.5)
