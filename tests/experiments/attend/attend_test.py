"""Does `socketlab attend` compute what the formulas say on arrays that NumPy wrote?

Run as attend_test.py SOCKETLAB. The formulas are restated here in NumPy, without the factorised or blocked forms of the
program. Tolerances: scores 1e-12 relative, as the command's contract says; outputs as derived at their check.
"""

import os
import unittest

import numpy as np
from attend_arrays import OnArrays

SCORE_TOLERANCE = 1e-12


def codes_of(vectors, planes):
    """Bucket numbers [n, tables] of vectors [n, dim] for planes [tables, planes, dim]; plane 0 is the highest bit."""
    bits = np.einsum("nd,lpd->nlp", vectors, planes) >= 0
    return bits @ (1 << np.arange(planes.shape[1])[::-1])


def soft_sums(query, keys, planes, temperature, scaled=True):
    """Sums over tables of the softmax over all 2^P corners, [keys]."""
    tables, count, dim = planes.shape
    corners = 2 * (np.arange(1 << count)[:, None] >> np.arange(count)[::-1] & 1) - 1
    signal = np.tanh(planes @ query) / (np.sqrt(dim) if scaled else 1)
    logits = signal @ corners.T / temperature
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    codes = codes_of(keys, planes)
    return sum(probabilities[l, codes[:, l]] for l in range(tables))


def hard_sums(query, keys, planes):
    return (codes_of(keys, planes) == codes_of(query[None], planes)).sum(axis=1).astype(float)


def hamming_sums(query, keys, planes):
    same = (np.einsum("nd,lpd->nlp", keys, planes) >= 0) == (planes @ query >= 0)
    return same.sum(axis=(1, 2)).astype(float)


def selected_of(scores, mask, budget):
    keys = np.flatnonzero(mask)
    return keys[np.lexsort((keys, -scores[keys]))][:budget]


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


