"""Does `socketlab attend --profile hub|hf|gpt-fast` compute what those implementations do, on heads and on tensors?

Run as attend_profile_test.py SOCKETLAB. The formulas are restated here in NumPy, table by table and key by key, with
every intermediate result rounded to the model's type. Scores agree to one rounding of the model's type in a probability
(the two exponentials may differ in their last bit); outputs as derived at their check.
"""
import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

SOCKETLAB = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
F32 = 2.0**-24  # half a unit in the last place of 1
STEP = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": F32}


def to_bf16(x):
    """Bits of the nearest bfloat16, ties to even; x finite."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def rounded(x, kind):
    if kind == "bf16":
        return (to_bf16(x).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float32).astype(np.float16 if kind == "f16" else np.float32).astype(np.float64)


def save_safetensors(path, tensors):
    """tensors: name -> (kind, array); the layout of the format's description."""
    dtypes = {"bf16": "BF16", "f16": "F16", "f32": "F32", "f64": "F64", "bool": "BOOL"}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (kind, array) in tensors.items():
        raw = to_bf16(array) if kind == "bf16" else np.asarray(array, dtype={
            "f16": "<f2", "f32": "<f4", "f64": "<f8", "bool": "?"}[kind])
        header[name] = {"dtype": dtypes[kind], "shape": list(raw.shape),
                        "data_offsets": [len(data), len(data) + raw.nbytes]}
        data += raw.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def corners_of(planes):
    return 2.0 * (np.arange(1 << planes)[:, None] >> np.arange(planes)[::-1] & 1) - 1


def codes_of(keys, planes):
    return ((np.einsum("nd,lpd->nlp", keys, planes) >= 0) @ (1 << np.arange(planes.shape[1])[::-1]))


def probabilities(query, planes, corners, tau, kind):
    """[tables, buckets]; tau None: not divided."""
    r = lambda x: rounded(x, kind)
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


def list_of(scores, length, budget, sink, window):
    keys = np.arange(length)
    return np.concatenate([keys[:sink], keys[max(0, length - window):], best(scores[:length], budget)])


def attention(query, keys, values, selected):
    logits = keys[selected] @ query / np.sqrt(len(query))
    weights = np.exp(logits - logits.max())
    return weights / weights.sum() @ values[selected]


class Profiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="attend profile ")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.out = self.path / "out"
        self.file = self.path / "qkv.safetensors"

    def draw(self, kind="f32", heads=4, key_heads=2, queries=3, keys=300, dim=16, tables=9, planes=6, seed=1, scale=1):
        rng = np.random.default_rng(seed)
        draw = lambda *shape: rounded(rng.standard_normal(shape), kind)
        self.kind = kind
        self.q, self.k, self.v = draw(heads, queries, dim), draw(key_heads, keys, dim), draw(key_heads, keys, dim) * scale
        self.w, self.c = rng.standard_normal((tables, planes, dim)), rng.standard_normal((1 << planes, planes))
        self.save()

    def save(self, **more):
        kinds = {"queries": (self.kind, self.q), "keys": (self.kind, self.k), "values": (self.kind, self.v),
                 "hyperplanes": ("f64", self.w), "corners": ("f64", self.c), **more}
        save_safetensors(self.file, kinds)

    def attend(self, *options, files=("queries", "keys", "values", "hyperplanes")):
        command = [SOCKETLAB, "attend", "--out", str(self.out)]
        for name in files:
            command += [f"--{name}", str(self.file)]
        return subprocess.run(command + [str(o) for o in options], capture_output=True, text=True, timeout=300)

    def results(self, *options, suffix="", **more):
        done = self.attend(*options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.load(suffix)

    def load(self, suffix=""):
        self.summary = json.loads((self.out / f"summary{suffix}.json").read_text())
        return [np.load(self.out / f"{name}{suffix}.npy") for name in ("scores", "selected", "output")]

    def refused(self, *options, about, **more):
        done = self.attend(*options, **more)
        self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (2, 1, ""), done.stderr)
        self.assertIn(about, done.stderr)
        self.assertFalse(self.out.exists())

    def heads(self):
        """(head, query, q, keys, values) of every query."""
        group = len(self.q) // len(self.k)
        for h in range(len(self.q)):
            for i in range(self.q.shape[1]):
                yield h, i, self.q[h, i], self.k[h // group], self.v[h // group]

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
                scores, selected, output = self.results("--profile", "hub", "--temperature", tau, "--budget", budget,
                                                        "--sink", 7, "--window", 5)
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
        for mask, meaning in ((("bool", allowed), ()), (("bool", ~allowed), ("--mask-true", "forbidden")),
                              (("f32", np.where(allowed, 0, -np.inf)), ()), (("f16", np.where(allowed, 2, -1)), ())):
            self.save(mask=mask)
            scores, selected, output = self.results("--profile", "hub", "--budget", 20, *meaning,
                                                    files=("queries", "keys", "values", "hyperplanes", "mask"))
            self.assertEqual((self.summary["sink"], self.summary["window"]), (128, 128))
            for h, i, q, k, v in self.heads():
                ours = scores_of(q, k, rounded(np.linalg.norm(v, axis=1), "f32"), rounded(self.w, "f32"), corners_of(6),
                                 0.5, "f32")
                self.check_scores(ours, scores[h, i], allowed[h, i])
                chosen = selected[h, i][selected[h, i] >= 0]
                np.testing.assert_array_equal(np.sort(chosen), union_of(scores[h, i], allowed[h, i], 20, 128, 128))
                if (h, i) != (1, 2):
                    self.check_output(q, k, v, chosen, output[h, i])
            self.assertTrue(np.isnan(output[1, 2]).all())  # 0/0
            row = self.summary["per_query"][5]
            self.assertEqual((row["output"], row["absolute_error"], row["defects"]["empty_selection"]), (None, None, True))

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
            scores, selected, output = self.results("--profile", "hf", "--budget", 30,
                                                    files=("queries", "keys", "values", "hyperplanes", "mask"))
            self.assertEqual((self.summary["temperature"], self.summary["sink"], self.summary["window"]), (0.3, 20, 20))
            for h, i, q, k, v in self.heads():
                n = length[h, i]
                norms = rounded(np.linalg.norm(v, axis=1).astype(np.float32), "f16")
                ours = scores_of(q, k, norms, rounded(self.w, kind), corners_of(6), 0.3, kind)
                self.check_scores(ours, scores[h, i], np.arange(300) < n)
                entries = list_of(scores[h, i], n, 30, 20, 20)
                np.testing.assert_array_equal(selected[h, i], np.pad(entries, (0, 70 - len(entries)), constant_values=-1))
                if n == 0:
                    self.assertTrue(np.isnan(output[h, i]).all())
                    continue
                self.check_output(q, k, v, entries, output[h, i])
                row = self.summary["per_query"][3 * h + i]
                self.assertEqual(row["selected"], len(np.unique(entries)))
                self.assertEqual(row["defects"]["listed_twice"], len(entries) - len(np.unique(entries)))

    def test_gpt_fast(self):
        self.draw("bf16", keys=900)
        scores, selected, output = self.results("--profile", "gpt-fast",
                                                files=("queries", "keys", "values", "hyperplanes", "corners"))
        self.assertEqual([self.summary[key] for key in ("budget", "sink", "window", "temperature")], [3600, 120, 120, 1])
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

    def test_masks_that_are_no_length(self):
        self.draw()
        files = ("queries", "keys", "values", "hyperplanes", "mask")
        self.save(mask=("bool", np.arange(300) != 5))
        self.refused("--profile", "hf", "--budget", 9, about="forbids key 5 and allows key 6", files=files)
        self.save(mask=("bool", np.arange(300) < np.array([300, 300, 20])[:, None] + np.zeros((4, 1, 1))))
        self.refused("--profile", "gpt-fast", about="one length for all", files=files)
        self.assertEqual(self.attend("--profile", "hf", "--budget", 9, files=files).returncode, 0)

    def test_options_that_a_profile_fixes(self):
        self.draw()
        self.refused("--profile", "hf", about="--budget")
        self.refused("--profile", "else", "--budget", 1, about="--profile else: allowed are gpt-fast, hf, hub, paper")
        self.refused("--compare", "paper", "--budget", 1, about="--compare")
        self.refused("--profile", "gpt-fast", "--temperature", 0.5, about="--temperature")
        self.refused("--profile", "hub", "--budget", 1, "--ranker", "hamming", about="--ranker")
        self.refused("--profile", "hub", "--budget", 1, about="--corners",
                     files=("queries", "keys", "values", "hyperplanes", "corners"))
        self.w = np.ones((2, 16, 16))
        self.save()
        for profile in ("gpt-fast", "hf", "hub"):
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
            for ours, theirs in zip(self.load(suffix), alone[profile]):
                np.testing.assert_array_equal(ours, theirs)
        comparison = json.loads((self.out / "comparison.json").read_text())
        self.assertEqual((comparison["first"], comparison["second"]), ("hub", "hf"))
        apart = 0
        for row, (h, i, *_) in zip(comparison["per_query"], self.heads()):
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

    # Heads and shapes

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
            for ours, theirs in zip(self.results("--budget", 20, "--sink", 3), whole):
                np.testing.assert_allclose(theirs[h], ours, rtol=0, atol=1e-13 * np.abs(np.where(np.isfinite(ours), ours, 0)).max())
            members = [r for r in rows if r["head"] == h]
            self.assertAlmostEqual(per_head[h]["residual_weight_mean"], np.mean([r["residual_weight"] for r in members]),
                                   delta=1e-15)
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
        for ours, theirs in zip(self.results("--budget", 20, "--sink", 3), whole):
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
        for ours, theirs in zip(self.results("--budget", 20), alone):
            np.testing.assert_array_equal(ours, theirs)

    def test_heads_that_do_not_fit(self):
        self.draw(heads=4, key_heads=3)
        self.refused("--budget", 5, about="multiples of the 3")
        self.draw()
        self.v = self.v[:1]
        self.save()
        self.refused("--budget", 5, about="the number of heads is 1")
        self.draw()
        for mask in (np.ones((2, 3, 300)), np.ones((4, 2, 300)), np.ones((4, 300)), np.ones((4, 3, 299))):
            self.save(mask=("bool", mask))
            self.refused("--budget", 5, about="qkv.safetensors:mask",
                         files=("queries", "keys", "values", "hyperplanes", "mask"))

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
                    top = np.argsort(-logits)[:int(density * 400) + sink]
                    dense = attention(self.q[h, i], self.k[0], self.v[0], np.arange(400))
                    errors.append(np.linalg.norm(attention(self.q[h, i], self.k[0], self.v[0], top) - dense) /
                                  np.linalg.norm(dense))
                    left.append(1 - np.exp(logits[top]).sum() / np.exp(logits).sum())
                row = rows[str(h), "true-top-k", density]
                self.assertAlmostEqual(float(row["relative_error_mean"]), np.mean(errors), delta=1e-12)
                self.assertAlmostEqual(float(row["residual_weight_mean"]), np.mean(left), delta=1e-12)
        for ranking in ("paper", "true-top-k"):
            both = [float(rows[str(h), ranking, 0.2]["relative_error_mean"]) for h in (0, 1)]
            self.assertAlmostEqual(float(rows["all", ranking, 0.2]["relative_error_mean"]), np.mean(both), delta=1e-14)

    def test_broken_safetensors(self):
        for change, about in ((lambda b: b[:-1], "truncated"), (lambda b: b + b"x", "more than its tensors"),
                              (lambda b: b[:5], "truncated within"), (lambda b: b"", "empty file"),
                              (lambda b: b"\xff" * 8 + b[8:], "not a .safetensors file"),
                              (lambda b: b[:8] + b"x" + b[9:], "broken .safetensors header"),
                              (lambda b: b.replace(b'"F32"', b'"U32"'), "type U32")):
            self.draw()
            self.file.write_bytes(change(self.file.read_bytes()))
            self.refused("--budget", 5, about=about)
        self.draw()
        self.k[1, 7, 3] = np.nan
        self.kind = "f32"
        self.save()
        self.refused("--budget", 5, about="qkv.safetensors:keys: element [1, 7, 3] is nan")

    # README.md, with stand-ins for the two packages that need not be installed

    def test_the_examples_of_the_readme(self):
        section = (ROOT / "README.md").read_text().split("## On your own q, K, V")[1].split("\n## ")[0]
        blocks = [[]]
        for line in section.splitlines():
            blocks[-1].append(line[4:]) if line.startswith("    ") else blocks.append([])
        blocks = ["\n".join(block) for block in blocks if block]
        kinds = ["bash" if block.startswith("build/") else "python" for block in blocks]
        self.assertEqual(kinds, ["python", "bash"] * 2)

        rng = np.random.default_rng(1)
        torch = types.ModuleType("torch")
        torch.bfloat16 = "bf16"
        torch.Generator = lambda: types.SimpleNamespace(manual_seed=lambda seed: None)
        torch.randn = lambda *shape, generator, dtype: rng.standard_normal(shape)
        package, writer = types.ModuleType("safetensors"), types.ModuleType("safetensors.torch")
        writer.save_file = lambda tensors, path: save_safetensors(
            pathlib.Path(path), {name: ("bf16", array) for name, array in tensors.items()})
        stand_ins = {"torch": torch, "safetensors": package, "safetensors.torch": writer}
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.path)
        for block, kind in zip(blocks, kinds):
            if kind == "python":
                with unittest.mock.patch.dict(sys.modules, stand_ins):
                    exec(block, {})
                continue
            words = block.split()
            done = subprocess.run([str(pathlib.Path(before, SOCKETLAB)), *words[1:]], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "layer.safetensors" in words:
                self.assertEqual(np.load("mine/output.npy").shape, (32, 4, 128))
        self.assertTrue(pathlib.Path("mine/comparison.json").exists())
        done = subprocess.run([sys.executable, "-B", ROOT / "plots" / "attend_curves.py", "mine"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in ("png", "svg"):
            self.assertGreater(os.path.getsize(f"mine/attend_curves.{kind}"), 10000)


if __name__ == "__main__":
    unittest.main()
