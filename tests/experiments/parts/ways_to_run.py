"""Do all ways to run a long command write the same bytes, and is what does not belong together refused?

usage: ways_to_run.py SOCKETLAB [--whole] [LAUNCHER ..]

One process with one and two threads, slices merged in several orders, a process and a slice that are killed and started
again; with a launcher (mpirun) several processes, of which one is killed. Small runs, in a minute; with --whole all
statements at standard size and the main job at smoke size, in hours (docs/records/same_bytes.md).
"""

import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WHOLE = "--whole" in sys.argv
SOCKETLAB, *LAUNCHER = (word for word in sys.argv[1:] if word != "--whole")
SOCKETLAB = Path(SOCKETLAB).resolve()
VERIFY = ["verify", "--profile", "smoke", "--seed", "3", "--only",
          "S002-EPS,S002-SRP,S002-E20,S002-L9,S002-L9-law,S000-1,S000-2"]  # fmt: skip
SWEEP = ["sweep", "--axis", "tables", "--values", "4,16,32", "--keys", "64", "--dim", "8", "--planes", "3",
         "--trials", "20", "--seed", "7"]  # fmt: skip
COMMANDS, KILLED_AFTER, SECONDS = (VERIFY, SWEEP), (1, 4, 12), 300
if WHOLE:
    VERIFY = ["verify", "--profile", "standard", "--seed", "1"]
    COMMANDS, KILLED_AFTER, SECONDS = (VERIFY, ["reproduce", "--profile", "smoke"]), (1, 12, 40, 200, 400), 3600
JOURNAL = "unfinished.jsonl"
# As root, and with more processes than cores: for Open MPI 4 and 5; others do not look at them.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def full(command, folder, *options, processes=0):
    launched = [*LAUNCHER, "-n", str(processes)] if processes else []
    return [*launched, SOCKETLAB, *command, "--out", folder, *options]


