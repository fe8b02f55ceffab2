"""The exact population quantities: expectations over the hyperplanes, without Monte Carlo (`socketlab oracle`).

All are for one table of `planes` hyperplanes; `temperature` is tau; a cosine is between key and query. Source: the
paper's section 3 and Lemmas 1 and 2; estimators/population/population.hpp says how they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core
from ._options import texts

__all__ = ["Estimate", "angular_weight", "epsilon", "pair_moment", "weight", "weight_variance"]


@dataclass(frozen=True)
class Estimate:
    """A number with a bound on its absolute error."""

    value: float
    error: float


def _answer(quantity: str, options: dict[str, Any]) -> Estimate:
    """`options`: the keywords of the function that asks."""
    return Estimate(*_core.oracle(texts("oracle", {"quantity": quantity, **options}, {})))


def epsilon(
    *, planes: int, temperature: float, dim: int = 1, query_norm: float, scaling: str = "inverse-sqrt-dim"
) -> Estimate:
    """The expected mass outside the query's own bucket, 1 - g(1)^planes, in [0, 1].

    planes at least 1; temperature and query_norm from 1e-150 to 1e150; dim at least 1, not used with scaling "none".
    ValueError for anything else.
    """
    return _answer("epsilon", locals())


def weight(
    *,
    planes: int,
    temperature: float,
    dim: int = 1,
    query_norm: float,
    cosine: float,
    scaling: str = "inverse-sqrt-dim",
) -> Estimate:
    """The mean of one table's soft score for a key at this cosine, w_tau = g(rho)^planes, in [0, 1]. Ranges: see
    epsilon.
    """
    return _answer("weight", locals())


def weight_variance(
    *,
    planes: int,
    temperature: float,
    dim: int = 1,
    query_norm: float,
    cosine: float,
    scaling: str = "inverse-sqrt-dim",
) -> Estimate:
    """The variance of one table's soft score for a key at this cosine. Ranges: see epsilon."""
    return _answer("weight-variance", locals())


def pair_moment(
    *,
    planes: int,
    temperature: float,
    dim: int = 1,
    query_norm: float,
    cosine_i: float,
    cosine_j: float,
    cosine_ij: float,
    scaling: str = "inverse-sqrt-dim",
) -> Estimate:
    """The mean product of two keys' soft scores in one table.

    cosine_i and cosine_j are with the query, cosine_ij is between the keys. ValueError if no three vectors have these
    cosines.
    """
    return _answer("pair-moment", locals())


def angular_weight(*, planes: int, cosine: float) -> Estimate:
    """The angular weight (1 - angle/pi)^planes of a key at this cosine, in [0, 1]."""
    return _answer("angular-weight", locals())
