"""The stages of socketlab.gpu on CPU tensors with a library that only writes down its arguments: what is passed on, and
what is refused."""

import contextlib
import types

import numpy as np
import pytest
import socketlab as sl
from conftest import refused
from recorded import PLANES, a_step, by, cache, seen
from socketlab.gpu import _tensors

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_hash_keys_passes_addresses_and_sizes(library):
    keys, planes = cache(dtype=torch.float16), torch.randn(5, 7, 64)
    codes = sl.gpu.hash_keys(keys, planes, first=10, count=20, library=library)
    args = library.last
    assert (codes.shape, codes.dtype) == ((2, 3, 5, 128), torch.int16)
    assert (args.keys, args.hyperplanes, args.codes) == (keys.data_ptr(), planes.data_ptr(), codes.data_ptr())
    assert (args.batch, args.kv_heads, args.capacity, args.first, args.count) == (2, 3, 128, 10, 20)
    assert (args.dim, args.tables, args.planes, args.key_type) == (64, 5, 7, 1)
    assert library.calls[-1][:2] == ("skt_hash_keys", 77)
    sl.gpu.hash_keys(keys, planes, first=10, stream=5, library=library)
    assert library.calls[-1][1] == 5 and library.last.count == 118


def test_the_other_stages_pass_addresses_and_sizes(library):
    values, codes = cache(), torch.zeros(2, 3, 5, 128, dtype=torch.int16)
    norms = sl.gpu.value_norms(values, form="f16-overflows", library=library)
    assert (norms.dtype, norms.shape, library.last.form) == (torch.float16, (2, 3, 128), 1)
    assert sl.gpu.value_norms(values, form="bf16", library=library).dtype is torch.bfloat16
    packed = sl.gpu.pack_codes(codes, planes=7, first=64, library=library)
    assert packed.shape == (2, 3, 2, 2, 64)  # 5 tables are 2 fours, of 14 slices, 8 to a word
    assert (library.last.capacity, library.last.first, library.last.count, library.last.tables) == (128, 64, 64, 5)
    halves = sl.gpu.soft_buckets(torch.randn(2, 6, 64), torch.randn(5, 7, 64), temperature=0.25, library=library)
    assert halves.shape == (2, 6, 5, 16 + 8) and library.last.form == 1 and library.last.temperature == 0.25
    assert library.last.scale == 0.125
    mask = torch.ones(2, 6, 128, dtype=torch.bool)
    scores = sl.gpu.score_packed(halves, packed, norms, planes=7, used=100, mask=mask, library=library)
    args = library.last
    assert (scores.shape, args.used, args.allowed_per_head, args.rule) == ((2, 6, 128), 100, 1, 0)
    assert (args.allowed, args.packed, args.scores) == (mask.data_ptr(), packed.data_ptr(), scores.data_ptr())
    buckets = torch.rand(2, 6, 5, 128)
    sl.gpu.score_buckets(buckets, codes, norms, planes=7, mask=mask[:, 0].contiguous(), library=library)
    assert (library.last.allowed_per_head, library.last.norm_type, library.last.probability_type) == (0, 1, 0)
    selected, counts = sl.gpu.select_keys(scores, budget=9, sink=2, window=3, library=library)
    assert (selected.shape, counts.shape) == ((2, 6, 14), (2, 6))
    assert (library.last.batch, library.last.heads, library.last.used) == (2, 6, 128)
    lists, _ = sl.gpu.published_list(selected, counts, used=128, sink=1, library=library)
    assert (lists.shape, library.last.budget, library.last.used) == ((2, 6, 15), 14, 128)
    queries = torch.randn(2, 6, 64).bfloat16()
    output, logs = sl.gpu.sparse_attention(queries, values, values, selected, counts, library=library)
    args = library.last
    assert (output.dtype, output.shape, logs.shape) == (torch.float32, (2, 6, 64), (2, 6))
    assert (args.list, args.workspace_bytes, args.type, args.logit_scale) == (14, 2000, 2, 0.125)
    space = sl.gpu.attention_workspace(queries, values, values, selected, counts, library=library)
    assert space.numel() == 2000


def test_scores_of_shared_heads_may_be_bfloat16(library):
    halves, packed = torch.rand(2, 6, 5, 24), torch.zeros(2, 3, 2, 2, 64, dtype=torch.int32)
    given = {"planes": 7, "rule": "signed-projection", "library": library}
    norms = torch.ones(2, 3, 128).half()
    assert sl.gpu.score_packed(halves, packed, norms, **given).dtype is torch.float32
    assert library.last.score_type == 0
    scores = sl.gpu.score_packed(halves, packed, norms, score_type="bfloat16", **given)
    assert (scores.dtype, scores.shape, library.last.score_type) == (torch.bfloat16, (2, 6, 128), 2)
    sl.gpu.select_keys(scores, budget=9, library=library)
    assert (library.last.scores, library.last.score_type) == (scores.data_ptr(), 2)
    sl.gpu.select_keys(scores.float(), budget=9, library=library)
    assert library.last.score_type == 0


def test_stages_take_lengths(library):
    halves, packed = torch.rand(2, 6, 5, 24), torch.zeros(2, 3, 2, 2, 64, dtype=torch.int32)
    norms, lengths = torch.ones(2, 3, 128).half(), torch.tensor([7, 99], dtype=torch.int32)
    scores = sl.gpu.score_packed(halves, packed, norms, planes=7, lengths=lengths, library=library)
    assert (library.last.lengths, library.last.used) == (lengths.data_ptr(), 128)
    sl.gpu.select_keys(scores, budget=9, lengths=lengths, sparsity=4, library=library)
    args = library.last
    assert (args.lengths, args.batch, args.heads, args.sparsity) == (lengths.data_ptr(), 2, 6, 4)
    sl.gpu.select_keys(scores[0], budget=9, lengths=torch.zeros(6, dtype=torch.int32), library=library)
    assert (library.last.batch, library.last.heads, library.last.sparsity) == (6, 1, 0)


