"""Does seed 1 still give the evidence of docs/records/smoke_evidence.csv? Other numbers mean other trials or measurements.

Usage: smoke_evidence_test.py VERDICTS   (the verdicts.jsonl of `socketlab verify --profile smoke --seed 1`)

The verdicts tell whether a claim holds on the trials that were drawn. This tells whether they are the trials that were
recorded: a shape, a seed, a lie or a step of a measurement that changes unnoticed shows here, though no verdict does.
"""

import csv
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/records"))
import smoke_evidence  # noqa: E402

# Processors and mathematical libraries differ in the last bits of a double, and sums of many such differ in some more; a
# number that is nothing but rounding may differ altogether.
# Allowances are estimates, and most are a small multiple of the rounding of a double.
RELATIVE, ROUNDING = 1e-6, 1e-9
ALLOWANCES, RELATIVE_OF_ALLOWANCE, LEAST_ALLOWANCE = ("claimed_error", "resolution"), 1e-2, 1e-17
REMEDY = "if it is meant, run docs/records/smoke_evidence.py on the verdicts of a smoke run of seed 1"

# How often rounding leaves the cosine's range: another processor counts others.
COUNTS_OF_ROUNDING = {("S002-Q5", "an arc cosine that is not clamped")}


def are_close(column, recorded, now):
    if recorded == now:
        return True
    if "" in (recorded, now):
        return False
    relative, absolute = (RELATIVE_OF_ALLOWANCE, LEAST_ALLOWANCE) if column in ALLOWANCES else (RELATIVE, ROUNDING)
    a, b = float(recorded), float(now)
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), absolute)


def same_words(row):
    """Where the largest of many is told, rounding may choose among equals: which one it was is left out."""
    return [text.split("; attained on ")[0] for text in row[: len(smoke_evidence.WORDS)]]


def is_rounding(row):
    """Does the observation differ from the claim by rounding alone? Then rounding chose the trial whose allowance stands."""
    claimed, low, high = row[len(smoke_evidence.WORDS) :][:3]
    return "" not in (claimed, low, high) and max(abs(float(x) - float(claimed)) for x in (low, high)) <= ROUNDING


def differences(recorded, now):
    """A line for each row that is only in one of them, and for each cell that differs."""
    words = len(smoke_evidence.WORDS)
    found = [] if len(recorded) == len(now) else [f"{len(now)} rows, {len(recorded)} recorded"]
    for before, after in zip(recorded, now, strict=False):
        name = " / ".join(filter(None, after[:4]))
        if same_words(before) != same_words(after):
            found.append(f"{name}: recorded is {' / '.join(filter(None, before[:words]))}")
        if tuple(before[:2]) in COUNTS_OF_ROUNDING:
            continue
        for column, a, b in zip(smoke_evidence.NUMBERS, before[words:], after[words:], strict=True):
            if not (column == "claimed_error" and is_rounding(before)) and not are_close(column, a, b):
                found.append(f"{name}: {column} is {b}, recorded is {a}")
    return found


class Evidence(unittest.TestCase):
    verdicts = None

    def test_seed_1_gives_the_recorded_evidence(self):
        with smoke_evidence.TARGET.open(newline="", encoding="utf-8") as file:
            columns, *recorded = csv.reader(file)
        self.assertEqual(columns, smoke_evidence.WORDS + smoke_evidence.NUMBERS)
        self.assertGreater(len(recorded), 3000)
        now = list(smoke_evidence.rows_of(smoke_evidence.verdicts(self.verdicts)))
        self.assertEqual(differences(recorded, now)[:20], [], REMEDY)

    def test_another_number_word_or_row_is_named(self):
        row = ["S1", "", "d=3", "left/right", "<=", "1", "0.25", "0.5", "100", "3.6e-15", "0"]
        others = {2: "d=4", 4: "=", 5: "1.00001", 6: "0.2500004", 7: "", 8: "101", 9: "3.3e-15", 10: "1e-16"}
        for column, other in others.items():
            changed = [*row[:column], other, *row[column + 1 :]]
            self.assertEqual(len(differences([row], [changed])), 1, changed)
        self.assertEqual(differences([row], [row, row]), ["2 rows, 1 recorded"])

    def test_rounding_is_let_pass(self):
        row = ["S1", "", "d=3; attained on trial 7", "left/right", "<=", "1", "3e-16", "0.5", "100", "3.6e-15", "0"]
        rounded = [*row[:2], "d=3; attained on trial 9", *row[3:6], "7e-16", "0.5000000004", "100", "3.61e-15", "0"]
        self.assertEqual(differences([row], [rounded]), [])
        equal = ["S1", "", "d=3", "sum", "=", "1", "1", "1.0000000001", "100", "3.6e-15", "0"]
        self.assertEqual(differences([equal], [[*equal[:9], "2e-15", "0"]]), [])


if __name__ == "__main__":
    Evidence.verdicts = Path(sys.argv.pop())
    unittest.main()
