"""Softmax attention of each query over its selected keys: skt_sparse_attention of gpu/socketlab_gpu.h, without pages."""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library, load
from ._tensors import (
    BYTES,
    FLOATS,
    Tensor,
    address,
    cache_fields,
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
from ._tensors import type_word as word


def _fields(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    logit_scale: float | None,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    lists: str = "head",
    lengths: Tensor | None = None,
    used: int | None = None,
    dense_up_to: int = 0,
) -> dict[str, int | float | None]:
    """Of the arguments, checked, without what is written."""
    checked(queries, "queries", FLOATS, (None, None, None))
    batch, heads, dim = (int(size) for size in queries.shape)
    checked(keys, "keys", (word(queries), BYTES), (batch, None, None, dim))
    checked(values, "values", (word(keys),), keys.shape)
    rows = heads_with_lists(lists, heads, int(keys.shape[1]))
    checked(selected, "selected", ("int32",), (batch, rows, None))
    checked(counts, "counts", ("int32",), (batch, rows))
    return {
        "queries": address(queries),
        "keys": address(keys),
        "values": address(values),
        "selected": address(selected),
        "counts": address(counts),
        "batch": batch,
        "heads": heads,
        "kv_heads": int(keys.shape[1]),
        "capacity": int(keys.shape[2]),
        "dim": dim,
        "list": int(selected.shape[2]),
        "logit_scale": 1 / math.sqrt(dim) if logit_scale is None else logit_scale,
        "type": type_code(queries),
        "lists": lists_number(lists),
        "used": int(keys.shape[2]) if used is None else used,
        "lengths": lengths_address(lengths, batch),
        "dense_up_to": dense_up_to,
        **cache_fields(keys, int(keys.shape[1]), key_scales, value_scales),
    }


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
    torch, loaded = torch_with_gpu(), load(library)
    sizes: dict[str, Any] = {"lists": lists, "used": used, "dense_up_to": dense_up_to}
    fields = _fields(queries, keys, values, selected, counts, None, **sizes)
    needed = loaded.workspace_bytes("skt_sparse_attention", **fields)
    return torch.empty(max(1, needed), dtype=torch.uint8, device=queries.device)


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
    torch, loaded = torch_with_gpu(), load(library)
    cached: dict[str, Any] = {"key_scales": key_scales, "value_scales": value_scales}
    whole: dict[str, Any] = {"lists": lists, "lengths": lengths, "used": used, "dense_up_to": dense_up_to}
    fields = _fields(queries, keys, values, selected, counts, logit_scale, **cached, **whole)
    given_output, given_logs = out if out is not None else (None, None)
    on_one_device(
        queries, keys, values, selected, counts, lengths, *cached.values(), given_output, given_logs, workspace
    )
    with launching(torch, queries, stream) as handle:
        output = made(given_output, "out[0]", queries, "float32", queries.shape)
        logs = made(given_logs, "out[1]", queries, "float32", queries.shape[:2])
        needed = loaded.workspace_bytes("skt_sparse_attention", **fields)
        scratch = made(workspace, "workspace", queries, "uint8", (needed,) if workspace is None else workspace.shape)
        loaded.call(
            "skt_sparse_attention",
            handle,
            **fields,
            output=address(output),
            log_sum_exp=address(logs),
            workspace=address(scratch),
            workspace_bytes=int(scratch.numel()),
        )
    return output, logs
