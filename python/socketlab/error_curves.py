"""How large is each error term of Theorem 3 along an axis, and what does the theorem say there (`sweep`, `audit`)?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import progress_of, seed_of, threads_of
from ._learned import heads_in_memory, learned_option
from ._options import takes, texts
from ._tables import MOST_LINES, Table, readable, to_pandas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AuditOptions, SweepOptions

Progress = Callable[[int, int], object]
_DRAWN = ("gaussian",)  # what families is where the caller does not say

AXES: tuple[str, ...] = tuple(_core.axes())
"""What a sweep can vary: tables, samples, temperature, planes, keys, .. ; experiments/error_curves/sweep_axes.hpp."""

# What print() shows: the columns of the tables and their headings. Lengths are in the unit of the values, errors of an
# audit over its trivial bound.
_ERRORS = {
    "term": "term",
    "error_value_units": "error",
    "error_lo_value_units": "from",
    "error_hi_value_units": "to",
    "predicted_value_units": "predicted",
    "bound_sure_occupancy_value_units": "bound",
    "trivial_bound_value_units": "trivial bound",
    "verdict": "verdict",
}
_SLOPES = {
    "family": "slope of",
    "term": "term",
    "axis2_value": "",
    "slope_log_error_per_log_axis": "measured",
    "slope_lo": "from",
    "slope_hi": "to",
    "predicted_slope": "predicted",
    "verdict": "verdict",
}
_SETTINGS = {
    "family": "family",
    "planes": "planes",
    "temperature": "temperature",
    "epsilon": "epsilon",
    "sampling_error": "sampling error",
    "finite_tables_error": "finite-table error",
    "bias_exact": "bias",
    "total_error": "total error",
}
_RATIOS = {
    "planes": "planes",
    "temperature": "temperature",
    "term": "term",
    "bound": "bound",
    "bound_value_units": "value",
    "error_quantile_value_units": "true quantile",
    "bound_over_quantile": "ratio",
    "misses": "misses",
    "verdict": "verdict",
}


@dataclass(frozen=True, repr=False)
class Swept:
    """table: the columns of sweep.csv, one row per family, value and error term. slopes: those of sweep_slopes.csv.

    refuted: how many intervals miss the value they should contain. Lengths are in the unit of the values; None means
    not known. print() shows the errors with their intervals, what the theory predicts and bounds, and the slopes.
    """

    table: Table = field(repr=False)
    slopes: Table = field(repr=False)
    refuted: int

    def __repr__(self) -> str:
        title = f"Swept({len(next(iter(self.table.values()), []))} rows, {self.refuted} verdicts refuted)"
        axes = {f"{axis}_value": next(iter(self.table.get(axis, [])), None) or axis for axis in ("axis", "axis2")}
        slopes = (
            readable(self.slopes, {**_SLOPES, "axis2_value": axes["axis2_value"]}, 7)
            if any(self.slopes.values())
            else []
        )
        errors = readable(self.table, {"family": "family", **axes, **_ERRORS}, MOST_LINES - 1 - len(slopes))
        return "\n".join([title, *errors, *slopes])

    def to_pandas(self) -> Any:
        """`table` as a pandas.DataFrame; ImportError without pandas."""
        return to_pandas(self.table)


@dataclass(frozen=True, repr=False)
class Audited:
    """table, bounds, ratios: the columns of audit.csv, audit_bounds.csv and bound_ratios.csv; {} for a part left out.

    refuted: how many proved bounds are certainly exceeded more often than delta allows. print() shows the errors at each
    pair of planes and temperature, and the bounds beside the true quantiles.
    """

    table: Table = field(repr=False)
    bounds: Table = field(repr=False)
    ratios: Table = field(repr=False)
    refuted: int

    def __repr__(self) -> str:
        rows = max(len(next(iter(table.values()), [])) for table in (self.table, self.ratios))
        lines = [f"Audited({rows} rows, {self.refuted} bounds refuted)"]
        if self.table:
            lines += readable(self.table, _SETTINGS, MOST_LINES // 2)
        if self.ratios:
            lines += readable(self.ratios, _RATIOS, MOST_LINES - len(lines))
        return "\n".join(lines)

    def to_pandas(self) -> Any:
        """`table`, or where it is left out `ratios`, as a pandas.DataFrame; ImportError without pandas."""
        return to_pandas(self.table or self.ratios)


@takes("sweep")
def sweep(
    axis: str,
    values: Sequence[float],
    *,
    q: Any = None,
    k: Any = None,
    v: Any = None,
    families: str | Sequence[str] = _DRAWN,
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

    q [heads, queries, dim], k [key_heads, keys, dim] and v: your own arrays as the family "learned", in place of a file;
    the queries are the last positions. families may then say a head and query of them: "learned-0-3".

    The numbers are those of `--seed`. progress(done, total) gets estimated microseconds of one core. ValueError with
    the command's message for what it refuses.
    """
    words = [families] if isinstance(families, str) else families
    if families is _DRAWN and q is not None:
        words = ["learned"]
    given = texts("sweep", {"axis": axis, "values": values, "families": words}, options)
    heads = heads_in_memory(q, k, v, learned, given["families"])
    if not heads:
        given |= learned_option(learned, given["families"])
    table, slopes, refuted = _core.sweep(heads, given, seed_of(seed), threads_of(threads), progress_of(progress))
    return Swept(table, slopes, refuted)


@takes("audit", "families")
def audit(
    *,
    q: Any = None,
    k: Any = None,
    v: Any = None,
    family: str | None = None,
    learned: str | os.PathLike[str] | None = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[AuditOptions],
) -> Audited:
    """What Theorem 3 says at each pair of planes and temperatures, and the errors there, like `socketlab audit`.

    The defaults are Table 6 of the paper; time grows as keys squared. part "bounds": only the comparison of the
    printed, the repaired and our bounds with the true quantile of each error, from bound_draws draws (0: none) at
    bound_delta each. q, k, v, keys, dim,
    learned, progress and errors are those of sweep; family None is "gaussian", or with q, k and v "learned".
    """
    word = family if family is not None else "gaussian" if q is None else "learned"
    given = texts("audit", {"families": [word]}, options)
    heads = heads_in_memory(q, k, v, learned, given["families"])
    if not heads:
        given |= learned_option(learned, given["families"])
    table, bounds, ratios, refuted = _core.audit(
        heads, given, seed_of(seed), threads_of(threads), progress_of(progress)
    )
    return Audited(table, bounds, ratios, refuted)
