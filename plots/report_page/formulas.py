"""How does an ASCII formula of a title read as mathematics? Its formulas become MathML, its words stay text:
`|y_tauL - y_tau| <= sqrt(2B) eps with probability 1 - delta` holds two formulas.

formula_runs.py says what is a formula, formula_math.py how it is set. What is not understood stays as it was written, and
everything is escaped.
"""

import functools
import re

from markupsafe import Markup, escape

from report_page import formula_math, formula_runs

# In words: relations, a minus between parts and the sign of a number, not the hyphen of top-k.
PLAIN = re.compile(r"<=|>=|!=|->|\+-(?=\S)|(?<= )-(?= )|(?:(?<=[ (\[,=])|^)-(?=[.\d])")


def plain(text, start, end):
    """The words from `start` to `end` with real relations and signs; a wider space where two formulas meet."""
    if start and text[start:end] == " " and end < len(text):
        return Markup("\u2002")
    made, place = Markup(""), start
    for sign in PLAIN.finditer(text, start, end):
        made += escape(text[place : sign.start()]) + formula_math.SIGNS[sign[0]]
        place = sign.end()
    return made + escape(text[place:end])


@functools.cache
def mathml(text):
    """Markup: each formula of the text is one <math>, or several that a line may be broken between."""
    made, place = Markup(""), 0
    for tokens in formula_runs.runs(text):
        made += plain(text, place, tokens[0].start) + Markup(formula_math.math(tokens))
        place = tokens[-1].end
    return made + plain(text, place, len(text))


# An argument in braces, which hold braces twice at most.
ARGUMENT = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"


def fraction(found):
    above, below = (part if len(part) == 1 else f"({part})" for part in found.groups())
    return f"{above}/{below}"


# The LaTeX of the sources' quotes, as the ASCII that this page sets.
LATEX = [
    (re.compile(r"\\(?:mathbf|mathcal|mathbb)\{(\w)\}"), r"\1"),
    (re.compile(r"\\frac" + 2 * ARGUMENT), fraction),
    (re.compile(r"\\widetilde\{(\w)\}"), r"\1~"),
    (re.compile(r"\\ge(?![a-z])"), ">="),
    (re.compile(r"\\cdot(?![a-z])"), "*"),
    (re.compile(r"\\(Delta|rho|sum)(?![a-z])"), r"\1"),
    (re.compile(r"\\ell(?![a-z])"), "l"),
    (re.compile(r"\\\|"), "|"),
    (re.compile(r"\\,"), " "),
]


def quote(text):
    """The same of a quote, from its LaTeX or Markdown. One with commands that are not known stays as it was written."""
    told = text.replace("**", "")
    for pattern, ascii_text in LATEX:
        while pattern.search(told):
            told = pattern.sub(ascii_text, told)
    return Markup("<code>{}</code>").format(text) if "\\" in told else mathml(told)
