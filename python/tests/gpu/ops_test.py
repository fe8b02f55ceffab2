"""socketlab.gpu.ops without a GPU: opcheck over a library that writes what a step writes; on a GPU the kernels' own bits."""

import ctypes
import functools
import math
import pathlib
import textwrap

import pytest
import recorded
from conftest import refused
from recorded import Recorded, has, int32, queries, sizes, torch
from socketlab import gpu
from socketlab.gpu import _index, _interface, _launch, _paged_index, ops

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
CHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


class Writing(Recorded):
    """Writes numbers that its arguments make, where a step and build_index write: opcheck sees whether the schema says so."""

    def launch(self, operation, stream, arguments):
        super().launch(operation, stream, arguments)
        a, rows = arguments, arguments.batch * max(1, arguments.query_rows)
        lists = a.kv_heads if getattr(a, "lists", 0) else a.heads
        if operation == "skt_decode_step":
            fill(a.output, rows * a.heads * a.dim, ctypes.c_int16 if a.output_type else ctypes.c_float, a.budget)
            fill(a.log_sum_exp, rows * a.heads, ctypes.c_float, a.window)
            fill(a.selected, rows * lists * (a.sink + a.budget + a.window), ctypes.c_int32, 3)
            fill(a.list_counts, rows * lists, ctypes.c_int32, 2)
            fill(a.workspace, 8, ctypes.c_uint8, 9)
        if operation == "skt_select_keys":
            fill(a.selected, rows * a.heads * (a.sink + a.budget + a.window), ctypes.c_int32, 3)
            fill(a.counts, rows * a.heads, ctypes.c_int32, 2)
        if operation == "skt_build_index" or getattr(a, "append_count", 0) > 0:
            fill(a.packed, 8, ctypes.c_int32, 77)
            fill(a.norms, 8, ctypes.c_int16, 78)


def fill(address, count, kind, value):
    if address is not None:
        (kind * count).from_address(address)[:] = [value] * count


@pytest.fixture
def writing(library, monkeypatch):
    """`library` of conftest has made the CPU count as a GPU."""
    made = Writing()
    for module in (_index, _launch, _paged_index):
        monkeypatch.setattr(module, "load", lambda *_: made)
    return made


def parts(device="cpu", heads=6):
    """q, the tensors of an index, no workspace, and lengths."""
    torch.manual_seed(1)
    index = recorded.parts(hyperplanes=recorded.PLANES.bfloat16().float())
    q, *index, lengths = (one.to(device) for one in (queries(2, heads, 64), *index.values(), int32(70, 128)))
    if device == "cuda":
        gpu.build_index(index[0], index[4], index[1], out=(index[2], index[3]))
    return [q, *index, None, lengths]


def paged():
    """The same sequences of two pages each, in pages of 64 keys."""
    q, _, _, _, _, planes, _, lengths = parts()
    pools = [torch.zeros(4, 3, 64, 64).bfloat16() for _ in "kv"]
    index = torch.zeros(4, 3, 1, 2, 64, dtype=torch.int32), torch.zeros(4, 3, 64).half()
    return [q, *pools, *index, planes, None, lengths, torch.arange(4, dtype=torch.int32).view(2, 2)]


def usable(device, request):
    if device == "cpu":
        return request.getfixturevalue("writing")
    try:
        return gpu.load()
    except gpu.Unavailable as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "named",
    [
        {},
        {"lists": "kv-head", "return_lists": True, "window": 4, "rule": "signed-projection", "append_norms": "key"},
        {"append_count": 2, "return_lists": True, "dense_up_to": 80},
    ],
    ids=["plain", "one-list", "append"],
)
def test_opcheck_of_the_step(device, named, request):
    usable(device, request)
    given = parts(device)
    torch.library.opcheck(ops.decode_step, given, {"budget": 10, **named}, test_utils=CHECKS)
    given[6] = ops.step_workspace(*given, budget=10, **named)
    torch.library.opcheck(ops.decode_step, given, {"budget": 10, **named}, test_utils=CHECKS)


@pytest.mark.parametrize("device", DEVICES)
def test_opcheck_of_lists_and_of_appending(device, request):
    usable(device, request)
    q, keys, values, packed, norms, planes, _, lengths = parts(device)
    torch.library.opcheck(ops.select, (q, packed, norms, planes, lengths), {"budget": 9, "sink": 1, "lists": "kv-head"})
    torch.library.opcheck(
        ops.append, (keys, values, packed, norms, planes, lengths), {"count": 2, "append_norms": "key"}
    )


def test_a_mutation_that_the_schema_hides_is_seen(writing):
    """What the tests above rest on."""
    hidden = torch.library.custom_op("socketlab_test::hidden", ops._decode_step, mutates_args=())
    hidden.register_fake(ops._fake_step)
    with pytest.raises(Exception, match="mutat"):
        torch.library.opcheck(hidden, parts(), {"budget": 10, "append_count": 1}, test_utils="test_schema")


