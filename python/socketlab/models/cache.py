"""A static cache that hashes each key once: `new_cache(model, Sparse(..), capacity=N)`, for `model.generate(.., cache=..)`.

update() appends keys, values and, where the rule hashes keys, their codes. On a GPU, for the rules that skt_decode_step
has, the codes are those of its index, and a step reads the number of keys on the GPU, so that a captured step serves
every length. It would be wrong if the list of a step were not that of all rows in one pass: python/tests/models/ compares.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from transformers.cache_utils import Cache, StaticCache, StaticLayer

from .. import gpu
from ..gpu._prefill import TILE, words_of_a_key
from . import rules
from .settings import Sparse

Tensor = torch.Tensor


class Place:
    """Where all layers write, and how many keys there are: advanced once in a forward pass, by the first of the layers."""

    def __init__(self) -> None:
        self.seen = 0  # keys, known to the host; replays of a graph do not change it until the next call outside
        self.start = torch.zeros((), dtype=torch.int64)  # keys before the call that is under way, then after it
        self.columns = self.lengths = self.workspace = self.output = None

    def prepare(self, batch: int, device: torch.device) -> None:
        self.start = self.start.to(device)
        self.lengths = torch.zeros(batch, dtype=torch.int32, device=device)

    def advance(self, rows: int, capacity: int) -> None:
        captured = self.start.is_cuda and torch.cuda.is_current_stream_capturing()
        before = self.seen if captured else int(self.start)
        if before + rows > capacity:
            raise ValueError(f"cache: {rows} keys after {before} of {capacity}; allowed are {capacity - before}")
        self.seen = before + rows
        self.columns = torch.arange(rows, device=self.start.device) + self.start
        self.start.add_(rows)
        self.lengths.add_(rows)

    def rewind(self, keys: int) -> None:
        """Back to so many keys, of every sequence."""
        self.seen = keys
        self.start.fill_(keys)
        self.lengths.fill_(keys)


def layer_of(key: Tensor) -> Layer | None:
    """The cache layer whose keys these are."""
    found = getattr(key, "socketlab_layer", None)
    return None if found is None else found()


class Layer(StaticLayer):
    """Keys and values [batch, kv_heads, capacity, dim], and what a rule keeps of the keys."""

    is_compileable = False  # generate() would compile the calls of the library
    is_croppable = False

    def __init__(self, settings: Sparse, number: int, capacity: int, place: Place, leads: bool) -> None:
        super().__init__(max_cache_len=capacity)
        self.settings, self.number, self.place, self.leads = settings, number, place, leads
        self.codes: Tensor | None = None
        self.index: Any = None
        self.padded: bool | None = None

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        batch, heads, _, dim = key_states.shape
        self.device, self.batch_size, self.num_heads = key_states.device, batch, heads
        self.keys = key_states.new_zeros(batch, heads, self.max_cache_len, dim)
        self.values = value_states.new_zeros(batch, heads, self.max_cache_len, value_states.shape[-1])
        self.keys.socketlab_layer = weakref.ref(self)
        if self.leads:
            self.place.prepare(batch, self.device)
        if step_settings(self.settings, self.keys) is not None and self.settings.dense(self.number) is False:
            self.index = self._empty_index(dim)
        self.is_initialized = True

    def _empty_index(self, dim: int) -> Any:
        tables, planes = step_settings(self.settings, self.keys)["shape"]
        rows = rules.projections(self.settings, self.number, dim, self.device).reshape(tables, planes, dim)
        tiles = (*self.keys.shape[:2], self.max_cache_len // TILE, words_of_a_key(tables, planes), TILE)
        packed = torch.zeros(tiles, dtype=torch.int32, device=self.device)
        norms = torch.ones(self.keys.shape[:3], dtype=torch.float16, device=self.device)  # 1: a score alone
        return gpu.Index.of_parts(self.keys, self.values, packed, norms, rows.contiguous())

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        if self.leads:
            self.place.advance(key_states.shape[2], self.max_cache_len)
        at = self.place.columns
        self.keys.index_copy_(2, at, key_states)
        self.values.index_copy_(2, at, value_states)
        if self.index is not None:
            factor = {"keys": self.keys, "values": self.values, "one": None}[
                step_settings(self.settings, self.keys)["norms"]
            ]
            out = (self.index.packed, None if factor is None else self.index.norms)
            count, lengths = key_states.shape[2], self.place.lengths
            gpu.build_index(self.keys, self.index.hyperplanes, factor, count=count, lengths=lengths, out=out)
        elif rules.hashes_once(self.settings) and not self.settings.dense(self.number):
            new = rules.hash_keys(self.settings, key_states, layer=self.number)
            if self.codes is None:
                self.codes = new.new_zeros(*new.shape[:2], self.max_cache_len, new.shape[3])
            self.codes.index_copy_(2, at, new)
        return self.keys, self.values

    def get_seq_length(self) -> Any:
        return self.place.start if self.is_initialized else 0

    def reset(self) -> None:
        super().reset()
        if self.leads and self.is_initialized:
            self.place.rewind(0)
        self.padded = None

    def reorder_cache(self, beam_idx: Tensor) -> None:
        held = [self.keys, self.values, self.codes]
        held += [] if self.index is None else [self.index.packed, self.index.norms]
        for part in held:
            if part is not None:
                part.copy_(part.index_select(0, beam_idx.to(part.device)))

    def see_padding(self, shown: Tensor | None) -> None:
        """Of the first call, from its mask: whether a sequence begins behind column 0."""
        if self.padded is None:
            self.padded = shown is not None and not bool(shown[:, 0, -1, 0].all())

    def hashed(self, settings: Sparse, draw: int, own: list[int] | slice, start: int, end: int) -> Tensor | None:
        """What scores() takes in place of hashing the keys of these sequences from `start` to `end` again."""
        if self.codes is None or (settings, draw) != (self.settings, 0):
            return None
        return self.codes[own, :, start:end]

    def steps_on_gpu(self, settings: Sparse, draw: int) -> bool:
        return self.index is not None and not self.padded and (settings, draw) == (self.settings, 0)

    def step(self, query: Tensor, scaling: float) -> Tensor:
        """[batch, 1, heads, dim] of the one row of each sequence, by skt_decode_step."""
        s, place = self.settings, self.place
        q = query[:, :, 0].contiguous()
        sparsity = 0 if s.sparsity is None else int(s.sparsity)
        most = self.max_cache_len // sparsity if sparsity else s.budget
        room = {"budget": min(max(1 if sparsity else 0, most), self.max_cache_len), "sink": s.sink, "window": s.window}
        if place.workspace is None:
            place.workspace = gpu.decode_workspace(q, self.index, **room)
            place.output = torch.empty_like(q)
        found = gpu.decode_step(
            q,
            self.index,
            **room,
            **{"rule": "soft-collision", "temperature": s.temperature}
            if s.rule == "socket"
            else {"rule": "signed-projection"},
            scale=None if s.scaled else 1.0,
            logit_scale=scaling,
            lengths=place.lengths,
            sparsity=sparsity,
            output_type=str(q.dtype).removeprefix("torch."),
            out=place.output,
            workspace=place.workspace,
        )
        return found.unsqueeze(1)


def step_settings(settings: Sparse, keys: Tensor) -> dict[str, Any] | None:
    """[tables, planes] and the factor of a score in skt_decode_step, or None where it does not have the rule."""
    s, dim = settings, keys.shape[-1]
    of_16_bits = keys.dtype in (torch.float16, torch.bfloat16)
    whole = s.top_p is None and (s.sparsity is None or float(s.sparsity).is_integer())
    if not (keys.is_cuda and of_16_bits and dim in (64, 128, 256) and s.lists == "head" and whole and not s.centred):
        return None
    if s.rule == "socket" and s.value in ("none", "norm") and s.planes >= 4:
        return {"shape": (s.tables, s.planes), "norms": "values" if s.value == "norm" else "one"}
    if s.rule in ("signed-orthogonal", "signed-orthogonal-norm") and s.value == "none" and s.bits % 8 == 0:
        return {"shape": (s.bits // 8, 8), "norms": "keys" if s.rule == "signed-orthogonal-norm" else "one"}
    return None


def new_cache(model: Any, settings: Sparse, *, capacity: int) -> Cache:
    """An empty cache of `capacity` columns or up to 63 more, padding included. Layers with a sliding window have
    transformers' own.
    """
    for name, of_many_rows in (("value", "calibrated"), ("normaliser", "step-before")):
        if getattr(settings, name) == of_many_rows:
            raise ValueError(f"cache: {name} {of_many_rows}; allowed are the others, which need one row alone")
    capacity, place = -(-capacity // TILE) * TILE, Place()
    made = StaticCache(model.config, max_cache_len=capacity)
    for number, layer in enumerate(made.layers):
        if type(layer) is StaticLayer:
            leads = not any(isinstance(earlier, Layer) for earlier in made.layers[:number])
            made.layers[number] = Layer(settings, number, capacity, place, leads)
    return made
