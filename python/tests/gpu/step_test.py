"""socketlab.gpu.decode_step on CPU tensors with a library that only writes down its arguments."""

import itertools
import math

import pytest
import socketlab as sl
from conftest import least, refused
from recorded import an_index, cache, has, int32, parts, parts_of_bytes, queries, sizes, torch
from socketlab.gpu import _interface

MASK, MASK_OF_KEYS = torch.ones(2, 6, 128, dtype=torch.bool), torch.ones(2, 128, dtype=torch.uint8)
# Of a step over 100 keys of an_index() that is given a budget of 10 alone.
USUAL = {
    "batch": 2, "query_rows": 1, "heads": 6, "kv_heads": 3, "capacity": 128, "used": 100, "dim": 64, "tables": 6, "planes": 8,
    "budget": 10, "sink": 0, "window": 0, "sparsity": 0, "dense_up_to": 0, "temperature": 0.5, "scale": 0.125,
    "logit_scale": 0.125, "type": 2, "output_type": 0, "rule": 0, "lists": 0, "allowed": None, "allowed_per_head": 0,
    "lengths": None, "log_sums": None, "log_sum_exp": None, "selected": None, "list_counts": None, "append_count": 0,
    "append_norms": 0, "append_keys": None, "append_values": None, "rest_samples": 0, "rest_weight": None, "block_table": None,
    "paged_index": 0, "cache_form": 0, "key_scales": None, "value_scales": None, "workspace_bytes": 2000,
}  # fmt: skip
# What is passed under another name than the keyword's, or not by default.
NAMES = {"q": "queries", "mask": "allowed", "workspace": "workspace"}
PLAIN = {"output": (2, 6, 64)}


@pytest.mark.parametrize(
    ("given", "changed", "results"),
    [
        ({}, {}, PLAIN),
        ({"budget": 11, "sink": 2, "window": 3, "sparsity": 33, "temperature": 2.0, "scale": 3.0, "logit_scale": 4.0},
         {}, PLAIN),
        ({"rule": "signed-projection", "lists": "kv-head", "log_sums": torch.zeros(2, 6), "dense_up_to": 50},
         {"rule": 1, "lists": 1}, PLAIN),
        ({"output_type": "float16"}, {"output_type": 1}, PLAIN),
        ({"output_type": "bfloat16"}, {"output_type": 2}, PLAIN),
        ({"mask": MASK}, {"allowed_per_head": 1}, PLAIN),
        ({"mask": MASK_OF_KEYS}, {}, PLAIN),
        ({"workspace": torch.empty(1500, dtype=torch.uint8)}, {"workspace_bytes": 1500}, PLAIN),
        ({"lengths": int32(0, 99), "return_lse": True}, {"used": 128}, PLAIN | {"log_sum_exp": (2, 6)}),
        ({"return_lists": True}, {}, PLAIN | {"selected": (2, 6, 10), "list_counts": (2, 6)}),
        ({"q": queries(2, 5, 6, 64), "lengths": int32(3, 99), "mask": MASK, "lists": "kv-head", "sink": 2, "window": 3,
          "return_lse": True, "return_lists": True},
         {"query_rows": 5, "used": 128, "allowed_per_head": 1, "lists": 1},
         {"output": (2, 5, 6, 64), "log_sum_exp": (2, 5, 6), "selected": (2, 5, 3, 15), "list_counts": (2, 5, 3)}),
        ({"q": queries(2, 1, 6, 64)}, {}, {"output": (2, 1, 6, 64)}),
        ({"q": queries(2, 3, 64)}, {"heads": 3}, {"output": (2, 3, 64)}),
        ({"lengths": int32(5, 9), "append": sl.gpu.Append(2, norms="none")}, {"append_count": 2, "used": 128}, PLAIN),
    ],
)  # fmt: skip
def test_a_step_passes_what_it_is_given_and_the_next_has_none_of_it(library, given, changed, results):
    index, made = an_index(library, used=100), None
    for _ in range(3):  # what it writes is made, then given, then given in a step that is like the last
        own = {"q": queries(), "budget": 10} | given
        own = {name: one.clone() if torch.is_tensor(one) else one for name, one in own.items()}
        out = made and tuple(torch.empty_like(one) for one in made)
        made = sl.gpu.decode_step(index=index, **own, out=out[0] if out and len(out) == 1 else out)
        made = made if isinstance(made, tuple) else (made,)
        passed = {NAMES.get(name, name): one for name, one in own.items() if name in NAMES or name in USUAL}
        library.saw("skt_decode_step", **(USUAL | passed | changed | dict(zip(results, made, strict=True))))
        assert sizes(*made) == list(results.values())
        assert made[0].dtype == getattr(torch, own.get("output_type", "float32"))
        assert out is None or all(one is other for one, other in zip(made, out, strict=True))
    assert index.used == 100
    sl.gpu.decode_step(queries(), index, budget=10)
    library.saw("skt_decode_step", packed=index.packed, norms=index.norms, keys=index.keys, **USUAL)


