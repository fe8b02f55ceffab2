"""socketlab.gpu.decode_step on CPU tensors with a library that only writes down its arguments."""

import timeit

import numpy as np
import pytest
import socketlab as sl
from conftest import refused
from recorded import a_step, by, cache
from socketlab.gpu import _interface

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_a_step_passes_all_it_knows_and_keeps_its_workspace(library):
    index = sl.gpu.Index(cache(), cache(), tables=6, planes=8, used=120, library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    out = torch.empty(2, 6, 64)
    given = sl.gpu.decode_step(q, index, budget=10, sink=2, window=3, temperature=0.25, out=out)
    args = library.last
    assert given is out and args.output == out.data_ptr()
    assert (args.heads, args.kv_heads, args.used, args.budget, args.sink, args.window) == (6, 3, 120, 10, 2, 3)
    assert (args.scale, args.temperature, args.logit_scale, args.type, args.rule) == (0.125, 0.25, 0.125, 2, 0)
    assert (args.packed, args.norms) == (index.packed.data_ptr(), index.norms.data_ptr())
    assert args.block_table is None and args.allowed is None
    sl.gpu.decode_step(q, index, budget=10, rule="signed-projection", stream=5)
    other = library.last
    assert other.rule == 1 and other.workspace != args.workspace
    kept = dict(index._workspaces)
    sl.gpu.decode_step(q, index, budget=10)
    assert library.last.workspace == args.workspace
    assert set(kept) == {77, 5} and index._workspaces[77] is kept[77]
    own = sl.gpu.decode_workspace(q, index, budget=10)
    sl.gpu.decode_step(q, index, budget=10, workspace=own)
    assert (library.last.workspace, library.last.workspace_bytes) == (own.data_ptr(), 2000)


def prepared():
    """The tensors of an index; nothing has been checked of them."""
    keys, packed, norms = cache(), torch.zeros(2, 3, 2, 2, 64, dtype=torch.int32), torch.ones(2, 3, 128).half()
    return {"keys": keys, "values": cache(), "packed": packed, "norms": norms, "hyperplanes": torch.randn(5, 7, 64)}


@pytest.mark.parametrize(
    ("part", "change", "kind", "line"),
    [
        ("values", lambda x: x.resize_(2, 3, 64, 64), ValueError, r"values: shape \[2, 3, 64, 64\]"),
        ("keys", lambda x: x.resize_(1, 3, 128, 64), ValueError, r"values: shape \[2, 3, 128, 64\]; allowed is \[1, 3"),
        ("norms", lambda x: x.as_strided_((2, 3, 128), (1, 2, 6)), ValueError, "norms: strides"),
        ("packed", lambda x: setattr(x, "data", x.view(torch.float32)), TypeError, "packed: float32"),
        ("hyperplanes", lambda x: x.squeeze_().unsqueeze_(0), ValueError, r"hyperplanes: shape \[1, 5, 7, 64\]"),
    ],
)
def test_what_was_done_to_a_tensor_between_two_steps_is_seen(library, part, change, kind, line):
    parts = prepared()
    index = sl.gpu.Index.of_parts(**parts, library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    sl.gpu.decode_step(q, index, budget=10)
    change(parts[part])
    for _ in range(2):  # what was refused once is not forgotten
        with pytest.raises(kind, match=line):
            sl.gpu.decode_step(q, index, budget=10)


def test_the_addresses_of_a_step_are_those_of_its_moment(library):
    parts = prepared()
    index = sl.gpu.Index.of_parts(**parts, library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    sl.gpu.decode_step(q, index, budget=10)
    first = library.last
    parts["values"].set_(cache())
    parts["norms"].untyped_storage().resize_(0)  # freed: the library refuses NULL
    index.keys, index.used = cache(), 99
    sl.gpu.decode_step(q, index, budget=10)
    second = library.last
    assert (second.values, second.keys) == (parts["values"].data_ptr(), index.keys.data_ptr())
    assert (second.norms, second.used, second.packed) == (None, 99, first.packed)
    assert first.used == 128 and first.values != second.values  # each call has a struct of its own
    index.norms = parts["norms"].to("meta")
    with pytest.raises(ValueError, match="^norms: the tensor is on meta"):
        sl.gpu.decode_step(q, index, budget=10)


def test_a_step_like_the_last_has_its_own_tensors_and_one_unlike_it_is_checked(library):
    index = sl.gpu.Index.of_parts(**prepared(), library=library)
    q, out, space = torch.randn(2, 6, 64).bfloat16(), torch.empty(2, 6, 64), torch.empty(2000, dtype=torch.uint8)
    given = {"budget": 10, "out": out, "workspace": space}
    sl.gpu.decode_step(q, index, **given)
    first = library.last
    others = torch.randn(2, 6, 64).bfloat16(), torch.empty(2, 6, 64), torch.empty(2000, dtype=torch.uint8)
    assert sl.gpu.decode_step(others[0], index, budget=10, out=others[1], workspace=others[2]) is others[1]
    second = library.last
    assert (first.queries, first.output, first.workspace) == (q.data_ptr(), out.data_ptr(), space.data_ptr())
    assert (second.queries, second.output, second.workspace) == tuple(one.data_ptr() for one in others)
    assert (second.budget, second.heads, second.temperature, second.used) == (10, 6, 0.5, 128)
    wrong = [
        ({"budget": 10.0}, TypeError, "budget"),
        ({"rule": "none"}, ValueError, "rule none"),
        ({"out": out.double()}, TypeError, "^out: float64"),
        ({"out": out[:1]}, ValueError, r"^out: shape \[1, 6, 64\]"),
        ({"out": out.transpose(0, 2)}, ValueError, "^out: "),
        ({"workspace": space.int()}, TypeError, "^workspace: int32"),
        ({"out": [0.0]}, TypeError, "^out: list"),
    ]
    for change, kind, line in wrong:
        for _ in range(2):
            with pytest.raises(kind, match=line):
                sl.gpu.decode_step(q, index, **(given | change))
    with pytest.raises(TypeError, match="^q: float32"):
        sl.gpu.decode_step(q.float(), index, **given)
    sl.gpu.decode_step(q, index, **(given | {"sink": 3}))
    assert library.last.sink == 3
    sl.gpu.decode_step(q, index, budget=10)  # scratch memory of the index, and an output of its own
    assert library.last.output != out.data_ptr() and library.last.workspace_bytes == 2000
    assert library.last.workspace != space.data_ptr()


def test_settings_of_one_step_are_not_those_of_the_next(library):
    index = sl.gpu.Index.of_parts(**prepared(), library=library)
    q, mask = torch.randn(2, 6, 64).bfloat16(), torch.ones(2, 128, dtype=torch.bool)
    given = {"temperature": 2.0, "scale": 3.0, "logit_scale": 4.0, "rule": "signed-projection", "mask": mask}
    sl.gpu.decode_step(q, index, budget=10, sink=2, window=3, **given)
    args = library.last
    assert (args.temperature, args.scale, args.logit_scale, args.rule) == (2, 3, 4, 1)
    assert (args.allowed, args.sink, args.window) == (mask.data_ptr(), 2, 3)
    sl.gpu.decode_step(q[:, :3].contiguous(), index, budget=11)
    args = library.last
    assert (args.temperature, args.scale, args.logit_scale, args.rule) == (0.5, 0.125, 0.125, 0)
    assert (args.allowed, args.sink, args.window, args.heads, args.budget) == (None, 0, 0, 3, 11)


def test_lengths_a_sparsity_and_a_log_sum_exp_are_passed_on_and_not_kept(library):
    index = sl.gpu.Index(cache(), cache(), used=100, library=library)
    q, lengths = torch.randn(2, 6, 64).bfloat16(), torch.tensor([0, 99], dtype=torch.int32)
    output, lse = sl.gpu.decode_step(q, index, budget=10, lengths=lengths, sparsity=33, return_lse=True)
    args = library.last
    assert (args.lengths, args.used, args.sparsity, args.budget) == (lengths.data_ptr(), 128, 33, 10)
    assert (args.log_sum_exp, args.output) == (lse.data_ptr(), output.data_ptr())
    assert (output.shape, lse.shape, lse.dtype) == ((2, 6, 64), (2, 6), torch.float32)
    given = torch.empty(2, 6, 64), torch.empty(2, 6)
    again = sl.gpu.decode_step(q, index, budget=10, return_lse=True, out=given)
    assert again[0] is given[0] and again[1] is given[1] and library.last.used == 100
    sl.gpu.decode_step(q, index, budget=10)
    args = library.last
    assert (args.lengths, args.used, args.sparsity, args.log_sum_exp) == (None, 100, 0, None)
    alone = sl.gpu.Index(cache(batch=1)[0], cache(batch=1)[0], library=library)
    _, lse = sl.gpu.decode_step(q[0], alone, budget=10, return_lse=True, lengths=lengths[1:])
    assert lse.shape == (6,) and library.last.lengths == lengths.data_ptr() + 4


def test_several_rows_of_a_sequence_are_one_call(library):
    index = sl.gpu.Index(cache(), cache(), used=100, library=library)
    q, lengths = torch.randn(2, 5, 6, 64).bfloat16(), torch.tensor([3, 99], dtype=torch.int32)
    mask = torch.ones(2, 6, 128, dtype=torch.bool)
    output, lse = sl.gpu.decode_step(q, index, budget=10, lengths=lengths, mask=mask, return_lse=True)
    args = library.last
    assert (args.batch, args.query_rows, args.heads, args.kv_heads, args.used) == (2, 5, 6, 3, 128)
    assert (args.queries, args.output, args.log_sum_exp) == (q.data_ptr(), output.data_ptr(), lse.data_ptr())
    assert (args.allowed, args.allowed_per_head) == (mask.data_ptr(), 1)
    assert (output.shape, lse.shape) == ((2, 5, 6, 64), (2, 5, 6))
    assert sl.gpu.decode_workspace(q, index, budget=10).numel() == 2000
    for one in (q[:, :1].contiguous(), q[:, 0].contiguous()):  # a row of its own, and no rows
        assert sl.gpu.decode_step(one, index, budget=10).shape == one.shape
        assert (library.last.query_rows, library.last.heads) == (1, 6)
    sl.gpu.decode_step(q[:, :2].contiguous(), index, budget=10)  # and another number of rows
    assert library.last.query_rows == 2


@pytest.mark.parametrize("shape", [(3, 5, 6, 64), (2, 5, 6, 32), (1, 2, 5, 6, 64)])
def test_rows_of_other_sequences_are_refused(library, shape):
    index = sl.gpu.Index(cache(), cache(), library=library)
    with pytest.raises(ValueError, match=r"^q: shape \[.*\]; allowed is \[2, any"):
        sl.gpu.decode_step(torch.zeros(shape).bfloat16(), index, budget=10)


def int32(count, **where):
    return torch.zeros(count, dtype=torch.int32, **where)


def pair(**given):
    return a_step(return_lse=True, **given)


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (a_step(lengths=[3, 4]), TypeError, "^lengths: list; allowed are tensors"),
        (a_step(lengths=torch.zeros(2).long()), TypeError, "^lengths: int64 .* allowed is int32"),
        (a_step(lengths=int32(3)), ValueError, r"^lengths: shape \[3\]; allowed is \[2\]"),
        (a_step(lengths=int32(2, device="meta")), ValueError, "^tensors on cpu, meta"),
        (a_step(sparsity=1.5), TypeError, "^skt_decode_step: sparsity: .*float"),
        (pair(out=torch.zeros(2, 6, 64)), TypeError, "^out: Tensor; allowed with"),
        (pair(out=(torch.zeros(2, 6, 64), torch.zeros(2, 6, 1))), ValueError,
         r"^out\[1\]: shape \[2, 6, 1\]; allowed is \[2, 6\]"),
        (by(sl.gpu.select_keys, torch.zeros(64), budget=1, lengths=int32(1)), ValueError,
         r"^lengths: of scores \[64\]; allowed is with scores of two dimensions"),
    ],
)  # fmt: skip
def test_refused_lengths_and_pairs_are_one_line(library, call, kind, line):
    refused(kind, line, lambda: call(library))


def test_a_step_costs_the_host_little_beside_the_launches(library, monkeypatch):
    monkeypatch.setattr(library, "launch", lambda *_: None)
    index = sl.gpu.Index(cache(), cache(), library=library)
    q, out = torch.randn(2, 6, 64).bfloat16(), torch.empty(2, 6, 64)
    given = {"budget": 10, "out": out, "workspace": sl.gpu.decode_workspace(q, index, budget=10)}
    each = [
        seconds / 200 for seconds in timeit.repeat(lambda: sl.gpu.decode_step(q, index, **given), number=200, repeat=25)
    ]
    print(f"a call of decode_step: {1e6 * np.median(each):.1f} us, at best {1e6 * min(each):.1f}")
    assert min(each) < 20e-6  # the best of many: what runs beside it on the machine is not the call's


def test_a_cache_of_bytes_passes_its_form_and_scales(library):
    form = _interface.constants()["CACHE_E4M3"]
    given = prepared()
    given["keys"], given["values"] = (given[name].to(torch.float8_e4m3fn) for name in ("keys", "values"))
    scales = {"key_scales": torch.rand(3), "value_scales": torch.rand(3)}
    index = sl.gpu.Index.of_parts(**given, **scales, library=library)
    for dtype, code in ((torch.bfloat16, 2), (torch.float16, 1), (torch.float32, 0)):
        sl.gpu.decode_step(torch.randn(2, 6, 64).to(dtype), index, budget=10)
        args = library.last
        assert (args.cache_form, args.type, args.keys) == (form, code, given["keys"].data_ptr())
        assert (args.key_scales, args.value_scales) == tuple(part.data_ptr() for part in scales.values())
    index.value_scales = None
    sl.gpu.decode_step(torch.randn(2, 6, 64), index, budget=10)
    assert library.last.value_scales is None and library.last.key_scales is not None
    queries, lists = torch.randn(2, 6, 64).half(), torch.zeros(2, 6, 4, dtype=torch.int32)
    counts = torch.ones(2, 6, dtype=torch.int32)
    sl.gpu.sparse_attention(queries, given["keys"], given["values"], lists, counts, library=library, **scales)
    args = library.last
    assert (args.cache_form, args.type, args.value_scales) == (form, 1, scales["value_scales"].data_ptr())
    sl.gpu.decode_step(
        torch.randn(2, 6, 64).bfloat16(), sl.gpu.Index.of_parts(**prepared(), library=library), budget=10
    )
    assert (library.last.cache_form, library.last.key_scales) == (0, None)


def test_scales_that_do_not_fit_are_refused(library):
    given, scales = prepared(), torch.rand(3)
    with pytest.raises(ValueError, match="^scales of bfloat16 keys; allowed are those of float8_e4m3fn$"):
        sl.gpu.decode_step(
            torch.randn(2, 6, 64).bfloat16(),
            sl.gpu.Index.of_parts(**given, key_scales=scales, library=library),
            budget=9,
        )
    given["keys"], given["values"] = (given[name].to(torch.float8_e4m3fn) for name in ("keys", "values"))
    for wrong, line in (
        (torch.rand(4), r"key_scales: shape \[4\]; allowed is \[3\]"),
        (scales.half(), "key_scales: float16"),
    ):
        index = sl.gpu.Index.of_parts(**given, key_scales=wrong, library=library)
        with pytest.raises((TypeError, ValueError), match=line):
            sl.gpu.decode_step(torch.randn(2, 6, 64), index, budget=9)
    with pytest.raises(TypeError, match="values: bfloat16"):
        sl.gpu.Index.of_parts(**given | {"values": cache()}, library=library)
    with pytest.raises(TypeError, match="^keys: float8_e4m3fn"):
        sl.gpu.Index(given["keys"], given["values"], library=library)


@pytest.mark.parametrize(("name", "code"), [("float32", 0), ("float16", 1), ("bfloat16", 2)])
def test_the_type_of_the_output_is_passed_on(library, name, code):
    index, dtype = sl.gpu.Index(cache(), cache(), library=library), getattr(torch, name)
    output = sl.gpu.decode_step(torch.randn(2, 6, 64).bfloat16(), index, budget=10, output_type=name)
    assert (output.dtype, library.last.output_type, library.last.output) == (dtype, code, output.data_ptr())
    given = torch.empty(2, 6, 64, dtype=dtype)
    assert sl.gpu.decode_step(torch.randn(2, 6, 64).bfloat16(), index, budget=10, output_type=name, out=given) is given
    with pytest.raises(TypeError, match=rf"^out: float64 .* allowed is {name}"):
        sl.gpu.decode_step(
            torch.randn(2, 6, 64).bfloat16(), index, budget=10, output_type=name, out=torch.empty(2, 6, 64).double()
        )
    with pytest.raises(ValueError, match="^output_type int8: allowed are float32, float16, bfloat16$"):
        sl.gpu.decode_step(torch.randn(2, 6, 64).bfloat16(), index, budget=10, output_type="int8")
