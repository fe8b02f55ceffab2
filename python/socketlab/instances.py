"""Named attention problems, and the hyperplanes that a seed draws: pure functions of their arguments."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import real, seed_of, trial_of, whole, word
from ._learned import learned_file
from ._tables import MOST_LINES, readable

_COUNTS = ("keys", "dim", "value_dim", "needles", "clusters", "key_rank", "sinks", "copies", "planes")


@dataclass(frozen=True)
class _Origin:
    """What an instance was drawn from."""

    parameters: dict[str, float]
    file: str
    seed: int
    trial: int


@dataclass(frozen=True, repr=False)
class Instance:
    """A query [dim], its keys [keys, dim] and their values [keys, value_dim], float64."""

    family: str
    query: NDArray[np.float64]
    keys: NDArray[np.float64]
    values: NDArray[np.float64]
    _origin: _Origin | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        sizes = f"{len(self.keys)} keys, dim {self.keys.shape[1]}, value_dim {self.values.shape[1]}"
        norms = [np.linalg.norm(np.atleast_2d(array), axis=1) for array in (self.query, self.keys, self.values)]
        table = {"of": ["query", "keys", "values"]} | {
            name: [float(of(each)) for each in norms]
            for name, of in (("least", np.min), ("median", np.median), ("most", np.max))
        }
        headings = {"of": "norm of", "least": "least", "median": "median", "most": "most"}
        return "\n".join([f"Instance({self.family}: {sizes})", *readable(table, headings, MOST_LINES)])

    def other_queries(self) -> NDArray[np.float64]:
        """Queries [16, dim] other than this one, from which `socketlab rank` lets double-sparsity learn in this trial.

        They are the queries of 16 other instances of the family; for "learned", up to 16 other queries of the same
        head. For the argument `calibration` of choose. ValueError for an instance that instance(..) did not make, and for
        a head with one query.
        """
        if self._origin is None:
            raise ValueError("other_queries: this instance was not made by instance(..); allowed is one that was")
        of = self._origin
        return _core.other_queries(self.family, of.parameters, of.file, of.seed, of.trial)


def families() -> list[str]:
    """The names of the families, "gaussian" first and "learned" last; sim/families.hpp says where each is described.

    Also allowed are "learned-HEAD" and "learned-HEAD-QUERY", counted from 0, and "needles", which is "needle" with 8
    needles.
    """
    return list(_core.families())


def instance(
    family: str,
    *,
    seed: int = 1,
    trial: int = 0,
    learned: str | os.PathLike[str] | None = None,
    **parameters: float,
) -> Instance:
    """The instance of a family for a seed and a trial: the one that the commands draw.

    parameters: keys (4096), dim (128), value_dim, query_norm, and those of single families, with the names and ranges
    of sim/family_parameters.hpp. "learned" is one query of a head of a trained model, with the keys up to its position
    and their values; the file sets keys and dim. learned: a .safetensors file with q [heads, queries, dim], k and v
    [key_heads, keys, ..], where the queries are the last positions; None: the file that comes with the package, if any.
    ValueError naming a parameter that is out of range or unknown, or a file that is missing or of another form.
    """
    given = {name: whole(value, name) if name in _COUNTS else real(value, name) for name, value in parameters.items()}
    file = learned_file(learned, [word(family, "family")])
    origin = _Origin(given, file, seed_of(seed), trial_of(trial))
    return Instance(family, *_core.instance(family, given, file, origin.seed, origin.trial), _origin=origin)


def hyperplanes(*, tables: int, planes: int, dim: int, seed: int = 1, trial: int = 0) -> NDArray[np.float64]:
    """The hyperplanes [tables, planes, dim] that `--seed` draws: independent N(0, 1) (paper, Algorithm 1).

    The first tables of a larger draw are those of a smaller one. tables 1 to 2^24, planes 1 to 30; else ValueError.
    """
    drawn: NDArray[np.float64] = _core.hyperplanes(
        whole(tables, "tables"), whole(planes, "planes"), whole(dim, "dim"), seed_of(seed), trial_of(trial)
    )
    return drawn


def derive_seed(seed: int, stream: int) -> int:
    """The seed of an independent sub-experiment: `socketlab rank --seed S` draws its rankers with derive_seed(S, 1)."""
    return int(_core.derive_seed(seed_of(seed), seed_of(stream, "stream")))
