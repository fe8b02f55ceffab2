"""socketlab.gpu's functions of several ranks on CPU tensors with a library that only writes down its arguments."""

import math

import pytest
import socketlab as sl
from conftest import refused
from recorded import an_index, by, has, int32, parts_of_bytes, queries, sizes, torch

SCORES = torch.zeros(2, 6, 128)
COUNTS, LAST = torch.zeros(2, 2, 6, 2048, dtype=torch.int32), torch.zeros(2, 6, 2048, dtype=torch.int32)
MARKS = torch.zeros(2, 6, 4, 2, dtype=torch.int32)  # of up to 128 keys
WHOLE = {"first": 0, "used": 128, "budget": 9}


def test_the_functions_of_a_rank_have_what_is_usual_and_make_what_they_write(library):
    """What a whole step gives them is below."""
    sl.gpu.count_shard(SCORES, COUNTS, LAST, MARKS, digit=0, **WHOLE, library=library)
    library.saw(digit=0, keys=128, lengths=None, sink=0, window=0, sparsity=0)
    lists = sl.gpu.select_shard(SCORES, COUNTS, LAST[None], MARKS, rank=0, **WHOLE, library=library)
    library.saw(selected=lists[0], list_counts=lists[1], keys=128, lengths=None, sink=0, window=0, sparsity=0)
    space, cache = torch.zeros(1500, dtype=torch.uint8), torch.zeros(2, 3, 128, 64)
    part = sl.gpu.attention_part(torch.zeros(2, 6, 64), cache, cache, *lists, workspace=space, library=library)
    library.saw(part=part, workspace=space, workspace_bytes=1500, list=9, cache_form=0, type=0, logit_scale=0.125)
    merged = sl.gpu.merge_parts(part[None], library=library)
    library.saw(parts=part, output=merged[0], log_sum_exp=merged[1], ranks=1)
    assert sizes(*lists, part, *merged) == [(2, 6, 9), (2, 6), (2, 6, 66), (2, 6, 64), (2, 6)]


@pytest.mark.parametrize(
    ("call", "kind", "line"),
    [
        (by(sl.gpu.count_shard, SCORES, COUNTS[:, :, :5].contiguous(), LAST, MARKS, digit=0, **WHOLE), ValueError,
         r"^counts: shape \[2, 2, 5, 2048\]; allowed is \[2, 2, 6, 2048\]$"),
        (by(sl.gpu.count_shard, SCORES, COUNTS.float(), LAST, MARKS, digit=0, **WHOLE), TypeError, "^counts: float32"),
        (by(sl.gpu.select_shard, SCORES, COUNTS, LAST, MARKS, rank=0, **WHOLE), ValueError, "^last_counts: shape"),
        (by(sl.gpu.select_shard, SCORES, COUNTS, LAST, MARKS[:, :, :3].contiguous(), rank=0, **WHOLE), ValueError,
         r"^marks: shape \[2, 6, 3, 2\]; allowed is \[2, 6, 4, 2\]$"),
    ],
)  # fmt: skip
def test_counts_of_another_shape_are_refused(library, call, kind, line):
    refused(kind, line, lambda: call(library))


def step_of(library, index=None, **more):
    """Of rank 1 of 3, from position 200 of 500; what it exchanges stands among the calls, from its first call on."""
    settings = {"heads": 6, "rank": 1, "ranks": 3, "first": 200, "used": 500, "budget": 9}
    settings |= {
        "all_reduce_sum": lambda tensor: library.calls.append(("sum", None, tensor)),
        "all_gather": lambda everywhere, own: library.calls.append(("gather", None, (everywhere, own))),
    }
    step = sl.gpu.ShardedStep(index or an_index(library, used=100), **(settings | more))
    library.calls.clear()
    return step


def called(library):
    return [name for name, *_ in library.calls]


STAGES = [
    "skt_soft_buckets", "skt_score_packed", "sum", "skt_count_shard", "sum", "skt_count_shard", "gather",
    "skt_select_shard", "skt_sparse_attention", "gather", "skt_merge_parts",
]  # fmt: skip
BEHIND_AN_EXCHANGE = ["skt_count_shard", "skt_select_shard", "skt_sparse_attention", "skt_merge_parts"]


