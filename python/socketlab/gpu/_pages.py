"""How are keys, values and an index stored in pages? The block table of gpu/socketlab_gpu.h, "Pages".

A pool of keys or values is [pages, kv_heads, page_size, dim] in the layout "hnd", or [pages, page_size, kv_heads, dim]
in "nhd", as in vLLM and FlashInfer. In the pages of an index, packed codes are int32 [pages, kv_heads, page_size / 64,
words, 64], norms float16 [pages, kv_heads, page_size], and masks [pages, page_size] or [pages, heads, page_size].
block_table int32 [batch, blocks] names the page of each page_size keys of a sequence; it is read on the GPU, and only
where a block holds keys that are asked for.
"""

from __future__ import annotations

from ._tensors import Tensor, address, checked

LAYOUTS = ("hnd", "nhd")


def checked_table(block_table: Tensor, batch: int | None = None) -> Tensor:
    return checked(block_table, "block_table", ("int32",), (batch, None))


def table_fields(block_table: Tensor, pages: int, page_size: int) -> dict[str, int | None]:
    return {
        "block_table": address(block_table),
        "blocks": int(block_table.shape[1]),
        "pages": pages,
        "page_size": page_size,
    }


def pool_shape(pool: Tensor, layout: str) -> tuple[int, int, int, int]:
    """pages, kv_heads, page_size and dim of a pool of keys or values."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout {layout}: allowed are {', '.join(LAYOUTS)}")
    pages, second, third, dim = (int(size) for size in pool.shape)
    return (pages, second, third, dim) if layout == "hnd" else (pages, third, second, dim)


def stride_fields(pool: Tensor, layout: str) -> dict[str, int]:
    """In rows of dim elements."""
    _, kv_heads, page_size, _ = pool_shape(pool, layout)
    head, token = (page_size, 1) if layout == "hnd" else (1, kv_heads)
    return {"page_stride": kv_heads * page_size, "head_stride": head, "token_stride": token}
