"""Is an output the softmax attention over the keys that are listed with it?

Bound (gpu/attention/attention.cu): of fp32 arithmetic in any order over the longest list, for each coordinate. On top,
of an output or of weights of another type with unit u and half its smallest number h: an output is off by u of itself and
by h; weights that are rounded before they meet the values are off by u each, in the numerator and perhaps in the divisor,
2.02 u of the weighted mean of |v|, and by 2 h max |v| for each key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arrays import reals
from ._failure import CheckFailure, Report, compared, numbers
from ._tensors import on_host

# Unit roundoff, and half of the smallest number.
_TYPES = {"f32": (0.0, 0.0), "f16": (2.0**-11, 2.0**-25), "bf16": (2.0**-8, 2.0**-134)}
_BASES = {"e": 1.0, "2": math.log(2.0)}
_F32_UNIT = 2.0**-24


def _single(given: Any, name: str, dimensions: int) -> NDArray[np.float64]:
    """Numbers of fp32, which a kernel reads without rounding them."""
    array = reals(given, name, dimensions)
    with np.errstate(over="ignore"):
        wrong = array.astype(np.float32).astype(np.float64) != array
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name}: element {list(at)} is {float(array[at])!r}; allowed are numbers of float32, as a kernel reads"
        )
    return array


def _headed(given: Any, name: str, dimensions: int) -> NDArray[np.float64]:
    one = np.ndim(given) == dimensions - 1 if not hasattr(given, "ndim") else given.ndim == dimensions - 1
    return _single(given, name, dimensions - 1)[np.newaxis] if one else _single(given, name, dimensions)


def _extra(mean: NDArray[np.float64], values: NDArray[np.float64], weights: str) -> NDArray[np.float64]:
    """What rounded weights add; mean [value_dim] of |v| by the exact weights."""
    unit, least = _TYPES[weights]
    added: NDArray[np.float64] = 2.02 * unit * mean + 2 * least * len(values) * np.abs(values).max(axis=0)
    return added


def _mean_size(
    query: NDArray[np.float64], keys: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    logits = keys @ query / math.sqrt(len(query))
    weight = np.exp(logits - logits.max())
    mean: NDArray[np.float64] = weight @ np.abs(values) / weight.sum()
    return mean


@dataclass(frozen=True)
class _Given:
    """The arrays of a call, of shapes that fit, and the words that say how they were made."""

    queries: NDArray[np.float64]
    keys: NDArray[np.float64]
    values: NDArray[np.float64]
    lists: NDArray[np.int64]
    outputs: NDArray[np.float64]
    logs: NDArray[np.float64] | None
    base: str
    dtype: str
    weights: str
    empty: str

    def own(self, row: int) -> int:
        """The key head of a query head."""
        return row // (len(self.queries) // len(self.keys))

    def fail(self, row: int, key: int | None, what: str, excess: float) -> None:
        own, one = self.own(row), f"[{row}:{row + 1}]"
        of_log = "" if self.logs is None else f", lse{one}"
        replay = (
            f"socketlab.check.attention(q{one}, k[{own}:{own + 1}], v[{own}:{own + 1}], selected{one}, output{one}{of_log}, "
            f'base="{self.base}", dtype="{self.dtype}", weights="{self.weights}", empty="{self.empty}")'
        )
        raise CheckFailure(what, row=row, key=key, excess=excess, replay=replay, axis="coordinate")


def _require_words(base: str, dtype: str, weights: str, empty: str) -> None:
    for name, word, allowed in (
        ("dtype", dtype, tuple(_TYPES)),
        ("weights", weights, tuple(_TYPES)),
        ("base", base, tuple(_BASES)),
        ("empty", empty, ("nan", "zero")),
    ):
        if word not in allowed:
            raise ValueError(f"{name} {word}: allowed are {', '.join(allowed)}")


def _require_shapes(given: _Given) -> None:
    queries, keys, values, lists = given.queries, given.keys, given.values, given.lists
    heads, shape = len(queries), (len(queries), values.shape[2])
    if keys.shape[:2] != values.shape[:2] or keys.shape[2] != queries.shape[1] or heads % max(1, len(keys)) != 0:
        raise ValueError(f"q, k, v: shapes {list(queries.shape)}, {list(keys.shape)}, {list(values.shape)} do not fit")
    if lists.dtype.kind not in "iu" or lists.ndim != 2 or len(lists) != heads:
        raise ValueError(f"selected: {lists.dtype} {list(lists.shape)}; allowed are whole numbers [{heads}, width]")
    if given.outputs.shape != shape:
        raise ValueError(f"output: shape {list(given.outputs.shape)}; allowed is {list(shape)}")
    if given.logs is not None and len(given.logs) != heads:
        raise ValueError(f"lse: {len(given.logs)} numbers; allowed are {heads}, one for each head")
    if ((lists < -1) | (lists >= keys.shape[1])).any():
        raise ValueError(f"selected: allowed are 0 to {keys.shape[1] - 1}, and -1 for a free place")


@dataclass(frozen=True)
class _Expected:
    """Of a row: the output with its bound, [value_dim], and the log-sum-exp with its own."""

    output: NDArray[np.float64]
    bound: NDArray[np.float64]
    log: float = -math.inf
    log_bound: float = 0.0


def _expected(given: _Given, row: int) -> _Expected:
    listed = given.lists[row][given.lists[row] != -1]
    width = given.values.shape[2]
    if len(listed) == 0:
        return _Expected(np.full(width, np.nan if given.empty == "nan" else 0.0), np.zeros(width))
    keys, values = given.keys[given.own(row)][listed], given.values[given.own(row)][listed]
    exact, bound, log, log_bound = _core.attention_bounds(given.queries[row], keys, values, given.lists.shape[1])
    bound = bound + _extra(_mean_size(given.queries[row], keys, values), values, given.weights)
    unit, least = _TYPES[given.dtype]
    of_weights, least_weight = _TYPES[given.weights]
    log /= _BASES[given.base]
    log_bound = log_bound / _BASES[given.base] + 2 * _F32_UNIT * abs(log)
    log_bound += (2.02 * of_weights + 2 * least_weight * len(listed)) / _BASES[given.base]
    return _Expected(exact, bound + unit * (np.abs(exact) + bound) + least, log, log_bound)


def _check(given: _Given, expected: list[_Expected]) -> float:
    """The largest error over its bound."""
    middle, bound = (
        np.array([getattr(row, part) for row in expected]).reshape(given.outputs.shape) for part in ("output", "bound")
    )
    of_outputs, row, at, what = compared("output", given.outputs, middle, bound)
    if of_outputs > 1:
        given.fail(row, at, what, of_outputs)
    if given.logs is None:
        return of_outputs
    middle, bound = (np.array([[getattr(row, part)] for row in expected]) for part in ("log", "log_bound"))
    of_logs, row, _, what = compared(f"log-sum-exp to base {given.base}", given.logs[:, np.newaxis], middle, bound)
    if of_logs > 1:
        given.fail(row, None, what, of_logs)
    return max(of_outputs, of_logs)


def attention(
    q: Any,
    k: Any,
    v: Any,
    selected: Any,
    output: Any,
    lse: Any = None,
    *,
    base: str = "e",
    dtype: str = "f32",
    weights: str = "f32",
    empty: str = "nan",
) -> Report:
    """Outputs, and log-sum-exps where given, against softmax(q.k / sqrt(dim)) over the listed keys, in double.

    q [dim] or [heads, dim]; k [keys, dim] or [key_heads, keys, dim], v likewise with value_dim; numbers of float32.
    selected [width] or [heads, width]: keys, one that stands twice counts twice, -1 where there are fewer. output
    [heads, value_dim]; lse [heads], of the scaled logits, in `base` "e" or "2". dtype "f32", "f16" or "bf16": the type that
    the output was rounded to; weights: the type that the softmax weights were rounded to before they met the values.
    empty: what an output without keys must be, "nan" or "zero"; its log-sum-exp is -inf. CheckFailure's key is the
    coordinate of the output, None for a log-sum-exp. ValueError for shapes that do not fit and lists with what is no key.
    """
    _require_words(base, dtype, weights, empty)
    q, k, v = (on_host(array, name) for name, array in (("q", q), ("k", k), ("v", v)))
    given = _Given(
        _headed(q, "q", 2),
        _headed(k, "k", 3),
        _headed(v, "v", 3),
        np.atleast_2d(np.asarray(on_host(selected, "selected"))),
        np.atleast_2d(numbers(output, "output")),
        None if lse is None else numbers(lse, "lse").reshape(-1),
        base,
        dtype,
        weights,
        empty,
    )
    _require_shapes(given)
    expected = [_expected(given, row) for row in range(len(given.queries))]
    count = given.outputs.size + (0 if given.logs is None else given.logs.size)
    return Report(count, _check(given, expected))
