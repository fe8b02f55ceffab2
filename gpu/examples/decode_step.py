"""One decode step from PyTorch through ctypes, checked against a re-statement in double precision.

    python3 gpu/examples/decode_step.py build/gpu/libsocketlab_gpu.so [--keys 145408 --heads 32 --kv-heads 8 ..]

Needs PyTorch and a GPU. Nothing is built against PyTorch: tensors give their pointers, PyTorch gives its stream. Three things are checked, each to a
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
from interface import BF16, F32, Library

UNIT = 2.0**-24  # rounding of fp32
HALF_TABLES, SOFT_COLLISION = 1, 0


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


def build_index(library, s, keys, values, planes):
    """Codes [kv_heads, tables, capacity], packed codes and norms."""
    capacity = keys.shape[2]
    codes = torch.empty(1, s.kv_heads, s.tables, capacity, device="cuda", dtype=torch.int16)
    words = ((s.tables + 3) // 4 * s.planes + 7) // 8
    packed = torch.empty(s.kv_heads * capacity * words, device="cuda", dtype=torch.int32)
    norms = torch.empty(1, s.kv_heads, capacity, device="cuda", dtype=torch.float16)
    cache = dict(batch=1, kv_heads=s.kv_heads, capacity=capacity, first=0, count=s.keys)
    index = dict(tables=s.tables, planes=s.planes)
    for operation, arguments in (
        ("skt_hash_keys", dict(keys=keys, hyperplanes=planes, codes=codes, dim=s.dim, key_type=BF16, **cache, **index)),
        ("skt_value_norms", dict(values=values, norms=norms, dim=s.dim, value_type=BF16, form=0, **cache)),
        ("skt_pack_codes", dict(codes=codes, packed=packed, **cache, **index)),
    ):
        library.call(operation, library.arguments(operation, **arguments))
    return codes[0], packed, norms


def select(library, s, queries, planes, packed, norms, capacity):
    """The keys of each head by the stages, [heads, sink + budget + window]."""
    entries = 2 ** ((s.planes + 1) // 2) + 2 ** (s.planes // 2)
    tables = torch.empty(s.heads, s.tables, entries, device="cuda")
    scores = torch.empty(s.heads, capacity, device="cuda")
    selected = torch.empty(s.heads, s.sink + s.budget + s.window, device="cuda", dtype=torch.int32)
    counts = torch.empty(s.heads, device="cuda", dtype=torch.int32)
    for operation, arguments in (
        (
            "skt_soft_buckets",
            dict(
                queries=queries,
                hyperplanes=planes,
                probabilities=tables,
                batch=1,
                heads=s.heads,
                dim=s.dim,
                tables=s.tables,
                planes=s.planes,
                scale=1 / math.sqrt(s.dim),
                temperature=s.temperature,
                query_type=BF16,
                form=HALF_TABLES,
                probability_type=F32,
            ),
        ),
        (
            "skt_score_packed",
            dict(
                half_tables=tables,
                packed=packed,
                norms=norms,
                scores=scores,
                batch=1,
                heads=s.heads,
                kv_heads=s.kv_heads,
                capacity=capacity,
                used=s.keys,
                tables=s.tables,
                planes=s.planes,
                rule=SOFT_COLLISION,
            ),
        ),
        (
            "skt_select_keys",
            dict(
                scores=scores,
                selected=selected,
                counts=counts,
                batch=1,
                heads=s.heads,
                capacity=capacity,
                used=s.keys,
                budget=s.budget,
                sink=s.sink,
                window=s.window,
            ),
        ),
    ):
        library.call(operation, library.arguments(operation, **arguments))
    if not bool((counts == selected.shape[1]).all()):
        sys.exit("FAILED: a selection that is not full")
    return selected.long()


def decode_step(library, s, queries, keys, values, planes, packed, norms):
    scale = 1 / math.sqrt(s.dim)
    output = torch.full((s.heads, s.dim), math.nan, device="cuda")
    step = library.arguments(
        "skt_decode_step",
        queries=queries,
        keys=keys,
        values=values,
        hyperplanes=planes,
        packed=packed,
        norms=norms,
        output=output,
        batch=1,
        heads=s.heads,
        kv_heads=s.kv_heads,
        capacity=keys.shape[2],
        used=s.keys,
        dim=s.dim,
        tables=s.tables,
        planes=s.planes,
        budget=s.budget,
        sink=s.sink,
        window=s.window,
        scale=scale,
        temperature=s.temperature,
        logit_scale=scale,
        type=BF16,
        rule=SOFT_COLLISION,
    )
    workspace = library.give_workspace("skt_decode_step", step)
    library.call("skt_decode_step", step)
    torch.cuda.synchronize()
    del workspace  # it had to last until here
    return output.double()


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
    library = Library(s.library)
    torch.manual_seed(s.seed)
    capacity = (s.keys + 63) // 64 * 64

    def draw(*shape, dtype=torch.bfloat16):
        return torch.randn(shape, device="cuda").to(dtype)

    queries, planes = draw(s.heads, s.dim), draw(s.tables, s.planes, s.dim, dtype=torch.float32)
    keys, values = draw(1, s.kv_heads, capacity, s.dim), draw(1, s.kv_heads, capacity, s.dim)

    codes, packed, norms = build_index(library, s, keys, values, planes)
    selected = select(library, s, queries, planes, packed, norms, capacity)
    output = decode_step(library, s, queries, keys, values, planes, packed, norms)

    q, w, k, v = queries.double(), planes.double(), keys[0, :, : s.keys].double(), values[0, :, : s.keys].double()
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
