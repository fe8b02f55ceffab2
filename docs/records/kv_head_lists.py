"""What does one list for a KV head keep, beside lists of the query heads' own? Writes kv_head_lists.csv.

Usage: kv_head_lists.py [LENGTH..]   (of 8192 32768 145408, and 4096 for the kept heads; all by default)

Needs the package socketlab, PyTorch and safetensors.

Drawn keys are those of gpu/bench/frontier.py, d = 128, with four query heads to a KV head: `gaussian`, logits of
deviation 1; `sharp`, queries three times as long; `needles`, for each query 16 keys of cosine 0.9 to it; `clustered`, keys
around 256 centres and queries three times as long. `learned` are the heads that come with the program, three to a KV head,
with all 64 queries. Every number is of `socketlab choose`, in double: the means over queries of the softmax mass kept, of
the least mass of a head among those that share a list, and the median of the output error. Rows of a length replace those
that the file has.
"""

import sys
from pathlib import Path

import numpy as np
import safetensors.torch
import socketlab
from runs import read_table, write_table

DIM, GROUP, WINDOW = 128, 4, 128
DRAWS = {8192: 4, 32768: 2, 145408: 1}
FAMILIES = ("gaussian", "sharp", "needles", "clustered")
KEPT = Path(__file__).parents[2] / "experiments/families/learned_heads.safetensors"
ONE = {"lists": "kv-head"}
SIGNED = "signed-orthogonal-norm"
# What the record calls a way to choose keys, its ranker and its options.
WAYS = (
    ("separate", "socket", {}),
    ("separate", SIGNED, {"bits": 320}),
    ("separate", "oracle-top-k", {}),
    *(("sum, all keys", SIGNED, ONE | {"bits": bits}) for bits in (160, 320, 608)),
    ("sum, sampled tiles", SIGNED, ONE | {"bits": 320, "normaliser": "sampled-tiles"}),
    ("sum, tile logs", SIGNED, ONE | {"bits": 320, "normaliser": "tile-logs"}),
    ("largest share", "socket", ONE | {"group": "largest"}),
    ("largest", "socket", ONE | {"group": "largest", "normaliser": "none"}),
    ("sum, all keys", "oracle-top-k", ONE),
)
COLUMNS = ("keys_of", "keys", "list", "ranker", "bits", "budget", "queries", "mass", "least_mass", "output_error")


def instance(family, keys, draw):
    """q [heads, 1, dim], k and v [1, keys, dim] of one KV head."""
    random = np.random.default_rng([FAMILIES.index(family), keys, draw])
    q = random.standard_normal((GROUP, 1, DIM), np.float32) * (3 if family in ("sharp", "clustered") else 1)
    k, v = random.standard_normal((2, 1, keys, DIM), np.float32)
    if family == "clustered":
        centres = random.standard_normal((256, DIM), np.float32)
        k = np.float32(0.75**0.5) * centres[random.integers(256, size=(1, keys))] + np.float32(0.5) * k
    if family == "needles":
        at = random.permutation(keys)[: 16 * GROUP]
        k[0, at] = 0.9 * q[:, 0].repeat(16, 0) + np.float32(0.19**0.5) * k[0, at]
    return q, k, v


def rows_of(keys_of, keys, heads, at_each, runs, **options):
    """A row for each way and budget, one key in 33 and three times as many: means over all queries of the runs, whose arrays
    are q, k, v; a list's least mass over the heads that share it. at_each: queries of a head in one run."""
    budgets = [keys // 33, 3 * (keys // 33)]
    for name, ranker, own in WAYS:
        asked = {"rankers": [ranker], "budgets": budgets, "window": WINDOW, "threads": 1} | options | own
        tables = [socketlab.choose(*arrays, **asked, seed=1 + draw).queries for draw, arrays in enumerate(runs)]
        budget, mass, error = (
            np.concatenate([table[column] for table in tables]) for column in ("budget", "mass", "relative_error")
        )
        for count in budgets:
            there = budget == count
            least = mass[there].reshape(-1, heads, at_each).min(axis=1).mean()
            numbers = mass[there].mean(), least, np.median(error[there])
            cells = keys_of, keys, name, ranker, own.get("bits", ""), count, there.sum()
            yield [str(cell) for cell in cells] + [f"{number:.6g}" for number in numbers]


def measured(keys):
    if keys == 4096:
        heads = safetensors.torch.load_file(KEPT)
        yield from rows_of("learned", keys, 3, 64, [[heads[name] for name in "qkv"]], causal=True, sink=16)
        return
    for family in FAMILIES:
        runs = [instance(family, keys, draw) for draw in range(DRAWS[keys])]
        yield from rows_of(family, keys, GROUP, 1, runs, sink=128)


def main(*lengths):
    out = Path(__file__).with_name("kv_head_lists.csv")
    for keys in [int(length) for length in lengths] or [4096, *DRAWS]:
        kept = [row for row in read_table(out) if int(row["keys"]) != keys] if out.exists() else []
        rows = [[row[name] for name in COLUMNS] for row in kept] + list(measured(keys))
        write_table(out, COLUMNS, sorted(rows, key=lambda row: int(row[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
