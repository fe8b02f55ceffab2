"""Between which two numbers do all differences of a table lie at once, in 95% of evaluations?

Losses: paired differences by window, and the studentised bootstrap of the largest |t| over all contrasts of the
table. A draw of windows with repetition gives each contrast a t of its own, of the mean of the draw about the mean of
all; the quantile of the largest is the half-width in standard errors. Asymptotic in the number of windows, and exact
for no law.

Tasks: an example is right or not. A difference of shares is that of two discordant shares, each between exact bounds of
Clopper and Pearson whose error is divided over all contrasts and sides (Bonferroni): conservative for every law.

Wrong if intervals that are simultaneous covered all true differences less often than they say; a pointwise interval
does: tests/learned_attention/intervals_test.py simulates both.
"""

import dataclasses
import functools
import math

import numpy as np

LEVEL = 0.95
RESAMPLES = 4000
CHUNK = 500  # draws held at a time
CONSTANT_DRAWS = 1e-3  # the most draws that may see a contrast as one number


@dataclasses.dataclass(frozen=True)
class Intervals:
    mean: np.ndarray  # [contrasts]
    low: np.ndarray
    high: np.ndarray
    half_width: float = math.nan  # in standard errors, where there is one for all


def largest_t(differences, resamples, seed):
    """max over contrasts of |t| for each bootstrap draw, [resamples]; differences [windows, contrasts] that vary."""
    n = len(differences)
    centred = differences - differences.mean(axis=0)
    squares = centred**2
    random = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, n])))
    largest = []
    for first in range(0, resamples, CHUNK):
        times = random.multinomial(n, np.full(n, 1 / n), size=min(CHUNK, resamples - first)).astype(float)
        mean = times @ centred / n
        variance = times @ squares / n - mean**2
        # A draw of one window alone has no deviation: its t counts as infinite, which widens.
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(mean) / np.sqrt(np.maximum(variance, 0) / (n - 1))
        largest.append(np.nan_to_num(t, nan=np.inf, posinf=np.inf).max(axis=1))
    return np.concatenate(largest)


def tells_its_spread(differences):
    """Whether a contrast [windows, contrasts] differs from its most common number at enough windows.

    A draw that misses the others has no deviation and a mean that is off: its t is infinite, and so would be the
    interval of every other contrast.
    """
    n = len(differences)
    common = np.array([np.unique(column, return_counts=True)[1].max() for column in differences.T])
    return (common < n) & ((common == 1) | ((common / n) ** n <= CONSTANT_DRAWS))


def of_means(differences, level=LEVEL, resamples=RESAMPLES, seed=1):
    """Simultaneous intervals of the means of differences [windows, contrasts].

    A contrast that is the same number at all windows, or at all but a few, does not tell its spread: its bounds are NaN.
    ValueError for fewer than two windows, no contrast, or a number that is not finite.
    """
    differences = np.asarray(differences, dtype=float)
    if differences.ndim != 2 or len(differences) < 2 or differences.shape[1] < 1 or not np.isfinite(differences).all():
        raise ValueError(
            f"differences {differences.shape}: allowed are finite numbers of 2 windows and 1 contrast or more"
        )
    mean = differences.mean(axis=0)
    varies = tells_its_spread(differences)
    low, high, half_width = np.full_like(mean, np.nan), np.full_like(mean, np.nan), math.nan
    if varies.any():
        # The order statistic at or above the level; infinite where windows are so few that draws of one are common.
        half_width = float(
            np.sort(largest_t(differences[:, varies], resamples, seed))[math.ceil(level * resamples) - 1]
        )
        error = differences[:, varies].std(axis=0, ddof=1) / math.sqrt(len(differences))
        low[varies], high[varies] = mean[varies] - half_width * error, mean[varies] + half_width * error
    return Intervals(mean, low, high, half_width)


def binomial_tail(least, n, share):
    """P(Bin(n, share) >= least)."""
    if least <= 0:
        return 1.0
    if share <= 0 or share >= 1:
        return float(share >= 1)
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(share)
        + (n - k) * math.log1p(-share)
        for k in range(least, n + 1)
    ]
    return math.fsum(math.exp(x) for x in logs)


@functools.cache
def share_bounds(successes, n, error):
    """Bounds of Clopper and Pearson on a share, each missed with a probability of at most `error`."""

    def root(missed):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if missed(middle) else (middle, high)
        return low, high

    lower = 0.0 if successes == 0 else root(lambda p: binomial_tail(successes, n, p) > error)[0]
    upper = 1.0 if successes == n else root(lambda p: 1 - binomial_tail(successes + 1, n, p) < error)[1]
    return lower, upper


def of_share_differences(first, second, level=LEVEL):
    """Simultaneous intervals of the differences of shares: first, second bool [examples, contrasts], paired."""
    first, second = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if first.shape != second.shape or first.ndim != 2 or len(first) < 1:
        raise ValueError(f"outcomes {first.shape} and {second.shape}: allowed are two of [examples, contrasts]")
    n, contrasts = first.shape
    error = (1 - level) / (4 * contrasts)  # two shares with two sides each
    low, high = np.empty(contrasts), np.empty(contrasts)
    for c in range(contrasts):
        gained = share_bounds(int((first[:, c] & ~second[:, c]).sum()), n, error)
        lost = share_bounds(int((~first[:, c] & second[:, c]).sum()), n, error)
        low[c], high[c] = max(-1.0, gained[0] - lost[1]), min(1.0, gained[1] - lost[0])
    return Intervals(first.mean(axis=0) - second.mean(axis=0), low, high)
