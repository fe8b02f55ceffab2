"""socketlab certify against NumPy: what these tables make of a query, the bounds that follow from the values alone, and
the paper's; files of heads, masks and safetensors; what is refused.

Usage: certify_test.py SOCKETLAB
"""

import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

SOCKETLAB = sys.argv.pop() if len(sys.argv) > 1 else "socketlab"
PLANES, TABLES, TEMPERATURE, DELTA = 3, 20, 0.3, 0.05


class Problem:
    """Three queries, sixty keys, and hyperplanes of our own."""

    def __init__(self, folder):
        random = np.random.default_rng(3)
        self.q = random.standard_normal((3, 16))
        self.k = random.standard_normal((60, 16))
        self.v = random.standard_normal((60, 5))
        self.w = random.standard_normal((TABLES, PLANES, 16))
        self.folder = Path(folder)
        for name in "qkvw":
            np.save(self.folder / f"{name}.npy", getattr(self, name))

    def command(self, *more, out="out"):
        files = [
            f"--{option}={self.folder / name}.npy"
            for option, name in (("queries", "q"), ("keys", "k"), ("values", "v"), ("hyperplanes", "w"))
        ]
        shape = ["--temperature", str(TEMPERATURE), "--budget", "7", "--samples", "9", "--delta", str(DELTA)]
        return [SOCKETLAB, "certify", *files, *shape, "--force", "--out", str(self.folder / out), *more]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def soft_scores(w, k, q):
    """Every table's score, [tables, keys], as the softmax over the corners."""
    u = np.tanh(w @ q) / math.sqrt(q.size)
    bits = (np.einsum("lpd,nd->lpn", w, k) >= 0) * 2.0 - 1
    chosen = np.einsum("lp,lpn->ln", u, bits) / TEMPERATURE
    return np.exp(chosen - np.log(2 * np.cosh(u / TEMPERATURE)).sum(1)[:, None])


