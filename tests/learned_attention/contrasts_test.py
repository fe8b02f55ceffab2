"""Are windows paired by their number, tables whole, and rank correlations those of the heads?"""

import contextlib
import io
import math
import tempfile
import unittest
from pathlib import Path

import numpy as np
import tiny
from learned_attention import contrasts, intervals, refusals, results
from learned_attention.ranking import head_statistics


def cell(kind, ranker, sparsity, losses, only="", sinks="forced", right=None, length=4096):
    rows = []
    for example, loss in losses.items():
        rows.append(
            {"kind": kind, "length": length, "ranker": ranker, "sparsity": sparsity, "sinks": sinks, "only": only}
            | {"example": example, "loss": float(loss), "answers": 0 if right is None else 2}
            | {"right": 0 if right is None else right[example], "selected": 100.0, "mass": 0.5}
        )
    return rows


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tables(self, *cells):
        for shard, rows in enumerate(cells):  # each cell in a file of its own, read together
            results.append(self.folder, "evaluation", (shard, len(cells)), rows)
        return contrasts.tables(self.folder, 0.95, 400, 1)

    def test_windows_are_paired_by_their_number(self):
        random = np.random.default_rng(1)
        dense = {i: 1 + random.random() for i in range(20)}
        # The same windows in the other order, 0.1 and 0.3 above dense in turn; a cell without window 7.
        socket = {i: dense[i] + (0.3 if i % 2 else 0.1) for i in reversed(range(20))}
        exact = {i: dense[i] + (0.05 if i % 3 else 0.2) for i in range(20) if i != 7}
        found = self.tables(
            cell("text", "dense", 0, dense), cell("text", "socket", 33, socket), cell("text", "oracle-top-k", 33, exact)
        )["losses.csv"]

        rows = {(row["ranker"], row["over"]): row for row in found}
        self.assertEqual(set(rows), {("socket", "dense"), ("socket", "oracle-top-k"), ("oracle-top-k", "dense")})
        self.assertAlmostEqual(rows["socket", "dense"]["difference"], (10 * 0.1 + 9 * 0.3) / 19)
        self.assertEqual({row["windows"] for row in found}, {19})
        row = rows["socket", "dense"]
        self.assertTrue(row["low"] < row["difference"] < row["high"])
        self.assertLess(row["high"] - row["low"], 0.15)  # unpaired, the spread of dense alone would give 0.3
        self.assertAlmostEqual(
            rows["socket", "dense"]["base_loss"], np.mean([dense[i] for i in dense if i != 7]), places=6
        )

    def test_sinks_and_single_heads_are_held_against_their_bases(self):
        key = ("text", 4096, "socket", 33, "barred", "")
        self.assertEqual(contrasts.base_key(key, "oracle-top-k"), ("text", 4096, "oracle-top-k", 33, "forced", ""))
        self.assertEqual(contrasts.base_key(key, "dense"), ("text", 4096, "dense", 0, "forced", ""))
        self.assertIsNone(contrasts.base_key(("text", 4096, "oracle-top-k", 33, "forced", ""), "oracle-top-k"))
        free = ("text", 4096, "oracle-top-k", 33, "free", "")
        self.assertEqual(contrasts.base_key(free, "oracle-top-k")[4], "forced")
        dense = dict.fromkeys(range(5), 1.0)
        one = {i: 1 + 0.01 * i for i in range(5)}
        found = self.tables(cell("text", "dense", 0, dense), cell("text", "socket", 33, one, only="1.2"))
        self.assertEqual((found["losses.csv"], len(found["ablations.csv"])), ([], 1))
        self.assertAlmostEqual(found["ablations.csv"][0]["difference"], 0.02)

    def test_accuracies_count_examples_that_are_wholly_right(self):
        same = dict.fromkeys(range(4), 1.0)
        found = self.tables(
            cell("needle", "dense", 0, same, right=[2, 2, 2, 0]), cell("needle", "socket", 33, same, right=[2, 1, 1, 0])
        )["accuracies.csv"]

        (row,) = found
        self.assertEqual((row["accuracy"], row["dense_accuracy"], row["difference"]), (0.25, 0.75, -0.5))
        self.assertEqual((row["answers_right"], row["dense_answers_right"]), (4 / 8, 6 / 8))
        lost, gained = intervals.share_bounds(2, 4, 0.0125), intervals.share_bounds(0, 4, 0.0125)
        self.assertAlmostEqual(row["low"], gained[0] - lost[1])
        self.assertAlmostEqual(row["high"], gained[1] - lost[0])

    def test_correlations_over_heads(self):
        dense = dict.fromkeys(range(3), 1.0)
        results.append(self.folder, "heads", (0, 1), [
            {"length": 4096, "window": w, "layer": 0, "head": h, "ranker": "socket", "sparsity": 33, "mass": 0.5,
             "relative_error": 0.1 * (h**2) + 0.01 * w, "recall": 0.9 - 0.1 * h,
             "predicted_recall": "" if h == 2 else 0.5, "predicted_error": ""}
            for w in range(2) for h in range(4)
        ])  # fmt: skip
        results.append(self.folder, "statistics", (0, 1), [
            {"length": 4096, "window": w, "layer": 0, "head": h} | {name: float(h) for name in head_statistics.NAMES}
            for w in range(2) for h in range(4)
        ])  # fmt: skip
        ablated = [cell("text", "socket", 33, dict.fromkeys(range(3), 1 - 0.1 * h), only=f"0.{h}") for h in range(3)]
        found = self.tables(cell("text", "dense", 0, dense), *ablated)

        values = {(row["measure"], row["statistic"]): row["spearman"] for row in found["correlations.csv"]}
        self.assertEqual(len(values), 4 * len(head_statistics.NAMES))
        self.assertAlmostEqual(values["relative_error", "key_norm"], 1)
        self.assertAlmostEqual(values["recall", "key_norm"], -1)
        self.assertAlmostEqual(values["loss", "key_norm"], -1)  # of the three heads that were ablated
        self.assertTrue(math.isnan(values["mass", "key_norm"]))  # constant
        heads = {row["head"]: row for row in found["heads.csv"]}
        self.assertEqual(list(heads), [0, 1, 2, 3])
        self.assertAlmostEqual(heads[3]["relative_error"], 0.905)  # 0.9 and 0.91 at the two windows
        self.assertEqual([math.isnan(row["predicted_recall"]) for row in heads.values()], [False, False, True, False])
        (agreement,) = found["agreement.csv"]  # errors have no prediction here
        self.assertEqual((agreement["measure"], agreement["heads"]), ("recall", 3))
        self.assertTrue(math.isnan(agreement["slope"]))  # all predictions are one number
        self.assertEqual(agreement["worst_head"], "0.0")

    def test_agreement_by_hand(self):
        heads = [(0, 0, 0.2, 0.1), (0, 1, 0.3, 0.3), (1, 0, 0.7, 0.5)]  # layer, head, measured, predicted
        results.append(self.folder, "heads", (0, 1), [
            {"length": 4096, "window": w, "layer": layer, "head": head, "ranker": "socket", "sparsity": 33, "mass": 0.5,
             "relative_error": measured + (0.1 if w else -0.1), "recall": 0.5, "predicted_recall": "",
             "predicted_error": predicted}
            for w in range(2) for layer, head, measured, predicted in heads
        ])  # fmt: skip
        results.append(self.folder, "evaluation", (0, 1), cell("text", "dense", 0, dict.fromkeys(range(3), 1.0)))

        (row,) = contrasts.tables(self.folder, 0.95, 400, 1)["agreement.csv"]

        # Predicted less their mean: -0.2, 0, 0.2; the slope is 0.2 (0.7 - 0.2) / 0.08, of predicted on measured it is 0.71.
        self.assertAlmostEqual(row["slope"], 1.25)
        self.assertAlmostEqual(row["intercept"], 0.4 - 1.25 * 0.3)
        self.assertAlmostEqual(row["rms_difference"], math.sqrt((0.1**2 + 0 + 0.2**2) / 3))
        self.assertAlmostEqual(row["mean_difference"], 0.1)  # of the other sign it would be predicted less measured
        self.assertEqual((row["measure"], row["heads"], row["worst_head"]), ("relative_error", 3, "1.0"))
        self.assertAlmostEqual(row["worst_measured"], 0.7)
        self.assertAlmostEqual(row["worst_predicted"], 0.5)

    def test_a_table_by_head_without_predictions_is_refused(self):
        old = {"length": 4096, "window": 0, "layer": 0, "head": 0, "ranker": "socket", "sparsity": 33, "mass": 0.5}
        with self.assertRaisesRegex(refusals.Refused, "no column relative_error, recall, predicted_recall"):
            contrasts.means_by_head([old], ("length", "ranker", "sparsity"), contrasts.HEAD_COLUMNS)

    def test_the_program_writes_what_it_found(self):
        dense = {i: 1.0 + 0.1 * i for i in range(6)}
        socket = {i: 1.2 + 0.11 * i for i in range(6)}
        for rows in (cell("text", "dense", 0, dense), cell("text", "socket", 33, socket)):
            results.append(self.folder, "evaluation", (0, 1), rows)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            contrasts.main([str(self.folder), "--resamples", "200"])
        self.assertIn("losses.csv: 1 rows", said.getvalue())
        lines = (self.folder / "losses.csv").read_text().splitlines()
        self.assertTrue(
            lines[0].startswith("kind,length,ranker,sparsity,sinks,only,over,windows,base_loss,difference,low,high")
        )
        self.assertTrue(lines[1].startswith("text,4096,socket,33,forced,,dense,6,1.25,0.225,"))
        with tempfile.TemporaryDirectory() as empty, self.assertRaisesRegex(refusals.Refused, "no evaluated cell"):
            contrasts.main([empty])


class Ranks(unittest.TestCase):
    def test_by_hand(self):
        self.assertEqual(contrasts.ranks([3, 1, 3, 2]).tolist(), [2.5, 0, 2.5, 1])
        # Ranks 0 1 2 3 and 1 0 2 3: 1 - 6 (1 + 1) / (4 15).
        self.assertAlmostEqual(contrasts.spearman(np.array([1, 2, 3, 9]), np.array([2, 1, 5, 6])), 0.8)
        self.assertAlmostEqual(contrasts.spearman(np.array([1, 2, 3, np.nan]), np.array([1, 4, 9, 0])), 1)
        self.assertTrue(math.isnan(contrasts.spearman(np.array([1, 1, 1]), np.array([1, 2, 3]))))


if __name__ == "__main__":
    tiny.main()
