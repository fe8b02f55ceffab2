"""Which parts of a text are formulas, and which are words?

A symbol is a single letter, the name of a Greek one, or one of a few listed names; a function is a listed name with something
to act on. Symbols, functions, numbers, brackets and the operators between them are a formula. Every other word ends it, and
outside brackets a comma, a colon or a full stop. A bracket that holds a word is text, and so is a bar without its mate, an
operator at the edge of a formula, and whatever has no symbol, as "<= 1".
"""

import re

from report_page.formula_tokens import tokens_of

# Names with a number or a letter: Theorem 1(a), Lemma D, line 6. And E<x, direction>, an expectation.
NO_FORMULA = re.compile(
    r"\b(?:Theorem|Lemma|Corollary|Proposition|Algorithm|Table|Figure|Section|[Ll]ine) (?:\d[\d.]*|[A-Z]\b)(?:\([a-z]+\))?"
    r"|\bE<(?=[^<>]*>)"
)
NOT_BEHIND_ARTICLES = {"the", "a", "and", "is", "of"}
# A setting, as in d=128 P=8, begins a formula of its own.
SETTING = re.compile(r"(?:\|\w+\||[A-Za-z]\w*)=(?=[^\s=])")
NORM_OF_NAMES = re.compile(r"(\|\|?)[A-Za-z]+ - [A-Za-z]+\1(?=_)")
FACTOR_X, LONE_X = re.compile(r"[\d.]+x\b"), re.compile(r"(?<![A-Za-z\d])x(?![A-Za-z])")

OPERANDS = {"number", "symbol", "close", "script", "prime", "star"}
STARTS = {"symbol", "function", "open", "sqrt", "sum"}
OPERATORS = {"relation", "sign", "times", "slash", "dot", "dots"}
SYMBOLIC = {"symbol", "function", "sqrt", "sum", "script"}
ATTACHED = {"script", "prime", "star"}
# Brackets that may close each other: [0, 1) is a pair.
MATES = {"(": "round", "[": "round", ")": "round", "]": "round", "{": "curly", "}": "curly", "⟨": "angle", "⟩": "angle"}


def demote(*tokens):
    for token in tokens:
        token.kind, token.role = "word", ""


def with_neighbours(tokens):
    """(the one before, token, the one behind); None where there is none."""
    return list(zip([None, *tokens[:-1]], tokens, [*tokens[1:], None], strict=True)) if tokens else []


def is_operand(token):
    return token.kind in OPERANDS or token.role == "closes"


# --- words, by themselves and by their neighbours -------------------------------------------------------------------


def is_article(before, token, behind):
    if token.text not in ("a", "A") or token.kind != "symbol" or token.mark or not behind or not behind.gap:
        return False
    if before and before.kind in OPERATORS | {"open"}:
        return False
    if behind.kind == "word":
        return behind.text not in NOT_BEHIND_ARTICLES
    return token.text == "a" and behind.kind not in OPERATORS


def acts(before, token, behind, opens):
    """Does a function or sum stand before what it acts on? `opens`: a bar behind it touches what follows."""
    if behind is None or (before and before.kind == behind.kind == "bar" and not token.gap and len(token.text) == 1):
        return False  # E is a length in ||E||
    if not behind.gap and behind.kind in ("open", "bar"):
        return behind.role != "closes"
    if len(token.text) == 1:  # P is a probability only before its bracket, E an expectation before a symbol too
        return token.text == "E" and behind.gap and (behind.kind in STARTS or (behind.kind == "bar" and opens))
    if behind.kind == "script" and not behind.gap:
        return True
    return behind.gap and (behind.kind in STARTS | {"bar"} or (behind.kind == "number" and token.text in ("ln", "log")))


def settle_functions(tokens):
    for place, (before, token, behind) in enumerate(with_neighbours(tokens)):
        opens = place + 2 < len(tokens) and not tokens[place + 2].gap
        if token.kind in ("function", "sum") and not acts(before, token, behind, opens):
            token.kind = "symbol" if len(token.text) == 1 else "word"


def is_plain_slack(before, token, behind):
    """Is "slack" no symbol, with neither a script nor an operator beside it?"""
    if token.text != "slack" or token.kind != "symbol" or (before and before.kind in OPERATORS | {"open"}):
        return False
    return not behind or behind.kind not in {"relation", "sign", "script"}


def is_factor(before, token, text):
    """Is 2x "twice as"? Not beside a lone x, as a summand, over a slash or by itself."""
    found = FACTOR_X.match(text, token.start)
    if not found or LONE_X.search(text) or found[0] == text:
        return False
    return not text.startswith("/", found.end()) and not (before and before.kind == "sign")


def settle_words(tokens, text):
    for before, token, behind in with_neighbours(tokens):
        if is_article(before, token, behind) or is_plain_slack(before, token, behind):
            demote(token)
        if token.kind == "number" and is_factor(before, token, text):
            demote(token, behind)
    for found in NO_FORMULA.finditer(text):
        demote(*(token for token in tokens if found.start() <= token.start < found.end()))
    for found in NORM_OF_NAMES.finditer(text):
        for token in tokens:
            if found.start() < token.start < found.end() and token.kind == "word":
                token.kind = "symbol"
    settle_functions(tokens)


# --- brackets and bars ----------------------------------------------------------------------------------------------


def bracket_pairs(tokens):
    """(place of the opening bracket, of its mate), inner ones first; what has no mate is text. [0, 1) is a pair."""
    pairs, opened = [], []
    for place, token in enumerate(tokens):
        if token.kind == "open":
            opened.append(place)
        elif token.kind == "close" and opened and MATES[tokens[opened[-1]].text] == MATES[token.text]:
            pairs.append((opened.pop(), place))
        elif token.kind == "close":
            demote(token)
    demote(*(tokens[place] for place in opened))
    return pairs


