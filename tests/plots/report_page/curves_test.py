"""Do the table of Theorem 3 and the words under the curves say what their rows say?"""

import results
from plot_case import PlotCase, bound_row, slope_row, sweep_of_tables
from report_page import curves, shell


class Curves(PlotCase):
    def sweep(self, rows):
        self.write_csv("sweep.csv", rows)
        return results.read_sweeps(self.folder)[0]

    def test_theorem_3_at_the_number_of_tables_nearest_to_the_papers(self):
        sweep = self.sweep(sweep_of_tables())

        made = curves.theorem([sweep], [bound_row("bias", "Theorem 8(i)", 0.125)])

        self.assertEqual(curves.production_value(sweep), 16)  # of 4 and 16 the nearer to 60
        self.assertEqual([row[0] for row in made["rows"]], 4 * ["gaussian, P=4, L=16"])
        self.assertEqual({len(row) for row in made["rows"]}, {len(made["columns"])})
        tables, bias = made["rows"][1:3]  # the longest value is 1
        self.assertEqual([cell.text for cell in tables[4:10]], ["2", "4", "3", "–", "1", "10"])
        self.assertEqual((bias[7].value, made["own"]), (0.125, True))
        self.assertEqual([cell.note for cell in tables[4:8]], 3 * ["holds, says nothing"] + [""])
        self.assertEqual(bias[7].note, "")

    def test_a_bound_is_marked_from_the_longest_value_on_unless_the_error_is_larger_still(self):
        row = {"trivial_bound_value_units": 2.0, "error_value_units": 0.5}

        notes = [curves.bound_cell(value, row).note for value in (1.75, 2.0, 7.0, float("nan"))]

        self.assertEqual(notes, ["", "holds, says nothing", "holds, says nothing", ""])
        self.assertEqual(curves.bound_cell(2.5, row | {"error_value_units": 3.0}).note, "")  # it does not hold

    def test_our_bound_is_that_of_the_same_setting_and_term(self):
        row = self.sweep(sweep_of_tables()).at("bias", 16)
        right = bound_row("bias", "Theorem 8(i)", 0.25)
        wrong = [
            right | {"family": "needle"}, right | {"planes": 5}, right | {"tables": 4}, right | {"term": "total"},
            right | {"bound": "repaired"}, right | {"temperature": 0.3}, right | {"keys": 65},
        ]  # fmt: skip

        self.assertNotEqual(curves.own_bound(wrong, row), curves.own_bound(wrong, row))  # NaN
        self.assertEqual(curves.own_bound([*wrong, right], row), 0.25)
        self.assertIsNone(curves.theorem([], []))

    def test_sentences_on_the_bound(self):
        row = {"trivial_bound_value_units": 2.0, "bound_drawn_occupancy_value_units": 8.0}

        nothing = shell.caption("bound_there", row=row | {"bound_sure_occupancy_value_units": 40.0})
        something = shell.caption("bound_there", row=row | {"bound_sure_occupancy_value_units": 1.0})
        one = shell.caption("bound_there", row=row | {"bound_sure_occupancy_value_units": 8.0})

        self.assertIn("4 and 20 times the longest value: it says nothing", nothing)
        self.assertIn("says something, at least with the most favourable B", something)
        self.assertIn("8, 4 times the longest value: it says nothing", one)

    def test_a_figure_stands_with_its_numbers_and_the_command_of_its_own_sweep(self):
        self.write_csv("sweep_slopes.csv", [slope_row()])
        sweep = self.sweep([row | {"command": "socketlab sweep --axis tables"} for row in sweep_of_tables()])
        (self.folder / f"{sweep.name}.svg").write_bytes(b"<svg/>")

        (made,) = curves.figures(self.folder, [sweep], {"command": "reproduce", "seed": 5})

        self.assertEqual(made["facts"], {"command": "socketlab sweep --axis tables", "seed": 5})
        self.assertIn("log tables is −0.5 (−0.52 to −0.48); theory predicts −0.5 (not-refuted)", made["numbers"])
        self.assertIn("infinitely many tables by 0.2 (0.18 to 0.22)", made["numbers"])
        # Of finite tables 0.2, the bias 0.1 and sampling 0.05, at the value nearest to 60.
        self.assertIn("At tables = 16 the largest part of the error is finite tables.", made["caption"])
