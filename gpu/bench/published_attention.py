"""What does attention over a list cost as SOCKET's published decode step computes it?

A re-statement in Triton of that attention, for published_pipeline.py; written from its behaviour, not from its text. The list of
a head is divided in parts of 256 entries. One program to (batch, head, part) goes through its part 16 entries at a time: rows of
K and V, products with the query summed over the head size, an online softmax in fp32. It leaves its normalised average and its
log-sum-exp; a second kernel, one program to a head, merges the parts one after another. Buffers are allocated at each call, and
the host asks the device for the longest list, which it waits for.

An entry that is in the list twice counts twice. Entries must be keys (published: -1 for one that is not allowed), and all lists
as long as the longest: a part without entries has no average.
"""

import torch
import triton
import triton.language as tl

PART, TILE = 256, 16  # entries to a program, entries at a time
WARPS, STAGES = 4, 2


@triton.jit
def average_part(
    queries,
    keys,
    values,
    selected,
    lengths,
    averages,
    log_sums,
    width,
    capacity,
    group,
    scale,
    parts,
    DIM: tl.constexpr,
    PART: tl.constexpr,
    TILE: tl.constexpr,
):
    batch, head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(1)
    row = batch * heads + head
    first_row = (row // group).to(tl.int64) * capacity * DIM
    dims = tl.arange(0, DIM)
    query = tl.load(queries + row * DIM + dims).to(tl.float32)
    length = tl.load(lengths + row)
    maximum = tl.full([], float("-inf"), tl.float32)
    total = tl.full([], 0.0, tl.float32)
    average = tl.zeros([DIM], tl.float32)
    begin = part * PART
    for at in range(begin, tl.minimum(begin + PART, length), TILE):
        entries = at + tl.arange(0, TILE)
        listed = entries < length
        indices = tl.load(selected + row * width + entries, mask=listed, other=0)
        rows = first_row + indices[:, None] * DIM + dims[None, :]
        key = tl.load(keys + rows).to(tl.float32)
        value = tl.load(values + rows).to(tl.float32)
        logits = tl.where(listed, tl.sum(key * query[None, :], axis=1) * scale, float("-inf"))
        larger = tl.maximum(maximum, tl.max(logits, axis=0))
        shrink = tl.exp(maximum - larger)
        weights = tl.exp(logits - larger)
        total = total * shrink + tl.sum(weights, axis=0)
        average = average * shrink + tl.sum(weights[:, None] * value, axis=0)
        maximum = larger
    place = row * parts + part
    tl.store(averages + place * DIM + dims, average / total)
    tl.store(log_sums + place, maximum + tl.log(total))


@triton.jit
def merge_parts(averages, log_sums, output, parts, DIM: tl.constexpr):
    row = tl.program_id(0)
    dims = tl.arange(0, DIM)
    maximum = tl.full([], float("-inf"), tl.float32)
    total = tl.full([], 0.0, tl.float32)
    average = tl.zeros([DIM], tl.float32)
    for part in range(parts):
        place = row * parts + part
        log_sum = tl.load(log_sums + place)
        larger = tl.maximum(maximum, log_sum)
        shrink = tl.exp(maximum - larger)
        weight = tl.exp(log_sum - larger)
        total = total * shrink + weight
        average = average * shrink + weight * tl.load(averages + place * DIM + dims)
        maximum = larger
    tl.store(output + row * DIM + dims, (average / total).to(output.dtype.element_ty))


def attend_list(queries, keys, values, selected, lengths, scale, waits=True):
    """The output, as queries [batch, heads, dim]; keys and values [batch, kv_heads, capacity, dim], int32 selected [batch, heads,
    width] and lengths [batch, heads]. Without `waits` the longest list is taken to be `width`: for a CUDA graph.
    """
    batch, heads, dim = queries.shape
    kv_heads, capacity, width = keys.shape[1], keys.shape[2], selected.shape[-1]
    longest = lengths.max()
    parts = triton.cdiv(longest.item() if waits else width, PART)
    averages = torch.empty(batch, heads, parts, dim, device="cuda")
    log_sums = torch.empty(batch, heads, parts, device="cuda")
    output = torch.empty_like(queries)
    average_part[batch, heads, parts](
        queries, keys, values, selected, lengths, averages, log_sums, width, capacity, heads // kv_heads, scale, parts,
        DIM=dim, PART=PART, TILE=TILE, num_warps=WARPS, num_stages=STAGES,
    )  # fmt: skip
    merge_parts[(batch * heads,)](averages, log_sums, output, parts, DIM=dim, num_warps=WARPS)
    return output


def check_attention(output, queries, keys, values, selected, scale):
    """Exits unless `output` is softmax attention over the lists in double, within a derived bound; the largest share of it.

    A logit is off by (dim + 1) 2^-24 sum_d |q_d k_d|, scaled: products of bf16 numbers are exact. A weight is a product of at
    most one exponential for each tile of its part and for each part, of arguments no larger than the spread of the logits (with
    that of log-sum-exps, log of PART, in the 16), each off by (spread + 16) 2^-22 of itself; total and average are running sums
    of as many steps and of TILE terms, 2^-24 each, which the 16 holds too. Numerator and denominator: twice that, of the average of
    |v|. Then the output is rounded to bf16, of 8 bits: 2^-8 of itself.
    """
    batch, heads, dim = queries.shape
    group = heads // keys.shape[1]
    parts = triton.cdiv(selected.shape[-1], PART)
    worst = 0.0
    for b in range(batch):
        for h in range(heads):
            at = selected[b, h].long()
            if at.min() < 0:
                raise SystemExit(f"head {h}: the list has an entry {at.min().item()}; the benchmark allows all keys")
            q, k, v = queries[b, h].double(), keys[b, h // group][at].double(), values[b, h // group][at].double()
            logits = k @ q * scale
            weights = torch.softmax(logits, dim=0)
            exact, size = weights @ v, weights @ v.abs()
            logit_error = (dim + 1) * 2.0**-24 * scale * (k.abs() @ q.abs()).max()
            spread = logits.max() - logits.min()
            weight_error = logit_error + (PART // TILE + TILE + parts) * (spread + 16) * 2.0**-22
            bound = 2 * weight_error * size
            bound = bound + 2.0**-8 * (exact.abs() + bound)
            share = (output[b, h].double() - exact).abs() / bound
            if not (share <= 1).all():
                d = share.nan_to_num(nan=float("inf")).argmax().item()
                raise SystemExit(
                    f"the replica's attention is off: head {h}, dimension {d}: {output[b, h, d].item():.6g}, "
                    f"in double {exact[d].item():.6g}, {share[d].item():.3g} times the bound"
                )
            worst = max(worst, share.max().item())
    return worst
