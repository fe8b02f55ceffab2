"""The whole decode step over an index: skt_decode_step of gpu/socketlab_gpu.h.

Nothing is allocated in a call that PyTorch captures in a CUDA graph: such a call needs `out=` and `workspace=`. Two
graphs that may run at the same time need a workspace each.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ._index import Index
from ._query import mask_fields, rule_number
from ._tensors import (
    Tensor,
    checked,
    launching,
    lengths_address,
    look,
    made,
    on_one_device,
    torch_with_gpu,
    type_code,
    types_beside,
)

_OPERATION = "skt_decode_step"


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


def _given(out: Any, return_lse: bool) -> tuple[Tensor | None, Tensor | None]:
    """Output and log-sum-exp, where the caller has made them."""
    if not return_lse:
        return out, None
    if out is None:
        return None, None
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise TypeError(f"out: {type(out).__name__}; allowed with return_lse is a pair of tensors")
    return out[0], out[1]


def decode_workspace(q: Tensor, index: Index, *, budget: int, sink: int = 0, window: int = 0) -> Tensor:
    """The scratch memory of a decode_step with these arguments: uint8, for one stream or one graph at a time."""
    torch = torch_with_gpu()
    needed = index.library.needed_bytes(_OPERATION, _arguments(q, index, budget, sink, window))
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
    return_lse: bool = False,
    out: Any = None,
    workspace: Tensor | None = None,
    stream: Any = None,
) -> Any:
    """Attention float32, of the shape of q, over the sink, the window and the `budget` highest-scoring other keys.

    q [batch, heads, dim], or [heads, dim] if batch is 1, of the type of the index, or of any type over float8_e4m3fn;
    heads a multiple of kv_heads (GQA). scale is for the projections and logit_scale for q.k, each by default 1 /
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

    return_lse returns a pair: the output, and float32 [batch, heads] or [heads], the natural log-sum-exp of the scaled
    logits of the selected keys; `out` is then such a pair. Where nothing is selected they are NaN and -inf. ValueError
    with the library's own message; TypeError for an `out` that is not a pair.
    """
    torch, library = torch_with_gpu(), index.library
    given_output, given_lse = _given(out, return_lse)
    asked = (budget, sink, window, sparsity, temperature, scale, logit_scale, rule, return_lse)
    seen = None if mask is not None else _seen(index, asked, q, given_output, given_lse, workspace, lengths)
    last = index.last_step
    known = last if seen is not None and last is not None and last[0] == seen else None
    if known is not None:
        _, arguments, needed = known
    else:
        arguments = _arguments(q, index, budget, sink, window)
        on_one_device(q, index.keys, mask, lengths, given_output, given_lse, workspace)
        _fill(arguments, temperature=temperature, rule=rule_number(rule))
        if sparsity != 0:
            _fill(arguments, sparsity=sparsity)
        if lengths is not None:
            _fill(arguments, lengths=lengths_address(lengths, arguments.batch), used=index.capacity)
        if scale is not None:
            _fill(arguments, scale=scale)
        if logit_scale is not None:
            _fill(arguments, logit_scale=logit_scale)
        if mask is not None:
            rows, width = index.mask_sizes
            _fill(arguments, **mask_fields(mask, rows, arguments.heads, width))
        needed = library.needed_bytes(_OPERATION, arguments) if workspace is None else 0
    with launching(torch, q, stream) as handle:
        output, lse = given_output, given_lse
        if known is None or output is None:
            output = made(output, "out[0]" if return_lse else "out", q, "float32", q.shape)
        if return_lse and (known is None or lse is None):
            lse = made(lse, "out[1]", q, "float32", q.shape[:-1])
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
        library.launch(_OPERATION, handle, call)
    if known is None and seen is not None:
        index.last_step = seen, arguments, needed
    return (output, lse) if return_lse else output
