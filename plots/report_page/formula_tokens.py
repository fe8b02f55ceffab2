"""Of which tokens is a text with formulas made? Names, numbers, operators, brackets, bars, scripts with what they hold, and
words. Each knows its place in the text, so that what turns out to be no formula can be shown as it was written.
"""

import re
from dataclasses import dataclass

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "epsilon": "ε", "zeta": "ζ", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "omega": "ω", "eta": "η", "chi": "χ", "Gamma": "Γ", "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "infinity": "∞",
}  # fmt: skip
# Letters written together that are a product or a pair of indices, and symbols of several letters.
JOINED = {"Wq", "XY", "PL", "LP", "bq", "ij", "Jm", "km", "xA", "xB"}
SINGLE = {"kk", "rr", "TV", "diam", "hi", "lo", "slack"}
FUNCTIONS = {
    "log", "ln", "exp", "tanh", "sinh", "cos", "asin", "arcsin", "sign", "max", "min", "sup", "det", "tr", "ceil",
    "floor", "Bin", "Var", "Cov", "Corr", "diag", "P", "E",
}  # fmt: skip
OPENING, CLOSING = "([{", ")]}"

TOKEN = re.compile(
    r"(?P<word>i\.i\.d\.|i\.e\.|e\.g\.|[\w/]+\.(?:hpp|cpp|csv|jsonl?|py)\b|[A-Za-z]{2,}'[a-z]{1,2}\b|'s\b)"
    r"|(?P<chain>(?<![\w.])(?![\d.]+e-\d)(?:\d*\.\d+|[A-Za-z0-9]+)(?:-(?:\d*\.\d+|[A-Za-z0-9]+))+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?!\d)|(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)"
    r"|(?P<name>[A-Za-z]+\d*|[α-ωΓΔΣ∞])"
    r"|(?P<sqrt>√(?=[\w(]))"
    r"|(?P<relation><=|>=|!=|->|[<>=≤≥≠→∼])"
    r"|(?P<sign>\+-|[-+±−])"
    r"|(?P<blank>(?<=\|)\.(?=\|))"  # |.|, the norm of anything
    r"|(?P<bar>\|\|?)"
    r"|(?P<dots>\.\.(?!\.))"
    r"|(?P<dot>\.)|(?P<comma>[,;])|(?P<slash>/)|(?P<times>\*)|(?P<tilde>~)|(?P<prime>'|!(?!=))"
    r"|(?P<script>[_^])|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<other>\S)"
)
# What a script takes where it has no brackets: a name or a number, what is joined to it by a comma, a letter with a hat.
# A fraction only behind a minus sign: L^-1/2 is one over a root, x^2/2 half a square.
SCRIPT = re.compile(
    r"[A-Za-z]\^(?![{(\w.+-])|-\d+/\d+|-?(?:[A-Za-z]+|\d*\.\d+|\d+[A-Za-z]?)(?:,(?:[a-z]+|L)\b)?|[*+](?![\w(])"
)
HAT = re.compile(r"\^(?=[ ,;.)\]}/|']|$)")
TILDE = re.compile(r"~(?![A-Za-z])")
NORM = re.compile(r"\|\|[^|]+\|\|")
OF_ROOT = re.compile(r"\(| (?:[A-Za-z]|\d+)\b")
WORD = re.compile(r"\w+")  # top_t is one
NAME_AND_INDEX = re.compile(r"(?:[A-Za-z]|log|Phi|chi)\d")
INNER_PRODUCT = re.compile(r"(?<![\w)\]|])<(?=[^\s<>=])[^<>=]*,[^<>=]*(?<![\s-])>(?!=)")
ANGLES = {"<": ("open", "⟨"), ">": ("close", "⟩")}


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    gap: bool = False  # a space stands before it
    mark: str = ""  # of a script _ or ^, of a symbol its accent
    role: str = ""  # of a bar: opens or closes, else it stands between


