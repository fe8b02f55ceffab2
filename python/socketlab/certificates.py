"""Which errors are proved for your own queries, keys and values (`socketlab certify`, docs/bounds.md)?"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import stored
from ._options import asked, python_words, takes
from ._tables import to_pandas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import CertifyOptions


@dataclass(frozen=True)
class CertifiedNumber:
    """One number and what it rests on.

    term   which error: "finite-tables", "sampling", "total", "top-m", "missed-mass", ..
    basis  "measured": exact for these tables; "certified", "expected", "redrawn": proved; "estimated", "predicted": not;
           "printed": the paper's bound with the constants of this problem
    name   the theorem
    delta  probability that it is exceeded; None where nothing is random
    value  in the unit of the values, or a fraction; inf where no radius exists
    """

    term: str
    basis: str
    name: str
    delta: float | None
    value: float


@dataclass(frozen=True, repr=False)
class Certificate:
    """What is known of one query. Lengths are in the unit of the values; smallest_counts only with target_error.

    occupancy_drawn  B of the paper's bounds in these tables: the most keys in one bucket
    occupancy_sure   what any B that holds for every draw is at least: the most keys found on one side of a plane, or
                     occupancy_drawn where that is more
    """

    query: int
    head: int
    key_head: int
    keys: int
    query_norm: float
    dense_norm: float
    longest_value: float
    effective_rank: float
    occupancy_drawn: int
    occupancy_sure: int
    numbers: tuple[CertifiedNumber, ...]
    smallest_counts: dict[str, Any] | None

    def value(self, term: str, basis: str, name: str | None = None) -> float:
        """The first number of this term and basis, and name if given. KeyError if there is none."""
        for number in self.numbers:
            if number.term == term and number.basis == basis and name in (None, number.name):
                return number.value
        raise KeyError(f"no number {term}, {basis}, {name}")

    def __repr__(self) -> str:
        rows = "".join(f"\n  {n.term:<18}{n.basis:<11}{n.name:<42}{n.value:>11.4g}" for n in self.numbers)
        return f"Certificate(query {self.query}, head {self.head}, {self.keys} keys){rows}"


@dataclass(frozen=True, repr=False)
class Certified:
    """The plan as it was carried out, and one certificate per query; `print` shows the command's summary over them.

    With time_limit `queries` may be fewer than plan["queries_together"]: those that were certified by then.
    """

    plan: dict[str, Any]
    queries: tuple[Certificate, ...]
    summary: str = ""

    def __repr__(self) -> str:
        return self.summary

    def to_pandas(self) -> Any:
        """A row for each query and number. ImportError without pandas."""
        rows = [
            {"query": q.query, "head": q.head, "key_head": q.key_head, "keys": q.keys, **asdict(number)}
            for q in self.queries
            for number in q.numbers
        ]
        return to_pandas({name: [row[name] for row in rows] for name in rows[0]})


def _number(row: dict[str, Any]) -> CertifiedNumber:
    value = np.inf if row["value"] is None else float(row["value"])
    return CertifiedNumber(row["term"], row["basis"], row["name"], row["delta"], value)


def _certificate(row: dict[str, Any]) -> Certificate:
    rank = row["effective_rank"]
    return Certificate(
        query=row["query"],
        head=row["head"],
        key_head=row["key_head"],
        keys=row["keys"],
        query_norm=row["query_norm"],
        dense_norm=row["dense_norm_value_units"],
        longest_value=row["longest_value_value_units"],
        effective_rank=np.nan if rank is None else rank,
        occupancy_drawn=row["occupancy_drawn_keys"],
        occupancy_sure=row["occupancy_sure_keys"],
        numbers=tuple(_number(number) for number in row["numbers"]),
        smallest_counts=row["smallest_counts"],
    )


@takes("certify", "queries", "keys", "values")
def certify(
    q: Any,
    k: Any,
    v: Any,
    *,
    hyperplanes: Any = None,
    mask: Any = None,
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[CertifyOptions],
) -> Certified:
    """Proved error bounds for your own arrays, like `socketlab certify`; docs/bounds.md has the theorems.

    q [queries, dim] or [heads, queries, dim]; k, v, hyperplanes and mask as for attend. budget and samples: a count, or
    as a float a fraction of the keys. pairs "none" leaves out everything that takes time in keys squared.

    progress(done, total) gets estimated microseconds of one core. ValueError with the command's message for what it
    refuses. The keys and values of one key head are in memory as float64.
    """
    arrays = stored(q, k, v, hyperplanes=hyperplanes, mask=mask)
    text, summary = _core.certify(arrays, *asked("certify", {}, options, seed, threads, progress))
    made = json.loads(text)
    return Certified(made["plan"], tuple(_certificate(row) for row in made["queries"]), python_words(summary))