def population_weights(k, q):
    """E of one plane's agreement to the power of the planes, by a fine sum over the projection."""
    z = np.linspace(-9, 9, 180_001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    signal = np.tanh(np.tanh(np.linalg.norm(q) * np.abs(z)) / math.sqrt(q.size) / TEMPERATURE)
    cosine = k @ q / np.linalg.norm(k, axis=1) / np.linalg.norm(q)
    slope = cosine / np.sqrt(1 - cosine**2)
    erf = np.vectorize(math.erf)
    grid = np.linspace(0, 40, 40_001)
    table = erf(grid / math.sqrt(2))
    excess = [np.sum(density * signal * np.sign(c) * np.interp(np.abs(c * z), grid, table)) for c in slope]
    return ((1 + np.array(excess)) / 2) ** PLANES


class CertifyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.problem = Problem(self.folder.name)

    def certificate(self, *more):
        done = run(self.problem.command(*more))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.problem.folder / "out" / "certificate.json").read_text())

    def value(self, query, term, name):
        found = [n["value"] for n in query["numbers"] if n["term"] == term and n["name"] == name]
        self.assertTrue(found, f"{term}: {name}")
        return found[0]

    def test_measured_numbers_and_bounds_agree_with_numpy(self):
        p = self.problem
        for query in self.certificate()["queries"]:
            q = p.q[query["query"]]
            scores = soft_scores(p.w, p.k, q)
            weights = scores.sum(0) / scores.sum()
            output = weights @ p.v
            soft = population_weights(p.k, q)
            population = soft @ p.v / soft.sum()
            angle = np.arccos(p.k @ q / np.linalg.norm(p.k, axis=1) / np.linalg.norm(q))
            hard = (1 - angle / math.pi) ** PLANES
            angular = hard @ p.v / hard.sum()
            probability = softmax(p.k @ q / 4)
            dense = probability @ p.v
            norms = np.linalg.norm(p.v, axis=1)
            selected = np.argsort(-scores.sum(0) * norms, kind="stable")[:7]
            kept = softmax(p.k[selected] @ q / 4) @ p.v[selected]
            missed = 1 - probability[selected].sum()
            others = np.setdiff1d(np.arange(60), selected)

            def near(term, name, expected, places=6):
                self.assertAlmostEqual(self.value(query, term, name), expected, places)

            near("finite-tables", "this draw", np.linalg.norm(output - population))
            near("bias", "exact", np.linalg.norm(population - angular))
            near("tables-to-angular", "this draw", np.linalg.norm(output - angular))
            near("angular-to-dense", "exact", np.linalg.norm(angular - dense), 10)
            near("top-m", "this draw", np.linalg.norm(kept - dense), 10)
            near("missed-mass", "this draw", missed, 10)
            near("top-m", "Theorem 10(i)", missed * max(np.linalg.norm(p.v[others] - kept, axis=1)), 10)
            spread = (p.v - dense).T @ (probability[:, None] * (p.v - dense))
            near("top-m", "Theorem 10(ii)", math.sqrt(missed / (1 - missed) * np.linalg.norm(spread, 2)), 10)

            # Theorem 7(a): X = S1 v/|v| with probability a |v|/S1.
            s1 = weights @ norms
            second = s1 * (p.v / norms[:, None]).T @ (weights[:, None] * p.v)
            covariance = second - np.outer(output, output)
            mean = (s1**2 - output @ output) / 9
            variance = 2 * 8 * np.sum(covariance**2) / 9**3 + 4 * output @ covariance @ output / 9**3
            radius = math.sqrt(mean + math.sqrt((1 - DELTA) / DELTA * variance))
            near("sampling", "Theorem 7(a)", radius, 10)

            norm = np.linalg.norm(p.v, 2)
            near("sampling", "Lemma 10", norm * math.sqrt(8 * math.log(2 / DELTA) / 9), 9)
            # B: counted in the drawn tables, and no less than half of the keys or those on the side of their mean.
            codes = ((p.k @ p.w.reshape(-1, 16).T >= 0).reshape(60, TABLES, PLANES) * 2 ** np.arange(PLANES)).sum(2)
            drawn = max(np.bincount(codes[:, table]).max() for table in range(TABLES))
            directions = p.k / np.linalg.norm(p.k, axis=1)[:, None]
            self.assertEqual(query["occupancy_drawn_keys"], drawn)
            z, b = soft.sum(), query["occupancy_sure_keys"]
            self.assertGreaterEqual(b, max(30, drawn, (directions @ directions.sum(0) > 0).sum()))
            self.assertLessEqual(b, 60)
            constant = 4 * math.sqrt(2 * b) / z + math.sqrt(2) * b**1.5 / z**2
            bound = constant * norm * math.sqrt(math.log(4 / DELTA) / TABLES)
            self.assertAlmostEqual(self.value(query, "finite-tables", "Lemma 9, B that can hold surely") / bound, 1, 6)

    def test_a_mask_leaves_the_forbidden_keys_out(self):
        mask = np.ones(60, bool)
        mask[[0, 5, 59]] = False
        np.save(self.problem.folder / "m.npy", mask)
        masked = self.certificate("--mask", str(self.problem.folder / "m.npy"))
        for name in "kv":
            np.save(self.problem.folder / f"{name}.npy", getattr(self.problem, name)[mask])
        fewer = self.certificate()
        for one, other in zip(masked["queries"], fewer["queries"], strict=True):
            self.assertEqual(one["keys"], 57)
            self.assertEqual(one["numbers"], other["numbers"])

    def test_redraws_and_several_queries(self):
        queries = self.certificate("--redraws", "79", "--target-error", "0.5")["queries"]
        for query in queries:
            for term in ("finite-tables", "sampling", "total", "top-m", "missed-mass", "missed-top"):
                redrawn = [n for n in query["numbers"] if n["term"] == term and n["basis"] == "redrawn"]
                # 79 redraws reach delta/3 = 1/60.
                self.assertEqual([n["delta"] for n in redrawn], [DELTA, DELTA / 3])
                self.assertLessEqual(redrawn[0]["value"], redrawn[1]["value"])
            self.assertGreater(query["smallest_counts"]["tables_certified"], 0)

    def test_the_same_bytes_for_any_number_of_threads(self):
        texts = []
        for threads in ("1", "3"):
            self.certificate("--redraws", "19", "--fresh-tables", "8000", "--threads", threads)
            texts.append((self.problem.folder / "out" / "certificate.csv").read_bytes())
        self.assertEqual(texts[0], texts[1])

    def test_a_time_limit_gives_some_queries_with_the_same_bytes(self):
        self.certificate()
        rows = (self.problem.folder / "out" / "certificate.csv").read_text().splitlines()
        done = run(self.problem.command("--time-limit", "1e-6", out="some"))
        some = (self.problem.folder / "some" / "certificate.csv").read_text().splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(some, [rows[0], *[row for row in rows[1:] if row.startswith("0,")]])
        self.assertRegex(done.stdout, r"^1 of 3 queries in \d+ s; the others need about \d+ s: --time-limit \d+\n")
        told = r"^certify: 3 queries of 60 keys take about \d+ s; "
        self.assertRegex(done.stderr, told + r"as many as the --time-limit of \d+ s allows are certified\n")
        self.assertRegex(
            run(self.problem.command(out="all")).stderr, told + "--time-limit SECONDS certifies as many as fit\n"
        )

    def test_bad_input_is_refused_in_one_line_and_leaves_nothing(self):
        p = self.problem
        zero = p.k.copy()
        zero[4] = 0
        for wrong, name, array, words in (
            ("--redraws=18", "k", p.k, "19"),
            ("--planes=4", "k", p.k, "planes"),
            ("--seed=1", "k", zero, "key"),
            ("--seed=1", "v", 0 * p.v, "--values: of those that query 0 may see"),
            ("--seed=1", "v", np.where(p.v > 2, np.nan, p.v), "v.npy"),
        ):
            Problem(p.folder)
            np.save(p.folder / f"{name}.npy", array)
            done = run(p.command(wrong, out="refused"))
            self.assertEqual(done.returncode, 2, f"{wrong}: {done.stdout}{done.stderr}")
            self.assertIn(words, done.stderr)
            self.assertEqual(len([line for line in done.stderr.splitlines() if "certify:" not in line]), 1, done.stderr)
            self.assertFalse((p.folder / "refused").exists(), wrong)


if __name__ == "__main__":
    unittest.main()
