"""One sequence over several GPUs: skt_count_shard, skt_select_shard and skt_merge_parts of gpu/socketlab_gpu.h.

Each process has an index of its own run of the keys. Nothing here communicates; _sharded_step.py has the whole step.
"""

from __future__ import annotations

from typing import Any

from ._attention import attention_call
from ._interface import Library
from ._launch import Launch
from ._tensors import Tensor

DIGITS = 3
BINS = 2048  # of each digit
MARKED_KEYS = 32  # to two words of marks


def words_of_marks(capacity: int) -> int:
    """Pairs of int32 that mark the keys of a row."""
    return -(-capacity // MARKED_KEYS)


def _shard(
    call: Launch,
    scores: Tensor,
    counts: Tensor,
    marks: Tensor,
    keys: int | None,
    lengths: Tensor | None,
    **asked: int,
) -> None:
    """What counting and selecting have in common; `asked` are numbers that the library checks."""
    call.reads("scores", scores, "float32", "batch", "heads", "capacity")
    capacity = call.sizes["capacity"]
    call.reads("counts", counts, "int32", DIGITS - 1, "batch", "heads", BINS)
    call.reads("marks", marks, "int32", "batch", "heads", words_of_marks(capacity), 2)
    call.reads("lengths", lengths, "int32", "batch")
    call.fields |= {**asked, "keys": capacity if keys is None else keys}


def count_shard(
    scores: Tensor,
    counts: Tensor,
    last_counts: Tensor,
    marks: Tensor,
    *,
    digit: int,
    first: int,
    used: int,
    keys: int | None = None,
    budget: int,
    sink: int = 0,
    window: int = 0,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Counts digit 0, 1 or 2 of this rank's scores float32 [batch, heads, capacity], to be sent to the other ranks; of
    lists of kv heads `heads` is the number of these.

    counts int32 [2, batch, heads, 2048]: counts[0] and counts[1] are written with digits 0 and 1 and must be summed
    over the ranks, in place, before the next digit; score_packed may have counted digit 0 already. last_counts int32
    [batch, heads, 2048]: written with digit 2, to be gathered. marks int32 [batch, heads, ceil(capacity / 32), 2]:
    written with digit 1, and needed until the list is complete. first: the position of the rank's first key; keys: how
    many keys the rank has, by default the capacity. used: keys of a sequence on all ranks; with lengths int32 [batch]
    of whole sequences, the maximum. budget, sink, window and sparsity are those of the whole selection, as in
    select_keys. Returns the tensor that was written.
    """
    call = Launch("skt_count_shard", library, stream)
    asked = {"first": first, "used": used, "budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
    _shard(call, scores, counts, marks, keys, lengths, **asked)
    call.reads("last_counts", last_counts, "int32", "batch", "heads", BINS)
    call(digit=digit)
    return last_counts if digit == DIGITS - 1 else counts[digit]


def select_shard(
    scores: Tensor,
    counts: Tensor,
    last_counts: Tensor,
    marks: Tensor,
    *,
    rank: int,
    first: int,
    used: int,
    keys: int | None = None,
    budget: int,
    sink: int = 0,
    window: int = 0,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """This rank's keys of the list of all ranks, int32 [batch, heads, sink + budget + window], and their counts int32
    [batch, heads].

    Keys are places in the rank's own cache, in increasing order, padded with -1. counts and marks are as count_shard
    left them, with counts summed over the ranks; last_counts int32 [ranks, batch, heads, 2048] is gathered in the order
    of the ranks. The other arguments are those of count_shard.
    """
    call = Launch("skt_select_shard", library, stream)
    asked = {"first": first, "used": used, "budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
    _shard(call, scores, counts, marks, keys, lengths, **asked)
    call.reads("last_counts", last_counts, "int32", "ranks", "batch", "heads", BINS)
    given_selected, given_counts = out if out is not None else (None, None)
    call.writes("selected", given_selected, "int32", "batch", "heads", sink + budget + window, label="out[0]")
    call.writes("list_counts", given_counts, "int32", "batch", "heads", label="out[1]")
    selected, list_counts = call(rank=rank)
    return selected, list_counts


def attention_part(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    *,
    workspace: Tensor,
    logit_scale: float | None = None,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    lists: str = "head",
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """sparse_attention before its division: float32 [batch, heads, dim + 2], which merge_parts takes from each rank.

    The arguments of sparse_attention, including scales of float8_e4m3fn and lists; workspace as from
    attention_workspace.
    """
    given = locals()
    del given["workspace"], given["out"]
    call = attention_call(**given)
    call.reads("workspace", workspace, "uint8", "workspace_bytes")
    call.writes("part", out, "float32", "batch", "heads", call.sizes["dim"] + 2)
    (part,) = call()
    return part


def merge_parts(
    parts: Tensor,
    *,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """Outputs float32 [batch, heads, dim] and log-sum-exps float32 [batch, heads] of parts [ranks, batch, heads, dim +
    2].

    Parts are merged in order, so that all ranks that have gathered them get the same bits. NaN and -inf where no rank
    has a key.
    """
    call = Launch("skt_merge_parts", library, stream)
    call.reads("parts", parts, "float32", "ranks", "batch", "heads", "width")
    call.sizes["dim"] = call.sizes["width"] - 2
    given_output, given_logs = out if out is not None else (None, None)
    call.writes("output", given_output, "float32", "batch", "heads", "dim", label="out[0]")
    call.writes("log_sum_exp", given_logs, "float32", "batch", "heads", label="out[1]")
    output, logs = call()
    return output, logs
