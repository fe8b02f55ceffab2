"""Attention problems with a name, and the hyperplanes that a seed stands for: pure functions of their arguments."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import real, seed_of, trial_of, whole, word
from ._learned import learned_file

_COUNTS = ("keys", "dim", "value_dim", "needles", "clusters", "key_rank", "sinks", "copies", "planes")


@dataclass(frozen=True, repr=False)
class Instance:
    """A query [dim], its keys [keys, dim] and their values [keys, value_dim], float64."""

    family: str
    query: NDArray[np.float64]
    keys: NDArray[np.float64]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"Instance({self.family}: {len(self.keys)} keys, dim {self.keys.shape[1]}, value_dim {self.values.shape[1]})"


def families() -> list[str]:
    """The names of the families, "gaussian" first, "learned" last; sim/families.hpp says where each is described.

    Of "learned" there are also "learned-HEAD" and "learned-HEAD-QUERY", counted from 0, and "needles" is "needle" with 8.
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

    parameters: keys (4096), dim (128), value_dim, query_norm, and those of single families, by the names and within the
    ranges of sim/family_parameters.hpp. "learned" is a query of a trained model's head, its keys up to its position and
    their values; the file says keys and dim. learned: a .safetensors with q [heads, queries, dim], k and v
    [key_heads, keys, ..], the queries the last positions; None: the file of the package, if it holds one. ValueError naming
    a parameter that is out of range or unknown, or a file that is missing or none of these.
    """
    given = {name: whole(value, name) if name in _COUNTS else real(value, name) for name, value in parameters.items()}
    file = learned_file(learned, [word(family, "family")])
    return Instance(family, *_core.instance(family, given, file, seed_of(seed), trial_of(trial)))


def hyperplanes(*, tables: int, planes: int, dim: int, seed: int = 1, trial: int = 0) -> NDArray[np.float64]:
    """The hyperplanes [tables, planes, dim] that `--seed` draws: independent N(0, 1) (paper, Algorithm 1).

    The first tables of a larger draw are those of a smaller one. tables 1 to 2^24, planes 1 to 30; else ValueError.
    """
    drawn: NDArray[np.float64] = _core.hyperplanes(
        whole(tables, "tables"), whole(planes, "planes"), whole(dim, "dim"), seed_of(seed), trial_of(trial)
    )
    return drawn


def derive_seed(seed: int, stream: int) -> int:
    """The seed of an independent sub-experiment: `socketlab rank --seed S` draws its rankers from derive_seed(S, 1)."""
    return int(_core.derive_seed(seed_of(seed), seed_of(stream, "stream")))
