"""Does `socketlab attend` treat heads, batches and densities of a .safetensors file as one run for each would?

Run as attend_heads_test.py SOCKETLAB.
"""

import csv
import unittest

import numpy as np
from attend_tensors import OnTensors, attention


class Heads(OnTensors):
    def test_heads_are_what_each_head_gives_alone(self):
        self.draw(heads=6, key_heads=3)
        whole = self.results("--budget", 20, "--sink", 3)
        per_head = self.summary["per_head"]
        rows = self.summary["per_query"]
        self.assertEqual([r["head"] for r in rows], np.repeat(np.arange(6), 3).tolist())
        q, k, v = self.q, self.k, self.v
        for h in range(6):
            self.q, self.k, self.v = q[h], k[h // 2], v[h // 2]
            self.save()
            for ours, theirs in zip(self.results("--budget", 20, "--sink", 3), whole, strict=True):
                np.testing.assert_allclose(
                    theirs[h], ours, rtol=0, atol=1e-13 * np.abs(np.where(np.isfinite(ours), ours, 0)).max()
                )
            members = [r for r in rows if r["head"] == h]
            self.assertAlmostEqual(
                per_head[h]["residual_weight_mean"], np.mean([r["residual_weight"] for r in members]), delta=1e-15
            )
            self.assertEqual(per_head[h]["snr_median"], sorted(r["snr"] for r in members)[1])
            self.assertEqual(per_head[h]["recall_failure_mean"], np.mean([r["recall_failure"] for r in members]))
            for i, r in enumerate(members):
                best_key = np.argmax(k[h // 2] @ q[h, i])
                self.assertEqual(r["recall_failure"], float(best_key not in whole[1][h, i]))
                # The error is the residual weight times the divergence, and rho the odds of what is kept; all are
                # sums of 300 terms, so that 1e-12 is some thirty times their rounding.
                self.assertAlmostEqual(r["absolute_error"], r["residual_weight"] * r["context_divergence"], delta=1e-12)
                self.assertAlmostEqual(r["residual_weight"] * (1 + r["snr"]), 1, delta=1e-12)
        self.q, self.k, self.v = q[:, 0], k, v
        self.save()
        for ours, theirs in zip(self.results("--budget", 20, "--sink", 3), whole, strict=True):
            np.testing.assert_allclose(theirs[:, 0], ours, rtol=0, atol=1e-13 * np.abs(ours).max())

    def test_a_batch_of_one_is_its_element_and_a_larger_one_is_refused(self):
        self.draw(heads=4, key_heads=2)
        q, k, v = self.q, self.k, self.v
        self.q, self.k, self.v = (np.stack([x, x]) for x in (q, k, v))
        self.save()
        self.refused("--budget", 20, about="[2, 4, 3, 16]")
        self.q, self.k, self.v = q, k, v
        self.save()
        alone = self.results("--budget", 20)
        self.q, self.k, self.v = q[None], k[None], v[None]
        self.save()
        for ours, theirs in zip(self.results("--budget", 20), alone, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_error_against_density(self):
        self.draw(heads=2, key_heads=1, queries=2, keys=400)
        sink = 4
        self.results("--budget", "0.1", "--sink", sink)
        with open(self.out / "attend_curves.csv", newline="") as file:
            rows = {(r["head"], r["ranking"], float(r["density"])): r for r in csv.DictReader(file)}
        for h in (0, 1):
            members = [r for r in self.summary["per_query"] if r["head"] == h]
            row = rows[str(h), "paper", 0.1]
            self.assertEqual((row["queries"], float(row["keys_mean"])), ("2", 44))
            for name in ("relative_error", "residual_weight"):  # the run's own density, by its other route
                self.assertAlmostEqual(float(row[f"{name}_mean"]), np.mean([r[name] for r in members]), delta=1e-12)
            for density in (0.01, 0.2, 0.5):
                errors, left = [], []
                for i in range(2):
                    logits = self.k[0] @ self.q[h, i] / 4
                    top = np.argsort(-logits)[: int(density * 400) + sink]
                    dense = attention(self.q[h, i], self.k[0], self.v[0], np.arange(400))
                    errors.append(
                        np.linalg.norm(attention(self.q[h, i], self.k[0], self.v[0], top) - dense)
                        / np.linalg.norm(dense)
                    )
                    left.append(1 - np.exp(logits[top]).sum() / np.exp(logits).sum())
                row = rows[str(h), "true-top-k", density]
                self.assertAlmostEqual(float(row["relative_error_mean"]), np.mean(errors), delta=1e-12)
                self.assertAlmostEqual(float(row["residual_weight_mean"]), np.mean(left), delta=1e-12)
        for ranking in ("paper", "true-top-k"):
            both = [float(rows[str(h), ranking, 0.2]["relative_error_mean"]) for h in (0, 1)]
            self.assertAlmostEqual(float(rows["all", ranking, 0.2]["relative_error_mean"]), np.mean(both), delta=1e-14)


if __name__ == "__main__":
    unittest.main()
