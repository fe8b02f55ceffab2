"""How do the templates become one page that needs no network? Jinja2 with everything escaped, the style and the script
inlined, figures as data; a cell of a table knows by what it sorts.
"""

import re
import sys
from pathlib import Path
from urllib.parse import quote

from script import refuse

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError
    from markupsafe import Markup
except ModuleNotFoundError as missing:
    refuse(f"{sys.executable}: no {missing.name}; allowed is a Python with jinja2, in Debian's package python3-jinja2")

from report_page import digits, formulas

TEMPLATES = Path(__file__).parent.parent / "templates"
# What a verdict looks like: its class, its sign and its words.
VERDICTS = {
    "not-refuted": ("good", "✓", "not refuted"),
    "refuted": ("bad", "✗", "refuted"),
    "inconclusive": ("open", "?", "inconclusive"),
    "not-judged": ("open", "·", "not judged"),
}
LINK = Markup('<a href="#statement-{}">{}</a>')


class Cell:
    """A right-aligned number with its text, and perhaps a note, which sorts by its full value; what is not known comes before
    every number.
    """

    def __init__(self, value, digits_shown=4, text=None, note=""):
        self.value, self.note = value, note
        self.text = text or digits.show(value, digits_shown) or "–"

    @property
    def key(self):
        if digits.missing(self.value):
            return "-Infinity"
        return "Infinity" if self.value >= digits.BEYOND else repr(float(self.value))


def cells(row, **shown):
    """Of these columns of a row, each with so many digits."""
    return [Cell(row[name], digits_shown) for name, digits_shown in shown.items()]


def verdict(name):
    """Sign and words, for colour alone does not tell."""
    look, sign, words = VERDICTS.get(name, ("open", "?", name))
    return Markup('<span class="verdict {}"><span aria-hidden="true">{}</span> {}</span>').format(look, sign, words)


def expected_verdict(name, expected):
    """Of a lie or a control: good is what was expected."""
    _, _, words = VERDICTS.get(name, ("open", "?", name))
    look, sign = ("good", "✓") if name == expected else ("bad", "✗")
    note = "" if name == expected else f" (expected {VERDICTS.get(expected, ('', '', expected))[2]})"
    return Markup('<span class="verdict {}"><span aria-hidden="true">{}</span> {}{}</span>').format(
        look, sign, words, note
    )


# The places of points and of marks; numbers of other attributes, such as the scale of a letter, stay as they are.
PLACES = re.compile(rb'(?<=\s)(?:d|x|y)="[^"]*"')
DECIMALS = re.compile(rb"(\.\d\d)\d+")
UNSEEN = re.compile(rb"<!--.*?-->|(?<=\n) +", re.DOTALL)


def shortened(svg):
    """A figure whose points are told to a hundredth of 1/72 inch, without comments and indentation: to the eye the same."""
    return UNSEEN.sub(b"", PLACES.sub(lambda place: DECIMALS.sub(rb"\1", place[0]), svg))


ATTRIBUTE = re.compile(rb"=\"([^\"']*)\"")
UNCHANGED = " <>='()/;:,.-_+*!?@[]{}|^~$"


def as_address(svg):
    """The figure as an address that stands in an attribute: a quarter shorter than base64, and nothing like a link."""
    text = ATTRIBUTE.sub(rb"='\1'", svg).replace(b"\n", b" ")
    return Markup("data:image/svg+xml," + quote(text, safe=UNCHANGED).replace("://", "%3A//"))


VIEW_BOX = re.compile(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def figure(path, heading, alt, caption, facts, wide=False):
    """What the template of a figure needs; alt says what is to see. facts: those of provenance.json."""
    svg = Path(path).read_bytes()
    size = VIEW_BOX.search(svg)
    shape = f"{size[1].decode()} / {size[2].decode()}" if size else "auto"
    made = {"heading": heading, "alt": alt, "caption": caption, "numbers": ""}
    return made | {"address": as_address(shortened(svg)), "shape": shape, "facts": facts, "wide": wide}


def linked(ids):
    """A filter: a formula or remark in which the ids of statements lead to them."""
    known = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, sorted(ids, key=len, reverse=True))) + r")(?![\w-])")

    def link(text):
        made, place = Markup(""), 0
        for found in known.finditer(text) if ids else ():
            made += formulas.html(text[place : found.start()]) + LINK.format(found[0], found[0])
            place = found.end()
        return made + formulas.html(text[place:])

    return link


def environment(ids=()):
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "formula": formulas.html, "linked": linked(ids), "quote": formulas.quote, "show": digits.show,
        "bound": digits.bound, "count": digits.count, "verdict": verdict,
        "claim": lambda x, relation: digits.claim(relation, x),
    }  # fmt: skip
    made.globals |= {
        "span": digits.span,
        "expected_verdict": expected_verdict,
        "is_cell": lambda x: isinstance(x, Cell),
    }
    return made


def filled(make, *given, **named):
    """What a template makes."""
    try:
        return make(*given, **named)
    except UndefinedError as problem:  # of files that do not go together
        raise LookupError(str(problem)) from problem


def sentence(name, **given):
    """A macro of sentences.html, in one line."""
    macro = getattr(environment().get_template("sentences.html").module, name)
    return Markup(" ".join(filled(macro, **given).split()))


def caption(name, **given):
    """A macro of captions.html, in one line of text in which nothing is escaped."""
    macro = getattr(environment().overlay(autoescape=False).get_template("captions.html").module, name)
    return " ".join(filled(macro, **given).split())


def inlined(name):
    """A file of the templates as it stands, for a <style> or <script> element."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def render(context):
    ids = [shown["row"]["id"] for shown in context["statements"]["views"]]
    page = environment(ids).get_template("report.html")
    return filled(page.render, context, style=inlined("report.css"), script=inlined("report.js"))
