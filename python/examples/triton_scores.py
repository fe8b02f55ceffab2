"""A scoring kernel in Triton, and its check against the host twin's inputs and the derived bound.

    python3 python/examples/triton_scores.py                       # on a GPU
    TRITON_INTERPRET=1 python3 python/examples/triton_scores.py    # without one, where NumPy is older than 2.4

Needs PyTorch, Triton and the package socketlab.
score = norm * sum over tables of high[code's high bits] * low[its low bits] (paper, Algorithm 4, from half-tables). Sums in
fp32, tables in order; one program to a row and a block of keys.
"""

import os
import sys

try:
    import numpy as np
    import torch
    import triton
    import triton.language as tl
    from socketlab import check
except ModuleNotFoundError as missing:
    print(
        f"triton_scores.py: needs PyTorch, Triton and the package socketlab (docs/python.md): {missing}",
        file=sys.stderr,
    )
    sys.exit(3)

BLOCK = 128
DEVICE = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"


@triton.jit
def _score(
    tables, codes, norms, out, count, keys, group, entries, LOW: tl.constexpr, HIGHS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    own = row // group
    key = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    there = key < keys
    total = tl.zeros((BLOCK,), tl.float32)
    for table in range(count):
        code = tl.load(codes + (own * count + table) * keys + key, mask=there, other=0).to(tl.int32) & 0xFFFF
        of_table = tables + (row * count + table) * entries
        total += tl.load(of_table + (code >> LOW)) * tl.load(of_table + HIGHS + (code & ((1 << LOW) - 1)))
    norm = tl.load(norms + own * keys + key, mask=there, other=0.0)
    tl.store(out + row * keys + key, norm * total, mask=there)


def planes_of(entries):
    """How many planes have so many entries in the two half-tables together."""
    return next(p for p in range(1, 17) if 2 ** ((p + 1) // 2) + 2 ** (p // 2) == entries)


def scores(tables, codes, norms):
    """float32 [rows, keys] of tables [rows, tables, entries], codes int16 [key rows, tables, keys], norms [key rows, keys]."""
    rows, count, entries = tables.shape
    keys, planes = codes.shape[2], planes_of(entries)
    out = torch.zeros(rows, keys, device=tables.device)
    grid = (rows, triton.cdiv(keys, BLOCK))
    low = planes // 2
    _score[grid](
        tables, codes, norms, out, count, keys, rows // len(codes), entries, LOW=low, HIGHS=2 ** (planes - low),
        BLOCK=BLOCK,
    )  # fmt: skip
    return out


def main(device=DEVICE):
    for inputs in ("gaussian", "ties", "zeros", "needle", "large", "subnormals"):
        for shape in ("keys=1000,tables=60,planes=10", "keys=33,tables=7,planes=16", "keys=129,tables=1,planes=5"):
            case = f"operation=score-packed,inputs={inputs},batch=2,heads=4,kv_heads=2,{shape}"
            report = check.scores(lambda c: scores(c.tables, c.codes, c.norms), case=case, sums="f32", device=device)
            print(f"{report.worst:5.3f} of the bound over {report.compared:5d} scores: {inputs}, {shape}")


if __name__ == "__main__":
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print(
            "triton_scores.py: needs a GPU, and PyTorch finds none; TRITON_INTERPRET=1 runs it without one",
            file=sys.stderr,
        )
        sys.exit(3)
    if DEVICE == "cpu" and np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        print(
            f"triton_scores.py: needs NumPy older than 2.4 for Triton's interpreter, not {np.__version__}",
            file=sys.stderr,
        )
        sys.exit(3)
    main()
