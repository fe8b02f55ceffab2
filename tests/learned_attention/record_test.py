"""Does the one command of docs/records/learned_attention.sh, on tiny sizes, make the record, go on where it stopped,
and refuse in one line what cannot be?
"""

import pathlib
import subprocess
import sys
import tarfile

import case
import train_test
from case import FolderCase, needs

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "records" / "learned_attention.sh"
# Their validation part holds four windows of the evaluation; with fewer an interval may be infinite, and nothing outside.
MODULES = 160
OPTIONS = {
    "TRAIN_OPTIONS": f"--sources sources {' '.join(train_test.TINY)} --steps 4",
    "CAPTURE_OPTIONS": "--device cpu --length 96 --queries 6",
    "EVALUATE_OPTIONS": "--device cpu --lengths 96 --rows 16 --windows 4 --first-table",
}
RECORD = {
    "accuracies.csv", "claims.csv", "heads.safetensors", "losses.csv", "run.json", "tables.tar.gz", "training.csv",
    "validation.csv",
}  # fmt: skip
OF_OTHER_CELLS = {"accuracies.csv"}  # than those of the first table


@needs("numpy", "tokenizers", "torch", "safetensors")
class Record(FolderCase):
    def run_script(self, *words):
        environment = train_test.environment() | {"PYTHON": sys.executable} | OPTIONS
        environment.pop("SOCKETLAB_GPU_LIBRARY", None)
        return subprocess.run(
            ["bash", SCRIPT, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
            timeout=400,
        )  # fmt: skip

    def test_a_whole_record_and_what_goes_on(self):
        for i in range(MODULES):
            self.write(f"sources/module_{i}.py", case.source(i))

        done = self.run_script("a seed", "3", "1", "300")

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        out = self.folder / "a seed"
        record = out / "record"
        self.assertEqual({path.name for path in record.iterdir()}, RECORD - OF_OTHER_CELLS)
        with tarfile.open(record / "tables.tar.gz") as archive:
            tables = {pathlib.Path(name).name for name in archive.getnames()}
            evaluation = archive.extractfile("tables/evaluation.csv").read()
        self.assertLessEqual({"evaluation.csv", "evaluation-0-of-1.json", "evaluate.log", "repeated.log"}, tables)
        self.assertEqual(evaluation, (out / "evaluated" / "evaluation-0-of-1.csv").read_bytes())
        # On the CPU the repetition is the same to the bit.
        self.assertIn("largest difference of a loss: 0 nats", (out / "repeated.log").read_text())
        self.assertTrue((self.folder / "corpus" / "train.bin").samefile(out / "trained" / "train.bin"))

        # As if it had been stopped after the training, before its mark: nothing is trained or captured again.
        kept = [out / "trained" / "model.safetensors", out / "heads.safetensors"]
        times = [path.stat().st_mtime_ns for path in kept]
        (out / "train.done").unlink()
        (out / "repeated.done").unlink()
        # A mean that was another the first time.
        path = out / "again" / "evaluation-0-of-1.csv"
        path.write_text("\n".join(self.shifted(line) for line in path.read_text().splitlines()) + "\n")
        before = (record / "losses.csv").read_bytes()
        for name in OF_OTHER_CELLS:
            (out / "evaluated" / name).write_text(name)

        done = self.run_script("a seed", "3", "1", "300")

        self.assertEqual(done.returncode, 1)
        self.assertIn("repeated failed", done.stderr)
        self.assertNotIn("evaluate, ", done.stdout)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)
        self.assertEqual((record / "losses.csv").read_bytes(), before)
        self.assertEqual({path.name for path in record.iterdir()}, RECORD)

        done = self.run_script("a seed", "4")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("holds seed 3; allowed are that seed, or a new folder", done.stderr)

    def shifted(self, line):
        cells = line.split(",")
        if cells[2] == "hamming":
            cells[7] = str(float(cells[7]) + 100)
        return ",".join(cells)

    def test_a_training_that_fails_ends_it(self):
        self.write("sources/module_0.py", case.source(0))  # no file is left for validation
        done = self.run_script("out", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("prepare failed: learned_attention.train: ", done.stderr)
        self.assertFalse((self.folder / "out" / "record").exists())

    def test_bad_words_are_one_line_and_code_2(self):
        self.write("file", "x")
        for words, about in (
            ([], "0 words; allowed are OUT SEED"),
            (["out"], "1 words"),
            (["out", "1", "2", "3", "4"], "5 words"),
            (["out", "one"], "one: allowed are a seed and seconds up to 999999"),
            (["out", "1", "-5"], "-5: allowed are"),
        ):
            with self.subTest(words=words):
                done = self.run_script(*words)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertTrue(done.stderr.startswith("learned_attention.sh: "))
                self.assertIn(about, done.stderr)
        self.assertFalse((self.folder / "out").exists())
        done = self.run_script("file", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("file: cannot be made; allowed is a folder or a new name", done.stderr)


if __name__ == "__main__":
    case.unittest.main()
