"""Is each head a thin line and the mean a thick one, and what has no place on a log axis left out?"""

import math

import attend_curves
from plot_case import PlotCase, lines_of, points


def rows(ranking, head, errors):
    return [
        {
            "ranking": ranking,
            "head": head,
            "density": density,
            "relative_error_mean": error,
            "residual_weight_mean": 0.5,
        }
        for density, error in zip((0.1, 0.5), errors, strict=True)
    ]


class AttendCurves(PlotCase):
    def axes_of(self, *files):
        for i, file in enumerate(files):
            self.write_csv(f"attend_curves{i or ''}.csv", file)
        return attend_curves.draw(attend_curves.read_curves(self.folder)).axes

    def test_a_thin_line_to_a_head_and_a_thick_one_for_all(self):
        error, _ = self.axes_of(rows("paper", "0", (0.4, 0.2)) + rows("paper", "all", (0.3, 0.1)))

        thin, thick = lines_of(error, "#0072B2")
        self.assertEqual((points(thin), points(thick)), ([(0.1, 0.4), (0.5, 0.2)], [(0.1, 0.3), (0.5, 0.1)]))
        self.assertLess(thin.get_linewidth(), thick.get_linewidth())

    def test_an_error_of_0_or_infinity_is_left_out(self):
        error, _ = self.axes_of(rows("paper", "all", (math.inf, 0.2)) + rows("true-top-k", "all", (0.1, 0)))

        self.assertEqual(points(lines_of(error, "#0072B2")[0]), [(0.5, 0.2)])
        self.assertEqual(points(lines_of(error, "#000000")[0]), [(0.1, 0.1)])

    def test_a_second_profile_keeps_its_own_curves(self):
        self.axes_of(rows("paper", "all", (0.4, 0.2)), rows("hub", "all", (0.5, 0.3)))

        curves = attend_curves.read_curves(self.folder)
        self.assertEqual(set(curves), {("paper", "all"), ("hub", "all")})
