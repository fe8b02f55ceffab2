"""Do the site's generators keep what they are given, and does a dead link show?"""

import importlib
import re
import tempfile
import unittest
from pathlib import Path

import c_interface
import commands
import functions
import links
import statements
import typeset

ROOT = Path(__file__).resolve().parents[2]
build = importlib.import_module(
    "build"
)  # not by a statement: where a folder build/ stands, a linter sorts it elsewhere

HEADER = """/* The C interface of a library. */
struct CUstream_st; /* *cudaStream_t */
/* Words.
 *
 * Ranges:
 *
 *   keys   1 .. 7
 */
typedef struct skt_some_args {
  const void* keys; /* [batch, keys] */
} skt_some_args;
"""

ROW = {
    "id": "S1-A",
    "title": "a_b <= 2 * c^2 | d",
    "source": "paper, eq. (1)",
    "wording": "printed",
    "quote": "a <= 2 c^2",
    "scope": "",
    "remark": "See *this*.",
    "verdict": "refuted",
    "severity": "misprint",
    "command": "socketlab verify --only S1-A",
    "mutants": [{"name": "3 for 2", "verdict": "refuted"}],
    "controls": [],
    "evidence": [
        {"instance": "I(1)", "quantity": "a", "relation": "<=", "observed": [1.5, 1.7e308], "claimed": 1, "trials": 7}
    ],
}


BACKTICKED = """Let `Z = sum_j w_j` and `a/b.hpp`; | `\\|v\\|` | `socketlab audit` |.

    y_L - y = zetabar / Dbar'.      (*)

    socketlab audit --part bounds

## `x = 1`
"""


class Theory(unittest.TestCase):
    def test_formulas_become_mathematics_and_code_stays_code(self):
        made = typeset.typeset(BACKTICKED)
        inline, shown, command, heading = (part for part in made.split("\n\n"))
        self.assertEqual(inline.count("<math>"), 2, inline)
        self.assertIn("`a/b.hpp`", inline)
        self.assertIn("`socketlab audit`", inline)
        self.assertRegex(shown, '^<p class="formula"><math>.*<mover accent="true"><mi>ζ</mi>.*</p>')
        self.assertEqual(command, "    socketlab audit --part bounds")
        self.assertEqual(heading.strip(), "## `x = 1`")

    def test_a_function_with_a_letter_for_a_word_is_no_symbol_with_subscripts(self):
        self.assertEqual(typeset.typeset("`a_priori_bound` and `certify`"), "`a_priori_bound` and `certify`")
        self.assertRegex(typeset.typeset("`a_tau,j`"), "^<math>")

    def test_a_formula_that_goes_on_in_a_deeper_line_is_shown_whole(self):
        made = typeset.typeset("So\n\n    y <= a_j\n         + b_j.\n\nand.\n")
        self.assertRegex(made, r'^So\n\n<p class="formula"><math>.*<br>.*<math>.*</p>\n\nand\.\n$')

    def test_a_probability_is_upright(self):
        self.assertIn('<mi mathvariant="normal">P</mi>', typeset.typeset("`P(X > 1)`"))

    def test_all_that_is_between_backticks_is_a_formula_or_a_name(self):
        for path in sorted((ROOT / "docs/bounds").glob("*.md")):
            text = re.sub(r"^    .*", "", typeset.typeset(path.read_text(encoding="utf-8")), flags=re.M)
            for code in re.findall(r"`([^`\n]+)`", text):
                self.assertRegex(code, r"^(?:socketlab[ .])?[a-z_]+$|^[\w/]+(?:/|\.(?:hpp|py))$", path)

    def test_no_bar_star_or_underscore_of_a_formula_meets_markdown(self):
        for text in ("|v|_2", "a * b_i", "x_{i}^* >= 1"):
            self.assertNotRegex(typeset.html(text), r"[|*_]")

    def test_every_page_of_the_theory_is_typeset_and_keeps_its_words(self):
        formulas = 0
        for path in sorted((ROOT / "docs/bounds").glob("*.md")):
            text = path.read_text(encoding="utf-8")
            made = typeset.typeset(text)
            words = re.findall(r"[a-z]{5,}", re.sub(r"`[^`\n]*`|^    .*", "", text, flags=re.M))
            left = re.sub(r"<math.*?</math>", "", made)
            self.assertEqual([word for word in words if word not in left], [], path)
            formulas += made.count("<math>")
        self.assertGreater(formulas, 200)


