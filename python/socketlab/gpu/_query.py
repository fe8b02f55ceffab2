"""The query side, stage by stage: gpu/socketlab_gpu.h, "Query side" and "Scores of all keys".

Each function launches on PyTorch's current stream, or on `stream`, and returns `out`, which it allocates if not given.
`used` is the number of keys in the cache, by default all.
"""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library, constants
from ._launch import Launch
from ._prefill import TILE, words_of_a_key
from ._ranks import BINS
from ._tensors import FLOATS, Tensor, address, checked, heads_with_lists, lists_number, type_code

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
    call = Launch("skt_soft_buckets", library, stream)
    call.reads("queries", queries, FLOATS, "batch", "heads", "dim")
    call.reads("hyperplanes", hyperplanes, "float32", "tables", "planes", "dim")
    call.reads("counts", counts, "int32", "batch", "heads", BINS)
    planes = call.sizes["planes"]
    entries = 2**planes if form == "buckets" else half_entries(planes)
    call.writes("probabilities", out, "float32", "batch", "heads", "tables", entries)
    (probabilities,) = call(
        scale=1 / math.sqrt(call.sizes["dim"]) if scale is None else scale,
        temperature=temperature,
        query_type=type_code(queries),
        form=constants()[_FORMS[form]],
        probability_type=constants()["F32"],
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
    call = Launch("skt_score_buckets", library, stream)
    call.reads("codes", codes, "int16", "batch", "kv_heads", "tables", "capacity")
    call.reads("probabilities", probabilities, FLOATS, "batch", "heads", "tables", 2**planes)
    call.reads("norms", norms, ("float16", "bfloat16"), "batch", "kv_heads", "capacity")
    call.on(mask)
    call.fields |= mask_fields(mask, *(call.sizes[axis] for axis in ("batch", "heads", "capacity")))
    call.writes("scores", out, "float32", "batch", "heads", "capacity")
    (scores,) = call(
        used=call.sizes["capacity"] if used is None else used,
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
    call, number = Launch("skt_score_packed", library, stream), rule_number(rule)
    call.reads("half_tables", half_tables, "float32", "batch", "heads", "tables", half_entries(planes))
    rows, width = ("batch", "capacity") if block_table is None else ("pages", "page_size")
    call.reads("norms", norms, "float16", rows, "kv_heads", width)
    size = call.sizes
    batch, heads, kv_heads, tables = (size[name] for name in ("batch", "heads", "kv_heads", "tables"))
    words = words_of_a_key(tables, planes)
    call.reads("packed", packed, "int32", rows, "kv_heads", size[width] // TILE, words, TILE)
    size["rows"] = heads_with_lists(lists, heads, kv_heads)
    call.reads("counts", counts, "int32", "batch", "rows", BINS)
    call.reads("log_sums", log_sums, "float32", "batch", "heads")
    if counts is not None:
        if set(counted or ()) != _COUNTED.keys():
            raise ValueError("counted: allowed with counts are first, used, sink and window, all of them")
        call.fields |= {_COUNTED[name]: of for name, of in (counted or {}).items()}
    call.on(mask)
    call.fields |= mask_fields(mask, size[rows], heads, size[width])
    if block_table is not None:
        call.reads("block_table", block_table, "int32", "batch", "blocks")
        size["capacity"] = size["blocks"] * size["page_size"]
    call.reads("lengths", lengths, "int32", "batch")
    call.writes("scores", out, score_type, "batch", "rows", "capacity")
    if rule == "signed-projection" and heads > kv_heads > 0:
        group = heads // kv_heads
        row_bytes = -(-group // 8) * (1024 * -(-words // 4) + 128) + 64 * group
        call.scratch_bytes = batch * kv_heads * row_bytes
    (scores,) = call(
        used=size["capacity"] if used is None else used,
        planes=planes,
        rule=number,
        score_type=constants()[{"float32": "F32", "bfloat16": "BF16"}[score_type]],
        lists=lists_number(lists),
        weight_scale=mean_weight_scale(tables * planes) if weight_scale is None else weight_scale,
        dense_up_to=dense_up_to,
    )
    return scores
