"""Collision scores of keys for queries, and the keys that they select (paper, Algorithms 1 to 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import real, threads_of, whole, word
from ._arrays import _viewed, reals


def hash_keys(hyperplanes: Any, keys: Any, *, threads: int = 0) -> NDArray[np.uint32]:
    """The bucket of each key [keys, dim] in each table, [tables, keys], from 0 to 2^planes - 1.

    hyperplanes [tables, planes, dim]. Plane 0 is the most significant bit, which is 1 where the projection is at least
    0. threads 0: all. ValueError for shapes that do not fit and for numbers that are not finite.
    """
    codes: NDArray[np.uint32] = _core.hash_keys(
        reals(hyperplanes, "hyperplanes", 3), reals(keys, "keys", 2), threads_of(threads)
    )
    return codes


def _scores(
    hyperplanes: Any, queries: Any, keys: Any, ranker: str, temperature: float, scaling: str, threads: int
) -> NDArray[np.float64]:
    one = np.ndim(queries) == 1 if not hasattr(queries, "ndim") else queries.ndim == 1
    rows = reals(queries, "queries", 1)[np.newaxis] if one else reals(queries, "queries", 2)
    scores: NDArray[np.float64] = _core.scores(
        reals(hyperplanes, "hyperplanes", 3),
        rows,
        reals(keys, "keys", 2),
        ranker,
        real(temperature, "temperature"),
        word(scaling, "scaling"),
        threads_of(threads),
    )
    return scores[0] if one else scores


def soft_scores(
    hyperplanes: Any,
    queries: Any,
    keys: Any,
    *,
    temperature: float = 0.5,
    scaling: str = "inverse-sqrt-dim",
    threads: int = 0,
) -> NDArray[np.float64]:
    """The soft collision scores (paper, eq. (4)), each in [0, tables].

    hyperplanes [tables, planes, dim]; queries [dim] or [queries, dim]; keys [keys, dim]. Returns [keys] or [queries,
    keys]. temperature above 0; scaling "inverse-sqrt-dim", the paper's divisor of tanh(Wq), or "none". threads 0: all.
    ValueError for what is out of range, shapes that do not fit, and numbers that are not finite.
    """
    return _scores(hyperplanes, queries, keys, "socket", temperature, scaling, threads)


def hard_scores(hyperplanes: Any, queries: Any, keys: Any, *, threads: int = 0) -> NDArray[np.float64]:
    """The number of tables in which key and query share a bucket (paper, eq. (3)). Shapes and errors: see soft_scores."""
    return _scores(hyperplanes, queries, keys, "hard-lsh", 1.0, "none", threads)


def hamming_scores(hyperplanes: Any, queries: Any, keys: Any, *, threads: int = 0) -> NDArray[np.float64]:
    """The number of equal bits of key and query among all tables * planes. Shapes and errors: see soft_scores."""
    return _scores(hyperplanes, queries, keys, "hamming", 1.0, "none", threads)


def select(scores: Any, *, budget: int, sink: int = 0, window: int = 0, mask: Any = None) -> NDArray[np.int64]:
    """The selected keys for scores [keys]: sink and window first, then by decreasing score, ties to the lower index.

    The `budget` keys of highest score are added to the first `sink` and the last `window` keys; all three are at least
    0. mask [keys], True where a key is allowed. ValueError for a score that is NaN, with its position.
    """
    given = _viewed(scores, "scores")
    if given.ndim != 1 or str(given.dtype)[:3] not in ("flo", "int", "uin"):
        raise ValueError(f"scores: {given.dtype} {list(given.shape)}; allowed are real numbers [keys]")
    given = np.ascontiguousarray(given, dtype=np.float64)
    counts = {"budget": budget, "sink": sink, "window": window}
    allowed = None if mask is None else np.asarray(mask)
    if allowed is not None and (allowed.ndim != 1 or allowed.dtype != bool):
        raise ValueError(f"mask: {allowed.dtype} {list(allowed.shape)}; allowed is bool [keys]")
    allowed = None if allowed is None else np.ascontiguousarray(allowed)
    return np.asarray(_core.select(given, allowed, *(whole(n, name) for name, n in counts.items())), dtype=np.int64)
