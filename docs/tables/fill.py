"""Fills every generated table and every quoted number of the pages from the records.

Usage: fill.py [--check]

What a page quotes stands in the page, as Python over the functions of the modules beside this file:

    It takes <!--= us(step.median_us) -->139<!--/--> us.

    <!-- table for n in (8192, 18432) for of in [steps.where(keys=n)]
    tokens <- thousands(n)
    *[f"{kv} heads" for kv in HEADS] <- *[us(of.one(kv_heads=kv).median_us) for kv in HEADS]
    -->
    (the table)
    <!-- end of table -->

    <!-- values
    steps = rows("decode_h200").where(stage="decode-step", batch=1, tables=60, planes=10)
    step = steps.one(keys=145408, kv_heads=32, budget=4406)
    -->

A table has a line for each turn of its `for`, and a column for each `heading <- cell`; a heading that begins with * is a
list, and indented lines belong to the one before. The names of `values` are those of the page alone, and may stand at its
end. Nothing but the tables and numbers of a page is written. With --check nothing is written,
and exit code 1 and a line tell of each number and table that is not as the records have it.
"""

import math
import re
import statistics
import sys

import finding_rows
import formats
import gpu_rows
import learned_rows
import models_rows
import ranking_rows
import records

sys.path.insert(0, str(records.ROOT / "tools"))
from sentences import pages  # noqa: E402

VALUES = re.compile(r"<!-- values\n(.*?)-->", re.DOTALL)
BLOCK = re.compile(
    r"(?P<table_head><!-- table (?P<table>.*?)\n-->\n)(?P<table_body>.*?)(?P<table_end><!-- end of table -->)"
    r"|(?<!`)(?P<number_head><!--= (?P<number>.+?) -->)(?P<number_body>.*?)(?P<number_end><!--/-->)",
    re.DOTALL,
)
BEGINNING = re.compile(r"(?<!`)<!--(= | table)")
AT_LINE_START = re.compile(r"^ *<!--= ", re.MULTILINE)  # Markdown would end the paragraph there


def names():
    """What the comments of a page may use."""
    found = {"math": math, "re": re, "statistics": statistics}
    for module in (records, formats, gpu_rows, learned_rows, models_rows, ranking_rows, finding_rows):
        found |= {name: value for name, value in vars(module).items() if not name.startswith("__")}
    return found


def table(spec, known):
    """Of `for row in rows`, then lines of `heading <- cell`."""
    clause, *columns = re.split(r"\n(?! )", spec)
    while columns and " <- " not in columns[0]:
        clause += f" {columns.pop(0)}"
    heads, cells = zip(*(column.split(" <- ", 1) for column in columns), strict=True)
    made = [part for head in heads for part in (eval(head[1:], known) if head[0] == "*" else [head])]
    return formats.markdown(made, eval(f"[[{', '.join(cells)}] {clause}]", known))


def line_of(page, found):
    return page.count("\n", 0, found.start()) + 1


def filled(page):
    """The page with every number and table as the records have it, and a line for each that cannot be made."""
    known, wrong = names(), []

    def told(make, found):
        """What is made for a comment; where it cannot be made, the comment as it is."""
        try:
            return make(found)
        except Exception as error:  # whatever a query may raise is said of its place
            wrong.append(f"{line_of(page, found)}: {type(error).__name__}: {error}".replace("\n", " "))
            return found[0]

    def made(found):
        if found["table"]:
            return f"{found['table_head']}\n{table(found['table'], known)}\n\n{found['table_end']}"
        return f"{found['number_head']}{formats.text(eval(found['number'], known))}{found['number_end']}"

    for values in VALUES.finditer(page):
        told(lambda found: exec(found[1], known), values)
    return BLOCK.sub(lambda found: told(made, found), page), wrong


def differences(before, after):
    """A line for each block of a page that is not as it is to be."""
    blocks = zip(BLOCK.finditer(before), BLOCK.finditer(after), strict=True)
    return [
        f"{line_of(before, old)}: {old['number_body'] or 'the table'} is to be {new['number_body'] or 'made anew'}"
        for old, new in blocks
        if old[0] != new[0]
    ]


def main(arguments, root=records.ROOT):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = []
    for path in pages(root):
        page = path.read_text(encoding="utf-8")
        now, wrong = filled(page)
        wrong += [
            f"{line_of(page, at)}: a line may not begin with a quoted number" for at in AT_LINE_START.finditer(page)
        ]
        if len(BEGINNING.findall(page)) != len(BLOCK.findall(page)):
            wrong.append(" a comment of a table or number is not as fill.py reads it")
        if arguments:
            wrong += differences(page, now)
        elif now != page:
            path.write_text(now, encoding="utf-8")
        found += [f"{path.relative_to(root)}:{line}" for line in wrong]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
