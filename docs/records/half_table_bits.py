"""What do half-tables of four query heads in 8 bits lose? Makes docs/records/half_table_bits.csv.

Usage: half_table_bits.py OUT.csv [KV_HEADS]

Needs NumPy alone. KV_HEADS is 2, 4, 8 or 16; 8 of each family take three minutes on one core. The seed is fixed.

Keys, queries and values are drawn as in gpu/bench/frontier.py: 32,768 keys, d = 128, four query heads to a KV head.
L = 60 tables of P = 10 planes; scores times the fp16 norm of the value; a list of 1 key in 33, without first and last
keys. The exact ranking sums half-tables in double precision.

A row is one measure. `mean` is over KV heads, each the mean of its four query heads; `half_width` is half of the 95%
interval of that mean by Student's t; `worst` is the largest of a head, or the smallest of recall and mass. Measures:
recall of the exact ranking's list, recall of the keys of the largest logits and softmax mass of the list, both also
as what the exact ranking has more; keys that tie with the last of the list, with norms and of sums alone; the largest
error of a sum over its bound in docs/experiments/gpu_half_table_bits.md, and over the sum itself.

Rows of the family `searched` are the worst of all codes of 2,000 random tables, each alone (tables = 1) and repeated
(60). Above 1 the bound is refuted; above 1/2 half of it is, the planted lie.

Wrong if fp16 sums were rounded otherwise than by the kernel, or if a variant saw other codes than the exact ranking.
"""

import itertools
import math
from collections import defaultdict

import numpy as np
from runs import arguments, write_table

KEYS, DIM, TABLES, PLANES, GROUP = 32768, 128, 60, 10, 4
HALF = PLANES // 2
BUDGET = KEYS // 33
SCALE = 1 / math.sqrt(DIM)
TEMPERATURES = (0.5, 0.3)
SHARPNESS, NEEDLES, COSINE, CLUSTERS, SPREAD = 3, 16, 0.9, 256, 0.5
FAMILIES = ("gaussian", "sharp", "needles", "clustered")
ENTRIES = ("fp16", "u8", "u8 own scales", "u8, fp16 sums", "e4m3")
COLUMNS = ("family", "temperature", "tables", "entries", "measure", "mean", "half_width", "worst")
STUDENT = {2: 12.706, 4: 3.182, 8: 2.365, 16: 2.131}  # 97.5% quantile for that many KV heads
U8_STEP = 1 / 255 + 1 / (4 * 255**2)
E4M3_SHARE = (1 + 2**-4) ** 2 - 1


def drawn(family, random):
    """Queries [group, dim], keys and values [keys, dim] of a KV head."""
    queries = random.standard_normal((GROUP, DIM)) * (SHARPNESS if family in ("sharp", "clustered") else 1)
    keys = random.standard_normal((KEYS, DIM))
    if family == "clustered":
        centres = random.standard_normal((CLUSTERS, DIM))[random.integers(CLUSTERS, size=KEYS)]
        keys = math.sqrt(1 - SPREAD**2) * centres + SPREAD * keys
    if family == "needles":
        at = random.permutation(KEYS)[: GROUP * NEEDLES]
        keys[at] = COSINE * queries.repeat(NEEDLES, 0) + math.sqrt(1 - COSINE**2) * keys[at]
    return queries, keys, random.standard_normal((KEYS, DIM))


def half_tables(logits):
    """[.., planes] of one half -> [.., 2^planes]; the first plane is the highest bit."""
    entries = np.ones((*logits.shape[:-1], 1))
    for plane in range(logits.shape[-1]):
        x = logits[..., plane, None, None]
        pair = np.concatenate([1 / (1 + np.exp(x)), 1 / (1 + np.exp(-x))], -1)
        entries = (entries[..., None] * pair).reshape(*logits.shape[:-1], -1)
    return entries


def half(x):
    return x.astype(np.float16).astype(np.float64)


def e4m3(x):
    """Nearest numbers of E4M3, ties to even, of numbers from 0 to 448."""
    _, exponent = np.frexp(np.maximum(x, 2.0**-6))
    step = np.exp2(exponent - 4.0)
    return np.rint(x / step) * step


def summed(high, low, fp16):
    """Sums over tables of [tables, keys] twice; in fp16 four tables at a time, these in fp32."""
    if not fp16:
        return np.einsum("tk,tk->k", high, low)
    total = np.zeros(high.shape[1], np.float32)
    for first in range(0, len(high), 4):
        chain = np.zeros(high.shape[1])
        for table in range(first, min(first + 4, len(high))):
            chain = half(high[table] * low[table] + chain)
        total += chain.astype(np.float32)
    return total


def stored(entries, high, low):
    """How `entries` keeps the half-tables [tables, 32] twice, and what a sum of products is to be multiplied by."""
    a, b = high.max(-1, keepdims=True), low.max(-1, keepdims=True)
    if entries == "fp16":
        return half(64 * high), half(64 * low), 2.0**-12
    if entries == "e4m3":
        share = np.sqrt(a * b / (a * b).max())
        return e4m3(448 * share * high / a) / 64, e4m3(448 * share * low / b) / 64, (a * b).max() * (64 / 448) ** 2
    if entries == "u8 own scales":
        return np.rint(255 * high / a) * (a * b), np.rint(255 * low / b), 255.0**-2
    if entries.startswith("u8"):
        share = np.sqrt(a * b / (a * b).max())
        x, y = np.rint(255 * share * high / a), np.rint(255 * share * low / b)
        scale = (a * b).max() / 255**2
        return (x / 2, y / 2, 4 * scale) if entries.endswith("fp16 sums") else (x, y, scale)
    return high, low, 1.0