def test_results_have_their_types_and_one_sequence_needs_no_batch(library):
    alone = sl.gpu.Index(cache(batch=1)[0], cache(batch=1)[0], library=library)
    made = sl.gpu.decode_step(queries(6, 64), alone, budget=10, lengths=int32(9), return_lse=True, return_lists=True)
    library.saw(batch=1, query_rows=1, heads=6, dim=64)
    assert [one.dtype for one in made] == [torch.float32, torch.float32, torch.int32, torch.int32]
    assert sizes(*made) == [(6, 64), (6,), (6, 10), (6,)]


def test_an_index_keeps_a_workspace_for_each_stream(library):
    index, q = an_index(library), queries()
    seen = []
    for stream in (None, 5, None):
        sl.gpu.decode_step(q, index, budget=10, stream=stream)
        seen.append((library.calls[-1][1], library.last.workspace))
    assert seen[0] == seen[2] == (77, index._workspaces[77].data_ptr())
    assert seen[1] == (5, index._workspaces[5].data_ptr()) and len(index._workspaces) == 2
    assert sl.gpu.decode_workspace(q, index, budget=10).numel() == 2000


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
    given = parts()
    index = sl.gpu.Index.of_parts(**given, library=library)
    sl.gpu.decode_step(queries(), index, budget=10)
    change(given[part])
    for _ in range(2):  # what was refused once is not forgotten
        refused(kind, line, lambda: sl.gpu.decode_step(queries(), index, budget=10))


def test_the_addresses_of_a_step_are_those_of_its_moment(library):
    given = parts()
    index = sl.gpu.Index.of_parts(**given, library=library)
    sl.gpu.decode_step(queries(), index, budget=10)
    first = library.last
    given["values"].set_(cache())
    given["norms"].untyped_storage().resize_(0)  # freed: the library refuses NULL
    index.keys, index.used = cache(), 99
    sl.gpu.decode_step(queries(), index, budget=10)
    library.saw(values=given["values"], keys=index.keys, norms=None, used=99, packed=first.packed)
    assert first.used == 128 and first.values != library.last.values  # each call has a struct of its own
    index.norms = given["norms"].to("meta")
    refused(ValueError, "^norms: the tensor is on meta", lambda: sl.gpu.decode_step(queries(), index, budget=10))


OUT, SPACE, KEY = torch.empty(2, 6, 64), torch.empty(2000, dtype=torch.uint8), cache(keys=1)
LISTS = {"return_lists": True, "lists": "kv-head"}


def rest(**changed):
    return {"rule": "signed-projection", "rest": sl.gpu.Rest(**changed)}


