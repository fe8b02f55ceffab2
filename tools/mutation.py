"""Which small changes of the sources do the tests see, and which survive?

Usage: mutation.py OUT.csv WORK --of FOLDER=COUNT .. [--seed S] [--workers K] [--suite]

universalmutator (https://pypi.org/project/universalmutator) proposes the changes: one line each, by its rules for C++.
Of each folder they are drawn in an order that the seed decides, until COUNT of them are decided: killed or survived.
The unchanged sources are built once, in WORK/clean. Each worker has a copy of that tree, which it mounts in its place:
only its own processes see it there (`unshare`, so Linux with user namespaces), and no path in the build is wrong. It
writes the mutant, builds the object and the tests that mirror the file, and runs them with a time limit. What they let
through meets `socketlab verify` at smoke size, whose statements judge the estimators from outside, and the test that
compares its evidence with the record. Then every file that
was written since is copied back from the clean tree. Outcomes:

  killed             a test or a verdict fails, a program ends by a signal, or the time limit passes
  survived           everything passes
  does-not-compile   the compiler refuses it, or the linker
  equal-object-code  every object that was compiled anew has the bytes it had before: no test could tell
  counting-loop      not tried: for (i = 0; i < n; ++i) with != for <, where n is a count: the same loop

With --suite a survivor meets every other test of the suite too. A run that was interrupted goes on where it stopped.
--of gpu takes the host code: what tests_gpu can reach without a GPU. Wrong if the unchanged sources did not pass, which
is checked first.
"""

import argparse
import csv
import filecmp
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from universalmutator import mutator

ROOT = Path(__file__).resolve().parents[1]
RULES = ["universal.rules", "c_like.rules", "cpp.rules"]
COLUMNS = ["folder", "file", "number", "line", "before", "after", "outcome", "by", "seconds"]
DECIDED = ("killed", "survived")

# Where no test mirrors a file: the executables of its folder.
TESTS_OF_FOLDER = {
    "sim": ["tests_sim"],
    "estimators": ["tests_estimators", "tests_population", "tests_systems", "tests_rankers"],
    "proofs_check": ["tests_proofs_check", "tests_bounds"],
    "experiments": ["tests_experiments", "tests_command_line"],
    "gpu": ["tests_gpu"],
}
# A clean test must fit many times: the machine is shared with the other workers.
TIMES_CLEAN, SECONDS_MORE = 6, 60
BUILD_SECONDS = 3600
LIMIT_MEMORY = ["prlimit", f"--as={16 << 30}"]  # a changed size may ask for anything
VERIFY = ["socketlab", "verify", "--profile", "smoke", "--seed", "1", "--threads", "1", "--out", "verified"]
EVIDENCE = [sys.executable, "-B", "../tests/docs/smoke_evidence_test.py", "verified/verdicts.jsonl"]


def tracked(folder="."):
    """The files of the checkout, or of an unpacked archive, by their paths from its root."""
    if (ROOT / ".git").exists():
        command = ["git", "-C", ROOT, "ls-files", "-z", folder]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    found = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [str(path) for path in found if not path.parts[0].startswith((".", "build"))]


def sources(folder):
    """Host sources of a folder, in order."""
    listed = tracked(folder)
    device = ("gpu/check/device/", "gpu/check/operations/", "gpu/bench/", "gpu/examples/", "gpu/planted/")
    chosen = [f for f in listed if f.endswith((".cpp", ".hpp")) and not f.startswith(device)]
    if folder == "gpu":  # what tests_gpu can reach: the host's checks, and the arithmetic shared with kernels
        chosen = [f for f in chosen if f.startswith(("gpu/check/", "gpu/functors/"))]
    return sorted(chosen)


def mutants_of(file):
    """[(line number, changed line)] of a file, each changed text once."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines(keepends=True)
    with redirect_stdout(StringIO()):
        found = mutator.mutants_regexp(lines, ruleFiles=RULES, ignorePatterns=[], ignoreStringOnly=True)
    unique = {}
    for mutant in found:
        number, text = mutant[0], mutant[1]
        if text != lines[number - 1] and not lines[number - 1].lstrip().startswith(("//", "#")):
            unique[(number, text)] = None
    return list(unique)


COUNTING = re.compile(r"for \((?:const )?[\w:]+ (\w+) = 0; \1 < ([^;-]+); \+\+\1\)")


def is_counting_loop(before, after):
    """Does the change only say "until n is met" for "below n" in a loop from 0 in steps of 1? n < 0 would differ."""
    return COUNTING.search(before) is not None and COUNTING.sub(r"for (\1 != \2)", before) == re.sub(
        r"for \((?:const )?[\w:]+ (\w+) = 0; \1 != ([^;-]+); \+\+\1\)", r"for (\1 != \2)", after
    )


def drawn(folder, seed):
    """[(file, number)] of a folder in the order of the draw, and the mutants of each file."""
    mutants = {file: mutants_of(file) for file in sources(folder)}
    order = [(file, number) for file, found in mutants.items() for number in range(len(found))]
    random.Random(f"{seed} {folder}").shuffle(order)
    return order, mutants


def run(command, cwd, limit):
    """Exit code and seconds; None for the code where the limit passed. Ends what the command started."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    start = time.monotonic()
    limited = ["timeout", "--signal=KILL", str(limit), *command]
    silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    code = subprocess.run(limited, cwd=cwd, env=environment, check=False, **silent).returncode
    seconds = time.monotonic() - start
    return (None if seconds >= limit else code), seconds


