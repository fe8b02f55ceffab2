"""Figures of the package's results, in the style of the command's report; the same code draws both.

Each function returns a matplotlib Figure, or a list of them, which a notebook shows and `figure.savefig` writes.
Matplotlib's settings do not change. Without matplotlib each raises ImportError: install `pip install
'socketlab[plots]'`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._tables import Table, rows
from .attention import Attended
from .certificates import Certified
from .choosing import Chosen
from .error_curves import Audited, Swept

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["attend_curves", "audit_terms", "bound_ratios", "certificate", "choose", "error_curves"]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"._figures.{name}", __package__)
    except ModuleNotFoundError as missing:
        if missing.name == "matplotlib":
            raise ImportError(
                "socketlab.plots: no matplotlib; allowed is a Python with it, as pip install 'socketlab[plots]' makes"
            ) from None
        raise


def _known(table: Table) -> list[dict[str, Any]]:
    """Rows as the figures have them: what is not known is NaN among numbers, and no text."""
    texts = {name for name, cells in table.items() if any(isinstance(cell, str) for cell in cells)} | {"axis2"}
    return [
        {name: ("" if name in texts else math.nan) if cell is None else cell for name, cell in row.items()}
        for row in rows(table)
    ]


def _drawn(draw: Callable[..., Figure], *given: Any) -> Figure:
    """With the look of the report for this figure alone; it is not left among pyplot's, which a notebook shows too."""
    style = _module("style")
    matplotlib = importlib.import_module("matplotlib")
    with matplotlib.rc_context(style.LOOK):
        figure = draw(*given)
        figure.draw_without_rendering()  # ticks get their look when they are first drawn
        style.plt.close(figure)
    return figure


def error_curves(swept: Swept) -> list[Figure]:
    """Figures of sl.sweep, one per family: points with intervals, exact lines, bounds; a heat map for two axes."""
    curves, sweeps = _module("error_curves"), _module("sweeps")
    table = _known(swept.table)
    return [_drawn(curves.draw, sweep) for sweep in sweeps.sweeps_of(table, _known(swept.slopes))] + [
        _drawn(curves.draw_grid, grid) for grid in sweeps.grids_of(table)
    ]


def audit_terms(audited: Audited) -> Figure:
    """Every term of Theorem 3's bound next to the exact error, from sl.audit. ValueError for part "bounds"."""
    if not audited.table:
        raise ValueError('audited: part is "bounds"; allowed is an audit of part "all"')
    return _drawn(_module("audit_terms").draw, _known(audited.table), _known(audited.bounds))


def bound_ratios(audited: Audited) -> Figure:
    """Printed, repaired and our bounds against the true quantile of each error, from sl.audit. ValueError without
    draws.
    """
    if not audited.ratios:
        raise ValueError("audited: bound_draws is 0; allowed is an audit with 2 and more")
    return _drawn(_module("bound_ratios").draw, _known(audited.ratios))


def certificate(certified: Certified) -> Figure:
    """The error terms of the first queries of sl.certify as bars: measured, certified, predicted, printed."""
    plan = {name: certified.plan[name] for name in ("planes", "tables", "samples", "budget", "temperature")}
    numbers = [
        {
            **plan,
            "query": query.query,
            "keys": query.keys,
            "term": number.term,
            "basis": number.basis,
            "name": number.name,
            "delta": number.delta or 0,
            "value": number.value,
            "longest_value_value_units": query.longest_value,
            "dense_norm_value_units": query.dense_norm,
        }
        for query in certified.queries
        for number in query.numbers
    ]
    return _drawn(_module("certificate").draw, numbers)


def attend_curves(attended: Attended) -> Figure:
    """Error and lost softmax mass of sl.attend against density, one panel per head."""
    curves: dict[tuple[str, Any], list[dict[str, Any]]] = {}
    for row in _known(attended.curves):
        head = "all" if row["head"] == -1 else row["head"]
        curves.setdefault((row["ranking"], head), []).append(row)
    return _drawn(_module("attend_curves").draw, curves)


def choose(chosen: Chosen) -> Figure:
    """Error, softmax mass and recall of each ranker of sl.choose against the budget; of a search its frontier."""
    return _drawn(_module("choose").draw, _known(chosen.table))
