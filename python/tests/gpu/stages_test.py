"""The stages of socketlab.gpu on CPU tensors with a library that only writes down its arguments: what is passed on, and
what is refused."""

import contextlib
import math
import types

import numpy as np
import pytest
import socketlab as sl
from conftest import refused
from recorded import PLANES, an_index, by, cache, int32, queries, sizes, torch
from socketlab.gpu import _tensors

VALUES, Q, LENGTHS = cache(), queries(), int32(7, 99)
CODES, PACKED = torch.zeros(2, 3, 5, 128, dtype=torch.int16), torch.zeros(2, 3, 2, 2, 64, dtype=torch.int32)
NORMS, HALVES, BUCKETS = torch.ones(2, 3, 128).half(), torch.rand(2, 6, 5, 16 + 8), torch.rand(2, 6, 5, 128)
MASK = torch.ones(2, 6, 128, dtype=torch.bool)
MASK_OF_KEYS = MASK[:, 0].contiguous()
SCORES, SCORES_OF_16_BITS = torch.zeros(2, 6, 128), torch.zeros(2, 6, 128).bfloat16()
LISTS, COUNTS = torch.zeros(2, 6, 14, dtype=torch.int32), torch.zeros(2, 6, dtype=torch.int32)
LISTS_OF_KV_HEADS, LOG_SUMS = (LISTS[:, :3].contiguous(), COUNTS[:, :3].contiguous()), torch.zeros(2, 6)
BINS, BINS_OF_KV_HEADS = torch.zeros(2, 6, 2048, dtype=torch.int32), torch.zeros(2, 3, 2048, dtype=torch.int32)
WHOLE, RUN = {"first": 5, "used": 128, "sink": 2, "window": 3}, {"first": 5, "whole": 128, "sink": 2, "window": 3}
# An estimated logit is norm sqrt(pi / 2) / bits times the sum of signs; to base 2.
WEIGHT_OF_35_BITS = pytest.approx(math.sqrt(math.pi / 2) / math.log(2) / 35, rel=1e-6)
BF16 = torch.bfloat16


