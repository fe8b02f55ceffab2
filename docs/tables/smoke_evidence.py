"""What does seed 1 give at smoke size, of every statement, lie and control? Cuts docs/records/smoke_evidence.csv of a run.

Usage: smoke_evidence.py VERDICTS   (the verdicts.jsonl of `socketlab verify --profile smoke --seed 1`)

Anyone who runs the seed gets these numbers, on any processor, up to the rounding of its arithmetic; a test compares them
with a run (tests/docs/smoke_evidence_test.py). They judge no claim: that is what the verdicts do. A number that moves says
that other trials are drawn, or that they are measured differently, and such a change is to be meant.
"""

import csv
import json
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "docs/records/smoke_evidence.csv"
WORDS = ["id", "variant", "instance", "quantity", "relation"]
NUMBERS = ["claimed", "observed_lo", "observed_hi", "trials", "claimed_error", "resolution"]


def of_variant(statement, variant, evidence):
    for piece in evidence:
        low, high = piece["observed"]
        numbers = (piece["claimed"], low, high, *(piece[name] for name in NUMBERS[3:]))
        texts = [piece[name] for name in WORDS[2:]]
        yield [statement, variant, *texts, *("" if number is None else f"{number:.9g}" for number in numbers)]


def rows_of(verdicts):
    """One row for each piece of evidence, in the order of the run; the statement's own have no variant."""
    found = []
    for row in verdicts:
        found += of_variant(row["id"], "", row["evidence"])
        for kind in ("mutants", "controls"):
            for variant in row[kind]:
                found += of_variant(row["id"], variant["name"], variant["evidence"])
    return found


def read_verdicts(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def main(path):
    verdicts = read_verdicts(path)
    made_by = verdicts[0]["made_by"]
    if (made_by["profile"], made_by["seed"], made_by["fault"]) != ("smoke", 1, ""):
        sys.exit(f"smoke_evidence.py: {path}: allowed is a run of profile smoke, seed 1, without a fault")
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([WORDS + NUMBERS, *rows_of(verdicts)])


if __name__ == "__main__":
    main(*sys.argv[1:])
