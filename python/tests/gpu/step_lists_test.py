"""Lists of kv heads, sequences that are attended to whole and steps that append, by socketlab.gpu on CPU tensors with a
library that only writes down its arguments."""

import math

import pytest
import socketlab as sl
from recorded import an_index, cache, queries

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_a_step_hands_out_the_lists_of_kv_heads(library):
    q, log_sums = queries(), torch.zeros(2, 6)
    settings = {"budget": 10, "sink": 2, "window": 3, "rule": "signed-projection", "lists": "kv-head"}
    output, lse, selected, counts = sl.gpu.decode_step(
        q, an_index(library), **settings, log_sums=log_sums, return_lse=True, return_lists=True
    )
    args = library.last
    assert (args.lists, args.log_sums, args.dense_up_to) == (1, log_sums.data_ptr(), 0)
    assert (args.selected, args.list_counts) == (selected.data_ptr(), counts.data_ptr())
    assert (args.output, args.log_sum_exp) == (output.data_ptr(), lse.data_ptr())
    assert (selected.shape, counts.shape, selected.dtype, counts.dtype) == (
        (2, 3, 15),
        (2, 3),
        torch.int32,
        torch.int32,
    )
    given = torch.empty(2, 6, 64), selected, counts
    again = sl.gpu.decode_step(q, an_index(library), **settings, return_lists=True, out=given)
    assert all(one is other for one, other in zip(again, given, strict=True))
    assert library.last.log_sums is None and library.last.log_sum_exp is None


def test_lists_of_heads_and_of_query_rows_have_their_shapes(library):
    index = an_index(library)
    _, selected, counts = sl.gpu.decode_step(queries(), index, budget=10, return_lists=True)
    assert (selected.shape, counts.shape, library.last.lists) == ((2, 6, 10), (2, 6), 0)
    _, selected, counts = sl.gpu.decode_step(queries(2, 4, 6, 64), index, budget=10, lists="kv-head", return_lists=True)
    assert (selected.shape, counts.shape, library.last.query_rows) == ((2, 4, 3, 10), (2, 4, 3), 4)
    sl.gpu.decode_step(queries(), index, budget=10)
    assert (library.last.selected, library.last.list_counts) == (None, None)


def test_a_step_like_the_last_keeps_its_lists_and_has_its_own_log_sums(library):
    index, q = an_index(library), queries()
    settings = {"budget": 10, "lists": "kv-head", "rule": "signed-projection", "dense_up_to": 50}
    for _ in range(2):
        log_sums = torch.zeros(2, 6)
        sl.gpu.decode_step(q, index, **settings, log_sums=log_sums)
        args = library.last
        assert (args.lists, args.rule, args.dense_up_to, args.log_sums) == (1, 1, 50, log_sums.data_ptr())
    sl.gpu.decode_step(q, index, budget=10)
    assert (library.last.lists, library.last.dense_up_to, library.last.log_sums) == (0, 0, None)


@pytest.mark.parametrize(
    ("change", "kind", "line"),
    [
        ({"lists": "row"}, ValueError, "^lists row: allowed are head, kv-head$"),
        ({"log_sums": torch.zeros(2, 3)}, ValueError, r"^log_sums: shape \[2, 3\]; allowed is \[2, 6\]$"),
        ({"log_sums": torch.zeros(2, 6).half()}, TypeError, "^log_sums: float16"),
        (
            {"return_lists": True, "out": torch.zeros(2, 6, 64)},
            TypeError,
            "allowed with return_lists is three tensors$",
        ),
        (
            {"return_lists": True, "return_lse": True, "out": (torch.zeros(2, 6, 64),)},
            TypeError,
            "^out: tuple of 1; allowed with return_lists and return_lse is four tensors$",
        ),
        (
            {
                "return_lists": True,
                "out": (torch.zeros(2, 6, 64), torch.zeros(2, 6, 10).int(), torch.zeros(2, 3).int()),
            },
            ValueError,
            r"^out\[1\]: shape \[2, 6, 10\]; allowed is \[2, 3, 10\]$",
        ),
        ({"append": sl.gpu.Append(norms="query")}, ValueError, "^norms query: allowed are none, value, key$"),
        (
            {"append": sl.gpu.Append(2, keys=cache(keys=1))},
            ValueError,
            r"^keys: shape \[2, 3, 1, 64\]; allowed is \[2, 3, 2, 64\]$",
        ),
        ({"append": sl.gpu.Append(1, keys=cache(keys=1).half())}, TypeError, "^keys: float16"),
    ],
)
def test_what_a_step_cannot_take_is_refused_in_one_line(library, change, kind, line):
    index, q = an_index(library, used=100), queries()
    for _ in range(2):  # what was refused once is not forgotten
        with pytest.raises(kind, match=line):
            sl.gpu.decode_step(q, index, **({"budget": 10, "lists": "kv-head"} | change))
    assert index.used == 100


