"""Is a claim judged by the two rankers that it names, on the windows that they share?"""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import numpy as np
import tiny  # noqa: F401  a Python without PyTorch ends here
from learned_attention import claims, refusals, results
from learned_attention.ranking import rankers


def cell(ranker, sparsity, losses, sinks="forced", only=""):
    return [
        {"kind": "text", "length": 4096, "ranker": ranker, "sparsity": sparsity, "sinks": sinks, "only": only}
        | {"example": i, "loss": float(loss), "answers": 0, "right": 0, "selected": 1.0, "mass": 0.5}
        for i, loss in losses.items()
    ]


class Claims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.base = dict(enumerate(np.random.default_rng(1).random(40)))

    def shifted(self, above):
        """The base's losses, moved by `above` and by a part of the window's own, of either sign in pairs: its mean is 0."""
        part = np.random.default_rng(abs(int(100 * above)) + 2).normal(0, 0.01, 20)
        return {i: loss + above + (part[i // 2] if i % 2 else -part[i // 2]) for i, loss in self.base.items()}

    def rows(self, *cells):
        results.append(self.folder, "evaluation", (0, 1), [row for cell in cells for row in cell])
        return {(row["ranker"], row["against"], row["sparsity"]): row for row in claims.tables(self.folder)}

    def test_the_verdict_is_that_of_the_side_on_which_the_interval_lies(self):
        rows = self.rows(
            cell("socket", 33, self.base),
            cell("socket-value", 33, self.shifted(0.2)),
            cell("hard-lsh-value", 33, self.shifted(0.1)),
            cell("hard-lsh", 33, self.shifted(0.4)),
            cell("hamming", 33, self.shifted(0.0)),
        )
        named = {pair[:2]: row["verdict"] for pair, row in rows.items()}
        # socket-value is 0.2 above socket and 0.1 above hard-lsh-value; socket is 0.4 below hard-lsh, level with hamming.
        self.assertEqual(
            named,
            {
                ("socket-value", "socket"): "does not hold",
                ("socket-value", "hard-lsh-value"): "does not hold",
                ("socket", "hard-lsh"): "holds",
                ("socket", "hamming"): "not told apart",
            },
        )
        row = rows["socket-value", "socket", 33]
        self.assertAlmostEqual(row["difference"], 0.2, places=6)
        self.assertEqual((row["windows"], row["contrasts"]), (40, 4))
        # The parts deviate by 0.01, their mean by 0.0016; four contrasts at once take about 2.6 of that.
        self.assertTrue(0.19 < row["low"] < 0.198 and 0.202 < row["high"] < 0.21, row)

    def test_sparsities_stand_apart_and_other_cells_are_left_out(self):
        rows = self.rows(
            cell("socket", 33, self.base),
            cell("socket-value", 33, self.shifted(0.2)),
            cell("socket", 10, self.base),
            cell("socket-value", 10, self.shifted(-0.3)),
            cell("socket-value", 33, self.shifted(-5.0), sinks="barred"),
            cell("socket-value", 33, self.shifted(-5.0), only="1.2"),
        )
        self.assertEqual({key[2]: row["verdict"] for key, row in rows.items()}, {33: "does not hold", 10: "holds"})
        self.assertAlmostEqual(rows["socket-value", "socket", 10]["difference"], -0.3, places=6)

    def test_only_shared_windows_count(self):
        shifted = self.shifted(0.2)
        without = {i: loss for i, loss in shifted.items() if i != 4}
        row = self.rows(cell("socket", 33, self.base), cell("socket-value", 33, without))["socket-value", "socket", 33]
        # Of all 40 windows the mean is 0.2.
        self.assertEqual(row["windows"], 39)
        self.assertAlmostEqual(row["difference"], (40 * 0.2 - (shifted[4] - self.base[4])) / 39, places=6)

    def test_every_claim_names_rankers_and_no_word_breaks_a_table(self):
        for claim in claims.CLAIMS:
            for pair in claim.pairs:
                self.assertTrue(set(pair) <= set(rankers.NAMES), pair)
                self.assertNotEqual(*pair)
            self.assertNotIn(",", claim.name + claim.words + claim.place)
            self.assertEqual((bool(claim.words), bool(claim.place)), 2 * (claim.kind in ("claim", "choice"),))
            self.assertLessEqual(len(claim.words.split()), 15)

    def test_an_interval_that_touches_0_tells_nothing_apart(self):
        self.assertEqual(claims.verdict(0.0, 1.0), "not told apart")
        self.assertEqual(claims.verdict(-1.0, 0.0), "not told apart")
        self.assertEqual(claims.verdict(float("nan"), float("nan")), "not told apart")

    def test_a_folder_without_a_pair_is_refused(self):
        results.append(self.folder, "evaluation", (0, 1), cell("socket", 33, self.base))
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            refusals.run(claims.PROGRAM, claims.main, [str(self.folder)])
        self.assertEqual(ended.exception.code, 2)
        self.assertRegex(
            said.getvalue(), r"no pair of rankers of a claim; allowed is a folder that evaluate wrote to\n$"
        )


if __name__ == "__main__":
    unittest.main()
