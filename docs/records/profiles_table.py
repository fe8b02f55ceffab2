"""How far apart are the published profiles? Makes docs/records/profiles.csv.

Usage: profiles_table.py   (Python with the package socketlab and PyTorch; about a minute)

A row to a profile: means over the queries of recall and of the softmax mass left out, the Jaccard index of its selection
and that of the paper's profile at tau = 0.5 and 0.3, and of the keys of gpt-fast the share that are those of largest value
norm; an empty cell was not measured. Gaussian queries, keys and values in bf16, seed 1 of them, of hyperplanes and corners.
"""

from pathlib import Path

import numpy as np
import socketlab
import torch
from runs import arguments, write_table

HEADS, KEY_HEADS, KEYS, DIM = 8, 2, 32768, 128
# Profile, its temperature, whether that is an option, and the temperatures of the paper's profile that it is compared with.
ROWS = (
    ("paper", 0.5, True, ()),
    ("hub", 0.5, True, (0.5,)),
    ("hf", 0.3, False, (0.5, 0.3)),
    ("gpt-fast", 1, False, (0.5,)),
    ("gpt-fast-later", 0.3, False, (0.5, 0.3)),
)
COLUMNS = (
    "profile", "temperature", "recall", "residual_weight", "jaccard_paper_05", "jaccard_paper_03", "largest_norms"
)  # fmt: skip


def attend(arrays, profile, **options):
    sizes = {"budget": 0.1, "sink": 0, "window": 0, "tables": 60, "planes": 10}
    return socketlab.attend(*arrays, profile=profile, **sizes, **options)


def jaccard(one, other):
    both = [np.isin(a, b).sum() for a, b in zip(one, other, strict=True)]
    return np.mean([shared / (len(one[0]) + len(other[0]) - shared) for shared in both])


def main():
    random = np.random.default_rng(1)
    shapes = (HEADS, 1, DIM), (KEY_HEADS, KEYS, DIM), (KEY_HEADS, KEYS, DIM)
    arrays = [torch.from_numpy(random.standard_normal(shape)).float().bfloat16() for shape in shapes]
    papers = {tau: attend(arrays, "paper", temperature=tau).selected[:, 0] for tau in (0.5, 0.3)}
    rows = []
    for profile, temperature, free, compared in ROWS:
        got = attend(arrays, profile, **{"temperature": temperature} if free else {})
        row = {"profile": profile, "temperature": temperature}
        row |= {name: f"{getattr(got, name).mean():.6g}" for name in ("recall", "residual_weight")}
        for tau in compared:
            row[f"jaccard_paper_{tau:.1f}".replace(".", "")] = f"{jaccard(papers[tau], got.selected[:, 0]):.6g}"
        if profile == "gpt-fast":
            norms = arrays[2].float().norm(dim=2).numpy().repeat(HEADS // KEY_HEADS, axis=0)
            most = np.argsort(-norms, axis=1)[:, : got.selected.shape[-1]]
            row["largest_norms"] = (
                f"{np.mean([np.isin(*pair).mean() for pair in zip(got.selected[:, 0], most, strict=True)]):.6g}"
            )
        rows.append([row.get(name, "") for name in COLUMNS])
    write_table(Path(__file__).with_name("profiles.csv"), COLUMNS, rows)


if __name__ == "__main__":
    main(*arguments(__doc__, 0))