# Arguments: the worker's tree, the clean tree, a folder, the command.
IN_PLACE = 'mount --bind "$1" "$2" && cd "$3" && shift 3 && exec "$@"'


class Clean:
    """The unchanged sources with their build, and how long its programs take."""

    def __init__(self, folder, targets):
        self.tree, self.build = folder, folder / "build"
        self.copy_sources()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DSKT_FUZZ=OFF", "-DSKT_GPU=OFF", "-DSKT_PIECES=OFF"]
        self.require(["cmake", "-G", "Ninja", "-S", ".", "-B", "build", *options])
        self.require(["ninja", "-C", "build", *targets, "socketlab"])
        self.commands = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        self.seconds = {}
        programs = [[target, "-a"] for target in targets] + [VERIFY]
        with ThreadPoolExecutor(min(len(programs), os.cpu_count())) as pool:
            done = pool.map(lambda program: run([self.build / program[0], *program[1:]], self.build, 3600), programs)
            for (program, *_), (code, self.seconds[program]) in zip(programs, done, strict=True):
                if code != 0:
                    sys.exit(f"{program} fails on the unchanged sources")
        code, self.seconds[EVIDENCE[0]] = run(EVIDENCE, self.build, 600)
        if code != 0:
            sys.exit("smoke_evidence_test.py fails on the unchanged sources")
        shutil.rmtree(self.build / VERIFY[-1])  # no worker is to find results there

    def copy_sources(self):
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in tracked():
            source, copy = ROOT / name, self.tree / name
            text = source.read_bytes()
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_bytes() != text:  # an equal one keeps its time, and its objects
                copy.write_bytes(text)
                copy.chmod(source.stat().st_mode)

    def require(self, command):
        done = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(map(str, command))} in {self.tree}: {(done.stdout + done.stderr)[-2000:]}")


class Worker:
    """A copy of the clean tree in which one mutant after the other is tried."""

    def __init__(self, folder, clean, suite):
        self.tree, self.clean, self.suite = folder, clean, suite
        self.build = folder / "build"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "-a", clean.tree, folder], check=True)
        cores = str(os.cpu_count())  # a changed header compiles on what the others leave free, on one core at least
        self.ninja = ["ninja", "-C", clean.build, "-j", cores, "-l", cores]
        (folder / "worker").touch()
        if self.run(["test", "-e", clean.tree / "worker"], 60)[0] != 0:  # else all would be said not to compile
            sys.exit("unshare and mount --bind do not work here: allowed is root, or Linux with user namespaces")

    def run(self, command, limit):
        """Of a command that knows the clean tree's path and sees this worker's files there."""
        place = ["sh", "-c", IN_PLACE, "sh", self.tree, self.clean.tree, self.clean.build]
        return run(["unshare", "--map-root-user", "--mount", *place, *command], self.tree, limit)

    def passes(self, command):
        """Whether a program of the build ends with 0, and what to say of it if not."""
        limit = TIMES_CLEAN * self.clean.seconds[command[0]] + SECONDS_MORE
        code, _ = self.run([*LIMIT_MEMORY, self.clean.build / command[0], *command[1:]], limit)
        name = "evidence" if command is EVIDENCE else command[0]
        return code == 0, name if code is not None else f"{name} (time limit)"

    def written_since(self, start):
        return [path for path in self.build.rglob("*") if path.is_file() and path.stat().st_mtime >= start]

    def twin(self, path):
        """The same file of the clean tree."""
        return self.clean.tree / path.relative_to(self.tree)

    def compiled_anew(self, start):
        """Has any object that was written since other bytes than that of the unchanged sources?"""
        fresh = [path for path in self.written_since(start) if path.suffix == ".o"]
        return any(not filecmp.cmp(path, self.twin(path), shallow=False) for path in fresh)

    def restore(self, file, start):
        """Everything as in the clean tree, with its times: nothing is compiled again for it."""
        shutil.copy2(self.twin(self.tree / file), self.tree / file)
        for path in self.written_since(start):
            if self.twin(path).exists():
                shutil.copy2(self.twin(path), self.tree / "copied")
                (self.tree / "copied").replace(path)  # a program that still runs cannot be written over
            else:
                path.unlink()

    def output_of(self, file):
        """The object of a source, relative to the build; None of a header."""
        commands = (shlex.split(entry["command"]) for entry in self.clean.commands
                    if Path(entry["file"]) == self.clean.tree / file)  # fmt: skip
        return next((words[words.index("-o") + 1] for words in commands), None)

    def tests_of(self, file):
        """The executable that holds the test of the file, or those of its folder."""
        stem = str(Path("tests") / Path(file).with_suffix("")) + "_test.cpp"
        output = self.output_of(stem)
        if output:
            return [output.split("CMakeFiles/")[1].split(".dir/")[0]]
        return TESTS_OF_FOLDER[file.split("/")[0]]

    def outcome(self, file, start):
        """(outcome, by) of the tree as it is, changed since `start`."""
        tests, own = self.tests_of(file), self.output_of(file)
        for built, programs in (
            ([own] if own else [], []),
            (tests, [[t, "-a"] for t in tests]),
            (["socketlab"], [VERIFY, EVIDENCE]),
        ):
            if not built:
                continue
            if self.run([*self.ninja, *built], BUILD_SECONDS)[0] != 0:
                return "does-not-compile", ""
            if not self.compiled_anew(start):
                return "equal-object-code", ""
            for program in programs:
                good, name = self.passes(program)
                if not good:
                    return "killed", name
        return self.by_suite() if self.suite else ("survived", "")

    def by_suite(self):
        if self.run(self.ninja, BUILD_SECONDS)[0] != 0:
            return "killed", "build of the suite"
        suite = ["ctest", "--test-dir", self.clean.build, "--stop-on-failure", "--timeout", "600"]
        return ("survived", "") if self.run(suite, 7200)[0] == 0 else ("killed", "suite")

    def try_mutant(self, file, line, text):
        path, begin = self.tree / file, time.monotonic()
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if is_counting_loop(lines[line - 1], text):
            return "counting-loop", "", lines[line - 1].strip(), 0
        time.sleep(1)  # the clock of the files may be coarse, and what was copied is older than any mutant
        start = time.time() - 0.5
        path.write_text("".join([*lines[: line - 1], text, *lines[line:]]), encoding="utf-8")
        try:
            found = self.outcome(file, start)
        finally:
            self.restore(file, start)
        return *found, lines[line - 1].strip(), time.monotonic() - begin


