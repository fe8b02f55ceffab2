"""Are the numbers of the first screen those of the files, so that another row makes another sentence?"""

import re

from plot_case import PlotCase, bound_row, false_row, verdict_row
from ranking_curves_test import curve_rows
from report_page import outcome


def text_of(markup):
    return re.sub(r"<[^>]*>", "", str(markup))


def pieces(*observed):
    return [{"observed": list(ends), "bound_over_quantile": None} for ends in observed]


def theorem_rows(low=61.5):
    return [
        false_row(outcome.VACUITY, wording="reading", evidence=pieces((low, low), (7556.0, 7556.0))),
        false_row(
            outcome.HYPOTHESIS, wording="reading", evidence=pieces((80.75, 81.0), (233118.0, 233118.0)), claimed=60
        ),
    ]


class Outcome(PlotCase):
    def test_claims_are_counted_by_verdict_and_severity(self):
        rows = [verdict_row("S1"), verdict_row("S2"), false_row("S3"), false_row("S4", severity="wrong-result")]
        rows += [verdict_row("S5", wording="ours"), false_row("S6", wording="reading")]
        rows[3]["source"] = "document 004, section 1"

        said = text_of(outcome.verdict_sentence(rows))
        other = text_of(outcome.verdict_sentence([*rows, false_row("S7", severity="wrong-result")]))

        self.assertEqual(
            said,
            "The paper and four short documents about it print 4 claims that were checked. Of these, 2 were not refuted and 2 "
            "are refuted as printed: 1 in the paper (1 misprint); 1 in document 004 (1 wrong result).",
        )
        self.assertIn("print 5 claims", other)
        self.assertIn(
            "3 are refuted as printed: 2 in the paper (1 wrong result, 1 misprint); 1 in document 004 (1 wrong result).",
            other,
        )
        self.assertEqual(
            outcome.beside_sentence(rows),
            "1 of 1 stronger reading fails; 1 of 1 corrected or sharper forms and own bounds were not refuted",
        )

    def test_a_verdict_that_stays_open_is_told(self):
        said = text_of(outcome.verdict_sentence([verdict_row("S1"), verdict_row("S2", verdict="inconclusive")]))

        self.assertIn("1 were not refuted and 0 are refuted as printed; 1 remain open.", said)

    def test_the_infimum_over_all_inputs_comes_first_and_is_rounded_down(self):
        pieces_of = [{"observed": [low, low], "relation": of} for low, of in ((65.7, "="), (33.88, "="), (0.9, "<="))]
        row = verdict_row(outcome.UNIVERSAL, wording="ours", evidence=pieces_of)

        said = text_of(outcome.theorem_sentence([row, *theorem_rows()]))

        self.assertIn("alone exceeds 33.8 times the longest value vector", said)
        self.assertEqual(said.split("twice it. ")[1], text_of(outcome.theorem_sentence(theorem_rows())))

    def test_how_sure_counts_lies_controls_and_shares_of_the_error(self):
        rows = [verdict_row("S1", evidence=[{"error_share": 0.25}, {"error_share": 0.125}]), false_row("S2")]
        rows[1]["controls"][0]["evidence"] = [{"error_share": 0.5}]

        sure = outcome.certainty(rows)

        self.assertEqual((sure["caught"], sure["lies"], sure["passed"], sure["controls"]), (2, 4, 1, 1))
        self.assertEqual((sure["error"], sure["as_expected"]), (0.875, 2))
        self.assertEqual((sure["near"], sure["held"]), (1, 1))  # the refuted one does not count
        far = outcome.certainty([rows[0] | {"near_mutant": False}])
        self.assertEqual((far["near"], far["held"]), (0, 1))

    def test_a_reason_counts_where_no_lie_is_near_and_the_statement_held(self):
        near, told = verdict_row("S1", no_near_mutant="x"), verdict_row("S2", near_mutant=False, no_near_mutant="x")
        silent, refuted = verdict_row("S3", near_mutant=False), false_row("S4", near_mutant=False, no_near_mutant="x")

        said = [
            text_of(outcome.certainty(rows)["others"]) for rows in ([near, told, silent, refuted], [told], [silent])
        ]

        self.assertEqual(
            said,
            [
                "Of the other 2, no near lie exists for 1, as each says; for 1 the distance of the nearest is given.",
                "For the other 1 no near lie exists, as each says.",
                "For the other 1 the distance of the nearest lie is given.",
            ],
        )
        self.assertEqual(outcome.certainty([near, refuted])["others"], "")

    def test_bounds_that_hold_and_say_nothing_are_counted_and_named(self):
        always = verdict_row("S1", bound_settings={"vacuous": 2, "of": 2})
        once = verdict_row("S2", bound_settings={"vacuous": 1, "of": 2})

        said = outcome.verdict_sentence([always, once, verdict_row("S3")])
        silent = text_of(outcome.verdict_sentence([once]))

        self.assertIn("1 of those not refuted holds but says nothing at the settings tried", text_of(said))
        self.assertIn('<a href="#statement-S1">S1</a>.', said)
        self.assertNotIn("statement-S2", said)
        self.assertNotIn("nothing", silent)

    def test_theorem_3_says_what_its_evidence_says(self):
        vacuous = text_of(outcome.theorem_sentence(theorem_rows()))
        useful = text_of(outcome.theorem_sentence(theorem_rows(low=0.5)))

        self.assertIn("on 4,096 Gaussian keys in place of a model's", vacuous)
        self.assertNotIn("seeds", vacuous)
        self.assertIn("(Theorem 3) allows an error of 61.5 to 7,560 times the longest value vector", vacuous)
        self.assertIn("Such a bound says nothing: always answering 0 would satisfy it.", vacuous)
        self.assertIn("81 to 233,000 tables; the paper uses 60.", vacuous)
        self.assertIn("0.5 to 7,560 times", useful)
        self.assertIn("says something in its best reading", useful)

    def test_theorem_3_tells_how_far_one_draw_is_from_others(self):
        seeds = [
            {"bound_least_drawn": 57.04, "bound_most_sure": 7663},
            {"bound_least_drawn": 61.5, "bound_most_sure": 7557},
        ]

        said = text_of(outcome.theorem_sentence(theorem_rows(), seeds))

        self.assertIn(
            "over the 2 seeds of docs/records/theorem3_seeds.csv the least factor is 57 to 61.5, the largest 7,560 to 7,660.",
            said,
        )

    def test_our_bound_is_that_of_the_most_keys_at_the_tables_nearest_to_the_papers(self):
        bounds = [
            bound_row("total", "Theorem 9(b)", 0.125, tables=60, bound_over_quantile=1.08),
            bound_row("total", "Theorem 9(b)", 0.5, tables=4),
            bound_row("total", "Theorem 9(b)", 0.75, tables=60, keys=32),
            bound_row("total", "repaired", 7.0, tables=60),
        ]

        said = text_of(outcome.own_sentence([], bounds))

        self.assertIn("for gaussian keys (N = 64, P = 4, τ = 0.5, L = 60), is 12.5% of the longest value", said)
        self.assertIn("1.08 times the true 95% quantile", said)

    def test_without_that_file_our_bound_is_told_by_its_ratios(self):
        row = verdict_row(outcome.IN_USE, instance="keys at tau=.5")
        row["evidence"] = [{"bound_over_quantile": ratio} for ratio in (1.25, None, 1.5)]

        self.assertIn("(keys at τ=.5) are 1.25 to 1.5 times", text_of(outcome.own_sentence([row], [])))

    def test_rankings_count_the_leads_of_the_first_setting(self):
        rows = [row | {"keys": 512} for row in curve_rows()]
        lower = [
            row | {"socket_lead_lo": -0.2, "socket_lead_hi": -0.1} if row["k"] == rows[0]["k"] else row for row in rows
        ]

        before, after = (text_of(outcome.ranking_sentence(some, outcome.RIVALS)) for some in (rows, lower))

        self.assertIn(
            "(512 keys), compared at several numbers of selected keys: against hard LSH it is higher at all 2;", before
        )
        self.assertIn("against hard LSH it is higher at 1 and lower at 1 of 2", after)
        self.assertNotIn("further", before)

    def test_a_run_too_small_to_show_a_lead_says_so(self):
        level = [row | {"keys": 512, "socket_lead_lo": -0.1, "socket_lead_hi": 0.1} for row in curve_rows()]
        one = [row | {"socket_lead_lo": 0.05} if row["k"] == level[0]["k"] else row for row in level]

        none, some = (text_of(outcome.ranking_sentence(rows, outcome.RIVALS)) for rows in (level, one))

        self.assertIn("too few instances to tell them apart", none)
        self.assertNotIn("too few", some)

    def test_who_leads_in_the_further_settings_is_told_too(self):
        ahead = curve_rows("b") + curve_rows("c")
        behind = [row | {"socket_lead_lo": -0.2, "socket_lead_hi": -0.1} for row in ahead]
        rows = [row | {"keys": 512} for row in [*curve_rows(), *behind]]

        said = text_of(outcome.ranking_sentence(rows, outcome.RIVALS))

        self.assertIn("equal bits of the same codes it is higher at all 2.", said)
        self.assertIn(
            "In 2 further settings, against the count of equal bits of the same codes, it is lower at all 4.", said
        )

    def test_without_any_check_the_script_that_makes_it_is_named(self):
        self.assertIn("gpu/check/record.sh makes checks.csv", text_of(outcome.kernel_sentence([])))

    def test_without_a_gpu_the_recorded_check_is_told_as_such(self):
        row = {
            "part": "full", "cases": 4179.0, "failed": 0.0, "comparisons": 327118619.0, "kernels": "abc", "gpu": "H100",
        }  # fmt: skip
        older = {"part": "quick", "cases": 5.0, "failed": 1.0, "comparisons": 7.0, "kernels": "def", "gpu": "H200"}
        self.assertEqual(
            text_of(outcome.kernel_sentence([], [older, row])),
            "The GPU kernels agree with the reference in all 4,179 cases (327,118,619 comparisons). This run had no GPU; the "
            "numbers come from the record gpu/records/checks.csv, made on an H100 with the kernels of abc.",
        )
        self.assertNotIn("record", text_of(outcome.kernel_sentence([row], [row | {"failed": 1.0}])))

    def test_kernels_are_told_by_the_larger_grid(self):
        quick = {"part": "quick", "cases": 2651.0, "failed": 0.0, "comparisons": 26606724.0}
        full = {"part": "full", "cases": 4179.0, "failed": 0.0, "comparisons": 327118619.0}

        self.assertEqual(
            text_of(outcome.kernel_sentence([quick, full])),
            "The GPU kernels agree with the reference in all 4,179 cases (327,118,619 comparisons).",
        )
        self.assertIn(
            "differ from the reference in 3 of 4,179", text_of(outcome.kernel_sentence([full | {"failed": 3.0}]))
        )

    def test_checks_are_read_with_their_words(self):
        self.write_csv("checks.csv", [{"part": "full", "command": "x", "cases": 5, "failed": "", "comparisons": 7}])

        self.assertEqual(
            outcome.read_checks(self.folder / "checks.csv"),
            [{"part": "full", "cases": 5.0, "failed": 0.0, "comparisons": 7.0}],
        )

    def test_what_is_missing_names_the_command_that_makes_it(self):
        made = outcome.outcome(self.folder, [])

        self.assertEqual(
            [name for name, _ in made["sentences"]],
            ["Claims", "Theorem 3", "Our bound", "Rankings", "Kernels"],
        )
        commands = (
            "socketlab verify", "socketlab verify --only", "socketlab audit", "socketlab rank", "come from the record",
        )  # fmt: skip
        for (_, said), command in zip(made["sentences"], commands, strict=True):
            self.assertIn(command, said)