def test_a_captured_stream_is_asked_for_what_it_must_not_allocate(library, monkeypatch):
    index = sl.gpu.Index(cache(), cache(), library=library)
    q = torch.randn(2, 6, 64).bfloat16()
    monkeypatch.setattr(sl.gpu._index, "capturing", lambda _torch: True)
    monkeypatch.setattr(_tensors, "capturing", lambda _torch: True)
    with pytest.raises(ValueError, match="^out: missing; while a stream is captured allowed is a tensor that was made"):
        sl.gpu.decode_step(q, index, budget=10)
    out = torch.empty(2, 6, 64)
    with pytest.raises(ValueError, match=r"^workspace: missing; .* allowed is that of decode_workspace\(\)$"):
        sl.gpu.decode_step(q, index, budget=10, out=out)
    sl.gpu.decode_step(q, index, budget=10, out=out, workspace=torch.empty(2000, dtype=torch.uint8))
    with pytest.raises(ValueError, match=r"^out\[0\]: missing"):
        sl.gpu.select_keys(torch.zeros(2, 64), budget=3, library=library)


class TwoGpus:
    """As much of PyTorch as launching() asks: the current device is 0, the current stream of device d is 100 + d."""

    def __init__(self, raw):
        self.cuda, self.current = self, 0
        self._C = types.SimpleNamespace(**({"_cuda_getCurrentRawStream": lambda number: 100 + number} if raw else {}))

    def current_device(self):
        return self.current

    def current_stream(self, number=None):
        return types.SimpleNamespace(cuda_stream=100 + (self.current if number is None else number))

    @contextlib.contextmanager
    def device(self, number):
        before, self.current = self.current, number
        yield
        self.current = before

    stream = staticmethod(contextlib.nullcontext)
    ExternalStream = staticmethod(lambda handle: types.SimpleNamespace(cuda_stream=handle))


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("number", [0, 1])
def test_a_launch_is_on_the_device_of_its_tensor(number, raw):
    gpus, tensor = TwoGpus(raw), types.SimpleNamespace(device=number, get_device=lambda: number)
    own = types.SimpleNamespace(cuda_stream=9)
    for stream, handle in ((None, 100 + number), (5, 5), (own, 9)):
        with _tensors.launching(gpus, tensor, stream) as given:
            assert (given, gpus.current) == (handle, number)
        assert gpus.current == 0


def hashed(keys):
    return by(sl.gpu.hash_keys, keys, PLANES)


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (hashed(np.zeros((1, 1, 64, 64))), TypeError, "keys: ndarray; allowed are"),
        (hashed(cache(dtype=torch.float64)), TypeError,
         r"keys: float64 \[2, 3, 128, 64\]; allowed is float32 or float16 or bfloat16"),
        (hashed(cache()[0]), ValueError, r"keys: shape \[3, 128, 64\]; allowed is \[any, any, any, any\]"),
        (hashed(cache(dim=32)), ValueError, r"hyperplanes: shape \[5, 7, 64\]; allowed is \[any, any, 32\]"),
        (hashed(cache().transpose(1, 2)), ValueError, "keys: strides .* allowed is contiguous"),
        (hashed(cache().to("meta")), ValueError, r"keys: the tensor is on meta; allowed is a GPU, as \.cuda\(\) makes it"),
        (by(sl.gpu.select_keys, torch.zeros(2, 64), budget=3, out=(torch.zeros(2, 3), None)), TypeError,
         r"out\[0\]: float32 \[2, 3\]; allowed is int32"),
        (a_step(torch.zeros(2, 6, 32)), TypeError, "q: float32 .* allowed is bfloat16"),
        (a_step(out=torch.zeros(2, 6, 64, device="meta")), ValueError, "^tensors on cpu, meta; allowed is one GPU$"),
        (by(sl.gpu.Index, cache(), cache(keys=64)), ValueError, r"values: shape \[2, 3, 64, 64\]"),
        (by(sl.gpu.Index, cache(), cache(), used=129), ValueError, "used 129: allowed are 0 to 128"),
        (by(sl.gpu.value_norms, cache(), form="f64"), ValueError, "form f64: allowed are f16, "),
        (by(sl.gpu.score_packed, None, None, None, planes=7, score_type="float16"), ValueError,
         "^score_type float16: allowed are float32, bfloat16$"),
        (by(sl.gpu.select_keys, torch.zeros(2, 64).half(), budget=3), TypeError,
         r"^scores: float16 \[2, 64\]; allowed is float32 or bfloat16$"),
        (by(sl.gpu.select_keys, torch.zeros(2, 64), budget=1.5), TypeError, "float"),
        (a_step(budget=1.5), TypeError, "^skt_decode_step: .*float"),
        (a_step(scale="2"), TypeError, "^skt_decode_step: .*str"),
    ],
)  # fmt: skip
def test_refusals_are_one_line(library, call, kind, line):
    refused(kind, line, lambda: call(library))


def test_recorded_pointers_are_those_of_the_tensors(library):
    counts = torch.arange(12, dtype=torch.int32).reshape(2, 6)
    best = torch.zeros(2, 6, 4, dtype=torch.int32)
    sl.gpu.published_list(best, counts, used=64, library=library)
    np.testing.assert_array_equal(seen(library.last.counts, (2, 6)), counts.numpy())
