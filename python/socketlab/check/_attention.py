"""Is an output the softmax attention over the keys that are listed with it?

Bound (gpu/attention/attention.cu): of fp32 arithmetic in any order over the longest list, for each coordinate. On top,
of an output or of weights of another type with unit u and half its smallest number h: an output is off by u of itself and
by h; weights that are rounded before they meet the values are off by u each, in the numerator and perhaps in the divisor,
2.02 u of the weighted mean of |v|, and by 2 h max |v| for each key.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arrays import reals
from ._failure import Bounded, CheckFailure, Report, excesses, numbers, worst_place

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
            f"{name}: element {list(at)} is {array[at]!r}; allowed are numbers of float32, as a kernel reads"
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
    for name, word, allowed in (("dtype", dtype, _TYPES), ("weights", weights, _TYPES), ("base", base, _BASES)):
        if word not in allowed:
            raise ValueError(f"{name} {word}: allowed are {', '.join(allowed)}")
    if empty not in ("nan", "zero"):
        raise ValueError(f"empty {empty}: allowed are nan, zero")
    queries, keys, values = _headed(q, "q", 2), _headed(k, "k", 3), _headed(v, "v", 3)
    lists = np.atleast_2d(np.asarray(selected))
    outputs = np.atleast_2d(numbers(output, "output"))
    logs = None if lse is None else numbers(lse, "lse").reshape(-1)
    heads, value_dim = len(queries), values.shape[2]
    if keys.shape[:2] != values.shape[:2] or keys.shape[2] != queries.shape[1] or heads % max(1, len(keys)) != 0:
        raise ValueError(f"q, k, v: shapes {list(queries.shape)}, {list(keys.shape)}, {list(values.shape)} do not fit")
    if lists.dtype.kind not in "iu" or lists.ndim != 2 or len(lists) != heads:
        raise ValueError(f"selected: {lists.dtype} {list(lists.shape)}; allowed are whole numbers [{heads}, width]")
    if outputs.shape != (heads, value_dim):
        raise ValueError(f"output: shape {list(outputs.shape)}; allowed is [{heads}, {value_dim}]")
    if logs is not None and len(logs) != heads:
        raise ValueError(f"lse: {len(logs)} numbers; allowed are {heads}, one for each head")
    if ((lists < -1) | (lists >= keys.shape[1])).any():
        raise ValueError(f"selected: allowed are 0 to {keys.shape[1] - 1}, and -1 for a free place")

    middle, radius = np.empty((heads, value_dim)), np.zeros((heads, value_dim))
    log_middle, log_radius = np.full(heads, -np.inf), np.zeros(heads)
    unit, least = _TYPES[dtype]
    for row in range(heads):
        own = row // (heads // len(keys))
        listed = lists[row][lists[row] != -1]
        if len(listed) == 0:
            middle[row] = np.nan if empty == "nan" else 0.0
            continue
        of_keys, of_values = keys[own][listed], values[own][listed]
        exact, bound, log, log_bound = _core.attention_bounds(queries[row], of_keys, of_values, lists.shape[1])
        bound = bound + _extra(_mean_size(queries[row], of_keys, of_values), of_values, weights)
        middle[row], radius[row] = exact, bound + unit * (np.abs(exact) + bound) + least
        log_middle[row] = log / _BASES[base]
        log_radius[row] = log_bound / _BASES[base] + 2 * _F32_UNIT * abs(log_middle[row])
        log_radius[row] += 2.02 * _TYPES[weights][0] + 2 * _TYPES[weights][1] * len(listed)
    none = np.isnan(middle)
    low, high = np.where(none, 0.0, middle - radius), np.where(none, 0.0, middle + radius)
    ratio = excesses(Bounded(np.where(none & np.isnan(outputs), 0.0, outputs), low, high))
    ratio = np.where(none & ~np.isnan(outputs), np.inf, ratio)
    compared, worst = ratio.size, 0.0

    def fail(row: int, key: int | None, what: str, excess: float) -> None:
        own = row // (heads // len(keys))
        one = f"[{row}:{row + 1}]"
        of_log = "" if logs is None else f", lse{one}"
        replay = (
            f"socketlab.check.attention(q{one}, k[{own}:{own + 1}], v[{own}:{own + 1}], selected{one}, output{one}{of_log}, "
            f'base="{base}", dtype="{dtype}", weights="{weights}", empty="{empty}")'
        )
        raise CheckFailure(what, row=row, key=key, excess=excess, replay=replay)

    if ratio.size:
        row, at = worst_place(ratio)
        worst = float(ratio[row, at])
        if worst > 1:
            fail(
                row,
                at,
                f"output {outputs[row, at]:.9g} at coordinate {at}, expected {middle[row, at]:.9g} within "
                f"{radius[row, at]:.3g}: the error is {worst:.3g} times its bound; {int((ratio > 1).sum())} are out",
                worst,
            )
    if logs is not None:
        log_ratio = excesses(Bounded(logs, log_middle - log_radius, log_middle + log_radius))
        row = int(np.argmax(log_ratio))
        if log_ratio[row] > 1:
            fail(
                row,
                None,
                f"log-sum-exp {logs[row]:.9g} to base {base}, expected {log_middle[row]:.9g} within "
                f"{log_radius[row]:.3g}: the error is {log_ratio[row]:.3g} times its bound",
                float(log_ratio[row]),
            )
        compared, worst = compared + logs.size, max(worst, float(log_ratio[row]))
    return Report(compared, worst)
