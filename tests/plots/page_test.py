"""Is text escaped once, do numbers sort by their full value, and does the page refer to nothing outside itself?"""

import page
from plot_case import PlotCase


class Page(PlotCase):
    def test_text_is_escaped_and_html_is_not(self):
        self.assertEqual(page.html("a < b & c"), "a &lt; b &amp; c")
        self.assertEqual(page.html(page.Html("<b>a</b>")), "<b>a</b>")
        self.assertEqual(page.cell("<i>"), "<td>&lt;i&gt;</td>")

    def test_numbers_as_a_reader_wants_them(self):
        self.assertEqual(page.short(0.0012345678), "0.001235")
        self.assertEqual(page.short(1234567.0, 3), "1.23e+06")
        self.assertEqual(page.interval(0.123456, 2), "[0.1235, 2]")
        self.assertEqual((page.short(None), page.short(float("nan"))), ("", ""))

    def test_a_number_sorts_by_its_full_value_and_what_is_unknown_comes_first(self):
        self.assertEqual(page.cell(page.Number(2 / 3, 2)), f'<td class="number" data-sort="{2 / 3!r}">0.67</td>')
        self.assertIn('data-sort="-Infinity"></td>', page.cell(page.Number(float("nan"))))

    def test_a_table_has_a_button_to_each_column(self):
        text = page.table(["a", "b"], [[1, "x"], [2, "y"]])

        self.assertEqual((text.count("<button"), text.count("<tr>")), (2, 3))
        self.assertIn("<td>2</td><td>y</td>", text)

    def test_a_verdict_is_coloured_by_what_it_says_or_by_what_was_expected(self):
        self.assertIn('class="good"', page.verdict("not-refuted"))
        self.assertIn('class="bad"', page.verdict("refuted"))
        self.assertIn('class="good"', page.verdict("refuted", "refuted"))
        self.assertIn('class="bad"', page.verdict("not-refuted", "refuted"))
        self.assertIn('class="open"', page.verdict("inconclusive"))

    def test_a_figure_is_embedded_with_the_command_that_made_it(self):
        (self.folder / "a.svg").write_bytes(b"<svg/>")

        text = page.figure(self.folder / "a.svg", 'what "it" shows', "a < b", {"command": "reproduce", "seed": 7})

        self.assertIn('src="data:image/svg+xml;base64,PHN2Zy8+"', text)  # base64 of <svg/>
        self.assertIn('alt="what &quot;it&quot; shows"', text)
        self.assertIn("<p>a &lt; b</p>", text)
        self.assertIn("<code>reproduce</code>, seed 7.", text)

    def test_the_page_has_an_entry_to_each_section_and_no_address_of_the_network(self):
        text = page.page("T", "<p>lead</p>", [("one", "First", "x"), ("two", "Second", "y")])

        for anchor, heading in (("one", "First"), ("two", "Second")):
            self.assertIn(f'<li><a href="#{anchor}">{heading}</a></li>', text)
            self.assertIn(f'<section id="{anchor}"><h2>{heading}</h2>', text)
        self.assertNotIn("http", text)