@pytest.mark.parametrize(
    ("change", "kind", "line"),
    [
        ({"budget": 10.0}, TypeError, "^skt_decode_step: budget: .*float"),
        ({"scale": "2"}, TypeError, "^skt_decode_step: scale: .*str"),
        ({"sparsity": 1.5}, TypeError, "^skt_decode_step: sparsity: .*float"),
        ({"rule": "none"}, ValueError, "^rule none: allowed are soft-collision, signed-projection$"),
        ({"lists": "row"}, ValueError, "^lists row: allowed are head, kv-head$"),
        ({"q": torch.zeros(2, 6, 64)}, TypeError, "^q: float32 .* allowed is bfloat16$"),
        ({"q": queries(3, 5, 6, 64)}, ValueError, r"^q: shape \[3, 5, 6, 64\]; allowed is \[2, any, any, 64\]$"),
        ({"q": queries(2, 6, 32)}, ValueError, r"^q: shape \[2, 6, 32\]; allowed is \[2, any, 64\]$"),
        ({"q": queries(1, 2, 5, 6, 64)}, ValueError, r"^q: shape \[1, .*\]; allowed is \[2, any, 64\]$"),
        ({"q": queries(6, 64)}, ValueError, r"^q: shape \[6, 64\]; allowed is \[2, any, 64\]$"),
        ({"q": queries(2, 0, 6, 64)}, ValueError, "^q: 0 rows; allowed are 1 to 8$"),
        ({"output_type": "int8"}, ValueError, "^output_type int8: allowed are float32, float16, bfloat16$"),
        ({"out": OUT.double()}, TypeError, "^out: float64"),
        ({"output_type": "bfloat16"}, TypeError, "^out: float32 .* allowed is bfloat16"),
        ({"out": OUT[:1]}, ValueError, r"^out: shape \[1, 6, 64\]"),
        ({"out": OUT.transpose(0, 2)}, ValueError, "^out: "),
        ({"out": [0.0]}, TypeError, "^out: list"),
        ({"out": OUT.to("meta")}, ValueError, "^tensors on cpu, meta; allowed is one GPU$"),
        ({"out": OUT, "return_lse": True}, TypeError, "^out: Tensor; allowed with return_lse is a pair of tensors$"),
        ({"out": (OUT, torch.zeros(2, 6, 1)), "return_lse": True}, ValueError,
         r"^out\[1\]: shape \[2, 6, 1\]; allowed is \[2, 6\]"),
        ({"out": OUT, **LISTS}, TypeError, "^out: Tensor; allowed with return_lists is three tensors$"),
        ({"out": (OUT,), **LISTS, "return_lse": True}, TypeError,
         "^out: tuple of 1; allowed with return_lists and return_lse is four tensors$"),
        ({"out": (OUT, torch.zeros(2, 6, 10).int(), torch.zeros(2, 3).int()), **LISTS}, ValueError,
         r"^out\[1\]: shape \[2, 6, 10\]; allowed is \[2, 3, 10\]$"),
        ({"workspace": SPACE.int()}, TypeError, "^workspace: int32"),
        ({"lengths": [3, 4]}, TypeError, "^lengths: list; allowed are tensors"),
        ({"lengths": torch.zeros(2).long()}, TypeError, "^lengths: int64 .* allowed is int32"),
        ({"lengths": int32(0, 0, 0)}, ValueError, r"^lengths: shape \[3\]; allowed is \[2\]"),
        ({"lengths": int32(0, 0).to("meta")}, ValueError, "^tensors on cpu, meta"),
        ({"log_sums": torch.zeros(2, 3)}, ValueError, r"^log_sums: shape \[2, 3\]; allowed is \[2, 6\]$"),
        ({"log_sums": torch.zeros(2, 6).half()}, TypeError, "^log_sums: float16"),
        ({"append": sl.gpu.Append(norms="query")}, ValueError, "^norms query: allowed are none, value, key$"),
        ({"append": sl.gpu.Append(2, keys=KEY)}, ValueError, r"^keys: shape \[2, 3, 1, 64\]; allowed is \[2, 3, 2, 64\]$"),
        ({"append": sl.gpu.Append(1, keys=KEY.half())}, TypeError, "^keys: float16"),
        (rest(delta=0.0), ValueError, "^rest.delta 0.0: allowed is above 0 and below 1$"),
        (rest(delta=1.0), ValueError, "^rest.delta 1.0: allowed is above 0 and below 1$"),
        (rest(step=int32(0, 0)), ValueError, r"^rest.step: shape \[2\]; allowed is \[1\]$"),
        (rest(flagged=torch.zeros(3)), TypeError, "^rest.flagged: float32"),
        (rest(out=sl.gpu.RestResult(torch.zeros(2, 3), None, None, None)), ValueError, r"^rest.weight: shape \[2, 3\]"),
        (rest(samples="many"), TypeError, "^rest.samples: str; allowed is a whole number$"),
        (rest(samples=True), TypeError, "^rest.samples: bool; allowed is a whole number$"),
        (rest(samples=0), ValueError, "^rest.samples 0: allowed are 1 to 1024$"),
        (rest(samples=1025), ValueError, "^rest.samples 1025: allowed are 1 to 1024$"),
    ],
)  # fmt: skip
def test_what_a_step_cannot_take_is_refused_in_one_line(library, change, kind, line):
    index, given = an_index(library, used=100), {"q": queries(), "budget": 10, "out": OUT, "workspace": SPACE}
    sl.gpu.decode_step(index=index, **given)
    calls = len(library.calls)
    for _ in range(2):  # what was refused once is not forgotten
        refused(kind, line, lambda: sl.gpu.decode_step(index=index, **(given | change)))
    assert (len(library.calls), index.used) == (calls, 100)


def test_a_step_that_appends_raises_the_used_keys_unless_it_is_refused(library):
    index, q, k, v = an_index(library, used=100), queries(), cache(keys=1), cache(keys=1)
    sl.gpu.decode_step(q, index, budget=10, append=sl.gpu.Append(3))
    library.saw(append_count=3, append_norms=1, append_keys=None, append_values=None, used=103)
    sl.gpu.decode_step(q, index, budget=10, append=sl.gpu.Append(keys=k, values=v, norms="key"))
    library.saw(append_count=1, append_norms=2, append_keys=k, append_values=v, used=104)
    library.refuses["skt_decode_step"] = "used is 105: allowed is 0 to 104"
    refused(ValueError, "^used is 105", lambda: sl.gpu.decode_step(q, index, budget=10, append=sl.gpu.Append()))
    assert index.used == 104


