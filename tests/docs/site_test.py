"""Do the site's generators keep what they are given?"""

import importlib
import unittest
from pathlib import Path

import commands
import functions
import search_words
import statements

ROOT = Path(__file__).resolve().parents[2]
build = importlib.import_module(
    "build"
)  # not by a statement: where a folder build/ stands, a linter sorts it elsewhere

ROW = {
    "id": "S1-A",
    "title": "a_b <= 2 * c^2 | d",
    "source": "paper, eq. (1)",
    "wording": "printed",
    "quote": "a <= 2 c^2",
    "scope": "",
    "remark": "See *this*.",
    "verdict": "refuted",
    "expected": "refuted",
    "severity": "misprint",
    "near_mutant": False,
    "no_near_mutant": "",
    "why_no_near_mutant": "",
    "command": "socketlab verify --only S1-A",
    "mutants": [{"name": "3 for 2", "verdict": "refuted"}],
    "controls": [],
    "area": "table_bounds",
    "place": "proofs_check/statements/table_bounds/groups.cpp:3",
    "question": "Which?",
    "notes": "a  one\nb  two",
    "method": "By sums.",
    "power": "Exact.",
    "made_by": {"profile": "smoke"},
    "evidence": [
        {"instance": "I(1)", "quantity": "a", "relation": "<=", "observed": [1.5, 1.7e308], "claimed": 1, "trials": 7}
    ],
}


class Search(unittest.TestCase):
    def test_a_number_is_one_word_with_its_commas_and_its_point(self):
        self.assertEqual(search_words.words("at 145,408 tokens, 1.61x"), ["at", "145,408", "tokens", "1.61", "x"])

    def test_a_whole_number_is_the_same_word_with_and_without_commas(self):
        self.assertEqual(search_words.words("N=4096 and 145408"), ["N", "4,096", "and", "145,408"])
        self.assertEqual(search_words.words("999, 0123, 1000."), ["999", "0123", "1,000"])

    def test_words_stay_those_of_sphinx(self):
        self.assertEqual(
            search_words.words("S002-L9: y_tau is (so) 2^-P"), ["S002", "L9", "y_tau", "is", "so", "2", "P"]
        )


class Statements(unittest.TestCase):
    def test_a_statement_says_its_outcome_its_place_and_its_evidence(self):
        text = statements.page("statement", row=ROW)
        self.assertIn("**refuted**, a misprint; as printed; paper, eq. (1)", text)
        self.assertRegex(text, r'<p class="claim">a<sub>b</sub> ≤ 2 \* c<sup>2</sup> \| d</p>')
        self.assertIn('<p class="remark">See *this*.</p>', text)
        self.assertIn("planted lies: `3 for 2` refuted", text)
        self.assertIn("`proofs_check/statements/table_bounds/groups.cpp:3`", text)
        self.assertIn("| `I(1)` | `a` | 1.5 to no bound | `<=` 1 | 7 trials |", text)

        self.assertIn("[Which?](groups.md)", text)

    def test_a_statement_that_holds_says_why_no_lie_is_near_and_where_its_bound_says_nothing(self):
        held = ROW | {"verdict": "not-refuted", "expected": "not-refuted", "severity": "none"}
        why = 'The nearest lie, "2 for 1", is 4 times the deviation away.'
        far = held | {"why_no_near_mutant": why, "bound_settings": {"vacuous": 2, "of": 2}}

        pages = [statements.page("statement", row=row) for row in (ROW, held, far)]

        self.assertNotIn("near the truth", pages[0])
        self.assertIn("- no lie near the truth: No reason is given.", pages[1])
        self.assertIn("- no lie near the truth: The nearest lie, &#34;2 for 1&#34;, is 4 times", pages[2])
        self.assertIn(
            "- **not refuted** (holds, says nothing at these settings: the bound is no smaller than the trivial one); as printed;",
            pages[2],
        )
        self.assertNotIn("says nothing", pages[1])
        self.assertNotIn("near the truth", statements.page("statement", row=held | {"near_mutant": True}))

    def test_a_group_leads_to_the_page_of_each_statement(self):
        text = statements.page("group", rows=[ROW, ROW | {"id": "S1-B"}])
        self.assertIn("2 statements on table bounds: 2 refuted.", text)
        self.assertIn(
            "| [S1-B](S1-B.md) | **refuted**, a misprint | a<sub>b</sub> ≤ 2 &#42; c<sup>2</sup> &#124; d |", text
        )
        self.assertIn("```text\na  one\nb  two\n\nMethod: By sums.\n\nPower: Exact.\n```", text)

    def test_pages_come_from_the_rows_by_area_and_file(self):
        other = ROW | {"id": "S2", "area": "snr", "place": "proofs_check/statements/snr/low.cpp:9", "question": "How?"}
        pages = statements.statement_pages([ROW, other])
        with self.assertRaisesRegex(SystemExit, "S1-A has no place"):
            statements.statement_pages([{"id": "S1-A"}])

        self.assertEqual(set(pages), {"S1-A.md", "S2.md", "groups.md", "low.md", "index.md"})
        self.assertTrue(pages["low.md"].startswith("# How?\n\n1 statements on snr: 1 refuted."))
        self.assertRegex(
            pages["index.md"], "(?s)2 claims,.*## Our bounds on finite tables.*groups.*## Signal and noise.*low"
        )


class References(unittest.TestCase):
    def test_commands_are_those_of_the_overview(self):
        overview = "Usage\n\nOptions:\n  --help   x\n\nSubcommands:\n  sweep   Error\n  gpu-check   Compare\n"
        self.assertEqual(commands.names(overview), ["gpu-check", "sweep"])

    def test_functions_stand_with_their_docstrings(self):
        text = functions.function_page(ROOT / "python/socketlab")
        for name in (
            "socketlab.attend",
            "socketlab.oracle.epsilon",
            "socketlab.check.selection",
            "socketlab.gpu.Index",
        ):
            self.assertIn(f"### {name}\n", text)
        self.assertNotIn("### socketlab._", text)


if __name__ == "__main__":
    unittest.main()
