"""Which ranker, or which settings of SOCKET, lose least on your own queries, keys and values (`socketlab choose`)?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import count_text, stored
from ._options import asked, takes
from ._tables import Table, to_pandas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import ChooseOptions

_BUDGETS = ("0.05",)  # as given: a search takes none

RANKERS: tuple[str, ...] = tuple(_core.rankers())
"""The names of the rankers, at the memory of the paper's Table 1 (docs/rankings.md)."""


@dataclass(frozen=True, repr=False)
class Chosen:
    """What choose found, as the columns of the files that the command writes; print() shows the tables and the conclusion.

    table        choose.csv: ranker, budget and metric, with mean, deviation and quantiles over the queries; of a search
                 choose_search.csv: the settings that reach the target, those that read least first
    differences  choose_differences.csv: paired differences of the rankers with simultaneous intervals; of a search empty
    queries      choose_queries.csv: the numbers of every query; of a search empty
    """

    table: Table
    differences: Table
    queries: Table
    _text: str = field(repr=False)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def to_pandas(self) -> Any:
        """`table` as a pandas.DataFrame; ImportError without pandas."""
        return to_pandas(self.table)


@takes("choose", "queries", "keys", "values")
def choose(
    q: Any,
    k: Any,
    v: Any,
    *,
    budgets: float | str | Sequence[float | str] = _BUDGETS,
    hyperplanes: Any = None,
    mask: Any = None,
    scores: Any = None,
    calibration: Any = None,
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[ChooseOptions],
) -> Chosen:
    """Measures rankers, or with search=True settings of SOCKET, on your own arrays, like `socketlab choose`.

    q [queries, dim], [heads, queries, dim] or [batch, heads, queries, dim]; k and v likewise, with key heads and keys.
    Query head h attends to key head h / (heads / key_heads). Types float16, bfloat16, float32 or float64. mask as for
    attend. hyperplanes [tables, planes, dim], else drawn from `seed`. scores [.., keys], shaped as q: your own scores,
    the ranker "own". calibration [queries, dim]: other queries of the head, from which double-sparsity learns; it is
    required for that ranker.

    budgets: counts as int, fractions of the keys as float. progress(done, total) counts queries. ValueError with the
    command's message for what it refuses.
    """
    own = {}
    if budgets != _BUDGETS:
        each = budgets if isinstance(budgets, Sequence) and not isinstance(budgets, str) else [budgets]
        own["budgets"] = [budget if isinstance(budget, str) else count_text(budget, "budgets") for budget in each]
    arrays = stored(q, k, v, hyperplanes=hyperplanes, mask=mask, scores=scores, calibration=calibration)
    text, tables = _core.choose(arrays, *asked("choose", own, options, seed, threads, progress))
    table, differences, queries = (*tables.values(), {}, {})[:3]
    return Chosen(table, differences, queries, text)
