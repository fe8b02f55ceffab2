"""Does the frontier show the rows of its density, each ranker by its memory, with levels for what has none?"""

import frontier
import style
from plot_case import PlotCase, lines_of, points


def row(ranker, bits, recall, density=0.1, family="gaussian", predicted=float("nan")):
    quantities = {}
    for name in frontier.LABELS:
        quantities |= {name: recall, f"{name}_lo": recall - 0.1, f"{name}_hi": recall + 0.1}
    size = {"size": "published", "predicted_recall": predicted, "instances": 8}
    size |= {"keys": 8192, "dim": 128, "planes": 10, "tables": 60, "temperature": 0.5}
    return {"ranker": ranker, "family": family, "density": density, "bits_per_token": bits} | quantities | size


ROWS = [
    row("socket", 600, 0.7),
    row("socket", 300, 0.5, predicted=0.55),
    row("socket", 300, 0.2, density=0.02),
    row("oracle-top-k", 2048, 1.0),
    row("quest", 512, 0.4),
]


class Frontier(PlotCase):
    def axes_of(self, rows, quantity="recall"):
        return frontier.frontier(rows, quantity).axes

    def test_points_of_the_nearest_density_by_memory(self):
        axes = self.axes_of(ROWS)[0]

        (socket,) = lines_of(axes, style.RANKERS["socket"][0])
        self.assertEqual(points(socket), [(300, 0.5), (600, 0.7)])
        self.assertEqual(frontier.nearest_density(ROWS, 0.05), 0.02)

    def test_bands_end_where_shares_end_and_of_errors_there_is_one(self):
        rows = [row("socket", 600, 0.95), row("socket", 300, 0.05), row("quest", 512, 0.4), row("quest", 64, 0.3)]
        (recall,) = self.axes_of(rows)
        heights = [y for band in recall.collections for path in band.get_paths() for y in path.vertices[:, 1]]
        self.assertEqual((len(recall.collections), min(heights), max(heights)), (2, 0, 1))
        (errors,) = self.axes_of(rows, "relative_error")
        self.assertEqual(len(errors.collections), 1)

    def test_a_figure_says_its_setting(self):
        figure = frontier.frontier([*ROWS, row("quest", 512, 0.4, family="b") | {"keys": 512}], "recall")

        (below,) = (text.get_text() for text in figure.texts)
        self.assertEqual(below, "N = 512 and 8,192, d = 128, P = 10, L = 60, τ = 0.5, instances = 8")

    def test_a_level_for_what_reads_whole_keys_and_a_thin_line_for_the_prediction(self):
        axes = self.axes_of(ROWS)[0]

        level, prediction = lines_of(axes, "#000000")[0], lines_of(axes, "black")[0]
        self.assertEqual((list(level.get_ydata()), points(prediction)), ([1, 1], [(300, 0.55)]))

    def test_against_density_three_families_stand_and_others_where_the_run_has_none_of_them(self):
        def titles(*families):
            figure = frontier.against_density([row("socket", 600, 0.7, family=family) for family in families])
            return [axes.get_title(loc="left") for axes in figure.axes[::3]]

        self.assertEqual(titles("needle", "needles", "gaussian"), ["gaussian", "needles"])
        self.assertEqual(
            titles("learned-0", "learned-1", "learned-2", "learned-3"), ["learned-0", "learned-1", "learned-2"]
        )
