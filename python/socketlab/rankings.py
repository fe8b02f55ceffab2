"""What does each ranker keep of dense attention on your own keys, values and queries (`socketlab rank`)?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import progress_of, seed_of, threads_of, trial_of
from ._arrays import reals
from ._options import takes, texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import RankOptions

RANKERS: tuple[str, ...] = tuple(_core.rankers())
"""The names of the rankers, at the memory of the paper's Table 1 (docs/rankings.md)."""

_LEARNS = "double-sparsity"
_COLUMNS = ("ranker", "bits_per_token", "query", "density", "selected", "recall", "mass", "relative_error")


@takes("rank")
def rank(
    k: Any,
    v: Any,
    queries: Any,
    *,
    rankers: Sequence[str] = (),
    calibration: Any = None,
    seed: int = 1,
    trial: int = 0,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[RankOptions],
) -> dict[str, list[Any]]:
    """A table as columns, one row per ranker, query and density; `pandas.DataFrame(rank(..))` makes a frame of it.

    k [keys, dim], v [keys, value_dim], queries [dim] or [queries, dim]. The order differs from attend(q, k, v): where
    all have one shape, only the names k=, v= and queries= tell them apart. rankers: some of RANKERS, empty for all.
    Ties are broken at random.

    Columns: ranker; bits_per_token that scoring reads; query; density; selected, the fraction of the keys; recall of
    the true top keys by q.k; mass, the softmax mass of the selected keys; relative_error of exact softmax attention
    over them.

    calibration [queries, dim]: the queries from which double-sparsity learns its channels, required for that ranker.
    Calibrating on the ranked queries themselves flatters it; other queries of the same head do not. With seed =
    derive_seed(S, 1), the query of the instance of (seed, trial) and calibration=made.other_queries(), the numbers are
    those of that trial in `socketlab rank --seed S`. progress(done, total) counts queries, each once per ranker.
    """
    given = texts("rank", {"rankers": rankers}, options)
    asked_for = given["rankers"]
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
        given,
        seed_of(seed),
        trial_of(trial),
        threads_of(threads),
        progress_of(progress),
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(_COLUMNS)}
