"""Is a decode step right: does it select what its scores say, and is its output softmax attention over that?

A score lies in the interval of gpu/check/references/score_bounds.hpp for who
hashes himself: a bit of a code may be either where its projection is within rounding. A selection is right if it holds every
allowed key of sink and window and as many others as the budget asks for, of which none left out is certainly better.

An output with its list is compared over that list. Without one, keys that are certainly selected are C, those that may be
are A, of which m are. With weights w, and c the average over C, every choice of m gives an output that is off c by at most

  (the sum of the m largest w |v - c| of A) / (the weight of C + the m smallest w of A)

in each coordinate; the rounding of fp32 comes on top, with the largest |v| for their average.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ._attention import _TYPES, attention
from ._failure import CheckFailure, Report, compared, numbers
from ._selection import Doubles, Row
from ._step_cases import DecodeCase, decode_case, decode_cases
from ._tensors import on_host


class _Row(Row):
    """One query head of a case."""

    def __init__(self, case: DecodeCase, row: int, replay: str) -> None:
        heads, kv_heads = case.queries.shape[1], case.keys.shape[1]
        batch, head = divmod(row, heads)
        sizes = (case.budget, case.sink, case.window)
        super().__init__(row, case.low[row], case.high[row], case.allowed[batch, head], sizes, replay)
        self.case, self.query = case, case.queries[batch, head].astype(np.float64)
        self.keys, self.values = (part[batch, head * kv_heads // heads] for part in (case.keys, case.values))

    def rows_of(self, which: NDArray[Any]) -> tuple[Doubles, Doubles]:
        return self.keys[which].astype(np.float64), self.values[which].astype(np.float64)


def _certain_and_possible(row: _Row) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Keys that every right selection holds, and keys that some do: by how many others may, or must, score more."""
    lows, highs = np.sort(row.low[row.others]), np.sort(row.high[row.others])
    may_reach = len(highs) - np.searchsorted(highs, row.low, side="left")
    must_exceed = len(lows) - np.searchsorted(lows, row.high, side="right")
    certain = row.always | (row.others & (may_reach <= row.take))
    return certain, row.others & ~certain & (must_exceed < row.take)


@dataclasses.dataclass(frozen=True)
class _Reach:
    """Between what a right output lies: [dim]."""

    middle: Doubles
    bound: Doubles


def _reach(row: _Row) -> _Reach | None:
    """None where nothing can be selected."""
    certain, possible = _certain_and_possible(row)
    union = np.flatnonzero(certain | possible)
    if len(union) == 0 or len(row.query) == 0 or (row.take == 0 and not row.always.any()):
        return None
    keys, values = row.rows_of(union)
    in_doubt = possible[union]
    logits = keys @ row.query / math.sqrt(len(row.query))
    weight = np.exp(logits - logits.max())
    chosen = row.take - int((certain & row.others).sum())
    fixed = weight[~in_doubt].sum()
    if fixed > 0:
        middle = weight[~in_doubt] @ values[~in_doubt] / fixed
        apart = np.sort(weight[in_doubt, np.newaxis] * np.abs(values[in_doubt] - middle), axis=0)
        spread = apart[len(apart) - chosen :].sum(axis=0) / (fixed + np.sort(weight[in_doubt])[:chosen].sum())
    else:
        middle, spread = (values.max(axis=0) + values.min(axis=0)) / 2, (values.max(axis=0) - values.min(axis=0)) / 2
    largest = np.tile(np.abs(values).max(axis=0), (len(values), 1))
    places = row.case.sink + row.case.window + row.case.budget
    _, rounding, _, _ = _core.attention_bounds(row.query, keys, largest, max(places, len(union)))
    return _Reach(middle, spread + rounding)


