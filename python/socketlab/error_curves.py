"""How large is each error term of Theorem 3 along an axis, and what does the theorem say there (`sweep`, `audit`)?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from . import _core
from ._arguments import each, if_given, progress_of, real, seed_of, threads_of, whole, word
from ._learned import learned_file
from ._tables import Table

Progress = Callable[[int, int], object]
_MOST_TRIALS = 2**24  # each is kept until all are in, as the command has it

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


def sweep(
    axis: str,
    values: Sequence[float],
    *,
    axis2: str | None = None,
    values2: Sequence[float] = (),
    families: Sequence[str] = ("gaussian",),
    keys: int | None = None,
    dim: int | None = None,
    learned: str | os.PathLike[str] | None = None,
    planes: int = 8,
    tables: int = 60,
    samples: int = 0,
    temperature: float = 0.5,
    scaling: str = "inverse-sqrt-dim",
    query_norm: float = 0.0,
    needle_cosine: float = 0.9,
    key_norm_spread: float = 0.0,
    budget: int = 0,
    density: float = 0.0,
    trials: int = 350,
    draws: int = 8,
    delta: float = 0.1,
    family_error: float = 1e-3,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> Swept:
    """Errors along an axis of AXES on drawn instances: measured, exact and bounded, like `socketlab sweep`.

    values: of the axis, each once; axis2 and values2: a curve for each value of a second axis. families: names as in
    families(); "learned" is one instance that the seed draws. keys, dim: None for 4096 and 128; for "learned" the file
    sets them, and `learned` names it as in instance(). samples 0: a tenth of the keys; query_norm 0: as drawn. budget
    or density (a fraction of the keys) above 0: also the error of exact attention over the selection.

    trials: draws of the tables per value, each with `draws` of the sampling estimator. delta is that of Theorem 3;
    family_error is the probability that any interval of the call misses. The numbers are those of `--seed`.
    progress(done, total) gets estimated microseconds of one core. ValueError with the command's message for what it
    refuses.
    """
    words = each(word, [families] if isinstance(families, str) else families, "families")
    options = {
        "axis": word(axis, "axis"),
        "values": each(real, values, "values"),
        "axis2": word(axis2 or "", "axis2"),
        "values2": each(real, values2, "values2"),
        "families": words,
        "learned": learned_file(learned, words),
        "keys": if_given(whole, keys, "keys"),
        "dim": if_given(whole, dim, "dim"),
        "planes": whole(planes, "planes"),
        "tables": whole(tables, "tables"),
        "samples": whole(samples, "samples"),
        "temperature": real(temperature, "temperature"),
        "scaling": word(scaling, "scaling"),
        "query_norm": real(query_norm, "query_norm"),
        "needle_cosine": real(needle_cosine, "needle_cosine"),
        "key_norm_spread": real(key_norm_spread, "key_norm_spread"),
        "budget": whole(budget, "budget"),
        "density": real(density, "density"),
        "trials": whole(trials, "trials", 0, _MOST_TRIALS),
        "draws": whole(draws, "draws", 0, _MOST_TRIALS),
        "delta": real(delta, "delta"),
        "family_error": real(family_error, "family_error"),
    }
    table, slopes, refuted = _core.sweep(options, seed_of(seed), threads_of(threads), progress_of(progress))
    return Swept(table, slopes, refuted)


def audit(
    *,
    planes: Sequence[int] = (8, 10, 12),
    temperatures: Sequence[float] = (0.3, 0.5, 0.7),
    part: str = "all",
    family: str = "gaussian",
    keys: int | None = None,
    dim: int | None = None,
    learned: str | os.PathLike[str] | None = None,
    tables: int = 60,
    samples: int = 0,
    scaling: str = "inverse-sqrt-dim",
    query_norm: float = 0.0,
    needle_cosine: float = 0.9,
    delta: float = 0.1,
    target: float = 0.01,
    trials: int = 32,
    bound_delta: float = 0.05,
    bound_draws: int = 200,
    fresh_tables: int = 20_000,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> Audited:
    """What Theorem 3 says at each pair of planes and temperatures, and the errors there, like `socketlab audit`.

    The defaults are Table 6 of the paper; time grows as keys squared. part "bounds": only the comparison of the
    printed, the repaired and our bounds with the true quantile of each error, from bound_draws draws (0: none) at
    bound_delta each; fresh_tables are drawn in addition for Corollaries 3 and 4. target: a wanted error as a fraction
    of the longest value; the search finds the tables, samples and temperature that keep it. The other options, progress
    and errors are those of sweep.
    """
    options = {
        "planes": each(whole, planes, "planes"),
        "temperatures": each(real, temperatures, "temperatures"),
        "part": word(part, "part"),
        "family": word(family, "family"),
        "learned": learned_file(learned, [family]),
        "keys": if_given(whole, keys, "keys"),
        "dim": if_given(whole, dim, "dim"),
        "tables": whole(tables, "tables"),
        "samples": whole(samples, "samples"),
        "scaling": word(scaling, "scaling"),
        "query_norm": real(query_norm, "query_norm"),
        "needle_cosine": real(needle_cosine, "needle_cosine"),
        "delta": real(delta, "delta"),
        "target": real(target, "target"),
        "trials": whole(trials, "trials", 0, _MOST_TRIALS),
        "bound_delta": real(bound_delta, "bound_delta"),
        "bound_draws": whole(bound_draws, "bound_draws", 0, _MOST_TRIALS),
        "fresh_tables": whole(fresh_tables, "fresh_tables"),
    }
    table, bounds, ratios, refuted = _core.audit(options, seed_of(seed), threads_of(threads), progress_of(progress))
    return Audited(table, bounds, ratios, refuted)
