"""What does each ranker keep of dense attention on your own keys, values and queries (`socketlab rank`)?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._arguments import each, progress_of, real, seed_of, threads_of, trial_of, whole, word
from ._arrays import reals

RANKERS: tuple[str, ...] = tuple(_core.rankers())
"""The names of the rankers, at the memory of the paper's Table 1 (docs/rankings.md)."""

_LEARNS = "double-sparsity"
_COLUMNS = ("ranker", "bits_per_token", "query", "density", "selected", "recall", "mass", "relative_error")


def rank(
    k: Any,
    v: Any,
    queries: Any,
    *,
    rankers: Sequence[str] = (),
    densities: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.5),
    tables: int = 60,
    planes: int = 8,
    temperature: float = 0.5,
    scaling: str = "inverse-sqrt-dim",
    top: int = 4,
    calibration: Any = None,
    seed: int = 1,
    trial: int = 0,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, list[Any]]:
    """A table as columns, one row per ranker, query and density; `pandas.DataFrame(rank(..))` makes a frame of it.

    k [keys, dim], v [keys, value_dim], queries [dim] or [queries, dim]. The order differs from attend(q, k, v): where
    all have one shape, only the names k=, v= and queries= tell them apart. rankers: some of RANKERS, None for all.
    densities: above 0 and at most 1. tables, planes, temperature and scaling are SOCKET's; top is the number of buckets
    that Bucket Attention opens. Ties are broken at random.

    Columns: ranker; bits_per_token that scoring reads; query; density; selected, the fraction of the keys; recall of
    the true top keys by q.k; mass, the softmax mass of the selected keys; relative_error of exact softmax attention
    over them.

    calibration [queries, dim]: the queries from which double-sparsity learns its channels, required for that ranker.
    Calibrating on the ranked queries themselves flatters it; other queries of the same head do not. With seed =
    derive_seed(S, 1), the query of the instance of (seed, trial) and calibration=made.other_queries(), the numbers are
    those of that trial in `socketlab rank --seed S`. progress(done, total) counts queries, each once per ranker.
    """
    asked_for = each(word, rankers, "rankers")
    if calibration is None and (not asked_for or _LEARNS in asked_for):
        raise ValueError(
            f"calibration: missing, and {_LEARNS} learns its channels from queries that are not ranked: allowed are such "
            "[queries, dim], as other_queries() of an instance gives, or rankers without it"
        )
    one = getattr(queries, "ndim", 2) == 1
    asked = reals(queries, "queries", 1)[None] if one else reals(queries, "queries", 2)
    rows = _core.rank(
        reals(k, "keys", 2),
        reals(v, "values", 2),
        asked,
        asked if calibration is None else reals(calibration, "calibration", 2),
        asked_for,
        each(real, densities, "densities"),
        whole(tables, "tables"),
        whole(planes, "planes"),
        real(temperature, "temperature"),
        word(scaling, "scaling"),
        whole(top, "top"),
        seed_of(seed),
        trial_of(trial),
        threads_of(threads),
        progress_of(progress),
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(_COLUMNS)}
