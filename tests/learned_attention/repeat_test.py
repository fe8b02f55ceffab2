"""Is a repetition within its intervals told from one that is not, and a folder without common cells refused?"""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import numpy as np
import tiny
from learned_attention import refusals, repeat, results


def losses(seed, more=0.0):
    """Of 24 windows: dense from seed 1 for all, the ranker above it by 0.1 on average, and `more`."""
    random = np.random.default_rng(1)
    dense = 1 + random.random(24)
    above = 0.1 + 0.02 * random.standard_normal(24)
    return dense, dense + above + 1e-6 * np.random.default_rng(seed).standard_normal(24) + more


def rows(kind, ranker, sparsity, values, right=None):
    return [
        {"kind": kind, "length": 4096, "ranker": ranker, "sparsity": sparsity, "sinks": "forced", "only": ""}
        | {"example": i, "loss": float(value), "answers": 0 if right is None else 1}
        | {"right": 0 if right is None else int(right[i]), "selected": 100.0, "mass": 0.5}
        for i, value in enumerate(values)
    ]


class Repeat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folders = [Path(folder.name, name) for name in ("first", "second")]
        for path in self.folders:
            path.mkdir()

    def fill(self, number, dense, sparse, *tables):
        for table in (rows("text", "dense", 0, dense), rows("text", "socket", 33, sparse), *tables):
            results.append(self.folders[number], "evaluation", (0, 1), table)

    def code(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = repeat.main([*map(str, self.folders), "--resamples", "400"])
        return code, said.getvalue()

    def test_a_repetition_within_rounding(self):
        self.fill(0, *losses(2))
        self.fill(1, *losses(3))
        code, said = self.code()
        self.assertEqual(code, 0, said)
        off = np.abs(losses(2)[1] - losses(3)[1]).max()  # some 1e-6
        self.assertIn(f"2 cells; largest difference of a loss: {off:.1e} nats", said)
        self.assertIn("text 4096 socket 33 forced", said)
        self.assertIn("0 of 2 means outside", said)

    def test_a_mean_outside_is_named(self):
        self.fill(0, *losses(2))
        # The interval is 0.1 +- 2 0.02 / sqrt(24) = 0.008 or a little more: 0.02 is outside, 0.002 is not.
        self.fill(1, *losses(3, more=0.02))
        code, said = self.code()
        self.assertEqual(code, 1)
        self.assertIn("text 4096 socket 33 forced dense: 0.", said)
        self.assertIn("2 of 2 means outside", said)

    def test_a_small_shift_is_inside(self):
        self.fill(0, *losses(2))
        self.fill(1, *losses(3, more=0.002))
        self.assertEqual(self.code()[0], 0)

    def test_one_window_of_another_text_shows_in_the_largest_difference(self):
        dense, sparse = losses(2)
        self.fill(0, dense, sparse)
        dense, sparse = dense.copy(), sparse.copy()
        dense[7] += 0.5
        sparse[7] += 0.5  # the difference is as it was
        self.fill(1, dense, sparse)
        code, said = self.code()
        self.assertEqual(code, 0)
        self.assertIn("largest difference of a loss: 0.5 nats", said)
        self.assertIn("example 7", said)

    def test_cells_of_one_folder_alone_do_not_count_and_those_without_an_interval_are_to_be_equal(self):
        dense, _ = losses(2)
        only_here = rows("text", "hamming", 33, dense + 9)
        self.fill(0, dense, dense + 0.25, only_here)
        self.fill(1, dense, dense + 0.25)
        self.assertEqual(self.code()[0], 0)
        self.folders[1].joinpath("evaluation-0-of-1.csv").unlink()
        self.fill(1, dense, dense + 0.375)
        self.assertEqual(self.code()[0], 1)

    def test_shares_of_right_answers(self):
        dense, sparse = losses(2)
        every, none = np.ones(24), np.zeros(24)
        tables = [rows("needle", "dense", 0, dense, every), rows("needle", "socket", 33, dense, every)]
        self.fill(0, dense, sparse, *tables)
        self.fill(1, dense, sparse, tables[0], rows("needle", "socket", 33, dense, none))
        code, said = self.code()
        self.assertEqual(code, 1)
        self.assertIn("needle 4096 socket 33 forced dense: -1, outside", said)

    def test_folders_without_a_common_cell_are_refused(self):
        self.fill(0, *losses(2))
        with self.assertRaisesRegex(refusals.Refused, "without a common cell"):
            self.code()
        self.fill(1, *(part[:1] for part in losses(2)))
        with self.assertRaisesRegex(refusals.Refused, "two windows in common"):
            self.code()


if __name__ == "__main__":
    tiny.main()
