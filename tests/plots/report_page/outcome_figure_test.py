"""Does the first figure draw every line of its rows, with the label where the line ends, and say what is to see?"""

import results
from plot_case import PlotCase, bound_row, lines_of, points, sweep_of_tables, sweep_row
from report_page import outcome_figure


class OutcomeFigure(PlotCase):
    def sweep(self, rows=None):
        self.write_csv("sweep.csv", rows or sweep_of_tables())
        return outcome_figure.chosen(results.read_sweeps(self.folder))

    def test_every_line_with_its_points(self):
        own = bound_row("finite-tables", "Theorem 1(b)", 0.25)

        drawn = {label: line for _, label, line in outcome_figure.lines(self.sweep(), [own])}

        self.assertEqual(drawn["paper's bound, drawn B"], [(4, 4), (16, 2)])
        self.assertEqual(drawn["paper's bound, sure B"], [(4, 8), (16, 4)])
        self.assertEqual(drawn["longest value"], [(4, 1), (16, 1)])
        self.assertEqual(drawn["our bound"], [(16, 0.25)])
        self.assertEqual(drawn["exact, measured (dots)"], [(4, 0.4), (16, 0.2)])
        # Squares add up: of 0.4 or 0.2, a bias of 0.1 and a sampling error of 0.05.
        (four, first), (sixteen, second) = drawn["with sampling and bias"]
        self.assertEqual((four, sixteen), (4, 16))
        self.assertAlmostEqual(first**2, 0.16 + 0.01 + 0.0025)
        self.assertAlmostEqual(second**2, 0.04 + 0.01 + 0.0025)

    def test_the_figure_has_them(self):
        figure = outcome_figure.draw(self.sweep(), [])
        axes = figure.axes[0]

        printed = [points(line) for line in lines_of(axes, outcome_figure.COLOURS["printed"])]
        self.assertEqual(printed, [[(4, 8), (16, 4)], [(4, 4), (16, 2)]])
        self.assertEqual(lines_of(axes, outcome_figure.COLOURS["own"]), [])
        self.assertIn("longest value\n1", [text.get_text() for text in axes.texts])

    def test_labels_axis_and_caption_tell_the_same_number_of_tables(self):
        rows = [row | {"axis_value": 15 * row["axis_value"]} for row in sweep_of_tables()]  # 60 and 240 tables
        sweep = self.sweep(rows)
        figure = outcome_figure.draw(sweep, [])
        axes = figure.axes[0]

        self.assertEqual(axes.get_xlabel(), "number of tables L; numbers: at L=60")
        told = [text.get_text() for text in axes.texts]
        for label in ("paper's bound, sure B\n8", "paper's bound, drawn B\n4", "exact, measured (dots)\n0.4"):
            self.assertIn(label, told)
        said = outcome_figure.caption(sweep, [])
        self.assertIn(
            "At L = 60 the paper's bound is 4 with drawn B, the fullest bucket of the drawn tables, and 8 with sure B",
            said,
        )

    def test_a_line_that_ends_early_says_where(self):
        figure = outcome_figure.draw(self.sweep(), [bound_row("finite-tables", "Theorem 1(b)", 0.75, tables=4)])

        # Of 4 and 16 tables 16 are nearer to 60.
        self.assertIn("our bound at L=4\n0.75", [text.get_text() for text in figure.axes[0].texts])

    def test_the_caption_has_the_numbers_of_the_rows(self):
        sweep = self.sweep()

        with_ours = outcome_figure.caption(sweep, [bound_row("finite-tables", "Theorem 1(b)", 0.25)])
        without = outcome_figure.caption(sweep, [])

        self.assertIn(
            "At L = 16 the paper's bound is 2 with drawn B, the fullest bucket of the drawn tables, and 4 with sure B",
            with_ours,
        )
        self.assertIn(
            "our bound is 0.25. The measured error is 0.2; its exact limit for many tables is 0.2.", with_ours
        )
        self.assertIn(
            "Sampling and bias, which more tables do not remove, raise it to 0.229.", with_ours
        )  # root of 0.0525
        self.assertIn("audit --part bounds --family gaussian --keys 64 --dim 8 --planes 4 --temperatures 0.5", without)

    def test_the_needle_is_drawn_where_there_is_one(self):
        needle = [row | {"family": "needle"} for row in sweep_of_tables()]

        self.assertEqual(self.sweep(sweep_of_tables() + needle).family, "needle")
        self.assertEqual(self.sweep().family, "gaussian")

    def test_without_a_sweep_over_tables_there_is_none(self):
        self.assertEqual(outcome_figure.figures(self.folder, [], []), [])
        self.assertIsNone(self.sweep([sweep_row("samples", 4, "sampling", 0.1)]))
