"""An index in pages on CPU tensors with a library that only writes down its arguments."""

import pytest
import socketlab as sl
from conftest import refused
from recorded import PLANES, by, cache

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

TABLE = torch.tensor([[4, 1, 0], [4, 3, 2]], dtype=torch.int32)


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


def pages_of(args):
    return args.block_table, args.blocks, args.pages, args.page_size


def strides_of(args):
    return args.page_stride, args.head_stride, args.token_stride


@pytest.mark.parametrize(("layout", "strides"), [("hnd", (384, 128, 1)), ("nhd", (384, 1, 3))])
def test_a_step_passes_the_table_and_the_strides_of_the_layout(library, layout, strides):
    given = pools(layout)
    index = sl.gpu.PagedIndex(**given, layout=layout, library=library)
    q, lengths = torch.randn(2, 6, 64).bfloat16(), torch.tensor([3, 380], dtype=torch.int32)
    sl.gpu.decode_step(q, index, budget=10, lengths=lengths)
    args = library.last
    assert pages_of(args) == (TABLE.data_ptr(), 3, 5, 128) and strides_of(args) == strides
    assert (args.paged_index, args.batch, args.heads, args.kv_heads, args.capacity) == (1, 2, 6, 3, 384)
    assert (args.used, args.dim, args.tables, args.planes, args.lengths) == (384, 64, 5, 7, lengths.data_ptr())
    assert (args.keys, args.packed, args.norms) == tuple(given[name].data_ptr() for name in ("keys", "packed", "norms"))
    assert repr(index) == "PagedIndex(5 pages of 128 keys, batch 2, 3 kv heads, 5 tables of 7)"


