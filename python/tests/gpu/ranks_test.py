"""socketlab.gpu's functions of several ranks on CPU tensors with a library that only writes down its arguments."""

import pytest
import socketlab as sl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def counts_of(batch=2, heads=6):
    """Counts, those of the last digit, and marks of up to 128 keys."""
    return (
        torch.zeros(2, batch, heads, 2048, dtype=torch.int32),
        torch.zeros(batch, heads, 2048, dtype=torch.int32),
        torch.zeros(batch, heads, 4, 2, dtype=torch.int32),
    )


def test_the_functions_of_a_rank_pass_addresses_and_sizes(library):
    scores, (counts, last, marks) = torch.zeros(2, 6, 128), counts_of()
    lengths = torch.tensor([300, 5], dtype=torch.int32)
    run = {"first": 200, "keys": 100, "used": 500, "budget": 9, "sink": 2, "window": 3, "sparsity": 33}
    written = sl.gpu.count_shard(scores, counts, last, marks, digit=1, lengths=lengths, **run, library=library)
    args = library.last
    assert written.data_ptr() == counts[1].data_ptr()
    assert (args.scores, args.counts, args.last_counts) == (scores.data_ptr(), counts.data_ptr(), last.data_ptr())
    assert (args.digit, args.batch, args.heads, args.capacity) == (1, 2, 6, 128)
    assert (args.first, args.keys, args.used) == (200, 100, 500)
    assert (args.budget, args.sink, args.window, args.sparsity) == (9, 2, 3, 33)
    assert args.lengths == lengths.data_ptr()
    assert args.marks == marks.data_ptr()
    assert sl.gpu.count_shard(scores, counts, last, marks, digit=2, **run, library=library) is last
    gathered = torch.zeros(3, 2, 6, 2048, dtype=torch.int32)
    selected, list_counts = sl.gpu.select_shard(scores, counts, gathered, marks, rank=1, **run, library=library)
    args = library.last
    assert args.marks == marks.data_ptr()
    assert (selected.shape, list_counts.shape) == ((2, 6, 14), (2, 6))
    assert (args.rank, args.ranks, args.last_counts, args.keys) == (1, 3, gathered.data_ptr(), 100)
    assert (args.selected, args.list_counts) == (selected.data_ptr(), list_counts.data_ptr())
    cache, q = torch.zeros(2, 3, 128, 64), torch.zeros(2, 6, 64)
    space = torch.zeros(2000, dtype=torch.uint8)
    part = sl.gpu.attention_part(q, cache, cache, selected, list_counts, workspace=space, library=library)
    args = library.last
    assert (part.shape, args.part, args.output) == ((2, 6, 66), part.data_ptr(), None)
    assert (args.workspace, args.workspace_bytes, args.list) == (space.data_ptr(), 2000, 14)
    output, logs = sl.gpu.merge_parts(torch.zeros(3, 2, 6, 66), library=library)
    args = library.last
    assert (output.shape, logs.shape, args.ranks, args.dim) == ((2, 6, 64), (2, 6), 3, 64)
    assert (args.batch, args.heads) == (2, 6)


def test_counts_of_another_shape_are_refused(library):
    scores, (counts, last, marks) = torch.zeros(2, 6, 128), counts_of()
    run = {"first": 0, "used": 128, "budget": 9, "library": library}
    with pytest.raises(ValueError, match=r"^counts: shape \[2, 2, 5, 2048\]; allowed is \[2, 2, 6, 2048\]$"):
        sl.gpu.count_shard(scores, counts_of(heads=5)[0], last, marks, digit=0, **run)
    with pytest.raises(ValueError, match="^last_counts: shape"):
        sl.gpu.select_shard(scores, counts, last, marks, rank=0, **run)
    with pytest.raises(ValueError, match=r"^marks: shape \[2, 6, 3, 2\]; allowed is \[2, 6, 4, 2\]$"):
        sl.gpu.select_shard(scores, counts, last, marks[:, :, :3].contiguous(), rank=0, **run)
    with pytest.raises(TypeError, match="^counts: float32"):
        sl.gpu.count_shard(scores, counts.float(), last, marks, digit=0, **run)


