"""Cuts runs of `socketlab rank` down to the records of the rankings.

Usage: ranking_records.py RUN_FOLDER..   writes docs/records/{figure2,rankers_*,ranking_*}.csv

A record has four digits of every number. Several runs of `--part rankers` that differ in the temperature make one record
with a column for it.
"""

import csv
import json
import re
import sys
from pathlib import Path

from records import ROOT

FIGURE_2 = [
    "setting", "ranker", "k", "metric", "value", "value_lo", "value_hi", "worst_tie_order", "best_tie_order",
    "socket_lead", "socket_lead_lo", "socket_lead_hi", "lead_error", "instances",
]  # fmt: skip


def cut(text):
    """Four digits of a number; a whole number and anything else as it is."""
    try:
        return text if re.fullmatch(r"-?\d+", text) else f"{float(text):.4g}"
    except ValueError:
        return text


def raw_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_record(path, rows, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([cut(row[column]) for column in columns] for row in rows)


def temperature_of(folder):
    """The --temperature of the command that made the folder."""
    command = json.loads((Path(folder) / "provenance.json").read_text(encoding="utf-8"))["command"]
    return re.search(r"--temperature[ =](\S+)", command).group(1)


def ranker_rows(folders):
    rows = []
    for folder in sorted(folders, key=temperature_of):
        of_run = raw_rows(Path(folder) / "rankers.csv")
        rows += [{"temperature": temperature_of(folder)} | row for row in of_run]
    return rows


def write_records(folders, target):
    rankers = [folder for folder in folders if (Path(folder) / "rankers.csv").exists()]
    if rankers:
        rows = ranker_rows(rankers)
        columns = list(rows[0])
        published = [row for row in rows if row["size"] == "published"]
        sized = [row for row in rows if row["size"] != "published" and float(row["density"]) == 0.1]
        write_record(target / "rankers_published_sizes.csv", published, columns)
        write_record(target / "rankers_by_memory.csv", sized, columns)
    for folder in map(Path, folders):
        if (folder / "ranking_curves.csv").exists():
            rows = [row for row in raw_rows(folder / "ranking_curves.csv") if row["truth"] == "dot-product"]
            write_record(target / "figure2.csv", rows, FIGURE_2)
        for name in ("ranking_temperatures.csv", "ranking_prediction.csv"):
            if (folder / name).exists():
                rows = raw_rows(folder / name)
                write_record(target / name, rows, list(rows[0]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    write_records(sys.argv[1:], ROOT / "docs/records")
