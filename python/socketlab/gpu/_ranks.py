"""One sequence over several GPUs: skt_count_shard, skt_select_shard and skt_merge_parts of gpu/socketlab_gpu.h.

Each process has an index of its own run of the keys. Nothing here communicates; _sharded_step.py has the whole step.
"""

from __future__ import annotations

from typing import Any

from ._attention import _fields as attention_fields
from ._interface import Library, load
from ._tensors import Tensor, address, checked, launching, lengths_address, made, on_one_device, torch_with_gpu

DIGITS = 3
BINS = 2048  # of each digit
MARKED_KEYS = 32  # to two words of marks


def words_of_marks(capacity: int) -> int:
    """Pairs of int32 that mark the keys of a row."""
    return -(-capacity // MARKED_KEYS)


def _shard_fields(
    scores: Tensor, counts: Tensor, marks: Tensor, keys: int | None, lengths: Tensor | None, **asked: int
) -> dict[str, int | None]:
    """What counting and selecting have in common, checked; `asked` are numbers that the library checks."""
    checked(scores, "scores", ("float32",), (None, None, None))
    batch, heads, capacity = (int(size) for size in scores.shape)
    checked(counts, "counts", ("int32",), (DIGITS - 1, batch, heads, BINS))
    checked(marks, "marks", ("int32",), (batch, heads, words_of_marks(capacity), 2))
    return {
        **asked,
        "scores": address(scores),
        "counts": address(counts),
        "marks": address(marks),
        "batch": batch,
        "heads": heads,
        "capacity": capacity,
        "keys": capacity if keys is None else keys,
        "lengths": lengths_address(lengths, batch),
    }


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
    torch, loaded = torch_with_gpu(), load(library)
    asked = {"first": first, "used": used, "budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
    fields = _shard_fields(scores, counts, marks, keys, lengths, **asked)
    checked(last_counts, "last_counts", ("int32",), (*scores.shape[:2], BINS))
    on_one_device(scores, counts, last_counts, marks, lengths)
    with launching(torch, scores, stream) as handle:
        loaded.call("skt_count_shard", handle, **fields, last_counts=address(last_counts), digit=digit)
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
    torch, loaded = torch_with_gpu(), load(library)
    asked = {"first": first, "used": used, "budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
    fields = _shard_fields(scores, counts, marks, keys, lengths, **asked)
    batch, heads, _ = scores.shape
    checked(last_counts, "last_counts", ("int32",), (None, batch, heads, BINS))
    given_selected, given_counts = out if out is not None else (None, None)
    on_one_device(scores, counts, last_counts, marks, lengths, given_selected, given_counts)
    with launching(torch, scores, stream) as handle:
        selected = made(given_selected, "out[0]", scores, "int32", (batch, heads, sink + budget + window))
        list_counts = made(given_counts, "out[1]", scores, "int32", (batch, heads))
        loaded.call(
            "skt_select_shard",
            handle,
            **fields,
            last_counts=address(last_counts),
            selected=address(selected),
            list_counts=address(list_counts),
            rank=rank,
            ranks=int(last_counts.shape[0]),
        )
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
    torch, loaded = torch_with_gpu(), load(library)
    fields = attention_fields(queries, keys, values, selected, counts, logit_scale, key_scales, value_scales, lists)
    batch, heads, dim = queries.shape
    checked(workspace, "workspace", ("uint8",), (None,))
    on_one_device(queries, keys, values, selected, counts, key_scales, value_scales, workspace, out)
    with launching(torch, queries, stream) as handle:
        part = made(out, "out", queries, "float32", (batch, heads, dim + 2))
        scratch = {"workspace": address(workspace), "workspace_bytes": int(workspace.numel())}
        loaded.call("skt_sparse_attention", handle, **fields, **scratch, part=address(part))
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
    torch, loaded = torch_with_gpu(), load(library)
    checked(parts, "parts", ("float32",), (None, None, None, None))
    ranks, batch, heads, width = (int(size) for size in parts.shape)
    given_output, given_logs = out if out is not None else (None, None)
    on_one_device(parts, given_output, given_logs)
    with launching(torch, parts, stream) as handle:
        output = made(given_output, "out[0]", parts, "float32", (batch, heads, width - 2))
        logs = made(given_logs, "out[1]", parts, "float32", (batch, heads))
        sizes = {"ranks": ranks, "batch": batch, "heads": heads, "dim": width - 2}
        loaded.call(
            "skt_merge_parts",
            handle,
            parts=address(parts),
            output=address(output),
            log_sum_exp=address(logs),
            **sizes,
        )
    return output, logs