def test_a_sharded_step_calls_the_stages_with_the_exchanges_between(library):
    step, lengths, q = step_of(library, keys=120, sink=2, window=3, sparsity=33), int32(400, 5), queries()
    output, logs = step(q, lengths=lengths, scale=0.25, logit_scale=0.5, temperature=2.0)
    assert called(library) == STAGES
    buckets, scored, first, second, summed, third, gathered, chosen, attended, parts, merged = (
        argument for *_, argument in library.calls
    )
    own = step.own_lengths(lengths)
    assert own.tolist() == [200, 0]  # not clamped to the room: no token is then written over another
    has(buckets, queries=q, counts=step.counts, scale=0.25, temperature=2.0, form=1)
    has(scored, lengths=own, used=120, counts=step.counts, first=200, whole=500, sink=2, window=3, rule=0)
    assert first.data_ptr() == step.counts[0].data_ptr()  # the first digit, counted with the scores
    assert summed.data_ptr() == step.counts[1].data_ptr()
    run = {"keys": 120, "first": 200, "used": 500, "budget": 9, "lengths": lengths}
    run |= {"sink": 2, "window": 3, "sparsity": 33, "scores": step.scores, "counts": step.counts, "marks": step.marks}
    run |= {"batch": 2, "heads": 6, "capacity": 128}
    for digit, counted in ((1, second), (2, third)):
        has(counted, digit=digit, last_counts=step.last_counts, **run)
    assert gathered[0] is step.all_last_counts and gathered[1] is step.last_counts
    has(chosen, rank=1, ranks=3, last_counts=step.all_last_counts, selected=step.selected, **run)
    has(chosen, list_counts=step.list_counts)
    has(attended, queries=q, part=step.part, selected=step.selected, counts=step.list_counts, logit_scale=0.5, lists=0)
    has(attended, output=None, workspace=step.workspace, workspace_bytes=2000)
    assert parts[0] is step.parts and parts[1] is step.part
    has(merged, parts=step.parts, output=output, log_sum_exp=logs, ranks=3, batch=2, heads=6, dim=64)
    assert output is step.output and logs is step.log_sum_exp and output.shape == (2, 6, 64)
    step(q, lengths=lengths)
    assert library.of("skt_soft_buckets")[-1].scale == library.of("skt_sparse_attention")[-1].logit_scale == 0.125


@pytest.mark.parametrize(
    ("held", "room", "lengths", "counted", "scored"),
    [
        (100, 101, None, 100, 100),
        (0, 100, int32(300, 210), 100, 100),
        (0, None, None, 0, 1),  # of no keys the library would not say that tables do not fit
    ],
)
def test_a_step_counts_and_scores_the_keys_of_its_run(library, held, room, lengths, counted, scored):
    step = step_of(library, an_index(library, used=held), keys=room)
    step(queries(), lengths=lengths)
    for arguments in library.of("skt_count_shard"):
        has(arguments, keys=counted, sink=0, window=0, sparsity=0)
    own = None if lengths is None else step.own_lengths(lengths)
    has(library.of("skt_score_packed")[0], used=scored, lengths=own, counts=step.counts if counted else None)


def test_tokens_appended_on_ranks_are_each_in_the_run_of_one(library):
    """The second rank has room behind its run. Token t holds t, exact in bf16 to 256."""
    runs = {0: 128, 128: 30, 158: 100}  # from a position on, so many keys
    steps = [
        step_of(library, an_index(library, used=0), rank=rank, first=first, used=258, keys=keys)
        for rank, (first, keys) in enumerate(runs.items())
    ]
    for end in range(2, 252, 3):
        token = torch.arange(end - 2, end + 1)[:, None].expand(2, 3, 3, 64).contiguous().bfloat16()
        for step in steps:
            step.index.append(token, token, lengths=step.own_lengths(int32(end + 1, 0)))
    held = [step.index.keys[0, 0, :keys, 0] for step, keys in zip(steps, runs.values(), strict=True)]
    assert torch.cat(held)[:252].tolist() == list(range(252))


def test_a_step_over_fp8_has_the_scales_and_queries_of_any_type(library):
    scales = {"key_scales": torch.ones(3), "value_scales": torch.ones(3) * 2}
    step = step_of(library, sl.gpu.Index.of_parts(**parts_of_bytes(), **scales, library=library))
    for dtype, code in ((torch.bfloat16, 2), (torch.float32, 0), (torch.float16, 1)):
        step(queries().to(dtype))
        has(library.of("skt_sparse_attention")[-1], type=code, cache_form=1, **scales)


