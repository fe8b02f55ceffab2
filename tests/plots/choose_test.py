"""Do the figures of `socketlab choose` show the numbers of its files?"""

import unittest

from figures.choose import LABELS, draw
from plot_case import NAN, PlotCase, points


def row(ranker, budget, metric, mean):
    return {"ranker": ranker, "budget": budget, "metric": metric, "mean": mean}


def setting(ranker, bits, budget, on_frontier, redrawn_keys=0):
    return {
        "ranker": ranker, "planes": 8, "tables": bits / 8, "temperature": 0.5, "bits_per_key": bits, "budget": budget,
        "bits_read_per_key": bits + budget, "on_frontier": on_frontier, "redrawn_keys": redrawn_keys,
    }  # fmt: skip


class Choose(PlotCase):
    def test_every_rule_has_its_known_means_by_rising_budget_in_every_panel(self):
        rows = [
            row(ranker, budget, metric, mean)
            for ranker, mean in (("socket", 0.5), ("quest-value", 0.25), ("own", NAN))
            for budget in (64, 16)
            for metric in LABELS
        ]
        for axes in draw(rows).axes:
            lines = {line.get_label(): points(line) for line in axes.lines}
            expected = {"SOCKET": [(16, 0.5), (64, 0.5)], "Quest × ‖v‖": [(16, 0.25), (64, 0.25)], "your scores": []}
            self.assertEqual(lines, expected)

    def test_the_search_shows_its_frontier_and_what_reads_least_by_its_redraws_where_there_are_some(self):
        rows = [setting("socket", 80, 40, 1), setting("socket", 160, 10, 1), setting("socket-value", 176, 30, 0)]
        lines = {line.get_label(): points(line) for line in draw(rows).axes[0].lines}
        self.assertEqual(lines["frontier"], [(80, 40), (160, 10)])
        self.assertEqual(lines["least read: P=8, L=10, tau=0.5"], [(80, 40)])
        self.assertEqual(lines["SOCKET × ‖v‖"], [(176, 30)])
        redrawn = draw([*rows, setting("socket", 240, 20, 0, redrawn_keys=25)]).axes[0].lines
        self.assertEqual(points(redrawn[-1]), [(240, 20)])


if __name__ == "__main__":
    unittest.main()