@pytest.mark.parametrize(
    ("call", "operation", "passed", "made"),
    [
        (by(sl.gpu.hash_keys, VALUES.half(), PLANES, first=10, count=20), "skt_hash_keys",
         {"hyperplanes": PLANES, "batch": 2, "kv_heads": 3, "capacity": 128, "first": 10, "count": 20, "dim": 64, "tables": 5,
          "planes": 7, "key_type": 1},
         {"codes": ((2, 3, 5, 128), torch.int16)}),
        (by(sl.gpu.value_norms, VALUES, form="f16-overflows"), "skt_value_norms",
         {"values": VALUES, "form": 1, "value_type": 2}, {"norms": ((2, 3, 128), torch.float16)}),
        (by(sl.gpu.value_norms, VALUES.float(), form="bf16"), "skt_value_norms",
         {"form": 2, "value_type": 0}, {"norms": ((2, 3, 128), BF16)}),
        # 5 tables are 2 fours, of 14 slices, 8 to a word.
        (by(sl.gpu.pack_codes, CODES, planes=7, first=64), "skt_pack_codes",
         {"codes": CODES, "capacity": 128, "first": 64, "count": 64, "tables": 5, "planes": 7},
         {"packed": ((2, 3, 2, 2, 64), torch.int32)}),
        (by(sl.gpu.soft_buckets, Q, PLANES, temperature=0.25, counts=BINS), "skt_soft_buckets",
         {"queries": Q, "hyperplanes": PLANES, "form": 1, "temperature": 0.25, "scale": 0.125, "query_type": 2, "counts": BINS},
         {"probabilities": ((2, 6, 5, 16 + 8), torch.float32)}),
        (by(sl.gpu.soft_buckets, Q, PLANES, form="buckets", scale=2.0), "skt_soft_buckets",
         {"form": 0, "temperature": 0.5, "scale": 2.0}, {"probabilities": ((2, 6, 5, 128), torch.float32)}),
        (by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, used=100, mask=MASK), "skt_score_packed",
         {"half_tables": HALVES, "packed": PACKED, "norms": NORMS, "heads": 6, "kv_heads": 3, "planes": 7, "used": 100,
          "allowed": MASK, "allowed_per_head": 1, "rule": 0, "lists": 0, "score_type": 0, "counts": None, "lengths": None},
         {"scores": ((2, 6, 128), torch.float32)}),
        (by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, lengths=LENGTHS, rule="signed-projection",
            score_type="bfloat16", dense_up_to=7),
         "skt_score_packed", {"lengths": LENGTHS, "used": 128, "rule": 1, "score_type": 2, "dense_up_to": 7},
         {"scores": ((2, 6, 128), BF16)}),
        (by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, counts=BINS, counted=WHOLE), "skt_score_packed",
         {"counts": BINS, "used": 128, **RUN}, {"scores": ((2, 6, 128), torch.float32)}),
        (by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, lists="kv-head", log_sums=LOG_SUMS), "skt_score_packed",
         {"lists": 1, "log_sums": LOG_SUMS, "heads": 6, "weight_scale": WEIGHT_OF_35_BITS},
         {"scores": ((2, 3, 128), torch.float32)}),
        (by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, lists="kv-head", weight_scale=3, counts=BINS_OF_KV_HEADS,
            counted=WHOLE),
         "skt_score_packed", {"weight_scale": 3, "counts": BINS_OF_KV_HEADS, "log_sums": None},
         {"scores": ((2, 3, 128), torch.float32)}),
        (by(sl.gpu.score_buckets, BUCKETS, CODES, NORMS, planes=7, mask=MASK_OF_KEYS), "skt_score_buckets",
         {"probabilities": BUCKETS, "codes": CODES, "norms": NORMS, "allowed": MASK_OF_KEYS, "allowed_per_head": 0,
          "norm_type": 1, "probability_type": 0, "used": 128, "planes": 7},
         {"scores": ((2, 6, 128), torch.float32)}),
        (by(sl.gpu.select_keys, SCORES, budget=9, sink=2, window=3, dense_up_to=7), "skt_select_keys",
         {"scores": SCORES, "batch": 2, "heads": 6, "capacity": 128, "used": 128, "budget": 9, "sink": 2, "window": 3,
          "sparsity": 0, "dense_up_to": 7, "lengths": None, "score_type": 0},
         {"selected": ((2, 6, 14), torch.int32), "counts": ((2, 6), torch.int32)}),
        (by(sl.gpu.select_keys, SCORES_OF_16_BITS, budget=9, lengths=LENGTHS, sparsity=4, used=99), "skt_select_keys",
         {"score_type": 2, "lengths": LENGTHS, "batch": 2, "heads": 6, "sparsity": 4, "used": 99},
         {"selected": ((2, 6, 9), torch.int32), "counts": ((2, 6), torch.int32)}),
        (by(sl.gpu.select_keys, SCORES[0], budget=9, lengths=int32(*range(6))), "skt_select_keys",
         {"batch": 6, "heads": 1}, {"selected": ((6, 9), torch.int32), "counts": ((6,), torch.int32)}),
        (by(sl.gpu.published_list, LISTS, COUNTS, used=100, sink=1, window=2), "skt_published_list",
         {"best": LISTS, "counts": COUNTS, "budget": 14, "used": 100, "sink": 1, "window": 2, "batch": 1, "heads": 12},
         {"selected": ((2, 6, 17), torch.int32), "list_counts": ((2, 6), torch.int32)}),
        (by(sl.gpu.sparse_attention, Q, VALUES, VALUES, LISTS, COUNTS), "skt_sparse_attention",
         {"queries": Q, "keys": VALUES, "selected": LISTS, "counts": COUNTS, "list": 14, "workspace_bytes": 2000, "type": 2,
          "logit_scale": 0.125, "used": 128, "lists": 0, "lengths": None, "dense_up_to": 0},
         {"output": ((2, 6, 64), torch.float32), "log_sum_exp": ((2, 6), torch.float32)}),
        (by(sl.gpu.sparse_attention, Q, VALUES, VALUES, *LISTS_OF_KV_HEADS, lists="kv-head", lengths=LENGTHS, used=99,
            dense_up_to=7, logit_scale=2.0),
         "skt_sparse_attention", {"lists": 1, "lengths": LENGTHS, "used": 99, "dense_up_to": 7, "logit_scale": 2.0},
         {"output": ((2, 6, 64), torch.float32), "log_sum_exp": ((2, 6), torch.float32)}),
    ],
)  # fmt: skip
def test_a_stage_passes_addresses_and_sizes(library, call, operation, passed, made):
    result = call(library)
    results = dict(zip(made, result if isinstance(result, tuple) else (result,), strict=True))
    library.saw(operation, **passed, **results)
    assert {name: (*sizes(one), one.dtype) for name, one in results.items()} == made


