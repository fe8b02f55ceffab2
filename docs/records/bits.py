"""How well does each rule rank at so many bits a key, and what do so many bits allow? Cuts bits.csv of a run.

Usage: bits.py VERDICTS   (the verdicts.jsonl of `socketlab verify --only OWN-bits --profile standard --seed 1`)

A row for each rule, d and number of bits: its correlation with q.k over Gaussian keys (measured ones with the ends of the
interval that the statement judges), the limit of docs/bounds/bits.md, and the fewest bits that it allows for this correlation.
Of measured rules also the recall of the top tenth of 1,024 keys.
"""

import math
import re
from pathlib import Path

from runs import arguments, verdicts, write_table

TARGET = Path(__file__).with_name("bits.csv")
COLUMNS = ["dim", "bits", "rule", "correlation", "correlation_lo", "correlation_hi", "limit", "fewest_bits", "recall"]
PLACE = re.compile(r"d=(\d+), ([\d.]+) bits")


RECALL = "recall of the top tenth of "


def rows_of(statement):
    recalls = {
        (piece["instance"], piece["quantity"].removeprefix(RECALL)): f"{sum(piece['observed']) / 2:.6g}"
        for piece in statement["evidence"]
        if piece["quantity"].startswith(RECALL)
    }
    for piece in statement["evidence"]:
        if (place := PLACE.fullmatch(piece["instance"])) and not piece["quantity"].startswith(RECALL):
            dim, bits = int(place[1]), float(place[2])
            low, high = piece["observed"]
            correlation = (low + high) / 2
            fewest = -dim / 2 * math.log2(1 - correlation**2)
            rule = piece["quantity"].removeprefix("correlation of ")
            numbers = [f"{x:.6g}" for x in (correlation, low, high, piece["claimed"], fewest)]
            yield [dim, f"{bits:g}", rule, *numbers, recalls.get((piece["instance"], rule), "")]


def main(path):
    (statement,) = (row for row in verdicts(path) if row["id"] == "OWN-bits")
    write_table(TARGET, COLUMNS, rows_of(statement))


if __name__ == "__main__":
    main(*arguments(__doc__, 1))
