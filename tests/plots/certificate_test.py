"""Does each query show, for every term, one radius of each basis at its own delta, chosen before chance decides?"""

import certificate
import figures.certificate
from plot_case import PlotCase
from results import read_csv


def row(term, basis, value, delta=0.05, query=0):
    return {
        "query": query, "head": 0, "key_head": 0, "keys": 100, "planes": 8, "tables": 60, "samples": 10, "budget": 10,
        "temperature": 0.5, "term": term, "basis": basis, "name": "one", "delta": delta, "value": value,
        "longest_value_value_units": 3.0, "dense_norm_value_units": 1.0,
    }  # fmt: skip


def rows():
    return [
        row("finite-tables", "measured", 0.5, 0),
        row("top-m", "certified", 4, 0),
        row("top-m", "certified", 3, 0),
        row("finite-tables", "certified", 0.75),
        row("finite-tables", "certified", 0.7),
        row("finite-tables", "certified", 0.6, 0.01),  # of another delta: not shown
        row("finite-tables", "printed", float("inf")),
        row("bias", "measured", 0.25, 0),
        row("bias", "printed", 64, 0),
        row("total", "measured", 2, 0, query=1),
    ]


class Certificate(PlotCase):
    def test_the_first_radius_at_the_largest_delta_and_the_least_of_those_without_chance(self):
        self.assertEqual(figures.certificate.height(rows(), "finite-tables", "certified"), 0.75)
        self.assertEqual(figures.certificate.height(rows(), "top-m", "certified"), 3)
        self.assertEqual(figures.certificate.height(rows(), "finite-tables", "measured"), 0.5)
        self.assertIsNone(figures.certificate.height(rows(), "finite-tables", "printed"))
        self.assertIsNone(figures.certificate.height(rows(), "sampling", "measured"))

    def test_of_radii_of_the_samples_the_least_and_of_the_tables_the_last_at_a_small_delta(self):
        shown = [row("sampling", "certified", 5), row("sampling", "certified", 4)]
        shown += [row("total", "certified", value) for value in (8, 7, 6)]
        names = ("Theorem 7(a)", "Theorem 7(c)", "Theorem 9(b)", "Theorem 7(c) and the offset", "Theorem 9(a)")
        for one, name in zip(shown, names, strict=True):
            one["name"] = name
        for delta, expected in ((1e-3, 3), (1e-4, 2)):
            tables = [row("finite-tables", "certified", value, delta) for value in (3, 2)]
            self.assertEqual(figures.certificate.height(shown + tables, "finite-tables", "certified"), expected)
        self.assertEqual(figures.certificate.height(shown, "sampling", "certified"), 4)
        self.assertEqual(figures.certificate.height(shown, "total", "certified"), 7)

    def test_every_bar_of_the_papers_bound_has_the_drawn_b_that_its_label_names(self):
        readings = [
            (term, delta, 1000 * (1 + place), half)
            for place, (term, delta) in enumerate({"finite-tables": 0.05, "bias": 0, "total": 0.05}.items())
            for half in (1, 0.5)
        ]
        shown = []
        for term, delta, value, share in readings:
            # The smaller one is that of the larger B: not so of this version, and none of the figure's business.
            shown.append(row(term, "printed", value * share, delta))
            reading = "B of the drawn tables" if share == 1 else "B that can hold surely"
            shown[-1]["name"] = f"Lemma, {reading}"
        shown.append(row("sampling", "printed", 7) | {"name": "Lemma 10"})
        self.write_csv("certificate.csv", shown)

        figure = certificate.draw(read_csv(self.folder / "certificate.csv"))

        (bars,) = figure.axes[0].containers
        drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars}
        self.assertIn("drawn tables", bars.get_label())
        self.assertEqual(drawn, {0: 1000, 1: 2000, 2: 7, 3: 3000})

    def test_the_title_counts_the_queries_that_are_not_shown(self):
        for queries, expected in ((6, False), (7, True)):
            figure = certificate.draw([row("bias", "measured", 0.25, 0, query=query) for query in range(queries)])
            words = " ".join(text.get_text() for text in figure.texts)
            self.assertEqual("the first 6 of 7 queries" in words, expected)

    def test_a_panel_for_each_query_with_its_bars(self):
        figure = certificate.draw(rows())

        panels = [axes for axes in figure.axes if axes.get_visible()]
        heights = [sorted(bar.get_height() for group in axes.containers for bar in group) for axes in panels]
        self.assertEqual(heights, [[0.25, 0.5, 0.75, 3, 64], [2]])
