"""An index whose keys, values, codes and norms are in the pages of an engine, for sequences of different lengths."""

from __future__ import annotations

import ctypes
from typing import Any

from ._index import CACHED, Index
from ._interface import Library, load
from ._pages import checked_table, pool_shape, stride_fields, table_fields
from ._prefill import TILE, words_of_a_key
from ._tensors import Tensor, checked, look, on_one_device, torch_with_gpu, type_word


class PagedIndex(Index):
    """An Index over existing pools, in place: what decode_step reads through a block table.

    keys, values     [pages, kv_heads, page_size, dim], or with layout "nhd" [pages, page_size, kv_heads, dim]; float32,
                     float16, bfloat16 or float8_e4m3fn, with key_scales and value_scales as for Index.of_parts.
    packed           int32 [pages, kv_heads, page_size / 64, words, 64]; page_size a power of two, at least 64
    norms            float16 [pages, kv_heads, page_size]
    hyperplanes      float32 [tables, planes, dim]
    block_table      int32 [batch, blocks]: page block_table[b, t // page_size] holds key t of sequence b. Sequences may share
                     pages. Each call reads it on the GPU, and only where a block holds keys that the call asks for.

    Steps take lengths=, or `used` keys of every sequence; masks are bool or uint8 [pages, page_size] or [pages, heads,
    page_size]. The capacity of a sequence is blocks * page_size. The engine writes keys and values; build() then
    indexes them. Attributes: those of Index, and block_table, layout, page_size.
    """

    def __init__(
        self,
        keys: Tensor,
        values: Tensor,
        packed: Tensor,
        norms: Tensor,
        hyperplanes: Tensor,
        block_table: Tensor,
        *,
        layout: str = "hnd",
        key_scales: Tensor | None = None,
        value_scales: Tensor | None = None,
        used: int | None = None,
        library: Library | None = None,
    ) -> None:
        torch_with_gpu()
        self.library = load(library)
        self.keys, self.values, self.hyperplanes = keys, values, hyperplanes
        self.packed, self.norms, self.block_table, self.layout = packed, norms, block_table, layout
        self.key_scales, self.value_scales = key_scales, value_scales
        checked(keys, "keys", CACHED, (None, None, None, None))
        checked_table(block_table)
        checked(hyperplanes, "hyperplanes", ("float32",), (None, None, keys.shape[3]))
        self.page_size = pool_shape(keys, layout)[2]
        if self.page_size < TILE or self.page_size & (self.page_size - 1) != 0:
            raise ValueError(f"keys: pages of {self.page_size} keys; allowed are powers of two from {TILE} on")
        self.capacity = int(block_table.shape[1]) * self.page_size
        self.used = self.capacity if used is None else used
        self.tables, self.planes = (int(size) for size in hyperplanes.shape[:2])
        self._require_parts()
        self._workspaces, self.last_step = {}, None

    def __repr__(self) -> str:
        pages, kv_heads = pool_shape(self.keys, self.layout)[:2]
        sizes = f"{pages} pages of {self.page_size} keys, batch {self.batch}, {kv_heads} kv heads"
        return f"PagedIndex({sizes}, {self.tables} tables of {self.planes})"

    @classmethod
    def of_parts(cls, *_: Any, **__: Any) -> Index:
        raise TypeError(
            "PagedIndex: of_parts belongs to Index; allowed is PagedIndex itself, which takes existing tensors"
        )

    @property
    def batch(self) -> int:
        return int(self.block_table.shape[0])

    @property
    def mask_sizes(self) -> tuple[int, int]:
        return int(self.packed.shape[0]), self.page_size

    def look(self) -> tuple[Any, ...]:
        return self.layout, self.block_table.data_ptr(), look(self.block_table), *super().look()

    def step_arguments(self) -> ctypes.Structure:
        arguments = super().step_arguments()
        for name, value in (self._table_fields() | stride_fields(self.keys, self.layout)).items():
            setattr(arguments, name, value)
        arguments.paged_index = 1
        return arguments

    def append(self, *_: Any, **__: Any) -> None:
        """Only for an Index: here the engine writes keys and values into their pages, then build() indexes them."""
        raise TypeError("append: the keys are in pages; allowed is build(), after they are written")

    def build(
        self, *, first: int = 0, count: int | None = None, lengths: Tensor | None = None, stream: Any = None
    ) -> None:
        """Indexes keys that are in their pages, of float16 or bfloat16: `count` keys from `first` on, by default up to
        `used`.

        With lengths int32 [batch], read on the GPU, it indexes the last `count` keys of each sequence.
        """
        if count is None and lengths is None:
            count = self.used - first
        self._build(first, count, lengths, block_table=self.block_table, layout=self.layout, stream=stream)

    def _table_fields(self) -> dict[str, int | None]:
        return table_fields(self.block_table, int(self.packed.shape[0]), self.page_size)

    def _sizes(self) -> tuple[int, int, int, int]:
        _, kv_heads, _, dim = pool_shape(self.keys, self.layout)
        return self.batch, kv_heads, self.capacity, dim

    def _require_parts(self) -> None:
        checked_table(self.block_table)
        self.capacity = int(self.block_table.shape[1]) * self.page_size
        checked(self.keys, "keys", CACHED, (None, None, None, None))
        pages, kv_heads, page_size, dim = pool_shape(self.keys, self.layout)
        tiles = (pages, kv_heads, self.page_size // TILE, words_of_a_key(self.tables, self.planes), TILE)
        checked(self.values, "values", (type_word(self.keys),), self.keys.shape)
        checked(self.hyperplanes, "hyperplanes", ("float32",), (self.tables, self.planes, dim))
        checked(self.packed, "packed", ("int32",), tiles)
        checked(self.norms, "norms", ("float16",), (pages, kv_heads, page_size))
        others = (self.values, self.packed, self.norms, self.hyperplanes, self.block_table)
        on_one_device(self.keys, *others, self.key_scales, self.value_scales)
