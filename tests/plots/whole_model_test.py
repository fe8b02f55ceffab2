"""Is a speedup that over the fastest dense attention of the same setting, and are the published numbers those of the record?"""

import pathlib

import whole_model
from plot_case import PlotCase, lines_of, points
from results import read_csv

PUBLISHED = pathlib.Path(__file__).parents[2] / "gpu" / "records" / "published_throughput.csv"


def row(arm, ms, append="", **more):
    cells = {"shape": "llama-3.1-8b", "layers": 1, "batch": 1, "keys": 8192, "arm": arm, "append": append}
    cells |= {"ms_a_token": ms, "fastest_ms": ms - 1, "slowest_ms": ms + 1, "tokens_a_second": 1000 / ms}
    return cells | more


ROWS = [
    row("none", 2), row("dense-flash", 12), row("dense-cudnn", 10), row("dense-math", 3), row("signed-320-one", 5, "step"),
    row("signed-320-one", 9, "call"), row("socket", 8, "step"), row("policy", 4, "step", layers=32),
    row("dense-flash", 6, layers=32), row("dense-flash", 20, batch=8), row("signed-320-one", 4, "step", batch=8),
]  # fmt: skip


class WholeModel(PlotCase):
    def test_a_speedup_is_over_the_fastest_dense_of_its_setting(self):
        found = list(whole_model.speedups(ROWS, "signed-320-one", shape="llama-3.1-8b", layers=1, batch=1))

        self.assertEqual(
            found, [(8192, 2, 9 / 6, 11 / 4)]
        )  # cudnn's 10 over 5; not MATH's 3, nor the step behind a call

    def test_published_numbers_are_drawn_beside_ours(self):
        figure = whole_model.speedup(ROWS, read_csv(PUBLISHED))

        one, whole = figure.axes
        self.assertEqual(points(lines_of(one, "#000000")[0]), [(36864, 1.12), (73728, 1.26), (145408, 1.5)])
        self.assertEqual(points(lines_of(one, "#777777")[0])[-1], (73728, 1.52))
        self.assertEqual([points(line) for line in lines_of(one, "#D55E00")], [[(8192, 10 / 8)], [(8192, 2)]])
        self.assertEqual([points(line) for line in lines_of(whole, "#D55E00")], [[(8192, 1.5)]])

    def test_what_they_divide_is_what_they_print(self):
        later = [row for row in read_csv(PUBLISHED) if row["release"] == "later"]

        self.assertEqual(len(later), 10)
        for theirs in later:
            self.assertAlmostEqual(
                theirs["socket_tokens_a_second"] / theirs["dense_tokens_a_second"], theirs["times_dense"], delta=0.0051
            )

    def test_throughput_has_the_fastest_dense(self):
        figure = whole_model.throughput(ROWS, read_csv(PUBLISHED))

        self.assertEqual(points(lines_of(figure.axes[0], "black")[0]), [(8192, 100)])

    def test_the_files(self):
        self.write_csv("whole_model_h200.csv", ROWS)
        (self.folder / "published_throughput.csv").write_bytes(PUBLISHED.read_bytes())

        self.check_files(["whole_model_speedup", "whole_model_throughput"], whole_model.main, self.folder, self.folder)
