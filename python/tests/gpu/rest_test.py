"""The rest of a step's lists, by socketlab.gpu on CPU tensors with a library that only writes down its arguments."""

import math

import pytest
import socketlab as sl
from recorded import an_index, cache, queries

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SETTINGS = {"budget": 10, "rule": "signed-projection", "lists": "kv-head"}


def test_a_step_hands_out_what_its_lists_leave_out(library):
    step, flagged = torch.zeros(1, dtype=torch.int32), torch.zeros(3, dtype=torch.int32)
    asked = sl.gpu.Rest(samples=64, delta=0.02, target=0.1, corrected=True, seed=9, step=step, flagged=flagged)
    output, rest = sl.gpu.decode_step(queries(), an_index(library), **SETTINGS, rest=asked)
    args = library.last
    assert (args.rest_samples, args.rest_seed, args.output) == (64, 9, output.data_ptr())
    assert (args.rest_step, args.rest_flagged) == (step.data_ptr(), flagged.data_ptr())
    # A tenth of delta for 128 keys' ceilings by 48 signs, the rest for the draws.
    assert args.rest_radius == pytest.approx(math.sqrt(math.pi * math.log(128 / 0.002) / 48))
    assert (args.rest_delta, args.rest_target) == (pytest.approx(0.018), pytest.approx(0.1))
    for name in ("weight", "limit", "nominal", "flags", "output"):
        assert getattr(args, f"rest_{name}") == getattr(rest, name).data_ptr()
    assert rest.weight.shape == rest.flags.shape == (2, 6)
    assert (rest.limit.dtype, rest.flags.dtype, rest.output.shape) == (torch.float32, torch.int32, (2, 6, 64))
    assert (args.rest_drawn, args.rest_keys) == (None, None)


def test_results_are_the_callers_and_the_last_of_several(library):
    q, index = queries(), an_index(library)
    asked = sl.gpu.Rest()
    given = sl.gpu.Rest(out=asked.results(q), radius=0.25)
    *_, counts, rest = sl.gpu.decode_step(q, index, **SETTINGS, return_lse=True, return_lists=True, rest=given)
    assert counts.dtype == torch.int32
    assert rest.weight is given.out.weight and rest.flags is given.out.flags and rest.output is None
    assert (library.last.rest_radius, library.last.rest_output) == (0.25, None)
    assert sl.gpu.decode_step(q, index, **SETTINGS).shape == q.shape
    assert (library.last.rest_samples, library.last.rest_weight) == (0, None)


def test_one_sequence_without_a_batch_has_one_row_of_results(library):
    index = sl.gpu.Index(cache(batch=1), cache(batch=1), tables=6, planes=8, library=library)
    _, rest = sl.gpu.decode_step(queries()[0], index, **SETTINGS, rest=sl.gpu.Rest(corrected=True))
    assert (rest.weight.shape, rest.output.shape) == ((1, 6), (6, 64))


@pytest.mark.parametrize(
    ("change", "kind", "line"),
    [
        ({"delta": 0.0}, ValueError, "^rest.delta 0.0: allowed is above 0 and below 1$"),
        ({"delta": 1.0}, ValueError, "^rest.delta 1.0: allowed is above 0 and below 1$"),
        ({"step": torch.zeros(2).int()}, ValueError, r"^rest.step: shape \[2\]; allowed is \[1\]$"),
        ({"flagged": torch.zeros(3)}, TypeError, "^rest.flagged: float32"),
        ({"out": sl.gpu.RestResult(torch.zeros(2, 3), None, None, None)}, ValueError, r"^rest.weight: shape \[2, 3\]"),
        ({"samples": "many"}, TypeError, "^rest.samples: str; allowed is a whole number$"),
        ({"samples": True}, TypeError, "^rest.samples: bool; allowed is a whole number$"),
        ({"samples": 0}, ValueError, "^rest.samples 0: allowed are 1 to 1024$"),
        ({"samples": 1025}, ValueError, "^rest.samples 1025: allowed are 1 to 1024$"),
    ],
)
def test_what_a_rest_cannot_be_is_refused_in_one_line(library, change, kind, line):
    with pytest.raises(kind, match=line):
        sl.gpu.decode_step(queries(), an_index(library), **SETTINGS, rest=sl.gpu.Rest(**change))
    assert all(operation != "skt_decode_step" for operation, *_ in library.calls)
