"""Are the numbers of `socketlab choose` those of a plain NumPy computation, on arrays like a model's?

Run as choose_test.py SOCKETLAB.
"""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOCKETLAB = sys.argv.pop(1)
HEADS, KEY_HEADS, QUERIES, KEYS, DIM = 9, 3, 8, 8192, 64
SINK, WINDOW, BUDGET = 16, 128, 410
PLANES, TABLES, TAU = 8, 60, 0.5


def arrays_like_a_models(rng):
    """Anisotropic keys with a common part, a sink with a large norm and a short value, queries that share a direction."""
    keys = rng.normal(size=(KEY_HEADS, KEYS, DIM)) * np.exp(rng.normal(size=(KEY_HEADS, 1, DIM)))
    keys += 3 * rng.normal(size=(KEY_HEADS, 1, DIM))
    keys[:, 0] = 4 * rng.normal(size=(KEY_HEADS, DIM))
    values = rng.normal(size=(KEY_HEADS, KEYS, DIM)) * np.exp(0.3 * rng.normal(size=(KEY_HEADS, KEYS, 1)))
    values[:, 0] *= 0.05
    queries = rng.normal(size=(HEADS, QUERIES, DIM)) + np.repeat(rng.normal(size=(KEY_HEADS, 1, DIM)), 3, axis=0)
    return queries, keys, values, rng.normal(size=(TABLES, PLANES, DIM))


def scores_of(name, q, keys, values, planes):
    projected, signs = np.einsum("lpd,d->lp", planes, q), np.einsum("lpd,nd->nlp", planes, keys) >= 0
    corner = np.where(signs, 1.0, -1.0)
    u = np.tanh(projected) / math.sqrt(DIM) / TAU
    soft = np.exp(np.einsum("nlp,lp->nl", corner, u) - np.log(2 * np.cosh(u)).sum(axis=1)).sum(axis=1)
    equal = signs == (projected >= 0)
    pages = keys.reshape(-1, 4, DIM)
    bound = np.maximum(q * pages.max(axis=1), q * pages.min(axis=1)).sum(axis=1)
    return {
        "socket": lambda: soft,
        "socket-value": lambda: soft * np.linalg.norm(values, axis=1),
        "hard-lsh": lambda: equal.all(axis=2).sum(axis=1).astype(float),
        "hamming": lambda: equal.sum(axis=(1, 2)).astype(float),
        "quest": lambda: np.repeat(bound, 4),
        "quest-value": lambda: np.repeat(bound, 4) / math.sqrt(DIM) + np.log(np.linalg.norm(values, axis=1)),
        "oracle-top-k": lambda: keys @ q,
        "own": lambda: -np.abs(keys @ q),
    }[name]()


def kept(scores, q, keys, values):
    always = np.r_[:SINK, KEYS - WINDOW : KEYS]
    rest = np.setdiff1d(np.arange(KEYS), always)
    chosen = np.r_[always, rest[np.argsort(-scores[rest], kind="stable")[:BUDGET]]]
    logits = keys @ q / math.sqrt(DIM)
    weights = np.exp(logits - logits.max())
    dense, output = weights @ values / weights.sum(), weights[chosen] @ values[chosen] / weights[chosen].sum()
    best = np.argsort(-logits, kind="stable")[: len(chosen)]
    return {
        "mass": weights[chosen].sum() / weights.sum(),
        "recall": np.isin(chosen, best).mean(),
        "relative_error": np.linalg.norm(output - dense) / np.linalg.norm(dense),
    }


RULES = ["socket", "socket-value", "hard-lsh", "hamming", "quest", "quest-value", "oracle-top-k", "own"]


class Choose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        cls.arrays = arrays_like_a_models(np.random.default_rng(7))
        queries, keys, values, planes = cls.arrays
        own = np.stack(
            [[scores_of("own", q, keys[h // 3], values[h // 3], planes) for q in queries[h]] for h in range(HEADS)]
        )
        for name, array in (("q", queries), ("k", keys), ("v", values), ("w", planes), ("own", own)):
            np.save(folder / f"{name}.npy", array)
        command = [SOCKETLAB, "choose", "--queries", folder / "q.npy", "--keys", folder / "k.npy"]
        command += ["--values", folder / "v.npy", "--hyperplanes", folder / "w.npy", "--scores", folder / "own.npy"]
        command += ["--sink", SINK, "--window", WINDOW, "--budgets", BUDGET, "--rankers", ",".join(RULES)]
        command += ["--threads", 2, "--out", folder / "out"]
        cls.done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        cls.out = folder / "out"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def table(self, name):
        with open(self.out / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_every_query_has_numpys_numbers(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        queries, keys, values, planes = self.arrays
        rows = {(row["ranker"], int(row["query"])): row for row in self.table("choose_queries.csv")}
        self.assertEqual(len(rows), len(RULES) * HEADS * QUERIES)
        for i in range(0, HEADS * QUERIES, 5):
            head, q = i // QUERIES, queries[i // QUERIES, i % QUERIES]
            k, v = keys[head // 3], values[head // 3]
            for rule in RULES:
                expected = kept(scores_of(rule, q, k, v, planes), q, k, v)
                for name, number in expected.items():
                    # Sums of 8,192 terms; a pair of scores that rounding turns would move one key of 554.
                    self.assertAlmostEqual(float(rows[rule, i][name]), number, delta=1e-9, msg=f"{rule}, query {i}")

    def test_the_means_and_the_conclusion_follow_from_the_queries(self):
        errors = {rule: [] for rule in RULES}
        for row in self.table("choose_queries.csv"):
            errors[row["ranker"]].append(float(row["relative_error"]))
        for row in self.table("choose.csv"):
            if row["metric"] == "relative_error":
                self.assertAlmostEqual(float(row["mean"]), np.mean(errors[row["ranker"]]), delta=1e-12)
                self.assertAlmostEqual(float(row["quantile_90"]), np.quantile(errors[row["ranker"]], 0.9), delta=1e-12)
        best = min((rule for rule in RULES if rule != "oracle-top-k"), key=lambda rule: np.mean(errors[rule]))
        self.assertIn(f"{best} loses least", self.done.stdout)


if __name__ == "__main__":
    unittest.main()