def test_a_step_passes_all_it_was_given(writing):
    given = parts(heads=12)
    log_sums = torch.zeros(2, 12)
    made = ops.decode_step(
        *given, budget=10, sink=2, window=3, sparsity=5, rule="signed-projection", lists="kv-head", dense_up_to=64,
        append_count=1, append_norms="key", return_lists=True, log_sums=log_sums,
    )  # fmt: skip
    assert [list(tensor.shape) for tensor in made] == [[2, 12, 64], [2, 12], [2, 3, 15], [2, 3]]
    assert [str(tensor.dtype) for tensor in made] == ["torch.float32", "torch.float32", "torch.int32", "torch.int32"]
    known = _interface.constants()
    writing.saw(heads=12, kv_heads=3, used=128, budget=10, sink=2, window=3, sparsity=5, dense_up_to=64, append_count=1)
    writing.saw(rule=known["SIGNED_PROJECTION"], lists=known["LIST_OF_KV_HEAD"], scale=0.125, logit_scale=0.125)
    writing.saw(append_norms=known["APPEND_KEY_NORMS"], append_keys=None, lengths=given[7], log_sums=log_sums)
    writing.saw(output=made[0], log_sum_exp=made[1], selected=made[2], list_counts=made[3], workspace_bytes=2000)
    ops.decode_step(*given, budget=10)
    writing.saw(selected=None, list_counts=None, append_count=0)
    given[7] = None  # all keys of the capacity, the newest among them
    for count in (0, 3):
        ops.decode_step(*given, budget=10, append_count=count)
        writing.saw(used=128, lengths=None)


def test_a_step_and_appending_go_through_pages(writing):
    given = paged()
    output, _, selected, _ = ops.decode_step(*given, budget=10, return_lists=True, lists="kv-head")
    assert sizes(output, selected) == [(2, 6, 64), (2, 3, 10)]
    writing.saw(paged_index=1, page_size=64, blocks=2, pages=4, used=128)
    del given[6]
    for norms, normed in (("value", given[2]), ("key", given[1])):
        ops.append(*given[1:], count=2, append_norms=norms)
        writing.saw("skt_build_index", count=2, block_table=given[7], values=normed)


def test_lists_weigh_scores_as_logits(writing):
    q, _, _, packed, norms, planes, _, lengths = parts(heads=12)
    selected, counts = ops.select(
        q, packed, norms, planes, lengths, budget=9, sink=1, lists="kv-head", rule="signed-projection"
    )
    assert sizes(selected, counts) == [(2, 3, 10), (2, 3)]
    (_, _, halves), (_, _, scored), (_, _, chosen) = writing.calls
    # An estimated logit is norm sqrt(pi / 2) / bits times the sum of signs, of 35 bits; to base 2.
    weight = pytest.approx(math.sqrt(math.pi / 2) / 35 * math.log2(math.e))
    has(halves, scale=0.125)
    has(scored, weight_scale=weight, score_type=2, heads=12, kv_heads=3)
    has(chosen, score_type=2, heads=3, lengths=lengths)


def test_what_is_not_allowed_is_named(writing):
    given, wrong = parts(), {"budget": 1, "log_sums": torch.zeros(2, 3)}
    line = r"^log_sums: shape \[2, 3\]; allowed is \[2, 6\]"
    refused(ValueError, line, lambda: ops.decode_step(*given, **wrong))
    line = "^append_norms both: allowed are none, value, key$"
    refused(ValueError, line, lambda: ops.append(*given[1:6], given[7], append_norms="both"))
    assert not writing.calls


def test_the_example_of_the_page_runs(writing):
    """docs/gpu/engines.md, with fewer pages."""
    page = (pathlib.Path(__file__).parents[3] / "docs" / "gpu" / "engines.md").read_text(encoding="utf-8")
    section = page.split("## One complete example")[1].split("## ")[0]
    code = textwrap.dedent("\n".join(line for line in section.splitlines() if line.startswith("    ") or not line))
    names: dict = {}
    exec(code.replace('"cuda"', '"cpu"').replace(".cuda()", "").replace("= 4096,", "= 8,"), names)
    lengths, table = int32(300, 200), torch.arange(8, dtype=torch.int32).view(2, 4)
    names["prefilled"](lengths, table, 200)
    output, log_sums = names["decode"](torch.randn(2, 32, 128).bfloat16(), lengths, table)
    assert sizes(output, log_sums) == [(2, 32, 128), (2, 32)]
    assert [operation for operation, *_ in writing.calls] == ["skt_build_index", "skt_decode_step"]
    writing.saw(pages=8, page_size=128, used=512, append_count=1, dense_up_to=32768)


def test_compiled_code_calls_the_operators_in_order(writing):
    def token(q, keys, values, packed, norms, planes, workspace, lengths):
        ops.append(keys, values, packed, norms, planes, lengths)
        output, *_ = ops.decode_step(q, keys, values, packed, norms, planes, workspace, lengths, budget=8)
        return output * 2

    given = parts()
    compiled = torch.compile(token, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(*given), torch.full((2, 6, 64), 16.0))
    assert [operation for operation, *_ in writing.calls] == ["skt_build_index", "skt_decode_step"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
@pytest.mark.parametrize("lists", ["head", "kv-head"])
def test_on_a_gpu_lists_are_the_steps_and_a_graph_replays_them(lists):
    usable("cuda", None)
    q, keys, values, packed, norms, planes, _, lengths = parts("cuda")
    for rule in ("soft-collision", "signed-projection"):
        named = {"budget": 10, "sink": 2, "window": 3, "rule": rule, "lists": lists}
        step = functools.partial(ops.decode_step, return_lists=True, **named)
        expected = step(q, keys, values, packed, norms, planes, None, lengths)
        for one, other in zip(expected[2:], ops.select(q, packed, norms, planes, lengths, **named), strict=True):
            assert torch.equal(one, other)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = step(q, keys, values, packed, norms, planes, None, lengths)
        for _ in range(2):
            graph.replay()
        assert all(torch.equal(one, other) for one, other in zip(captured, expected, strict=True))