def test_a_step_like_the_one_before_costs_less_than_half_of_one_that_is_checked(library, monkeypatch):
    monkeypatch.setattr(library, "launch", lambda *_: None)
    index, q = an_index(library), queries()
    given = {"out": OUT, "workspace": sl.gpu.decode_workspace(q, index, budget=11)}
    budgets = itertools.cycle((10, 11))
    anew = least(lambda: sl.gpu.decode_step(q, index, budget=next(budgets), **given))
    assert least(lambda: sl.gpu.decode_step(q, index, budget=10, **given)) < min(anew / 2, 60e-6)


def test_a_cache_of_bytes_passes_its_form_and_scales(library):
    form, given = _interface.constants()["CACHE_E4M3"], parts_of_bytes()
    scales = {"key_scales": torch.rand(3), "value_scales": torch.rand(3)}
    index = sl.gpu.Index.of_parts(**given, **scales, library=library)
    for dtype, code in ((torch.bfloat16, 2), (torch.float16, 1), (torch.float32, 0)):
        sl.gpu.decode_step(torch.randn(2, 6, 64).to(dtype), index, budget=10)
        library.saw(cache_form=form, type=code, keys=given["keys"], **scales)
    index.value_scales = None
    sl.gpu.decode_step(torch.randn(2, 6, 64), index, budget=10)
    library.saw(value_scales=None, key_scales=scales["key_scales"])
    lists = torch.zeros(2, 6, 4, dtype=torch.int32), torch.ones(2, 6, dtype=torch.int32)
    sl.gpu.sparse_attention(queries().half(), given["keys"], given["values"], *lists, library=library, **scales)
    library.saw("skt_sparse_attention", cache_form=form, type=1, **scales)


@pytest.mark.parametrize(
    ("given", "kind", "line"),
    [
        (parts(key_scales=torch.rand(3)), ValueError,
         "^scales of bfloat16 keys; allowed are those of float8_e4m3fn$"),
        (parts_of_bytes(key_scales=torch.rand(4)), ValueError, r"^key_scales: shape \[4\]; allowed is \[3\]$"),
        (parts_of_bytes(key_scales=torch.rand(3).half()), TypeError, "^key_scales: float16"),
        (parts_of_bytes(values=cache()), TypeError, "^values: bfloat16"),
    ],
)  # fmt: skip
def test_scales_that_do_not_fit_are_refused(library, given, kind, line):
    def step():
        sl.gpu.decode_step(queries(), sl.gpu.Index.of_parts(**given, library=library), budget=9)

    refused(kind, line, step)


REST = {"budget": 10, "rule": "signed-projection", "lists": "kv-head"}


def test_a_step_hands_out_what_its_lists_leave_out(library):
    step, flagged = int32(0), int32(0, 0, 0)
    asked = sl.gpu.Rest(samples=64, delta=0.02, target=0.1, corrected=True, seed=9, step=step, flagged=flagged)
    output, rest = sl.gpu.decode_step(queries(), an_index(library), **REST, rest=asked)
    library.saw(rest_samples=64, rest_seed=9, output=output, rest_step=step, rest_flagged=flagged)
    # A tenth of delta for 128 keys' ceilings by 48 signs, the rest for the draws.
    radius = math.sqrt(math.pi * math.log(128 / 0.002) / 48)
    library.saw(rest_radius=pytest.approx(radius), rest_delta=pytest.approx(0.018), rest_target=pytest.approx(0.1))
    has(library.last, **{f"rest_{name}": one for name, one in vars(rest).items()}, rest_drawn=None, rest_keys=None)
    assert sizes(rest.weight, rest.flags, rest.output) == [(2, 6), (2, 6), (2, 6, 64)]
    assert (rest.limit.dtype, rest.flags.dtype) == (torch.float32, torch.int32)


def test_results_of_a_rest_are_the_callers_and_the_last_of_several(library):
    q, index = queries(), an_index(library)
    given = sl.gpu.Rest(out=sl.gpu.Rest().results(q), radius=0.25)
    *_, counts, rest = sl.gpu.decode_step(q, index, **REST, return_lse=True, return_lists=True, rest=given)
    assert counts.dtype == torch.int32
    assert rest.weight is given.out.weight and rest.flags is given.out.flags and rest.output is None
    library.saw(rest_radius=0.25, rest_output=None)
    assert sl.gpu.decode_step(q, index, **REST).shape == q.shape
    library.saw(rest_samples=0, rest_weight=None)
    alone = sl.gpu.Index(cache(batch=1), cache(batch=1), tables=6, planes=8, library=library)
    _, rest = sl.gpu.decode_step(queries(6, 64), alone, **REST, rest=sl.gpu.Rest(corrected=True))
    assert sizes(rest.weight, rest.output) == [(1, 6), (6, 64)]
