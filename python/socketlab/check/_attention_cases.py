"""Queries, keys, values and lists on which attention over a selection has gone wrong: free places, empty lists, one key,
keys that stand twice, logits that differ by hundreds or not at all, values that cancel, heads that share keys. A grid has
sizes at which a list fills no tile of 64, and at which it ends behind full tiles of 64 and 128."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import seed_of, whole, word
from ..instances import instance
from ._attention import attention
from ._failure import CheckFailure, Report
from ._grids import grid_of
from ._tensors import on_device

Floats = NDArray[np.float32]


@dataclass(frozen=True, repr=False)
class AttentionCase:
    """What attention over a selection reads; attention_case(name, ..) makes the same again.

    q float32 [heads, dim]; k [key_heads, keys, dim], v [key_heads, keys, value_dim]; head h reads key head
    h // (heads / key_heads). selected int64 [heads, width], -1 where there are fewer.
    """

    name: str
    q: Floats
    k: Floats
    v: Floats
    selected: NDArray[np.int64]
    keys: int
    seed: int

    def __repr__(self) -> str:
        return f'socketlab.check.attention_case("{self.name}", keys={self.keys}, seed={self.seed})'

    def check(self, given: Any, lse: Any = None, *, device: str | None = None, **words: str) -> Report:
        """An output [heads, value_dim], or a callable fn(q, k, v, selected) that makes it, perhaps with its log-sum-exp.

        A callable gets tensors on `device`, "cuda" say, where that is given. `words` are base, dtype, weights and empty of
        check.attention, whose CheckFailure this raises.
        """
        arrays = (self.q, self.k, self.v, self.selected)
        made = given(*(on_device(array, device) for array in arrays)) if callable(given) else given
        output, log = made if isinstance(made, tuple) else (made, lse)
        try:
            return attention(self.q, self.k, self.v, self.selected, output, log, **words)
        except CheckFailure as failure:
            said = "" if device is None else f", device={device!r}"
            said += "".join(f', {name}="{word}"' for name, word in words.items())
            raise failure.in_case(f"{self!r}.check(fn{said})") from None


def _plain(keys: int, seed: int, heads: int = 4, key_heads: int = 2) -> AttentionCase:
    """Gaussian queries of norm 4, a third of the keys for each head in an order of its own."""
    made = [instance("gaussian", keys=keys, dim=32, value_dim=16, seed=seed, trial=head) for head in range(heads)]
    order = [np.argsort(made[head].keys[:, 0])[: max(1, keys // 3)] for head in range(heads)]
    return AttentionCase(
        "plain",
        np.array([4 * m.query / np.linalg.norm(m.query) for m in made]).astype(np.float32),
        np.array([m.keys for m in made[:key_heads]]).astype(np.float32),
        np.array([m.values for m in made[:key_heads]]).astype(np.float32),
        np.array(order, dtype=np.int64),
        keys,
        seed,
    )


def _free_places(keys: int, seed: int) -> AttentionCase:
    """Each head has fewer keys than the one before; -1 stands behind the last."""
    made = _plain(keys, seed)
    selected = made.selected.copy()
    width = selected.shape[1]
    for head in range(len(selected)):
        selected[head, max(1, width >> head) :] = -1
    return replace(made, selected=selected)


def _empty_list(keys: int, seed: int) -> AttentionCase:
    made = _plain(keys, seed)
    selected = made.selected.copy()
    selected[1] = -1
    return replace(made, selected=selected)


def _twice(keys: int, seed: int) -> AttentionCase:
    made = _plain(keys, seed)
    return replace(made, selected=np.concatenate([made.selected, made.selected[:, :1]], axis=1))


_CASES: dict[str, Callable[[int, int], AttentionCase]] = {
    "plain": _plain,
    "one-head": lambda keys, seed: _plain(keys, seed, heads=1, key_heads=1),
    "grouped": lambda keys, seed: _plain(keys, seed, heads=6, key_heads=2),
    "four-to-a-key-head": lambda keys, seed: _plain(keys, seed, heads=8, key_heads=2),
    "free-places": _free_places,
    "empty-list": _empty_list,
    "one-key": lambda keys, seed: replace(_plain(keys, seed), selected=_plain(keys, seed).selected[:, :1]),
    "key-twice": _twice,
    "steep": lambda keys, seed: replace(_plain(keys, seed), q=np.float32(60) * _plain(keys, seed).q),
    "flat": lambda keys, seed: replace(_plain(keys, seed), q=np.zeros_like(_plain(keys, seed).q)),
    "cancelling": lambda keys, seed: replace(
        _plain(keys, seed),
        q=np.zeros_like(_plain(keys, seed).q),
        v=np.float32(1000) * np.where(np.arange(keys) % 2 == 0, 1, -1).astype(np.float32)[:, None]
        + _plain(keys, seed).v,
    ),
}


_GRIDS = {"tiny": [33, 400], "quick": [1, 33, 400, 700], "full": [1, 33, 400, 700, 5000]}  # keys; lists have a third


def attention_case(name: str, *, keys: int = 700, seed: int = 1) -> AttentionCase:
    """The case of this name; keys 1 and more. ValueError for another name or number."""
    name, keys, seed = word(name, "name"), whole(keys, "keys"), seed_of(seed)
    if name not in _CASES:
        raise ValueError(f"attention case {name}: allowed are {', '.join(_CASES)}")
    if keys < 1:
        raise ValueError(f"attention case: keys {keys}: allowed are 1 and more")
    return replace(_CASES[name](keys, seed), name=name)


def attention_cases(grid: str | None = None, *, keys: int = 700, seed: int = 1) -> Iterator[AttentionCase]:
    """Every case of so many keys in turn, or of the sizes of the grid "tiny", "quick" or "full"."""
    for of_keys in grid_of(grid, _GRIDS, keys):
        for name in _CASES:
            yield attention_case(name, keys=of_keys, seed=seed)