def test_a_step_that_appends_raises_the_used_keys_and_with_lengths_does_not(library):
    index, q = an_index(library, used=100), queries()
    sl.gpu.decode_step(q, index, budget=10, append=sl.gpu.Append(3))
    args = library.last
    assert (args.append_count, args.append_norms, args.append_keys, args.append_values) == (3, 1, None, None)
    assert (args.used, index.used) == (103, 103)
    k, v = cache(keys=1), cache(keys=1)
    sl.gpu.decode_step(q, index, budget=10, append=sl.gpu.Append(keys=k, values=v, norms="key"))
    args = library.last
    assert (args.append_count, args.append_norms) == (1, 2)
    assert (args.append_keys, args.append_values) == (k.data_ptr(), v.data_ptr())
    assert index.used == 104
    lengths = torch.tensor([5, 9], dtype=torch.int32)
    for _ in range(2):  # the second is like the first
        sl.gpu.decode_step(q, index, budget=10, lengths=lengths, append=sl.gpu.Append(norms="none"))
        args = library.last
        assert (args.append_count, args.append_norms, args.used, args.lengths) == (1, 0, 128, lengths.data_ptr())
    assert index.used == 104
    sl.gpu.decode_step(q, index, budget=10)
    assert (library.last.append_count, library.last.used) == (0, 104)


def test_a_step_that_is_refused_appends_nothing(library):
    index = an_index(library, used=128)
    library.refuses["skt_decode_step"] = "used is 129: allowed is 0 to 128"
    with pytest.raises(ValueError, match="^used is 129"):
        sl.gpu.decode_step(queries(), index, budget=10, append=sl.gpu.Append())
    assert index.used == 128


def test_scores_and_attention_of_one_list_for_a_kv_head(library):
    tables, codes = torch.zeros(2, 6, 4, 32), torch.zeros(2, 3, 2, 1, 64, dtype=torch.int32)
    norms, log_sums = torch.zeros(2, 3, 128).half(), torch.zeros(2, 6)
    scores = sl.gpu.score_packed(tables, codes, norms, planes=8, lists="kv-head", log_sums=log_sums, library=library)
    args = library.last
    assert (scores.shape, args.lists, args.log_sums, args.heads) == ((2, 3, 128), 1, log_sums.data_ptr(), 6)
    assert args.weight_scale == pytest.approx(math.sqrt(math.pi / 2) / math.log(2) / 32, rel=1e-6)  # of 4 * 8 bits
    counts, counted = torch.zeros(2, 3, 2048, dtype=torch.int32), {"first": 0, "used": 128, "sink": 2, "window": 3}
    sl.gpu.score_packed(
        tables, codes, norms, planes=8, lists="kv-head", weight_scale=3, counts=counts, counted=counted, library=library
    )
    assert (library.last.weight_scale, library.last.counts) == (3, counts.data_ptr())
    selected, list_counts = sl.gpu.select_keys(scores, budget=9, dense_up_to=7, library=library)
    assert (selected.shape, library.last.heads, library.last.dense_up_to) == ((2, 3, 9), 3, 7)
    lengths = torch.zeros(2, dtype=torch.int32)
    more = {"lists": "kv-head", "lengths": lengths, "used": 99, "dense_up_to": 7}
    sl.gpu.sparse_attention(queries(), cache(), cache(), selected, list_counts, **more, library=library)
    args = library.last
    assert (args.lists, args.lengths, args.used, args.dense_up_to, args.list) == (1, lengths.data_ptr(), 99, 7, 9)
    with pytest.raises(ValueError, match=r"^selected: shape \[2, 3, 9\]; allowed is \[2, 6, any\]$"):
        sl.gpu.sparse_attention(queries(), cache(), cache(), selected, list_counts, library=library)


def test_ranks_share_lists_by_log_sums(library):
    index = an_index(library, used=100)
    step = sl.gpu.ShardedStep(
        index,
        heads=6,
        rank=1,
        ranks=3,
        first=200,
        used=500,
        budget=9,
        lists="kv-head",
        all_reduce_sum=lambda tensor: None,
        all_gather=lambda everywhere, own: None,
    )
    assert (step.counts.shape, step.selected.shape, step.part.shape) == ((2, 2, 3, 2048), (2, 3, 9), (2, 6, 66))
    with pytest.raises(ValueError, match="^log_sums: missing"):
        step(queries(), rule="signed-projection")
    log_sums = torch.zeros(2, 6)
    step.counts[0] = 5
    library.calls.clear()
    step(queries(), rule="signed-projection", log_sums=log_sums, scale=0.5)
    of = {operation: arguments for operation, _, arguments in library.calls}
    assert of["skt_soft_buckets"].counts is None and int(step.counts[0].sum()) == 0
    scored = of["skt_score_packed"]
    assert (scored.lists, scored.log_sums, scored.counts) == (1, log_sums.data_ptr(), step.counts.data_ptr())
    # Of 48 bits; logits are scaled by 1/8 and scores by 1/2.
    assert scored.weight_scale == pytest.approx(math.sqrt(math.pi / 2) / math.log(2) / 48 / 4, rel=1e-6)
    assert (of["skt_count_shard"].heads, of["skt_select_shard"].heads, of["skt_merge_parts"].heads) == (3, 3, 6)
    assert of["skt_sparse_attention"].lists == 1
    step(queries())  # by the other rule without