@pytest.mark.parametrize("counted", [None, {}, {"first": 0, "used": 128, "sink": 2}])
def test_counts_need_to_know_the_run_and_its_ends(library, counted):
    tables, codes = (
        torch.zeros(2, 6, 4, 32),
        torch.zeros(2, 3, 2, 1, 64, dtype=torch.int32),
    )  # 4 codes of 8 bits: a word
    norms, counts = torch.zeros(2, 3, 128).half(), torch.zeros(2, 6, 2048, dtype=torch.int32)
    with pytest.raises(
        ValueError, match="^counted: allowed with counts are first, used, sink and window, all of them$"
    ):
        sl.gpu.score_packed(tables, codes, norms, planes=8, counts=counts, counted=counted, library=library)
    assert library.calls == []
    whole = {"first": 0, "used": 128, "sink": 2, "window": 3}
    sl.gpu.score_packed(tables, codes, norms, planes=8, counts=counts, counted=whole, library=library)
    assert (library.last.counts, library.last.whole, library.last.window) == (counts.data_ptr(), 128, 3)


def scaled_parts():
    """q bf16, a cache of e4m3, lists, scratch memory and the scales of the cache."""
    q, cache = torch.zeros(2, 6, 64).bfloat16(), torch.zeros(2, 3, 128, 64).to(torch.float8_e4m3fn)
    lists = torch.zeros(2, 6, 14, dtype=torch.int32), torch.zeros(2, 6, dtype=torch.int32)
    scales = {"key_scales": torch.ones(3), "value_scales": torch.ones(3) * 2}
    return q, cache, lists, torch.zeros(2000, dtype=torch.uint8), scales


def test_a_part_of_fp8_has_its_scales(library):
    q, cache, lists, space, scales = scaled_parts()
    sl.gpu.attention_part(q, cache, cache, *lists, workspace=space, **scales, library=library)
    args = library.last
    assert (args.cache_form, args.type) == (1, 2)
    assert (args.key_scales, args.value_scales) == tuple(tensor.data_ptr() for tensor in scales.values())


def index_of(library, used=100, batch=2):
    cache = [torch.zeros(batch, 3, 128, 64).bfloat16() for _ in range(2)]
    return sl.gpu.Index(*cache, used=used, tables=4, planes=8, library=library)


def step_of(library, index, **more):
    """Of rank 1 of 3, from position 200 of 500; what it exchanges stands among the calls, from its first call on."""
    settings = {"heads": 6, "rank": 1, "ranks": 3, "first": 200, "used": 500, "budget": 9, "sink": 2, "window": 3}
    settings |= {
        "all_reduce_sum": lambda tensor: library.calls.append(("sum", None, tensor)),
        "all_gather": lambda everywhere, own: library.calls.append(("gather", None, (everywhere, own))),
    }
    step = sl.gpu.ShardedStep(index, **(settings | more))
    library.calls.clear()
    return step


def named(library, operation):
    return [arguments for name, _, arguments in library.calls if name == operation]


STAGES = [
    "skt_soft_buckets", "skt_score_packed", "sum", "skt_count_shard", "sum", "skt_count_shard", "gather",
    "skt_select_shard", "skt_sparse_attention", "gather", "skt_merge_parts",
]  # fmt: skip


def test_a_sharded_step_calls_the_stages_with_the_exchanges_between(library):
    step = step_of(library, index_of(library), keys=120)
    lengths = torch.tensor([300, 5], dtype=torch.int32)
    output, logs = step(torch.zeros(2, 6, 64).bfloat16(), lengths=lengths)
    assert [name for name, *_ in library.calls] == STAGES
    given = [argument for *_, argument in library.calls]
    own = step.own_lengths(lengths)
    assert own.tolist() == [100, 0] and (given[1].lengths, given[1].used) == (own.data_ptr(), 120)
    assert [given[at].digit for at in (3, 5)] == [1, 2]
    assert given[0].counts == given[1].counts == step.counts.data_ptr()  # the first digit, counted with the scores
    assert (given[1].first, given[1].whole, given[1].sink, given[1].window) == (200, 500, 2, 3)
    assert {given[at].marks for at in (3, 5, 7)} == {step.marks.data_ptr()}
    assert [given[at].data_ptr() for at in (2, 4)] == [step.counts[0].data_ptr(), step.counts[1].data_ptr()]
    assert (given[6][0] is step.all_last_counts, given[6][1] is step.last_counts) == (True, True)
    assert (given[3].keys, given[3].first, given[3].used, given[7].rank, given[7].ranks) == (120, 200, 500, 1, 3)
    assert (given[3].lengths, given[7].lengths, given[7].keys) == (lengths.data_ptr(), lengths.data_ptr(), 120)
    assert (given[8].part, given[8].selected) == (step.part.data_ptr(), step.selected.data_ptr())
    assert (output is step.output, logs is step.log_sum_exp, output.shape) == (True, True, (2, 6, 64))


