"""Does `socketlab attend --profile hub|hf|gpt-fast|gpt-fast-later` compute what those implementations do?

Run as attend_profile_test.py SOCKETLAB. The formulas are restated here in NumPy, table by table and key by key, with
every intermediate result rounded to the model's type. Scores agree to one rounding of the model's type in a probability
(the two exponentials may differ in their last bit); outputs as derived at their check.
"""

import json
import unittest

import numpy as np
from attend_tensors import F32, STEP, OnTensors, attention, rounded


def corners_of(planes):
    return 2.0 * (np.arange(1 << planes)[:, None] >> np.arange(planes)[::-1] & 1) - 1


def codes_of(keys, planes):
    return (np.einsum("nd,lpd->nlp", keys, planes) >= 0) @ (1 << np.arange(planes.shape[1])[::-1])


def probabilities(query, planes, corners, tau, kind):
    """[tables, buckets]; tau None: not divided."""

    def r(x):
        return rounded(x, kind)

    signal = r(r(np.tanh(r(planes @ query))) / max(np.sqrt(len(query)), 1e-6))
    logits = r(signal @ corners.T)
    if tau is not None:
        logits = r(logits / tau)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return r(weights / weights.sum(axis=1, keepdims=True))


def scores_of(query, keys, norms, planes, corners, tau, kind):
    p = probabilities(query, planes, corners, tau, kind).astype(np.float32)
    codes = codes_of(keys, planes)
    total = np.zeros(len(keys), dtype=np.float32)
    for l in range(len(planes)):
        total += p[l, codes[:, l]]
    return total * norms.astype(np.float32)


def best(scores, count):
    return np.lexsort((np.arange(len(scores)), -scores))[:count]


def union_of(scores, allowed, budget, sink, window):
    keys = np.arange(len(scores))
    scores = np.where(allowed, scores, -np.inf)
    joined = ((keys < sink) | (keys >= len(keys) - window)) & allowed
    picks = best(scores, budget)
    joined[picks[np.isfinite(scores[picks])]] = True
    return np.flatnonzero(joined)


def later_list_of(scores, length, budget, sink, window):
    keys, start = np.arange(length), max(min(sink, length), length - window)
    picks = best(scores[:length], budget)
    return np.concatenate([keys[:sink], keys[start:], picks[(picks >= sink) & (picks < start)]])


def list_of(scores, length, budget, sink, window):
    keys = np.arange(length)
    return np.concatenate([keys[:sink], keys[max(0, length - window) :], best(scores[:length], budget)])