def _check_reach(row: _Row, output: Doubles, dtype: str, weights: str, empty: str) -> float:
    reach = _reach(row)
    if reach is None:
        agrees = np.isnan(output).all() if empty == "nan" else (output == 0).all()
        if not agrees:
            row.fail(f"no key can be selected: allowed is an output of {empty}", 0, math.inf, "coordinate")
        return 0.0
    unit, least = _TYPES[dtype]
    of_weights, least_weight = _TYPES[weights]
    size = np.abs(row.rows_of(row.allowed)[1]).max(axis=0)
    bound = reach.bound + 2.02 * of_weights * size + 2 * least_weight * int(row.allowed.sum()) * size
    bound = bound + unit * (np.abs(reach.middle) + bound) + least
    worst, _, at, what = compared("output", output[np.newaxis], reach.middle[np.newaxis], bound[np.newaxis])
    if worst > 1:
        row.fail(what, at, worst, "coordinate")
    return worst


def _check_with_lists(
    case: DecodeCase, output: Doubles, lists: NDArray[np.int64], words: dict[str, str], replay: str
) -> float:
    heads = case.queries.shape[1]
    for row in range(len(lists)):
        _Row(case, row, replay).keys_of(lists[row])
    worst = 0.0
    for batch in range(len(case.queries)):
        mine = slice(batch * heads, (batch + 1) * heads)
        keys, values = (np.nan_to_num(part[batch], nan=0.0) for part in (case.keys, case.values))
        try:
            report = attention(case.queries[batch], keys, values, lists[mine], output[mine], **words)
        except CheckFailure as failure:
            raise failure.in_case(replay, batch * heads) from None
        worst = max(worst, report.worst)
    return worst


def _check_case(fn: Callable[[DecodeCase], Any], case: DecodeCase, device: str | None, words: dict[str, str]) -> Report:
    replay = f'socketlab.check.decode_step(fn, case="{case.text}", device={device!r}, ' + ", ".join(
        f'{name}="{word}"' for name, word in words.items()
    )
    replay += ")"
    result = fn(case.on(device))
    output, lists = result if isinstance(result, (tuple, list)) else (result, None)
    rows, dim = case.queries.shape[0] * case.queries.shape[1], case.queries.shape[2]
    got = numbers(output, "output")
    if got.size != rows * dim:
        raise ValueError(f"output: shape {list(got.shape)}; allowed is {list(case.queries.shape)}")
    got = got.reshape(rows, dim)
    if lists is not None:
        listed = np.asarray(on_host(lists, "selected"))
        if listed.dtype.kind not in "iu" or listed.size % rows != 0:
            raise ValueError(f"selected: {listed.dtype} {list(listed.shape)}; allowed are whole numbers of {rows} rows")
        return Report(got.size, _check_with_lists(case, got, listed.reshape(rows, -1).astype(np.int64), words, replay))
    worst = [_check_reach(_Row(case, row, replay), got[row], **words) for row in range(rows)]
    return Report(got.size, max(worst))


def decode_step(
    fn: Callable[[DecodeCase], Any],
    grid: str = "quick",
    *,
    case: DecodeCase | str | None = None,
    device: str | None = None,
    seed: int = 1,
    most_keys: int = 2000,
    dtype: str = "f32",
    weights: str = "f32",
    empty: str = "nan",
) -> Report:
    """Every decode step of gpu-check's grid, or one case, against fn(case) -> output or (output, selected).

    output [batch, heads, dim]; selected [batch, heads, width] in any order, -1 in free places. With the list it is checked
    as itself, and the output over it; without, the output must be that of some right list. fn gets a DecodeCase of
    NumPy arrays, or of tensors of PyTorch on `device`. dtype, weights and empty as in attention(). CheckFailure's row is
    batch * heads + head; its key a key of the list, or a coordinate of the output.
    """
    if case is not None:
        cases: Iterable[DecodeCase] = [decode_case(case) if isinstance(case, str) else case]
    else:
        cases = decode_cases(grid, seed=seed, most_keys=most_keys)
    words = {"dtype": dtype, "weights": weights, "empty": empty}
    reports = [_check_case(fn, one, device, words) for one in cases]
    if not reports:
        raise ValueError(f"grid {grid}: no decode step of at most {most_keys} keys")
    return Report(sum(report.compared for report in reports), max(report.worst for report in reports))
