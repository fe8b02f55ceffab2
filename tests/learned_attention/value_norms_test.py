"""Are the numbers of a head those of a hand's reckoning, and of its own keys and queries alone?"""

import json
import math
import tempfile
import unittest
from pathlib import Path

import tiny
import torch
from learned_attention import refusals, value_norms
from learned_attention.ranking.problem import Settings
from learned_attention.ranking.selection import Rule

SETTINGS = Settings(tables=4, planes=3)
NAMES = [{"layer": 2, "heads": [{"head": 4, "kind": "local"}, {"head": 5, "kind": "diffuse"}]}]


def tensors():
    """Two query heads on one KV head, one query each, at the last of six keys. With a sink of 1 and a window of 2 the
    keys 1, 2, 3 compete. Their products are 3, 1, 2 for the first head and -3, -1, -2 for the second."""
    q = torch.tensor([[[1.0, 0.0]], [[-1.0, 0.0]]])
    k = torch.tensor([[[9.0, 1], [3, 1], [1, 1], [2, 1], [7, 1], [8, 1]]])
    v = torch.tensor([[[50.0, 0], [1, 0], [0, 4], [0, -2], [60, 0], [70, 0]]])  # norms 1, 4, 2 of those that compete
    return {"q": q, "k": k, "v": v}


def rows(given):
    return value_norms.table(given, NAMES, SETTINGS, lambda keys: Rule(1, sink=1, window=2))


class Table(unittest.TestCase):
    def test_by_hand(self):
        first, second = rows(tensors())
        self.assertEqual([(row["layer"], row["head"], row["kind"]) for row in (first, second)],
                         [(2, 4, "local"), (2, 5, "diffuse")])  # fmt: skip
        # The longest product has the shortest value: ranks 3, 1, 2 against 1, 3, 2; the second head's the reverse.
        self.assertEqual((float(first["correlation"]), float(second["correlation"])), (-1, 1))
        # One key is the best: of norm 1 and of norm 4; the mean is 7/3.
        self.assertAlmostEqual(float(first["length_ratio"]), 3 / 7, places=5)
        self.assertAlmostEqual(float(second["length_ratio"]), 12 / 7, places=5)
        # Of 1, 4, 2: mean 7/3, mean square 7, variance 7 - 49/9 = 14/9.
        self.assertAlmostEqual(float(first["norm_variation"]), math.sqrt(14 / 9) / (7 / 3), places=5)

    def test_what_always_attends_counts_nowhere(self):
        other = tensors()
        other["v"][0, [0, 4, 5]] *= 3
        self.assertEqual(rows(other), rows(tensors()))

    def test_a_norm_that_decides(self):
        # One value is a million times as long as the others: with the norm its key is selected, whatever the scores.
        long = tensors()
        long["v"][0, 1] *= 1e6
        first, second = rows(long)
        self.assertEqual((float(first["value_recall"]), float(second["value_recall"])), (1, 0))
        for row in (first, second):
            self.assertIn(float(row["recall"]), (0, 1))

    def test_values_of_one_length_change_nothing(self):
        equal = tensors()
        equal["v"][:] = torch.tensor([0.0, 5.0])
        for row in rows(equal):
            self.assertEqual(row["norm_variation"], "0")
            self.assertEqual({row["value_recall"], row["dealt_recall"]}, {row["recall"]})

    def test_a_file_that_capture_did_not_write_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder, "other.safetensors"), Path(folder, "out.csv")
            import safetensors.torch

            safetensors.torch.save_file(tensors(), path)
            with self.assertRaisesRegex(refusals.Refused, "no heads are described in it"):
                value_norms.main([str(path), str(out)])
            self.assertFalse(out.exists())
            safetensors.torch.save_file(tensors(), path, metadata={"heads": json.dumps(NAMES)})
            with self.assertRaisesRegex(refusals.Refused, "6 keys for 1 queries: allowed are 71 and more"):
                value_norms.main([str(path), str(out)])
            more = tensors() | {name: torch.randn(1, 71, 2) for name in "kv"}
            safetensors.torch.save_file(more, path, metadata={"heads": json.dumps(NAMES)})
            value_norms.main([str(path), str(out)])
            self.assertEqual([line.split(",")[2] for line in out.read_text().split()[1:]], ["local", "diffuse"])


if __name__ == "__main__":
    tiny.main()
