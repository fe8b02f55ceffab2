"""How wide are the limits of the residual weight, how often are they exceeded, and what does a certified list read?

Usage: residual.py HEADS   (the file of the family `learned`; Python with the package socketlab)

residual.csv: by kind of head or family, setting and number of samples. The list is the 256 best keys by signed projections
beside 4 sinks and a window of 32. Ratios are those of a limit to what it limits, over the queries.
residual_growth.csv: of the learned heads, keys read by a list that grows until it is certified, beside the fewest keys that
hold as much (of an oracle).
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import socketlab
from runs import arguments, write_table

FOLDER = Path(__file__).parent
COLUMNS = [
    "of",
    "range",
    "bits",
    "sampling",
    "samples",
    "delta",
    "draws",
    "residual_median",
    "limit_median",
    "limit_p90",
    "nominal_median",
    "nominal_p90",
    "above_limit",
    "above_nominal",
    "error_limit_median",
    "above_error_limit",
    "corrected_over_uncorrected_mse",
]
GROWTH = [
    "of",
    "target",
    "bits",
    "samples",
    "delta",
    "queries",
    "keys",
    "selected",
    "read",
    "oracle",
    "read_over_oracle",
    "dense_share",
    "above_target",
]
FAMILIES = ["gaussian", "needle", "clustered", "anisotropic", "rotary-low-rank", "attention-sink", "sink-mean"]
SIGNS = {"error_range": "signs", "error_bits": 512, "error_sampling": "weighted"}
SETTINGS = [SIGNS, SIGNS | {"error_bits": 1024}, SIGNS | {"error_sampling": "uniform"}, {"error_range": "norms"}]
SAMPLES = [64, 128, 256, 512, 1024]
LIST = {"sink": 4, "window": 32, "ranker": "signed-orthogonal-norm"}


def learned(path):
    """(kind of each query head, arrays in float32), read from bf16."""
    data = Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8 : 8 + size])
    arrays = {}
    for name in "qkv":
        begin, end = (8 + size + at for at in head[name]["data_offsets"])
        bits = np.frombuffer(data[begin:end], np.uint16).astype(np.uint32) << 16
        arrays[name] = bits.view(np.float32).reshape(head[name]["shape"])
    kinds = [one["kind"] for group in json.loads(head["__metadata__"]["heads"]) for one in group["heads"]]
    return kinds, arrays


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
        cells = [
            np.median(c["residual"]),
            np.median(ratio),
            np.quantile(ratio, 0.9),
            np.median(nominal),
            np.quantile(nominal, 0.9),
            int((c["residual"] > c["limit"] * slack).sum()),
            int((c["residual"] > c["nominal"] * slack).sum()),
            np.median(c["error_limit"] / c["error"]),
            int((c["error"] > c["error_limit"] * slack).sum()),
            (c["corrected"] ** 2).sum() / (c["error"] ** 2).sum(),
        ]
        return [
            of,
            setting["error_range"],
            setting.get("error_bits", 0),
            setting.get("error_sampling", "weighted"),
            samples,
            delta,
            len(ratio),
            *(x if isinstance(x, int) else f"{x:.5g}" for x in cells),
        ]


def widths_of_heads(kinds, arrays, setting, samples, delta, seeds):
    of_kind = {kind: Numbers() for kind in kinds}
    for seed in range(1, seeds + 1):
        got = socketlab.attend(
            *arrays.values(), causal=True, budget=256, **LIST, error_samples=samples, delta=delta, seed=seed, **setting
        )
        for kind, numbers in of_kind.items():
            numbers.add(got, [i for i, k in enumerate(kinds) if k == kind])
    return [numbers.row(kind, setting, samples, delta) for kind, numbers in of_kind.items()]


def widths_of_family(family, setting, samples, delta, trials):
    numbers = Numbers()
    for trial in range(trials):
        one = socketlab.instance(family, seed=1, trial=trial, keys=4096, dim=128, value_dim=16)
        got = socketlab.attend(
            one.query[None],
            one.keys,
            one.values,
            budget=256,
            **LIST,
            error_samples=samples,
            delta=delta,
            seed=trial + 1,
            **setting,
        )
        numbers.add(got, [0])
    return numbers.row(family, setting, samples, delta)


def oracle_keys(arrays, mass):
    """The fewest keys with so much of the softmax mass, [heads, queries]."""
    q, k = arrays["q"].astype(float), arrays["k"].astype(float)
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
    got = socketlab.attend(
        *arrays.values(),
        causal=True,
        budget=32,
        **LIST,
        error_samples=samples,
        delta=delta,
        target_residual=target,
        **SIGNS | {"error_bits": bits},
    )
    fewest = oracle_keys(arrays, 1 - target)
    for kind in dict.fromkeys(kinds):
        rows = [i for i, k in enumerate(kinds) if k == kind]
        count, read = got.count[rows], got.count[rows] + got.sampled.read[rows]
        yield [
            kind,
            target,
            bits,
            samples,
            delta,
            count.size,
            got.scores.shape[-1],
            *(
                f"{x:.5g}"
                for x in (
                    count.mean(),
                    read.mean(),
                    fewest[rows].mean(),
                    read.mean() / fewest[rows].mean(),
                    (count == got.allowed[rows]).mean(),
                )
            ),
            int((got.residual_weight[rows] > target * (1 + 1e-9)).sum()),
        ]


def main(path):
    kinds, arrays = learned(path)
    rows = []
    for setting in SETTINGS:
        for samples in SAMPLES if setting is SIGNS else [256]:
            rows += widths_of_heads(
                kinds, arrays, setting, samples, 0.05, 16 if (setting, samples) == (SIGNS, 256) else 1
            )
            rows += [widths_of_family(family, setting, samples, 0.05, 12) for family in FAMILIES]
            print(setting, samples, file=sys.stderr)
    rows += widths_of_heads(kinds, arrays, SIGNS, 256, 0.01, 16)
    write_table(FOLDER / "residual.csv", COLUMNS, rows)
    write_table(
        FOLDER / "residual_growth.csv",
        GROWTH,
        [
            row
            for target in (0.05, 0.2)
            for bits, samples in ((512, 64), (512, 256), (2048, 64))
            for row in growth(kinds, arrays, target, bits, samples, 0.05)
        ],
    )


if __name__ == "__main__":
    main(*arguments(__doc__, 1))
