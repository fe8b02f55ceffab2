"""Does each panel show the bounds and the true quantile of its term, over the longest value?"""

import bound_ratios
import figures.bound_ratios
from plot_case import PlotCase, lines_of, points


def rows(family="gaussian", tables=60, keys=4096):
    common = {
        "family": family, "keys": keys, "dim": 128, "tables": tables, "samples": 410, "delta": 0.05, "temperature": 0.5,
        "trivial_bound_value_units": 2.0,
    }  # fmt: skip
    bounds = (
        ("finite-tables", "Theorem 1(b)", 0.5), ("finite-tables", "printed, B drawn", 40),
        ("finite-tables", "printed, B sure", 400), ("sampling", "Theorem 7(a)", 1), ("sampling", "printed", 20),
        ("bias", "Theorem 8(i)", 0.25), ("bias", "repaired", 8), ("total", "Theorem 9(b)", 1.5),
    )  # fmt: skip
    return [
        common
        | {"planes": planes, "term": term, "bound": bound, "bound_value_units": value}
        | {"error_quantile_value_units": 0.125}
        for planes in (8, 10)
        for term, bound, value in bounds
    ]


class BoundRatios(PlotCase):
    def test_every_height_is_over_the_longest_value(self):
        figure = bound_ratios.draw(rows())
        tables, sampling, bias, total = figure.axes

        self.assertEqual(
            [points(line) for line in lines_of(tables, figures.bound_ratios.OURS[0])], [[(0, 0.25), (1, 0.25)]]
        )
        self.assertEqual(
            [points(line) for line in lines_of(tables, figures.bound_ratios.TRUE[0])], [[(0, 0.0625), (1, 0.0625)]]
        )
        self.assertEqual(
            [points(line) for line in lines_of(tables, figures.bound_ratios.PRINTED[0])],
            [[(0, 200), (1, 200)], [(0, 20), (1, 20)]],
        )
        self.assertEqual(
            [points(line) for line in lines_of(sampling, figures.bound_ratios.PRINTED[0])], [[(0, 10), (1, 10)]]
        )
        self.assertEqual(
            [points(line) for line in lines_of(bias, figures.bound_ratios.REPAIRED[0])], [[(0, 4), (1, 4)]]
        )
        self.assertEqual(lines_of(total, figures.bound_ratios.REPAIRED[0]), [])

    def test_a_figure_to_each_family_and_length(self):
        self.write_csv("bound_ratios.csv", [*rows(), *rows("needle"), *rows(keys=32768)])

        names = ["gaussian_N32768", "gaussian_N4096", "needle_N4096"]
        self.check_files([f"bound_ratios_{name}" for name in names], bound_ratios.main, self.folder)

    def test_settings_that_differ_in_tables_stand_apart_and_say_so(self):
        figure = bound_ratios.draw([*rows(tables=16), *rows(tables=60)])
        axes = figure.axes[1]

        self.assertEqual(
            [points(line) for line in lines_of(axes, figures.bound_ratios.PRINTED[0])], [[(i, 10) for i in range(4)]]
        )
        self.assertEqual(
            [tick.get_text() for tick in axes.get_xticklabels()], ["8\n16\n.5", "10\n16\n.5", "8\n60\n.5", "10\n60\n.5"]
        )
        self.assertEqual(
            figure._suptitle.get_text(), "gaussian: $N$=4096, $d$=128, $M$=410, $\\delta$=0.05; shaded: vacuous"
        )
        self.assertEqual(figure._supxlabel.get_text(), "planes $P$, tables $L$, temperature $\\tau$ (from above)")
