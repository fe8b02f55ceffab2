"""Are planted lies counted and coloured by how clearly they were caught, and are faults that nobody notices named?"""

from plot_case import PlotCase, false_row, kill_row, verdict_row
from report_page import lies


def matrix(rows, statements=()):
    return lies.kill_matrix(rows, list(statements))


class Lies(PlotCase):
    def test_lies_are_counted_by_how_clearly_they_were_caught(self):
        rows = [
            kill_row("S1", "statement", "", "not-refuted", 0.1, 1),
            kill_row("S1", "mutant", "far", "refuted", 10, 1),
            kill_row("S1", "mutant", "clear", "refuted", 4.5, 1.5),
            kill_row("S1", "mutant", "near", "refuted", 0.5, 1),
            kill_row("S2", "mutant", "sure", "refuted", 7, 0, deviation_is="rounding on the instances tried"),
            kill_row("S2", "mutant", "third", "inconclusive", 0.1, 1),
            kill_row("S2", "control", "two", "not-refuted", -0.1, 1),
        ]

        made = matrix(rows, [verdict_row("S2", area="bias")])

        self.assertEqual((made["caught"], made["lies"], made["clearly"]), (4, 5, 3))
        self.assertEqual([row["mutant"] for row in made["survivors"]], ["third"])
        bias, rest = made["areas"]
        self.assertEqual((bias["area"], rest["area"]), ("Bias", "Statements"))
        self.assertEqual(dict(rest["counts"]), {"exact": 0, "far": 1, "clear": 1, "near": 1, "alive": 0})
        self.assertEqual(dict(bias["counts"]), {"exact": 1, "far": 0, "clear": 0, "near": 0, "alive": 1})
        self.assertEqual((rest["weakest"], bias["weakest"]), ("0.5×", "0.1×"))

    def test_a_cell_has_a_sign_and_a_factor(self):
        caught = lies.cell_of(kill_row("S1", "mutant", "half", "refuted", 2, 0.5, near="yes"))
        missed = lies.cell_of(kill_row("S1", "mutant", "half", "not-refuted", 0.25, 0.5))

        self.assertEqual((caught["sign"], caught["factor"], caught["look"], caught["near"]), ("✓", "4×", "clear", True))
        self.assertEqual((missed["sign"], missed["factor"], missed["look"]), ("✗", "0.5×", "alive"))

    def test_statements_without_a_near_lie_say_why(self):
        rows = [
            verdict_row("S1"),
            verdict_row("S2", near_mutant=False, no_near_mutant="an order has none"),
            verdict_row("S3", near_mutant=False, why_no_near_mutant="The nearest lie is far."),
            verdict_row("S5", near_mutant=False),
            false_row("S4", near_mutant=False),
        ]

        near, of, without = lies.near_sentence(rows)

        self.assertEqual((near, of), (1, 4))
        reasons = {"S2": "an order has none", "S3": "The nearest lie is far.", "S5": "No reason is given."}
        self.assertEqual(dict(without), reasons)

    def test_a_fault_that_nobody_notices_is_named(self):
        noticed = kill_row("S1", "statement", "", "refuted", 2, 1) | {"fault": "strict-sign"}
        silent = dict.fromkeys(noticed, "") | {"fault": "wrong-ties"}

        made = lies.faults([noticed, silent])

        self.assertEqual(made["by_fault"], [("strict-sign", ["S1"]), ("wrong-ties", [])])
        self.assertEqual([row[0] for row in made["evidence"]], ["strict-sign"])
        self.assertEqual({len(row) for row in made["evidence"]}, {len(made["columns"])})

    def test_a_quick_run_names_the_first_alone(self):
        row = kill_row("S1", "statement", "", "refuted", 2, 1) | {"fault": "strict-sign"}

        self.assertTrue(lies.faults([row], "quick")["only_first"])
        self.assertFalse(lies.faults([row], "standard")["only_first"])

    def test_a_run_without_any_has_none(self):
        self.assertIsNone(matrix([]))
        self.assertIsNone(lies.faults([]))