def test_ranks_share_lists_by_log_sums(library):
    step, log_sums = step_of(library, lists="kv-head"), torch.zeros(2, 6)
    assert sizes(step.counts, step.selected, step.part) == [(2, 2, 3, 2048), (2, 3, 9), (2, 6, 66)]
    step.counts[0] = 5
    step(queries(), rule="signed-projection", log_sums=log_sums, scale=0.5)
    of = {operation: arguments for operation, _, arguments in library.calls}
    has(of["skt_soft_buckets"], counts=None, form=2)
    assert int(step.counts[0].sum()) == 0
    # Of 48 bits; logits are scaled by 1/8 and scores by 1/2.
    weight = pytest.approx(math.sqrt(math.pi / 2) / math.log(2) / 48 / 4, rel=1e-6)
    has(of["skt_score_packed"], lists=1, rule=1, log_sums=log_sums, counts=step.counts, weight_scale=weight)
    assert [of[name].heads for name in ("skt_count_shard", "skt_select_shard", "skt_merge_parts")] == [3, 3, 6]
    assert of["skt_sparse_attention"].lists == 1
    step(queries())  # by the other rule without


@pytest.mark.parametrize("operation", BEHIND_AN_EXCHANGE)
def test_a_stage_behind_an_exchange_is_refused_when_the_step_is_made(library, operation):
    library.refuses[operation] = f"{operation}: keys do not fit"
    refused(ValueError, f"^{operation}: keys do not fit$", lambda: step_of(library))


@pytest.mark.parametrize("operation", ["skt_soft_buckets", "skt_score_packed"])
def test_a_stage_before_the_exchanges_is_refused_before_them(library, operation):
    step = step_of(library)
    library.refuses[operation] = f"{operation}: tables do not fit"
    refused(ValueError, f"^{operation}: tables do not fit$", lambda: step(queries()))
    assert not {"sum", "gather"} & set(called(library))


def test_a_trial_is_of_the_whole_room_and_of_no_keys(library):
    index = an_index(library, used=0)
    library.calls = type("Kept", (list,), {"clear": lambda _: None})()
    step_of(library, index, keys=100)
    assert called(library) == [name for name in STAGES if name in BEHIND_AN_EXCHANGE]
    assert [(arguments.keys, arguments.used) for *_, arguments in library.calls[:3]] == [(100, 0)] * 3


@pytest.mark.parametrize(
    ("made", "changed", "line"),
    [
        ({}, {"q": torch.zeros(2, 6, 64)}, r"^q: float32 \[2, 6, 64\]; allowed is bfloat16$"),
        ({}, {"q": queries(2, 3, 64)}, r"^q: shape \[2, 3, 64\]; allowed is \[2, 6, 64\]$"),
        ({}, {"logit_scale": 0.0}, r"^logit_scale 0\.0: allowed are numbers above 0 of float32$"),
        ({}, {"logit_scale": 1e-60}, r"^logit_scale 1e-60: allowed"),
        ({}, {"mask": torch.ones(2, 100).bool()}, r"^mask: shape \[2, 100\]; allowed is \[2, 128\]$"),
        ({"keys": 100}, {"lengths": int32(0, 0, 0)}, r"^lengths: shape \[3\]; allowed is \[2\]$"),
        ({}, {"lengths": int32(0, 0)},
         "^lengths: keys= of ShardedStep is missing; allowed with lengths is the room of the rank's run$"),
        ({"keys": 99}, {}, "^used of the index 100: allowed are 0 to 99, the keys of the run$"),
        ({"lists": "kv-head"}, {"rule": "signed-projection"}, "^log_sums: missing"),
    ],
)  # fmt: skip
def test_a_call_is_refused_before_the_first_exchange(library, made, changed, line):
    step = step_of(library, **made)
    refused((TypeError, ValueError), line, lambda: step(**({"q": queries()} | changed)))
    assert not {"sum", "gather"} & set(called(library))


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"rank": 3}, "^rank 3: allowed are 0 to 2, of 3 ranks$"),
        ({"ranks": 1025}, "^ranks 1025: allowed are 1 to 1024$"),
        ({"first": -1}, "^first -1: allowed are 0 to 2147483547$"),
        ({"used": -1}, "^used -1: allowed are 0 to 2147483647$"),
        ({"keys": 129}, "^keys 129: allowed are 0 to 128, the capacity of the index$"),
    ],
)
def test_runs_that_cannot_be_are_refused(library, changed, line):
    refused(ValueError, line, lambda: step_of(library, **changed))
