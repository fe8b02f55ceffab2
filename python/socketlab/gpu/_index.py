"""The index of a cache of keys and values, by skt_build_index, and the scratch memory of the steps over it.

The index keeps one workspace for each stream that it was used on. It is allocated at the first step and again when a
larger one is needed, but never while PyTorch captures the stream.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from ._interface import Library, load
from ._prefill import TILE, build_index, words_of_a_key
from ._tensors import (
    BYTES,
    Tensor,
    address,
    cache_fields,
    capturing,
    checked,
    launching,
    look,
    on_one_device,
    torch_with_gpu,
    type_code,
    type_word,
)

_TYPES = ("float16", "bfloat16")
CACHED = ("float32", *_TYPES, BYTES)


def _drawn_hyperplanes(tables: int, planes: int, dim: int, seed: int) -> Any:
    from ..instances import hyperplanes

    return hyperplanes(tables=tables, planes=planes, dim=dim, seed=seed)


def _four(tensor: Tensor, name: str) -> Tensor:
    """[batch, kv_heads, keys, dim] of it, or of [kv_heads, keys, dim]."""
    three = getattr(tensor, "ndim", 4) == 3
    checked(tensor, name, _TYPES, (None,) * (3 if three else 4))
    return tensor.unsqueeze(0) if three else tensor


class Index:
    """Keys and values of a cache, with packed codes and norms: what a decode step reads.

    keys, values    [batch, kv_heads, capacity, dim], or without batch; float16 or bfloat16. They are the cache itself, in
                    place, if the number of keys is a multiple of 64 and no larger `capacity` is asked for; otherwise they are
                    copied to `capacity` places, rounded up to a multiple of 64.
    used            number of keys in the cache; by default all
    hyperplanes     [tables, planes, dim]; by default drawn from `seed`. They are rounded to the type of the keys, for keys
                    and queries alike, because the tensor cores hash in that type.

    A cache of float8_e4m3fn has an index of_parts(): codes and norms are computed from keys and values before they are
    cast.

    Attributes: keys, values (the cache), key_scales, value_scales, packed, norms, hyperplanes (float32), used,
    capacity, tables, planes, library.
    """

    def __init__(
        self,
        keys: Tensor,
        values: Tensor,
        *,
        tables: int = 60,
        planes: int = 10,
        hyperplanes: Any = None,
        seed: int = 1,
        capacity: int | None = None,
        used: int | None = None,
        stream: Any = None,
        library: Library | None = None,
    ) -> None:
        torch, self.library = torch_with_gpu(), load(library)
        self.key_scales = self.value_scales = None
        keys, values = _four(keys, "keys"), _four(values, "values")
        checked(values, "values", (type_word(keys),), keys.shape)
        on_one_device(keys, values)
        given = int(keys.shape[2])
        self.used = given if used is None else used
        if not 0 <= self.used <= given:
            raise ValueError(f"used {self.used}: allowed are 0 to {given}, the keys given")
        self.capacity = -(-max(1, given, capacity or 0) // TILE) * TILE
        with launching(torch, keys, stream):
            self.keys, self.values = (self._cache_of(torch, part) for part in (keys, values))
            self.hyperplanes = self._rounded(torch, keys, hyperplanes, tables, planes, seed)
            self.tables, self.planes = (int(size) for size in self.hyperplanes.shape[:2])
            words, device = words_of_a_key(self.tables, self.planes), keys.device
            tiles = (*keys.shape[:2], self.capacity // TILE, words, TILE)
            self.packed = torch.zeros(tiles, dtype=torch.int32, device=device)
            self.norms = torch.zeros((*keys.shape[:2], self.capacity), dtype=torch.float16, device=device)
            self._workspaces: dict[int, Tensor] = {}
            self.last_step: tuple[Any, ctypes.Structure, int] | None = None  # of decode_step, which alone reads it
            self._build(0, self.used)

    def __repr__(self) -> str:
        shape = list(self.keys.shape)
        return f"Index({self.used} of {shape[2]} keys, batch {shape[0]}, {shape[1]} kv heads, {self.tables} tables of {self.planes})"

    @classmethod
    def of_parts(
        cls,
        keys: Tensor,
        values: Tensor,
        packed: Tensor,
        norms: Tensor,
        hyperplanes: Tensor,
        *,
        key_scales: Tensor | None = None,
        value_scales: Tensor | None = None,
        used: int | None = None,
        library: Library | None = None,
    ) -> Index:
        """An index over existing tensors, in place, as hash_keys, pack_codes and value_norms made them.

        keys and values float32, float16, bfloat16 or float8_e4m3fn [batch, kv_heads, capacity, dim]; packed, norms and
        hyperplanes as from pack_codes, value_norms and hash_keys, or from build_index. Nothing is rounded; append()
        works for 16-bit types only. key_scales and value_scales, for float8_e4m3fn, are float32 [kv_heads], by default
        1: a key is its head's scale times the stored numbers. Each step reads them on the GPU.
        """
        index = cls.__new__(cls)
        torch_with_gpu()
        index.library = load(library)
        index.keys, index.values, index.hyperplanes = keys, values, hyperplanes
        index.packed, index.norms = packed, norms
        index.key_scales, index.value_scales = key_scales, value_scales
        checked(keys, "keys", CACHED, (None, None, None, None))
        checked(hyperplanes, "hyperplanes", ("float32",), (None, None, keys.shape[3]))
        index.capacity = int(keys.shape[2])
        index.used = index.capacity if used is None else used
        index.tables, index.planes = (int(size) for size in hyperplanes.shape[:2])
        index._require_parts()
        index._workspaces, index.last_step = {}, None
        return index

    def look(self) -> tuple[Any, ...]:
        """What a step takes from the index: a tensor that was resized, moved, freed or exchanged since makes another."""
        parts = (self.keys, self.values, self.hyperplanes, self.packed, self.norms, self.key_scales, self.value_scales)
        return self.used, *(None if part is None else (part.data_ptr(), *look(part)) for part in parts)

    def step_arguments(self) -> ctypes.Structure:
        """The arguments of skt_decode_step that the index knows, its tensors checked."""
        self._require_parts()
        sizes = dict(zip(("batch", "kv_heads", "capacity", "dim"), self._sizes(), strict=True))
        parts = {name: address(getattr(self, name)) for name in ("keys", "values", "hyperplanes", "packed", "norms")}
        return Library.arguments(
            "skt_decode_step",
            **parts,
            **sizes,
            tables=self.tables,
            planes=self.planes,
            scale=1 / math.sqrt(sizes["dim"]),
            temperature=0.5,
            logit_scale=1 / math.sqrt(sizes["dim"]),
            type=0 if type_word(self.keys) == BYTES else type_code(self.keys),
            **cache_fields(self.keys, sizes["kv_heads"], self.key_scales, self.value_scales),
        )

    @property
    def batch(self) -> int:
        return int(self.keys.shape[0])

    @property
    def mask_sizes(self) -> tuple[int, int]:
        """Of a mask without heads: how many rows it has, and how many keys to a row."""
        return self.batch, self.capacity

    def _sizes(self) -> tuple[int, int, int, int]:
        """batch, kv_heads, capacity and dim"""
        batch, kv_heads, capacity, dim = (int(size) for size in self.keys.shape)
        return batch, kv_heads, capacity, dim

    def _require_parts(self) -> None:
        keys, capacity, tables, planes = self.keys, self.capacity, self.tables, self.planes
        checked(keys, "keys", CACHED, (None, None, capacity, None))
        batch, kv_heads, _, dim = keys.shape
        tiles = (batch, kv_heads, capacity // TILE, words_of_a_key(tables, planes), TILE)
        checked(self.values, "values", (type_word(keys),), keys.shape)
        checked(self.hyperplanes, "hyperplanes", ("float32",), (tables, planes, dim))
        checked(self.packed, "packed", ("int32",), tiles)
        checked(self.norms, "norms", ("float16",), (batch, kv_heads, capacity))
        on_one_device(keys, self.values, self.packed, self.norms, self.hyperplanes, self.key_scales, self.value_scales)

    def append(self, k: Tensor, v: Tensor, *, lengths: Tensor | None = None, stream: Any = None) -> None:
        """Writes keys and values [batch, kv_heads, count, dim] after the used ones and indexes them.

        The batch dimension is left out if the index was made without it. If k and v are the cache's own places, they
        are copied onto themselves. ValueError if the cache has no room. In a captured graph every replay writes the
        same places.

        With lengths int32 [batch], read on the GPU, they become the last `count` keys of each sequence: lengths[b] is
        the length including them, as the next decode_step(.., lengths=lengths) takes it. If a kernel of a captured
        graph increases the lengths, every replay appends after the existing keys. Keys whose place is outside the cache
        are left out, including those of a length of 0. `used` does not change, because the host does not know it.
        ValueError for more keys than the capacity. Some small tensors are allocated, in a graph of torch.cuda.graph
        from the graph's memory.
        """
        torch = torch_with_gpu()
        k, v = _four(k, "k"), _four(v, "v")
        batch, kv_heads, count, dim = (int(size) for size in k.shape)
        checked(k, "k", (type_word(self.keys),), (*self.keys.shape[:2], None, self.keys.shape[3]))
        checked(v, "v", (type_word(self.keys),), (batch, kv_heads, count, dim))
        on_one_device(self.keys, k, v, lengths)
        if lengths is not None:
            self._append_at(torch, k, v, checked(lengths, "lengths", ("int32",), (batch,)), stream)
            return
        if self.used + count > self.capacity:
            room = self.capacity - self.used
            raise ValueError(f"append: {count} keys after {self.used} of {self.capacity}; allowed are {room}")
        first = self.used
        with launching(torch, self.keys, stream):
            self.keys[:, :, first : first + count].copy_(k)
            self.values[:, :, first : first + count].copy_(v)
            self._build(first, count)
        self.used = first + count

    def _append_at(self, torch: Any, k: Tensor, v: Tensor, lengths: Tensor, stream: Any) -> None:
        count = int(k.shape[2])
        if count > self.capacity:
            raise ValueError(f"append: {count} keys for a capacity of {self.capacity}; allowed are {self.capacity}")
        with launching(torch, self.keys, stream):
            place = lengths.long()[:, None] - count + torch.arange(count, device=lengths.device)
            inside = ((place >= 0) & (place < self.capacity))[:, None, :, None]
            # As many as there are places at most: no two are the same, also of those that then keep what they hold.
            at = place.remainder(self.capacity)[:, None, :, None].expand_as(k)
            for part, given in ((self.keys, k), (self.values, v)):
                part.scatter_(2, at, torch.where(inside, given, part.gather(2, at)))
            self._build(0, count, lengths)

    def _cache_of(self, torch: Any, given: Tensor) -> Tensor:
        if int(given.shape[2]) == self.capacity:
            return given
        own = torch.zeros((*given.shape[:2], self.capacity, given.shape[3]), dtype=given.dtype, device=given.device)
        own[:, :, : given.shape[2]].copy_(given)
        return own

    @staticmethod
    def _rounded(torch: Any, keys: Tensor, hyperplanes: Any, tables: int, planes: int, seed: int) -> Tensor:
        dim = int(keys.shape[3])
        given = _drawn_hyperplanes(tables, planes, dim, seed) if hyperplanes is None else hyperplanes
        tensor = torch.as_tensor(given).to(device=keys.device, dtype=keys.dtype).float().contiguous()
        return checked(tensor, "hyperplanes", ("float32",), (None, None, dim))

    def _build(self, first: int, count: int | None, lengths: Tensor | None = None, **where: Any) -> None:
        """`where`: on which stream, and in which pages."""
        build_index(
            self.keys,
            self.hyperplanes,
            self.values,
            first=first,
            count=count,
            lengths=lengths,
            out=(self.packed, self.norms),
            library=self.library,
            **where,
        )

    def workspace_of(self, torch: Any, handle: int, needed: int) -> Tensor:
        kept = self._workspaces.get(handle)
        if kept is not None and kept.numel() >= needed:
            return kept
        if capturing(torch):
            raise ValueError("workspace: missing; while a stream is captured allowed is that of decode_workspace()")
        made_now = torch.empty(max(1, needed), dtype=torch.uint8, device=self.keys.device)
        self._workspaces[handle] = made_now
        return made_now
