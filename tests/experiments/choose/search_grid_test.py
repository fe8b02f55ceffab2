"""Is the setting that `choose --search` names as good as the best of a grid that NumPy goes through, at other draws?

For each of four kinds of arrays NumPy measures every setting of the grid at every number of keys, at two draws of the
hyperplanes. The setting with the least error at the first draw, among those that read no more bits than the named one, is
compared with the named one at the second draw: the error of the named one is at most a tenth larger. The planted fault is
to name the default P, L and tau at these bits.

Run as search_grid_test.py SOCKETLAB.
"""

import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

SOCKETLAB = sys.argv.pop(1)
KEPT_HEADS = Path(__file__).parents[3] / "experiments/families/learned_heads.safetensors"
PLANES, TABLES, TAUS = (4, 6, 8, 10, 12), (5, 10, 20, 30, 40, 60, 80, 120), (0.06, 0.25, 0.5, 1, 2)
KEYS, DIM, QUERIES, DRAWS = 2048, 64, 8, 2
SINK, WINDOW = 16, 64


def kept_heads():
    """The last keys of the first two heads, and queries that see all of them."""
    raw = KEPT_HEADS.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    arrays = {}
    for name in "qkv":
        of = json.loads(raw[8:start])[name]
        bits = np.frombuffer(raw, np.uint16, math.prod(of["shape"]), start + of["data_offsets"][0])
        arrays[name] = (bits.reshape(of["shape"]).astype(np.uint32) << 16).view(np.float32).astype(float)
    group = len(arrays["q"]) // len(arrays["k"])
    keys, values = (arrays[name][:2, -KEYS:] for name in "kv")
    return np.stack([arrays["q"][head * group, -QUERIES:] for head in range(2)]), keys, values


def gaussian(rng):
    return 3 * rng.normal(size=(2, QUERIES, DIM)), rng.normal(size=(2, KEYS, DIM)), rng.normal(size=(2, KEYS, DIM))


def anisotropic(rng):
    """A common part, coordinates of unequal spread, a sink with a large norm and a short value."""
    keys = rng.normal(size=(2, KEYS, DIM)) * np.exp(rng.normal(size=(2, 1, DIM))) + 3 * rng.normal(size=(2, 1, DIM))
    keys[:, 0] = 4 * rng.normal(size=(2, DIM))
    values = rng.normal(size=(2, KEYS, DIM)) * np.exp(0.3 * rng.normal(size=(2, KEYS, 1)))
    values[:, 0] *= 0.05
    return rng.normal(size=(2, QUERIES, DIM)) + rng.normal(size=(2, 1, DIM)), keys, values


def clustered(rng):
    centres = 2 * rng.normal(size=(2, 32, DIM))
    of_key = rng.integers(32, size=(2, KEYS))
    keys, values = (
        rng.normal(size=(2, KEYS, DIM)) + np.take_along_axis(c, of_key[..., None], 1) for c in (centres, centres)
    )
    return centres[:, :QUERIES] + rng.normal(size=(2, QUERIES, DIM)), keys, values


