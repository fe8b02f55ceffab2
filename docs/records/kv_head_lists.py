"""What does one list for a KV head keep, beside lists of the query heads' own? Writes kv_head_lists.csv.

Usage: kv_head_lists.py SOCKETLAB [LENGTH..]   (of 8192 32768 145408, and 4096 for the kept heads; all by default)

Drawn keys are those of gpu/bench/frontier.py, d = 128, with four query heads to a KV head: `gaussian`, logits of
deviation 1; `sharp`, queries three times as long; `needles`, for each query 16 keys of cosine 0.9 to it; `clustered`, keys
around 256 centres and queries three times as long. `learned` are the heads that come with the program, three to a KV head,
with all 64 queries. Every number is of `socketlab choose`, in double: the means over queries of the softmax mass kept, of
the least mass of a head among those that share a list, and the median of the output error. Rows of a length replace those
that the file has.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from runs import read_table, write_table

DIM, GROUP, WINDOW = 128, 4, 128
DRAWS = {8192: 4, 32768: 2, 145408: 1}
FAMILIES = ("gaussian", "sharp", "needles", "clustered")
KEPT = Path(__file__).parents[2] / "experiments/families/learned_heads.safetensors"
ONE = ("--lists", "kv-head")
SIGNED = "signed-orthogonal-norm"
# What the record calls a way to choose keys, its ranker and its options.
WAYS = (
    ("separate", "socket", ()),
    ("separate", SIGNED, ("--bits", "320")),
    ("separate", "oracle-top-k", ()),
    *(("sum, all keys", SIGNED, (*ONE, "--bits", bits)) for bits in ("160", "320", "608")),
    ("sum, sampled tiles", SIGNED, (*ONE, "--bits", "320", "--normaliser", "sampled-tiles")),
    ("sum, tile logs", SIGNED, (*ONE, "--bits", "320", "--normaliser", "tile-logs")),
    ("largest share", "socket", (*ONE, "--group", "largest")),
    ("largest", "socket", (*ONE, "--group", "largest", "--normaliser", "none")),
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


def chosen(socketlab, arrays, keys, draw, way, folder):
    """Rows of choose_queries.csv for a list of one key in 33 and for three times as many."""
    _, ranker, options = way
    budgets = f"{keys // 33},{3 * (keys // 33)}"
    command = [socketlab, "choose", *arrays, "--rankers", ranker, "--budgets", budgets, "--seed", 1 + draw]
    command += ["--window", WINDOW, "--threads", 1, "--force", "--out", folder / "out", *options]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    with open(folder / "out/choose_queries.csv", newline="") as file:
        return list(csv.DictReader(file))


def rows_of(keys_of, keys, way, rows, heads, at_each):
    """Means over all queries; a list's least mass over the heads that share it. at_each: queries of a head in one run."""
    name, ranker, options = way
    for budget in sorted({int(row["budget"]) for row in rows}):
        own = [row for row in rows if int(row["budget"]) == budget]
        mass = np.array([float(row["mass"]) for row in own])
        least = mass.reshape(-1, heads, at_each).min(axis=1).mean()
        error = np.median([float(row["relative_error"]) for row in own])
        bits = options[options.index("--bits") + 1] if "--bits" in options else ""
        yield keys_of, keys, name, ranker, bits, budget, len(own), f"{mass.mean():.6g}", f"{least:.6g}", f"{error:.6g}"


def measured(socketlab, keys, folder):
    if keys == 4096:
        arrays = ["--queries", f"{KEPT}:q", "--keys", f"{KEPT}:k", "--values", f"{KEPT}:v", "--causal", "--sink", 16]
        for way in WAYS:
            yield from rows_of("learned", keys, way, chosen(socketlab, arrays, keys, 0, way, folder), 3, 64)
        return
    for family in FAMILIES:
        found = {way: [] for way in WAYS}
        for draw in range(DRAWS[keys]):
            arrays = ["--sink", 128]
            for name, array in zip(("queries", "keys", "values"), instance(family, keys, draw), strict=True):
                np.save(folder / f"{name}.npy", array)
                arrays += [f"--{name}", folder / f"{name}.npy"]
            for way in WAYS:
                found[way] += chosen(socketlab, arrays, keys, draw, way, folder)
        for way in WAYS:
            yield from rows_of(family, keys, way, found[way], GROUP, 1)


def main(socketlab, *lengths):
    out = Path(__file__).with_name("kv_head_lists.csv")
    for keys in [int(length) for length in lengths] or [4096, *DRAWS]:
        with tempfile.TemporaryDirectory() as folder:
            new = list(measured(socketlab, keys, Path(folder)))
        kept = [row for row in read_table(out) if int(row["keys"]) != keys] if out.exists() else []
        rows = [[row[name] for name in COLUMNS] for row in kept] + [[str(cell) for cell in row] for row in new]
        write_table(out, COLUMNS, sorted(rows, key=lambda row: int(row[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
