"""Does a comment block read as if a formatter had rewritten its lines?

Two marks of it. Torn: a line ends in mid-sentence far before the limit although the next line's first word would have
fit, which is what is left where a full line was cut and its end put on a line of its own. Joined: the columns of a table
or the marks of a list stand inside a line of prose.
"""

import re

LIMIT = 120  # of the formatter
# A line that its author broke is about as long as its neighbours; a formatter leaves a few words.
SHORT = 105
COMMENT = re.compile(r"^(\s*(?://|\*)(?!/)) ?(.*)$")
COLUMNS = re.compile(r"\S {3,}\S")
JOINED = re.compile(
    r"[a-z0-9)][.;] [\w-]+ {3,}\S"  # the next row's first column behind a sentence
    r"|[^\s:] S\d{3}-[\w-]+ {2,}\S"  # a statement's id with its column inside a line
    r"|^- .*\S - [a-z].* - [a-z]|[a-z)][.;:] - [a-z].*[.;] - [a-z]"  # bullets, one behind the other
    r"|^1\. .* 2\. .* 3\. "  # a numbered list
)
# Prose that goes on; a list's mark, a heading or a formula may follow a short line.
GOES_ON = re.compile(r"[a-z]{2,}[,.;:]?( [a-z]|$)|\([A-Za-z]{2}")
ENDS = re.compile(r"[.:;?!,|)]$|^$")


def is_torn(line, text, following):
    indented = len(text) - len(text.lstrip())
    # Code in a comment; a formula on a line of its own, after which the sentence goes on.
    if indented >= 4 or indented > len(following) - len(following.lstrip()):
        return False
    text, following = text.strip(), following.strip()
    if not GOES_ON.match(following) or ENDS.search(text) or COLUMNS.search(text) or COLUMNS.search(following):
        return False
    return len(line) + 1 + len(following.split()[0]) <= SHORT


def is_orphan(line, text, following, after):
    """Two words at most on the last line of a paragraph, which the line before has room for."""
    last = (after is None or after == "") and not re.match(r"\s*\w+:", following)
    prose = len(text.split()) > 5 and not COLUMNS.search(text) and not text.startswith("    ")
    return last and prose and 0 < len(following.split()) <= 2 and len(line) + 1 + len(following.strip()) <= LIMIT


def findings(root, files):
    found = []
    for file in files:
        lines = (root / file).read_text(encoding="utf-8").splitlines()
        matches = [COMMENT.match(line) for line in lines]
        for number, match in enumerate(matches):
            if not match:
                continue
            start, text = match.groups()
            if JOINED.search(text):
                found.append(f"{file}:{number + 1}: comment: a table or a list inside a line of prose")
            following = matches[number + 1] if number + 1 < len(lines) else None
            if not following or following.group(1) != start:
                continue
            after = matches[number + 2] if number + 2 < len(lines) else None
            rest = after.group(2) if after and after.group(1) == start else None
            line = lines[number]
            if is_torn(line, text, following.group(2)) or is_orphan(line, text, following.group(2), rest):
                found.append(f"{file}:{number + 1}: comment: the line ends early and the next goes on: {text[:60]}")
    return found
