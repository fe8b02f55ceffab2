"""What do the scripts that make records share: a run of `socketlab verify`, and a table with an end of line on every system."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def verdicts(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]


def verified(socketlab, seed, *options):
    """The rows of verdicts.jsonl of a run at smoke size, in one thread."""
    with tempfile.TemporaryDirectory() as folder:
        command = [socketlab, "verify", "--profile", "smoke", "--seed", str(seed), "--threads", "1", "--out", folder]
        done = subprocess.run([*command, "--force", *options], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):  # 1: not as expected, which the caller counts
            raise RuntimeError(f"seed {seed}: exit code {done.returncode}: {done.stderr}")
        return verdicts(Path(folder) / "verdicts.jsonl")


def read_table(path):
    """Rows as dictionaries of texts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_table(file, columns, rows):
    """`file`: open, or a path."""
    if not hasattr(file, "write"):
        with open(file, "w", newline="", encoding="utf-8") as opened:
            return write_table(opened, columns, rows)
    return csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def arguments(usage, *counts):
    """Those of the command line if there are as many as allowed; else the usage, and exit code 2."""
    if len(sys.argv) - 1 not in counts:
        print(usage.strip(), file=sys.stderr)
        sys.exit(2)
    return sys.argv[1:]
