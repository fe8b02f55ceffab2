"""Does a comment block read as if a formatter had rewritten its lines?

Two marks of it. Torn: a line ends in mid-sentence far before the limit although the next line's first word would have
fit, which is what is left where a full line was cut and its end put on a line of its own. Joined: the columns of a table
or the marks of a list stand inside a line of prose.
"""

import re

# A line that its author broke is about as long as its neighbours; a formatter leaves a few words.
SHORT = 90
COMMENT = re.compile(r"^(\s*(?://|\*)(?!/)) ?(.*)$")
COLUMNS = re.compile(r"\S {3,}\S")
JOINED = re.compile(r"[a-z0-9)][.;] [\w-]+ {3,}\S|[.;] S\d{3}-[\w-]+ {2,}\S|[a-z)][.;:] - [a-z].*[.;] - [a-z]")
# A sentence that goes on; a list's mark, a heading or a formula of its own may follow a short line.
GOES_ON = re.compile(r"[a-z(]")
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


def findings(root, files):
    found = []
    for file in files:
        before = None  # indentation, line and text of the comment line above
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), start=1):
            match = COMMENT.match(line)
            if not match:
                before = None
                continue
            start, text = match.groups()
            if JOINED.search(text):
                found.append(f"{file}:{number}: comment: a table or a list inside a line of prose")
            if before and before[0] == start and is_torn(before[1], before[2], text):
                found.append(
                    f"{file}:{number - 1}: comment: the line ends early and the next goes on: {before[2][:60]}"
                )
            before = start, line, text
    return found
