"""Of docs/records/pages.md: the prose of every page before and after it was rewritten, from docs/records/pages.csv.

tools/sentences.py writes the record. A page that moved has a line for each of its places.
"""

from records import markdown, read, thousands, where


def shown(row):
    if not row:
        return ["", "", "", ""]
    return [thousands(row["words"]), f"{row['mean']:.1f}", f"{row['longest']:.0f}", f"{row['digits_percent']:.1f}%"]


def pages():
    rows = read("docs/records/pages.csv")
    states = [{row["name"]: row for row in where(rows, state=state)} for state in ("before", "after")]
    lines = []
    for name in sorted({row["name"] for row in rows}):
        before, after = (shown(state.get(name)) for state in states)
        lines.append([name, *before, *after])
    columns = [
        "page",
        "words before",
        "mean",
        "longest",
        "with digits",
        "words after",
        "mean",
        "longest",
        "with digits",
    ]
    return markdown(columns, lines)


TABLES = {"pages": pages}
SENTENCES = []
