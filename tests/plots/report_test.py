"""Does each part of report.html say what its rows say?"""

import json

import report
import results
from plot_case import PlotCase, slope_row, sweep_of_tables


def verdict_row(identifier, **more):
    row = {
        "id": identifier, "title": "P <= 1", "source": "paper, Lemma 1", "scope": "all", "remark": "", "quantity": "P",
        "instance": "I-TWO", "relation": "<=", "claimed": 1.0, "observed": [0.25, 0.5], "verdict": "not-refuted",
        "expected": "not-refuted", "as_expected": True,
        "mutants": [{"name": "half", "verdict": "refuted"}, {"name": "third", "verdict": "inconclusive"}],
    }  # fmt: skip
    return row | more


def false_row(identifier, **more):
    return verdict_row(identifier, verdict="refuted", expected="refuted", observed=[2.0, 2.0], **more)


def kill_row(identifier, measured, mutant, verdict, distance, visible):
    return {
        "id": identifier, "measured": measured, "mutant": mutant, "verdict": verdict, "expected": verdict,
        "instance": "I-TWO", "quantity": "P", "relation": "<=", "claimed": 1.0, "observed_lo": 2.0, "observed_hi": 2.0,
        "distance_from_claim": distance, "visible_deviation": visible,
    }  # fmt: skip


class Report(PlotCase):
    def test_a_verdict_that_came_otherwise_says_what_was_expected(self):
        cells = report.verdict_row(verdict_row("S1", verdict="refuted", as_expected=False))

        self.assertEqual(cells[3], "[0.25, 0.5]")
        self.assertIn("(expected not-refuted)", cells[4])
        self.assertIn("1 of 2<details>", cells[5])

    def test_the_section_counts_statements_and_mutants(self):
        text = report.verdict_section([verdict_row("S1"), verdict_row("S2", as_expected=False)])

        self.assertIn("1 of 2 statements came out as expected; 2 of 4 mutants", text)

    def test_an_erratum_stands_with_its_corrected_form(self):
        rows = [
            false_row("S001-A", remark="S001-Sharp says it rightly."),
            verdict_row("S001-A-corrected", title="P <= 2"),
            verdict_row("S001-Sharp", title="P <= 1.5"),
            verdict_row("S001-B", title="P <= 7"),
        ]

        text = report.errata_section(rows)

        self.assertIn("1 statements are false or incomplete as printed", text)
        self.assertIn("P = 2; as printed it would be &lt;= 1", text)
        for said, there in (("P &lt;= 2.", True), ("P &lt;= 1.5.", True), ("P &lt;= 7", False)):
            self.assertEqual(said in text, there, said)

    def test_what_follows_from_no_printed_line_is_no_misprint(self):
        self.assertTrue(report.is_misprint({"source": "paper, Lemma 5"}))
        self.assertFalse(report.is_misprint({"source": "derived from paper, Lemma 5"}))
        self.assertFalse(report.is_misprint({"source": "paper, Theorem 3 with the settings of Table 6"}))

    def test_the_kill_matrix_counts_lies_that_are_clear(self):
        rows = [
            kill_row("S1", "claim", "", "not-refuted", 0.1, 1),
            kill_row("S1", "mutant", "half", "refuted", 2, 1),
            kill_row("S1", "mutant", "tenth", "refuted", 0.5, 1),
            kill_row("S2", "mutant", "third", "inconclusive", 0.1, 1),
        ]

        text = report.kill_section(rows, [verdict_row("S3", source="derived from paper")])

        self.assertIn("2 of 3 lies were refuted, 1 of them", text)
        self.assertIn("S2 \u201cthird\u201d", text)
        self.assertIn("and not as a lie: S3.", text)

    def test_a_fault_that_nobody_notices_is_named(self):
        noticed = kill_row("S1", "claim", "", "refuted", 2, 1) | {"fault": "strict-sign"}
        silent = dict.fromkeys(noticed, "") | {"fault": "wrong-ties"}

        text = report.fault_section([noticed, silent])

        self.assertIn("<td>strict-sign</td>", text)
        self.assertIn("<span class=bad>no statement</span>", text)

    def test_theorem_3_at_the_number_of_tables_nearest_to_the_papers(self):
        self.write_csv("sweep.csv", sweep_of_tables())
        sweep = results.read_sweeps(self.folder)[0]

        text = report.theorem_section([sweep])

        self.assertEqual(report.production_value(sweep), 16)  # of 4 and 16 the nearer to 60
        self.assertEqual(text.count("gaussian, P=4, L=16"), 4)

    def test_sentences_on_the_bound(self):
        row = {"trivial_bound_value_units": 2.0, "bound_drawn_occupancy_value_units": 8.0}

        nothing = report.bound_sentence(row | {"bound_sure_occupancy_value_units": 40.0})
        something = report.bound_sentence(row | {"bound_sure_occupancy_value_units": 1.0})

        self.assertIn("4 and 20 times the trivial bound: it says nothing", nothing)
        self.assertIn("is below it", something)

    def test_a_folder_without_results_says_so(self):
        report.main(self.folder)

        text = (self.folder / "report.html").read_text(encoding="utf-8")
        for missing in ("no verdicts", "no kill matrix", "no sweep over tables"):
            self.assertIn(missing, text)

    def test_the_report_of_a_folder(self):
        (self.folder / "verdicts.jsonl").write_text(json.dumps(verdict_row("S001-A")) + "\n", encoding="utf-8")
        (self.folder / "provenance.json").write_text('{"command": "reproduce", "seed": 5}', encoding="utf-8")
        self.write_csv("sweep.csv", sweep_of_tables())
        self.write_csv("sweep_slopes.csv", [slope_row()])

        report.main(self.folder)

        text = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("slope of log error against log tables from 4 on is -0.5000", text)
        self.assertIn("<code>reproduce</code>, seed 5.", text)
        self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])