class Record:
    """The rows so far, and which mutant comes next; for all workers at once."""

    def __init__(self, out, wanted, seed):
        self.lock = threading.Lock()
        self.wanted, self.mutants, self.queue = wanted, {}, []
        self.running, self.decided = dict.fromkeys(wanted, 0), dict.fromkeys(wanted, 0)
        fresh = not out.exists()
        self.file = out.open("a+", newline="", encoding="utf-8")
        self.file.seek(0)
        rows = list(csv.DictReader(self.file))
        self.done = {(row["file"], int(row["number"])): row["outcome"] for row in rows}
        for folder in wanted:
            order, mutants = drawn(folder, seed)
            self.mutants.update(mutants)
            self.queue += [(folder, file, number) for file, number in order]
            self.decided[folder] = sum(self.done.get(key) in DECIDED for key in order)
        self.writer = csv.writer(self.file, lineterminator="\n")
        if fresh:
            self.writer.writerow(COLUMNS)

    def next(self):
        """A mutant that is to be tried: the next of its folder's order, while the folder lacks decided ones."""
        while True:
            with self.lock:
                waits = False
                for at, (folder, file, number) in enumerate(self.queue):
                    if (file, number) in self.done:
                        continue
                    lacking = self.wanted[folder] - self.decided[folder]
                    if lacking > self.running[folder]:
                        self.running[folder] += 1
                        self.done[file, number] = "running"
                        del self.queue[at]
                        return folder, file, number, *self.mutants[file][number]
                    waits = waits or lacking > 0
                if not waits:
                    return None
            time.sleep(1)  # one that runs may yet not compile

    def add(self, folder, file, number, line, before, after, outcome, by, seconds):
        with self.lock:
            self.running[folder] -= 1
            self.decided[folder] += outcome in DECIDED
            self.done[file, number] = outcome
            self.writer.writerow([folder, file, number, line, before, after.strip(), outcome, by, f"{seconds:.0f}"])
            self.file.flush()


def try_mutants(worker, record):
    while (mutant := record.next()) is not None:
        folder, file, number, line, text = mutant
        outcome, by, before, seconds = worker.try_mutant(file, line, text)
        record.add(folder, file, number, line, before, text, outcome, by, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--of", action="append", required=True, metavar="FOLDER=COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--suite", action="store_true", help="survivors meet the whole suite")
    arguments = parser.parse_args()
    wanted = {folder: int(count) for folder, count in (one.split("=") for one in arguments.of)}
    targets = [target for folder in wanted for target in TESTS_OF_FOLDER[folder]]

    record = Record(arguments.out, wanted, arguments.seed)
    work = arguments.work.resolve()
    clean = Clean(work / "clean", list(dict.fromkeys(targets)))
    folders = [work / f"worker-{k}" for k in range(arguments.workers)]
    with ThreadPoolExecutor() as pool:
        workers = list(pool.map(lambda folder: Worker(folder, clean, arguments.suite), folders))
    threads = [threading.Thread(target=try_mutants, args=(worker, record)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for folder in wanted:
        outcomes = [record.done.get((file, n)) for file in sources(folder) for n in range(len(record.mutants[file]))]
        killed, alive = outcomes.count("killed"), outcomes.count("survived")
        print(f"{folder}: {killed} of {killed + alive} killed")


if __name__ == "__main__":
    main()
