"""Do the sections on planted lies count and show what their rows say?"""

import lie_sections as sections
from plot_case import PlotCase, false_row, verdict_row

NAN = float("nan")


def kill_row(identifier, measured, mutant, verdict, distance, visible, **more):
    row = {
        "id": identifier, "measured": measured, "mutant": mutant, "verdict": verdict, "expected": verdict, "near": "",
        "command": "socketlab verify", "instance": "I-TWO", "quantity": "P", "relation": "<=", "claimed": 1.0,
        "observed_lo": 2.0, "observed_hi": 2.0, "distance_from_claim": distance, "visible_deviation": visible,
        "deviation_is": "seen with probability 0.99", "refuted_below_factor": NAN, "refuted_above_factor": NAN,
    }  # fmt: skip
    return row | more


class LieSections(PlotCase):
    def test_the_kill_matrix_counts_lies_that_are_clear(self):
        rows = [
            kill_row("S1", "statement", "", "not-refuted", 0.1, 1),
            kill_row("S1", "mutant", "half", "refuted", 2, 1),
            kill_row("S1", "mutant", "tenth", "refuted", 0.5, 1),
            kill_row("S2", "mutant", "third", "inconclusive", 0.1, 1),
            kill_row("S2", "control", "two", "not-refuted", -0.1, 1),
        ]

        text = sections.kill_section(rows, [verdict_row("S3", wording="ours"), verdict_row("S4")])

        self.assertIn("2 of 3 lies were refuted, 1 of them", text)
        self.assertIn("S2 \u201cthird\u201d", text)
        self.assertIn("and not as a lie: S3.", text)
        self.assertIn("<em>as claimed</em>", text)
        self.assertIn("<em>control:</em> two", text)

    def test_a_row_says_what_its_deviation_is_and_which_factors_are_refuted(self):
        row = kill_row("S1", "statement", "", "not-refuted", 0.1, 1, deviation_is="rounding", refuted_below_factor=0.75)

        self.assertEqual(sections.evidence_cells(row)[-1], "rounding")
        self.assertEqual(sections.factors_cell(row), "below 0.75")
        self.assertEqual(sections.factors_cell(row | {"refuted_above_factor": 1.5}), "below 0.75 or above 1.5")
        self.assertEqual(sections.factors_cell(row | {"refuted_below_factor": NAN}), "")

    def test_statements_without_a_near_lie_say_why(self):
        rows = [
            verdict_row("S1"),
            verdict_row("S2", near_mutant=False, no_near_mutant="an order has none"),
            verdict_row("S3", near_mutant=False),
            false_row("S4", near_mutant=False),
        ]

        text = sections.near_sentence(rows)

        self.assertIn("1 of 3 statements", text)
        self.assertIn("Why 2 have none", text)
        self.assertIn("<li>S2: an order has none</li>", text)
        self.assertIn("<li>S3: no reason given</li>", text)
        self.assertNotIn("S4", text)

    def test_a_fault_that_nobody_notices_is_named(self):
        noticed = kill_row("S1", "statement", "", "refuted", 2, 1) | {"fault": "strict-sign"}
        silent = dict.fromkeys(noticed, "") | {"fault": "wrong-ties"}

        text = sections.fault_section([noticed, silent])

        self.assertIn("<td>strict-sign</td>", text)
        self.assertIn("<span class=bad>no statement</span>", text)
        self.assertIn("<code>socketlab verify</code>", text)

    def test_a_run_without_any_says_so(self):
        self.assertIn("no kill matrix", sections.kill_section([], []))
        self.assertIn("no fault", sections.fault_section([]))
