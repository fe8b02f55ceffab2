"""Cuts runs of `socketlab rank` down to the records of the rankings.

Usage: ranking_records.py RUN_FOLDER..   writes docs/records/{figure2,rankers_*,ranking_*}.csv

A record has four digits of every number. Several runs of `--part rankers` that differ in the temperature make one record
with a column for it.
"""

import json
import re
from pathlib import Path

from runs import arguments, read_table, write_table

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


def temperature_of(folder):
    """The --temperature of the command that made the folder."""
    command = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["command"]
    return re.search(r"--temperature[ =](\S+)", command).group(1)


def write_records(folders, target):
    def write(name, rows, columns=None):
        columns = columns or list(rows[0])
        write_table(target / f"{name}.csv", columns, ([cut(row[column]) for column in columns] for row in rows))

    folders = [Path(folder) for folder in folders]
    runs = sorted((temperature_of(folder), folder) for folder in folders if (folder / "rankers.csv").exists())
    rows = [{"temperature": tau} | row for tau, folder in runs for row in read_table(folder / "rankers.csv")]
    if rows:
        write("rankers_published_sizes", [row for row in rows if row["size"] == "published"])
        write("rankers_by_memory", [row for row in rows if row["size"] != "published" and float(row["density"]) == 0.1])
    for folder in folders:
        if (folder / "ranking_curves.csv").exists():
            curves = read_table(folder / "ranking_curves.csv")
            write("figure2", [row for row in curves if row["truth"] == "dot-product"], FIGURE_2)
        for name in ("ranking_temperatures", "ranking_prediction"):
            if (folder / f"{name}.csv").exists():
                write(name, read_table(folder / f"{name}.csv"))


if __name__ == "__main__":
    write_records(arguments(__doc__, *range(1, 100)), Path(__file__).parent)
