"""Do all ways to run the main job and the statements end with the same bytes in every result file?

Usage: same_bytes.py SOCKETLAB [--commands reproduce,verify] [--seed S] [--kills 5] [--only WORDS] [--jobs J] [--folder F]
                     [-- LAUNCHER ..]

Runs `reproduce --profile smoke` and `verify --profile standard` in one process; in three slices that are merged, in all
six orders; with one and two threads; killed with SIGKILL at random times (a process, a slice, and under a launcher one
of three processes) and started again; under a launcher (`-- mpirun --bind-to none`) with 1, 2, 3 and 5 processes.
Prints one row of a Markdown table for each; exit code 1 if a file differs or is missing. --jobs ways are tried at once.
"""

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMANDS = {"reproduce": ["reproduce", "--profile", "smoke"], "verify": ["verify", "--profile", "standard"]}
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def process_of_rank(rank, folder):
    wanted = {f"{name}={rank}".encode() for name in RANKS}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            of_folder = str(folder).encode() in (entry / "cmdline").read_bytes()
            if of_folder and wanted & set((entry / "environ").read_bytes().split(b"\0")):
                return int(entry.name)
        except OSError:  # it ended meanwhile
            continue
    return None


class Runs:
    def __init__(self, options, command, folder):
        self.socketlab, self.launcher = options.socketlab, options.launcher
        self.command = [*COMMANDS[command], "--seed", str(options.seed)]
        self.name, self.root, self.whole = command, folder, None
        self.count = itertools.count()

    def start(self, folder, *more, processes=0):
        launched = [*self.launcher, "-n", str(processes)] if processes else []
        return subprocess.Popen(
            [*launched, self.socketlab, *self.command, "--out", folder, *more],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, folder, *more, processes=0):
        code = self.start(folder, *more, processes=processes).wait()
        if code not in (0, 1):  # 1: a verdict is not as expected, which is not asked here
            raise RuntimeError(f"{self.command} {more} with {processes} processes returned {code}")

    def killed(self, folder, seconds, *more, processes=0, rank=None):
        """Whether the run was killed before it ended."""
        started = self.start(folder, *more, processes=processes)
        try:
            started.wait(seconds)
            return False
        except subprocess.TimeoutExpired:
            victim = started.pid if rank is None else process_of_rank(rank, folder)
            if victim is None:
                return False
            os.kill(victim, signal.SIGKILL)
            return started.wait() != 0

    def row(self, way, body, *arguments):
        """Of the table, and whether all files were equal to those of the first run."""
        folder = self.root / f"{self.name} {next(self.count)}"
        start = time.monotonic()
        note = body(folder, *arguments) or ""
        seconds = time.monotonic() - start
        there = contents(folder)
        shutil.rmtree(folder)
        if self.whole is None:
            self.whole, self.seconds = there, seconds
        different = sorted(name for name in self.whole.keys() | there.keys() if self.whole.get(name) != there.get(name))
        same = f"{len(there)} files equal" if not different else "DIFFERENT: " + ", ".join(different)
        return f"| `{' '.join(self.command)}` | {way} | {same} | {seconds:.0f} | {note} |", not different


def ways(runs, kills, only, dice):
    """[(name, function, arguments)] of the names that have the words `only`: function(folder, *arguments) leaves the
    finished run in the folder."""

    def slices(folder, *order):
        for number in order:
            runs.run(folder, "--slice", f"{number}/3")
        runs.run(folder, "--merge")

    def kill(folder, share, *more, **how):
        # A slice, and three processes, take about a third of the time.
        seconds = share * runs.seconds / (3 if more or "processes" in how else 1)
        for _ in range(4):  # a machine that became faster ends before: half the time then
            if runs.killed(folder, seconds, *more, **how):
                return f"killed after {seconds:.1f} s"
            shutil.rmtree(folder, ignore_errors=True)
            seconds /= 2
        return "ended before it could be killed"

    def killed_process(folder, share):
        note = kill(folder, share)
        runs.run(folder)
        return note

    def killed_slice(folder, share):
        note = kill(folder, share, "--slice", "1/3")
        slices(folder, 2, 1, 3)
        return note

    def processes(folder, count, threads):
        runs.run(folder, "--threads", str(threads), processes=count)

    def killed_rank(folder, share, rank):
        note = kill(folder, share, processes=3, rank=rank)
        runs.run(folder, processes=3)
        return note

    found = [(f"one process, {threads} threads", runs.run, ["--threads", str(threads)]) for threads in (1, 2)]
    found += [(f"slices {order} merged", slices, order) for order in itertools.permutations((1, 2, 3))]
    for name, body in (("process", killed_process), ("slice", killed_slice)):
        found += [(f"a killed {name} goes on", body, [dice.uniform(0.02, 0.95)]) for _ in range(kills)]
    if runs.launcher:
        for count, threads in itertools.product((1, 2, 3, 5), (1, 2)):
            found.append((f"{count} processes of {threads} threads", processes, [count, threads]))
        for _ in range(kills):
            share, rank = dice.uniform(0.02, 0.95), dice.randrange(3)
            found.append(("one of three processes killed, all go on", killed_rank, [share, rank]))
    return [way for way in found if only in way[0]]


def all_equal(runs, options, dice):
    """Prints the table's rows. The first run is what the others must equal."""
    first, equal = runs.row("one process", runs.run)
    print(first, flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = [
            pool.submit(runs.row, name, body, *more)
            for name, body, more in ways(runs, options.kills, options.only, dice)
        ]
        for row in rows:
            line, same = row.result()
            print(line, flush=True)
            equal = equal and same
    return equal


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("socketlab", type=lambda path: Path(path).resolve())
    parser.add_argument("--commands", default="reproduce,verify", type=lambda text: text.split(","))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORDS", help="the ways alone whose names have these words")
    parser.add_argument("--jobs", type=int, default=1, help="ways tried at once; their seconds then share the machine")
    parser.add_argument("--folder", help="where the runs are made; default: a temporary one")
    here = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:here])
    options.launcher = sys.argv[here + 1 :]
    dice = random.Random(options.seed)
    print("| command | way | result files | seconds | |\n|---|---|---|---|---|")
    equal = True
    for command in options.commands:
        with tempfile.TemporaryDirectory(prefix="same bytes ", dir=options.folder) as folder:
            equal = all_equal(Runs(options, command, Path(folder)), options, dice) and equal
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
