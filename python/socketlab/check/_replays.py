"""Does a kernel give the same every time, when it is called and when a CUDA graph replays it?

Bit for bit, in the same order: a result that differs from the first is a failure, whatever is right. In a graph the inputs
change in place between replays, reversed along their last axis and back, and the outputs are overwritten before each: a
kernel that reads a buffer which was filled while it was captured, or that leaves places unwritten, gives what it gave
before. What it must give is what the same callable gave outside of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import whole
from ._failure import CheckFailure, Report
from ._scores import ScoringCase
from ._selection_cases import SelectionCase
from ._step_cases import DecodeCase
from ._tensors import on_device, on_host, torch_or_none

Case = SelectionCase | ScoringCase | DecodeCase | Sequence[Any]
_GRAPHS = ("auto", "always", "never")


def _is_cuda(thing: Any) -> bool:
    return bool(getattr(thing, "is_cuda", False))


def _parts(result: Any) -> list[Any]:
    """The arrays of a result, None left out."""
    return [part for part in result if part is not None] if isinstance(result, (tuple, list)) else [result]


def _bits(result: Any) -> list[NDArray[Any]]:
    """Copies on the CPU, in which the same bits are equal: numbers that are not whole as whole numbers."""
    arrays = []
    for part in _parts(result):
        host = on_host(part, "results")
        if str(getattr(host, "dtype", "")).endswith("bfloat16") and hasattr(host, "float"):
            host = host.float()  # exact, and NumPy has no bfloat16
        array = np.array(np.asarray(host), order="C", copy=True)
        arrays.append(array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "f" else array)
    return arrays


class _First:
    """What the first call gave, which every other must give."""

    def __init__(self, result: Any, same: str, replay: str) -> None:
        self.bits, self.same, self.replay = _bits(result), same, replay

    def require(self, result: Any, which: str) -> int:
        """How many numbers agreed."""
        got = _bits(result)
        if [a.shape for a in got] != [a.shape for a in self.bits]:
            raise CheckFailure(
                f"{which} has results of other shapes", row=0, key=None, excess=np.inf, replay=self.replay
            )
        for number, (mine, first) in enumerate(zip(got, self.bits, strict=True)):
            self._require_part(mine, first, which if len(got) == 1 else f"{which}, result {number},")
        return int(sum(array.size for array in got))

    def _require_part(self, got: NDArray[Any], first: NDArray[Any], which: str) -> None:
        rows, expected = np.atleast_2d(got), np.atleast_2d(first)
        rows, expected = rows.reshape(-1, rows.shape[-1]), expected.reshape(-1, expected.shape[-1])
        of_keys = got.dtype.kind in "iu" and first.dtype.kind in "iu"
        if self.same == "set":
            rows, expected = np.sort(rows, axis=1), np.sort(expected, axis=1)
        wrong = np.argwhere(rows != expected)
        if len(wrong) == 0:
            return
        row, place = int(wrong[0][0]), int(wrong[0][1])
        same_set = of_keys and np.array_equal(np.sort(rows[row]), np.sort(expected[row]))
        what = "the same in another order" if same_set and self.same != "set" else "something else"
        key = int(np.unravel_index(place, rows.shape[1:])[0])
        raise CheckFailure(
            f"{which} gives {what}: at place {place} of {rows.shape[1]}; {len(wrong)} places differ",
            row=row,
            key=key,
            excess=float(len(wrong)),
            replay=self.replay,
        )


def _inputs(case: Case, device: str | None) -> tuple[list[Any], list[Any]]:
    """The arguments of the callable, and of them the arrays whose contents may be reversed."""
    if isinstance(case, SelectionCase):
        scores = on_device(case.scores, device)
        return [scores], [scores]
    if isinstance(case, ScoringCase):
        scored = case.on(device)
        return [scored], [scored.tables, scored.norms]
    if isinstance(case, DecodeCase):
        placed = case.on(device)
        return [placed], [placed.queries]
    arrays = [on_device(array, device) if isinstance(array, np.ndarray) else array for array in case]
    return arrays, [a for a in arrays if "float" in str(getattr(a, "dtype", ""))]


def _reverse(arrays: list[Any]) -> None:
    for array in arrays:
        array.copy_(array.flip(-1))


def _poison(result: Any) -> None:
    for part in _parts(result):
        part.fill_(float("nan") if part.is_floating_point() else -7)


def _captured(torch: Any, fn: Callable[..., Any], arguments: list[Any]) -> tuple[Any, Any]:
    """A graph of one call, and the tensors that a replay writes."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):  # what compiles or allocates at its first call
            fn(*arguments)
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            results = fn(*arguments)
    except RuntimeError as error:
        line = str(error).splitlines()[0]
        raise ValueError(f'fn: not captured in a CUDA graph: {line}; graph="never" leaves this out') from error
    return graph, results


def _replay_in_graph(
    fn: Callable[..., Any], arguments: list[Any], changing: list[Any], times: int, first: _First
) -> int:
    torch = torch_or_none()
    _reverse(changing)
    reversed_first = _First(fn(*arguments), first.same, first.replay)
    _reverse(changing)
    graph, results = _captured(torch, fn, arguments)
    compared = 0
    for time in range(times):
        _poison(results)
        graph.replay()
        torch.cuda.synchronize()
        expected, words = (first, "") if time % 2 == 0 else (reversed_first, " over inputs that were reversed in place")
        compared += expected.require(results, f"replay {time + 1} of a graph{words}")
        _reverse(changing)
    if times % 2 == 1:
        _reverse(changing)
    return compared


def replays(
    fn: Callable[..., Any],
    case: Case,
    *,
    times: int = 25,
    device: str | None = None,
    same: str = "list",
    graph: str = "auto",
) -> Report:
    """The results of `times` calls, and of as many replays of a CUDA graph, against those of the first call.

    case: a SelectionCase (fn(scores)), a ScoringCase or DecodeCase (fn(case)), or the arrays of
    one's own call. `device`, "cuda" say, hands them over as tensors of PyTorch there. fn returns an array or a tuple of
    them. same "list" asks for the same bits in the same order, "set" lets the order along the last axis go. graph "auto"
    captures where results are CUDA tensors of PyTorch, "always" refuses others, "never" does not. CheckFailure's row and
    key are the first row and place that differ.
    """
    if whole(times, "times") < 1:
        raise ValueError(f"times {times}: allowed are 1 and more")
    if same not in ("list", "set"):
        raise ValueError(f"same {same}: allowed are list, set")
    if graph not in _GRAPHS:
        raise ValueError(f"graph {graph}: allowed are {', '.join(_GRAPHS)}")
    arguments, changing = _inputs(case, device)
    named = repr(case) if isinstance(case, (SelectionCase, ScoringCase, DecodeCase)) else "case"
    replay = f'socketlab.check.replays(fn, {named}, times={times}, device={device!r}, same="{same}", graph="{graph}")'
    result = fn(*arguments)
    first = _First(result, same, replay)
    compared = sum(first.require(fn(*arguments), f"call {time + 1}") for time in range(1, times))
    on_gpu = all(_is_cuda(part) for part in _parts(result))
    if graph == "always" and not on_gpu:
        raise ValueError("graph always: the results are no CUDA tensors of PyTorch")
    if on_gpu and graph != "never":
        compared += _replay_in_graph(fn, arguments, changing, times, first)
    return Report(compared, 0.0)
