"""Are losses and accuracies those of the model's own logits, written a cell at a time, resumed, and the same from the
seed?
"""

import contextlib
import io
import itertools
import tempfile
import types
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import tiny
import torch
from learned_attention import evaluate, plan, refusals, results
from learned_attention.examples import Examples
from learned_attention.plan import Cell
from learned_attention.ranking import rankers

LENGTH, ROWS = 40, 8
TEXT = np.random.default_rng(7).integers(1, 61, 900).astype(np.uint16)
SIZES = plan.Sizes(
    lengths=(LENGTH, 56), windows=5, long_windows=2, examples=3, long_examples=2, head_windows=1, ablation_windows=2,
    tasks=("one", "two"), layers=2, heads=4,
)  # fmt: skip


def evaluator(**more):
    examples = Examples(TEXT, tiny.draw, None, 1, ROWS)
    return replace(evaluate.Evaluator(tiny.model(), examples, tiny.SMALL, "cpu", ROWS, 2, 4, 100), **more)


def text_cell(ranker, sparsity, **more):
    return Cell("text", LENGTH, ranker, sparsity, examples=5, **more)


class Numbers(unittest.TestCase):
    def test_the_loss_of_dense_is_the_model_s_own(self):
        rows = evaluator().cell(text_cell("dense", 0), float("inf"))

        tokens = torch.from_numpy(evaluator().examples.text(LENGTH, 5))
        with torch.no_grad():
            logits = tiny.model()(tokens[:, :-1])[:, -ROWS:].log_softmax(dim=-1)
        expected = -logits.gather(-1, tokens[:, -ROWS:, None]).mean(dim=(1, 2))
        tiny.approximately(self, [row["loss"] for row in rows], expected.tolist(), places=4)
        self.assertEqual([row["example"] for row in rows], [0, 1, 2, 3, 4])
        self.assertEqual({row["selected"] for row in rows}, {LENGTH - (ROWS - 1) / 2})

    def test_a_budget_of_all_keys_has_the_loss_of_dense_exactly(self):
        dense = evaluator().cell(text_cell("dense", 0), float("inf"))
        for ranker in ("oracle-top-k", "socket-value"):
            self.assertEqual(evaluator().cell(text_cell(ranker, 1), float("inf")), dense)
            self.assertNotEqual(evaluator().cell(text_cell(ranker, 10), float("inf")), dense)

    def test_batches_cut_otherwise_give_the_same_numbers(self):
        for ranker in ("socket", "pqcache", "random", "magicpig"):
            losses = [
                [row["loss"] for row in evaluator(batch_tokens=size).cell(text_cell(ranker, 5), float("inf"))]
                for size in (40, 200)
            ]
            tiny.approximately(self, *losses, places=4)

    def test_prefixes_that_are_kept_change_nothing_and_are_not_made_again(self):
        cells = [text_cell("dense", 0), text_cell("socket", 5), text_cell("socket", 5, only="1.2")]
        alone = [evaluator().cell(cell, float("inf")) for cell in cells]
        # A window's 32 dense positions: 2 layers, keys and values of 2 heads and 8 numbers, mean |q| of the same; float32.
        window = 2 * 4 * (2 * 2 * 32 * 8 + 2 * 8)
        for most, made in ((0, 9), (1e9, 3), (3 * window, 9)):  # batches of 2, 2 and 1 windows; the last cell needs all
            keeping = evaluator(prefixes=evaluate.Prefixes(most))
            with mock.patch.object(evaluate, "Prefix", side_effect=evaluate.Prefix) as counted:
                self.assertEqual([keeping.cell(cell, float("inf")) for cell in cells], alone)
            self.assertEqual((most, counted.call_count), (most, made))
            self.assertLessEqual(keeping.prefixes.bytes, most)
        self.assertEqual(evaluate.Prefixes(0).bytes, 0)

    def test_answers_of_a_task(self):
        drawn = evaluator().examples.task("two", LENGTH, 3)
        tokens = torch.from_numpy(np.stack([example.tokens for example in drawn])).long()
        with torch.no_grad():
            found = tiny.model()(tokens).argmax(dim=-1).numpy()
        rows = evaluator().cell(Cell("two", LENGTH, "dense", 0, examples=3), float("inf"))
        for i, row in enumerate(rows):
            right = sum(int(found[i, at - 1] == drawn[i].tokens[at]) for at in (LENGTH - 2, LENGTH - 1))
            self.assertEqual((row["answers"], row["right"]), (2, right))
        # The answers that the model gives are right, and those beside them are not.
        for shift, expected in ((0, 1), (1, 0)):
            made = tiny.Example(drawn[0].tokens.copy(), [(LENGTH - 1, LENGTH)])
            made.tokens[-1] = (found[0, -2] + shift) % 61
            with mock.patch.object(Examples, "_task", lambda *_: [made]):
                row = evaluator().cell(Cell("one", LENGTH, "dense", 0, examples=1), float("inf"))[0]
            self.assertEqual(row["right"], expected)

    def test_an_answer_before_the_sparse_rows_is_refused(self):
        def early(task, length, seed, encode):
            return tiny.Example(np.ones(length, np.int32), [(length - ROWS, length)])

        asked = evaluator(examples=Examples(TEXT, early, None, 1, ROWS))
        with self.assertRaisesRegex(refusals.Refused, "an answer at 32 of 40; allowed are the last 8"):
            asked.cell(Cell("one", LENGTH, "dense", 0, examples=1), float("inf"))

    def test_windows_do_not_overlap_and_few_are_among_many(self):
        examples = evaluator().examples
        few, many = examples.text(LENGTH, 3), examples.text(LENGTH, 21)
        self.assertTrue((few == many[:3]).all())
        starts = [next(s for s in range(900) if (TEXT[s : s + 41] == window).all()) for window in many]
        self.assertEqual(sorted(starts), list(range(0, 21 * 41, 41)))
        with self.assertRaisesRegex(refusals.Refused, "windows 22 of 40 tokens: allowed are up to 21 in 900"):
            examples.text(LENGTH, 22)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cells = [text_cell("dense", 0), text_cell("socket", 10), Cell("heads", LENGTH, "all", 0, only="window 0")]

    def run_cells(self, seconds=1e6, folder=None, shard=(0, 1)):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            left, self.failed = evaluate.evaluated(evaluator(), self.cells, folder or self.folder, shard, seconds)
        return left, said.getvalue()

    def test_a_second_run_does_nothing_and_a_rerun_is_the_same_to_the_byte(self):
        self.assertEqual(self.run_cells()[0], [])
        files = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.assertEqual(sorted(files), ["evaluation-0-of-1.csv", "heads-0-of-1.csv", "statistics-0-of-1.csv"])
        self.assertIn("3 of them done before", self.run_cells()[1])
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, files)
        with tempfile.TemporaryDirectory() as other:
            self.run_cells(folder=Path(other))
            self.assertEqual({path.name: path.read_bytes() for path in Path(other).iterdir()}, files)

    def test_a_cut_file_is_mended(self):
        self.run_cells()
        path = self.folder / "evaluation-0-of-1.csv"
        whole = results.evaluation(self.folder)
        path.write_bytes(path.read_bytes()[:-30])
        self.assertEqual(len(results.done(self.folder, self.cells)), 2)
        self.assertEqual(self.run_cells()[0], [])
        self.assertEqual(results.evaluation(self.folder), whole)

    def test_no_time_leaves_all_and_names_them(self):
        left, _ = self.run_cells(seconds=0)
        self.assertEqual(left, self.cells)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_cell_that_fails_leaves_the_others(self):
        too_many = replace(self.cells[1], examples=22)
        self.cells = [self.cells[0], too_many, self.cells[2]]
        left, said = self.run_cells()
        self.assertEqual((left, self.failed), ([], [too_many]))
        self.assertIn("socket 10x: failed, windows 22 of 40 tokens: allowed are up to 21", said)
        self.assertEqual(results.done(self.folder, self.cells), {self.cells[0].key, self.cells[2].key})

    def test_windows_are_no_more_than_the_text_has(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            fewer = evaluate.fitting(replace(SIZES, windows=30, long_windows=20, head_windows=3), evaluator().examples)
        # 900 tokens: 21 windows of 41 and 15 of 57.
        self.assertEqual((fewer.windows, fewer.long_windows, fewer.head_windows), (21, 15, 3))
        self.assertEqual(said.getvalue().count("as many as the validation text has"), 2)
        self.assertEqual(evaluate.fitting(SIZES, evaluator().examples), SIZES)
        with self.assertRaisesRegex(refusals.Refused, "allowed are up to 899"):
            evaluate.fitting(replace(SIZES, lengths=(40, 900)), evaluator().examples)

    def test_a_deadline_within_a_cell_writes_nothing_of_it(self):
        self.assertIsNone(evaluator(batch_tokens=40).cell(self.cells[0], -1.0))

    def test_other_settings_in_one_folder_are_refused(self):
        (self.folder / "evaluation-0-of-2.json").write_text('{"asked": {"seed": 1}}')
        results.require_same(self.folder, {"asked": {"seed": 1}})
        with self.assertRaisesRegex(refusals.Refused, "another seed; allowed is an empty folder"):
            results.require_same(self.folder, {"asked": {"seed": 2}})

    def test_the_probe_by_head(self):
        self.run_cells()
        rows = results.read(self.folder, "heads")
        self.assertEqual({(row["layer"], row["head"]) for row in rows}, {(l, h) for l in range(2) for h in range(4)})
        for row in rows:
            if row["ranker"] == "oracle-top-k":
                self.assertEqual(row["recall"], 1)
            self.assertTrue(0 <= row["mass"] <= 1.00001 and row["relative_error"] >= 0)
            self.assertEqual(row["predicted_error"] > 0, row["predicted_recall"] > 0)  # both, or both missing
        self.assertTrue(any(row["predicted_error"] > 0 for row in rows if row["ranker"] == "socket"))
        by_sparsity = [
            row["mass"] for row in rows if row["ranker"] == "socket" and (row["layer"], row["head"]) == (0, 0)
        ]
        self.assertEqual(by_sparsity, sorted(by_sparsity, reverse=True))

    def test_the_whole_program_on_a_trained_folder(self):
        modules = {
            "corpus": types.SimpleNamespace(validation_tokens=lambda folder: TEXT),
            "retrieval_tasks": types.SimpleNamespace(draw=tiny.draw, TASKS=("one",)),
            "tokenizer": types.SimpleNamespace(read=lambda path: None, encoder=lambda read: None),
            "model": types.SimpleNamespace(load=lambda path, device: tiny.model()),
        }
        import learned_attention

        patched = mock.patch.multiple(learned_attention, create=True, **modules)
        names = mock.patch.dict(
            "sys.modules", {f"learned_attention.{name}": module for name, module in modules.items()}
        )
        small = [
            "--windows",
            "3",
            "--long-windows",
            "2",
            "--examples",
            "2",
            "--long-examples",
            "1",
            "--head-windows",
            "1",
            "--ablation-windows",
            "2",
        ]
        sizes = ["--lengths", "40,56", "--rows", "8", "--sink", "2", "--window", "8", "--device", "cpu", *small]
        asked = ["--model", "m", "--out", str(self.folder), *sizes]
        said = io.StringIO()
        with patched, names, contextlib.redirect_stdout(said):
            for shard in ("0/2", "1/2"):
                evaluate.main([*asked, "--shard", shard])
            before = (self.folder / "evaluation-0-of-2.csv").read_bytes()
            evaluate.main([*asked, "--shard", "0/2", "--first-table"])  # of the same settings: all of it is there
            self.assertEqual((self.folder / "evaluation-0-of-2.csv").read_bytes(), before)
            with self.assertRaisesRegex(refusals.Refused, "another seed"):
                evaluate.main([*asked, "--seed", "2"])
            with self.assertRaisesRegex(refusals.Refused, "more tokens than the 8 sparse rows"):
                evaluate.main([*asked, "--lengths", "8"])
        cells = results.evaluation(self.folder)
        expected = plan.cells(replace(SIZES, windows=3, examples=2, long_examples=1, tasks=("one",)))
        self.assertEqual(set(cells), {cell.key for cell in expected if cell.kind != "heads"})
        self.assertEqual(said.getvalue().count("\n0 cells left"), 3)


class Plan(unittest.TestCase):
    def test_shards_hold_every_cell_once(self):
        every = plan.cells(SIZES)
        shards = [plan.shard(every, i, 3) for i in range(3)]
        self.assertEqual(sorted(map(str, sum(shards, []))), sorted(map(str, every)))
        self.assertEqual(len({cell.key for cell in every}), len(every))

    def test_the_most_important_come_first(self):
        every = plan.cells(SIZES)
        table = plan.first_table(SIZES)
        self.assertEqual([cell.ranker for cell in table], list(rankers.NAMES))
        self.assertEqual({(cell.kind, cell.length, cell.sinks) for cell in table}, {("text", LENGTH, "forced")})
        self.assertEqual((table[0].sparsity, {cell.sparsity for cell in table[1:]}), (0, {33}))
        # Each question is asked of a few rankers first, by text before by task; then of all.
        parts = [part for part, _ in itertools.groupby(map(self.part, every))]
        order = ["text 33", "heads", "long text 33", "text 10", "text 20", "text 5", "text 50", "one head", "task 33"]
        order += ["long task 33", "text 33", "sinks 33", "task 33"]
        self.assertEqual(parts[:13], order)
        early = every[: [self.part(cell) for cell in every].index("sinks 33")]
        few = {cell.ranker for cell in early if cell.kind != "text" and cell.ranker != "all"}
        self.assertEqual(few, {cell.ranker for cell in early if cell.sparsity in (0, 50)} - {"all"})
        self.assertEqual(len(few), 10)
        self.assertEqual({cell.ranker for cell in early if cell.sparsity == 33}, set(rankers.NAMES) - {"dense"})

    def part(self, cell):
        if cell.kind == "heads":
            return "heads"
        if cell.only:
            return "one head"
        kind = "task" if cell.kind != "text" else "text" if cell.sinks == "forced" else "sinks"
        # Dense stands before its first sparsity.
        return f"{'long ' if cell.length != LENGTH else ''}{kind} {cell.sparsity or 33}"

    def test_bad_words_are_one_line_and_code_2(self):
        for bad in (["--shard", "2/2"], ["--windows", "0"], ["--lengths", "a"]):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as said:
                evaluate.parser().parse_args(["--model", "m", "--out", "o", *bad])
            self.assertEqual(ended.exception.code, 2)
            self.assertEqual(said.getvalue().count("\n"), 1)


if __name__ == "__main__":
    tiny.main()
