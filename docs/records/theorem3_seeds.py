"""How much does what Theorem 3 says at one draw of keys, query and tables move from draw to draw?

    python3 docs/records/theorem3_seeds.py build/socketlab 20 > docs/records/theorem3_seeds.csv

A row for each seed from 1 on, of the statements S002-T3-vacuity and S002-T3-hypothesis: 4,096 Gaussian keys, d = 128,
P = 8, L = 60, M = 409, delta = 0.1, tau = 0.3, 0.5 and 0.7. Columns: the fullest bucket of the drawn tables and the most
keys found on one side of a plane (sure), of the statement on the bound; the least and the largest bound of the three
temperatures over the longest value, with either for B; the least and the largest number of tables that is asked for.
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BOUND, TABLES = "S002-T3-vacuity", "S002-T3-hypothesis"
READING = re.compile(r"tau=[\d.]+, B >?= (\d+) (of the drawn tables|almost surely)")
NAMES = {"of the drawn tables": "drawn", "almost surely": "sure"}
COLUMNS = ["seed"] + [
    f"{what}_{reading}" for reading in NAMES.values() for what in ("occupancy_keys", "bound_least", "bound_most",
                                                                  "tables_least", "tables_most")
]  # fmt: skip


def evidence_of(socketlab, seed):
    with tempfile.TemporaryDirectory() as folder:
        command = [socketlab, "verify", "--profile", "smoke", "--only", f"{BOUND},{TABLES}", "--no-lies"]
        subprocess.run([*command, "--seed", str(seed), "--out", folder, "--force"], check=True, capture_output=True)
        lines = (Path(folder) / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row["evidence"] for row in map(json.loads, lines)}


def row_of(seed, evidence):
    row = {"seed": seed}
    for statement, what in ((BOUND, "bound"), (TABLES, "tables")):
        values = {name: [] for name in NAMES.values()}
        for piece in evidence[statement]:
            found = READING.fullmatch(piece["instance"])
            if found:
                name = NAMES[found[2]]
                values[name].append(piece["observed"][0])
                if statement == BOUND:
                    row[f"occupancy_keys_{name}"] = int(found[1])
        for name, numbers in values.items():
            row[f"{what}_least_{name}"], row[f"{what}_most_{name}"] = min(numbers), max(numbers)
    return row


def main(socketlab, seeds):
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for seed in range(1, int(seeds) + 1):
        writer.writerow(row_of(seed, evidence_of(socketlab, seed)))


if __name__ == "__main__":
    main(*sys.argv[1:])