def budgets():
    tried = [1]
    while tried[-1] < KEYS:
        tried.append(min(KEYS, max(tried[-1] + 1, tried[-1] * 11 // 10)))
    return np.array(tried)


def errors_at_budgets(scores, weights, values, dense):
    """Relative error of attention over sink, window and the best of the rest, for each budget."""
    always = np.r_[:SINK, KEYS - WINDOW : KEYS]
    rest = np.setdiff1d(np.arange(KEYS), always)
    order = rest[np.argsort(-scores[rest], kind="stable")]
    ends = np.minimum(budgets(), len(order)) - 1
    sums = np.cumsum(weights[order, None] * values[order], axis=0)[ends] + weights[always] @ values[always]
    totals = np.cumsum(weights[order])[ends] + weights[always].sum()
    return np.linalg.norm(sums / totals[:, None] - dense, axis=1) / np.linalg.norm(dense)


def whole_grid(queries, keys, values, rng):
    """Mean error over queries, [draws, planes, temperatures, tables, rules, budgets]."""
    sums = np.zeros((DRAWS, len(PLANES), len(TAUS), len(TABLES), 2, len(budgets())))
    for k, v, of_head in zip(keys, values, queries, strict=True):
        norms = np.linalg.norm(v, axis=1)
        for (p, planes), draw in itertools.product(enumerate(PLANES), range(DRAWS)):
            hyperplanes = rng.normal(size=(TABLES[-1], planes, k.shape[1]))
            bits = np.einsum("lpd,nd->lpn", hyperplanes, k) >= 0
            codes = np.einsum("lpn,p->ln", bits, 2 ** np.arange(planes))
            corners = np.where(np.arange(2**planes)[:, None] >> np.arange(planes) & 1, 1.0, -1.0)
            for q in of_head:
                logits = k @ q / math.sqrt(len(q))
                weights = np.exp(logits - logits.max())
                dense = weights @ v / weights.sum()
                for t, tau in enumerate(TAUS):
                    u = np.tanh(hyperplanes @ q) / math.sqrt(len(q)) / tau
                    of_bucket = np.exp(u @ corners.T - np.log(2 * np.cosh(u)).sum(axis=1, keepdims=True))
                    scores = np.cumsum(np.take_along_axis(of_bucket, codes, axis=1), axis=0)
                    for l, tables in enumerate(TABLES):
                        for r, of_rule in enumerate((scores[tables - 1], scores[tables - 1] * norms)):
                            sums[draw, p, t, l, r] += errors_at_budgets(of_rule, weights, v, dense)
    return sums / (queries.shape[0] * queries.shape[1])


def bits_read(dim):
    """Of a setting, a key: its code, the value's norm, and 16 bits a coordinate of each selected key and value."""
    code = np.array(PLANES)[:, None, None, None, None] * np.array(TABLES)[:, None, None]
    selected = np.minimum(KEYS, budgets() + SINK + WINDOW) / KEYS
    return np.repeat(code + np.array([0, 16])[:, None] + selected * 16 * 2 * dim, len(TAUS), axis=1)


class SearchGrid(unittest.TestCase):
    def named(self, queries, keys, values, target):
        with tempfile.TemporaryDirectory() as folder:
            command = [SOCKETLAB, "choose", "--search", f"--target-error={target}", f"--sink={SINK}"]
            command += [f"--window={WINDOW}", f"--out={folder}/out"]
            for name, array in (("queries", queries), ("keys", keys), ("values", values)):
                np.save(Path(folder, f"{name}.npy"), array)
                command.append(f"--{name}={folder}/{name}.npy")
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = re.search(
            r"(\S+) with P = (\d+), L = (\d+), tau = (\S+) reads least at 8 other draws.* to (\d+) keys beside",
            done.stdout,
        )
        rule, planes, tables, tau, most = words.groups()
        return (
            PLANES.index(int(planes)), TAUS.index(float(tau)), TABLES.index(int(tables)),
            int(rule == "socket-value"), list(budgets()).index(int(most)),
        )  # fmt: skip

    def check(self, queries, keys, values, target):
        choosing, errors = whole_grid(queries, keys, values, np.random.default_rng(11))
        cost = bits_read(keys.shape[-1])
        named = self.named(queries, keys, values, target)
        best = errors.reshape(-1)[np.where(cost <= cost[named], choosing, np.inf).argmin()]
        default = PLANES.index(10), TAUS.index(0.5), TABLES.index(60), 0
        at_default = errors[default][cost[default] <= cost[named]].min(initial=1)
        self.assertLessEqual(errors[named], target)
        self.assertLessEqual(errors[named], 1.1 * best)
        self.assertGreater(at_default, 1.1 * best)

    def test_kept_heads(self):
        self.check(*kept_heads(), 0.2)

    def test_gaussian(self):
        self.check(*gaussian(np.random.default_rng(1)), 0.3)

    def test_anisotropic(self):
        self.check(*anisotropic(np.random.default_rng(2)), 0.3)

    def test_clustered(self):
        self.check(*clustered(np.random.default_rng(3)), 0.2)


if __name__ == "__main__":
    unittest.main()
