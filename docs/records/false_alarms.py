"""How often does `socketlab verify` raise a false alarm, and which planted lies survive a seed?

Usage: false_alarms.py SOCKETLAB OUT.csv SEEDS [PROCESSES] [--no-lies]

Runs `socketlab verify --profile smoke --seed S --threads 1` for S = 1 .. SEEDS, or of A-B for S = A .. B, and writes one
row a seed. The seeds that OUT.csv holds are not run again; files of several machines are put together with the rows of
one after those of the other. With --no-lies the planted lies are left out, and the two cells about them are empty:
nothing is known of them.

The claim is that a run gives a wrong verdict with probability at most 1e-3 by design, of a statement or of a control; an
inconclusive one or a surviving lie is a lack of power and no wrong verdict, and is counted apart.
"""

import argparse
import csv
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from runs import verified

COLUMNS = ["seed", "statements", "false_alarms", "inconclusive", "mutants", "mutants_not_refuted", "names"]


def row_of(seed, rows):
    """Of the record, from the rows of verdicts.jsonl."""

    def not_as(kind, expected):
        variants = ((f"{row['id']}: {one['name']}", one["verdict"]) for row in rows for one in row[kind])
        return [(name, verdict) for name, verdict in variants if verdict != expected]

    surprises = [(row["id"], row["verdict"]) for row in rows if row["verdict"] != row["expected"]]
    surprises += not_as("controls", "not-refuted")
    alive = not_as("mutants", "refuted")
    inconclusive = sum(verdict == "inconclusive" for _, verdict in surprises)
    left_out = any(row["made_by"].get("mutants") == "left out" for row in rows)
    lies = ["", ""] if left_out else [sum(len(row["mutants"]) for row in rows), len(alive)]
    names = "; ".join(name for name, _ in surprises + alive)
    return [seed, len(rows), len(surprises) - inconclusive, inconclusive, *lies, names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("socketlab", type=lambda path: Path(path).resolve())
    parser.add_argument("out", type=Path)
    parser.add_argument("seeds", help="the last, or FIRST-LAST")
    parser.add_argument("processes", type=int, nargs="?", default=2)
    parser.add_argument("--no-lies", action="store_true", help="leave the planted lies out")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-")) if "-" in options.seeds else (1, int(options.seeds))
    # A row that was cut off has no end of line, and its seed is run again.
    text = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
    kept = text[: text.rfind("\n") + 1] or ",".join(COLUMNS) + "\n"
    options.out.write_text(kept, encoding="utf-8")
    held = {int(row[0]) for row in csv.reader(kept.splitlines()[1:])}
    more = ["--no-lies"] * options.no_lies
    with options.out.open("a", newline="", encoding="utf-8") as file, ThreadPoolExecutor(options.processes) as pool:
        writer = csv.writer(file, lineterminator="\n")
        wanted = [seed for seed in range(first, last + 1) if seed not in held]
        runs = {pool.submit(verified, options.socketlab, seed, *more): seed for seed in wanted}
        for run in as_completed(runs):  # what a kill loses is the seeds that were running
            writer.writerow(row_of(runs[run], run.result()))
            file.flush()


if __name__ == "__main__":
    main()