class Attend(OnArrays):
    def check(self, results, sums, budget, mask=None, score_softmax=False):
        """Compares every file with the formulas. `sums`: [queries, keys]."""
        scores, selected, output = results
        q, k, v = (x.astype(np.float64) for x in (self.q, self.k, self.v))
        norms = np.linalg.norm(v, axis=1)
        keys = len(k)
        mask = np.broadcast_to(True if mask is None else mask, (len(q), keys))
        self.assertEqual(selected.dtype, np.int64)
        self.assertEqual(selected.shape, (len(q), min(keys, budget)))
        self.assertEqual(output.shape, (len(q), v.shape[1]))
        for i in range(len(q)):
            expected = sums[i] * norms
            np.testing.assert_array_equal(np.isneginf(scores[i]), ~mask[i])
            np.testing.assert_allclose(scores[i][mask[i]], expected[mask[i]], rtol=SCORE_TOLERANCE, atol=0)
            chosen = selected_of(scores[i], mask[i], budget)
            np.testing.assert_array_equal(
                selected[i], np.pad(chosen, (0, selected.shape[1] - len(chosen)), constant_values=-1)
            )
            # The program's ties are NumPy's: the same set by the independent scores, up to their tolerance.
            ours = selected_of(expected, mask[i], budget)
            np.testing.assert_allclose(np.sort(expected[chosen]), np.sort(expected[ours]), rtol=2 * SCORE_TOLERANCE)
            self.check_query(i, q[i], k, v, sums[i], chosen, mask[i], output[i], score_softmax)

    def check_query(self, i, q, k, v, sums, chosen, mask, output, score_softmax):
        row = self.summary["per_query"][i]
        self.assertEqual((row["query"], row["selected"], row["allowed"]), (i, len(chosen), mask.sum()))
        logits = (k * q).sum(axis=1) / np.sqrt(len(q))  # by rows, so that equal keys have equal logits
        allowed = np.flatnonzero(mask)
        pruned = np.setdiff1d(allowed, chosen)
        if len(chosen) == 0:
            np.testing.assert_array_equal(output, 0)
            self.assertIsNone(row["absolute_error"])
            return
        dense = softmax(logits[allowed]) @ v[allowed]
        kept = softmax(logits[chosen]) @ v[chosen]
        expected = softmax(sums[chosen]) @ v[chosen] if score_softmax else kept
        # Weights are off by the rounding of a logit, gamma_dim |q||k|/sqrt(dim), a few operations and a sum of `keys`.
        gamma = 2.3e-16 * (np.abs(k) @ np.abs(q) / np.sqrt(len(q)) * len(q)).max() + 2.3e-16 * (2 * len(k) + 20)
        gamma += SCORE_TOLERANCE * np.abs(sums).max() if score_softmax else 0
        reach = gamma * np.abs(v).max()
        np.testing.assert_allclose(output, expected, rtol=0, atol=2 * reach)
        mass = np.exp(logits - logits[allowed].max())
        residual = mass[pruned].sum() / mass[allowed].sum()
        error = np.linalg.norm(expected - dense)
        wide = 4 * reach * np.sqrt(v.shape[1])
        self.assertLessEqual(abs(row["absolute_error"] - error), wide)
        self.assertLessEqual(abs(row["relative_error"] * np.linalg.norm(dense) - error), 2 * wide)
        self.assertLessEqual(abs(row["residual_weight"] - residual), 4 * gamma * residual)
        truth = allowed[np.lexsort((allowed, -logits[allowed]))][: len(chosen)]
        self.assertEqual(row["recall"], len(np.intersect1d(chosen, truth)) / len(chosen))
        if len(pruned):
            noise = softmax(logits[pruned]) @ v[pruned]
            self.assertLessEqual(abs(row["snr"] - (1 - residual) / residual), 8 * gamma * (1 / residual) ** 2)
            self.assertLessEqual(abs(row["context_divergence"] - np.linalg.norm(noise - kept)), 2 * wide)
        else:
            self.assertIsNone(row["snr"])
            self.assertIsNone(row["context_divergence"])

    def soft(self, temperature=0.5, scaled=True):
        q, k, w = (x.astype(np.float64) for x in (self.q, self.k, self.w))
        return np.array([soft_sums(x, k, w, temperature, scaled) for x in q])

    def test_scores_selection_and_output_in_every_type(self):
        for dtype in (np.float64, np.float32, np.float16):
            with self.subTest(dtype=dtype):
                self.draw(dtype=dtype)
                self.check(self.results("--budget", 20), self.soft(), 20)

    def test_sizes(self):
        for keys, dim, planes, tables in (
            (1, 1, 1, 1),
            (1, 8, 3, 2),
            (31, 1, 4, 3),
            (32, 5, 1, 60),
            (33, 7, 10, 1),
            (9000, 16, 8, 4),
            (40, 12, 16, 2),
        ):
            with self.subTest(keys=keys, dim=dim, planes=planes, tables=tables):
                self.draw(keys=keys, dim=dim, planes=planes, tables=tables, value_dim=3)
                self.check(self.results("--budget", 9), self.soft(), 9)

    def test_scaling_temperature_and_rankers(self):
        self.draw()
        self.check(self.results("--budget", 20, "--scaling", "none", "--temperature", 0.3), self.soft(0.3, False), 20)
        hard = np.array([hard_sums(x, self.k, self.w) for x in self.q])
        self.check(self.results("--budget", 20, "--ranker", "hard-lsh"), hard, 20)
        hamming = np.array([hamming_sums(x, self.k, self.w) for x in self.q])
        self.check(self.results("--budget", 20, "--ranker", "hamming"), hamming, 20)
        self.check(self.results("--budget", 20, "--temperature", 1e-12), hard, 20)
        self.check(self.results("--budget", 20, "--temperature", 1e12), np.full((3, 200), 7 / 64), 20)

    def test_output_rules(self):
        self.draw()
        self.check(self.results("--budget", 20, "--output-rule", "score-softmax"), self.soft(), 20, score_softmax=True)
        self.check(self.results("--budget", 20, "--output-rule", "exact-softmax"), self.soft(), 20)

    def test_masks(self):
        self.draw(keys=64)
        rng = np.random.default_rng(3)
        for mask in (rng.random(64) < 0.4, rng.random((3, 64)) < 0.4, np.arange(64) < [[0], [3], [64]]):
            self.save("mask", mask)
            self.check(self.results("--budget", 10, mask=True), self.soft(), 10, mask)
        self.assertNotIn("output", self.summary["per_query"][0])
        self.assertEqual(self.summary["per_query"][0]["selected"], 0)
        self.assertNotIn("nan", self.table.lower())

    def test_zero_queries_keys_and_values(self):
        self.draw(keys=40)
        self.q[0], self.k[5], self.k[6], self.v[7] = 0, 0, -0.0, 0
        self.save_all()
        results = self.results("--budget", 10)
        self.check(results, self.soft(), 10)
        np.testing.assert_allclose(results[0][0], 7 / 64 * np.linalg.norm(self.v, axis=1), rtol=SCORE_TOLERANCE)

    def test_single_precision(self):
        self.draw(dtype=np.float32, tables=60, planes=10, keys=1000)
        scores, selected, output = self.results("--budget", 50, "--precision", "f32")
        self.assertEqual((scores.dtype, output.dtype), (np.float32, np.float32))
        exact = self.soft() * np.linalg.norm(self.v.astype(np.float64), axis=1)
        # Half-tables, product, 60 sums, the norm and the last product: 65 roundings of 2^-24.
        np.testing.assert_allclose(scores, exact, rtol=1.01 * 65 * 2.0**-24)
        self.assertFalse(np.array_equal(scores, exact.astype(np.float32)))
        for i in range(3):
            np.testing.assert_array_equal(selected[i], selected_of(scores[i], np.full(1000, True), 50))

    def test_overflow_is_refused_and_leaves_no_file(self):
        for name in "qkv":
            with self.subTest(file=name):
                self.draw()
                setattr(self, name, np.copysign(1.7e308, getattr(self, name)))
                self.save_all()
                done = self.attend("--budget", 5)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("finite", done.stderr.splitlines()[-1])
                self.assertFalse(self.out.exists())

    def test_drawn_hyperplanes_and_threads(self):
        self.draw(keys=5000)
        options = ["--budget", 30, "--tables", 9, "--planes", 5]
        runs = {}
        for name, more in (
            ("seed 1", []),
            ("again", ["--threads", 1]),
            ("three", ["--threads", 3]),
            ("seed 2", ["--seed", 2]),
        ):
            self.results(*options, *more, hyperplanes=False)
            runs[name] = {f: (self.out / f).read_bytes() for f in os.listdir(self.out)}
        self.assertEqual(self.summary["tables"], 9)
        self.assertEqual(runs["again"], runs["seed 1"])
        self.assertEqual(runs["three"], runs["seed 1"])
        self.assertNotEqual(runs["seed 2"]["scores.npy"], runs["seed 1"]["scores.npy"])


if __name__ == "__main__":
    unittest.main()
