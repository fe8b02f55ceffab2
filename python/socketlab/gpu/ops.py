"""PyTorch operators: torch.ops.socketlab.decode_step, .select and .append, for torch.compile, torch.export and CUDA graphs.

Importing this module registers them; socketlab.gpu itself does not import it, nor PyTorch. Each takes the tensors of an
index rather than an index: keys and values [batch, kv_heads, capacity, dim], or pools in pages with a block_table int32
[batch, blocks] and the layout "hnd" or "nhd"; packed int32 and norms float16 as build_index writes them; hyperplanes
float32 [tables, planes, dim]; lengths int32 [batch], read on the GPU, or None for all `capacity` keys. q [batch, heads,
dim] or [batch, rows, heads, dim]. Types and shapes are those of socketlab.gpu.decode_step, and so are the errors.

What an operator writes is in its schema: decode_step `workspace` and, of the append_count newest keys, packed and norms;
append packed and norms. What it returns is new, in a captured graph from the graph's memory. No operator has a gradient.
"""

import ctypes
import inspect
import math
from typing import Any

import torch
from torch import Tensor

from ._index import Index
from ._interface import constants, load
from ._paged_index import PagedIndex
from ._pages import checked_table, table_fields
from ._prefill import TILE, build_index
from ._query import half_entries, mask_fields, rule_number
from ._tensors import address, checked, launching, lengths_address, on_one_device, type_code, types_beside

_LISTS = {"head": "LIST_OF_HEAD", "kv-head": "LIST_OF_KV_HEAD"}
_NORMS = {"none": "APPEND_NO_NORMS", "values": "APPEND_VALUE_NORMS", "keys": "APPEND_KEY_NORMS"}


def _number(names: dict[str, str], name: str, value: str) -> int:
    if value not in names:
        raise ValueError(f"{name} {value}: allowed are {', '.join(names)}")
    return constants()[names[value]]


