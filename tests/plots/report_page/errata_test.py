"""Does every erratum stand with its counterexample and its corrected form, and nothing that is none among them?"""

from plot_case import PlotCase, false_row, verdict_row
from report_page import errata, shell


def page(rows):
    of_rows = {"errata": errata.errata(rows), "readings": errata.readings(rows), "statements": {"views": rows}}
    return shell.environment([row["id"] for row in rows]).get_template("errata.html").render(of_rows)


class Errata(PlotCase):
    def test_an_erratum_stands_with_its_corrected_forms(self):
        rows = [
            false_row("S001-A", remark="S001-Sharp says it rightly."),
            verdict_row("S001-A-corrected"),
            verdict_row("S001-Sharp"),
            verdict_row("S001-B"),
        ]

        ((severity, _, meaning, (entry,)),) = errata.errata(rows)

        self.assertEqual(severity, "misprint")
        self.assertIn("slip", meaning)
        self.assertEqual([row["id"] for row in entry["corrected"]], ["S001-A-corrected", "S001-Sharp"])
        self.assertIn("P is <strong>2</strong>;\nas printed, it should be <strong>≤ 1</strong>", page(rows))

    def test_the_gravest_come_first_and_an_unknown_severity_is_not_lost(self):
        given = ["misprint", "wrong-result", "imprecise", "wrong-step", "misprint", "new"]
        rows = [false_row(f"S{i}", severity=severity) for i, severity in enumerate(given)]

        groups = [(key, [entry["row"]["id"] for entry in entries]) for key, _, _, entries in errata.errata(rows)]

        self.assertEqual(
            groups,
            [("wrong-result", ["S1"]), ("wrong-step", ["S3"]), ("imprecise", ["S2"]), ("misprint", ["S0", "S4"]),
             ("other", ["S5"])],
        )  # fmt: skip

    def test_what_is_not_printed_is_no_erratum(self):
        rows = [false_row("S1"), false_row("S2", wording="reading"), false_row("S3", wording="ours"), verdict_row("S4")]

        self.assertEqual([entry["anchor"] for *_, group in errata.errata(rows) for entry in group], ["erratum-S1"])
        self.assertEqual([entry["anchor"] for entry in errata.readings(rows)], ["reading-S2", "reading-S3"])
        self.assertEqual(errata.readings(rows)[0]["as"], "as read")

    def test_a_bound_that_is_none_is_said_in_words(self):
        text = page([false_row("S1", claimed=1.7976931348623157e308, observed=[0.5, 2.0])])

        self.assertIn("P is <strong>between 0.5 and 2</strong>", text)
        self.assertIn("it should be <strong>≤ no bound</strong>", text)
