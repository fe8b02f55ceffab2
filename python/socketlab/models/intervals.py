"""Between which two numbers do all differences of a table lie at once, in 95% of evaluations?

Windows of one document are not independent: documents (or packages) are what is drawn. The studentised bootstrap of the
largest |t| over all contrasts of the table: a draw of clusters with repetition gives each contrast a t of its own, of the
mean of the draw about the mean of all; the quantile of the largest is the half-width in standard errors. Asymptotic in
the number of clusters. Wrong if intervals that are simultaneous covered all true differences less often than they say:
python/tests/models/intervals_test.py simulates it.
"""

import dataclasses
import math

import numpy as np

RESAMPLES = 4000


@dataclasses.dataclass(frozen=True)
class Intervals:
    mean: np.ndarray  # [contrasts]
    low: np.ndarray  # NaN where a contrast does not vary, or a single cluster has it
    high: np.ndarray
    half_width: float  # in standard errors, for all
    clusters: int  # of the contrast that has the fewest


def fewest(level):
    """Clusters below which an interval has no end: a draw of k is one of them k times with probability k^(1 - k)."""
    return next(k for k in range(2, 100) if k ** (1.0 - k) < 1 - level)


def _sums(differences, clusters):
    """(sums [clusters, contrasts], windows [clusters, contrasts]) of differences, NaN where a window has none."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    there = np.isfinite(differences)
    sums, sizes = (np.zeros((len(names), differences.shape[1])) for _ in range(2))
    np.add.at(sums, index, np.where(there, differences, 0.0))
    np.add.at(sizes, index, there.astype(float))
    return sums, sizes


def _mean_and_error(times, sums, sizes):
    """Ratio estimate and its standard error of each contrast, for clusters taken `times` [draws, clusters]."""
    total = times @ sizes
    mean = times @ sums / total
    # sum over clusters of times (sum - size mean)^2, by its three terms.
    square = times @ sums**2 - 2 * mean * (times @ (sums * sizes)) + mean**2 * (times @ sizes**2)
    count = np.maximum(times @ (sizes > 0), 2)  # clusters of a draw that have the contrast
    return mean, np.sqrt(np.maximum(square, 0) * count / (count - 1)) / total


def of_means(differences, clusters, level=0.95, resamples=RESAMPLES, seed=1):
    """Simultaneous intervals of the means of differences [windows, contrasts]; clusters: the name of each window's.

    A contrast that stands at some of the windows alone is NaN at the others. ValueError for fewer than two clusters.
    """
    differences = np.asarray(differences, dtype=float)
    sums, sizes = _sums(differences, clusters)
    if len(sums) < 2 or not (sizes.sum(0) > 0).all():
        raise ValueError(f"{len(sums)} clusters: allowed are two and more, and a number for every contrast")
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, error = (part[0] for part in _mean_and_error(np.ones((1, len(sums))), sums, sizes))
        varies = (error > 1e-12) & ((sizes > 0).sum(0) > 1)
        random = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, len(sums)])))
        times = random.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=resamples).astype(float)
        drawn, errors = _mean_and_error(times, sums, sizes)
        # A draw without deviation, or without the contrast, says nothing of it: its t counts as infinite, which widens.
        t = np.nan_to_num(np.abs(drawn - mean) / errors, nan=np.inf, posinf=np.inf)[:, varies]
    half_width = float(np.sort(t.max(1))[math.ceil(level * resamples) - 1]) if varies.any() else math.nan
    half = half_width * np.where(varies, error, np.nan)
    return Intervals(mean, mean - half, mean + half, half_width, int((sizes > 0).sum(0).min()))
