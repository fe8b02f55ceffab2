"""How much smaller a lie does a deep run see than a standard one?

Usage: power_by_profile.py STANDARD/verdicts.jsonl DEEP/verdicts.jsonl OUT.csv

One row for each statement with random evidence: the largest factor below 1 and the smallest above it with which its
claim would have been refuted (`refuted_factors`), in both runs. Prints the medians over the statements claimed as
equations. Wrong if a factor were taken from other evidence than the claim's own: both runs come from one list.
"""

import csv
import json
import statistics
import sys
from pathlib import Path

COLUMNS = ["id", "relation", "profile", "verdict", "expected", "trials", "refuted_below_factor", "refuted_above_factor"]


def rows_of(path):
    found = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["chance"] == "random":
            factors = row["refuted_factors"]
            found.append(
                [row["id"], row["relation"], row["made_by"]["profile"], row["verdict"], row["expected"], row["trials"]]
                + [f"{factors[side]:.6g}" if side in factors else "" for side in ("below", "above")]
            )
    return found


def main(standard, deep, out):
    runs = rows_of(standard), rows_of(deep)
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(row for pair in zip(*runs, strict=True) for row in pair)
    for rows in runs:
        above = [float(row[-1]) - 1 for row in rows if row[1] == "=" and row[-1]]
        print(f"{rows[0][2]}: {len(above)} equations, half of them seen false by {100 * statistics.median(above):.2g}%")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
