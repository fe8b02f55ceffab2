"""How much smaller a lie does a deep run see than a standard one?

Usage: power_by_profile.py STANDARD/verdicts.jsonl DEEP/verdicts.jsonl OUT.csv

One row for each statement with random evidence: the largest factor below 1 and the smallest above it with which its
claim would have been refuted (`refuted_factors`), in both runs. Wrong if a factor were taken from other evidence than the
claim's own: both runs come from one list.
"""

from runs import arguments, verdicts, write_table

COLUMNS = ["id", "relation", "profile", "verdict", "expected", "trials", "refuted_below_factor", "refuted_above_factor"]


def cells(row):
    factors = (row["refuted_factors"].get(side) for side in ("below", "above"))
    own = [row["made_by"]["profile"] if name == "profile" else row[name] for name in COLUMNS[:6]]
    return own + ["" if factor is None else f"{factor:.6g}" for factor in factors]


def main(standard, deep, out):
    runs = ([cells(row) for row in verdicts(path) if row["chance"] == "random"] for path in (standard, deep))
    write_table(out, COLUMNS, [row for pair in zip(*runs, strict=True) for row in pair])


if __name__ == "__main__":
    main(*arguments(__doc__, 3))