def _list_shape(q: Tensor, kv_heads: int, lists: str, size: int) -> tuple[int, ...]:
    return (*q.shape[:-2], kv_heads if lists == "kv-head" else q.shape[-2], size)


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
    append_norms: str = "values",
    return_lists: bool = False,
    layout: str = "hnd",
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Output float32 of the shape of q, log-sum-exps [.., heads], selected keys int32 [.., heads or kv_heads, sink + budget +
    window] and their counts; the last two are empty without return_lists. A workspace of None is allocated."""
    given = locals()
    workspace = given.pop("workspace")
    index, arguments = _filled(**given)
    made = _fake_step(**given)
    places = zip(("output", "log_sum_exp", "selected", "list_counts"), made, strict=True)
    for name, tensor in places:
        setattr(arguments, name, tensor.data_ptr() if tensor.numel() > 0 else None)
    if workspace is None:
        workspace = _workspace(q, index, arguments)
    arguments.workspace = checked(workspace, "workspace", ("uint8",), (None,)).data_ptr()
    arguments.workspace_bytes = workspace.numel()
    with launching(torch, q, None) as handle:
        index.library.launch("skt_decode_step", handle, arguments)
    return made


def _filled(
    q: Tensor, keys: Tensor, values: Tensor, packed: Tensor, norms: Tensor, hyperplanes: Tensor, lengths: Tensor | None,
    block_table: Tensor | None, log_sums: Tensor | None, mask: Tensor | None, key_scales: Tensor | None, value_scales: Tensor | None, *, rule: str,
    lists: str, append_norms: str, layout: str, scale: float | None, logit_scale: float | None, return_lists: bool,
    **numbers: Any,
) -> tuple[Index, ctypes.Structure]:  # fmt: skip
    """Arguments of skt_decode_step but for what it writes."""
    parts, scales = (keys, values, packed, norms, hyperplanes), {"key_scales": key_scales, "value_scales": value_scales}
    if block_table is None:
        index = Index.of_parts(*parts, **scales)
    else:
        index = PagedIndex(*parts, block_table, layout=layout, **scales)
    rows = () if q.ndim == 3 else (None,)
    checked(q, "q", types_beside(index.keys), (index.batch, *rows, None, index.hyperplanes.shape[2]))
    on_one_device(q, keys, lengths, log_sums, mask)
    arguments, heads = index.step_arguments(), q.shape[-2]
    fields: dict[str, Any] = {
        **dict(queries=q.data_ptr(), heads=heads, query_rows=1 if q.ndim == 3 else q.shape[1], type=type_code(q)),
        **dict(used=index.capacity, lengths=lengths_address(lengths, index.batch), rule=rule_number(rule)),
        **dict(lists=_number(_LISTS, "lists", lists), append_norms=_number(_NORMS, "append_norms", append_norms)),
        **numbers,
    }
    fields |= {name: x for name, x in (("scale", scale), ("logit_scale", logit_scale)) if x is not None}
    if log_sums is not None:
        fields["log_sums"] = address(checked(log_sums, "log_sums", ("float32",), (*q.shape[:-2], heads)))
    if mask is not None:
        fields |= mask_fields(mask, index.mask_sizes[0], heads, index.mask_sizes[1])
    for name, value in fields.items():
        setattr(arguments, name, value)
    return index, arguments


def _workspace(q: Tensor, index: Index, arguments: ctypes.Structure) -> Tensor:
    needed = index.library.needed_bytes("skt_decode_step", arguments)
    return torch.empty(max(1, needed), dtype=torch.uint8, device=q.device)


def step_workspace(*given: Any, **named: Any) -> Tensor:
    """The workspace of a decode_step with the same arguments, for one stream or one graph at a time."""
    bound = inspect.signature(_decode_step).bind(*given, **named)
    bound.apply_defaults()
    del bound.arguments["workspace"]
    return _workspace(bound.arguments["q"], *_filled(**bound.arguments))


def _fake_step(
    q: Tensor, keys: Tensor, values: Tensor, packed: Tensor, norms: Tensor, hyperplanes: Tensor, workspace: Any = None,
    lengths: Any = None, block_table: Tensor | None = None, *_: Any, budget: int, sink: int = 0, window: int = 0,
    lists: str = "head", return_lists: bool = False, layout: str = "hnd", **__: Any,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    kv_heads = keys.shape[2 if block_table is not None and layout == "nhd" else 1]
    shape = _list_shape(q, kv_heads, lists, sink + budget + window) if return_lists else (0,)
    output, log_sums = (q.new_empty(size, dtype=torch.float32) for size in (q.shape, q.shape[:-1]))
    selected = q.new_empty(shape, dtype=torch.int32)
    return output, log_sums, selected, q.new_empty(shape[:-1] if return_lists else (0,), dtype=torch.int32)


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
    """The lists of a step without its attention, which another library may do: selected keys int32 [.., heads or kv_heads, sink +
    budget + window], rising, -1 behind the last, and their counts. As the step's with usual scales."""
    library, (rows_of_index, kv_heads, tiles) = load(), packed.shape[:3]
    (tables, planes, dim), heads = hyperplanes.shape, q.shape[-2]
    batch, capacity = rows_of_index, tiles * TILE
    pages: dict[str, Any] = {}
    if block_table is not None:
        batch, blocks = checked_table(block_table).shape
        pages, capacity = table_fields(block_table, rows_of_index, capacity), blocks * capacity
    signed, row_lists = rule == "signed-projection", kv_heads if lists == "kv-head" else heads
    rows = q.shape[1] if q.ndim == 4 else 1
    for tensor, name, kind, shape in (
        (packed, "packed", "int32", packed.shape), (norms, "norms", "float16", (rows_of_index, kv_heads, tiles * TILE)),
        (hyperplanes, "hyperplanes", "float32", (tables, planes, dim)),
    ):  # fmt: skip
        checked(tensor, name, (kind,), shape)
    checked(q, "q", ("float32", "float16", "bfloat16"), (batch, *q.shape[1:-2], heads, dim))
    sizes = dict(batch=batch, heads=heads, kv_heads=kv_heads, query_rows=rows, capacity=capacity)
    codes = dict(dim=dim, tables=tables, planes=planes)
    seen = dict(used=capacity, lengths=lengths_address(lengths, batch))
    chosen = dict(budget=budget, sink=sink, window=window, sparsity=sparsity)
    with launching(torch, q, None) as handle:
        halves = q.new_empty((*q.shape[:-1], tables, half_entries(planes)), dtype=torch.float32)
        form = constants()["HALF_SUMS" if signed else "HALF_TABLES"]
        library.call(
            "skt_soft_buckets", handle, **sizes, **codes, queries=address(q), hyperplanes=address(hyperplanes),
            probabilities=address(halves), scale=1 / math.sqrt(dim), temperature=temperature, query_type=type_code(q), form=form,
        )  # fmt: skip
        narrow = signed and heads > kv_heads
        scores = q.new_empty((*q.shape[:-2], row_lists, capacity), dtype=torch.bfloat16 if narrow else torch.float32)
        library.call(
            "skt_score_packed", handle, **sizes, **codes, **seen, **pages, **chosen, half_tables=address(halves), packed=address(packed),
            norms=address(norms), scores=address(scores), rule=rule_number(rule), score_type=type_code(scores),
            lists=_number(_LISTS, "lists", lists), weight_scale=math.sqrt(math.pi / 2) / (tables * planes) / math.log(2),
        )  # fmt: skip
        selected, counts = _fake_select(q, packed, lists=lists, **chosen)
        sizes["heads"] = row_lists
        library.call(
            "skt_select_keys", handle, **sizes, **seen, **chosen, scores=address(scores), selected=address(selected),
            counts=address(counts), score_type=type_code(scores),
        )  # fmt: skip
    return selected, counts


def _fake_select(
    q: Tensor, packed: Tensor, *_: Any, budget: int, sink: int = 0, window: int = 0, lists: str = "head", **__: Any
) -> tuple[Tensor, Tensor]:  # fmt: skip
    shape = _list_shape(q, packed.shape[1], lists, sink + budget + window)
    return q.new_empty(shape, dtype=torch.int32), q.new_empty(shape[:-1], dtype=torch.int32)


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
    append_norms: str = "values",
    layout: str = "hnd",
) -> None:
    """Codes and norms of the last `count` keys of each sequence, which are in the cache already; append_norms "none", "values"
    for SOCKET's rule or "keys" for the signed one."""
    _number(_NORMS, "append_norms", append_norms)
    normed = {"none": None, "values": values, "keys": keys}[append_norms]
    build_index(
        keys, hyperplanes, normed, count=count, lengths=lengths, block_table=block_table,
        layout=layout if block_table is not None else None, out=(packed, None if normed is None else norms),
    )  # fmt: skip


decode_step = torch.library.custom_op(
    "socketlab::decode_step", _decode_step, mutates_args=("packed", "norms", "workspace")
)
decode_step.register_fake(_fake_step)
select = torch.library.custom_op("socketlab::select", _select, mutates_args=())
select.register_fake(_fake_select)
append = torch.library.custom_op("socketlab::append", _append, mutates_args=("packed", "norms"))
append.register_fake(lambda *_, **__: None)
