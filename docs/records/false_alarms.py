"""How often does `socketlab verify` raise a false alarm, and which planted lies survive a seed?

Usage: false_alarms.py SOCKETLAB OUT.csv SEEDS [PROCESSES]

Runs `socketlab verify --profile smoke --seed S --threads 1` for S = 1 .. SEEDS, or of A-B for S = A .. B, and writes one
row a seed. The seeds that OUT.csv holds are not run again; files of several machines are put together with the rows of
one after those of the other. The claim is that a run gives a wrong verdict
with probability at most 1e-3 by design, of a statement or of a control; an inconclusive one or a surviving lie is a lack
of power and no wrong verdict, and is counted apart.
"""

import csv
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COLUMNS = ["seed", "statements", "false_alarms", "inconclusive", "mutants", "mutants_not_refuted", "names"]


def run(socketlab, seed):
    with tempfile.TemporaryDirectory() as folder:
        command = [socketlab, "verify", "--profile", "smoke", "--seed", str(seed), "--threads", "1", "--out", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        lines = (Path(folder) / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    surprises = [(row["id"], row["verdict"]) for row in rows if row["verdict"] != row["expected"]] + [
        (f"{row['id']}: {control['name']}", control["verdict"])
        for row in rows
        for control in row["controls"]
        if control["verdict"] != "not-refuted"
    ]
    false_alarms = [name for name, verdict in surprises if verdict != "inconclusive"]
    alive = [
        f"{row['id']}: {mutant['name']}" for row in rows for mutant in row["mutants"] if mutant["verdict"] != "refuted"
    ]
    return [
        seed,
        len(rows),
        len(false_alarms),
        len(surprises) - len(false_alarms),
        sum(len(row["mutants"]) for row in rows),
        len(alive),
        "; ".join([name for name, _ in surprises] + alive),
    ]


def main(socketlab, out, seeds, processes=2):
    out = Path(out)
    done = list(csv.reader(out.open(newline="", encoding="utf-8")))[1:] if out.exists() else []
    first, last = seeds.split("-") if "-" in seeds else (1, seeds)
    held = {int(row[0]) for row in done}
    wanted = [seed for seed in range(int(first), int(last) + 1) if seed not in held]
    with out.open("w", newline="", encoding="utf-8") as file, ThreadPoolExecutor(int(processes)) as pool:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *done])
        for row in pool.map(lambda seed: run(socketlab, seed), wanted):
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