def test_without_lengths_a_step_has_the_keys_that_the_host_counts(library):
    index = index_of(library)
    step, q = step_of(library, index, keys=101), torch.zeros(2, 6, 64).bfloat16()
    token = torch.zeros(2, 3, 1, 64).bfloat16()
    index.append(token, token)
    step(q)
    assert [arguments.keys for arguments in named(library, "skt_count_shard")] == [101] * 2
    assert named(library, "skt_score_packed")[-1].lengths is None
    index.append(token, token)
    library.calls.clear()
    with pytest.raises(ValueError, match="^used of the index 102: allowed are 0 to 101, the keys of the run$"):
        step(q)
    assert library.calls == []


def test_lengths_need_the_room_of_the_run(library):
    step, q = step_of(library, index_of(library)), torch.zeros(2, 6, 64).bfloat16()
    lengths = torch.tensor([300, 5], dtype=torch.int32)
    line = r"^lengths: keys= of ShardedStep is missing; allowed with lengths is the room of the rank's run$"
    for call in (lambda: step(q, lengths=lengths), lambda: step.own_lengths(lengths)):
        with pytest.raises(ValueError, match=line):
            call()
    assert library.calls == []
    with pytest.raises(ValueError, match="^keys 129: allowed are 0 to 128, the capacity of the index$"):
        step_of(library, index_of(library), keys=129)


def test_a_rank_that_begins_empty_scores_what_it_is_given(library):
    step = step_of(library, index_of(library, used=0), keys=100)
    step(torch.zeros(2, 6, 64).bfloat16(), lengths=torch.tensor([300, 210], dtype=torch.int32))
    assert {arguments.keys for arguments in named(library, "skt_count_shard")} == {100}
    assert {arguments.used for arguments in named(library, "skt_score_packed")} == {100}


@pytest.mark.parametrize("count", [1, 3])
def test_tokens_appended_on_ranks_are_each_in_the_run_of_one(library, count):
    """Runs of 128, 30 and 100 keys; the second has room behind its run. Token t holds t + 1, exact in bf16 to 256."""
    rooms, firsts, total = (128, 30, 100), (0, 128, 158), 258 - 6
    indices = [index_of(library, used=0) for _ in rooms]
    steps = [
        step_of(library, index, rank=r, first=first, used=258, keys=room)
        for r, (index, first, room) in enumerate(zip(indices, firsts, rooms, strict=True))
    ]
    for end in range(count, total + 1, count):
        new = torch.arange(end - count, end).float() + 1
        token = new[None, None, :, None].expand(2, 3, count, 64).contiguous().bfloat16()
        lengths = torch.tensor([end, 0], dtype=torch.int32)  # the second sequence waits for a prompt
        for step in steps:
            step.index.append(token, -token, lengths=step.own_lengths(lengths))
    held = torch.cat([index.keys[:, :, :room] for index, room in zip(indices, rooms, strict=True)], dim=2)
    expected = torch.zeros(258)
    expected[:total] = torch.arange(total) + 1
    assert torch.equal(held[0], expected.bfloat16()[None, :, None].expand(3, 258, 64))
    assert not held[1].any()
    assert torch.equal(indices[0].values[0], -indices[0].keys[0])


def test_a_step_over_fp8_has_the_scales_and_queries_of_any_type(library):
    q, cache, _, _, scales = scaled_parts()
    made = index_of(library)
    index = sl.gpu.Index.of_parts(cache, cache, made.packed, made.norms, made.hyperplanes, **scales, library=library)
    step = step_of(library, index)
    for queries in (q, q.float(), q.half()):
        step(queries)
    attended = named(library, "skt_sparse_attention")
    assert [arguments.type for arguments in attended] == [2, 0, 1]
    for arguments in attended:
        assert (arguments.key_scales, arguments.value_scales) == tuple(tensor.data_ptr() for tensor in scales.values())


