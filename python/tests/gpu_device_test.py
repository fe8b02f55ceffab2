"""socketlab.gpu on a GPU: every stage and the step against socketlab.check, in graphs and on streams.

Skipped without PyTorch, a GPU or the library.
"""

import itertools

import pytest
from conftest import least, torch_with_library
from socketlab import check, gpu

torch = torch_with_library()

TILE = 64


def in_tiles(array, dim):
    """With whole tiles of 64 keys along `dim`, counted from the end; the places behind hold NaN or 0."""
    short = -array.shape[dim] % TILE
    empty = float("nan") if array.is_floating_point() else 0
    shape = list(array.shape)
    shape[dim] = short
    return torch.cat([array, torch.full(shape, empty, dtype=array.dtype, device=array.device)], dim).contiguous()


def stages_of(case):
    """Output, selected keys and the parts of an index, stage by stage."""
    keys, values = in_tiles(case.keys, 2), in_tiles(case.values, 2)
    used, planes = case.keys.shape[2], case.planes
    # Of 16 planes the codes are two by two those of twice the tables of 8, which hash_keys does not give in one.
    codes = gpu.hash_keys(keys, case.hyperplanes) if planes < 16 else in_tiles(case.codes, 3)
    packed, norms = gpu.pack_codes(codes, planes=planes), gpu.value_norms(values)
    halves = gpu.soft_buckets(case.queries, case.hyperplanes, temperature=case.temperature)
    mask = in_tiles(case.allowed, 2)
    scores = gpu.score_packed(halves, packed, norms, planes=planes, used=used, mask=mask)
    budget = {"budget": case.budget, "sink": case.sink, "window": case.window}
    selected, counts = gpu.select_keys(scores, used=used, **budget)
    output, _ = gpu.sparse_attention(case.queries, keys, values, selected, counts)
    return output, selected, (keys, values, packed, norms, mask)


def step_of(case):
    _, _, (keys, values, packed, norms, mask) = stages_of(case)
    index = gpu.Index.of_parts(keys, values, packed, norms, case.hyperplanes, used=case.keys.shape[2])
    budget = {"budget": case.budget, "sink": case.sink, "window": case.window}
    return gpu.decode_step(case.queries, index, temperature=case.temperature, mask=mask, **budget)


def test_stages_and_step_pass_the_quick_grid():
    worst = 0.0
    for case in check.decode_cases("quick", most_keys=2000):
        report = check.decode_step(lambda given: stages_of(given)[:2], case=case, device="cuda")
        worst = max(worst, report.worst)
        placed = case.on("cuda")
        step, stages = step_of(placed), stages_of(placed)[0]
        assert torch.equal(step.nan_to_num(nan=7.0), stages.nan_to_num(nan=7.0)), case.text
    assert 0 < worst <= 1


@pytest.mark.parametrize("heads", [2, 8])
@pytest.mark.parametrize("inputs", ["gaussian", "ties", "needle"])
def test_packed_scores_pass(heads, inputs):
    def scores(given):
        tables, codes, norms = given.tables, given.codes, given.norms
        packed = gpu.pack_codes(in_tiles(codes[None], 3), planes=10)
        rows = tables[None]
        return gpu.score_packed(rows, packed, in_tiles(norms[None].half(), 2), planes=10)[:, :, : norms.shape[1]]

    case = f"operation=score-packed,inputs={inputs},heads={heads},kv_heads=2,keys=1000,tables=60,planes=10"
    assert check.scores(scores, case=case, device="cuda").compared == 1000 * heads


def test_published_scores_pass():
    def scores(given):
        tables, codes, norms = given.tables, given.codes, given.norms
        of_buckets, of_keys = tables[None], in_tiles(codes[None], 3)
        found = gpu.score_buckets(of_buckets, of_keys, in_tiles(norms[None].half(), 2), planes=7)
        return found[:, :, : norms.shape[1]]

    case = "operation=score-buckets,heads=4,kv_heads=2,keys=1000,tables=30,planes=7"
    assert check.scores(scores, case=case, device="cuda").compared == 4000


