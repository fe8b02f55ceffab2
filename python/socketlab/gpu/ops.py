"""PyTorch operators: torch.ops.socketlab.decode_step, .select and .append, for torch.compile, torch.export and CUDA graphs.

Importing this module registers them; socketlab.gpu itself does not import it, nor PyTorch. Each takes the tensors of an
index rather than an index: keys and values [batch, kv_heads, capacity, dim], or pools in pages with a block_table int32
[batch, blocks] and the layout "hnd" or "nhd"; packed int32 and norms float16 as build_index writes them; hyperplanes
float32 [tables, planes, dim]; lengths int32 [batch], read on the GPU, or None for all `capacity` keys. Types, ranges and
errors are those of socketlab.gpu.decode_step, score_packed, select_keys and build_index.

What an operator writes is in its schema: decode_step `workspace` and, of the append_count newest keys, packed and norms;
append packed and norms. What it returns is new, in a captured graph from the graph's memory. No operator has a gradient.
"""

import inspect
from typing import Any

import torch
from torch import Tensor

from . import _step
from ._index import Index
from ._paged_index import PagedIndex
from ._prefill import build_index
from ._query import score_packed, soft_buckets
from ._selection import select_keys
from ._tensors import heads_with_lists, type_number


def _index(given: dict[str, Any]) -> Index:
    """Of a step's arguments, which it takes out: the index over them."""
    names = ("keys", "values", "packed", "norms", "hyperplanes", "key_scales", "value_scales")
    parts: dict[str, Any] = {name: given.pop(name) for name in names}
    block_table, layout = given.pop("block_table"), given.pop("layout")
    if block_table is None:
        return Index.of_parts(**parts)
    return PagedIndex(**parts, block_table=block_table, layout=layout)


