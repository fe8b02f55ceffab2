"""Do the figures of `socketlab choose` show the numbers of its files?"""

import unittest

from figures import choose, choose_search, style


def row(ranker, budget, metric, mean):
    return {"ranker": ranker, "budget": budget, "metric": metric, "mean": mean}


ROWS = [
    row(ranker, budget, metric, mean)
    for ranker, mean in (("socket", 0.5), ("quest-value", 0.25), ("own", float("nan")))
    for budget in (64, 16)
    for metric in choose.LABELS
]


def setting(ranker, bits, budget, on_frontier):
    return {"ranker": ranker, "planes": 8, "tables": bits / 8, "temperature": 0.5, "bits_per_key": bits, "budget": budget,
            "bits_read_per_key": bits + budget, "on_frontier": on_frontier}  # fmt: skip


class Choose(unittest.TestCase):
    def test_budgets_rise_and_unknown_means_are_left_out(self):
        self.assertEqual(choose.means(ROWS, "socket", "mass"), [(16, 0.5), (64, 0.5)])
        self.assertEqual(choose.means(ROWS, "own", "mass"), [])

    def test_every_rule_has_a_line_in_every_panel(self):
        figure = choose.draw(ROWS)
        for axes in figure.axes:
            labels = [line.get_label() for line in axes.lines]
            self.assertEqual(labels, ["SOCKET", "Quest × ‖v‖", "your scores"])
            self.assertEqual(list(axes.lines[1].get_ydata()), [0.25, 0.25])
        style.plt.close(figure)

    def test_the_search_shows_its_frontier_and_what_reads_least(self):
        figure = choose_search.draw(
            [setting("socket", 80, 40, 1), setting("socket", 160, 10, 1), setting("socket-value", 176, 30, 0)]
        )
        lines = {line.get_label(): line for line in figure.axes[0].lines}
        self.assertEqual(list(lines["frontier"].get_xdata()), [80, 160])
        self.assertEqual(list(lines["least read: P=8, L=10, tau=0.5"].get_ydata()), [40])
        self.assertEqual(list(lines["SOCKET × ‖v‖"].get_xdata()), [176])
        style.plt.close(figure)


if __name__ == "__main__":
    unittest.main()
