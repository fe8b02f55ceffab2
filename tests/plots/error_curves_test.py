"""Does a figure of a sweep show the rows that it is made of: the points, the exact line, both bounds, the slope?"""

import error_curves
import figures.error_curves
import results
import style
from plot_case import PlotCase, lines_of, points, slope_row, sweep_of_tables, sweep_row


class ErrorCurves(PlotCase):
    def sweep(self, rows=None, slope=None):
        self.write_csv("sweep.csv", rows or sweep_of_tables())
        self.write_csv("sweep_slopes.csv", [slope or slope_row()])
        return results.read_sweeps(self.folder)[0]

    def axes_of(self, sweep):
        figure = error_curves.draw(sweep)
        return figure.axes[0]

    def test_the_exact_line_and_the_points_of_each_term(self):
        axes = self.axes_of(self.sweep())

        exact, measured = lines_of(axes, style.COLOURS["finite-tables"])[:2]
        self.assertEqual(points(exact), [(4, 0.4), (16, 0.2)])
        self.assertEqual((points(measured), measured.get_linestyle()), ([(4, 0.4), (16, 0.2)], "None"))
        self.assertEqual(axes.get_xscale(), "log")

    def test_both_bounds_of_the_term_that_the_axis_is_about(self):
        axes = self.axes_of(self.sweep())

        sure, drawn = lines_of(axes, style.COLOURS["bound"])
        self.assertEqual((points(sure), points(drawn)), ([(4, 8), (16, 4)], [(4, 4), (16, 2)]))

    def test_what_no_output_can_exceed_is_shaded_from_the_longest_value_up(self):
        axes = self.axes_of(self.sweep())

        self.assertIn("vacuous", " ".join(text.get_text() for text in axes.texts))
        self.assertEqual(axes.patches[0].get_extents().transformed(axes.transData.inverted()).y0, 1)

    def test_the_slope_is_printed_with_its_interval(self):
        axes = self.axes_of(self.sweep())

        self.assertIn(
            "finite-tables: slope −0.5000 in [−0.5200, −0.4800], predicted −0.5",
            [text.get_text() for text in axes.texts],
        )

    def test_no_slope_is_printed_where_an_error_is_no_power_of_the_axis(self):
        rows = [sweep_row("temperature", tau, "total", tau, temperature=tau) for tau in (0.1, 0.5)]
        sweep = self.sweep(rows, slope_row(axis="temperature", term="total"))

        self.assertIsNotNone(sweep.slope)
        self.assertNotIn("slope", " ".join(text.get_text() for text in self.axes_of(sweep).texts))

    def test_a_selection_is_joined_by_a_dotted_line_and_has_one_bound(self):
        rows = [sweep_row("budget", k, "selection", 1 / k, predicted_value_units="") for k in (2, 4)]
        axes = self.axes_of(self.sweep(rows))

        dotted = [line for line in lines_of(axes, style.COLOURS["selection"]) if line.get_linestyle() == ":"]
        self.assertEqual([points(line) for line in dotted], [[(2, 0.5), (4, 0.25)]])
        self.assertEqual(len(lines_of(axes, style.COLOURS["bound"])), 1)

    def test_a_title_names_what_no_axis_varies(self):
        row = sweep_row("tables", 4, "total", 1)

        self.assertEqual(
            figures.error_curves.title("needle", row, ["tables", "keys"]), r"needle: $d$=8, $P$=4, $M$=6, $\tau$=0.5"
        )

    def test_two_axes_are_a_heat_map_with_a_number_to_each_cell(self):
        rows = [sweep_row("tables", x, "total", x / y, axis2="planes", axis2_value=y) for x in (8, 16) for y in (4, 5)]
        self.write_csv("sweep.csv", rows)

        figure = error_curves.draw_grid(results.read_grids(self.folder)[0])

        axes = figure.axes[0]
        self.assertEqual(
            axes.images[0].get_array().tolist(), [[2, 4], [1.6, 3.2]]
        )  # a line of cells to each number of planes
        self.assertEqual([text.get_text() for text in axes.texts][:2], ["2\n±0.2", "4\n±0.4"])
