"""One decode step from PyTorch, stage by stage and whole, checked against a re-statement in double precision.

    python3 gpu/examples/decode_step.py build/gpu/libsocketlab_gpu.so [--keys 145408 --heads 32 --kv-heads 8 ..]

Needs PyTorch and a GPU. Nothing is built against PyTorch: the functions of python/socketlab/gpu hand the
library, through ctypes, pointers of tensors and PyTorch's stream. Three things are checked, each to a
bound that follows from the arithmetic: a code's bits are signs of exact projections, where these exceed the rounding of an
fp32 sum; of the keys that the stages select, called one by one, no exact score is on the wrong side of the budget's last by
more than twice the error of a score; and the step's output is softmax attention over these keys.
"""

import argparse
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
# ruff: noqa: E402
import needs
import torch
from harness import gpu

UNIT = 2.0**-24  # rounding of fp32


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("library", help="libsocketlab_gpu.so")
    for name, default in (
        ("keys", 145408),
        ("heads", 32),
        ("kv-heads", 8),
        ("dim", 128),
        ("tables", 60),
        ("planes", 10),
        ("sink", 128),
        ("window", 128),
        ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    parser.add_argument("--budget", type=int, help="default: keys / 33")
    parser.add_argument("--temperature", type=float, default=0.5, help="default 0.5")
    shape = parser.parse_args()
    shape.budget = shape.keys // 33 if shape.budget is None else shape.budget
    if min(shape.keys, shape.heads, shape.kv_heads) < 1 or shape.heads % shape.kv_heads:
        parser.error("keys, heads and kv-heads: allowed are 1 or more, heads a multiple of kv-heads")
    if (
        min(shape.budget, shape.sink, shape.window) < 0
        or not 0 < shape.sink + shape.budget + shape.window <= shape.keys
    ):
        parser.error("sink, budget and window: allowed are 0 or more each, together 1 to keys")
    return shape


def build_index(library, keys, values, planes, used):
    """Codes [kv_heads, tables, capacity], and the index by them."""
    codes = gpu.hash_keys(keys, planes, count=used, library=library)
    norms = gpu.value_norms(values, count=used, library=library)
    packed = gpu.pack_codes(codes, planes=planes.shape[1], count=used, library=library)
    return codes[0], gpu.Index.of_parts(keys, values, packed, norms, planes, used=used, library=library)


def select(s, queries, index):
    """The keys of each head by the stages, [heads, sink + budget + window]."""
    tables = gpu.soft_buckets(queries, index.hyperplanes, temperature=s.temperature, library=index.library)
    named = {"planes": s.planes, "used": s.keys, "library": index.library}
    scores = gpu.score_packed(tables, index.packed, index.norms, **named)
    sizes = {"budget": s.budget, "sink": s.sink, "window": s.window, "used": s.keys}
    selected, counts = gpu.select_keys(scores, library=index.library, **sizes)
    if not bool((counts == selected.shape[2]).all()):
        sys.exit("FAILED: a selection that is not full")
    return selected[0].long()


def bits_of(s, codes):
    return codes[..., None] >> torch.arange(s.planes - 1, -1, -1, device="cuda") & 1


def check_codes(s, k, w, codes):
    """k [kv_heads, keys, dim] and w [tables, planes, dim] in double. Returns how many bits the rounding bound leaves out."""
    n = s.dim * UNIT
    left_out = 0
    for table in range(s.tables):
        projections = k @ w[table].T
        bound = n / (1 - n) * (k.abs() @ w[table].abs().T)
        bits = bits_of(s, codes[:, table, : s.keys])
        unsure = projections.abs() <= bound
        left_out += int(unsure.sum())
        if bool(((bits == 1) != (projections >= 0))[~unsure].any()):
            sys.exit(f"FAILED: a code of table {table} is not the exact projections' signs")
    return left_out


def exact_scores(s, q, w, v, codes):
    """Scores [heads, keys] of these codes, and the largest error that a head's may have [heads, 1] (gpu/scores/buckets_kernel.cuh,
    gpu/functors/half_score.hpp; the norm is an fp32 sum and rounded to fp16)."""
    group = s.heads // s.kv_heads
    u = torch.tanh(torch.einsum("lpd,hd->hlp", w, q)) / math.sqrt(s.dim)
    signs = 2.0 * bits_of(s, torch.arange(2**s.planes, device="cuda")) - 1
    sums = torch.zeros(s.heads, s.keys, device="cuda", dtype=torch.float64)
    for table in range(s.tables):
        logits = 2 * u[:, table, None, :] / s.temperature * signs
        probabilities = torch.nn.functional.logsigmoid(logits).sum(-1).exp()
        of_keys = codes[:, table, : s.keys].long().repeat_interleave(group, 0)
        sums += probabilities.gather(1, of_keys)
    terms = float(torch.einsum("lpd,hd->hlp", w.abs(), q.abs()).max())
    logit = 2 / math.sqrt(s.dim) / s.temperature * UNIT * ((s.dim / 32 + 5) * terms + 8)
    relative = 1.01 * s.planes * (logit + 7 * UNIT) + (s.tables + s.dim + 4) * UNIT + 2**-11
    absolute = 0.0
    if group > 1:  # fp16 entries and chains of four
        relative += 1.01 * 6 * 2**-11
        absolute = s.tables * (2 * 64 + 4) * 2.0**-25 * 2.0**-12
    norms = v.norm(dim=-1).clamp(max=65504).repeat_interleave(group, 0)
    error = relative * norms * sums + absolute * norms + 2.0**-25 * sums
    return norms * sums, 1.01 * error[:, s.sink : s.keys - s.window].amax(1, keepdim=True)


def check_selection(s, selected, scores, error):
    """Returns the largest distance of a key to the wrong side of the threshold, over what is allowed."""
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter_(1, selected, True)
    ends = torch.cat([chosen[:, : s.sink], chosen[:, s.keys - s.window :]], 1)
    if not bool(ends.all()) or not bool((chosen.sum(1) == selected.shape[1]).all()):
        sys.exit("FAILED: a list without a sink or window key, or with one twice")
    if s.budget == 0:
        return 0.0
    candidates, taken = scores[:, s.sink : s.keys - s.window], chosen[:, s.sink : s.keys - s.window]
    threshold = candidates.topk(s.budget).values[:, -1:]
    beyond = torch.where(taken, threshold - candidates, candidates - threshold) / (2 * error)
    return float(beyond.max())


def check_output(s, q, k, v, selected, output):
    """The largest error of the step's output over its tolerance (gpu/attention/attention.cu)."""
    rows = torch.arange(s.heads, device="cuda")[:, None] // (s.heads // s.kv_heads)
    keys, values = k[rows, selected], v[rows, selected]
    logits = torch.einsum("hd,hnd->hn", q, keys) / math.sqrt(s.dim)
    weights = logits.softmax(-1)
    expected = torch.einsum("hn,hnd->hd", weights, values)
    logit = (
        (s.dim + 8) * UNIT * torch.einsum("hd,hnd->hn", q.abs(), keys.abs()).amax(1, keepdim=True) / math.sqrt(s.dim)
    )
    average = torch.einsum("hn,hnd->hd", weights, values.abs())
    tolerance = 1.01 * (2 * logit + (selected.shape[1] + 40) * UNIT) * average
    error = (output - expected).abs()
    return float(error.max()), float((error / tolerance).max())


def main():
    s = parse()
    needs.gpu()
    torch.manual_seed(s.seed)
    capacity = (s.keys + 63) // 64 * 64

    def draw(*shape, dtype=torch.bfloat16):
        return torch.randn(shape, device="cuda").to(dtype)

    queries, planes = draw(1, s.heads, s.dim), draw(s.tables, s.planes, s.dim, dtype=torch.float32)
    keys, values = draw(1, s.kv_heads, capacity, s.dim), draw(1, s.kv_heads, capacity, s.dim)

    codes, index = build_index(gpu.load(s.library), keys, values, planes, s.keys)
    selected = select(s, queries, index)
    sizes = {"budget": s.budget, "sink": s.sink, "window": s.window}
    output = gpu.decode_step(queries, index, temperature=s.temperature, **sizes)[0].double()

    q, w, k, v = queries[0].double(), planes.double(), keys[0, :, : s.keys].double(), values[0, :, : s.keys].double()
    left_out = check_codes(s, k, w, codes)
    scores, error = exact_scores(s, q, w, v, codes)
    beyond = check_selection(s, selected, scores, error)
    largest, ratio = check_output(s, q, k, v, selected, output)
    print(
        f"{s.keys} keys, {s.heads} heads on {s.kv_heads} kv heads, dim {s.dim}, {s.tables} tables of {s.planes} planes, "
        f"{selected.shape[1]} keys selected"
    )
    print(
        f"codes: all signs of exact projections, but {left_out} of {codes[:, :, : s.keys].numel() * s.planes} bits within "
        "fp32 rounding"
    )
    print(f"selection: at most {beyond:.3f} of the score gap on the wrong side of the threshold")
    print(f"output: largest error {largest:.3g}, {ratio:.2g} of its tolerance")
    if not beyond <= 1 or not ratio <= 1:
        sys.exit("FAILED")


if __name__ == "__main__":
    main()
