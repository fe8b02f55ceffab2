"""What does seed 1 give at smoke size, of every statement, lie and control? Cuts docs/records/smoke_evidence.csv of a run.

Usage: smoke_evidence.py VERDICTS   (the verdicts.jsonl of `socketlab verify --profile smoke --seed 1`)

Anyone who runs the seed gets these numbers, on any processor, up to the rounding of its arithmetic; a test compares them
with a run (tests/docs/smoke_evidence_test.py). They judge no claim: that is what the verdicts do. A number that moves says
that other trials are drawn, or that they are measured differently, and such a change is to be meant.
"""

import sys
from pathlib import Path

from runs import arguments, verdicts, write_table

TARGET = Path(__file__).with_name("smoke_evidence.csv")
WORDS = ["id", "variant", "instance", "quantity", "relation"]
NUMBERS = ["claimed", "observed_lo", "observed_hi", "trials", "claimed_error", "resolution"]


def rows_of(rows):
    """One row for each piece of evidence, in the order of the run; the statement's own have no variant."""
    for row in rows:
        variants = [("", row["evidence"])]
        variants += [(one["name"], one["evidence"]) for kind in ("mutants", "controls") for one in row[kind]]
        for variant, evidence in variants:
            for piece in evidence:
                numbers = (piece["claimed"], *piece["observed"], *(piece[name] for name in NUMBERS[3:]))
                cells = ("" if number is None else f"{number:.9g}" for number in numbers)
                yield [row["id"], variant, *(piece[name] for name in WORDS[2:]), *cells]


def main(path):
    rows = verdicts(path)
    made_by = rows[0]["made_by"]
    if (made_by["profile"], made_by["seed"], made_by["fault"]) != ("smoke", 1, ""):
        sys.exit(f"smoke_evidence.py: {path}: allowed is a run of profile smoke, seed 1, without a fault")
    write_table(TARGET, WORDS + NUMBERS, rows_of(rows))


if __name__ == "__main__":
    main(*arguments(__doc__, 1))
