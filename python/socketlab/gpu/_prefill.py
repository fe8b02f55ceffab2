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

from ._interface import Library, constants, load
from ._pages import checked_table, pool_shape, stride_fields, table_fields
from ._tensors import (
    FLOATS,
    Tensor,
    address,
    checked,
    launching,
    lengths_address,
    made,
    on_one_device,
    torch_with_gpu,
    type_code,
)

TILE = 64


def words_of_a_key(tables: int, planes: int) -> int:
    """32-bit words that hold the codes of a key (skt_pack_codes)."""
    return (-(-tables // 4) * planes + 7) // 8


def _cache(
    rows: tuple[int, ...], capacity: int, first: int, count: int | None, lengths: Tensor | None
) -> dict[str, int | None]:
    """Of a cache of rows [batch, kv_heads]."""
    batch, kv_heads = (int(size) for size in rows)
    return {
        "batch": batch,
        "kv_heads": kv_heads,
        "capacity": capacity,
        "first": first,
        "count": capacity - first if count is None else count,
        "lengths": lengths_address(lengths, batch),
    }


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
    torch, loaded = torch_with_gpu(), load(library)
    checked(keys, "keys", FLOATS, (None, None, None, None))
    checked(hyperplanes, "hyperplanes", ("float32",), (None, None, keys.shape[3]))
    on_one_device(keys, hyperplanes, lengths, out)
    cache = _cache(keys.shape[:2], int(keys.shape[2]), first, count, lengths)
    tables, planes = int(hyperplanes.shape[0]), int(hyperplanes.shape[1])
    with launching(torch, keys, stream) as handle:
        codes = made(out, "out", keys, "int16", (*keys.shape[:2], tables, keys.shape[2]))
        loaded.call(
            "skt_hash_keys",
            handle,
            keys=address(keys),
            hyperplanes=address(hyperplanes),
            codes=address(codes),
            **cache,
            dim=int(keys.shape[3]),
            tables=tables,
            planes=planes,
            key_type=type_code(keys),
        )
    return codes


def _given_pool(out: Tensor | None, name: str, types: tuple[str, ...], shape: tuple[int | None, ...]) -> Tensor:
    if out is None:
        raise ValueError(f"{name}: missing; with a block_table allowed is an existing array of pages")
    return checked(out, name, types, shape)


def _places(
    part: Tensor, block_table: Tensor | None, layout: str | None, pool: Tensor | None, page_size: int
) -> tuple[dict[str, int | None], int, tuple[int, ...]]:
    """Of keys or values `part`: the fields of pages, the capacity, and [batch, kv_heads] of the whole cache. `pool` is what is
    written to pages of page_size keys."""
    if block_table is None or pool is None:
        if layout is not None:
            raise ValueError(f"layout {layout}: without a block_table; allowed is None")
        return {}, int(part.shape[2]), tuple(int(size) for size in part.shape[:2])
    checked_table(block_table, int(part.shape[0]) if layout is None else None)
    batch, blocks = (int(size) for size in block_table.shape)
    fields = table_fields(block_table, int(pool.shape[0]), page_size)
    pages, kv_heads, size, _ = pool_shape(part, "hnd" if layout is None else layout)
    if int(pool.shape[1]) != kv_heads:
        raise ValueError(f"out: {int(pool.shape[1])} kv heads; allowed is {kv_heads}, as keys and values have")
    if layout is None:
        return fields, size, (batch, kv_heads)
    if (int(pool.shape[0]), page_size) != (pages, size):
        given = f"{int(pool.shape[0])} pages of {page_size} keys"
        raise ValueError(f"out: {given}; allowed is {pages} of {size}, as keys and values lie by {layout}")
    return fields | stride_fields(part, layout), blocks * page_size, (batch, kv_heads)


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
    torch, loaded = torch_with_gpu(), load(library)
    checked(values, "values", FLOATS, (None, None, None, None))
    on_one_device(values, lengths, out, block_table)
    kind = "bfloat16" if form == "bf16" else "float16"
    pool = None if block_table is None else _given_pool(out, "out", (kind,), (None, None, None))
    pages, capacity, rows = _places(values, block_table, layout, pool, 0 if pool is None else int(pool.shape[2]))
    with launching(torch, values, stream) as handle:
        norms = made(out, "out", values, kind, values.shape[:3]) if pool is None else pool
        loaded.call(
            "skt_value_norms",
            handle,
            values=address(values),
            norms=address(norms),
            **_cache(rows, capacity, first, count, lengths),
            dim=int(values.shape[3]),
            value_type=type_code(values),
            form=constants()[_FORMS[form]],
            **pages,
        )
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
    torch, loaded = torch_with_gpu(), load(library)
    checked(codes, "codes", ("int16",), (None, None, None, None))
    on_one_device(codes, lengths, out, block_table)
    tables, capacity = int(codes.shape[2]), int(codes.shape[3])
    cache = _cache(codes.shape[:2], capacity, first, count, lengths)
    shape = (*codes.shape[:2], capacity // TILE, words_of_a_key(tables, planes), TILE)
    pages: dict[str, int | None] = {}
    if block_table is not None:
        out = _given_pool(out, "out", ("int32",), (None, codes.shape[1], None, shape[3], TILE))
        shape = tuple(out.shape)
        pages = table_fields(checked_table(block_table, codes.shape[0]), int(shape[0]), int(shape[2]) * TILE)
    with launching(torch, codes, stream) as handle:
        packed = made(out, "out", codes, "int32", shape)
        loaded.call(
            "skt_pack_codes",
            handle,
            codes=address(codes),
            packed=address(packed),
            **cache,
            tables=tables,
            planes=planes,
            **pages,
        )
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
    torch, loaded = torch_with_gpu(), load(library)
    checked(keys, "keys", ("float16", "bfloat16"), (None, None, None, None))
    checked(hyperplanes, "hyperplanes", ("float32",), (None, None, keys.shape[3]))
    if values is not None:
        checked(values, "values", (str(keys.dtype).removeprefix("torch."),), keys.shape)
    given_packed, given_norms = out if out is not None else (None, None)
    on_one_device(keys, hyperplanes, values, lengths, given_packed, given_norms, block_table)
    tables, planes = int(hyperplanes.shape[0]), int(hyperplanes.shape[1])
    words = words_of_a_key(tables, planes)
    shape: tuple[int, ...] = (*keys.shape[:2], keys.shape[2] // TILE, words, TILE)
    shape_of_norms = tuple(keys.shape[:3])
    if block_table is not None:
        given_packed = _given_pool(given_packed, "out[0]", ("int32",), (None, None, None, words, TILE))
        shape = tuple(int(size) for size in given_packed.shape)
        shape_of_norms = (*shape[:2], shape[2] * TILE)
        if values is not None:
            _given_pool(given_norms, "out[1]", ("float16",), shape_of_norms)
    pages, capacity, rows = _places(keys, block_table, layout, given_packed, shape[2] * TILE)
    with launching(torch, keys, stream) as handle:
        packed = made(given_packed, "out[0]", keys, "int32", shape)
        norms = None if values is None else made(given_norms, "out[1]", keys, "float16", shape_of_norms)
        loaded.call(
            "skt_build_index",
            handle,
            keys=address(keys),
            hyperplanes=address(hyperplanes),
            packed=address(packed),
            values=address(values),
            norms=address(norms),
            **_cache(rows, capacity, first, count, lengths),
            dim=int(keys.shape[3]),
            tables=tables,
            planes=planes,
            type=type_code(keys),
            **pages,
        )
    return packed, norms
