"""Are the statements of docs/records/verdicts.csv those of the program? One added, left out or reworded makes it stale.

Usage: verdicts_record_test.py VERDICTS   (a verdicts.jsonl of the program, of any profile)
"""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs/records"), str(ROOT / "plots")]
import finding_records  # noqa: E402

# What no run changes; the rest of a row is what came out of the recorded one.
LISTED = [name for name in finding_records.VERDICTS if name not in ("verdict", "mutants_refuted", "controls_let_pass")]
REMEDY = (
    "run `socketlab reproduce --profile standard --seed 1 --out R`, then docs/records/finding_records.py R and fill.py"
)


def listed(rows):
    """Without the sources of our own statements: pages of this repository, which may move."""
    found = {row["id"]: {name: str(row[name]) for name in LISTED} for row in rows}
    for row in found.values():
        if row["wording"] == "ours":
            row["source"] = ""
    return found


def differences(recorded, now):
    """A line for each statement that only one of them has, and for each text that differs."""
    found = [f"{name}: not in the record" for name in now if name not in recorded]
    found += [f"{name}: no longer a statement" for name in recorded if name not in now]
    for name, row in now.items():
        before = recorded.get(name, row)
        found += [f"{name}: {column} is {row[column]!r}" for column in LISTED if row[column] != before[column]]
    return found


class Record(unittest.TestCase):
    verdicts = None

    def test_the_record_has_the_statements_of_the_program(self):
        now = listed(finding_records.verdict_rows(finding_records.verdicts(self.verdicts)))
        recorded = listed(finding_records.read_table(ROOT / "docs/records/verdicts.csv"))
        self.assertEqual(differences(recorded, now), [], REMEDY)
        self.assertEqual(list(recorded), list(now), REMEDY)

    def test_what_is_new_gone_or_reworded_is_named(self):
        same = dict.fromkeys(LISTED, "x")
        now = {"S1": same, "S2": same | {"remark": "y"}}
        self.assertEqual(
            differences({"S2": same, "S3": same}, now),
            ["S1: not in the record", "S3: no longer a statement", "S2: remark is 'y'"],
        )


if __name__ == "__main__":
    Record.verdicts = Path(sys.argv.pop())
    unittest.main()
