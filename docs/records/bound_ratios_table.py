"""The table of docs/bounds.md, from docs/records/bound_ratios.csv.

Usage: bound_ratios_table.py RECORD.csv PAGE.md   (replaces what stands between the two marks in the page)
"""

import csv
import sys
from pathlib import Path

BEGIN, END = "<!-- bound_ratios: begin -->", "<!-- bound_ratios: end -->"
COLUMNS = (
    ("finite-tables", "Theorem 1(b)"),
    ("finite-tables", "Theorem 2"),
    ("finite-tables", "Corollary 3"),
    ("finite-tables", "Corollary 4"),
    ("sampling", "Theorem 7(a)"),
    ("bias", "Theorem 8(i)"),
    ("total", "Theorem 9(b)"),
    ("total", "Theorem 9(a)"),
    ("total", "printed, B drawn"),
    ("total", "printed, B sure"),
)


def ratio(row):
    value = float(row["bound_over_quantile"])
    return f"{value:.2f}" if value < 100 else f"{value:.1e}".replace("e+0", "e")


def table(rows):
    settings = {}
    for row in rows:
        key = (row["family"], int(row["keys"]), int(row["planes"]), float(row["temperature"]))
        settings.setdefault(key, {})[row["term"], row["bound"]] = row
    lines = [
        "| keys, N | P, tau | finite tables, 95% | 1(b) | 2 | 3 | 4(ii) | sampling: 7(a) | bias: 8(i) | total: 9(b) | 9(a) | paper, B drawn | paper, B sure | most misses |",
        "|" + "---|" * 14,
    ]
    for (family, keys, planes, temperature), bounds in sorted(settings.items(), key=lambda one: (one[0][1], one[0])):
        quantile = float(bounds["finite-tables", "Theorem 1(b)"]["error_quantile_value_units"])
        proved = [row for row in bounds.values() if row["guarantee"] == "proved" and row["term"] != "bias"]
        most = max(proved, key=lambda row: int(row["misses"]))
        cells = [ratio(bounds[column]) for column in COLUMNS]
        misses = f"{most['misses']} of {most['draws']}"
        lines.append(
            f"| {family}, {keys} | {planes}, {temperature:g} | {quantile:.4f} | {' | '.join(cells)} | {misses} |"
        )
    return "\n".join(lines)


def main(record, page):
    with open(record, newline="", encoding="utf-8") as file:
        made = table(csv.DictReader(file))
    text = Path(page).read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    Path(page).write_text(f"{head}{BEGIN}\n{made}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
