"""Is each rule drawn at its bits, the limit where it is, and are the paper's settings marked?"""

import bits
from plot_case import PlotCase, lines_of, points


def row(dim, of_bits, rule, correlation):
    return {"dim": dim, "bits": of_bits, "rule": rule, "correlation": correlation}


ROWS = [
    row(64, 128, "equal bits", 0.6), row(64, 32, "equal bits", 0.4), row(128, 32, "equal bits", 0.3),
    row(64, 480, "SOCKET, P=8 tau=0.3, Table 6", 0.75), row(64, 480, "SOCKET, P=8 tau=0.5", 0.77),
]  # fmt: skip


class Bits(PlotCase):
    def test_points_stand_at_their_bits_and_the_settings_of_the_paper_apart(self):
        small, large = bits.draw(ROWS).axes
        self.assertEqual(points(lines_of(small, "#009E73")[0]), [(32, 0.4), (128, 0.6)])
        self.assertEqual(points(lines_of(large, "#009E73")[0]), [(32, 0.3)])
        self.assertEqual(points(lines_of(small, "#D55E00")[0]), [(480, 0.75)])

    def test_the_limit_is_that_of_half_a_bit_and_two_bits_a_coordinate(self):
        self.assertAlmostEqual(bits.limit_of(64, 32), 0.5**0.5)
        self.assertAlmostEqual(bits.limit_of(64, 128), (15 / 16) ** 0.5)
        drawn = dict(points(bits.draw(ROWS).axes[0].lines[0]))
        self.assertAlmostEqual(drawn[32], 0.5**0.5)