class Header(unittest.TestCase):
    def test_comments_before_and_behind_are_documentation(self):
        text = c_interface.marked(HEADER)
        self.assertIn("/** @file", text)
        self.assertIn("keys; /**< [batch, keys] */", text)
        self.assertIn("/** Words.", text)
        self.assertNotIn("cudaStream_t", text)

    def test_a_structure_is_declared_once_and_ranges_keep_their_lines(self):
        text = c_interface.marked(HEADER)
        self.assertEqual(len(re.findall("skt_some_args", text)), 1)
        self.assertIn("@verbatim\n  keys   1 .. 7\n @endverbatim", text)

    def test_of_the_header_itself_no_declaration_is_lost(self):
        header = (ROOT / "gpu/socketlab_gpu.h").read_text(encoding="utf-8")
        text = c_interface.marked(header)
        for name in re.findall(r"^SKT_API \w+ (\w+)\(", header, flags=re.M):
            self.assertIn(f"{name}(", text)
        self.assertEqual(header.count("typedef struct skt_"), text.count("\nstruct skt_"))


class Links(unittest.TestCase):
    def dead(self, body):
        with tempfile.TemporaryDirectory(prefix="a site ") as folder:
            Path(folder, "b c.html").write_text('<h1 id="here">b</h1>', encoding="utf-8")
            Path(folder, "a.html").write_text(f'<p id="own">{body}</p>', encoding="utf-8")
            return links.dead_links(Path(folder))

    def test_what_is_there_is_not_dead(self):
        body = "".join(f'<a href="{to}">x</a>' for to in ("b%20c.html#here", "#own", "https://example.org/no", "#"))
        self.assertEqual(self.dead(body), [])

    def test_a_lost_page_anchor_or_picture_is_told(self):
        self.assertEqual(self.dead('<a href="c.html">x</a>'), ["a.html: c.html"])
        self.assertEqual(self.dead('<a href="b%20c.html#there">x</a>'), ["a.html: b%20c.html#there"])
        self.assertEqual(self.dead('<a href="#other">x</a>'), ["a.html: #other"])
        self.assertEqual(self.dead('<img src="d.png">'), ["a.html: d.png"])


class Theme(unittest.TestCase):
    def test_a_theme_that_asks_a_web_server_is_mended_and_another_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            static = Path(folder)
            for name in ("styles", "scripts"):
                (static / name).mkdir()
            style, script = static / "styles/furo.css", static / "scripts/furo.js"
            style.write_text("@import url(/javascript/none.css/none.css);\np{}", encoding="utf-8")
            script.write_text('import Spy from "./spy.js";\nnew Spy();\n', encoding="utf-8")
            (static / "scripts/spy.js").write_text("var Spy = 1;", encoding="utf-8")

            for _ in range(2):  # the second time there is nothing to mend
                build.mend_theme(static)
                self.assertEqual(style.read_text(encoding="utf-8"), "\np{}")
                self.assertEqual(script.read_text(encoding="utf-8"), "var Spy = 1;\nnew Spy();\n")


class Statements(unittest.TestCase):
    def test_markdown_reads_nothing_in_a_title(self):
        title = "a_b <= 2 * c^2 | d `e` [f](g) #1"
        self.assertEqual(re.sub(r"\\(.)", r"\1", statements.plain(title)), title)
        self.assertNotRegex(statements.plain(title), r"(?<!\\)[`*_|<\[]")

    def test_a_statement_says_its_outcome_its_place_and_its_evidence(self):
        text = statements.statement(ROW, {"S1-A": "a.cpp:3"}, "groups", "Which?")
        self.assertIn("**refuted**, a misprint; as printed; paper, eq. (1)", text)
        self.assertRegex(text, r'<p class="claim"><math>.*<msub>.*</math>.*</p>')
        self.assertIn('<p class="remark">See *this*.</p>', text)
        self.assertIn("planted lies: `3 for 2` refuted", text)
        self.assertIn("`a.cpp:3`", text)
        self.assertIn("| `I(1)` | `a` | 1.5 to no bound | `<=` 1 | 7 trials |", text)

        self.assertIn("[Which?](groups.md)", text)

    def test_a_group_leads_to_the_page_of_each_statement(self):
        text = statements.group_page("table_sums", "Which?\n\nBy sums.", [ROW, ROW | {"id": "S1-B"}])
        self.assertIn("2 statements on table sums: 2 refuted.", text)
        self.assertIn("| [S1-B](S1-B.md) | **refuted**, a misprint | a\\_b", text)
        self.assertIn("By sums.", text)

    def test_the_question_of_a_file(self):
        self.assertEqual(
            statements.question("How often\ndo they meet? (by chance)\n\nMore."), "How often do they meet?"
        )
        self.assertEqual(statements.question("Only a title\n\nMore."), "Only a title")

    def test_every_group_has_a_file_with_statements_in_it(self):
        groups = statements.groups(ROOT)
        self.assertGreater(len(groups), 50)
        for folder, name in groups:
            text = (ROOT / "proofs_check/statements" / folder / f"{name}.cpp").read_text(encoding="utf-8")
            self.assertTrue(statements.head_comment(text), name)


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
