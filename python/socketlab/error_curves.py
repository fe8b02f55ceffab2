"""How large is each error term of Theorem 3 along an axis, and what does the theorem say there (`sweep`, `audit`)?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import _core
from ._arguments import progress_of, seed_of, threads_of
from ._learned import learned_option
from ._options import takes, texts
from ._tables import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AuditOptions, SweepOptions

Progress = Callable[[int, int], object]

AXES: tuple[str, ...] = tuple(_core.axes())
"""What a sweep can vary: tables, samples, temperature, planes, keys, .. ; experiments/error_curves/sweep_axes.hpp."""


@dataclass(frozen=True, repr=False)
class Swept:
    """table: the columns of sweep.csv, one row per family, value and error term. slopes: those of sweep_slopes.csv.

    refuted: how many intervals miss the value they should contain. Lengths are in the unit of the values; None means
    not known.
    """

    table: Table = field(repr=False)
    slopes: Table = field(repr=False)
    refuted: int

    def __repr__(self) -> str:
        return f"Swept({len(next(iter(self.table.values()), []))} rows, {self.refuted} verdicts refuted)"


@dataclass(frozen=True, repr=False)
class Audited:
    """table, bounds, ratios: the columns of audit.csv, audit_bounds.csv and bound_ratios.csv; {} for a part left out.

    refuted: how many proved bounds are certainly exceeded more often than delta allows.
    """

    table: Table = field(repr=False)
    bounds: Table = field(repr=False)
    ratios: Table = field(repr=False)
    refuted: int

    def __repr__(self) -> str:
        rows = max(len(next(iter(table.values()), [])) for table in (self.table, self.ratios))
        return f"Audited({rows} rows, {self.refuted} bounds refuted)"


@takes("sweep")
def sweep(
    axis: str,
    values: Sequence[float],
    *,
    families: str | Sequence[str] = ("gaussian",),
    learned: str | os.PathLike[str] | None = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[SweepOptions],
) -> Swept:
    """Errors along an axis of AXES on drawn instances: measured, exact and bounded, like `socketlab sweep`.

    values: of the axis, each once; axis2 and values2: a curve for each value of a second axis. families: names as in
    families(); "learned" is one instance that the seed draws. keys, dim: None for 4096 and 128; for "learned" the file
    sets them, and `learned` names it as in instance(). budget or density above 0: also the error of exact attention
    over the selection.

    The numbers are those of `--seed`. progress(done, total) gets estimated microseconds of one core. ValueError with
    the command's message for what it refuses.
    """
    words = [families] if isinstance(families, str) else families
    given = texts("sweep", {"axis": axis, "values": values, "families": words}, options)
    given |= learned_option(learned, given["families"])
    table, slopes, refuted = _core.sweep(given, seed_of(seed), threads_of(threads), progress_of(progress))
    return Swept(table, slopes, refuted)


@takes("audit", "families")
def audit(
    *,
    family: str = "gaussian",
    learned: str | os.PathLike[str] | None = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[AuditOptions],
) -> Audited:
    """What Theorem 3 says at each pair of planes and temperatures, and the errors there, like `socketlab audit`.

    The defaults are Table 6 of the paper; time grows as keys squared. part "bounds": only the comparison of the
    printed, the repaired and our bounds with the true quantile of each error, from bound_draws draws (0: none) at
    bound_delta each. family, keys, dim, learned, progress and errors are those of sweep.
    """
    given = texts("audit", {"families": [family]}, options)
    given |= learned_option(learned, given["families"])
    table, bounds, ratios, refuted = _core.audit(given, seed_of(seed), threads_of(threads), progress_of(progress))
    return Audited(table, bounds, ratios, refuted)
