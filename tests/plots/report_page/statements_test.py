"""Does a statement show its evidence, its lies and where it stands, and do the filters offer what occurs?"""

from plot_case import PlotCase, false_row, kill_row, verdict_row
from report_page import statements


def only(*rows, kills=()):
    return statements.statements(list(rows), list(kills))["views"]


class Statements(PlotCase):
    def test_claim_observation_factors_and_place(self):
        (view,) = only(verdict_row("S1"))

        self.assertEqual((view["anchor"], view["claimed"], view["observed"]), ("statement-S1", "<= 1", "0.25 to 0.5"))
        self.assertEqual((view["factors"], view["caught"]), ("below 0.25", 1))
        self.assertEqual(view["area"], "Ranking")

    def test_factors_on_both_sides(self):
        self.assertEqual(statements.factors_text(0.25, 1.5), "below 0.25 or above 1.5")
        self.assertEqual(statements.factors_text(None, float("nan")), "")
        self.assertEqual(statements.factors_text(1e-120, 1.5), "above 1.5")
        self.assertEqual(statements.factors_text(0.25, 1e120), "below 0.25")

    def test_what_a_bound_is_worth(self):
        pieces = [{}, {"bound_over_quantile": 1.5}, {"bound_over_quantile": 1.25}, {"bound_over_quantile": None}]

        self.assertEqual(only(verdict_row("S1", evidence=pieces))[0]["ratios"], "1.25 to 1.5")
        self.assertEqual(only(verdict_row("S1"))[0]["ratios"], "")

    def test_a_bound_that_says_nothing_is_marked_with_the_settings_where(self):
        always, once = {"vacuous": 3, "of": 3}, {"vacuous": 1, "of": 3}

        notes = [only(verdict_row("S1", bound_settings=settings))[0]["vacuous"] for settings in (always, once)]

        self.assertEqual(
            notes,
            [
                "holds, says nothing at these settings: the bound is no smaller than the trivial one",
                "holds, says nothing at 1 of 3 settings",
            ],
        )
        self.assertEqual(only(verdict_row("S1", bound_settings={"vacuous": 0, "of": 3}))[0]["vacuous"], "")
        self.assertEqual(only(verdict_row("S1"))[0]["vacuous"], "")

    def test_a_piece_of_evidence(self):
        piece = {
            "instance": "I", "quantity": "P", "relation": "<=", "observed": [0.0, 0.5], "claimed": 1e301,
            "trials": 1000, "basis": {"law": "point"}, "bound_over_quantile": None, "bound_over_trivial": 2.5,
        }  # fmt: skip

        cells = statements.evidence_row(piece)

        self.assertEqual(cells[2:4], ["0 to 0.5", "<= no bound"])
        self.assertEqual((cells[4].text, cells[5], cells[6].text), ("1,000", "a number", "–"))
        self.assertEqual(cells[7].text, "2.5")
        self.assertEqual(len(cells), len(statements.EVIDENCE))

    def test_lies_and_controls_with_the_piece_that_decides(self):
        kills = [
            kill_row("S1", "statement", "", "not-refuted", 0.125, 0.5),
            kill_row("S1", "mutant", "half", "refuted", 2, 1, near="yes", refuted_below_factor=0.75),
            kill_row("S1", "control", "two", "not-refuted", -0.25, 1),
            kill_row("S2", "mutant", "other", "refuted", 2, 1),
        ]

        (view,) = only(verdict_row("S1"), kills=kills)

        self.assertEqual((view["distance"], view["visible"]), ("0.125", "0.5"))
        self.assertEqual([row[0] for row in view["lies"]], ["half (near the truth)", "control: two"])
        self.assertEqual(view["lies"][0][-1], "below 0.75")
        self.assertEqual([cell.text for cell in view["lies"][1][6:8]], ["−0.25", "1"])
        self.assertEqual({len(row) for row in view["lies"]}, {len(view["lie_columns"])})

    def test_without_a_kill_matrix_lies_stand_with_their_verdicts(self):
        (view,) = only(false_row("S1"))

        self.assertEqual([row[0] for row in view["lies"]], ["half", "third", "control: P <= 2"])
        self.assertIn("expected refuted", view["lies"][1][1])

    def test_the_filters_offer_what_occurs(self):
        rows = [verdict_row("S1"), false_row("S2", wording="ours", area="sharp_bounds")]

        offered = statements.statements(rows, [])["offered"]

        self.assertEqual(offered["area"], ["Our bounds on sampling, bias, selection", "Ranking"])
        self.assertEqual(offered["verdict"], ["not-refuted", "refuted"])
        self.assertEqual(offered["wording"], ["printed", "ours"])