def in_half(entries):
    """Whether products are added in fp16."""
    return "fp16" in entries or entries == "e4m3"


def bound(entries, temperature, exact, tables):
    """Of the error of a sum over tables."""
    c = 2 * SCALE / temperature
    largest = tables * (1 / (1 + math.exp(-c))) ** PLANES
    roundings = 1.01 * 2.0**-11 * exact
    return {
        "fp16": 6 * roundings + tables * 132 * 2.0**-37,
        "u8": largest * U8_STEP,
        "u8 own scales": largest * U8_STEP,
        "u8, fp16 sums": largest * U8_STEP + 4 * roundings * (1 + largest * U8_STEP / exact),
        "e4m3": E4M3_SHARE * exact + 3 * roundings * (1 + E4M3_SHARE),
    }[entries]


def best(scores):
    """The list: ties to the lower index."""
    return np.argsort(-scores, kind="stable")[:BUDGET]


def ties(scores):
    return int((scores == np.partition(scores, -BUDGET)[-BUDGET]).sum())


def shared(one, other):
    return len(np.intersect1d(one, other)) / BUDGET


def measured(query, keys, planes, codes, norms, temperature):
    """(entries, measure, number) of a query head; codes are [2, tables, keys]."""
    logits = SCALE * (keys @ query)
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    x = (2 * SCALE / temperature * np.tanh(planes @ query)).reshape(TABLES, 2, HALF)
    halves, row = (half_tables(x[:, 0]), half_tables(x[:, 1])), np.arange(TABLES)[:, None]
    true = best(logits)
    for entries in ("exact", *ENTRIES):
        high, low, scale = stored(entries, *halves)
        sums = scale * summed(high[row, codes[0]], low[row, codes[1]], in_half(entries)).astype(np.float64)
        if entries == "exact":
            exact, scores = sums, sums * norms.astype(np.float64)
            wanted = best(scores)
        else:
            scores = norms.astype(np.float32) * sums.astype(np.float32)
            error = np.abs(sums - exact)
            yield entries, "error over bound", (error / bound(entries, temperature, exact, TABLES)).max()
            yield entries, "error over exact sum", (error / exact).max()
        mine = best(scores)
        recall, mass = shared(mine, true), weights[mine].sum()
        yield entries, "recall of exact ranking", shared(mine, wanted)
        yield entries, "recall of true logits", recall
        yield entries, "recall of true logits lost", shared(wanted, true) - recall
        yield entries, "softmax mass", mass
        yield entries, "softmax mass lost", weights[wanted].sum() - mass
        yield entries, "ties at the edge", ties(scores)
        yield entries, "ties at the edge, sums alone", ties(sums)


def measure_group(family, random, found):
    """Adds to found[family, temperature, entries, measure] a list of one KV head's four numbers."""
    queries, keys, values = drawn(family, random)
    norms = np.linalg.norm(values, axis=1).astype(np.float16)
    planes = random.standard_normal((TABLES * PLANES, DIM))
    bits = (keys.astype(np.float32) @ planes.astype(np.float32).T >= 0).reshape(KEYS, TABLES, 2, HALF)
    codes = (bits @ (1 << np.arange(HALF)[::-1])).transpose(2, 1, 0)
    for temperature in TEMPERATURES:
        heads = [measured(query, keys, planes, codes, norms, temperature) for query in queries]
        for four in zip(*heads, strict=True):
            found[family, temperature, *four[0][:2]].append([number for *_, number in four])


def searched(random, temperature, entries, tables):
    """The largest error over the bound among 2,000 random tables, each repeated `tables` times."""
    c = 2 * SCALE / temperature
    worst = 0.0
    for _ in range(2000):
        x = c * np.tanh(math.sqrt(DIM) * random.standard_normal((2, HALF)))
        high, low = half_tables(x)
        exact = np.outer(high, low).ravel()
        a, b, scale = stored(entries, high[None], low[None])
        a, b = a[0].repeat(1 << HALF), np.tile(b[0], 1 << HALF)
        sums = scale * summed(np.tile(a, (tables, 1)), np.tile(b, (tables, 1)), in_half(entries)).astype(np.float64)
        error = np.abs(sums - tables * exact)
        worst = max(worst, (error / bound(entries, temperature, tables * exact, tables)).max())
    return worst


def main(out, kv_heads=8):
    kv_heads, found = int(kv_heads), defaultdict(list)
    for place, family in enumerate(FAMILIES):
        for head in range(kv_heads):
            measure_group(family, np.random.default_rng([2026, place, head]), found)
    rows = []
    for (family, temperature, entries, measure), groups in found.items():
        means = np.mean(groups, 1)
        half_width = STUDENT[kv_heads] * means.std(ddof=1) / math.sqrt(kv_heads)
        least = measure in ("softmax mass", "recall of exact ranking", "recall of true logits")
        worst = np.min(groups) if least else np.max(groups)
        numbers = [f"{round(float(x), 9) + 0.0:.4g}" for x in (means.mean(), half_width, worst)]
        rows.append([family, temperature, TABLES, entries, measure, *numbers])
    for temperature, entries, tables in itertools.product(TEMPERATURES, ENTRIES, (1, TABLES)):
        worst = searched(np.random.default_rng(7), temperature, entries, tables)
        rows.append(["searched", temperature, tables, entries, "error over bound", "", "", f"{worst:.4g}"])
    write_table(out, COLUMNS, rows)


if __name__ == "__main__":
    main(*arguments(__doc__, 1, 2))
