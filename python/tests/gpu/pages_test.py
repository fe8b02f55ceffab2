"""An index in pages on CPU tensors with a library that only writes down its arguments."""

import pytest
import socketlab as sl
from conftest import refused
from recorded import PLANES, by, cache, int32, queries, torch

TABLE = int32([4, 1, 0], [4, 3, 2])
PAGES = {"block_table": TABLE, "blocks": 3, "pages": 5, "page_size": 128}
NO_PAGES = {"block_table": None, "blocks": 0, "pages": 0, "page_size": 0}
STRIDES = {
    "hnd": {"page_stride": 384, "head_stride": 128, "token_stride": 1},
    "nhd": {"page_stride": 384, "head_stride": 1, "token_stride": 3},
    None: {"page_stride": 0, "head_stride": 0, "token_stride": 0},
}


def pools(layout="hnd", page_size=128, dtype=torch.bfloat16):
    """Of 5 pages, 3 kv heads and 5 tables of 7 planes: two words to a key."""
    shape = (5, 3, page_size, 64) if layout == "hnd" else (5, page_size, 3, 64)
    return {
        "keys": torch.randn(shape).to(dtype),
        "values": torch.randn(shape).to(dtype),
        "packed": torch.zeros(5, 3, page_size // 64, 2, 64, dtype=torch.int32),
        "norms": torch.ones(5, 3, page_size).half(),
        "hyperplanes": PLANES,
        "block_table": TABLE,
    }


PAGE_MASK, HEAD_MASK = torch.ones(5, 128, dtype=torch.bool), torch.ones(5, 6, 128, dtype=torch.bool)
LENGTHS, SCALES = int32(3, 380), torch.rand(3)


@pytest.mark.parametrize(
    ("layout", "given", "passed"),
    [
        ("hnd", {}, {"used": 300, "lengths": None, "allowed": None}),
        ("nhd", {"lengths": LENGTHS}, {"used": 384, "lengths": LENGTHS}),
        ("hnd", {"mask": PAGE_MASK}, {"allowed": PAGE_MASK, "allowed_per_head": 0, "used": 300}),
        ("nhd", {"mask": HEAD_MASK}, {"allowed": HEAD_MASK, "allowed_per_head": 1, "used": 300}),
    ],
)
def test_a_step_passes_the_table_and_the_strides_of_the_layout(library, layout, given, passed):
    pool = pools(layout, dtype=torch.float8_e4m3fn)
    index = sl.gpu.PagedIndex(**pool, layout=layout, key_scales=SCALES, used=300, library=library)
    sl.gpu.decode_step(queries().half(), index, budget=10, **given)
    shape = {"batch": 2, "heads": 6, "kv_heads": 3, "capacity": 384, "dim": 64, "tables": 5, "planes": 7, "type": 1}
    library.saw(paged_index=1, key_scales=SCALES, **shape, **passed, **PAGES, **STRIDES[layout])
    library.saw(**{name: pool[name] for name in ("keys", "values", "packed", "norms", "hyperplanes")})
    assert repr(index) == "PagedIndex(5 pages of 128 keys, batch 2, 3 kv heads, 5 tables of 7)"


def test_a_step_sees_another_table(library):
    index = sl.gpu.PagedIndex(**pools(), library=library)
    for _ in range(2):
        sl.gpu.decode_step(queries(), index, budget=10)
    index.block_table = TABLE[:, :2].contiguous()
    sl.gpu.decode_step(queries(), index, budget=10, lengths=int32(9, 9))
    library.saw(block_table=index.block_table, blocks=2, capacity=256, used=256)


def test_an_engine_writes_keys_and_build_indexes_them(library):
    given, lengths = pools("nhd"), int32(7, 99)
    index = sl.gpu.PagedIndex(**given, layout="nhd", library=library)
    index.build(count=1, lengths=lengths)
    shape = {"batch": 2, "kv_heads": 3, "capacity": 384}
    library.saw("skt_build_index", first=0, count=1, lengths=lengths, **shape, **PAGES, **STRIDES["nhd"])
    library.saw(keys=given["keys"], values=given["values"], packed=given["packed"], norms=given["norms"])
    index.build(first=10)
    library.saw(first=10, count=374)
    token = cache(keys=1)
    refused(TypeError, r"^append: .* are in pages; allowed is build\(\)", lambda: index.append(token, token))


def test_the_stages_write_and_read_pages(library):
    given, halves = pools(), torch.zeros(2, 6, 5, 24)
    packed, norms = given["packed"], given["norms"]
    table = {"block_table": TABLE, "library": library}
    codes = torch.zeros(2, 3, 5, 192, dtype=torch.int16)
    assert sl.gpu.pack_codes(codes, planes=7, out=packed, **table) is packed
    library.saw(capacity=192, **PAGES)
    assert sl.gpu.value_norms(given["values"], layout="hnd", out=norms, **table) is norms
    library.saw(batch=2, kv_heads=3, capacity=384, **STRIDES["hnd"])
    sl.gpu.value_norms(cache(), out=norms, **table)  # values without pages
    library.saw(capacity=128, **PAGES, **STRIDES[None])
    sl.gpu.build_index(cache(), PLANES, out=(packed, None), **table)
    library.saw(norms=None, batch=2, **STRIDES[None])
    scores = sl.gpu.score_packed(halves, packed, norms, planes=7, **table)
    assert scores.shape == (2, 6, 384)
    library.saw(used=384, **PAGES)
    sl.gpu.score_packed(halves, packed, norms, planes=7, mask=torch.ones(5, 6, 128, dtype=torch.bool), **table)
    library.saw(allowed_per_head=1)
    sl.gpu.pack_codes(codes, planes=7, library=library)
    library.saw(**NO_PAGES)


def paged(**changed):
    return by(sl.gpu.PagedIndex, **(pools() | changed))


def step_of(**given):
    return lambda library: sl.gpu.decode_step(index=paged()(library), budget=10, **({"q": queries()} | given))


NORMS = {"block_table": TABLE, "out": pools()["norms"]}
NARROW = {"layout": "hnd", "block_table": TABLE, "out": (pools()["packed"], None)}
ONE_RANK = {
    "heads": 6, "rank": 0, "ranks": 1, "first": 0, "used": 9, "budget": 1, "all_reduce_sum": None, "all_gather": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (paged(layout="columns"), ValueError, "^layout columns: allowed are hnd, nhd$"),
        (paged(keys=torch.zeros(5, 3, 32, 64)), ValueError,
         "^keys: pages of 32 keys; allowed are powers of two from 64 on$"),
        (paged(block_table=TABLE.long()), TypeError, "^block_table: int64 .* allowed is int32"),
        (paged(block_table=TABLE[0]), ValueError, r"^block_table: shape \[3\]"),
        (paged(norms=torch.ones(2, 3, 384).half()), ValueError, r"^norms: shape \[2, 3, 384\]; allowed is \[5,"),
        (paged(packed=torch.zeros(5, 3, 2, 3, 64).int()), ValueError, r"^packed: shape \[5, 3, 2, 3, 64\]"),
        (by(sl.gpu.value_norms, cache(), block_table=TABLE), ValueError,
         "^out: missing; with a block_table allowed is an existing array of pages"),
        (by(sl.gpu.build_index, cache(), PLANES, block_table=TABLE), ValueError,
         r"^out\[0\]: missing; with a block_table"),
        (by(sl.gpu.value_norms, cache(), layout="hnd"), ValueError,
         "^layout hnd: without a block_table; allowed is None$"),
        (by(sl.gpu.value_norms, cache(batch=1), **NORMS), ValueError,
         r"^block_table: shape \[2, 3\]; allowed is \[1, any\]$"),
        (by(sl.gpu.value_norms, cache()[:, :2].contiguous(), **NORMS), ValueError,
         "^out: 3 kv heads; allowed is 2, as keys and values have$"),
        (by(sl.gpu.value_norms, pools("nhd")["values"], layout="hnd", **NORMS), ValueError,
         "^out: 3 kv heads; allowed is 128, as keys and values have$"),
        (by(sl.gpu.build_index, pools(page_size=64)["keys"], PLANES, **NARROW), ValueError,
         "^out: 5 pages of 128 keys; allowed is 5 of 64, as keys and values lie by hnd$"),
        (step_of(mask=torch.ones(2, 384, dtype=torch.bool)), ValueError,
         r"^mask: shape \[2, 384\]; allowed is \[5, 128\]$"),
        (lambda library: sl.gpu.ShardedStep(paged()(library), **ONE_RANK), TypeError,
         "^index: PagedIndex; allowed over several ranks is an Index$"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_line(library, call, kind, line):
    refused(kind, line, lambda: call(library))
