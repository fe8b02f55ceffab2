"""The tables of docs/findings.md: the terms of Theorem 3 and their rates, errata by severity, and readings that do not hold.

Usage: findings_tables.py RESULTS PAGE.md   (replaces what stands between the marks in the page)

RESULTS is the folder of `socketlab reproduce`: verdicts.jsonl, sweep.csv and sweep_slopes.csv are read.
"""

import csv
import json
import re
import sys
from pathlib import Path

SEVERITIES = {
    "wrong-result": "wrong result",
    "wrong-step": "wrong proof step",
    "imprecise": "imprecise",
    "misprint": "misprint",
}


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ").strip()


def errata(rows):
    found = [row for row in rows if row["wording"] == "printed" and row["expected"] == "refuted"]
    found.sort(key=lambda row: list(SEVERITIES).index(row["severity"].replace("_", "-")))
    lines = ["| severity | id | printed, and where | what is so |", "|---|---|---|---|"]
    for row in found:
        severity = SEVERITIES[row["severity"].replace("_", "-")]
        place = f'"{cell(row["quote"])}" ({cell(row["source"])})'
        lines.append(f"| {severity} | {row['id']} | {place} | {cell(row['remark'])} |")
    return "\n".join(lines)


def readings(rows):
    found = [row for row in rows if row["wording"] == "reading" and row["expected"] == "refuted"]
    lines = ["| id | reading, and of what | what is so |", "|---|---|---|"]
    lines += [
        f"| {row['id']} | {cell(row['title'])} ({cell(row['source'])}) | {cell(row['remark'])} |" for row in found
    ]
    return "\n".join(lines)


def counts(rows):
    lines = ["| whose words | statements | expected to hold | expected to be refuted |", "|---|---|---|---|"]
    for wording in ("printed", "reading", "ours"):
        here = [row for row in rows if row["wording"] == wording]
        refuted = sum(row["expected"] == "refuted" for row in here)
        lines.append(f"| {wording} | {len(here)} | {len(here) - refuted} | {refuted} |")
    return "\n".join(lines)


def digits(text, count=4):
    """So many digits; a dash for an empty cell."""
    return f"{float(text):.{count}g}".replace("e+0", "e") if text else "-"


def terms(rows):
    """Each term at L = 60, where the sweep along the tables has the paper's number."""
    columns = "family, term | measured | exact | paper, B drawn | paper, B = N/2 | repaired | longest value"
    lines = [f"| {columns} |", "|" + "---|" * 7]
    for row in rows:
        if row["axis"] != "tables" or float(row["axis_value"]) != 60 or row["term"] == "total":
            continue
        interval = ", ".join(digits(row[f"error_{end}_value_units"]) for end in ("lo", "hi"))
        cells = [digits(row["predicted_value_units"])]
        names = ("bound_drawn_occupancy", "bound_sure_occupancy", "bound_repaired", "trivial_bound")
        cells += [digits(row[f"{name}_value_units"], 3) for name in names]
        measured = f"{digits(row['error_value_units'])} [{interval}]"
        lines.append(f"| {row['family']}, {row['term'].replace('-', ' ')} | {measured} | {' | '.join(cells)} |")
    return "\n".join(lines)


def constants(rows):
    here = [row for row in rows if row["axis"] == "tables" and row["term"] == "finite-tables"]
    counts_of_tables = list(dict.fromkeys(row["axis_value"] for row in here))
    lines = [f"| keys | {' | '.join(f'L = {float(n):g}' for n in counts_of_tables)} | constant |"]
    lines.append("|" + "---|" * (len(counts_of_tables) + 2))
    for family in dict.fromkeys(row["family"] for row in here):
        of_family = [row for row in here if row["family"] == family]
        cells = [digits(row["scaled_mse_value_units_squared"], 3) for row in of_family]
        cells.append(digits(of_family[0]["predicted_scaled_mse_value_units_squared"]))
        lines.append(f"| {family} | {' | '.join(cells)} |")
    return "\n".join(lines)


def slopes(rows):
    lines = ["| keys, term, axis | fitted from | slope |", "|---|---|---|"]
    for row in rows:
        place = f"{row['family']}, {row['term'].replace('-', ' ')}, {row['axis']}"
        ends = [float(row[name]) for name in ("slope_log_error_per_log_axis", "slope_lo", "slope_hi")]
        middle, low, high = (f"{end:.4f}" for end in ends)
        lines.append(f"| {place} | {float(row['fitted_from_axis_value']):g} | {middle} [{low}, {high}] |")
    return "\n".join(lines)


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main(folder, page):
    folder = Path(folder)
    rows = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines() if line]
    sweep = read_rows(folder / "sweep.csv")
    text = Path(page).read_text(encoding="utf-8")
    for name, made in (
        ("terms", terms(sweep)),
        ("constants", constants(sweep)),
        ("slopes", slopes(read_rows(folder / "sweep_slopes.csv"))),
        ("counts", counts(rows)),
        ("errata", errata(rows)),
        ("readings", readings(rows)),
    ):
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"{page}: one pair of marks {begin} .. {end} is needed")
        text = pattern.sub(lambda _, b=begin, m=made, e=end: f"{b}\n{m}\n{e}", text)
    Path(page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
