"""How wide are the limits of the residual weight, how often are they exceeded, and what does a certified list read?

Usage: residual.py HEADS   (the file of the family `learned`; Python with the package socketlab, PyTorch and safetensors)

residual.csv: by kind of head or family, setting and number of samples. The list is the 256 best keys by signed projections
beside 4 sinks and a window of 32. Ratios are those of a limit to what it limits, over the queries.
residual_coverage.csv: by family how many of 2,000 draws of 64 keys, each of an instance of 1,024 keys and hyperplanes of its own,
put the residual weight above its limit.
residual_growth.csv: of the learned heads, keys read by a list that grows until it is certified, beside the fewest keys that
hold as much (of an oracle).
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import safetensors
import socketlab
from runs import arguments, write_table

FOLDER = Path(__file__).parent
FAMILIES = ["gaussian", "needle", "clustered", "anisotropic", "rotary-low-rank", "attention-sink", "sink-mean"]
SIGNS = {"error_range": "signs", "error_bits": 512, "error_sampling": "weighted"}
SETTINGS = [SIGNS, SIGNS | {"error_bits": 1024}, SIGNS | {"error_sampling": "uniform"}, {"error_range": "norms"}]
SAMPLES = [64, 128, 256, 512, 1024]
LIST = {"sink": 4, "window": 32, "ranker": "signed-orthogonal-norm"}


def learned(path):
    """(kind of each query head, arrays in bf16)"""
    with safetensors.safe_open(path, "pt") as file:
        kinds = [one["kind"] for group in json.loads(file.metadata()["heads"]) for one in group["heads"]]
        return kinds, {name: file.get_tensor(name) for name in "qkv"}


class Numbers:
    """What the queries of one row of residual.csv add."""

    def __init__(self):
        self.columns = {}

    def add(self, attended, rows):
        s = attended.sampled
        for name, numbers in {
            "residual": attended.residual_weight,
            "limit": s.residual_weight_limit,
            "nominal": s.residual_weight_nominal_limit,
            "error": attended.absolute_error,
            "error_limit": s.error_limit,
            "corrected": s.corrected_error,
        }.items():
            self.columns.setdefault(name, []).extend(np.asarray(numbers)[rows].ravel().tolist())

    def row(self, of, setting, samples, delta):
        c = {name: np.array(numbers) for name, numbers in self.columns.items()}
        ratio, nominal = c["limit"] / c["residual"], c["nominal"] / c["residual"]
        slack = 1 + 1e-9
        return {
            "of": of,
            "range": setting["error_range"],
            "bits": setting.get("error_bits", 0),
            "sampling": setting.get("error_sampling", "weighted"),
            "samples": samples,
            "delta": delta,
            "draws": len(ratio),
            "residual_median": np.median(c["residual"]),
            "limit_median": np.median(ratio),
            "limit_p90": np.quantile(ratio, 0.9),
            "nominal_median": np.median(nominal),
            "nominal_p90": np.quantile(nominal, 0.9),
            "above_limit": (c["residual"] > c["limit"] * slack).sum(),
            "above_nominal": (c["residual"] > c["nominal"] * slack).sum(),
            "error_limit_median": np.median(c["error_limit"] / c["error"]),
            "above_error_limit": (c["error"] > c["error_limit"] * slack).sum(),
            "corrected_over_uncorrected_mse": (c["corrected"] ** 2).sum() / (c["error"] ** 2).sum(),
        }


def widths_of_heads(kinds, arrays, setting, samples, delta, seeds):
    of_kind = {kind: Numbers() for kind in kinds}
    for seed in range(1, seeds + 1):
        got = socketlab.attend(
            *arrays.values(), causal=True, budget=256, **LIST, error_samples=samples, delta=delta, seed=seed, **setting
        )
        for kind, numbers in of_kind.items():
            numbers.add(got, [i for i, k in enumerate(kinds) if k == kind])
    return [numbers.row(kind, setting, samples, delta) for kind, numbers in of_kind.items()]


def widths_of_family(family, setting, samples, delta, trials, keys=4096):
    numbers = Numbers()
    for trial in range(trials):
        one = socketlab.instance(family, seed=1, trial=trial, keys=keys, dim=128, value_dim=16)
        asked = LIST | setting | {"budget": keys // 16, "error_samples": samples, "delta": delta, "seed": trial + 1}
        numbers.add(socketlab.attend(one.query[None], one.keys, one.values, **asked), [0])
    return numbers.row(family, setting, samples, delta)


def coverage(of):
    family, delta = of
    numbers = widths_of_family(family, SIGNS, 64, delta, 2000, keys=1024)
    return {
        name: numbers[name] for name in ("of", "delta", "draws", "above_limit", "above_nominal", "above_error_limit")
    }


def oracle_keys(arrays, mass):
    """The fewest keys with so much of the softmax mass, [heads, queries]."""
    q, k = (arrays[name].double().numpy() for name in "qk")
    heads, queries, dim = q.shape
    fewest = np.zeros((heads, queries), int)
    for h in range(heads):
        logits = q[h] @ k[h * len(k) // heads].T / np.sqrt(dim)
        for i in range(queries):
            x = np.sort(logits[i, : k.shape[1] - queries + 1 + i])[::-1]
            weights = np.exp(x - x[0])
            fewest[h, i] = np.searchsorted(np.cumsum(weights) / weights.sum(), mass) + 1
    return fewest


def growth(kinds, arrays, target, bits, samples, delta):
    asked = LIST | SIGNS | {"error_bits": bits, "error_samples": samples, "delta": delta, "target_residual": target}
    got = socketlab.attend(*arrays.values(), causal=True, budget=32, **asked)
    fewest = oracle_keys(arrays, 1 - target)
    for kind in dict.fromkeys(kinds):
        rows = [i for i, k in enumerate(kinds) if k == kind]
        count, read, oracle = got.count[rows], got.count[rows] + got.sampled.read[rows], fewest[rows].mean()
        yield {
            "of": kind,
            "target": target,
            "bits": bits,
            "samples": samples,
            "delta": delta,
            "queries": count.size,
            "keys": got.scores.shape[-1],
            "selected": count.mean(),
            "read": read.mean(),
            "oracle": oracle,
            "read_over_oracle": read.mean() / oracle,
            "dense_share": (count == got.allowed[rows]).mean(),
            "above_target": (got.residual_weight[rows] > target * (1 + 1e-9)).sum(),
        }


def write(name, rows):
    cells = ([f"{x:.5g}" if isinstance(x, np.floating) else x for x in row.values()] for row in rows)
    write_table(FOLDER / name, list(rows[0]), cells)


def main(path):
    kinds, arrays = learned(path)
    rows = []
    for setting in SETTINGS:
        for samples in SAMPLES if setting is SIGNS else [256]:
            seeds = 16 if (setting, samples) == (SIGNS, 256) else 1
            rows += widths_of_heads(kinds, arrays, setting, samples, 0.05, seeds)
            rows += [widths_of_family(family, setting, samples, 0.05, 12) for family in FAMILIES]
            print(setting, samples, file=sys.stderr)
    rows += widths_of_heads(kinds, arrays, SIGNS, 256, 0.01, 16)
    write("residual.csv", rows)
    with ProcessPoolExecutor() as pool:
        write(
            "residual_coverage.csv", list(pool.map(coverage, [(f, delta) for f in FAMILIES for delta in (0.05, 0.01)]))
        )
    lists = [(target, *sample) for target in (0.05, 0.2) for sample in ((512, 64), (512, 256), (2048, 64))]
    write("residual_growth.csv", [row for one in lists for row in growth(kinds, arrays, *one, 0.05)])


if __name__ == "__main__":
    main(*arguments(__doc__, 1))
