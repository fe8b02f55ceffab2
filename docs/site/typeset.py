"""How do the formulas of the theory's pages, which are ASCII between backticks, become mathematics on the site? As MathML,
which a browser draws by itself.

A span between backticks is a formula where all of it reads as one; names of files, commands and code stay code. An indented
block is one where each of its lines holds a formula. What is not understood stays as it stands, so nothing is lost: the
tests take the markup off again.
"""

import itertools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))
from report_page import formula_runs, formulas  # noqa: E402

SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"(?:(?<=\n\n)|^)    \S.*\n(?:    .*\S.*\n)*(?=\n|$)")
WORD = re.compile(r"[A-Za-z]{2,}")
# The name of a function, as a_priori_bound: no formula has two subscripts on one symbol.
IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+){2,}")
UPRIGHT = 'mathvariant="normal"'  # a style sheet says it in the report
# What begins a line that a shell or an interpreter is given, or that a program prints.
COMMAND = re.compile(r"^\s*(?:socketlab|build/|docs/|python3|import|for|\.\./|\.\.$)")


def is_formula(text):
    """Does all of the text read as mathematics: formulas from its first sign to its last, and no word between?"""
    runs = [] if IDENTIFIER.fullmatch(text) else formula_runs.runs(text)
    if not runs or runs[0][0].start > 0 or runs[-1][-1].end < len(text):
        return False
    between = [text[one[-1].end : other[0].start] for one, other in itertools.pairwise(runs)]
    return not any(WORD.search(words) for words in between)


def html(text):
    """MathML that Markdown leaves alone: in a table a bar would end the cell. P and E stand upright with no style sheet."""
    made = str(formulas.mathml(text)).replace('class="upright"', UPRIGHT)
    return made.replace("|", "&#124;").replace("*", "&#42;").replace("_", "&#95;")


# What Markdown reads in words; in a cell of a table a bar as well.
READ = re.compile(r"[\\`*_\[\]|~$]")


def in_words(text):
    """The formulas in a line of words as MathML, and nothing in it that Markdown reads."""
    return READ.sub(lambda sign: f"&#{ord(sign[0])};", str(formulas.mathml(text)).replace('class="upright"', UPRIGHT))


def in_heading(text):
    """The formulas in a heading between backticks: Sphinx sets them, in lists of contents too (headings.py)."""
    made, place = "", 0
    for one in formula_runs.runs(text):
        made += READ.sub(r"\\\g<0>", text[place : one[0].start]) + f"`{text[one[0].start : one[-1].end]}`"
        place = one[-1].end
    return made + READ.sub(r"\\\g<0>", text[place:])


def span(found):
    text = found[1].replace("\\|", "|")
    return html(text) if is_formula(text) else found[0]


def block(found):
    lines = [line.strip() for line in found[0].splitlines()]
    if any(COMMAND.match(line) or not formula_runs.runs(line) for line in lines):
        return found[0]
    return '<p class="formula">' + "<br>".join(html(re.sub(r" {2,}", "\u2003", line)) for line in lines) + "</p>\n"


def typeset(text):
    """A page with its formulas as MathML. Fenced blocks and headings stay."""
    parts = re.split(r"(^```.*?^```\n|^#[^\n]*\n)", BLOCK.sub(block, text), flags=re.M | re.S)
    return "".join(
        part if part.startswith(("```", "#", '<p class="formula">')) else SPAN.sub(span, part) for part in parts
    )
