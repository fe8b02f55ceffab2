"""How often does `socketlab verify` raise a false alarm, and which planted lies survive a seed?

Usage: false_alarms.py SOCKETLAB OUT.csv SEEDS [PROCESSES] [--no-lies] [--until SECONDS]

Runs `socketlab verify --profile smoke --seed S --threads 1` for S = 1 .. SEEDS, or of A-B for S = A .. B, downward where
A is above B, and writes one row a seed. The seeds that OUT.csv holds are not run again; files of several machines are
put together with the rows of one after those of the other. With --no-lies the planted lies are left out, and the two
cells about them are empty: nothing is known of them. With --until no seed is begun after that many seconds.

The claim is that a run gives a wrong verdict with probability at most 1e-3 by design, of a statement or of a control; an
inconclusive one or a surviving lie is a lack of power and no wrong verdict, and is counted apart.
"""

import argparse
import csv
import json
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COLUMNS = ["seed", "statements", "false_alarms", "inconclusive", "mutants", "mutants_not_refuted", "names"]


def row_of(seed, rows):
    """Of the record, from the rows of verdicts.jsonl."""
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
    left_out = any(row["made_by"].get("mutants") == "left out" for row in rows)
    lies = ["", ""] if left_out else [sum(len(row["mutants"]) for row in rows), len(alive)]
    return [
        seed,
        len(rows),
        len(false_alarms),
        len(surprises) - len(false_alarms),
        *lies,
        "; ".join([name for name, _ in surprises] + alive),
    ]


def run(socketlab, seed, options):
    with tempfile.TemporaryDirectory() as folder:
        command = [socketlab, "verify", "--profile", "smoke", "--seed", str(seed), "--threads", "1", "--out", folder]
        done = subprocess.run([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):  # 1: not as expected, which the row counts
            raise RuntimeError(f"seed {seed}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}")
        lines = (Path(folder) / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return row_of(seed, [json.loads(line) for line in lines])


def wanted(seeds, held):
    first, last = map(int, seeds.split("-")) if "-" in seeds else (1, int(seeds))
    step = 1 if first <= last else -1
    return [seed for seed in range(first, last + step, step) if seed not in held]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("socketlab", type=lambda path: Path(path).resolve())
    parser.add_argument("out", type=Path)
    parser.add_argument("seeds", help="the last, or FIRST-LAST")
    parser.add_argument("processes", type=int, nargs="?", default=2)
    parser.add_argument("--no-lies", action="store_true", help="leave the planted lies out")
    parser.add_argument("--until", type=float, default=float("inf"), metavar="SECONDS", help="then no seed is begun")
    options = parser.parse_args()
    end = time.monotonic() + options.until
    out = options.out
    # A row that was cut off has no end of line, and its seed is run again.
    text = out.read_text(encoding="utf-8") if out.exists() else ""
    kept = text[: text.rfind("\n") + 1] or ",".join(COLUMNS) + "\n"
    if kept != text:
        out.write_text(kept, encoding="utf-8")
    held = {int(row[0]) for row in csv.reader(kept.splitlines()[1:])}
    lock = threading.Lock()
    with out.open("a", newline="", encoding="utf-8") as file, ThreadPoolExecutor(options.processes) as pool:
        writer = csv.writer(file, lineterminator="\n")

        def one(seed):
            if time.monotonic() > end:
                return
            row = run(options.socketlab, seed, ["--no-lies"] if options.no_lies else [])
            with lock:  # as they come: what a kill loses is the seeds that were running
                writer.writerow(row)
                file.flush()

        for _ in pool.map(one, wanted(options.seeds, held)):
            pass


if __name__ == "__main__":
    main()
