"""Does a training of seconds, from sources to checkpoint, learn what the sources plant, repeat itself, and refuse in
one line what cannot be?
"""

import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import types
import unittest

from case import FolderCase, needs

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
TINY = [
    "--device", "cpu", "--layers", "1", "--width", "32", "--query-heads", "2", "--kv-heads", "1", "--head-dim", "16",
    "--vocabulary", "300", "--tokens", "512", "--longest-window", "128", "--workers", "1", "--log-every", "10",
    "--final-examples", "2", "--final-tokens", "2048", "--examples", "1", "--learning-rate", "0.01",
    "--muon-rate", "0.01",
]  # fmt: skip
# Every line of the planted text is one of these; which one is a toss, the rest follows: log(8) nats a line at most.
LINES = [
    f"value_{word} = compute_the_{word}_of_everything(argument_{word})\n"
    for word in ("alpha", "beta", "gamma", "delta", "eta", "theta", "kappa", "sigma")
]


def environment():
    """One thread, and no GPU even where there is one: numbers are compared."""
    added = {
        "PYTHONPATH": str(PYTHON),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
    return os.environ | added


def run(*arguments, launcher=("-m", "learned_attention.train")):
    command = [sys.executable, *launcher, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, env=environment())


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs("numpy", "tokenizers", "torch", "safetensors")
class Train(FolderCase):
    def plant(self):
        """160 modules of tossed lines, each with a first line of its own so that none is a repetition of another."""
        for i in range(160):
            toss = random.Random(i)
            own = [f"# module {i}\nnumber_{i} = {i}\n"]
            # The line ends with its toss, so that lines are not known from other files and validation keeps its own.
            lines = [f"{toss.choice(LINES)[:-1]}  # {toss.randrange(10**6)}\n" for _ in range(20)]
            self.write(f"sources/module_{i}.py", "".join(own + lines))
        return ["--sources", self.folder / "sources"]

    def train(self, folder, *more, launcher=("-m", "learned_attention.train")):
        done = run("--folder", folder, *TINY, *more, launcher=launcher)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((folder / "run.json").read_text())

    def test_from_sources_to_a_checkpoint_that_has_learned_and_is_repeated(self):
        folder, again = self.folder / "one", self.folder / "two"
        steps = ["--steps", "60", "--seed", "5", "--validate-every", "25", "--save-every", "30"]

        record = self.train(folder, *self.plant(), *steps)

        losses = [float(row["text_loss"]) for row in rows(folder / "training.csv")]
        self.assertEqual([int(row["step"]) for row in rows(folder / "training.csv")], [10, 20, 30, 40, 50, 60])
        # Untrained: log(300) = 5.7. A line tosses six digits (13.8 nats) and one of eight words (2.1), and has some 40
        # tokens: 0.4 nats a token is what there is to learn.
        self.assertGreater(losses[0], 4)
        self.assertLess(losses[-1], 3)
        final = record["final_validation"]
        self.assertLess(final["text"]["128"]["nats_per_token"], 3)
        self.assertEqual(set(final["accuracy"]["128"]), set(self.tasks()))
        # No place of a machine stands in the record.
        self.assertIn("--folder one", record["command"])
        self.assertEqual(record["options"]["folder"], "one")
        self.assertNotIn(str(self.folder), json.dumps(record))
        self.assertTrue(record["finished"] and record["steps"] == 60 and record["tokens"] == 60 * 512)
        looks = {(int(row["step"]), row["quantity"]) for row in rows(folder / "validation.csv")}
        self.assertLessEqual({(26, "text_loss"), (51, "text_loss")}, looks)
        self.check_checkpoint(folder, record)

        for name in ("train.bin", "validation.bin", "tokenizer.json", "corpus.json"):
            again.mkdir(exist_ok=True)
            (again / name).write_bytes((folder / name).read_bytes())
        self.train(again, *steps)

        self.assertEqual(self.without_seconds(again), self.without_seconds(folder))
        self.assertEqual((again / "model.safetensors").stat().st_size, (folder / "model.safetensors").stat().st_size)

    def tasks(self):
        from learned_attention.retrieval_tasks import TASKS

        return TASKS

    def without_seconds(self, folder):
        return [{key: value for key, value in row.items() if key != "seconds"} for row in rows(folder / "training.csv")]

    def check_checkpoint(self, folder, record):
        """The saved model has the loss that run.json says, by another route: logits of all windows, in one batch."""
        import numpy as np
        import torch
        from learned_attention import corpus, model, validation

        network = model.load(folder / "model.safetensors", "cpu")
        said = record["final_validation"]["text"]["128"]
        windows = torch.from_numpy(validation.windows_of(corpus.validation_tokens(folder), 128, said["windows"]))
        with torch.no_grad():
            logits = network(windows[:, :-1]).double()
        likelihood = torch.log_softmax(logits, -1).gather(-1, windows[:, 1:, None]).mean()
        self.assertTrue(np.isclose(-likelihood.item(), said["nats_per_token"], rtol=1e-5))
        self.assertEqual(model.read_metadata(folder / "model.safetensors")["step"], "60")

    def test_two_processes_train_as_one_model_and_stop_together(self):
        folder = self.folder / "both"
        done = run("--folder", folder, *TINY, *self.plant(), "--prepare")
        self.assertEqual(
            (done.returncode, sorted(path.name for path in folder.iterdir())[:2]),
            (0, ["corpus.json", "tokenizer.json"]),
        )
        launcher = (
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc-per-node",
            "2",
            "-m",
            "learned_attention.train",
        )

        record = self.train(folder, *self.plant(), "--seconds", "4", launcher=launcher)

        self.assertEqual(record["processes"], 2)
        self.assertEqual(record["tokens"], record["steps"] * 2 * 512)
        self.assertGreater(record["steps"], 3)
        self.assertTrue(4 <= record["seconds"] < 30, record["seconds"])

    def test_what_cannot_be_is_refused_in_one_line(self):
        file = self.write("file", "x")
        for arguments, about in (
            ([], "required: --folder"),
            (["--seconds", "0"], "--seconds: '0': allowed are numbers from 1 to 86400"),
            (["--seconds", "nan"], "'nan': allowed are numbers"),
            (["--seed", "1.5"], "--seed: '1.5': allowed are whole numbers from 0"),
            (["--layers", "0"], "--layers: '0': allowed are whole numbers from 1 to 64"),
            (["--query-heads", "5"], "5 query heads on 2 KV heads: allowed is a multiple"),
            (["--head-dim", "9"], "head_dim is 9: allowed are even"),
            (["--tokens", "1024"], "--tokens 1024: allowed are at least the longest window, 32768"),
            (["--sources", self.folder / "none"], "none: not a folder; allowed are folders that hold .py files"),
            (["--folder", file], f"{file}: not a folder"),
            (["--optimizer", "sgd"], "invalid choice: 'sgd'"),
        ):
            with self.subTest(arguments=arguments):
                folder = [] if arguments == [] else ["--folder", self.folder / "out"]
                self.check_refused(run(*folder, *arguments), about)

    def check_refused(self, done, about):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("learned_attention.train: "), done.stderr)
        self.assertIn(about, done.stderr)

    def test_a_corpus_shorter_than_a_window_and_one_of_another_vocabulary_are_refused(self):
        folder, sources = self.folder / "out", self.plant()
        window = ["--steps", "2", "--tokens", "262144", "--longest-window", "262144"]
        self.check_refused(run("--folder", folder, *TINY, *sources, *window), "train: ")
        self.check_refused(run("--folder", folder, *TINY, "--vocabulary", "301"), "another vocabulary")

    def test_a_loss_that_stays_not_finite_ends_in_a_line(self):
        import torch
        from learned_attention import training_loop
        from learned_attention.refusals import Refused

        processes = types.SimpleNamespace(rank=0)
        options = types.SimpleNamespace(folder=self.folder, learning_rate=0.5)
        training = training_loop.Training(options, None, processes, None, None, None, None, lambda text: None)
        finite, not_finite = torch.tensor([1.0, 1.0, 1.0]), torch.tensor([1.0, float("nan"), 1.0])

        for sums in (not_finite, not_finite, finite, not_finite, not_finite):
            training.log(1, 0.0, 8, 1.0, sums, [1, 1, 0], torch.tensor(1.0))
        with self.assertRaisesRegex(Refused, "not finite up to step 7; allowed is a --learning-rate below 0.5"):
            training.log(7, 0.0, 8, 1.0, not_finite, [1, 1, 0], torch.tensor(1.0))

    def test_without_a_gpu_cuda_is_refused(self):
        folder = self.folder / "out"
        self.train(folder, *self.plant(), "--steps", "1")
        self.check_refused(
            run("--folder", folder, *TINY, "--device", "cuda"), "PyTorch finds no GPU; allowed is --device cpu"
        )

    def test_the_help_names_units_and_ranges(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for text in (
            "1 to 86,400 s",
            "of weights and batches, 0 to 2^62",
            "with --seconds, two runs of a seed agree within noise",
        ):
            self.assertIn(text, " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main()
