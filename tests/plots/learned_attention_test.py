"""Are the differences drawn with their intervals, dense as the line, and predicted recalls against measured ones?"""

import unittest

import learned_attention
from plot_case import PlotCase, points
from results import read_csv
from script import Refused


def loss(ranker, sparsity, difference, **more):
    row = {"kind": "text", "length": 4096, "ranker": ranker, "sparsity": sparsity, "sinks": "forced", "only": ""}
    row |= {"over": "dense", "difference": difference, "low": difference - 0.002, "high": difference + 0.003}
    return row | more


def accuracy(ranker, task, share, **more):
    row = {"kind": task, "length": 4096, "ranker": ranker, "sparsity": 33, "accuracy": share, "dense_accuracy": 0.9}
    return row | {"difference": share - 0.9, "low": share - 1, "high": share - 0.85} | more


LOSSES = [
    loss("socket", 33, 0.02), loss("socket", 10, 0.01), loss("socket", 33, 0.5, sinks="barred"),
    loss("socket", 33, 0.7, over="oracle-top-k"), loss("quest", 33, 0.04), loss("socket", 10, 0.03, length=32768),
    loss("socket", 33, 0.03, length=32768), loss("socket", 33, 0.03, length=16384),
]  # fmt: skip


class LearnedAttention(PlotCase):
    def drawn_of(self, function, name, rows, *more):
        self.write_csv(f"{name}.csv", rows)
        return function(read_csv(self.folder / f"{name}.csv"), *more)

    def test_points_of_a_length_by_sparsity_with_their_intervals(self):
        figure = self.drawn_of(learned_attention.losses, "losses", LOSSES)

        panel = figure.axes[0]
        (container,) = panel.containers
        self.assertEqual(points(panel.lines[0]), [(10, 0.01), (33, 0.02)])
        low, high = container[2][0].get_segments()[1][:, 1]
        self.assertAlmostEqual(low, 0.018)
        self.assertAlmostEqual(high, 0.023)
        titles = [axes.get_title(loc="left") for axes in figure.axes]
        self.assertEqual(titles[::2], ["4K tokens, hash tables", "32K tokens, hash tables"])  # 16K has one sparsity

    def test_an_interval_that_is_missing_leaves_the_point(self):
        figure = self.drawn_of(learned_attention.losses, "losses", [loss("socket", 33, 0.0, low="", high="")])

        self.assertEqual(points(figure.axes[0].lines[0]), [(33, 0)])
        self.assertEqual(len(figure.axes[0].containers), 0)

    def test_rankers_stand_by_their_loss_over_dense_at_one_sparsity_and_the_shortest_length(self):
        figure = self.drawn_of(learned_attention.ranked, "losses", [*LOSSES[::-1], loss("oracle-top-k", 33, 0.01)])

        (axes,) = figure.axes
        named = [label.get_text() for label in axes.get_yticklabels()]
        self.assertEqual(named, ["true top k", "SOCKET", "Quest"])
        dots = [points(line)[0] for line in axes.lines if len(points(line)) == 1]
        self.assertEqual(dots, [(0.01, 0), (0.02, 1), (0.04, 2)])
        intervals = [[x for x, _ in points(line)] for line in axes.lines if len(points(line)) == 2]
        self.assertAlmostEqual(intervals[2][0], 0.038)
        self.assertAlmostEqual(intervals[2][1], 0.043)
        self.assertEqual(intervals[3], [0.01, 0.01])  # the line of the true top k
        self.assertTrue(axes.yaxis_inverted())

    def test_dense_is_a_line_and_the_interval_about_it(self):
        rows = [accuracy("socket", "needle", 0.8), accuracy("quest", "needle", 0.2), accuracy("socket", "words", 0.5)]
        figure = self.drawn_of(learned_attention.accuracies, "accuracies", rows, 4096)

        drawn = [points(line) for line in figure.axes[0].lines]
        interval = next(line for line in drawn if len(line) == 2 and line[0][1] == line[1][1])
        self.assertAlmostEqual(interval[0][0], 0.9 - 0.2)
        self.assertAlmostEqual(interval[1][0], 0.9 - 0.05)
        self.assertIn([(0.8, 0)], drawn)
        self.assertIn([(0.9, 0), (0.9, 1)], drawn)
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["needle", "words"])

    def test_predicted_recall_is_across_and_measured_up(self):
        row = {"length": 4096, "ranker": "hamming", "sparsity": 33, "layer": 0, "head": 1, "recall": 0.4}
        rows = [
            row | {"predicted_recall": 0.5},
            row | {"predicted_recall": 0.7, "sparsity": 10},
            row | {"predicted_recall": "", "ranker": "quest"},
        ]
        self.write_csv("losses.csv", LOSSES)
        self.write_csv("heads.csv", rows)
        drawn = dict(learned_attention.figures(self.folder))

        lines = drawn["learned_recall"].axes[0].lines
        self.assertEqual([points(line) for line in lines[1:]], [[(0.5, 0.4)]])

    def test_the_files(self):
        self.write_csv("losses.csv", LOSSES)
        self.write_csv(
            "accuracies.csv", [accuracy("socket", "needle", 0.8), accuracy("quest", "needle", 0.8, length=32768)]
        )
        correlation = {"length": 4096, "ranker": "socket", "sparsity": 33, "measure": "relative_error"}
        two = [correlation | {"statistic": name, "spearman": 0.5} for name in ("key_norm", "sink_mass")]
        self.write_csv("correlations.csv", two)

        learned_attention.main(self.folder)

        self.assertEqual(
            self.drawn(),
            ["learned_accuracy_32k", "learned_accuracy_4k", "learned_correlations", "learned_loss", "learned_ranking"],
        )

    def test_tables_that_cannot_be_drawn_are_refused(self):
        with self.assertRaisesRegex(Refused, "losses.csv: no row of a loss over dense"):
            learned_attention.main(self.folder)
        self.write_csv("losses.csv", [loss("socket", "x", 0.1)])
        with self.assertRaisesRegex(Refused, "losses.csv, line 2: could not convert"):
            learned_attention.main(self.folder)


if __name__ == "__main__":
    unittest.main()