def _decode_step(
    q: Tensor,
    keys: Tensor,
    values: Tensor,
    packed: Tensor,
    norms: Tensor,
    hyperplanes: Tensor,
    workspace: Tensor
    | None,  # without a default, which PyTorch 2.11 drops and then misses as an argument that is written
    lengths: Tensor | None = None,
    block_table: Tensor | None = None,
    log_sums: Tensor | None = None,
    mask: Tensor | None = None,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    *,
    budget: int,
    sink: int = 0,
    window: int = 0,
    sparsity: int = 0,
    rule: str = "soft-collision",
    lists: str = "head",
    temperature: float = 0.5,
    scale: float | None = None,
    logit_scale: float | None = None,
    dense_up_to: int = 0,
    append_count: int = 0,
    append_norms: str = "value",
    return_lists: bool = False,
    output_type: str = "float32",
    layout: str = "hnd",
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Output of the shape of q, log-sum-exps [.., heads], selected keys int32 [.., heads or kv_heads, sink + budget +
    window] and their counts; the last two are empty without return_lists. A workspace of None is allocated."""
    given = locals()
    made = _fake_step(**given)
    index, count, normed = _index(given), given.pop("append_count"), given.pop("append_norms")
    if lengths is None:
        index.used -= count  # which the step adds
    if workspace is None:
        given["workspace"] = _workspace(index, **given)
    append = _step.Append(count, norms=normed) if count else None
    out = made if return_lists else made[:2]
    _step.decode_step(given.pop("q"), index, out=out, return_lse=True, append=append, **given)
    return made


def _workspace(index: Index, *, q: Tensor, **named: Any) -> Tensor:
    sizes = {name: named[name] for name in ("budget", "sink", "window", "lists", "dense_up_to")}
    return _step.decode_workspace(q, index, **sizes)


def step_workspace(*given: Any, **named: Any) -> Tensor:
    """The workspace of a decode_step with the same arguments, for one stream or one graph at a time."""
    bound = inspect.signature(_decode_step).bind(*given, **named)
    bound.apply_defaults()
    return _workspace(_index(bound.arguments), **bound.arguments)


def _fake_step(
    q: Tensor, keys: Tensor, values: Tensor, packed: Tensor, norms: Tensor, hyperplanes: Tensor, workspace: Any = None,
    lengths: Any = None, block_table: Tensor | None = None, *_: Any, budget: int, sink: int = 0, window: int = 0,
    lists: str = "head", return_lists: bool = False, output_type: str = "float32", layout: str = "hnd", **__: Any,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    kv_heads = keys.shape[2 if block_table is not None and layout == "nhd" else 1]
    rows = (*q.shape[:-2], heads_with_lists(lists, q.shape[-2], kv_heads)) if return_lists else (0,)
    type_number(output_type)  # which refuses other names
    output = q.new_empty(q.shape, dtype=getattr(torch, output_type))
    log_sums = q.new_empty(q.shape[:-1], dtype=torch.float32)
    selected = q.new_empty((*rows, sink + budget + window) if return_lists else rows, dtype=torch.int32)
    return output, log_sums, selected, q.new_empty(rows, dtype=torch.int32)


def _select(
    q: Tensor,
    packed: Tensor,
    norms: Tensor,
    hyperplanes: Tensor,
    lengths: Tensor | None = None,
    block_table: Tensor | None = None,
    *,
    budget: int,
    sink: int = 0,
    window: int = 0,
    sparsity: int = 0,
    rule: str = "soft-collision",
    lists: str = "head",
    temperature: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """The lists of a step without its attention, which another library may do: q [batch, heads, dim]; selected keys int32 [batch,
    heads or kv_heads, sink + budget + window], rising, -1 behind the last, and their counts. As the step's with usual scales."""
    signed, (heads, kv_heads) = rule == "signed-projection", (q.shape[1], packed.shape[1])
    kind = torch.bfloat16 if signed and heads > kv_heads else torch.float32
    capacity = packed.shape[2] * 64 * (1 if block_table is None else block_table.shape[1])
    tables, planes = hyperplanes.shape[:2]
    halves = q.new_empty((*q.shape[:2], tables, 2 ** ((planes + 1) // 2) + 2 ** (planes // 2)), dtype=torch.float32)
    soft_buckets(q, hyperplanes, form="half-sums" if signed else "half-tables", temperature=temperature, out=halves)
    scores = q.new_empty((q.shape[0], heads_with_lists(lists, heads, kv_heads), capacity), dtype=kind)
    seen: dict[str, Any] = {"used": capacity, "lengths": lengths}
    score_packed(
        halves, packed, norms, planes=planes, rule=rule, lists=lists, block_table=block_table, out=scores,
        score_type=str(kind).removeprefix("torch."), **seen,
    )  # fmt: skip
    chosen: dict[str, Any] = {"budget": budget, "sink": sink, "window": window}
    made = _fake_select(q, packed, lists=lists, **chosen)
    select_keys(scores, sparsity=sparsity, out=made, **chosen, **seen)
    return made


def _fake_select(
    q: Tensor, packed: Tensor, *_: Any, budget: int, sink: int = 0, window: int = 0, lists: str = "head", **__: Any
) -> tuple[Tensor, Tensor]:  # fmt: skip
    rows = (q.shape[0], heads_with_lists(lists, q.shape[1], packed.shape[1]))
    return q.new_empty((*rows, sink + budget + window), dtype=torch.int32), q.new_empty(rows, dtype=torch.int32)


def _append(
    keys: Tensor,
    values: Tensor,
    packed: Tensor,
    norms: Tensor,
    hyperplanes: Tensor,
    lengths: Tensor,
    block_table: Tensor | None = None,
    *,
    count: int = 1,
    append_norms: str = "value",
    layout: str = "hnd",
) -> None:
    """Codes and norms of the last `count` keys of each sequence, which are in the cache already; append_norms "value" for
    SOCKET's rule, "key" for the signed one, or "none"."""
    normed = {"none": None, "value": values, "key": keys}
    if append_norms not in normed:
        raise ValueError(f"append_norms {append_norms}: allowed are {', '.join(normed)}")
    out = packed, None if append_norms == "none" else norms
    paged: dict[str, Any] = {} if block_table is None else {"block_table": block_table, "layout": layout}
    build_index(keys, hyperplanes, normed[append_norms], count=count, lengths=lengths, out=out, **paged)


decode_step = torch.library.custom_op(
    "socketlab::decode_step", _decode_step, mutates_args=("packed", "norms", "workspace")
)
decode_step.register_fake(_fake_step)
select = torch.library.custom_op("socketlab::select", _select, mutates_args=())
select.register_fake(_fake_select)
append = torch.library.custom_op("socketlab::append", _append, mutates_args=("packed", "norms"))
append.register_fake(lambda *_, **__: None)