def run(command, folder, *options, processes=0, environment=None, preexec=None):
    return subprocess.run(
        full(command, folder, *options, processes=processes),
        env={**ENVIRONMENT, **(environment or {})},
        preexec_fn=preexec,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def lines(path):
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def process_of_rank(rank, folder):
    """The id of the process of this rank that writes to `folder`."""
    wanted = {f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            of_folder = str(folder).encode() in (entry / "cmdline").read_bytes()
            if of_folder and wanted & set((entry / "environ").read_bytes().split(b"\0")):
                return int(entry.name)
        except OSError:  # it ended meanwhile
            continue
    return None


class Ways(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="ways to run "))
        cls.whole = {}
        for command in COMMANDS:
            folder = cls.root / f"whole {command[0]}"
            done = run(command, folder, "--threads", "1")
            assert done.returncode == 0, done.stderr
            cls.whole[command[0]] = files(folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def folder(self, name):
        folder = self.root / f"{self.id().split('.')[-1]} {name}"
        folder.mkdir(parents=True)
        return folder

    def assert_whole(self, command, folder):
        self.assertEqual(files(folder).keys(), self.whole[command[0]].keys())
        for name, content in self.whole[command[0]].items():
            self.assertEqual((folder / name).read_bytes(), content, f"{name} in {folder}")

    def assert_run(self, command, folder, *options, **how):
        done = run(command, folder, *options, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_refused(self, command, folder, *options, saying, **how):
        """Refused in one line with status 2, with every file as it was."""
        before = files(folder)
        done = run(command, folder, *options, **how)
        said = [line for line in done.stderr.splitlines() if line.startswith("socketlab: ")]
        self.assertEqual((done.returncode, len(said)), (2, 1), done.stderr)
        for text in saying:
            self.assertIn(text, said[0])
        self.assertIn("allowed", said[0])
        self.assertEqual(files(folder), before)

    def kill(self, command, folder, *options, journal, after, victim=None, processes=0):
        """Kills the process, or the one that `victim` finds, when the journal has some lines."""
        started = subprocess.Popen(
            full(command, folder, *options, processes=processes),
            env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        limit = time.monotonic() + SECONDS
        while lines(folder / journal) < after and started.poll() is None and time.monotonic() < limit:
            time.sleep(0.002)
        target = victim() if victim else started.pid
        self.assertIsNone(started.poll(), "it ended before it could be killed")
        self.assertIsNotNone(target, "no process to kill")
        os.kill(target, signal.SIGKILL)
        self.assertNotEqual(started.wait(SECONDS), 0)
        self.assertTrue((folder / journal).exists())

    def interrupted(self):
        """A folder with the journals of two slices of three."""
        folder = self.folder("")
        for slice_name in ("1/3", "2/3"):
            self.assert_run(VERIFY, folder, "--slice", slice_name)
        return folder


class InOneProcessAtATime(Ways):
    def test_threads(self):
        for command in COMMANDS:
            folder = self.folder(command[0])
            self.assert_run(command, folder, "--threads", "2")
            self.assert_whole(command, folder)

    def test_slices_in_any_order(self):
        for command in COMMANDS:
            for order in itertools.permutations((1, 2, 3)):
                if order > order[::-1]:  # three orders of the six
                    continue
                folder = self.folder(f"{command[0]} {order}")
                for number in order:
                    self.assert_run(command, folder, "--slice", f"{number}/3")
                self.assertEqual(len(files(folder)), 3, "a slice writes its journal and nothing else")
                self.assert_run(command, folder, "--merge")
                self.assert_whole(command, folder)

    def test_a_whole_run_takes_up_slices(self):
        folder = self.folder("")
        self.assert_run(VERIFY, folder, "--slice", "2/3")
        done = self.assert_run(VERIFY, folder)
        self.assertRegex(done.stderr, r"verify: continuing with \d+ of \d+ parts done\n")
        self.assert_whole(VERIFY, folder)

    def test_a_killed_process_goes_on(self):
        for after in KILLED_AFTER:
            folder = self.folder(str(after))
            self.kill(VERIFY, folder, journal=JOURNAL, after=after)
            self.assert_run(VERIFY, folder)
            self.assert_whole(VERIFY, folder)

    def test_a_killed_slice_goes_on(self):
        folder = self.folder("")
        self.kill(VERIFY, folder, "--slice", "1/2", journal="slice-1-of-2.jsonl", after=3)
        self.assert_run(VERIFY, folder, "--slice", "2/2")
        self.assert_refused(VERIFY, folder, "--merge", saying=["parts are missing", "of slices 1/2"])
        self.assert_run(VERIFY, folder, "--slice", "1/2")
        self.assert_run(VERIFY, folder, "--merge")
        self.assert_whole(VERIFY, folder)

    def test_another_command(self):
        folder = self.interrupted()
        for other in ([*VERIFY, "--fault", "strict-sign"], [*VERIFY[:4], "4", *VERIFY[5:]]):
            self.assert_refused(other, folder, saying=["another command", "socketlab verify"])
        self.assert_refused(VERIFY, folder, "--slice", "4/3", saying=["--slice: 4/3"])

    def test_another_processor(self):
        if " fma " not in Path("/proc/cpuinfo").read_text():
            self.skipTest("no processor with fused multiplication and addition")
        folder = self.interrupted()
        masked = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}
        self.assert_refused(VERIFY, folder, environment=masked, saying=["numbers of another processor or C library"])

    def test_a_full_disk(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        folder = self.folder("")
        done = run(VERIFY, folder, preexec=small_files)
        said = [line for line in done.stderr.splitlines() if line.startswith("socketlab: ")]
        self.assertEqual((done.returncode, len(said)), (2, 1), done.stderr)
        self.assertIn("cannot write this journal", said[0])
        self.assertGreater(lines(folder / JOURNAL), 1)
        done = self.assert_run(VERIFY, folder)
        self.assertIn("continuing with", done.stderr)
        self.assert_whole(VERIFY, folder)


@unittest.skipUnless(LAUNCHER, "no launcher is given")
class UnderALauncher(Ways):
    def test_processes(self):
        for command in COMMANDS:
            for processes, threads in itertools.product((1, 2, 3, 5), (1, 2)):
                folder = self.folder(f"{command[0]} {processes} {threads}")
                done = self.assert_run(command, folder, "--threads", str(threads), processes=processes)
                self.assert_whole(command, folder)
                if command is VERIFY:
                    self.assertEqual(done.stdout.count(" statements: "), 1, "one process prints")

    def test_a_slice_by_several_processes(self):
        folder = self.folder("")
        self.assert_run(VERIFY, folder, "--slice", "1/2", processes=2)
        self.assert_run(VERIFY, folder, processes=3)
        self.assert_whole(VERIFY, folder)

    def test_merging(self):
        folder = self.interrupted()
        self.assert_run(VERIFY, folder, "--slice", "3/3")
        self.assert_run(VERIFY, folder, "--merge", processes=2)
        self.assert_whole(VERIFY, folder)

    def test_a_killed_process_of_several_goes_on(self):
        for rank in (0, 1):
            folder = self.folder(str(rank))
            self.kill(
                VERIFY, folder, journal=JOURNAL, after=4, processes=3,
                victim=lambda rank=rank, folder=folder: process_of_rank(rank, folder),
            )  # fmt: skip
            self.assert_run(VERIFY, folder, processes=2)
            self.assert_whole(VERIFY, folder)

    def test_refusals_are_said_once(self):
        folder = self.interrupted()
        other = [*VERIFY[:4], "4", *VERIFY[5:]]
        self.assert_refused(other, folder, processes=3, saying=["another command"])
        self.assert_refused([*VERIFY, "--fault", "none"], folder, processes=3, saying=["none"])

    def test_a_process_with_other_numbers(self):
        if " fma " not in Path("/proc/cpuinfo").read_text():
            self.skipTest("no processor with fused multiplication and addition")
        folder = self.folder("")
        masked = ["env", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA"]
        line = [*LAUNCHER, "-n", "1", SOCKETLAB, *VERIFY, "--out", folder]
        line += [":", "-n", "1", *masked, SOCKETLAB, *VERIFY, "--out", folder]
        done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("socketlab: process 1 of the launcher has numbers of another processor", done.stderr)

    def test_without_a_launcher_mpi_is_not_started(self):
        question = ["oracle", "epsilon", "--planes", "8", "--dim", "128", "--temperature", "0.5", "--query-norm", "1"]
        times = []
        for _ in range(20):
            start = time.monotonic()
            subprocess.run([SOCKETLAB, *question], check=True, stdout=subprocess.DEVNULL)
            times.append(time.monotonic() - start)
        # MPI_Init takes 0.3 s and more; the least of several is that of a machine that is not busy.
        self.assertLess(min(times), 0.1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
