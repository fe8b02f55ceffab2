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
# As root, and with more processes than cores: for Open MPI 4 and 5; others do not look at them.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}  # fmt: skip


def process_of_rank(rank, folder):
    wanted = {f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            of_folder = str(folder).encode() in (entry / "cmdline").read_bytes()
            if of_folder and wanted & set((entry / "environ").read_bytes().split(b"\0")):
                return int(entry.name)
        except OSError:  # it ended meanwhile
            continue
    return None


class Runs:
    """Of one command: each way leaves a finished run in a folder of its own, and must leave what the first one left."""

    def __init__(self, options, command, root):
        self.options, self.root, self.whole, self.seconds = options, root, None, 0
        self.command = [*COMMANDS[command], "--seed", str(options.seed)]

    def start(self, folder, *more, processes=0):
        launched = [*self.options.launcher, "-n", str(processes)] if processes else []
        command = [*launched, self.options.socketlab, *self.command, "--out", folder, *more]
        return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, folder, *more, **how):
        code = self.start(folder, *more, **how).wait()
        if code not in (0, 1):  # 1: a verdict is not as expected, which is not asked here
            raise SystemExit(f"{self.command} {more} {how} returned {code}")

    def slices(self, folder, *order):
        for number in order:
            self.run(folder, "--slice", f"{number}/3")
        self.run(folder, "--merge")

    def kill(self, folder, share, *more, rank=None, **how):
        """Kills the process, or one of several, after a share of the time; a machine that became faster ends before, and
        is given half the time then. A slice, and three processes, take about a third of the time."""
        seconds = share * self.seconds / (3 if more or how else 1)
        for _ in range(4):
            started = self.start(folder, *more, **how)
            try:
                started.wait(seconds)
            except subprocess.TimeoutExpired:
                victim = started.pid if rank is None else process_of_rank(rank, folder)
                if victim is not None:
                    os.kill(victim, signal.SIGKILL)
                if started.wait() != 0 and victim is not None:
                    return f"killed after {seconds:.1f} s"
            shutil.rmtree(folder, ignore_errors=True)
            seconds /= 2
        return "ended before it could be killed"

    def killed(self, folder, *how, then=(), **more):
        note = self.kill(folder, *how, **more)
        if then:
            self.slices(folder, *then)
        else:
            self.run(folder, processes=more.get("processes", 0))
        return note

    def row(self, place, way, body, *words, **how):
        """Of the table, and whether all files were equal to those of the first run."""
        folder, start = self.root / str(place), time.monotonic()
        note = body(folder, *words, **how) or ""
        seconds = time.monotonic() - start
        there = {path.name: path.read_bytes() for path in folder.iterdir()}
        shutil.rmtree(folder)
        if self.whole is None:
            self.whole, self.seconds = there, seconds
        different = sorted(name for name in self.whole.keys() | there.keys() if self.whole.get(name) != there.get(name))
        same = f"DIFFERENT: {', '.join(different)}" if different else f"{len(there)} files equal"
        return f"| `{' '.join(self.command)}` | {way} | {same} | {seconds:.0f} | {note} |", not different

    def ways(self, dice):
        """(name, function, its words, its options)"""

        def share():
            return dice.uniform(0.02, 0.95)

        for threads in (1, 2):
            yield f"one process, {threads} threads", self.run, ["--threads", str(threads)], {}
        for order in itertools.permutations((1, 2, 3)):
            yield f"slices {order} merged", self.slices, order, {}
        for _ in range(self.options.kills):
            yield "a killed process goes on", self.killed, [share()], {}
        for _ in range(self.options.kills):
            yield "a killed slice goes on", self.killed, [share(), "--slice", "1/3"], {"then": (2, 1, 3)}
        if self.options.launcher:
            for count, threads in itertools.product((1, 2, 3, 5), (1, 2)):
                how = {"processes": count}
                yield f"{count} processes of {threads} threads", self.run, ["--threads", str(threads)], how
            for _ in range(self.options.kills):
                how = {"processes": 3, "rank": dice.randrange(3)}
                yield "one of three processes killed, all go on", self.killed, [share()], how

    def all_equal(self, dice):
        """Prints the table's rows. The first run is what the others must equal."""
        first, equal = self.row(0, "one process", self.run)
        print(first, flush=True)
        ways = [way for way in self.ways(dice) if self.options.only in way[0]]
        with ThreadPoolExecutor(self.options.jobs) as pool:
            rows = [pool.submit(self.row, place, name, body, *words, **how)
                    for place, (name, body, words, how) in enumerate(ways, 1)]  # fmt: skip
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
            equal = Runs(options, command, Path(folder)).all_equal(dice) and equal
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
