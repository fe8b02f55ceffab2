"""The query side, stage by stage: gpu/socketlab_gpu.h, "Query side" and "Scores of all keys".

Each function launches on PyTorch's current stream, or on `stream`, and returns `out`, which it allocates if not given.
`used` is the number of keys in the cache, by default all.
"""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library, constants, load
from ._pages import checked_table, table_fields
from ._prefill import TILE, words_of_a_key
from ._ranks import BINS
from ._tensors import (
    FLOATS,
    Tensor,
    address,
    checked,
    heads_with_lists,
    launching,
    lengths_address,
    lists_number,
    made,
    on_one_device,
    torch_with_gpu,
    type_code,
)

_FORMS = {"buckets": "BUCKETS", "half-tables": "HALF_TABLES", "half-sums": "HALF_SUMS"}
RULES = {"soft-collision": "SOFT_COLLISION", "signed-projection": "SIGNED_PROJECTION"}
_BYTES = ("bool", "uint8")
SCORE_TYPES = ("float32", "bfloat16")


def half_entries(planes: int) -> int:
    """Of the two half-tables of a table together."""
    return int(2 ** ((planes + 1) // 2) + 2 ** (planes // 2))


def rule_number(rule: str) -> int:
    if rule not in RULES:
        raise ValueError(f"rule {rule}: allowed are {', '.join(RULES)}")
    return constants()[RULES[rule]]


def mean_weight_scale(bits: int) -> float:
    """By which the signed score of a key, over its norm, estimates a logit to base 2: sqrt(pi / 2) / bits is what makes
    sum_i sign(w_i.k) (w_i.q), times the norm of k, a q.k in the mean over Gaussian w."""
    return math.log2(math.e) * math.sqrt(math.pi / 2) / bits


def mask_fields(mask: Tensor | None, batch: int, heads: int, capacity: int) -> dict[str, int | None]:
    """Of a mask bool or uint8 [batch, capacity] or [batch, heads, capacity]; None allows all."""
    if mask is None:
        return {"allowed": None, "allowed_per_head": 0}
    per_head = getattr(mask, "ndim", 0) == 3
    checked(mask, "mask", _BYTES, (batch, heads, capacity) if per_head else (batch, capacity))
    return {"allowed": address(mask), "allowed_per_head": int(per_head)}


# What counts of a rank need to know, and as which arguments: `used` are those of the rank itself.
_COUNTED = {"first": "first", "used": "whole", "sink": "sink", "window": "window"}


def checked_counts(counts: Tensor | None, batch: int, heads: int) -> None:
    if counts is not None:
        checked(counts, "counts", ("int32",), (batch, heads, BINS))


def soft_buckets(
    queries: Tensor,
    hyperplanes: Tensor,
    *,
    form: str = "half-tables",
    temperature: float = 0.5,
    scale: float | None = None,
    counts: Tensor | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Probabilities of the buckets for queries [batch, heads, dim], float32 (paper, Algorithm 2).

    form "buckets": [batch, heads, tables, 2^planes]; "half-tables", or "half-sums" for the signed projection: [batch,
    heads, tables, 2^ceil(planes / 2) + 2^floor(planes / 2)]. scale: by default 1 / sqrt(dim). counts int32 [batch,
    heads, 2048] are set to zero, for score_packed to count in; those of lists of kv heads, which are fewer, the caller
    sets to zero.
    """
    if form not in _FORMS:
        raise ValueError(f"form {form}: allowed are {', '.join(_FORMS)}")
    torch, loaded = torch_with_gpu(), load(library)
    checked(queries, "queries", FLOATS, (None, None, None))
    checked(hyperplanes, "hyperplanes", ("float32",), (None, None, queries.shape[2]))
    on_one_device(queries, hyperplanes, counts, out)
    batch, heads, dim = (int(size) for size in queries.shape)
    checked_counts(counts, batch, heads)
    tables, planes = int(hyperplanes.shape[0]), int(hyperplanes.shape[1])
    entries = 2**planes if form == "buckets" else half_entries(planes)
    with launching(torch, queries, stream) as handle:
        probabilities = made(out, "out", queries, "float32", (batch, heads, tables, entries))
        loaded.call(
            "skt_soft_buckets",
            handle,
            queries=address(queries),
            hyperplanes=address(hyperplanes),
            probabilities=address(probabilities),
            batch=batch,
            heads=heads,
            dim=dim,
            tables=tables,
            planes=planes,
            scale=1 / math.sqrt(dim) if scale is None else scale,
            temperature=temperature,
            query_type=type_code(queries),
            form=constants()[_FORMS[form]],
            probability_type=constants()["F32"],
            counts=None if counts is None else address(counts),
        )
    return probabilities


def score_buckets(
    probabilities: Tensor,
    codes: Tensor,
    norms: Tensor,
    *,
    planes: int,
    used: int | None = None,
    mask: Tensor | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Scores float32 [batch, heads, capacity], by the published kernel (paper, Algorithm 4); -inf where not allowed.

    probabilities [batch, heads, tables, 2^planes]; codes int16 [batch, kv_heads, tables, capacity], not checked; norms
    float16 or bfloat16 [batch, kv_heads, capacity].
    """
    torch, loaded = torch_with_gpu(), load(library)
    checked(codes, "codes", ("int16",), (None, None, None, None))
    batch, kv_heads, tables, capacity = (int(size) for size in codes.shape)
    checked(probabilities, "probabilities", FLOATS, (batch, None, tables, 2**planes))
    checked(norms, "norms", ("float16", "bfloat16"), (batch, kv_heads, capacity))
    on_one_device(probabilities, codes, norms, mask, out)
    heads = int(probabilities.shape[1])
    with launching(torch, codes, stream) as handle:
        scores = made(out, "out", codes, "float32", (batch, heads, capacity))
        loaded.call(
            "skt_score_buckets",
            handle,
            probabilities=address(probabilities),
            codes=address(codes),
            norms=address(norms),
            scores=address(scores),
            **mask_fields(mask, batch, heads, capacity),
            batch=batch,
            heads=heads,
            kv_heads=kv_heads,
            capacity=capacity,
            used=capacity if used is None else used,
            tables=tables,
            planes=planes,
            probability_type=type_code(probabilities),
            norm_type=type_code(norms),
        )
    return scores


def score_packed(
    half_tables: Tensor,
    packed: Tensor,
    norms: Tensor,
    *,
    planes: int,
    used: int | None = None,
    lengths: Tensor | None = None,
    rule: str = "soft-collision",
    mask: Tensor | None = None,
    block_table: Tensor | None = None,
    counts: Tensor | None = None,
    counted: dict[str, int] | None = None,
    score_type: str = "float32",
    lists: str = "head",
    weight_scale: float | None = None,
    log_sums: Tensor | None = None,
    dense_up_to: int = 0,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Scores [batch, heads, capacity] from half-tables and packed codes; -inf where not allowed.

    half_tables float32 [batch, heads, tables, entries], as soft_buckets gives them for the rule; packed as from
    pack_codes; norms float16 [batch, kv_heads, capacity]. lengths int32 [batch], read on the GPU: number of keys of
    each sequence, clamped to 0 .. `used`; scores beyond a length are not written.

    With block_table int32 [batch, blocks], packed, norms and mask are in pages (_pages.py), and the capacity is blocks
    * page_size; the scores are not in pages.

    counts int32 [batch, heads, 2048], zeroed before: adds what count_shard counts as digit 0. counted: its first, used,
    sink and window. Lengths are then not clamped to `used` but may extend beyond the rank's run.

    score_type "float32", or "bfloat16" for "signed-projection" with more heads than kv_heads and without counts. The
    numbers are the same at half the bytes, since scores of that rule are rounded to bfloat16 in either type.

    lists "kv-head": scores [batch, kv_heads, capacity] of the one list that the query heads of a kv head share, and so
    counts. By "soft-collision" the largest of the heads' scores; by "signed-projection" the sum over heads of 2^(
    weight_scale * score - c). weight_scale makes a score a logit to base 2, by default that of half-sums scaled as
    logits are, and of norms of keys. c is log_sums float32 [batch, heads], natural log-sum-exps of the heads' logits as
    a step before returned them, or without them an estimate from 16 tiles of the row; with counts they are required.
    At most 8 heads to a kv head, by "soft-collision" 4. Sequences of at most dense_up_to keys are not scored.
    """
    if score_type not in SCORE_TYPES:
        raise ValueError(f"score_type {score_type}: allowed are {', '.join(SCORE_TYPES)}")
    torch, loaded = torch_with_gpu(), load(library)
    number = rule_number(rule)
    checked(half_tables, "half_tables", ("float32",), (None, None, None, half_entries(planes)))
    batch, heads, tables = (int(size) for size in half_tables.shape[:3])
    checked(norms, "norms", ("float16",), (batch if block_table is None else None, None, None))
    rows, kv_heads, width = (int(size) for size in norms.shape)
    words = words_of_a_key(tables, planes)
    checked(packed, "packed", ("int32",), (rows, kv_heads, width // TILE, words, TILE))
    rows_of_scores = heads_with_lists(lists, heads, kv_heads)
    checked_counts(counts, batch, rows_of_scores)
    if log_sums is not None:
        checked(log_sums, "log_sums", ("float32",), (batch, heads))
    if counts is not None and set(counted or ()) != _COUNTED.keys():
        raise ValueError("counted: allowed with counts are first, used, sink and window, all of them")
    places = {} if counts is None or counted is None else {_COUNTED[name]: of for name, of in counted.items()}
    on_one_device(half_tables, packed, norms, lengths, mask, block_table, counts, log_sums, out)
    capacity, pages = width, {}
    if block_table is not None:
        capacity = int(checked_table(block_table, batch).shape[1]) * width
        pages = table_fields(block_table, rows, width)
    with launching(torch, packed, stream) as handle:
        scores = made(out, "out", packed, score_type, (batch, rows_of_scores, capacity))
        work = None
        if rule == "signed-projection" and heads > kv_heads > 0:
            group = heads // kv_heads
            row_bytes = -(-group // 8) * (1024 * -(-words // 4) + 128) + 64 * group
            work = torch.empty(batch * kv_heads * row_bytes, dtype=torch.uint8, device=packed.device)
        loaded.call(
            "skt_score_packed",
            handle,
            half_tables=address(half_tables),
            packed=address(packed),
            norms=address(norms),
            scores=address(scores),
            **mask_fields(mask, rows, heads, width),
            batch=batch,
            heads=heads,
            kv_heads=kv_heads,
            capacity=capacity,
            used=capacity if used is None else used,
            tables=tables,
            planes=planes,
            rule=number,
            lengths=lengths_address(lengths, batch),
            counts=None if counts is None else address(counts),
            score_type=type_code(scores),
            lists=lists_number(lists),
            weight_scale=mean_weight_scale(tables * planes) if weight_scale is None else weight_scale,
            log_sums=address(log_sums),
            work=address(work),
            dense_up_to=dense_up_to,
            **places,
            **pages,
        )
    return scores
