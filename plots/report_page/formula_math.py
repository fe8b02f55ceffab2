"""How is a formula written in MathML? Scripts, roots, accents, norms and sums are set as such. A product over one number,
symbol or bracket is a fraction where it stands on the line; the slash stays in scripts, in fractions, and where a function
without brackets would be torn apart, as in ln 2/x. A formula longer than a phone's line is parted before its relations and
signs, since browsers break no line in a <math>.
"""

import re
from dataclasses import dataclass

from markupsafe import escape

from report_page.formula_runs import ATTACHED, bracket_pairs, mate, pair_bars, settle_functions
from report_page.formula_tokens import GREEK, JOINED, tokens_of

SIGNS = {
    "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "~": "∼", "+-": "±", "-": "−", "*": "·", ".": "⋅", "||": "‖",
    "sum": "∑", "prod": "∏", "'": "′",
}  # fmt: skip
ACCENTS = {"^": "^", "~": "~", "bar": "¯"}
KINDS = {"number": "operand", "symbol": "operand", "open": "operand", "sqrt": "operand"}
THIN = '<mspace width=".17em"/>'
LINE = 28  # letters and signs


@dataclass
class Item:
    """A part of a row: an operand with its scripts, a function before what it acts on, a sum, an operator, a fraction."""

    kind: str
    tokens: list
    gap: bool = False
    over: list = ()
    under: list = ()


# --- a row and its items --------------------------------------------------------------------------------------------


def behind_base(tokens, start):
    """The place behind a symbol, a number, a root with what it is of, or what two brackets or bars hold."""
    first = tokens[start]
    if first.kind == "open":
        return mate(tokens, start) + 1
    if first.kind == "sqrt" and start + 1 < len(tokens):
        return behind_base(tokens, start + 1)
    if first.role != "opens":
        return start + 1
    place = start + 1
    while tokens[place].role != "closes":
        place = behind_base(tokens, place)
    return place + 1


def behind_scripts(tokens, place):
    while place < len(tokens) and tokens[place].kind in ATTACHED:
        place += 1
    return place


def items_of(tokens):
    made, place = [], 0
    while place < len(tokens):
        first, start = tokens[place], place
        place = behind_scripts(tokens, behind_base(tokens, place))
        kind = "operand" if first.role == "opens" else KINDS.get(first.kind, first.kind)
        behind = tokens[place] if place < len(tokens) else None
        if kind == "function" and behind and not behind.gap and (behind.kind == "open" or behind.role == "opens"):
            kind, place = "operand", behind_scripts(tokens, behind_base(tokens, place))
        made.append(Item(kind, tokens[start:place], first.gap))
    return made


def is_tight(items, place, kinds=("operand",)):
    return place < len(items) and items[place].kind in kinds and not items[place].gap


def start_of_product(items, slash):
    """The place at which the product before a slash begins; None if it is no product alone."""
    place = slash
    while place and (items[place - 1].kind == "operand" or (items[place - 1].kind == "dot" and not items[place].gap)):
        place -= 1
    before = items[place - 1] if place else None
    torn = before and (before.kind in ("function", "slash") or before.tokens[0].text == "prod")
    return None if torn or place == slash else place


def end_of_divisor(items, slash):
    """The place behind the one operand, or f(x), that a slash divides by; None where that is not plain."""
    end = slash + 2
    if items[slash].gap or not is_tight(items, slash + 1):
        return None
    if items[slash + 1].tokens[0].kind == "symbol" and is_tight(items, end) and items[end].tokens[0].kind == "open":
        end += 1
    return None if is_tight(items, end, ("operand", "slash", "dot")) else end


def with_fractions(items):
    place = 0
    while place < len(items):
        if items[place].kind == "slash":
            start, end = start_of_product(items, place), end_of_divisor(items, place)
            if start is not None and end is not None:
                over, under = items[start:place], items[place + 1 : end]
                items = [*items[:start], Item("fraction", over[0].tokens, over[0].gap, over, under), *items[end:]]
                place = start
        place += 1
    return items


# --- elements -------------------------------------------------------------------------------------------------------


def element(tag, *inner):
    return f"<{tag}>{''.join(inner)}</{tag}>"


def one(elements):
    return elements[0] if len(elements) == 1 else element("mrow", *elements)


def leaf(token):
    """A number, a symbol or an operator."""
    text = SIGNS.get(token.text, token.text)
    if token.kind == "number":
        return element("mn", escape(text))
    if token.kind == "function":  # one letter would be italic
        return element("mi", text) if len(text) > 1 else f'<mi class="upright">{text}</mi>'
    if token.kind == "slash":
        return '<mo lspace="0" rspace="0">/</mo>'
    if token.kind != "symbol" or token.text == ".":
        return element("mo", escape(text))
    if token.text in JOINED:
        return element("mrow", *(element("mi", letter) for letter in token.text))
    letter = element("mi", escape(GREEK.get(token.text, token.text)))
    if not token.mark:
        return letter
    return f'<mover accent="true">{letter}<mo>{ACCENTS[token.mark]}</mo></mover>'


