"""Is a selection the best keys of its scores, by the contract that was promised?

No bound is needed: scores are compared as they were given. What the contracts say:

  "any"          every allowed key of sink and window and the best `budget` of the others, each once; keys that tie with
                 the last one may stand for each other; in any order
  "lower-index"  the same, and of keys that tie with the last one those of lower index
  "ordered"      the same, and in order: sink and window by index, then by falling score, ties to the lower index; -1 only
                 behind the last key

In all of them: a key that scores -inf or NaN is never selected, +inf is the best, -0 and +0 tie; -1 stands where there are
fewer keys than places. A kernel that makes the same scores into another set from run to run may keep "any".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arguments import whole
from ._failure import CheckFailure, Report, numbers
from ._selection_cases import SelectionCase
from ._tensors import on_device, on_host

Doubles = NDArray[np.float64]
CONTRACTS = ("any", "lower-index", "ordered")


class Row:
    """What may be selected in one row, by scores between low and high, with what a failure needs."""

    def __init__(
        self,
        number: int,
        low: Doubles,
        high: Doubles,
        allowed: NDArray[np.bool_],
        sizes: tuple[int, int, int],
        replay: str,
    ) -> None:
        budget, sink, window = sizes
        self.number, self.low, self.high, self.allowed, self.replay = number, low, high, allowed, replay
        index = np.arange(len(allowed))
        self.always = allowed & ((index < sink) | (index >= len(index) - window))
        self.others = allowed & ~self.always
        self.take = min(budget, int(self.others.sum()))

    def fail(self, what: str, key: int | None, excess: float = np.inf, axis: str = "key") -> None:
        raise CheckFailure(what, row=self.number, key=key, excess=excess, replay=self.replay, axis=axis)

    def keys_of(self, listed: NDArray[np.int64]) -> NDArray[np.int64]:
        """The keys of a list in which each stands once and is allowed, and of which none left out is certainly better."""
        keys: NDArray[np.int64] = listed[listed != -1]
        for key in keys[(keys < 0) | (keys >= len(self.allowed))][:1]:
            self.fail(f"{key} is selected, which is no key of {len(self.allowed)}; a free place has -1", int(key))
        unique, counts = np.unique(keys, return_counts=True)
        for key in unique[counts > 1][:1]:
            self.fail("the key is selected more than once", int(key))
        exact = self.low is self.high
        for key in keys[~self.allowed[keys]][:1]:
            self.fail(
                f"the key is selected{f' with score {self.low[key]}' if exact else ', and the mask forbids it'}",
                int(key),
            )
        chosen = np.zeros(len(self.allowed), bool)
        chosen[keys] = True
        for key in np.flatnonzero(self.always & ~chosen)[:1]:
            self.fail("a key of sink or window is not selected", int(key))
        taken, left = np.flatnonzero(chosen & self.others), np.flatnonzero(self.others & ~chosen)
        if len(taken) != self.take:
            all_taken = f"{len(keys)} keys are selected; allowed are {int(self.always.sum()) + self.take}"
            others = f"{len(taken)} keys beside sink and window; allowed are {self.take}"
            self.fail(all_taken if exact else others, None)
        if len(taken) and len(left):
            best, worst = int(left[np.argmax(self.low[left])]), int(taken[np.argmin(self.high[taken])])
            if self.high[worst] < self.low[best]:
                at_most, at_least = ("", "") if exact else ("at most ", "at least ")
                what = f"score {at_most}{self.high[worst]:.9g} is selected, and key {best} of "
                what += f"{at_least or 'score '}{self.low[best]:.9g} is not"
                self.fail(what, worst, float(self.low[best] - self.high[worst]))
        return keys


def _check_row(row: Row, listed: NDArray[np.int64], sizes: tuple[int, int, int], contract: str) -> None:
    keys = row.keys_of(listed)
    if contract == "any":
        return
    ranked = np.where(row.allowed, row.low, -np.inf)
    expected = np.asarray(_core.select(ranked, row.allowed, *sizes), dtype=np.int64)
    for key in np.setdiff1d(keys, expected)[:1]:
        lower = int(np.setdiff1d(expected, keys)[0])
        row.fail(f"of keys that tie at score {row.low[key]:.9g}, {lower} has the lower index", int(key), 0.0)
    if contract == "ordered":
        place = np.flatnonzero(listed[: len(expected)] != expected)
        if place.size:
            at = int(place[0])
            row.fail(f"place {at} has key {listed[at]}; in order it is {expected[at]}", int(expected[at]), 0.0)


def _handed(scores: Any, device: str | None) -> Any:
    return on_device(scores, device) if isinstance(scores, np.ndarray) else scores


def selection(
    scores: Any,
    selected: Callable[[Any], Any] | Any,
    *,
    budget: int | None = None,
    contract: str = "lower-index",
    sink: int | None = None,
    window: int | None = None,
    device: str | None = None,
) -> Report:
    """Lists [width] or [rows, width], or a callable fn(scores) that makes them, against scores [keys] or [rows, keys].

    `scores` may be a SelectionCase, which has its budget, sink and window; a callable gets its scores alone, as a tensor on
    `device`, "cuda" say, where that is given. budget, sink and window: 0 and more; without a case sink and window are 0. The
    contracts, and what holds of NaN, infinities and -1, stand in docs/checks.md. ValueError for another contract or shapes that do not fit.
    """
    if contract not in CONTRACTS:
        raise ValueError(f"contract {contract}: allowed are {', '.join(CONTRACTS)}")
    case = scores if isinstance(scores, SelectionCase) else None
    given = case.scores if case else scores
    if case is not None:
        of_case = ((budget, case.budget), (sink, case.sink), (window, case.window))
        budget, sink, window = (own if asked is None else asked for asked, own in of_case)
    elif budget is None:
        raise ValueError("budget: missing; allowed are 0 and more")
    budget, sink, window = whole(budget, "budget"), whole(sink or 0, "sink"), whole(window or 0, "window")
    if min(budget, sink, window) < 0:
        raise ValueError(f"budget {budget}, sink {sink}, window {window}: allowed are 0 and more")
    made = selected(_handed(given, device)) if callable(selected) else selected
    lists = np.asarray(on_host(made, "selected"))
    rows = np.atleast_2d(numbers(given, "scores"))
    if lists.dtype.kind not in "iu":
        raise ValueError(f"selected: {lists.dtype} {list(lists.shape)}; allowed are whole numbers")
    lists = np.atleast_2d(lists.astype(np.int64))
    if rows.ndim != 2 or lists.ndim != 2 or len(rows) != len(lists):
        raise ValueError(f"selected: shape {list(lists.shape)}; the scores have {list(rows.shape)}")
    for i, (row, listed) in enumerate(zip(rows, lists, strict=True)):
        replay = (
            f'socketlab.check.selection({case!r}, fn, budget={budget}, contract="{contract}", sink={sink}, window={window}, device={device!r})'
            if case
            else f"socketlab.check.selection(scores[{i}:{i + 1}], fn, budget={budget}, "
            f'contract="{contract}", sink={sink}, window={window}, device={device!r})'
        )
        sizes = (budget, sink, window)
        _check_row(Row(i, row, row, np.isfinite(row) | (row == np.inf), sizes, replay), listed, sizes, contract)
    return Report(lists.size, 0.0)
