"""socketlab.gpu's functions of several ranks on CPU tensors with a library that only writes down its arguments."""

import contextlib

import pytest
import socketlab as sl
from socketlab.gpu import _interface, _tensors

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


class Recorded(_interface.Library):
    """Takes every call; its scratch memory is 1,000 bytes for each of the batch."""

    def __init__(self):
        self.calls = []

    def launch(self, operation, stream, arguments):
        self.calls.append((operation, arguments))

    def needed_bytes(self, operation, arguments):
        return 1000 * arguments.batch

    @property
    def last(self):
        return self.calls[-1][1]


@pytest.fixture
def library(monkeypatch):
    """The library, where the CPU counts as a GPU."""

    @contextlib.contextmanager
    def launching(_torch, _tensor, stream):
        yield 77 if stream is None else stream

    monkeypatch.setattr(_tensors, "DEVICE", "cpu")
    for module in ("_prefill", "_query", "_attention", "_index", "_ranks"):
        monkeypatch.setattr(getattr(sl.gpu, module), "launching", launching)
    return Recorded()


def counts_of(batch=2, heads=6):
    return (
        torch.zeros(2, batch, heads, 2048, dtype=torch.int32),
        torch.zeros(batch, heads, 1024, dtype=torch.int32),
    )


def test_the_functions_of_a_rank_pass_addresses_and_sizes(library):
    scores, (counts, last) = torch.zeros(2, 6, 128), counts_of()
    lengths = torch.tensor([300, 5], dtype=torch.int32)
    run = {"first": 200, "keys": 100, "used": 500, "budget": 9, "sink": 2, "window": 3, "sparsity": 33}
    written = sl.gpu.count_shard(scores, counts, last, digit=1, lengths=lengths, **run, library=library)
    args = library.last
    assert written.data_ptr() == counts[1].data_ptr()
    assert (args.scores, args.counts, args.last_counts) == (scores.data_ptr(), counts.data_ptr(), last.data_ptr())
    assert (args.digit, args.rows, args.capacity, args.first, args.keys, args.used) == (1, 12, 128, 200, 100, 500)
    assert (args.budget, args.sink, args.window, args.sparsity) == (9, 2, 3, 33)
    assert (args.lengths, args.rows_per_length) == (lengths.data_ptr(), 6)
    assert sl.gpu.count_shard(scores, counts, last, digit=2, **run, library=library) is last
    gathered = torch.zeros(3, 2, 6, 1024, dtype=torch.int32)
    selected, list_counts = sl.gpu.select_shard(scores, counts, gathered, rank=1, **run, library=library)
    args = library.last
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
    assert (output.shape, logs.shape, args.ranks, args.rows, args.dim) == ((2, 6, 64), (2, 6), 3, 12, 64)


def test_counts_of_another_shape_are_refused(library):
    scores, (counts, last) = torch.zeros(2, 6, 128), counts_of()
    run = {"first": 0, "used": 128, "budget": 9, "library": library}
    with pytest.raises(ValueError, match=r"^counts: shape \[2, 2, 5, 2048\]; allowed is \[2, 2, 6, 2048\]$"):
        sl.gpu.count_shard(scores, counts_of(heads=5)[0], last, digit=0, **run)
    with pytest.raises(ValueError, match="^last_counts: shape"):
        sl.gpu.select_shard(scores, counts, last, rank=0, **run)
    with pytest.raises(TypeError, match="^counts: float32"):
        sl.gpu.count_shard(scores, counts.float(), last, digit=0, **run)


def test_a_sharded_step_calls_the_stages_with_the_exchanges_between(library):
    index = sl.gpu.Index(torch.zeros(2, 3, 128, 64).bfloat16(), torch.zeros(2, 3, 128, 64).bfloat16(), used=100,
                         tables=4, planes=8, library=library)  # fmt: skip
    library.calls.clear()

    def all_reduce_sum(tensor):
        library.calls.append(("sum", tensor))

    def all_gather(everywhere, own):
        library.calls.append(("gather", (everywhere, own)))

    step = sl.gpu.ShardedStep(index, heads=6, rank=1, ranks=3, first=200, used=500, budget=9, sink=2, window=3,
                              all_reduce_sum=all_reduce_sum, all_gather=all_gather)  # fmt: skip
    lengths = torch.tensor([300, 5], dtype=torch.int32)
    output, logs = step(torch.zeros(2, 6, 64).bfloat16(), lengths=lengths)
    names = [name for name, _ in library.calls]
    assert names == [
        "skt_soft_buckets",
        "skt_score_packed",
        "skt_count_shard",
        "sum",
        "skt_count_shard",
        "sum",
        "skt_count_shard",
        "gather",
        "skt_select_shard",
        "skt_sparse_attention",
        "gather",
        "skt_merge_parts",
    ]
    given = [argument for _, argument in library.calls]
    assert step.own_lengths.tolist() == [100, -195] and given[1].lengths == step.own_lengths.data_ptr()
    assert [given[at].digit for at in (2, 4, 6)] == [0, 1, 2]
    assert [given[at].data_ptr() for at in (3, 5)] == [step.counts[0].data_ptr(), step.counts[1].data_ptr()]
    assert (given[7][0] is step.all_last_counts, given[7][1] is step.last_counts) == (True, True)
    assert (given[2].keys, given[2].first, given[2].used, given[8].rank, given[8].ranks) == (100, 200, 500, 1, 3)
    assert (given[9].part, given[9].selected) == (step.part.data_ptr(), step.selected.data_ptr())
    assert (output is step.output, logs is step.log_sum_exp, output.shape) == (True, True, (2, 6, 64))


def test_a_rank_that_is_none_is_refused(library):
    index = sl.gpu.Index(torch.zeros(1, 3, 64, 64).half(), torch.zeros(1, 3, 64, 64).half(), library=library)
    with pytest.raises(ValueError, match="^rank 3: allowed are 0 to 2, of 3 ranks$"):
        sl.gpu.ShardedStep(index, heads=6, rank=3, ranks=3, first=0, used=64, budget=9, all_reduce_sum=print,
                           all_gather=print)  # fmt: skip
