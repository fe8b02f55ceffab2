"""Softmax attention of each query over its selected keys: skt_sparse_attention of gpu/socketlab_gpu.h, without pages."""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library
from ._launch import Launch
from ._tensors import BYTES, FLOATS, Tensor, cache_fields, heads_with_lists, lists_number, type_code, type_word


def attention_call(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    *,
    logit_scale: float | None = None,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    lists: str = "head",
    lengths: Tensor | None = None,
    used: int | None = None,
    dense_up_to: int = 0,
    stream: Any = None,
    library: Library | None = None,
) -> Launch:
    """Of the arguments, checked, without what is written."""
    call = Launch("skt_sparse_attention", library, stream)
    call.reads("queries", queries, FLOATS, "batch", "heads", "dim")
    call.reads("keys", keys, (type_word(queries), BYTES), "batch", "kv_heads", "capacity", "dim")
    call.reads("values", values, type_word(keys), "batch", "kv_heads", "capacity", "dim")
    call.sizes["rows"] = heads_with_lists(lists, call.sizes["heads"], call.sizes["kv_heads"])
    call.reads("selected", selected, "int32", "batch", "rows", "list")
    call.reads("counts", counts, "int32", "batch", "rows")
    call.reads("lengths", lengths, "int32", "batch")
    call.on(key_scales, value_scales)
    call.fields |= cache_fields(keys, call.sizes["kv_heads"], key_scales, value_scales) | {
        "logit_scale": 1 / math.sqrt(call.sizes["dim"]) if logit_scale is None else logit_scale,
        "type": type_code(queries),
        "lists": lists_number(lists),
        "used": call.sizes["capacity"] if used is None else used,
        "dense_up_to": dense_up_to,
    }
    return call


def attention_workspace(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    *,
    lists: str = "head",
    used: int | None = None,
    dense_up_to: int = 0,
    library: Library | None = None,
) -> Tensor:
    """The scratch memory of sparse_attention with these arguments: uint8, for one stream or one graph at a time."""
    call = attention_call(**locals())
    return call.torch.empty(max(1, call.workspace_bytes()), dtype=call.torch.uint8, device=queries.device)


def sparse_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    *,
    logit_scale: float | None = None,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    lists: str = "head",
    lengths: Tensor | None = None,
    used: int | None = None,
    dense_up_to: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
    workspace: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """Outputs float32 [batch, heads, dim] and log-sum-exps float32 [batch, heads], natural, of the scaled logits.

    queries [batch, heads, dim], keys and values [batch, kv_heads, capacity, dim] of one type; selected int32 [batch,
    heads, list], of which the first counts[batch, heads] are read, as from select_keys. An empty selection gives NaN
    and -inf. logit_scale: by default 1 / sqrt(dim); dim 32, 64, 128 or 256. A call in a captured graph needs `out` and
    `workspace` (attention_workspace).

    keys and values may be float8_e4m3fn, with queries of any type and key_scales and value_scales float32 [kv_heads],
    by default 1, read on the GPU: a key is its head's scale times the stored numbers. A NaN in a selected key makes the
    head's output and log-sum-exp NaN; a NaN in its value makes that coordinate NaN.

    lists "kv-head": selected [batch, kv_heads, list] and counts [batch, kv_heads], of which the query heads of a kv head
    share one list; at most 8 heads do. Sequences of at most dense_up_to keys attend to all of them instead of a list:
    lengths int32 [batch], read on the GPU and clamped to 0 .. `used`, or without them `used`, by default the capacity.
    """
    given = locals()
    given_output, given_logs = given.pop("out") or (None, None)
    del given["workspace"]
    call = attention_call(**given)
    call.writes("output", given_output, "float32", "batch", "heads", "dim", label="out[0]")
    call.writes("log_sum_exp", given_logs, "float32", "batch", "heads", label="out[1]")
    needed = call.workspace_bytes() if workspace is None else int(workspace.numel())
    call.writes("workspace", workspace, "uint8", needed, label="workspace")
    output, logs, _ = call(workspace_bytes=needed)
    return output, logs
