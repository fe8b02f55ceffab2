"""Are the outlined points those that nothing of the same rule beats in both time and accuracy?"""

import decode_frontier
from plot_case import PlotCase, points


def row(rule, time, error, budget=100, kv_heads=32, keys=145408):
    quantities = {"output_error": error, "softmax_mass": 1 - error}
    shape = {"heads": 32, "kv_heads": kv_heads, "keys": keys}
    return {"family": "gaussian", "rule": rule, "budget": budget, "median_us": time} | shape | quantities


ROWS = [
    row("socket", 100, 0.5),
    row("socket", 120, 0.25),
    row("socket", 130, 0.4, budget=200),
    row("signed-orthogonal-norm", 90, 0.3),
    row("dense-flash", 520, 0.001),
]


class DecodeFrontier(PlotCase):
    def test_unbeaten(self):
        better = lambda a, b: a < b  # noqa: E731

        self.assertEqual(decode_frontier.unbeaten([(3, 0.4), (1, 0.5), (2, 0.25)], better), [(1, 0.5), (2, 0.25)])
        self.assertEqual(decode_frontier.unbeaten([(1, 0.5), (2, 0.5)], better), [(1, 0.5)])

    def test_a_line_to_a_budget_and_one_of_the_unbeaten(self):
        figure = decode_frontier.frontier(ROWS)

        socket = [line for line in figure.axes[0].lines if line.get_color() == "#0072B2"]
        lines = [points(line) for line in socket]
        self.assertEqual(lines, [[(100, 0.5), (120, 0.25)], [(130, 0.4)], [(100, 0.5), (120, 0.25)]])

    def test_more_mass_is_better(self):
        figure = decode_frontier.frontier(ROWS)

        socket = [line for line in figure.axes[1].lines if line.get_color() == "#0072B2"]
        self.assertEqual(points(socket[-1]), [(100, 0.5), (120, 0.75)])
        self.assertEqual(figure.axes[1].get_ylim(), (0, 1.03))

    def test_the_file(self):
        self.write_csv("frontier_h200.csv", [*ROWS, row("socket", 40, 0.5, kv_heads=8)])

        self.check_files(["decode_frontier", "decode_frontier_8"], decode_frontier.main, self.folder, self.folder)

    def test_the_first_length_alone(self):
        self.write_csv("frontier_h200.csv", [*ROWS, row("socket", 40, 0.5, kv_heads=8, keys=294912)])

        self.check_files(["decode_frontier"], decode_frontier.main, self.folder, self.folder)
