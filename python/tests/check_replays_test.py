"""check.replays on the CPU: what repeats passes, and a difference is named by call, row and place."""

import importlib
import itertools
import types

import numpy as np
import pytest
from conftest import failure
from socketlab import check

CASE = check.selection_case("few-values", keys=300, budget=40)


def best(scores):
    return np.argsort(-scores, kind="stable")[:40]


def test_what_repeats_passes():
    report = check.replays(best, CASE, times=7)
    assert report == check.Report(6 * 40, 0.0)


def from_the_third_call_on(change):
    calls = itertools.count(1)

    def fn(scores):
        listed = np.stack([best(scores)] * 3)
        if next(calls) >= 3:
            change(listed)
        return listed

    return fn


def swap(listed):
    listed[1, [4, 9]] = listed[1, [9, 4]]


def another(listed):
    listed[2, 5] = 299


def test_another_order_and_another_set_are_told_apart():
    with pytest.raises(check.CheckFailure, match="call 3 gives the same in another order: at place 4 of 40") as raised:
        check.replays(from_the_third_call_on(swap), CASE)
    assert (raised.value.row, raised.value.key) == (1, 4)
    assert raised.value.replay.startswith('socketlab.check.replays(fn, socketlab.check.selection_case("few-values"')
    assert check.replays(from_the_third_call_on(swap), CASE, same="set").worst == 0
    for same in ("list", "set"):
        with pytest.raises(check.CheckFailure, match="call 3 gives something else") as raised:
            check.replays(from_the_third_call_on(another), CASE, same=same)
        assert raised.value.row == 2


def test_numbers_are_compared_by_their_bits():
    zeros = itertools.cycle([0.0, -0.0])
    with pytest.raises(check.CheckFailure, match="call 2, result 1, gives something else: at place 0 of 1"):
        check.replays(lambda scores: (np.ones(3), np.full((2, 1), next(zeros))), CASE)
    nan = np.full(5, np.nan, np.float32)
    assert check.replays(lambda scores: nan, CASE, times=3).compared == 10


def test_a_scoring_case_is_handed_over_whole():
    case = check.scoring_case("operation=score-packed,keys=40,heads=2")
    report = check.replays(lambda given: given.norms * given.codes.sum(axis=1), case, times=2)
    assert report.compared == 40
    own = check.replays(lambda a, b: a + b, (np.arange(3.0), np.ones(3)), times=4)
    assert own.compared == 9


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"times": 0}, "times 0: allowed are 1 and more"),
        ({"same": "bag"}, "same bag: allowed are list, set"),
        ({"graph": "maybe"}, "graph maybe: allowed are auto, always, never"),
        ({"graph": "always"}, "graph always: the results are no CUDA tensors of PyTorch"),
    ],
)
def test_refusals_are_one_line(options, line):
    with pytest.raises(ValueError, match=f"^{line}$"):
        check.replays(best, CASE, **options)


def test_results_of_another_shape_are_a_failure():
    lengths = itertools.count(3)
    with pytest.raises(check.CheckFailure, match="call 2 has results of other shapes"):
        check.replays(lambda scores: np.zeros(next(lengths)), CASE)


UNWRITTEN = -99


class Graph:
    """What a CUDA graph does, by hand: a replay runs the captured work again and writes where it wrote."""

    def __init__(self, work, results):
        self.work, self.results = work, results

    def replay(self):
        for result, again in zip(self.results, self.work(), strict=True):
            written = again != UNWRITTEN
            result[written] = again[written]


@pytest.fixture
def graphs(monkeypatch):
    """replays() with graphs on the CPU; while one is captured or replayed, the list that is given holds True."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    inside = []

    def captured(_torch, fn, arguments):
        def work():
            inside.append(True)
            result = fn(*arguments)
            inside.pop()
            return result if isinstance(result, tuple) else (result,)

        results = work()
        return Graph(work, results), results

    replays_module = importlib.import_module("socketlab.check._replays")
    quiet = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: None))
    monkeypatch.setattr(replays_module, "_captured", captured)
    monkeypatch.setattr(replays_module, "_is_cuda", lambda thing: isinstance(thing, torch.Tensor))
    monkeypatch.setattr(replays_module, "torch_or_none", lambda: quiet)
    return inside


def largest(torch, scores):
    return torch.topk(scores, 5).indices, scores.sum(1)


SCORES = np.where(np.arange(3)[:, None] == 1, np.arange(50, dtype=np.float32), np.float32(1))


def test_a_graph_that_reads_its_inputs_passes(graphs):
    import torch

    given = torch.from_numpy(SCORES.copy())
    report = check.replays(lambda scores: largest(torch, scores), (given,), times=9, graph="always")
    assert report.compared == (8 + 9) * (3 * 5 + 3)
    assert np.array_equal(given.numpy(), SCORES)  # put back


def test_a_buffer_filled_while_the_graph_was_captured_is_stale(graphs):
    import torch

    kept = torch.empty(3, 50)

    def staged(scores):
        if not graphs:
            kept.copy_(scores)
        return torch.sort(kept, stable=True, descending=True).indices[:, :5]

    raised = failure(lambda: check.replays(staged, (torch.from_numpy(SCORES.copy()),)))
    assert raised.row == 1  # the others are constant
    assert "of a graph" in str(raised)


def test_a_place_that_a_replay_does_not_write_is_seen(graphs):
    import torch

    calls_inside = itertools.count()

    def partly(scores):
        ones = torch.ones(3, 5)
        if graphs and next(calls_inside) > 0:  # the capture itself finds what an earlier call left there
            ones[2, 4] = UNWRITTEN
        return ones

    with pytest.raises(check.CheckFailure, match="replay 1 of a graph gives something else: at place 4 of 5"):
        check.replays(partly, (torch.from_numpy(SCORES.copy()),))


def test_a_number_of_times_that_is_none_is_one_line():
    for times in ("x", 1.5):
        with pytest.raises(TypeError, match=f"^times is {times!r}: allowed is a whole number$"):
            check.replays(lambda scores: scores, check.selection_case("rising", keys=9, budget=2), times=times)
