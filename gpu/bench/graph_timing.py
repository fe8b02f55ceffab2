"""How long does one call take on the device? Captured in a CUDA graph of one call for each input set, and replayed: the
method of gpu/bench/timed_graph.hpp. Or launched from the host each time, one call after the other.
"""

import torch

WARM_UPS, REPETITIONS = 5, 25
WARM_UP_US = 20000  # at least, as in timed_graph.hpp


def timed(call, sets):
    """Microseconds of one call(*set), each repetition's mean over the sets."""

    def run_all():
        return [call(*inputs) for inputs in sets]

    torch.cuda.synchronize()  # another stream follows, and memory it is given may still be in use on this one
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        run_all()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = run_all()  # kept: a graph writes where its capture did
    times = repeated(graph.replay, len(sets))
    del outputs
    return times


def timed_eager(call, sets):
    """The same with the host in it."""
    return repeated(lambda: [call(*inputs) for inputs in sets], len(sets))


def repeated(run_all, sets):
    times, warmed_us = [], 0.0
    while len(times) < WARM_UPS + REPETITIONS:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run_all()
        end.record()
        end.synchronize()
        us = 1e3 * begin.elapsed_time(end)
        if warmed_us >= WARM_UP_US:
            times.append(us / sets)
        warmed_us += us
    return times[WARM_UPS:]