class Profiles(OnTensors):
    def check_scores(self, ours, theirs, allowed=True):
        """A probability may be rounded the other way in one place; the sum of `tables` then has that step."""
        np.testing.assert_array_equal(np.isneginf(theirs), np.broadcast_to(np.logical_not(allowed), theirs.shape))
        step = STEP[self.kind] + (len(self.w) + 1) * F32
        np.testing.assert_allclose(np.where(allowed, theirs, 0), np.where(allowed, ours, 0), rtol=step)
        return np.mean(np.where(allowed, ours == theirs, True))

    def check_output(self, query, keys, values, selected, output):
        # Logits in single precision: F32 of their size in each weight; sums of as many terms as are selected, on both
        # sides, and their splits.
        logits = np.abs(keys[selected] @ query / np.sqrt(len(query))).max()
        reach = (2 * logits + 2 * len(selected) + 40) * F32 * np.abs(values[selected]).max()
        np.testing.assert_allclose(output, attention(query, keys, values, selected), rtol=0, atol=reach)

    # hub

    def test_hub(self):
        for kind, tau, budget in (("f32", 0.5, "0.1"), ("f32", 0.3, 40), ("bf16", 0.4, "0.07"), ("f16", 0.6, 25)):
            with self.subTest(kind=kind, tau=tau, budget=budget):
                self.draw(kind)
                scores, selected, output = self.results(
                    "--profile", "hub", "--temperature", tau, "--budget", budget, "--sink", 7, "--window", 5
                )
                count = int(float(budget) * 300) if isinstance(budget, str) else budget
                equal = []
                for h, i, q, k, v in self.heads():
                    norms = rounded(np.linalg.norm(v, axis=1), kind)
                    ours = scores_of(q, k, norms, rounded(self.w, kind), corners_of(6), tau, kind)
                    equal.append(self.check_scores(ours, scores[h, i]))
                    chosen = selected[h, i][selected[h, i] >= 0]
                    self.assertEqual(len(np.unique(chosen)), len(chosen))
                    if equal[-1] == 1:
                        np.testing.assert_array_equal(np.sort(chosen), union_of(ours, True, count, 7, 5))
                    np.testing.assert_array_equal(np.sort(chosen), union_of(scores[h, i], True, count, 7, 5))
                    self.check_output(q, k, v, chosen, output[h, i])
                self.assertGreater(np.mean(np.array(equal) == 1), 0.5)  # the two exponentials seldom differ

    def test_hub_defaults_and_mask(self):
        self.draw()
        allowed = np.random.default_rng(2).random((4, 3, 300)) < 0.5
        allowed[1, 2] = False
        for mask, meaning in (
            (("bool", allowed), ()),
            (("bool", ~allowed), ("--mask-true", "forbidden")),
            (("f32", np.where(allowed, 0, -np.inf)), ()),
            (("f16", np.where(allowed, 2, -1)), ()),
        ):
            self.save(mask=mask)
            scores, selected, output = self.results(
                "--profile", "hub", "--budget", 20, *meaning, files=("queries", "keys", "values", "hyperplanes", "mask")
            )
            self.assertEqual((self.summary["sink"], self.summary["window"]), (128, 128))
            for h, i, q, k, v in self.heads():
                ours = scores_of(
                    q, k, rounded(np.linalg.norm(v, axis=1), "f32"), rounded(self.w, "f32"), corners_of(6), 0.5, "f32"
                )
                self.check_scores(ours, scores[h, i], allowed[h, i])
                chosen = selected[h, i][selected[h, i] >= 0]
                np.testing.assert_array_equal(np.sort(chosen), union_of(scores[h, i], allowed[h, i], 20, 128, 128))
                if (h, i) != (1, 2):
                    self.check_output(q, k, v, chosen, output[h, i])
            self.assertTrue(np.isnan(output[1, 2]).all())  # 0/0
            row = self.summary["per_query"][5]
            self.assertEqual((row["absolute_error"], row["defects"]["empty_selection"]), (None, True))

    def test_hub_drops_a_score_that_is_not_finite(self):
        self.draw("f16", scale=1)
        self.v[:, 150] = 60000  # its norm of 240000 is infinite in half precision
        self.save()
        scores, selected, _ = self.results("--profile", "hub", "--budget", 10, "--sink", 0, "--window", 0)
        self.assertTrue(np.isposinf(scores[:, :, 150]).all())
        self.assertNotIn(150, selected)
        np.testing.assert_array_equal(selected[:, :, -1], -1)
        self.assertEqual(self.summary["per_query"][0]["defects"]["infinite_norms"], 1)
        _, selected, _ = self.results("--profile", "hf", "--budget", 10, "--sink", 0, "--window", 0)
        self.assertTrue((selected[:, :, 0] == 150).all())

    # hf and gpt-fast

    def test_lists_count_a_key_twice(self):
        for kind in ("f32", "bf16"):
            self.draw(kind)
            length = np.array([[300, 7, 0], [1, 290, 31], [300, 300, 300], [25, 60, 299]])
            self.save(mask=("bool", np.arange(300) < length[:, :, None]))
            scores, selected, output = self.results(
                "--profile", "hf", "--budget", 30, files=("queries", "keys", "values", "hyperplanes", "mask")
            )
            self.assertEqual((self.summary["temperature"], self.summary["sink"], self.summary["window"]), (0.3, 20, 20))
            for h, i, q, k, v in self.heads():
                n = length[h, i]
                norms = rounded(np.linalg.norm(v, axis=1).astype(np.float32), "f16")
                ours = scores_of(q, k, norms, rounded(self.w, kind), corners_of(6), 0.3, kind)
                self.check_scores(ours, scores[h, i], np.arange(300) < n)
                entries = list_of(scores[h, i], n, 30, 20, 20)
                np.testing.assert_array_equal(
                    selected[h, i], np.pad(entries, (0, 70 - len(entries)), constant_values=-1)
                )
                if n == 0:
                    self.assertTrue(np.isnan(output[h, i]).all())
                    continue
                self.check_output(q, k, v, entries, output[h, i])
                row = self.summary["per_query"][3 * h + i]
                self.assertEqual(row["selected"], len(np.unique(entries)))
                self.assertEqual(row["defects"]["listed_twice"], len(entries) - len(np.unique(entries)))

    def test_gpt_fast(self):
        self.draw("bf16", keys=900)
        scores, selected, output = self.results(
            "--profile", "gpt-fast", files=("queries", "keys", "values", "hyperplanes", "corners")
        )
        self.assertEqual(
            [self.summary[key] for key in ("budget", "sink", "window", "temperature")], [3600, 120, 120, 1]
        )
        kept = []
        for h, i, q, k, v in self.heads():
            norms = rounded(np.linalg.norm(v, axis=1).astype(np.float32), "f16")
            planes, corners = rounded(0.02 * self.w, "bf16"), rounded(0.02 * self.c, "bf16")
            ours = scores_of(q, k, norms, planes, corners, None, "bf16")
            self.check_scores(ours, scores[h, i])
            entries = list_of(scores[h, i], 900, 900, 120, 120)
            np.testing.assert_array_equal(selected[h, i], entries)
            self.check_output(q, k, v, entries, output[h, i])
            kept.append(np.corrcoef(scores[h, i], norms)[0, 1])
            # Every key is selected, and yet the output is not dense attention: 240 keys count twice.
            row = self.summary["per_query"][3 * h + i]
            self.assertEqual((row["selected"], row["defects"]["listed_twice"], row["residual_weight"]), (900, 240, 0))
            self.assertGreater(row["relative_error"], 1e-3)
        # Noise corners, small planes and no temperature leave the sums all but equal: a ranking by value norm.
        self.assertGreater(min(kept), 0.999)

    def test_gpt_fast_later(self):
        for kind, more, (budget, sink, window) in (
            ("bf16", (), (860, 120, 120)),
            ("f16", ("--budget", 40, "--sink", 7, "--window", 295), (40, 7, 295)),
            ("bf16", ("--budget", 40, "--sink", 7, "--window", 5), (40, 7, 5)),
        ):
            self.draw(kind)
            length = np.array([[300, 7, 0], [1, 290, 31], [300, 300, 300], [25, 60, 299]])
            self.save(mask=("bool", np.arange(300) < length[:, :, None]))
            files = ("queries", "keys", "values", "hyperplanes", "mask")
            scores, selected, output = self.results("--profile", "gpt-fast-later", *more, files=files)
            self.assertEqual(
                [self.summary[key] for key in ("budget", "sink", "window", "temperature")],
                [min(budget, 860), sink, window, 0.3],
            )
            for h, i, q, k, v in self.heads():
                n = length[h, i]
                norms = rounded(np.linalg.norm(v, axis=1).astype(np.float32), "f16")
                ours = scores_of(q, k, norms, rounded(self.w, kind), corners_of(6), 0.3, kind)
                # One step of the model's type in a probability, and one of half precision in the product.
                np.testing.assert_allclose(scores[h, i, :n], rounded(ours, "f16")[:n], rtol=STEP[kind] + 2**-10)
                np.testing.assert_array_equal(scores[h, i, :n], rounded(scores[h, i, :n], "f16"))
                entries = later_list_of(scores[h, i], n, budget, sink, window)
                chosen = selected[h, i][selected[h, i] >= 0]
                np.testing.assert_array_equal(chosen, entries)
                self.assertEqual(len(np.unique(entries)), len(entries))
                if n == 0:
                    np.testing.assert_array_equal(output[h, i], 0)
                else:
                    self.check_output(q, k, v, entries, output[h, i])

    def test_what_a_profile_cannot_take(self):
        self.draw()
        self.save(mask=("bool", np.arange(300) != 5))
        files = ("queries", "keys", "values", "hyperplanes", "mask")
        self.refused("--profile", "hf", "--budget", 9, about="forbids key 5 and allows key 6", files=files)
        self.w = np.ones((2, 16, 16))
        self.save()
        for profile in ("gpt-fast", "gpt-fast-later", "hf", "hub"):
            self.refused("--profile", profile, "--budget", 1, about="planes is 16")

    # Two profiles

    def test_comparison(self):
        self.draw("bf16", keys=500)
        options = ("--budget", 50, "--sink", 10, "--window", 10)
        alone = {}
        for profile in ("paper", "hub", "hf"):
            alone[profile] = self.results("--profile", profile, *options)
        self.results("--profile", "hub", "--compare", "hf", *options)
        for suffix, profile in (("", "hub"), ("-hf", "hf")):
            for ours, theirs in zip(self.load(suffix), alone[profile], strict=True):
                np.testing.assert_array_equal(ours, theirs)
        comparison = json.loads((self.out / "comparison.json").read_text())
        self.assertEqual((comparison["first"], comparison["second"]), ("hub", "hf"))
        apart = 0
        for row, (h, i, *_) in zip(comparison["per_query"], self.heads(), strict=True):
            first, second = (set(alone[p][1][h, i]) - {-1} for p in ("hub", "hf"))
            self.assertEqual(row["only_first"], sorted(first - second))
            self.assertEqual(row["only_second"], sorted(second - first))
            self.assertEqual(row["selected_by_both"], len(first & second))
            self.assertAlmostEqual(row["jaccard"], len(first & second) / len(first | second), delta=1e-15)
            distance = np.linalg.norm(alone["hub"][2][h, i].astype(float) - alone["hf"][2][h, i])
            # The files hold the outputs in single precision.
            self.assertAlmostEqual(row["output_distance"], distance, delta=8 * F32 * np.abs(alone["hub"][2]).max() * 4)
            apart += row["jaccard"] < 1
        self.assertGreater(apart, 0)  # hub has tau 0.5 here, hf always 0.3

    def test_the_paper_differs_only_in_rounding_from_hub_in_single_precision(self):
        self.draw("f32", keys=500)
        self.results("--compare", "hub", "--budget", 50, "--sink", 0, "--window", 0)
        rows = json.loads((self.out / "comparison.json").read_text())["per_query"]
        self.assertGreater(np.mean([row["jaccard"] for row in rows]), 0.99)
        self.results("--compare", "gpt-fast", "--budget", 50, "--sink", 0, "--window", 0)
        rows = json.loads((self.out / "comparison.json").read_text())["per_query"]
        self.assertLess(np.mean([row["jaccard"] for row in rows]), 0.8)


if __name__ == "__main__":
    unittest.main()