@pytest.mark.parametrize("case", list(check.selection_cases()), ids=lambda case: case.name)
def test_the_selection_keeps_its_contract_and_repeats(case):
    def select(scores):
        out = (
            torch.empty(1, case.budget, dtype=torch.int32, device="cuda"),
            torch.empty(1, dtype=torch.int32, device="cuda"),
        )
        return gpu.select_keys(scores[None], budget=case.budget, out=out)[0]

    check.selection(case, select, device="cuda", contract="lower-index")
    assert check.replays(select, case, device="cuda", graph="always").compared == 49 * case.budget


def whole_numbers(*shape):
    """Of 16 bits exactly, and sums of their products of float32: two ways to hash must agree in every bit."""
    return torch.randint(-2, 3, shape, device="cuda").bfloat16()


def index_arguments(keys=640):
    torch.manual_seed(1)
    planes = torch.randint(-2, 3, (12, 9, 64), device="cuda").float()
    return whole_numbers(2, 3, keys, 64), whole_numbers(2, 3, keys, 64), {"hyperplanes": planes}


def index_and_query():
    keys, values, options = index_arguments()
    return gpu.Index(keys, values, **options), torch.randn(2, 6, 64, device="cuda").bfloat16()


def test_a_step_in_a_graph_repeats_and_allocates_nothing():
    index, q = index_and_query()
    budget = {"budget": 50, "sink": 4, "window": 8}
    out, workspace = torch.empty(2, 6, 64, device="cuda"), gpu.decode_workspace(q, index, **budget)

    def step(given):
        return gpu.decode_step(given, index, out=out, workspace=workspace, **budget)

    assert check.replays(step, (q,), graph="always").compared == 49 * out.numel()
    allocated = []
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        before = torch.cuda.memory_stats()["allocation.all.allocated"]
        step(q)
        allocated.append(torch.cuda.memory_stats()["allocation.all.allocated"] - before)
        with pytest.raises(ValueError, match="^out: missing; while a stream is captured"):
            gpu.decode_step(q, index, workspace=workspace, **budget)
        with pytest.raises(ValueError, match="^workspace: missing; while a stream is captured"):
            gpu.decode_step(q, index, out=out, **budget)
    assert allocated == [0]


def test_a_stream_of_its_own_gives_the_same():
    index, q = index_and_query()
    expected = gpu.decode_step(q, index, budget=50)
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in range(3)]
    outputs = [gpu.decode_step(q, index, budget=50, stream=streams[turn % 3]) for turn in range(30)]
    by_handle = gpu.decode_step(q, index, budget=50, stream=streams[0].cuda_stream)
    torch.cuda.synchronize()
    assert all(torch.equal(output, expected) for output in (*outputs, by_handle))


def test_a_library_that_is_missing_is_named_beside_a_gpu(monkeypatch):
    monkeypatch.setenv("SOCKETLAB_GPU_LIBRARY", "/nowhere/libsocketlab_gpu.so")
    with pytest.raises(gpu.Unavailable, match="no library at /nowhere/libsocketlab_gpu.so: build one with"):
        gpu.select_keys(torch.zeros(2, 64, device="cuda"), budget=3)


def test_a_step_like_the_one_before_costs_less_than_half_of_one_that_is_checked(monkeypatch):
    index, q = index_and_query()
    out = torch.empty(2, 6, 64, device="cuda")
    given = {"out": out, "workspace": gpu.decode_workspace(q, index, budget=51)}
    monkeypatch.setattr(index.library, "launch", lambda *_: None)
    # In turns with another of the same index a step is checked anew each time, which no decoding does.
    budgets = itertools.cycle((50, 51))
    anew = least(lambda: gpu.decode_step(q, index, budget=next(budgets), **given))
    assert least(lambda: gpu.decode_step(q, index, budget=50, **given)) < min(anew / 2, 60e-6)
