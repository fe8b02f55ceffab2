"""How long does one call take on the device? Captured in a CUDA graph of one call for each input set, and replayed: the
method of gpu/bench/timed_graph.hpp. Or launched from the host each time, one call after the other.
"""

import torch

WARM_UPS, REPETITIONS = 5, 25
WARM_UP_US = 20000  # at least, as in timed_graph.hpp


def captured(call, sets):
    """Replays call(*set) for each set, which ran once before."""

    def run_all():
        return [call(*inputs) for inputs in sets]

    torch.cuda.synchronize()  # another stream follows, and memory it is given may still be in use on this one
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        run_all()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = run_all()

    def replay(_kept=(call, sets, outputs)):  # a graph reads and writes where its capture did
        graph.replay()

    return replay


def timed(call, sets):
    """Microseconds of one call(*set), each repetition's mean over the sets."""
    return repeated(captured(call, sets), len(sets))


def timed_eager(call, sets):
    """The same with the host in it."""
    return repeated(lambda: [call(*inputs) for inputs in sets], len(sets))


def repeated(run_all, sets):
    return timed_in_turn([run_all], sets)[0]


def timed_in_turn(runs, sets):
    """Of each run, a repetition of all one after the other: what disturbs the device disturbs all."""
    times, warmed_us = [], 0.0
    while len(times) < WARM_UPS + REPETITIONS:
        taken = [microseconds_of(run) for run in runs]
        if warmed_us >= WARM_UP_US:
            times.append([us / sets for us in taken])
        warmed_us += sum(taken)
    return [list(of_run) for of_run in zip(*times[WARM_UPS:], strict=True)]


def microseconds_of(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end)
