"""A top-k kernel in Triton with a written contract, and its check.

    python3 python/examples/triton_topk.py                       # on a GPU
    TRITON_INTERPRET=1 python3 python/examples/triton_topk.py    # without one, where NumPy is older than 2.4

Needs PyTorch, Triton and the package socketlab.
Contract: the `budget` best keys of each row, of keys that tie with the last those of lower index, rising along the list; -1
behind the last. A key of -inf or NaN is never selected; -0 and +0 tie. One program to a row finds the threshold by halving
the range of ordered bits, another writes the keys: no atomic operation, so that every run gives the same.
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
        f"triton_topk.py: needs PyTorch, Triton and the package socketlab (docs/python.md): {missing}", file=sys.stderr
    )
    sys.exit(3)

BLOCK = 512
NEVER = -(2**31)
DEVICE = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"


@triton.jit
def _ordered(score):
    """Whole numbers in the order of the scores; the least for what is never selected."""
    allowed = (score == score) & (score > float("-inf"))
    bits = tl.where(score == 0, 0.0, score).to(tl.int32, bitcast=True)
    return tl.where(allowed, tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits), -2147483648)


@triton.jit
def _count(scores, row, keys, least, BLOCK: tl.constexpr):
    """How many keys of the row are at least so good."""
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, keys, BLOCK):
        key = start + tl.arange(0, BLOCK)
        x = _ordered(tl.load(scores + row * keys + key, mask=key < keys, other=float("-inf")))
        total += (x.to(tl.int64) >= least).to(tl.int32)
    return tl.sum(total, 0)


@triton.jit
def _find(scores, thresholds, spares, keys, budget, BLOCK: tl.constexpr):
    """The score of the last key, and how many of those that tie with it are taken."""
    row = tl.program_id(0)
    low = tl.full((), -2147483647, tl.int64)
    wanted = tl.minimum(budget, _count(scores, row, keys, low, BLOCK))
    high = tl.full((), 2147483647, tl.int64)
    for _ in range(32):
        middle = low + (high - low + 1) // 2
        enough = _count(scores, row, keys, middle, BLOCK) >= wanted
        low, high = tl.where(enough, middle, low), tl.where(enough, high, middle - 1)
    tl.store(thresholds + row, low.to(tl.int32))
    tl.store(spares + row, wanted - _count(scores, row, keys, low + 1, BLOCK))


@triton.jit
def _write(scores, thresholds, spares, selected, keys, budget, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    threshold, spare = tl.load(thresholds + row), tl.load(spares + row)
    ties = 0
    base = 0
    for start in range(0, keys, BLOCK):
        key = start + tl.arange(0, BLOCK)
        x = _ordered(tl.load(scores + row * keys + key, mask=(key >= 0) & (key < keys), other=float("-inf")))
        tie = (x == threshold).to(tl.int32)
        rank = ties + tl.cumsum(tie, 0) - tie
        take = ((x > threshold) | ((tie > 0) & (rank < spare))).to(tl.int32)
        tl.store(selected + row * budget + base + tl.cumsum(take, 0) - take, key, mask=take > 0)
        base += tl.sum(take, 0)
        ties += tl.sum(tie, 0)


def topk(scores, budget):
    """int32 [rows, budget] of scores float32 [rows, keys]."""
    rows, keys = scores.shape
    selected = torch.full((rows, budget), -1, dtype=torch.int32, device=scores.device)
    thresholds, spares = torch.empty(2, rows, dtype=torch.int32, device=scores.device)
    _find[(rows,)](scores, thresholds, spares, keys, budget, BLOCK=BLOCK)
    _write[(rows,)](scores, thresholds, spares, selected, keys, budget, BLOCK=BLOCK)
    return selected


def main(device=DEVICE, keys=8320, budget=2048):
    for case in check.selection_cases(keys=keys, budget=budget):
        check.selection(case, lambda scores: topk(scores[None], case.budget), device=device)
        again = check.replays(lambda scores: topk(scores[None], case.budget), case, device=device)
        print(f"{case.name}: lower-index; {again.compared // case.budget} further calls and replays gave the same bits")


if __name__ == "__main__":
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print(
            "triton_topk.py: needs a GPU, and PyTorch finds none; TRITON_INTERPRET=1 runs it without one",
            file=sys.stderr,
        )
        sys.exit(3)
    if DEVICE == "cpu" and np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        print(
            f"triton_topk.py: needs NumPy older than 2.4 for Triton's interpreter, not {np.__version__}",
            file=sys.stderr,
        )
        sys.exit(3)
    if DEVICE == "cpu":
        main(keys=700, budget=90)  # the interpreter would take minutes for more
    else:
        main()
