"""What a check says: a report, or a failure that can be replayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import seen_by_dlpack
from ._tensors import on_host


@dataclass(frozen=True, repr=False)
class Report:
    """A check that found nothing: how many numbers it compared, and the largest error over its bound, at most 1.

    sums: of scores, the type "f32" or "f16" that terms could be added in; the bound of the second is far wider.
    """

    compared: int
    worst: float
    sums: str | None = None

    def __repr__(self) -> str:
        said = "" if self.sums is None else f", sums={self.sums!r}"
        return f"Report(compared={self.compared}, worst={self.worst!r}{said})"


class CheckFailure(AssertionError):
    """A difference that rounding does not explain.

    row     of the results, batch and head counted through
    key     that the wrong number belongs to, or the coordinate of an output; None where the whole row is meant
    axis    "key" or "coordinate": which of the two
    excess  the error over its bound (above 1, inf for NaN); of a selection the score that was lost
    replay  a line of Python that makes the same comparison of this row or case alone
    """

    def __init__(self, what: str, *, row: int, key: int | None, excess: float, replay: str, axis: str = "key") -> None:
        place = f"row {row}" if key is None else f"row {row}, {axis} {key}"
        super().__init__(f"{place}: {what}\nreplay: {replay}")
        self._what = what
        self.row = row
        self.key = key
        self.excess = excess
        self.replay = replay
        self.axis = axis

    def in_case(self, replay: str, first_row: int = 0) -> CheckFailure:
        """The same of a case that makes the arrays, whose rows `first_row` and on they are."""
        row = first_row + self.row
        return CheckFailure(self._what, row=row, key=self.key, excess=self.excess, replay=replay, axis=self.axis)


@dataclass(frozen=True)
class Bounded:
    """Numbers [rows, columns] and what they must lie between, ends included; equal infinities agree."""

    got: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def excesses(bounded: Bounded) -> NDArray[np.float64]:
    """The error over its bound, element by element; 0 where both are 0, inf for NaN and for a wrong infinity."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        half = (bounded.high - bounded.low) / 2
        error = np.abs(bounded.got - (bounded.low + half))
        ratio = np.where(error == 0, 0.0, error / half)
        inside = (bounded.got >= bounded.low) & (bounded.got <= bounded.high)
    # An end of the interval may round to just above 1 here, and infinities to NaN: being inside decides.
    ratio = np.where(inside, np.where(np.isfinite(ratio), np.minimum(ratio, 1.0), 0.0), ratio)
    return np.where(inside, ratio, np.where(np.isnan(ratio), np.inf, np.maximum(ratio, np.nextafter(1.0, 2.0))))


def worst_place(ratio: NDArray[np.float64]) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(row), int(column)


def compared(
    name: str, got: NDArray[np.float64], middle: NDArray[np.float64], bound: NDArray[np.float64]
) -> tuple[float, int, int, str]:
    """The largest error over its bound, its row and column, and what to say of it; NaN agrees where it is expected, and there
    alone."""
    ratio = excesses(Bounded(got, middle - bound, middle + bound))
    ratio = np.where(np.isnan(middle), np.where(np.isnan(got), 0.0, np.inf), ratio)
    if ratio.size == 0:
        return 0.0, 0, 0, ""
    at = worst_place(ratio)
    worst = float(ratio[at])
    said = (
        f"{name} {got[at]:.9g}, expected {middle[at]:.9g} within {bound[at]:.3g}: the error is {worst:.3g} times its bound; "
        f"{int((ratio > 1).sum())} are out"
    )
    return worst, *at, said


def numbers(given: Any, name: str) -> NDArray[np.float64]:
    """Results of a kernel as doubles, of any shape; NaN and infinities are for the check to judge."""
    given = on_host(given, name)
    if str(getattr(given, "dtype", "")).endswith("bfloat16") and hasattr(given, "float"):
        given = given.float()
    only_dlpack = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
    array = seen_by_dlpack(given, name) if only_dlpack else np.asarray(given)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name}: {array.dtype} {list(array.shape)}; allowed are real numbers")
    return array.astype(np.float64)
