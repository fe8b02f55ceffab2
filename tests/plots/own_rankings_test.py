"""Does each ranker's line go through its means over the queries?"""

from figures import own_rankings, style
from plot_case import PlotCase, lines_of, points


def row(ranker, query, density, recall, error):
    return {
        "ranker": ranker, "bits_per_token": 8, "query": query, "density": density, "selected": density,
        "recall": recall, "mass": recall / 2, "relative_error": error,
    }  # fmt: skip


def rows():
    return [
        row("socket", 0, 0.5, 1.0, 0.25),
        row("socket", 0, 0.25, 0.5, 0.5),
        row("socket", 1, 0.25, 1.0, 1.5),
        row("socket", 1, 0.5, 1.0, 0.75),
        row("oracle-top-k", 0, 0.25, 1.0, 0.0),
    ]


class OwnRankings(PlotCase):
    def test_means_over_the_queries_by_rising_density(self):
        self.assertEqual(own_rankings.means(rows(), "socket", "recall"), [(0.25, 0.75), (0.5, 1.0)])

    def test_a_panel_to_each_quantity_and_no_place_for_an_error_of_0(self):
        figure = own_rankings.draw(rows())
        recall, mass, error = figure.axes

        colour = style.RANKERS["socket"][0]
        self.assertEqual([points(line) for line in lines_of(recall, colour)], [[(0.25, 0.75), (0.5, 1.0)]])
        self.assertEqual([points(line) for line in lines_of(mass, colour)], [[(0.25, 0.375), (0.5, 0.5)]])
        self.assertEqual([points(line) for line in lines_of(error, colour)], [[(0.25, 1.0), (0.5, 0.5)]])
        self.assertEqual(lines_of(error, style.RANKERS["oracle-top-k"][0]), [])
        self.assertEqual(error.get_yscale(), "log")
