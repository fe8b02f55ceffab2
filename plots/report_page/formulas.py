"""How does an ASCII formula of a title read with its real symbols? `|y_tauL - y_tau| <= sqrt(2B) eps` becomes
|y<sub>τL</sub> − y<sub>τ</sub>| ≤ √(2B) ε.

Names, relations, subscripts, superscripts and accents only; what is not understood stays as it is, and everything is
escaped. A symbol that was lost or changed would show where the tests take the markup off every title of the list.
"""

import re

from markupsafe import Markup, escape

NAMES = {
    "tau": "τ", "theta": "θ", "delta": "δ", "epsilon": "ε", "eps": "ε", "rho": "ρ", "sigma": "σ", "gamma": "γ",
    "beta": "β", "kappa": "κ", "mu": "μ", "pi": "π", "xi": "ξ", "Gamma": "Γ", "Delta": "Δ", "Sigma": "Σ", "infinity": "∞",
}  # fmt: skip
BARRED = {"xibar": "ξ̄", "Dbar": "D̄", "ubar": "ū"}
RELATIONS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "+-": "±"}
SIGNS = {"root": "√", "sum": "∑", "product": "∏", "minus": "−", "times": "·", "similar": "∼", "prime": "′", "norm": "‖"}
# Of a name with a capital at its end, as in tauL: the two letters of one subscript.
JOINED = re.compile(r"^(tau)(L)$")
OPEN, CLOSE = "{(", "})"

TOKEN = re.compile(
    r"(?P<relation><=|>=|!=|->|\+-)"
    r"|(?P<norm>\|\|)"
    r"|(?P<root>\bsqrt(?:(?=\()| (?=[A-Za-z]\b)))"
    r"|(?P<sum>\bsum(?= ?[|_]| [A-Za-z][_^]))"
    r"|(?P<product>\bprod(?=_))"
    r"|(?P<script>[_^](?=[{(A-Za-z0-9+.*-]))"
    r"|(?P<hat>\b[A-Za-z]\^(?=[ ,;.)/]|$))"
    r"|(?P<tilde>\b[A-Za-z]~(?![A-Za-z]))"
    r"|(?P<kept>\bdelta(?=[ -]method))"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<minus>(?<= )-(?= )"  # between the parts of a formula
    r"|(?:(?<=[ (\[,=])|^)-(?=[.\d])|(?<=\()-(?=[A-Za-z])"  # a sign
    r"|(?<=\d)-(?=\(|delta)|(?:(?<=\W[A-Z])|(?<=\|))-(?=\d))"  # as in 1-delta and L-1, not as in top-k
    r"|(?P<times>(?<= )\*(?= ))"
    r"|(?P<similar>(?<= )~(?= )|(?<=[a-z])~(?=[A-Z]\())"
    r"|(?P<prime>')(?=[^A-Za-z]|$)"
)
# What a script takes where it has no braces: a name or a number, what is joined to it by a comma, a letter with a hat.
# A fraction only behind a minus sign: L^-1/2 is one over a root, x^2/2 half a square.
SCRIPT = re.compile(r"[A-Za-z]\^(?=[ ,;.)/]|$)|-\d+/\d+|-?(?:[A-Za-z]+|\d*\.\d+|\d+[A-Za-z]?)(?:,(?:[a-z]+|L)\b)?|[*]")


def closing(text, start):
    """The place of the bracket that closes the one at `start`; -1 if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in OPEN) - (text[place] in CLOSE)
        if depth == 0:
            return place
    return -1


def script_at(text, start):
    """(what the script holds, the place behind it); braces and, behind ^, short brackets belong to the script."""
    if text[start] in OPEN:
        end = closing(text, start)
        if end < 0:
            return None
        inner = text[start + 1 : end]
        return (inner if text[start] == "{" else f"({inner})"), end + 1
    found = SCRIPT.match(text, start)
    return (found[0], found.end()) if found else None


def name(word):
    joined = JOINED.match(word)
    return NAMES[joined[1]] + joined[2] if joined else BARRED.get(word) or NAMES.get(word, word)


def in_script(text):
    """A sign at the start of a script is a minus, and no hyphen; inf is a norm's index."""
    if text == "inf":
        return Markup("∞")
    return Markup("−") + html(text[1:]) if text.startswith("-") else html(text)


def token(kind, text):
    if kind == "name":
        return escape(name(text))
    if kind == "hat":
        return escape(f"{text[0]}\u0302")
    if kind == "tilde":
        return escape(f"{text[0]}\u0303")
    if kind == "kept":
        return escape(text)
    return Markup(RELATIONS[text] if kind == "relation" else SIGNS[kind])


def is_norm(text, place):
    """Is the double bar at `place` of a norm, and not the end of one modulus before the next?"""
    return text.count("||") % 2 == 0 and text[:place].replace("||", "").count("|") % 2 == 0


def html(text):
    """Markup with real symbols, everything else escaped."""
    made, place = Markup(""), 0
    while place < len(text):
        found = TOKEN.search(text, place)
        if not found:
            break
        made += escape(text[place : found.start()])
        place = found.end()
        if found.lastgroup == "norm" and not is_norm(text, found.start()):
            made += escape(found[0])
            continue
        if found.lastgroup != "script":
            made += token(found.lastgroup, found[0])
            continue
        script = script_at(text, place)
        if script is None:
            made += escape(found[0])
            continue
        tag = "sub" if found[0] == "_" else "sup"
        made += Markup(f"<{tag}>") + in_script(script[0]) + Markup(f"</{tag}>")
        place = script[1]
    return made + escape(text[place:])


def words(text):
    """The same as html, of a quote: one in the source's LaTeX stays as it was written."""
    return Markup("<code>{}</code>").format(text) if "\\" in text else html(text)