def test_scales_of_projections_and_logits_are_passed(library):
    step, q = step_of(library, index_of(library)), torch.zeros(2, 6, 64).bfloat16()
    step(q, scale=0.25, logit_scale=0.5, temperature=2.0)
    buckets, attended = named(library, "skt_soft_buckets")[0], named(library, "skt_sparse_attention")[0]
    assert (buckets.scale, buckets.temperature, attended.logit_scale) == (0.25, 2.0, 0.5)
    step(q)
    assert named(library, "skt_soft_buckets")[-1].scale == 0.125  # 1 / sqrt(64)


BEHIND_AN_EXCHANGE = ["skt_count_shard", "skt_select_shard", "skt_sparse_attention", "skt_merge_parts"]


@pytest.mark.parametrize("operation", BEHIND_AN_EXCHANGE)
def test_a_stage_behind_an_exchange_is_refused_when_the_step_is_made(library, operation):
    index = index_of(library)
    library.refuses[operation] = f"{operation}: keys do not fit"
    with pytest.raises(ValueError, match=f"^{operation}: keys do not fit$"):
        step_of(library, index)


@pytest.mark.parametrize("operation", ["skt_soft_buckets", "skt_score_packed"])
def test_a_stage_before_the_exchanges_is_refused_before_them(library, operation):
    step = step_of(library, index_of(library))
    library.refuses[operation] = f"{operation}: tables do not fit"
    with pytest.raises(ValueError, match=f"^{operation}: tables do not fit$"):
        step(torch.zeros(2, 6, 64).bfloat16())
    assert not {"sum", "gather"} & {name for name, *_ in library.calls}


def test_a_trial_is_of_the_whole_room_and_of_no_keys(library):
    index, calls = index_of(library, used=0), []
    library.launch = lambda operation, _, arguments: calls.append((operation, arguments))
    step_of(library, index, keys=100)
    assert [name for name, _ in calls] == [name for name in STAGES if name in BEHIND_AN_EXCHANGE]
    assert [(arguments.keys, arguments.used) for _, arguments in calls[:3]] == [(100, 0)] * 3


def test_a_rank_without_keys_launches_what_the_others_launch(library):
    """Of no keys the library scores nothing, and would not say that tables do not fit."""
    step_of(library, index_of(library, used=0))(torch.zeros(2, 6, 64).bfloat16())
    (scored,) = named(library, "skt_score_packed")
    assert (scored.used, scored.counts) == (1, None)  # a score that must not be counted
    assert [arguments.keys for arguments in named(library, "skt_count_shard")] == [0] * 2


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"q": torch.zeros(2, 6, 64)}, r"^q: float32 \[2, 6, 64\]; allowed is bfloat16$"),
        ({"q": torch.zeros(2, 3, 64).bfloat16()}, r"^q: shape \[2, 3, 64\]; allowed is \[2, 6, 64\]$"),
        ({"logit_scale": 0.0}, r"^logit_scale 0\.0: allowed are numbers above 0 of float32$"),
        ({"logit_scale": 1e-60}, r"^logit_scale 1e-60: allowed"),
        ({"mask": torch.ones(2, 100).bool()}, r"^mask: shape \[2, 100\]; allowed is \[2, 128\]$"),
        ({"lengths": torch.zeros(3, dtype=torch.int32)}, r"^lengths: shape \[3\]; allowed is \[2\]$"),
    ],
)
def test_a_call_is_refused_before_the_first_exchange(library, changed, line):
    step = step_of(library, index_of(library), keys=100)
    with pytest.raises((TypeError, ValueError), match=line):
        step(**({"q": torch.zeros(2, 6, 64).bfloat16()} | changed))
    assert not {"sum", "gather"} & {name for name, *_ in library.calls}


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"rank": 3}, "^rank 3: allowed are 0 to 2, of 3 ranks$"),
        ({"ranks": 1025}, "^ranks 1025: allowed are 1 to 1024$"),
        ({"first": -1}, "^first -1: allowed are 0 to 2147483547$"),
        ({"used": -1}, "^used -1: allowed are 0 to 2147483647$"),
    ],
)
def test_runs_that_cannot_be_are_refused(library, changed, line):
    with pytest.raises(ValueError, match=line):
        step_of(library, index_of(library), **changed)