def base(tokens, slashed):
    first = tokens[0]
    if first.kind == "sqrt" and len(tokens) > 1:
        inner = tokens[2:-1] if tokens[1].text == "(" else tokens[1:]
        return element("msqrt", *row(inner, slashed))
    if len(tokens) == 1:
        return leaf(first)
    inner = "".join(row(tokens[1:-1], slashed))
    look = "" if "<mfrac>" in inner else ' stretchy="false"'
    left, right = (f"<mo{look}>{SIGNS.get(fence.text, fence.text)}</mo>" for fence in (first, tokens[-1]))
    return element("mrow", left, inner, right)


def script(token):
    """What a script holds: all of it is formula, its words are names."""
    if token.text in ("*", "inf"):
        return [element("mo", "∗")] if token.text == "*" else [element("mi", "∞")]
    tokens = tokens_of(token.text)
    bracket_pairs(tokens)
    settle_functions(tokens)
    for inner in tokens:
        inner.kind = "symbol" if inner.kind == "word" else inner.kind
    for lonely in pair_bars(tokens):
        lonely.role = ""
    return row(tokens, slashed=True)


def with_scripts(made, scripts):
    """Subscript and superscript stand beside each other where they come in this order, else one after the other.

    A prime is a sign on the line: fonts raise it.
    """
    place = 0
    while place < len(scripts):
        if scripts[place].kind == "prime":
            made, place = element("mrow", made, element("mo", SIGNS.get(scripts[place].text, "!"))), place + 1
            continue
        low = [scripts[place]] if scripts[place].mark == "_" else []
        end = place = place + len(low)
        while end < len(scripts) and scripts[end].mark != "_" and scripts[end].kind != "prime":
            end += 1
        high = [part for token in scripts[place:end] for part in script(token)]
        parts = [one(script(token)) for token in low] + ([one(high)] if high else [])
        made = element("msubsup" if low and high else "msub" if low else "msup", made, *parts)
        place = end
    return made


def operand(tokens, slashed):
    end = behind_base(tokens, 0)
    behind = behind_scripts(tokens, end)
    made = with_scripts(base(tokens[:end], slashed), tokens[end:behind])
    return element("mrow", made, operand(tokens[behind:], slashed)) if tokens[behind:] else made


def bare(items, always):
    """Over or under a fraction's line a bracket goes, above only that of a sum; (1, 2)/3 keeps it."""
    tokens = items[0].tokens
    if len(items) == 1 and tokens[0].text == "(" and mate(tokens, 0) == len(tokens) - 1:
        inner = items_of(tokens[1:-1])
        kinds = {item.kind for item in inner}
        if "comma" not in kinds and (always or kinds & {"sign", "relation"}):
            return inner
    return items


def drawn(item, before, slashed):
    if item.kind == "fraction":
        over, under = bare(item.over, always=False), bare(item.under, always=True)
        return element("mfrac", one(elements(over, slashed=True)), one(elements(under, slashed=True)))
    if item.kind == "sign" and (before is None or before.kind not in ("operand", "fraction")):
        return f'<mo form="prefix">{SIGNS.get(item.tokens[0].text, item.tokens[0].text)}</mo>'
    return operand(item.tokens, slashed)


def is_long_name(token):
    return token.kind == "symbol" and len(token.text) > 1 and token.text not in GREEK and token.text not in JOINED


def are_parted(before, item):
    """Does a thin space stand between? Beside a function, and in a product with a name of several letters: TV diam(V)."""
    if not item.gap or before is None:
        return False
    first, last = item.tokens[0], before.tokens[0]
    factors = before.kind == item.kind == "operand"
    return "function" in (before.kind, first.kind) or (factors and (is_long_name(first) or is_long_name(last)))


def elements(items, slashed):
    made, before = [], None
    for item in items:
        if are_parted(before, item):
            made.append(THIN)
        made.append(drawn(item, before, slashed))
        before = item
    return made


def row(tokens, slashed):
    items = items_of(tokens)
    return elements(items if slashed else with_fractions(items), slashed)


# --- a formula ------------------------------------------------------------------------------------------------------


def width(items):
    return len(re.sub("<[^>]*>", "", "".join(elements(items, slashed=False))))


def parted(items, kinds):
    """The items in lines: parted before operators of these kinds where a line would be too long."""
    parts = [[]]
    for before, item in zip([None, *items], items, strict=False):
        if item.kind in kinds and before and before.kind in ("operand", "fraction"):
            parts.append([])
        parts[-1].append(item)
    lines = parts[:1]
    for part in parts[1:]:
        if width(lines[-1] + part) > LINE:
            lines.append(part)
        else:
            lines[-1] = lines[-1] + part
    return lines


def math(tokens):
    """One <math>, or several for a long formula."""
    items = with_fractions(items_of(tokens))
    lines = [items] if width(items) <= LINE else parted(items, ("relation",))
    lines = [part for line in lines for part in ([line] if width(line) <= LINE else parted(line, ("sign",)))]
    made = []
    for line in lines:
        inner = elements(line, slashed=False)
        if made and line[0].kind == "sign":
            inner[0] = inner[0].replace('"prefix"', '"infix"')
        made.append(element("math", *inner))
    return "".join(made)
