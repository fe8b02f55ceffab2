"""How does an ASCII formula of a title read on a page?

Greek letters, relations and roots become signs, exponents and indices <sup> and <sub>: `|y_tau| <= sqrt(2B) eps^2`. All else
stays as it was written, and everything is escaped.
"""

import functools
import re

from markupsafe import Markup, escape

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ",
    "Gamma": "Γ", "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ",
}  # fmt: skip
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "+-": "±"}
LETTER = re.compile(rf"(?<![A-Za-z])({'|'.join(GREEK)})(?![a-z])")  # also in y_tauL
SIGN = re.compile("|".join(map(re.escape, SIGNS)))
MINUS = re.compile(r"(?<= )-(?= )|(?:(?<=[ (\[,=^/])|^)-(?=[.\w(])")
ROOT = re.compile(r"\bsqrt(?=[ (])")
# Behind a symbol of one letter, so that the names of functions keep their underscores. An argument in braces loses them.
BASE = r"(?:(?<=[^A-Za-z_][A-Za-zα-ωΓΔΣΦ])|(?<=^[A-Za-zα-ωΓΔΣΦ])|(?<=[~'*)|\u0303])|(?<=\b(?:sum|max|min)))"
INDEX = re.compile(BASE + r"_(?:\{([^{}]+)\}|([^\W_]+(?:,[^\W_]+)*(?!\w)|\*))")
EXPONENT = re.compile(r"\^(?:\{([^{}]+)\}|(\([^()]*\)|[−-]?[\w.]*\w|[*+]))")
ACCENT = re.compile(r"(?<=[A-Za-zα-ω])(?:(~)|\^(?=[ ,;./)]|$))")  # Z~ and w^


def script(tag):
    return lambda found: f"<{tag}>{found[1] or found[2]}</{tag}>"


@functools.cache
def html(text):
    """Markup of a line of words and formulas."""
    text = LETTER.sub(lambda name: GREEK[name[0]], SIGN.sub(lambda sign: SIGNS[sign[0]], text))
    text = ACCENT.sub(lambda found: "\u0303" if found[1] else "\u0302", MINUS.sub("−", text))
    text = INDEX.sub(script("sub"), str(escape(ROOT.sub("√", text))))
    while (raised := EXPONENT.sub(script("sup"), text)) != text:  # an exponent may hold another
        text = raised
    return Markup(text)


# An argument in braces, which hold braces twice at most.
ARGUMENT = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"


def fraction(found):
    above, below = (part if len(part) == 1 else f"({part})" for part in found.groups())
    return f"{above}/{below}"


# The LaTeX of the sources' quotes, as the ASCII that this page sets.
LATEX = [
    (re.compile(r"\\(?:mathbf|mathcal|mathbb)\{(\w)\}"), r"\1"), (re.compile(r"\\frac" + 2 * ARGUMENT), fraction),
    (re.compile(r"\\widetilde\{(\w)\}"), r"\1~"), (re.compile(r"\\ge(?![a-z])"), ">="),
    (re.compile(r"\\cdot(?![a-z])"), "*"), (re.compile(r"\\(Delta|rho|sum)(?![a-z])"), r"\1"),
    (re.compile(r"\\ell(?![a-z])"), "l"), (re.compile(r"\\\|"), "|"), (re.compile(r"\\,"), " "),
]  # fmt: skip


def quote(text):
    """The same of a quote, from its LaTeX or Markdown. One with commands that are not known stays as it was written."""
    told = text.replace("**", "")
    for pattern, ascii_text in LATEX:
        while pattern.search(told):
            told = pattern.sub(ascii_text, told)
    return Markup("<code>{}</code>").format(text) if "\\" in told else html(told)
