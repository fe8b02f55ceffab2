"""Is report.html one well-formed page in which every number, link and anchor is right, for a whole folder and a bare one?"""

import json
import re
from html.parser import HTMLParser

import report
from frontier_test import ROWS as RANKERS
from plot_case import PlotCase, bound_row, false_row, kill_row, slope_row, sweep_of_tables, verdict_row
from ranking_curves_test import curve_rows, histogram_rows

VOID = {"meta", "img", "br", "input", "link"}


class Page(HTMLParser):
    """Every opened element is closed in order; ids, links, headings and tables as they stand."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.headings, self.texts, self.headers = [], [], [], [], [], []
        self.images, self.labels = [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert len(given) == len(attributes), (tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        self.headers += [given.get("scope")] if tag == "th" else []
        self.images += [given.get("alt")] if tag == "img" else []
        self.labels += [given.get("aria-label")] if given.get("role") == "region" else []

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def small_folder(case):
    """A small run: two statements that hold, an erratum, a reading, lies, faults, sweeps, bounds."""
    lie = {"verdict": "refuted", "evidence": [{"observed": [1.7976931348623157e308] * 2}]}
    rows = [
        verdict_row("S001-A-corrected", title="P <= 2 & y_tau < 3", remark="S001-A is false."),
        verdict_row("S001-B", mutants=[{"name": "<b>all", **lie}]),
        false_row("S001-A", quote="at most <one>", remark="See S001-A-corrected."),
        false_row("S001-R", wording="reading", quote="", severity="none"),
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (case.folder / "verdicts.jsonl").write_text(text, encoding="utf-8")
    facts = {"command": "reproduce", "seed": 5, "gpus": []}
    (case.folder / "provenance.json").write_text(json.dumps(facts), encoding="utf-8")
    far = {"observed_lo": 1.7976931348623157e308, "observed_hi": 1.7976931348623157e308}
    kills = [
        kill_row("S001-A", "statement", "", "refuted", 3, 1),
        kill_row("S001-B", "mutant", "<b>all", "refuted", 1.7976931348623157e308, 1, **far),
        kill_row("S001-B", "mutant", "half", "inconclusive", 0.5, 1),
    ]
    case.write_csv("kill_matrix.csv", kills)
    case.write_csv("faults.csv", [kills[1] | {"fault": "strict-sign", "measured": ""}])
    case.write_csv("sweep.csv", sweep_of_tables())
    case.write_csv("sweep_slopes.csv", [slope_row()])
    case.write_csv("bound_ratios.csv", [bound_row("total", "Theorem 9(b)", 0.25)])
    return rows


def whole_folder(case):
    case.write_csv("ranking_curves.csv", curve_rows())
    case.write_csv("ranking_histogram.csv", histogram_rows())
    case.write_csv("rankers.csv", RANKERS)
    return small_folder(case)


class Report(PlotCase):
    def page(self):
        report.main(self.folder)
        text = (self.folder / "report.html").read_text(encoding="utf-8")
        return text, Page(text)

    def check_structure(self, text, page):
        self.assertEqual(sorted(set(page.ids)), sorted(page.ids))
        for link in page.links:
            self.assertTrue(link.startswith("#"), link)
            self.assertIn(link[1:], page.ids)
        self.assertEqual(page.headings[0], 1)
        self.assertEqual(page.headings.count(1), 1)
        for above, below in zip(page.headings, page.headings[1:], strict=False):
            self.assertLessEqual(below, above + 1)
        self.assertEqual(set(page.headers) - {"row", "col"}, set())
        self.assertTrue(all(page.images), "a figure without words")
        self.assertEqual(sorted(set(page.labels)), sorted(page.labels))
        self.assertNotRegex(page.text, r"\d[eE][+-]?\d\d|\bnan\b|\binf\b|None|object at 0x|\{\{|\}\}")
        self.assertNotRegex(text, r"https?://")
        self.assertLess(len(text), 5e6)

    def test_a_whole_folder(self):
        rows = whole_folder(self)

        text, page = self.page()

        self.check_structure(text, page)
        for row in rows:
            self.assertIn(f"statement-{row['id']}", page.ids)
            self.assertIn(f"socketlab verify --only {row['id']}", page.text)
        self.assertIn("erratum-S001-A", page.ids)
        self.assertIn("reading-S001-R", page.ids)
        self.assertEqual(text.count("<img "), len(self.drawn()))
        self.assertIn("beyond any number", page.text)
        self.assertEqual(re.findall(r"[^.]*\bmutants?\b", page.text), [" Files call it a mutant"])  # one word for a lie
        self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])

    def test_what_looks_like_markup_is_text(self):
        small_folder(self)

        text, page = self.page()

        for raw in ("<one>", "<b>all"):
            self.assertNotIn(raw, text)
            self.assertIn(raw, page.text)
        self.assertIn("2 &amp; y<sub>τ</sub> &lt; 3", text)

    def test_another_row_makes_another_first_screen(self):
        rows = small_folder(self)
        before = self.page()[1].text
        more = [*rows, false_row("S001-C", severity="wrong-result")]
        (self.folder / "verdicts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more), encoding="utf-8")

        after = self.page()[1].text

        self.assertIn(
            "print 3 claims that were checked. Of these, 2 were not refuted and 1 are refuted as printed: 1 in the paper (1 misprint).",
            before,
        )
        self.assertIn(
            "print 4 claims that were checked. Of these, 2 were not refuted and 2 are refuted as printed: 2 in the paper (1 wrong result",
            after,
        )
        self.assertIn("25% of the longest value", before)  # of 1, the bound of 0.25

    def test_a_bare_folder_says_which_commands_make_its_parts(self):
        text, page = self.page()

        self.check_structure(text, page)
        sections = dict(re.findall(r'<section id="([^"]*)"[^>]*>(.*?)</section>', text, re.DOTALL))
        for anchor, command in (
            ("outcome", "verify"), ("outcome", "sweep --axis tables"), ("outcome", "audit --part bounds"),
            ("outcome", "rank"), ("errata", "verify"), ("readings", "verify"), ("figures", "sweep"),
            ("theorem-3", "sweep --axis tables"), ("rankings", "rank"), ("kill-matrix", "verify"),
            ("faults", "verify --all-faults"), ("verdicts", "verify"),
        ):  # fmt: skip
            self.assertIn(f"<code>socketlab {command}</code>", sections[anchor], anchor)

    def test_each_file_that_is_missing_leaves_the_rest(self):
        for name in ("verdicts.jsonl", "kill_matrix.csv", "faults.csv", "sweep.csv", "bound_ratios.csv"):
            with self.subTest(name):
                small_folder(self)
                (self.folder / name).unlink()

                self.check_structure(*self.page())