def test_masks_of_a_step_are_in_pages_too(library):
    index = sl.gpu.PagedIndex(**pools(), used=300, library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    for shape, per_head in (((5, 128), 0), ((5, 6, 128), 1)):
        mask = torch.ones(shape, dtype=torch.bool)
        sl.gpu.decode_step(q, index, budget=10, mask=mask)
        assert (library.last.allowed, library.last.allowed_per_head, library.last.used) == (
            mask.data_ptr(),
            per_head,
            300,
        )
    with pytest.raises(ValueError, match=r"^mask: shape \[2, 384\]; allowed is \[5, 128\]$"):
        sl.gpu.decode_step(q, index, budget=10, mask=torch.ones(2, 384, dtype=torch.bool))


def test_a_step_sees_another_table_and_a_step_without_pages_has_none(library):
    index = sl.gpu.PagedIndex(**pools(), library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    for _ in range(2):
        sl.gpu.decode_step(q, index, budget=10)
    index.block_table = TABLE[:, :2].contiguous()
    sl.gpu.decode_step(q, index, budget=10, lengths=torch.tensor([9, 9], dtype=torch.int32))
    assert (library.last.block_table, library.last.blocks) == (index.block_table.data_ptr(), 2)
    assert (library.last.capacity, library.last.used) == (256, 256)
    sl.gpu.decode_step(q, sl.gpu.Index(cache(), cache(), library=library), budget=10)
    assert pages_of(library.last) == (None, 0, 0, 0) and library.last.paged_index == 0


def test_bytes_in_pages_have_the_scales_of_their_kv_heads(library):
    given, scales = pools("nhd"), torch.rand(3)
    given["keys"], given["values"] = (given[name].to(torch.float8_e4m3fn) for name in ("keys", "values"))
    index = sl.gpu.PagedIndex(**given, layout="nhd", key_scales=scales, library=library)
    sl.gpu.decode_step(torch.randn(2, 6, 64).half(), index, budget=10)
    assert (library.last.key_scales, library.last.type) == (scales.data_ptr(), 1)


def test_an_engine_writes_keys_and_build_indexes_them(library):
    given = pools("nhd")
    index = sl.gpu.PagedIndex(**given, layout="nhd", library=library)
    lengths = torch.tensor([7, 99], dtype=torch.int32)
    index.build(count=1, lengths=lengths)
    args = library.last
    assert library.calls[-1][0] == "skt_build_index"
    assert (args.batch, args.kv_heads, args.capacity, args.first, args.count) == (2, 3, 384, 0, 1)
    assert (args.lengths, args.packed) == (lengths.data_ptr(), given["packed"].data_ptr())
    assert pages_of(args) == (TABLE.data_ptr(), 3, 5, 128) and strides_of(args) == (384, 1, 3)
    index.build(first=10)
    assert (library.last.first, library.last.count) == (10, 374)
    with pytest.raises(TypeError, match=r"^append: the keys are in pages; allowed is build\(\)"):
        index.append(cache(1), cache(1))


def test_the_stages_write_and_read_pages(library):
    given = pools()
    packed, norms = given["packed"], given["norms"]
    table = {"block_table": TABLE, "library": library}
    codes = torch.zeros(2, 3, 5, 192, dtype=torch.int16)
    assert sl.gpu.pack_codes(codes, planes=7, out=packed, **table) is packed
    assert pages_of(library.last) == (TABLE.data_ptr(), 3, 5, 128) and library.last.capacity == 192
    assert sl.gpu.value_norms(given["values"], layout="hnd", out=norms, **table) is norms
    assert strides_of(library.last) == (384, 128, 1)
    assert (library.last.batch, library.last.kv_heads, library.last.capacity) == (2, 3, 384)
    sl.gpu.value_norms(cache(), out=norms, **table)  # values without pages
    assert strides_of(library.last) == (0, 0, 0)
    assert (library.last.capacity, pages_of(library.last)) == (128, (TABLE.data_ptr(), 3, 5, 128))
    sl.gpu.build_index(cache(), PLANES, out=(packed, None), **table)
    assert (library.last.norms, library.last.batch, library.last.page_stride) == (None, 2, 0)
    halves = torch.zeros(2, 6, 5, 24)
    scores = sl.gpu.score_packed(halves, packed, norms, planes=7, **table)
    assert scores.shape == (2, 6, 384) and library.last.used == 384
    assert pages_of(library.last) == (TABLE.data_ptr(), 3, 5, 128)
    sl.gpu.score_packed(halves, packed, norms, planes=7, mask=torch.ones(5, 6, 128, dtype=torch.bool), **table)
    assert library.last.allowed_per_head == 1
    sl.gpu.pack_codes(codes, planes=7, library=library)
    assert pages_of(library.last) == (None, 0, 0, 0)


def paged(library, **changed):
    return sl.gpu.PagedIndex(**(pools() | changed), library=library)


def pages_with(**changed):
    return lambda library: paged(library, **changed)


NORMS = {"block_table": TABLE, "out": pools()["norms"]}
NARROW = {"layout": "hnd", "block_table": TABLE, "out": (pools()["packed"], None)}
ONE_RANK = {
    "heads": 6, "rank": 0, "ranks": 1, "first": 0, "used": 9, "budget": 1, "all_reduce_sum": None, "all_gather": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (pages_with(**pools(page_size=64), layout="columns"), ValueError, "^layout columns: allowed are hnd, nhd$"),
        (pages_with(keys=torch.zeros(5, 3, 32, 64)), ValueError,
         "^keys: pages of 32 keys; allowed are powers of two from 64 on$"),
        (pages_with(block_table=TABLE.long()), TypeError, "^block_table: int64 .* allowed is int32"),
        (pages_with(block_table=TABLE[0]), ValueError, r"^block_table: shape \[3\]"),
        (pages_with(norms=torch.ones(2, 3, 384).half()), ValueError, r"^norms: shape \[2, 3, 384\]; allowed is \[5,"),
        (pages_with(packed=torch.zeros(5, 3, 2, 3, 64).int()), ValueError, r"^packed: shape \[5, 3, 2, 3, 64\]"),
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
        (lambda l: sl.gpu.decode_step(torch.randn(2, 0, 6, 64).bfloat16(), paged(l), budget=10), ValueError,
         "^q: 0 rows; allowed are 1 to 8$"),
        (lambda l: sl.gpu.ShardedStep(paged(l), **ONE_RANK), TypeError,
         "^index: PagedIndex; allowed over several ranks is an Index$"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_line(library, call, kind, line):
    refused(kind, line, lambda: call(library))