def closing(text, start):
    """The place of the bracket that closes the one at `start`; -1 if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in OPENING) - (text[place] in CLOSING)
        if depth == 0:
            return place
    return -1


def script_at(text, start):
    """(what the script holds, the place behind it): braces go, round brackets belong to it. None if there is no script."""
    if text[start : start + 1] in ("{", "("):
        end = closing(text, start)
        if end < 0 or end == start + 1:
            return None
        return (text[start + 1 : end] if text[start] == "{" else text[start : end + 1]), end + 1
    found = SCRIPT.match(text, start)
    return (found[0], found.end()) if found else None


def is_symbol(name):
    return len(name) == 1 or name in GREEK or name in JOINED or name in SINGLE


def symbol(name, text, start):
    end = start + len(name)
    accent = len(name) == 1 and (HAT.match(text, end) or TILDE.match(text, end))
    return Token("symbol", name, start, end + bool(accent), mark=accent[0] if accent else "")


def named(name, text, start):
    """The tokens of a name: a symbol, one with an index (S1) or a bar (xibar), a function, sums and roots, or a word."""
    end = start + len(name)
    if name == "sqrt":
        return [Token("sqrt" if OF_ROOT.match(text, end) else "word", name, start, end)]
    if name in ("sum", "prod"):
        return [Token("sum", name, start, end)]
    if name in FUNCTIONS:
        return [Token("function", name, start, end)]
    if name == "delta" and text.startswith((" method", "-method"), end):
        return [Token("word", name, start, end)]
    if is_symbol(name):
        return [symbol(name, text, start)]
    if name.endswith("bar") and is_symbol(name[:-3]):
        return [Token("symbol", name[:-3], start, end, mark="bar")]
    if NAME_AND_INDEX.fullmatch(name):
        kind = "function" if name.startswith("log") else "symbol"
        mark = "^" if name == "chi2" else "_"  # chi-square
        return [Token(kind, name[:-1], start, end - 1), Token("script", name[-1], end - 1, end, mark=mark)]
    if name == "tauL":
        return [Token("symbol", "tau", start, end - 1), Token("symbol", "L", end - 1, end)]
    found = WORD.match(text, start)
    return [Token("word", found[0], start, found.end())]


def is_angle(text, place):
    """Is the < or > at `place` a bracket of an inner product, as in <u, v>, and no relation?"""
    return any(place in (found.start(), found.end() - 1) for found in INNER_PRODUCT.finditer(text))


def is_word(chain):
    """Is what hyphens join a word, as top-k, 16-bit and I-TWO are? It is not in 1-delta and L-1."""
    return any(part[0].isalpha() and named(part, part, 0)[0].kind == "word" for part in chain.split("-"))


def is_norm(text, place):
    """Is the double bar at `place` of a norm, and not the end of one modulus before the next, as in |q||s|?"""
    norms = (found.span() for found in NORM.finditer(text) if text.count("|", 0, found.start()) % 2 == 0)
    return any(place in (start, end - 2) for start, end in norms)


def of_match(found, text, before):
    """The tokens of one match; `before` is the token that touches it, if one does and is no word."""
    kind, start, end = found.lastgroup, found.start(), found.end()
    if found[0] == "||" and not is_norm(text, start):
        return [Token("bar", "|", start, start + 1), Token("bar", "|", start + 1, end)]
    if kind == "chain":
        if is_word(found[0]):
            return [Token("word", found[0], start, end)]
        return of_match(TOKEN.match(text, start, start + found[0].index("-")), text, before)
    if found[0] in ANGLES and is_angle(text, start):
        return [Token(*ANGLES[found[0]], start, end)]
    if kind == "name":
        return named(found[0], text, start)
    spaced = text[start - 1 : start] == " " and text[end : end + 1] == " "
    if kind == "script":
        taken = script_at(text, end) if before and before.kind not in ("sign", "relation", "open", "slash") else None
        if taken:
            return [Token("script", taken[0], start, taken[1], mark=found[0])]
    elif kind == "tilde" and (spaced or re.match(r"~[A-Z]\(", text[start:])):
        kind = "relation"
    elif kind == "times" and before and not spaced:
        kind = "star"
    elif kind == "dot" and not spaced and not (before and re.match(r"\.[A-Za-z(|]", text[start:])):
        kind = "word"
    elif kind == "blank":
        kind = "symbol"
    elif (kind == "prime" and not before) or (kind == "times" and not spaced):
        kind = "word"
    return [Token("word" if kind in ("other", "script", "tilde") else kind, found[0], start, end)]


def tokens_of(text):
    made, place = [], 0
    while found := TOKEN.search(text, place):
        gap = found.start() > place
        touching = None if gap or not made or made[-1].kind == "word" else made[-1]
        new = of_match(found, text, touching)
        new[0].gap = gap
        made += new
        place = made[-1].end
    return made
