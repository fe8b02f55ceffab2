"""Do all ways to run the main job and the statements end with the same bytes in every result file?

Usage: same_bytes.py SOCKETLAB [--commands reproduce,verify] [--seed S] [--kills 5] [--folder F] [-- LAUNCHER ..]

Runs `reproduce --profile smoke` and `verify --profile standard` in one process; in three slices that are merged, in all
six orders; with one and two threads; killed with SIGKILL at random times (a process, a slice, and under a launcher one
of three processes) and started again; under a launcher (`-- mpirun --bind-to none`) with 1, 2, 3 and 5 processes.
Prints one row of a Markdown table for each; exit code 1 if a file differs or is missing.
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
        self.name, self.root, self.whole, self.all_equal = command, folder, None, True
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

    def row(self, way, body):
        folder = self.root / f"{self.name} {next(self.count)}"
        start = time.monotonic()
        note = body(folder) or ""
        seconds = time.monotonic() - start
        there = contents(folder)
        if self.whole is None:
            self.whole, self.seconds = there, seconds
        different = sorted(name for name in self.whole.keys() | there.keys() if self.whole.get(name) != there.get(name))
        self.all_equal = self.all_equal and not different
        same = f"{len(there)} files equal" if not different else "DIFFERENT: " + ", ".join(different)
        print(f"| `{' '.join(self.command)}` | {way} | {same} | {seconds:.0f} | {note} |", flush=True)
        shutil.rmtree(folder)


def all_ways(runs, kills, dice):
    def slices(folder, order):
        for number in order:
            runs.run(folder, "--slice", f"{number}/3")
        runs.run(folder, "--merge")

    def kill_and_go_on(folder, *more, **how):
        seconds = dice.uniform(0.02, 0.95) * runs.seconds / (3 if more else 1)
        was_killed = runs.killed(folder, seconds, *more, **how)
        return f"{'killed' if was_killed else 'ended'} after {seconds:.1f} s"

    def killed_process(folder):
        note = kill_and_go_on(folder)
        runs.run(folder)
        return note

    def killed_slice(folder):
        note = kill_and_go_on(folder, "--slice", "1/3")
        slices(folder, (2, 1, 3))
        return note

    def killed_rank(folder):
        note = kill_and_go_on(folder, processes=3, rank=dice.randrange(3))
        runs.run(folder, processes=3)
        return note

    runs.row("one process", lambda folder: runs.run(folder))
    for threads in (1, 2):
        runs.row(f"one process, {threads} threads", lambda folder: runs.run(folder, "--threads", str(threads)))
    for order in itertools.permutations((1, 2, 3)):
        runs.row(f"slices {order} merged", lambda folder: slices(folder, order))
    for _ in range(kills):
        runs.row("a killed process goes on", killed_process)
    for _ in range(kills):
        runs.row("a killed slice goes on", killed_slice)
    if not runs.launcher:
        return
    for processes, threads in itertools.product((1, 2, 3, 5), (1, 2)):
        runs.row(
            f"{processes} processes of {threads} threads",
            lambda folder: runs.run(folder, "--threads", str(threads), processes=processes),
        )
    for _ in range(kills):
        runs.row("one of three processes killed, all go on", killed_rank)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("socketlab", type=lambda path: Path(path).resolve())
    parser.add_argument("--commands", default="reproduce,verify", type=lambda text: text.split(","))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--folder", help="where the runs are made; default: a temporary one")
    parser.add_argument("launcher", nargs="*")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    print("| command | way | result files | seconds | |\n|---|---|---|---|---|")
    all_equal = True
    for command in options.commands:
        with tempfile.TemporaryDirectory(prefix="same bytes ", dir=options.folder) as folder:
            runs = Runs(options, command, Path(folder))
            all_ways(runs, options.kills, dice)
            all_equal = all_equal and runs.all_equal
    return 0 if all_equal else 1


if __name__ == "__main__":
    sys.exit(main())
