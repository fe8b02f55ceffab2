"""Do samples of an error have the mean that is claimed for it?

The verdict is the project's own: refuted where the claim lies outside an interval that holds the mean but with probability
`error`. Without a range the interval is Student's, exact for normal samples and nominal for others; with one it is the
empirical Bernstein interval (Maurer and Pontil 2009), which assumes nothing else. sim/statistics/intervals.hpp has both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._arguments import if_given, real, whole
from ._failure import numbers


@dataclass(frozen=True)
class Judgement:
    """verdict: "refuted", "not-refuted", or "inconclusive" for numbers that are not finite; never "proved".

    low and high: the interval of the mean; standard_errors: (mean - claimed_mean) over deviation / sqrt(count).
    nominal: the error probability is exact for normal samples only.
    """

    verdict: str
    claimed_mean: float
    mean: float
    deviation: float
    count: int
    standard_errors: float
    low: float
    high: float
    error: float
    nominal: bool


def _require_room(value_range: float, name: str, least: float) -> None:
    """Samples of this deviation or spread fit into no shorter interval; rounding aside."""
    if not value_range > 0 or least > value_range * (1 + 1e-9):
        raise ValueError(f"value_range is {value_range}: the {name} allows numbers above 0, from {least:.6g}")


def bias_of_summary(
    *,
    mean: float,
    deviation: float,
    count: int,
    claimed_mean: float = 0.0,
    value_range: float | None = None,
    error: float = 1e-3,
) -> Judgement:
    """As bias, from the mean, the deviation and the number of independent samples that somebody reports.

    deviation 0 and more; count 2 and more; error in (0, 1). ValueError for anything else.
    """
    mean, deviation, claimed_mean = (
        real(mean, "mean"),
        real(deviation, "deviation"),
        real(claimed_mean, "claimed_mean"),
    )
    count, error = whole(count, "count"), real(error, "error")
    value_range = if_given(real, value_range, "value_range")
    if deviation < 0:
        raise ValueError(f"deviation is {deviation}: allowed are 0 and more")
    if count < 2:
        raise ValueError(f"count is {count}: allowed are 2 and more samples")
    if value_range is not None:
        _require_room(value_range, "deviation", 2 * deviation * np.sqrt((count - 1) / count))
    low, high = _core.mean_interval(count, mean, deviation, value_range, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = float(np.float64(mean - claimed_mean) / (np.float64(deviation) / np.sqrt(np.float64(count))))
    if not np.isfinite([low, high, claimed_mean]).all():
        verdict = "inconclusive"
    else:
        verdict = "not-refuted" if low <= claimed_mean <= high else "refuted"
    return Judgement(
        verdict, claimed_mean, mean, deviation, count, distance, low, high, error, nominal=value_range is None
    )


def bias(
    samples: Any, claimed_mean: float = 0.0, *, value_range: float | None = None, error: float = 1e-3
) -> Judgement:
    """Independent samples of an error, of any shape, against the claim that their mean is `claimed_mean`.

    value_range: the length of an interval that holds every sample, where one is known. error: the probability of refuting
    a claim that is true. ValueError for fewer than two samples.
    """
    given = numbers(samples, "samples").reshape(-1)
    if given.size < 2:
        raise ValueError(f"samples: there are {given.size}; allowed are 2 and more")
    if value_range is not None and np.isfinite(given).all():
        _require_room(real(value_range, "value_range"), "spread of the samples", float(np.ptp(given)))
    with np.errstate(invalid="ignore", over="ignore"):
        mean, deviation = float(given.mean()), float(given.std(ddof=1))
    return bias_of_summary(
        mean=mean,
        deviation=deviation,
        count=int(given.size),
        claimed_mean=claimed_mean,
        value_range=value_range,
        error=error,
    )
