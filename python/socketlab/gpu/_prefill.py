"""The index of keys and values, stage by stage and in one call: gpu/socketlab_gpu.h, "Index building".

Each function launches on PyTorch's current stream, or on `stream`, and returns `out`, which it allocates if not given.
`first` and `count` name the keys of the cache that are read and written, by default all. With `lengths` int32 [batch],
read on the GPU, these are the last `count` of each sequence, lengths[b] - count to lengths[b] - 1, except those outside
the cache; `first` is then 0. So one captured graph can append at every length, and the step after it reads the same
lengths.

With `block_table` int32 [batch, blocks] the outputs are in pages (_pages.py), must be given as `out`, and have a
capacity of blocks * page_size keys. Keys and values are in pages of the same table if `layout` is "hnd" or "nhd".
"""

from __future__ import annotations

from typing import Any

from ._interface import Library, constants
from ._launch import Launch
from ._pages import checked_table, pool_shape, stride_fields, table_fields
from ._tensors import FLOATS, Tensor, checked, type_code, type_word

TILE = 64


def words_of_a_key(tables: int, planes: int) -> int:
    """32-bit words that hold the codes of a key (skt_pack_codes)."""
    return (-(-tables // 4) * planes + 7) // 8


def _written(call: Launch, first: int, count: int | None, lengths: Tensor | None) -> None:
    """Which keys of a cache whose sizes are known."""
    call.reads("lengths", lengths, "int32", "batch")
    call.fields |= {"first": first, "count": call.sizes["capacity"] - first if count is None else count}


def hash_keys(
    keys: Tensor,
    hyperplanes: Tensor,
    *,
    first: int = 0,
    count: int | None = None,
    lengths: Tensor | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Codes int16 [batch, kv_heads, tables, capacity] of keys [batch, kv_heads, capacity, dim] (paper, Algorithm 1).

    hyperplanes float32 [tables, planes, dim], planes 1 to 15; dim 16 to 256, a multiple of 8; plane 0 is the most
    significant bit. Only the places of the requested keys are written.
    """
    call = Launch("skt_hash_keys", library, stream)
    call.reads("keys", keys, FLOATS, "batch", "kv_heads", "capacity", "dim")
    call.reads("hyperplanes", hyperplanes, "float32", "tables", "planes", "dim")
    _written(call, first, count, lengths)
    call.writes("codes", out, "int16", "batch", "kv_heads", "tables", "capacity")
    (codes,) = call(key_type=type_code(keys))
    return codes


def _given_pool(out: Tensor | None, name: str, types: tuple[str, ...], shape: tuple[int | None, ...]) -> Tensor:
    if out is None:
        raise ValueError(f"{name}: missing; with a block_table allowed is an existing array of pages")
    return checked(out, name, types, shape)


def _place(
    call: Launch, part: Tensor, block_table: Tensor | None, layout: str | None, pool: Tensor | None, page_size: int
) -> None:
    """The sizes of the whole cache, and the fields of pages, where keys or values are `part`. `pool` is what is written to
    pages of page_size keys."""
    if block_table is None or pool is None:
        if layout is not None:
            raise ValueError(f"layout {layout}: without a block_table; allowed is None")
        return
    checked_table(block_table, int(part.shape[0]) if layout is None else None)
    batch, blocks = (int(size) for size in block_table.shape)
    call.on(block_table)
    call.fields |= table_fields(block_table, int(pool.shape[0]), page_size)
    pages, kv_heads, size, _ = pool_shape(part, "hnd" if layout is None else layout)
    if int(pool.shape[1]) != kv_heads:
        raise ValueError(f"out: {int(pool.shape[1])} kv heads; allowed is {kv_heads}, as keys and values have")
    if layout is None:
        return
    if (int(pool.shape[0]), page_size) != (pages, size):
        given = f"{int(pool.shape[0])} pages of {page_size} keys"
        raise ValueError(f"out: {given}; allowed is {pages} of {size}, as keys and values lie by {layout}")
    call.fields |= stride_fields(part, layout)
    call.sizes |= {"batch": batch, "kv_heads": kv_heads, "capacity": blocks * page_size}


_FORMS = {"f16": "NORM_F16", "f16-overflows": "NORM_F16_OVERFLOWS", "bf16": "NORM_BF16"}


def value_norms(
    values: Tensor,
    *,
    form: str = "f16",
    first: int = 0,
    count: int | None = None,
    lengths: Tensor | None = None,
    block_table: Tensor | None = None,
    layout: str | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Euclidean norms [batch, kv_heads, capacity] of values [batch, kv_heads, capacity, dim]; in pages [pages,
    kv_heads, page_size].

    form "f16" (clamped to 65504), "f16-overflows" (infinite above 65504, as published) or "bf16".
    """
    if form not in _FORMS:
        raise ValueError(f"form {form}: allowed are {', '.join(_FORMS)}")
    call, kind = Launch("skt_value_norms", library, stream), "bfloat16" if form == "bf16" else "float16"
    call.reads("values", values, FLOATS, "batch", "kv_heads", "capacity", "dim")
    shape: tuple[int, ...] = values.shape[:3]
    if block_table is not None:
        shape = _given_pool(out, "out", (kind,), (None, None, None)).shape
    _place(call, values, block_table, layout, out, int(shape[2]))
    _written(call, first, count, lengths)
    call.writes("norms", out, kind, *shape)
    (norms,) = call(value_type=type_code(values), form=constants()[_FORMS[form]])
    return norms


def pack_codes(
    codes: Tensor,
    *,
    planes: int,
    first: int = 0,
    count: int | None = None,
    lengths: Tensor | None = None,
    block_table: Tensor | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Packed codes int32 [batch, kv_heads, capacity / 64, words, 64] of codes int16 [batch, kv_heads, tables,
    capacity].

    planes 4 to 16; capacity a multiple of 64; gpu/socketlab_gpu.h gives the order of the bits. In pages [pages,
    kv_heads, page_size / 64, words, 64]; the codes themselves are never in pages.
    """
    call = Launch("skt_pack_codes", library, stream)
    call.reads("codes", codes, "int16", "batch", "kv_heads", "tables", "capacity")
    call.fields["planes"], words = planes, words_of_a_key(int(codes.shape[2]), planes)
    _written(call, first, count, lengths)
    shape: tuple[int, ...] = (*codes.shape[:2], codes.shape[3] // TILE, words, TILE)
    if block_table is not None:
        shape = _given_pool(out, "out", ("int32",), (None, codes.shape[1], None, words, TILE)).shape
        call.reads("block_table", block_table, "int32", "batch", "blocks")
        call.sizes |= {"pages": int(shape[0]), "page_size": int(shape[2]) * TILE}
    call.writes("packed", out, "int32", *shape)
    (packed,) = call()
    return packed


def build_index(
    keys: Tensor,
    hyperplanes: Tensor,
    values: Tensor | None = None,
    *,
    first: int = 0,
    count: int | None = None,
    lengths: Tensor | None = None,
    block_table: Tensor | None = None,
    layout: str | None = None,
    out: tuple[Tensor, Tensor | None] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor | None]:
    """The three stages above in one call: packed codes, and norms float16 [batch, kv_heads, capacity] if there are
    values.

    keys and values float16 or bfloat16 [batch, kv_heads, capacity, dim]; hyperplanes float32 [tables, planes, dim],
    planes 4 to 16. The hyperplanes are first rounded to the type of the keys: round those used for scoring in the same
    way.
    """
    call = Launch("skt_build_index", library, stream)
    call.reads("keys", keys, ("float16", "bfloat16"), "batch", "kv_heads", "capacity", "dim")
    call.reads("hyperplanes", hyperplanes, "float32", "tables", "planes", "dim")
    call.reads("values", values, type_word(keys), *keys.shape)
    given_packed, given_norms = out if out is not None else (None, None)
    words = words_of_a_key(call.sizes["tables"], call.sizes["planes"])
    shape: tuple[int, ...] = (*keys.shape[:2], keys.shape[2] // TILE, words, TILE)
    shape_of_norms: tuple[int, ...] = keys.shape[:3]
    if block_table is not None:
        shape = _given_pool(given_packed, "out[0]", ("int32",), (None, None, None, words, TILE)).shape
        shape_of_norms = (*shape[:2], int(shape[2]) * TILE)
        if values is not None:
            _given_pool(given_norms, "out[1]", ("float16",), shape_of_norms)
    _place(call, keys, block_table, layout, given_packed, int(shape[2]) * TILE)
    _written(call, first, count, lengths)
    call.writes("packed", given_packed, "int32", *shape, label="out[0]")
    if values is not None:
        call.writes("norms", given_norms, "float16", *shape_of_norms, label="out[1]")
    packed, *norms = call(type=type_code(keys))
    return packed, norms[0] if norms else None
