"""Is text escaped once, do cells sort by their full value, and does colour never stand alone?"""

import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from markupsafe import Markup
from plot_case import PlotCase
from report_page import shell

PLOTS = Path(shell.__file__).parents[1]


def rendered(source, ids=(), **context):
    return shell.environment(ids).from_string(source).render(context)


class Shell(PlotCase):
    def test_text_is_escaped_and_markup_is_not(self):
        self.assertEqual(rendered("{{ a }}{{ b }}", a="<i> & c", b=Markup("<b>d</b>")), "&lt;i&gt; &amp; c<b>d</b>")

    def test_a_table_escapes_marks_its_first_column_and_sorts(self):
        text = rendered(
            '{% import "macros.html" as m with context %}{{ m.table("C", ["a", "b"], rows, formulas=true) }}',
            rows=[["<in>", shell.Cell(2 / 3, 2)], ["Z_tau", "bound <= 1"]],
        )

        self.assertIn('<th scope="row">&lt;in&gt;</th>', text)
        self.assertIn(f'<td class="number" data-sort="{2 / 3!r}">0.67</td>', text)
        self.assertIn('<th scope="row">Z<sub>τ</sub></th>', text)
        self.assertIn("<td>bound ≤ 1</td>", text)
        self.assertEqual((text.count('<th scope="col"><button'), text.count("<caption>C</caption>")), (2, 1))

    def test_in_a_stacked_table_every_cell_but_the_first_has_the_name_of_its_column(self):
        source = '{% import "macros.html" as m with context %}{{ m.table("C", ["a", "b <", "c"], rows, stacked=S) }}'
        rows = [["x", shell.Cell(2.0), "y"]]

        stacked, plain = (rendered(source.replace("S)", word), rows=rows) for word in ("true)", "false)"))

        self.assertIn('<table class="sortable stacked">', stacked)
        self.assertIn('<th scope="row">x</th>', stacked)
        self.assertIn('data-sort="2.0" data-label="b &lt;">2</td>', stacked)
        self.assertIn('<td data-label="c">y</td>', stacked)
        self.assertNotIn("data-label", plain)

    def test_a_note_stands_below_its_number_and_is_escaped(self):
        text = rendered('{% import "macros.html" as m with context %}{{ m.cell(c) }}', c=shell.Cell(2.0, note="a < b"))

        self.assertIn('data-sort="2.0">2<br><span class="small nothing">a &lt; b</span></td>', text)

    def test_cells_sort_by_their_value_and_what_is_unknown_comes_first(self):
        keys = [shell.Cell(x).key for x in (float("nan"), None, 0.25, 1.7976931348623157e308)]
        self.assertEqual(keys, ["-Infinity", "-Infinity", "0.25", "Infinity"])
        self.assertEqual(shell.Cell(None).text, "–")

    def test_a_verdict_has_a_sign_and_words(self):
        self.assertIn('class="verdict bad"><span aria-hidden="true">✗</span> refuted', shell.verdict("refuted"))
        self.assertIn("good", shell.expected_verdict("refuted", "refuted"))
        wrong = shell.expected_verdict("not-refuted", "refuted")
        self.assertIn("✗</span> not refuted (expected refuted)", wrong)
        self.assertIn("&lt;", shell.verdict("<new>"))

    def test_ids_lead_to_their_statements_and_longer_ones_are_whole(self):
        text = rendered("{{ 'see S1-a-b, S1-a; S1-aa, XS1-a & tau' | linked }}", ids=["S1-a", "S1-a-b"])

        self.assertEqual(
            text,
            'see <a href="#statement-S1-a-b">S1-a-b</a>, <a href="#statement-S1-a">S1-a</a>; S1-aa, XS1-a &amp; τ',
        )

    def test_a_figure_is_embedded_with_the_command_that_made_it(self):
        (self.folder / "a.svg").write_bytes(b"<svg/>")
        made = shell.figure(
            self.folder / "a.svg", "H", 'what "it" shows', "all < most", {"command": "reproduce", "seed": 7}
        )

        text = rendered('{% import "macros.html" as m with context %}{{ m.figure(f) }}', f=made)

        self.assertIn('src="data:image/svg+xml,<svg/>"', text)
        self.assertIn('alt="what &#34;it&#34; shows"', text)
        self.assertIn("<p>all &lt; most</p>", text)
        self.assertIn("<code>reproduce</code>, seed 7.", text)

    def test_an_address_holds_the_figure_in_every_byte_but_quotes_and_ends_of_lines(self):
        svg = '<svg xmlns="http://a/b">\n<style>*{stroke:#12a}</style><text x="1" y="it\'s">50% & "τ"</text></svg>'.encode()

        address = str(shell.as_address(svg))

        head, body = address.split(",", 1)
        self.assertEqual(head, "data:image/svg+xml")
        self.assertNotRegex(body, '["#&\n]|://')
        self.assertEqual(
            unquote(body),
            "<svg xmlns='http://a/b'> <style>*{stroke:#12a}</style><text x='1' y=\"it's\">50% & \"τ\"</text></svg>",
        )

    def test_a_figure_is_shortened_where_the_eye_does_not_see_it(self):
        given = b'<!-- x -->\n  <use id="m1.2345" x="1.2345" transform="scale(0.015625)"/><path d="M 10.98765 -0.001 \nL 3 4.5"/>'

        self.assertEqual(
            shell.shortened(given),
            b'\n<use id="m1.2345" x="1.23" transform="scale(0.015625)"/><path d="M 10.98 -0.00 \nL 3 4.5"/>',
        )

    def test_a_python_without_jinja_is_named(self):
        hidden = "import sys; sys.modules['jinja2'] = None; sys.argv = ['report.py']; import report_page.shell"
        done = subprocess.run(
            [sys.executable, "-B", "-c", hidden], capture_output=True, text=True, check=False, cwd=PLOTS
        )

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("no jinja2; allowed is a Python with jinja2, in Debian's package python3-jinja2", done.stderr)
