"""Scores on which top-k kernels have gone wrong: ties, plateaus, the last tile, infinities, NaN, short rows; and the sizes
of a grid: few keys, keys behind full tiles of 64 and 128, and a sink and a window beside the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._arguments import seed_of, whole, word
from ..instances import instance
from ._grids import grid_of

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class SelectionCase:
    """Scores float32 [keys], -inf where a mask forbids the key, and how many of them to select: the allowed ones of the first
    `sink` and the last `window` keys, and the best `budget` of the others. selection_case(name, ..) makes the same again."""

    name: str
    scores: Scores
    budget: int
    seed: int
    sink: int = 0
    window: int = 0

    def __repr__(self) -> str:
        sizes = f"keys={len(self.scores)}, budget={self.budget}"
        sizes += f", sink={self.sink}, window={self.window}" if self.sink or self.window else ""
        return f'socketlab.check.selection_case("{self.name}", {sizes}, seed={self.seed})'


def _normal(keys: int, seed: int) -> Scores:
    """Independent N(0, 1), from the project's own generator."""
    return instance("gaussian", keys=keys, dim=1, value_dim=1, seed=seed).keys[:, 0].astype(np.float32)


def _few_values(keys: int, budget: int, seed: int) -> Scores:
    halves: Scores = np.round(2 * _normal(keys, seed)) / np.float32(2)
    return halves


def _plateau(keys: int, budget: int, seed: int) -> Scores:
    """Zeros but for half the budget: the other half are ties by the thousand."""
    scores = np.zeros(keys, np.float32)
    best = np.argsort(_normal(keys, seed))[: budget // 2]
    scores[best] = np.abs(_normal(keys, seed + 1))[best] + np.float32(1)
    return scores


def _clustered_maxima(keys: int, budget: int, seed: int) -> Scores:
    """The best keys stand side by side, in the middle of the row."""
    scores = _normal(keys, seed)
    start = max(0, (keys - budget) // 2)
    scores[start : start + budget] += np.float32(100)
    return scores


def _infinities(keys: int, budget: int, seed: int) -> Scores:
    scores = _normal(keys, seed)
    scores[::7] = -np.inf
    scores[3::11] = np.inf
    return scores


def _nan(keys: int, budget: int, seed: int) -> Scores:
    scores = _normal(keys, seed)
    scores[::5] = np.nan
    return scores


def _short_row(keys: int, budget: int, seed: int) -> Scores:
    """Fewer keys are allowed than the budget asks for."""
    scores = np.full(keys, -np.inf, np.float32)
    some = np.argsort(_normal(keys, seed))[: budget // 2]
    scores[some] = _normal(keys, seed + 1)[some]
    return scores


def _signed_zeros(keys: int, budget: int, seed: int) -> Scores:
    """-0 and +0 tie, whatever their bits say."""
    return np.where(_normal(keys, seed) < 0, np.float32(-0.0), np.float32(0.0))


def _subnormals(keys: int, budget: int, seed: int) -> Scores:
    """Different numbers that are all 0 to arithmetic that flushes."""
    order = np.argsort(_normal(keys, seed)).astype(np.float64)
    return ((order + 1) * 2.0**-149).astype(np.float32)


_CASES: dict[str, Callable[[int, int, int], Scores]] = {
    "gaussian": lambda keys, budget, seed: _normal(keys, seed),
    "few-values": _few_values,
    "all-equal": lambda keys, budget, seed: np.full(keys, 0.5, np.float32),
    "plateau": _plateau,
    "clustered-maxima": _clustered_maxima,
    "rising": lambda keys, budget, seed: np.arange(keys, dtype=np.float32),
    "falling": lambda keys, budget, seed: -np.arange(keys, dtype=np.float32),
    "infinities": _infinities,
    "nan": _nan,
    "short-row": _short_row,
    "nothing": lambda keys, budget, seed: np.full(keys, -np.inf, np.float32),
    "signed-zeros": _signed_zeros,
    "subnormals": _subnormals,
}


# Keys, budget, sink and window.
_GRIDS = {
    "tiny": [(33, 8, 0, 0), (250, 37, 4, 19)],
    "quick": [(33, 8, 0, 0), (250, 37, 4, 19), (1000, 37, 0, 0), (8320, 2048, 128, 128)],
    "full": [(33, 8, 0, 0), (250, 37, 4, 19), (8320, 2048, 128, 128), (131072, 2048, 0, 0)],
}


def selection_case(
    name: str, *, keys: int = 8320, budget: int = 2048, sink: int = 0, window: int = 0, seed: int = 1
) -> SelectionCase:
    """The case of this name; keys 1 and more, budget, sink and window 0 and more. ValueError for another name or number."""
    name, keys, budget, seed = word(name, "name"), whole(keys, "keys"), whole(budget, "budget"), seed_of(seed)
    sink, window = whole(sink, "sink"), whole(window, "window")
    if name not in _CASES:
        raise ValueError(f"selection case {name}: allowed are {', '.join(_CASES)}")
    if keys < 1 or min(budget, sink, window) < 0:
        raise ValueError(
            f"selection case: keys {keys}, budget {budget}, sink {sink}, window {window}: allowed are 1 and more keys, "
            "0 and more of the others"
        )
    return SelectionCase(name, _CASES[name](keys, budget, seed), budget, seed, sink, window)


def selection_cases(
    grid: str | None = None, *, keys: int = 8320, budget: int = 2048, sink: int = 0, window: int = 0, seed: int = 1
) -> Iterator[SelectionCase]:
    """Every case of this size in turn, or of the sizes of the grid "tiny", "quick" or "full"."""
    for of_keys, of_budget, of_sink, of_window in grid_of(grid, _GRIDS, (keys, budget, sink, window)):
        for name in _CASES:
            yield selection_case(name, keys=of_keys, budget=of_budget, sink=of_sink, window=of_window, seed=seed)
