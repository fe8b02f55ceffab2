"""Every statement on a page, from its row of verdicts.jsonl: what the source says, how its group decides it, what came out.

templates/ has the pages: of a statement, of the statements that answer one question, and the list of all.
"""

import re
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "plots"))
from report_page import errata, formulas, verdict_notes  # noqa: E402

MARKDOWN = re.compile(r"[\\`*_\[\]|~$]")
WORDINGS = {"printed": "as printed", "reading": "a reading of ours", "ours": "ours"}


def number(value):
    return f"{value:.4g}" if abs(value) < 1e15 else ("no bound" if value > 0 else "-infinity")


def interval(ends):
    low, high = map(number, ends)
    return low if low == high else f"{low} to {high}"


def code(text):
    """Names and formulas as they are: Markdown reads nothing in them, but for the end of a cell."""
    return f"`{text}`" if text else ""


def cell(text):
    return code(text).replace("|", "\\|").replace("\n", " ")


def in_words(text):
    """A line of words and formulas as HTML in which Markdown reads nothing."""
    return MARKDOWN.sub(lambda sign: f"&#{ord(sign[0])};", str(formulas.html(text)))


def block(text, kind):
    """A paragraph of HTML, in which Markdown reads nothing."""
    return f'<p class="{kind}">{formulas.html(text)}</p>'.replace("\n", " ")


def outcome(row):
    if row["verdict"] == "refuted":
        how, _ = errata.SEVERITIES.get(row["severity"], ("", ""))
        return "**refuted**" + (f", {'' if how == 'imprecise' else 'a '}{how}" if how else "")
    if row["verdict"] != "not-refuted":
        return "**inconclusive**"
    note = verdict_notes.vacuous_note(row)
    return "**not refuted**" + (f" ({note})" if note else "")


def group(row):
    """The page of the statements that answer one question: named as the file where they stand."""
    return re.search(r"(\w+)\.cpp", row["place"])[1]


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters |= {
    "number": number, "interval": interval, "code": code, "cell": cell, "words": in_words, "block": block,
    "outcome": outcome, "group": group, "why_none_near": verdict_notes.why_none_near,
}  # fmt: skip


def page(template, **given):
    return TEMPLATES.get_template(f"{template}.jinja").render(wordings=WORDINGS, **given)


def statement_pages(rows):
    """{file name: text} of the rows of verdicts.jsonl, with an index."""
    areas = {}
    for row in rows:
        if "place" not in row:
            raise SystemExit(f"{row['id']} has no place; allowed are rows of this version's verify")
        areas.setdefault(verdict_notes.area(row), {}).setdefault(group(row), []).append(row)
    # A statement is in no list of the margin, which would hold hundreds on every page of the site.
    pages = {f"{row['id']}.md": page("statement", row=row) for row in rows}
    for groups in areas.values():
        pages |= {f"{name}.md": page("group", rows=of_group) for name, of_group in groups.items()}
    return {**pages, "index.md": page("index", rows=rows, areas=areas)}
