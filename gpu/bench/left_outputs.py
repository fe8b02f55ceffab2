"""What does a timed graph leave? For benchmarks that check their outputs after the last repetition, and not only before the first."""

import math

import torch
from graph_timing import repeated


def timed_and_left(calls):
    """Microseconds of a call, and what each of `calls`, which returns a tuple of tensors, leaves.

    Outputs are filled with NaN and -7 behind the last repetition, and the same graph is replayed: what it does not write shows.
    """
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = [call() for call in calls]
    times = repeated(graph.replay, len(calls))
    for tensor in (tensor for output in outputs for tensor in output):
        tensor.fill_(math.nan if tensor.is_floating_point() else -7)
    graph.replay()
    torch.cuda.synchronize()
    left = [tuple(tensor.clone() for tensor in output) for output in outputs]
    return times, left
