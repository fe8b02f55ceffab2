"""Which decode steps does gpu-check ask for? Its grids as data, with what is needed to judge a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ._tensors import on_device

Doubles = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, repr=False)
class DecodeCase:
    """What a decode step reads in a case of gpu-check, an index of it, and the bounds of its scores.

    queries      [batch, heads, dim]: numbers of `dtype`, "f32", "f16" or "bf16", in float32
    keys, values [batch, kv_heads, keys, dim], likewise; NaN where the mask forbids a key to every head; head h reads
                 KV head h // (heads / kv_heads)
    hyperplanes  float32 [tables, planes, dim]
    allowed      bool [batch, heads, keys]: where it is False the key must not be selected
    codes        int16 [batch, kv_heads, tables, keys], of 16 planes the bits of an unsigned number: bit p, plane 0 being the
                 most significant of `planes` bits, is 1 where hyperplane p has key . hyperplane >= 0. A step may hash itself
    norms        float32 [batch, kv_heads, keys]: |value| rounded to fp16, at most 65504; a step may make its own
    budget       how many keys are selected beside the allowed ones of the first `sink` and the last `window` keys
    temperature  of the scores; both scales, of scores and of attention, are 1 / sqrt(dim)
    low, high    float64 [batch * heads, keys]: what the scores must lie between; both -inf where a key is not allowed
    """

    text: str
    dtype: str
    planes: int
    budget: int
    sink: int
    window: int
    temperature: float
    queries: Any
    keys: Any
    values: Any
    hyperplanes: Any
    allowed: Any
    codes: Any
    norms: Any
    low: Doubles
    high: Doubles

    def __repr__(self) -> str:
        return f'socketlab.check.decode_case("{self.text}")'

    def on(self, device: str | None) -> DecodeCase:
        """The same with tensors there: queries, keys and values of `dtype`, norms float16; None leaves it on the CPU."""
        if device is None:
            return self
        typed = {name: on_device(getattr(self, name), device, self.dtype) for name in ("queries", "keys", "values")}
        others = {name: on_device(getattr(self, name), device) for name in ("hyperplanes", "allowed", "codes")}
        return dataclasses.replace(self, **typed, **others, norms=on_device(self.norms, device, "f16"))


def decode_case(text: str, *, threads: int = 0) -> DecodeCase:
    """The case of this text, as `gpu-check --case` has it: "operation=decode-step,keys=2000,..". ValueError names a field."""
    made = _core.decode_case(text, threads)
    return DecodeCase(**{**made, "allowed": made["allowed"].view(np.bool_)})


def decode_cases(grid: str = "quick", *, seed: int = 1, most_keys: int = 2000) -> Iterator[DecodeCase]:
    """The decode steps of the grid "tiny", "quick" or "full" of at most so many keys, without those from pages."""
    for text in _core.decode_cases(grid, seed, most_keys):
        yield decode_case(text)
