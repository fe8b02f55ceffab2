"""The whole decode step over an index: skt_decode_step of gpu/socketlab_gpu.h.

Nothing is allocated in a call that PyTorch captures in a CUDA graph: such a call needs `out=` and `workspace=`. Two
graphs that may run at the same time need a workspace each.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from ._index import Index
from ._interface import constants
from ._query import mask_fields, rule_number
from ._rest import Rest
from ._tensors import (
    Tensor,
    address,
    checked,
    launching,
    lengths_address,
    lists_number,
    look,
    made,
    on_one_device,
    torch_with_gpu,
    type_code,
    type_number,
    type_word,
    types_beside,
)

_OPERATION = "skt_decode_step"
_NORMS = {"none": "APPEND_NO_NORMS", "value": "APPEND_VALUE_NORMS", "key": "APPEND_KEY_NORMS"}


@dataclass(frozen=True)
class Append:
    """The newest keys of each sequence, which a decode_step adds to the index before it reads it.

    count            1 to 8. The cache has their keys and values already: index.keys and index.values, or its pages
    keys, values     of `count` keys, [batch, kv_heads, count, dim] of the type of q: what codes and norms are made of. By
                     default the cache itself, which float8_e4m3fn cannot be
    norms            "value": norms of the values, for soft collision; "key": of the keys, for signed projection; "none"
    """

    count: int = 1
    keys: Tensor | None = None
    values: Tensor | None = None
    norms: str = "value"

    def fields(self, q: Tensor, arguments: ctypes.Structure) -> dict[str, int | None]:
        """Of the arguments of a step, checked beside its others."""
        if self.norms not in _NORMS:
            raise ValueError(f"norms {self.norms}: allowed are {', '.join(_NORMS)}")
        batch, kv_heads, dim = arguments.batch, arguments.kv_heads, arguments.dim
        on_one_device(q, self.keys, self.values)
        for name, given in (("keys", self.keys), ("values", self.values)):
            if given is not None:
                checked(given, name, (type_word(q),), (batch, kv_heads, self.count, dim))
        return {
            "append_count": self.count,
            "append_keys": address(self.keys),
            "append_values": address(self.values),
            "append_norms": constants()[_NORMS[self.norms]],
        }


def _fill(arguments: ctypes.Structure, **named: int | float | None) -> None:
    """With what the caller chose, which may be no number at all."""
    for name, value in named.items():
        try:
            setattr(arguments, name, value)
        except TypeError as error:
            raise TypeError(f"{_OPERATION}: {name}: {error}") from None


def _arguments(q: Tensor, index: Index, budget: int, sink: int, window: int) -> ctypes.Structure:
    """Of a step over all keys, with the settings that are usual; q and the index are checked."""
    arguments = index.step_arguments()
    batch, dim = index.batch, index.keys.shape[3]
    sizes = getattr(q, "ndim", 3)
    if sizes == 4 and q.shape[1] == 0:
        raise ValueError("q: 0 rows; allowed are 1 to 8")
    shape = {2: (None, dim), 4: (batch, None, None, dim)}.get(sizes, (batch, None, dim))
    checked(q, "q", types_beside(index.keys), (batch, None, dim) if sizes == 2 and batch != 1 else shape)
    arguments.queries, arguments.heads, arguments.type = q.data_ptr(), q.shape[-2], type_code(q)
    arguments.query_rows = q.shape[1] if sizes == 4 else 1
    _fill(arguments, used=index.used, budget=budget, sink=sink, window=window)
    return arguments


def _seen(index: Index, asked: tuple[Any, ...], *tensors: Tensor | None) -> tuple[Any, ...] | None:
    """Whatever the checks of a call without a mask depend on: equal to that of the last call, they need not run again. None
    where something is no tensor, which the checks say."""
    try:
        looks = [None if tensor is None else look(tensor) for tensor in tensors]
    except AttributeError:
        return None
    return index.look(), asked, [type(number) for number in asked], looks


def _given(out: Any, return_lse: bool, return_lists: bool) -> list[Tensor | None]:
    """Output, log-sum-exp, lists and their counts, where the caller has made them."""
    asked = [True, return_lse, return_lists, return_lists]
    if sum(asked) == 1:
        return [out, None, None, None]
    if out is None:
        return [None] * 4
    if not isinstance(out, tuple | list) or len(out) != sum(asked):
        what = f"{type(out).__name__}" + (f" of {len(out)}" if isinstance(out, tuple | list) else "")
        flags = "return_lse" if not return_lists else "return_lists" + (" and return_lse" if return_lse else "")
        many = {2: "a pair of tensors", 3: "three tensors", 4: "four tensors"}[sum(asked)]
        raise TypeError(f"out: {what}; allowed with {flags} is {many}")
    given = iter(out)
    return [next(given) if is_asked else None for is_asked in asked]


def _results(
    q: Tensor,
    arguments: ctypes.Structure,
    given: list[Tensor | None],
    return_lse: bool,
    return_lists: bool,
    output_type: str,
    known: bool,
) -> list[Tensor | None]:
    """Output, log-sum-exp, lists and their counts, where they are asked for; `known`: those that are given are checked."""
    shapes: list[Any] = [q.shape, q.shape[:-1] if return_lse else None, None, None]
    if return_lists:
        heads = arguments.kv_heads if arguments.lists else arguments.heads
        rows = (*q.shape[:-2], heads)
        shapes[2:] = [(*rows, arguments.sink + arguments.budget + arguments.window), rows]
    several = return_lse or return_lists
    results: list[Tensor | None] = []
    for shape, one, kind in zip(shapes, given, (output_type, "float32", "int32", "int32"), strict=True):
        place = sum(result is not None for result in results)
        if shape is not None and not (known and one is not None):
            one = made(one, f"out[{place}]" if several else "out", q, kind, shape)
        results.append(one if shape is not None else None)
    return results


def decode_workspace(
    q: Tensor,
    index: Index,
    *,
    budget: int,
    sink: int = 0,
    window: int = 0,
    lists: str = "head",
    dense_up_to: int = 0,
    rest: Rest | None = None,
) -> Tensor:
    """The scratch memory of a decode_step with these arguments, of any number of keys: uint8, for one stream or one graph
    at a time."""
    torch = torch_with_gpu()
    arguments = _arguments(q, index, budget, sink, window)
    _fill(arguments, lists=lists_number(lists), dense_up_to=dense_up_to, used=index.capacity)
    if rest is not None:
        rest.fill(arguments, q, index.capacity, None)
    needed = index.library.needed_bytes(_OPERATION, arguments)
    on_one_device(q, index.keys)
    return torch.empty(max(1, needed), dtype=torch.uint8, device=q.device)


def decode_step(
    q: Tensor,
    index: Index,
    *,
    budget: int,
    sink: int = 0,
    window: int = 0,
    temperature: float = 0.5,
    scale: float | None = None,
    logit_scale: float | None = None,
    rule: str = "soft-collision",
    mask: Tensor | None = None,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    lists: str = "head",
    log_sums: Tensor | None = None,
    dense_up_to: int = 0,
    append: Append | None = None,
    rest: Rest | None = None,
    return_lse: bool = False,
    return_lists: bool = False,
    output_type: str = "float32",
    out: Any = None,
    workspace: Tensor | None = None,
    stream: Any = None,
) -> Any:
    """Attention of the shape of q over the sink, the window and the `budget` highest-scoring other keys.

    q [batch, heads, dim], or [heads, dim] if batch is 1, of the type of the index, or of any type over float8_e4m3fn;
    heads a multiple of kv_heads (GQA). output_type float32, float16 or bfloat16: in 16 bits the output is that of float32
    rounded to the nearest. scale is for the projections and logit_scale for q.k, each by default 1 /
    sqrt(dim). rule "soft-collision" or "signed-projection". mask bool or uint8 [batch, capacity] or [batch, heads,
    capacity]; over a PagedIndex in its pages. Runs on PyTorch's current stream or on `stream` (a torch.cuda.Stream or a
    handle). A call in a captured graph needs `out` and `workspace` (decode_workspace). It replays for as many keys as
    the index had at capture, or for the lengths that it then finds.

    For speculative decoding, q [batch, rows, heads, dim] has 1 to 8 rows for the last `rows` keys of each sequence,
    after one append() of that many tokens. Row r sees all keys except the last rows - 1 - r, none if there are no more.
    It gives the bits of a step with that row alone and that many keys. Output and log-sum-exp then have rows too; the
    mask is the same for all.

    lengths int32 [batch], read on the GPU: number of keys of each sequence, clamped to 0 .. the index's capacity. They
    must not change until the step is done. sparsity of 1 or more: the number of best keys is min(budget, max(1, length
    // sparsity)), where length is index.used without lengths; 0: it is `budget`.

    lists "kv-head": the query heads of a kv head share one list, of the keys that score best for them together
    (score_packed says how); at most 8 of them, by "soft-collision" 4. log_sums float32 [batch, heads] or [batch, rows,
    heads], for lists of kv heads by "signed-projection": natural log-sum-exps of the heads' logits, as a step before
    returned them; by default they are estimated. dense_up_to: sequences of at most so many keys attend to all of them,
    without scores and with an empty list; not beside a mask.

    append indexes the newest keys within the step: with lengths the last append.count of each sequence, which the
    lengths count already; without, those behind index.used, which the step raises by as many. ValueError if the cache
    has no room. With a window of at least append.count keys and no mask they are attended to whatever their
    norms hold.

    rest says how to estimate what the lists leave out; the RestResult is the last of the results. It changes none of the
    others.

    return_lse also returns float32 [batch, heads] or [heads], the natural log-sum-exp of the scaled logits of the
    selected keys; return_lists also returns the lists int32 [batch, lists, sink + budget + window], rising, with -1
    behind the last key, and their counts int32 [batch, lists], of `heads` or `kv_heads` lists (and of rows, where q has
    them). The results are then a tuple in this order, and `out` is such a tuple. Where nothing is selected the output
    and the log-sum-exp are NaN and -inf. ValueError with the library's own message; TypeError for an `out` of another
    number of tensors.
    """
    torch, library = torch_with_gpu(), index.library
    given = _given(out, return_lse, return_lists)
    asked = (budget, sink, window, sparsity, temperature, scale, logit_scale, rule, lists, dense_up_to, return_lse)
    asked = (*asked, return_lists, output_type, *(() if append is None else (append.count, append.norms)))
    tensors = (workspace, lengths, log_sums, *(() if append is None else (append.keys, append.values)))
    seen = None if mask is not None or rest is not None else _seen(index, asked, q, *given, *tensors)
    last = index.last_step
    known = last if seen is not None and last is not None and last[0] == seen else None
    if known is not None:
        _, arguments, needed = known
    else:
        arguments = _arguments(q, index, budget, sink, window)
        on_one_device(q, index.keys, mask, lengths, log_sums, *given, workspace)
        _fill(arguments, temperature=temperature, rule=rule_number(rule), lists=lists_number(lists))
        _fill(arguments, sparsity=sparsity, dense_up_to=dense_up_to, output_type=type_number(output_type))
        if lengths is not None:
            _fill(arguments, lengths=lengths_address(lengths, arguments.batch), used=index.capacity)
        scales = {"scale": scale, "logit_scale": logit_scale}
        _fill(arguments, **{name: number for name, number in scales.items() if number is not None})
        _fill(arguments, **mask_fields(mask, index.mask_sizes[0], arguments.heads, index.mask_sizes[1]))
        if log_sums is not None:
            checked(log_sums, "log_sums", ("float32",), q.shape[:-1])
        if append is not None:
            _fill(arguments, **append.fields(q, arguments))
            if lengths is None:
                _fill(arguments, used=index.used + append.count)
        if rest is not None:
            rest.fill(arguments, q, index.capacity, None)
        needed = library.needed_bytes(_OPERATION, arguments) if workspace is None else 0
    with launching(torch, q, stream) as handle:
        results = _results(q, arguments, given, return_lse, return_lists, output_type, known is not None)
        output, lse, selected, counts = results
        assert output is not None
        if workspace is None:
            scratch = index.workspace_of(torch, handle, needed)
        else:
            scratch = workspace if known is not None else checked(workspace, "workspace", ("uint8",), (None,))
        call = type(arguments).from_buffer_copy(arguments)  # another thread may be in the library with its own
        call.queries, call.output = q.data_ptr(), output.data_ptr()
        call.workspace, call.workspace_bytes = scratch.data_ptr(), scratch.numel()
        if lengths is not None:
            call.lengths = lengths.data_ptr()
        if lse is not None:
            call.log_sum_exp = lse.data_ptr()
        if selected is not None and counts is not None:
            call.selected, call.list_counts = selected.data_ptr(), counts.data_ptr()
        if log_sums is not None:
            call.log_sums = log_sums.data_ptr()
        if append is not None:
            call.append_keys, call.append_values = address(append.keys), address(append.values)
        left_out = None
        if rest is not None:
            left_out = rest.results(q)
            rest.fill(call, q, index.capacity, left_out)
        library.launch(_OPERATION, handle, call)
    if append is not None and lengths is None:
        index.used += append.count
    elif known is None and seen is not None:
        index.last_step = seen, arguments, needed
    returned: tuple[Any, ...] = tuple(one for one in results if one is not None)
    if left_out is not None:
        returned = (*returned, left_out)
    return returned if len(returned) > 1 else output