def test_streams_and_scratch_memory_of_stages(library):
    for stream, handle in ((None, 77), (5, 5)):
        sl.gpu.hash_keys(VALUES, PLANES, stream=stream, library=library)
        assert library.calls[-1][1] == handle
    space = sl.gpu.attention_workspace(Q, VALUES, VALUES, LISTS, COUNTS, library=library)
    assert (space.numel(), space.dtype) == (2000, torch.uint8)


def test_a_captured_stream_is_asked_for_what_it_must_not_allocate(library, monkeypatch):
    index, out = an_index(library), torch.empty(2, 6, 64)
    monkeypatch.setattr(sl.gpu._index, "capturing", lambda _torch: True)
    monkeypatch.setattr(_tensors, "capturing", lambda _torch: True)
    for given, line in (
        ({}, "^out: missing; while a stream is captured allowed is a tensor that was made"),
        ({"out": out}, r"^workspace: missing; .* allowed is that of decode_workspace\(\)$"),
    ):
        refused(ValueError, line, lambda: sl.gpu.decode_step(Q, index, budget=10, **given))
    sl.gpu.decode_step(Q, index, budget=10, out=out, workspace=torch.empty(2000, dtype=torch.uint8))
    refused(ValueError, r"^out\[0\]: missing", lambda: sl.gpu.select_keys(SCORES, budget=3, library=library))


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


def scored(**given):
    return by(sl.gpu.score_packed, HALVES, PACKED, NORMS, planes=7, **given)


NEEDED = "^counted: allowed with counts are first, used, sink and window, all of them$"


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (hashed(np.zeros((1, 1, 64, 64))), TypeError, "^keys: ndarray; allowed are"),
        (hashed(VALUES.double()), TypeError,
         r"^keys: float64 \[2, 3, 128, 64\]; allowed is float32 or float16 or bfloat16$"),
        (hashed(VALUES[0]), ValueError, r"^keys: shape \[3, 128, 64\]; allowed is \[any, any, any, any\]$"),
        (hashed(cache(dim=32)), ValueError, r"^hyperplanes: shape \[5, 7, 64\]; allowed is \[any, any, 32\]$"),
        (hashed(VALUES.transpose(1, 2)), ValueError, "^keys: strides .* allowed is contiguous$"),
        (hashed(VALUES.to("meta")), ValueError, r"^keys: the tensor is on meta; allowed is a GPU, as \.cuda\(\) makes it$"),
        (by(sl.gpu.hash_keys, VALUES, PLANES, lengths=torch.zeros(2).long()), TypeError, "^lengths: int64"),
        (by(sl.gpu.select_keys, SCORES, budget=3, out=(LOG_SUMS, None)), TypeError,
         r"^out\[0\]: float32 \[2, 6\]; allowed is int32$"),
        (by(sl.gpu.select_keys, SCORES.half(), budget=3), TypeError,
         r"^scores: float16 \[2, 6, 128\]; allowed is float32 or bfloat16$"),
        (by(sl.gpu.select_keys, SCORES, budget=1.5), TypeError, "float"),
        (by(sl.gpu.select_keys, torch.zeros(64), budget=1, lengths=int32(1)), ValueError,
         r"^lengths: of scores \[64\]; allowed is with scores of two dimensions"),
        (by(sl.gpu.Index, VALUES, cache(keys=64)), ValueError, r"^values: shape \[2, 3, 64, 64\]"),
        (by(sl.gpu.Index, VALUES.to(torch.float8_e4m3fn), VALUES), TypeError, "^keys: float8_e4m3fn"),
        (by(sl.gpu.Index, VALUES, VALUES, used=129), ValueError, "^used 129: allowed are 0 to 128"),
        (by(sl.gpu.value_norms, VALUES, form="f64"), ValueError, "^form f64: allowed are f16, "),
        (by(sl.gpu.soft_buckets, Q, PLANES, form="halves"), ValueError, "^form halves: allowed are buckets, half-tables"),
        (scored(score_type="float16"), ValueError, "^score_type float16: allowed are float32, bfloat16$"),
        (scored(counts=BINS), ValueError, NEEDED),
        (scored(counts=BINS, counted={"first": 0, "used": 128, "sink": 2}), ValueError, NEEDED),
        (by(sl.gpu.sparse_attention, Q, VALUES, VALUES, *LISTS_OF_KV_HEADS), ValueError,
         r"^selected: shape \[2, 3, 14\]; allowed is \[2, 6, any\]$"),
    ],
)  # fmt: skip
def test_refusals_are_one_line_and_launch_nothing(library, call, kind, line):
    refused(kind, line, lambda: call(library))
    assert library.calls == []