def begins(before, token, behind, text):
    """Does a new formula begin at this token, although no word parts it from the one before?

    It does at a setting; and at a number behind a symbol, and behind 0, for neither is a product.
    """
    if not token.gap or before is None or not is_operand(before):
        return False
    if token.kind == "number":
        return behind is None or behind.kind != "script"
    behind_zero = before.kind == "number" and before.text == "0" and token.kind in STARTS
    return behind_zero or bool(SETTING.match(text, token.start))


def name_words(tokens, start, end):
    """In a bracket with symbols a word between its edge and signs is a name, as in (C sqrt(m) + bias), and under a root."""
    inside = with_neighbours(tokens[start : end + 1])[1:-1]
    rooted = start and tokens[start - 1].kind == "sqrt"
    if rooted or any(token.kind in SYMBOLIC for _, token, _ in inside):
        for before, token, behind in inside:
            between = {before.kind, behind.kind} <= {"open", "sign", "slash", "close"}
            if between and token.kind == "word" and token.text.isalpha():
                token.kind = "symbol"


def is_text(tokens, start, end, text):
    """Is a bracket no formula? It holds nothing or a word, lists settings, or is an aside: (P = 8), (33)."""
    inner = tokens[start + 1 : end]
    if all(token.kind in OPERATORS for token in inner) or any(token.kind == "word" for token in inner):
        return True
    if any(begins(*near, text) for near in with_neighbours(inner)):
        return True
    before = tokens[start - 1] if start and not tokens[start].gap else None
    if before and before.kind in OPERANDS | {"function", "sqrt", "bar", "word"}:
        return before.kind == "word"
    return any(token.kind == "relation" for token in inner) or (len(inner) == 1 and inner[0].kind == "number")


def settle_brackets(tokens, text):
    for start, end in bracket_pairs(tokens):
        name_words(tokens, start, end)
        if is_text(tokens, start, end, text):
            demote(tokens[start], tokens[end])
            before = tokens[start - 1] if start else None
            if before and not tokens[start].gap and before.kind in ("symbol", "function"):
                demote(before)


def detach(tokens):
    """A script, a prime or a star behind what became a word is text as well."""
    for before, token, _ in with_neighbours(tokens):
        if token.kind in ATTACHED and (before is None or before.kind == "word" or token.gap):
            demote(token)


def mate(tokens, start):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += (tokens[place].kind == "open") - (tokens[place].kind == "close")
        if depth == 0:
            return place
    raise LookupError("brackets without a mate were made text before")


def pair_bars(tokens):
    """Gives the bars of one level their roles; the opening ones that have no mate."""
    opened, before, place = [], None, 0
    while place < len(tokens):
        token = tokens[place]
        if token.kind == "open":
            end = mate(tokens, place)
            for lonely in pair_bars(tokens[place + 1 : end]):
                lonely.role = ""  # it stands between: p(r|q)
            place, token = end, tokens[end]
        elif token.kind == "bar":
            token.role = ""
            if opened and opened[-1].text == token.text and not token.gap and is_operand(before):
                opened.pop()
                token.role = "closes"
            elif place + 1 < len(tokens) and not tokens[place + 1].gap:
                opened.append(token)
                token.role = "opens"
        before, place = token, place + 1
    return opened


# --- runs -----------------------------------------------------------------------------------------------------------


def split(tokens, text):
    """Maximal runs of tokens of formulas."""
    runs, depth, before = [[]], 0, None
    for _, token, behind in with_neighbours(tokens):
        depth += token.kind == "open"
        if token.kind == "word" or (depth == 0 and token.kind == "comma"):
            runs.append([])
            before = None
            continue
        if depth == 0 and begins(before, token, behind, text):
            runs.append([])
        depth -= token.kind == "close"
        runs[-1].append(token)
        before = token
    return [run for run in runs if run]


def is_prefix(sign, behind):
    return sign.kind == "sign" and behind is not None and not behind.gap


def trimmed(run):
    """The run without operators that have nothing to act on; a relation may begin it."""
    while run and run[-1].kind in OPERATORS:
        run = run[:-1]
    while run and run[0].kind in OPERATORS - {"relation"} and not is_prefix(run[0], run[1] if run[1:] else None):
        run = run[1:]
    return run


def lonely_bars(run):
    """The bars of a run that have no mate and stand in no bracket."""
    lonely = pair_bars(run)
    depth = 0
    for token in run:
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0 and token.kind == "bar" and not token.role:
            lonely.append(token)
    return lonely


def is_all(run, text):
    """Is the text nothing but a sum of numbers, as 1 - 4/3? A claim such as <= -2 is none."""
    whole = run and (run[0].start, run[-1].end) == (0, len(text))
    return whole and run[0].kind == "number" and any(token.kind == "sign" and token.gap for token in run)


def runs(text):
    """The formulas of a text: lists of tokens, in their order."""
    tokens = tokens_of(text)
    settle_words(tokens, text)
    settle_brackets(tokens, text)
    while True:
        settle_functions(tokens)
        detach(tokens)
        made = [trimmed(run) for run in split(tokens, text)]
        lonely = [bar for run in made for bar in lonely_bars(run)]
        if not lonely:
            return [run for run in made if any(token.kind in SYMBOLIC for token in run) or is_all(run, text)]
        demote(*lonely)
        settle_brackets(tokens, text)
