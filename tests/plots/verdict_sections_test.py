"""Do the sections on statements say what their rows say, and is only what is printed called an erratum?"""

import re

import verdict_sections as sections
from plot_case import PlotCase, false_row, verdict_row


class VerdictSections(PlotCase):
    def test_a_verdict_that_came_otherwise_says_what_was_expected(self):
        cells = sections.verdict_row(verdict_row("S1", verdict="refuted", as_expected=False))

        self.assertEqual(cells[1], "printed")
        self.assertEqual(cells[4], "[0.25, 0.5]")
        self.assertIn("(expected not-refuted)", cells[6])
        self.assertIn("1 of 2<details>", cells[7])

    def test_a_statement_stands_with_the_words_that_it_judges(self):
        printed = sections.title_cell(verdict_row("S1", quote="at most a < b"))
        ours = sections.title_cell(verdict_row("S1", wording="ours", quote=""))

        self.assertIn("\u201cat most a &lt; b\u201d", printed)
        self.assertNotIn("\u201c", ours)

    def test_what_a_share_and_a_bound_are_worth(self):
        pieces = [{}, {"bound_over_quantile": 1.5}, {"bound_over_quantile": 1.25}, {"bound_over_quantile": None}]

        self.assertEqual(sections.observed_cell(verdict_row("S1")), "[0.25, 0.5]")
        self.assertIn("share of the error nominal", sections.observed_cell(verdict_row("S1", share="nominal")))
        self.assertIn("bound/quantile 1.25 to 1.5", sections.observed_cell(verdict_row("S1", evidence=pieces)))
        self.assertEqual(sections.bound_ratios(verdict_row("S1", evidence=pieces[1:2])), "bound/quantile 1.5")

    def test_the_factors_that_are_refuted(self):
        self.assertEqual(sections.factor_cell({"below": 0.25}), "below 0.25")
        self.assertEqual(sections.factor_cell({"below": 0.25, "above": 1.5}), "below 0.25 or above 1.5")
        self.assertEqual(sections.factor_cell({}), "")

    def test_the_lies_with_the_near_one_the_controls_and_the_command(self):
        near = sections.lies_cell(verdict_row("S1"))
        far = sections.lies_cell(false_row("S2", near_mutant=False, no_near_mutant="a yes or no"))

        self.assertIn("<li>third: inconclusive</li>", near)
        self.assertIn("<p>one near</p>", near)
        self.assertIn("<code>socketlab verify --only S1</code>", near)
        self.assertIn("<p>a yes or no</p>", far)
        self.assertIn("<li>P &lt;= 2: not-refuted</li>", far)

    def test_the_section_counts_statements_mutants_and_controls(self):
        refuted_control = [{"name": "P <= 3", "verdict": "refuted"}]
        rows = [verdict_row("S1"), verdict_row("S2", as_expected=False, wording="ours", near_mutant=False)]
        rows += [false_row("S3"), false_row("S4", wording="reading", controls=refuted_control)]

        text = sections.verdict_section(rows)

        self.assertIn("3 of 4 statements came out as expected; 4 of 8 mutants", text)
        self.assertIn("3 statements have one near", text)
        self.assertIn("1 of 2 controls", text)
        self.assertIn("Whose words: 2 printed, 1 a reading, 1 ours.", text)

    def test_an_erratum_stands_with_its_corrected_form_and_its_control(self):
        rows = [
            false_row("S001-A", remark="S001-Sharp says it rightly."),
            verdict_row("S001-A-corrected", title="P <= 2"),
            verdict_row("S001-Sharp", title="P <= 1.5"),
            verdict_row("S001-B", title="P <= 7"),
        ]

        text = sections.errata_section(rows)

        self.assertIn("1 statements are false or incomplete as printed", text)
        self.assertIn("P = 2; as printed it would be &lt;= 1", text)
        self.assertIn("<b>misprint</b>; \u201cat most one\u201d, paper, Lemma 1", text)
        self.assertIn("something true, P &lt;= 2: <span", text)
        for said, there in (("P &lt;= 2.", True), ("P &lt;= 1.5.", True), ("P &lt;= 7", False)):
            self.assertEqual(said in text, there, said)

    def test_the_gravest_errata_come_first(self):
        given = ["misprint", "wrong-result", "imprecise", "wrong-step", "misprint"]
        rows = [false_row(f"S{i}", severity=severity) for i, severity in enumerate(given)]

        text = sections.errata_section(rows)

        self.assertEqual(re.findall(r'<article id="erratum-(S\d)"', text), ["S1", "S3", "S2", "S0", "S4"])
        self.assertIn("1 wrong result, 1 wrong proof step, 1 imprecise, 2 misprint.", text)

    def test_what_is_not_printed_is_no_erratum(self):
        rows = [false_row("S1"), false_row("S2", wording="reading", quote=""), false_row("S3", wording="ours")]

        errata, readings = sections.errata_section(rows), sections.readings_section(rows)

        self.assertEqual(re.findall(r'<article id="([^"]*)"', errata), ["erratum-S1"])
        self.assertEqual(re.findall(r'<article id="([^"]*)"', readings), ["reading-S2", "reading-S3"])
        self.assertIn("as read it would be &lt;= 1", readings)
        self.assertIn("2 statements are no errata", readings)

    def test_a_run_without_any_says_so(self):
        self.assertIn("no verdicts", sections.verdict_section([]))
        self.assertIn("false as printed", sections.errata_section([verdict_row("S1")]))
        self.assertIn("no reading that fails", sections.readings_section([false_row("S1")]))
