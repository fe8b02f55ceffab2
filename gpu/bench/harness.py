"""What do the benchmarks of this folder share? One way to time a call, to draw inputs, to attend densely and to write a record.

Times are of the device: calls captured in a CUDA graph, one on each of several sets of inputs, and the graph replayed: the
method of gpu/bench/timed_graph.hpp. Kernels are called by the Python package's half for GPUs, straight from the sources: it
needs nothing compiled but the library.
"""

import argparse
import csv
import ctypes
import itertools
import math
import shlex
import statistics
import sys
from pathlib import Path

import needs
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "socketlab"))
import gpu  # noqa: E402  without socketlab itself, which has a compiled core

del sys.path[0]

# --- the setting of most benchmarks ---------------------------------------------------------------------------------

HEADS, DIM, TABLES, PLANES = 32, 128, 60, 10
SINK, WINDOW, SPARSITY = 128, 128, 33
KEYS = 145408
LENGTHS = [8192, 18432, 36864, 73728, KEYS, 294912, 589824, 1048576]
SCALE = 1 / math.sqrt(DIM)
# Of the two rules of a step: form of the query's tables, and tables and planes of about as many bits a key.
RULES = {"soft-collision": ("half-tables", TABLES, PLANES), "signed-projection": ("half-sums", 76, 8)}
PAST_CACHE_BYTES = 512 << 20  # of all sets together: the L2 of an H200 has 60 MB


def selection(keys):
    """The arguments of a step over so many keys that say what it selects."""
    return {"budget": keys // SPARSITY, "sink": SINK, "window": WINDOW}


def sets_beyond_l2(bytes_of_one, least=1, most=8):
    return max(least, min(most, PAST_CACHE_BYTES // bytes_of_one + 1))


# --- times ----------------------------------------------------------------------------------------------------------

WARM_UPS, REPETITIONS = 5, 25
WARM_UP_US = 20000  # at least, as in timed_graph.hpp


def graph_of(call, sets):
    """A graph of call(*set) for each set, which ran once before, and what the calls returned."""
    torch.cuda.synchronize()  # another stream follows, and memory it is given may still be in use on this one
    with torch.cuda.stream(torch.cuda.Stream()):
        for inputs in sets:
            call(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = [call(*inputs) for inputs in sets]
    return graph, outputs


def captured(call, sets):
    """Replays call(*set) for each set."""
    graph, outputs = graph_of(call, sets)

    def replay(_kept=(call, sets, outputs)):  # a graph reads and writes where its capture did
        graph.replay()

    return replay


def timed(call, sets):
    """Microseconds of one call(*set), each repetition's mean over the sets."""
    return timed_in_turn([captured(call, sets)], len(sets))[0]


def timed_eager(call, sets):
    """The same launched from the host each time, with the host in it."""
    return timed_in_turn([lambda: [call(*inputs) for inputs in sets]], len(sets))[0]


def timed_in_turn(runs, sets, prepare=lambda number: None):
    """Of each run, a repetition of all one after the other: what disturbs the device disturbs all.

    prepare(number of the run) comes before each, untimed.
    """
    times, warmed_us = [], 0.0
    while len(times) < WARM_UPS + REPETITIONS:
        taken = [(prepare(number), microseconds_of(run))[1] for number, run in enumerate(runs)]
        if warmed_us >= WARM_UP_US:
            times.append([us / sets for us in taken])
        warmed_us += sum(taken)
    return [list(of_run) for of_run in zip(*times[WARM_UPS:], strict=True)]


def timed_and_left(calls):
    """Microseconds of a call, and what each of `calls`, which returns a tuple of tensors, leaves.

    Outputs are filled with NaN and -7 behind the last repetition, and the same graph is replayed: what it does not write shows.
    """
    graph, outputs = graph_of(lambda call: call(), [(call,) for call in calls])
    (times,) = timed_in_turn([graph.replay], len(calls))
    for tensor in itertools.chain(*outputs):
        tensor.fill_(math.nan if tensor.is_floating_point() else -7)
    graph.replay()
    torch.cuda.synchronize()
    return times, [tuple(tensor.clone() for tensor in output) for output in outputs]


def microseconds_of(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end)


def keep_in_l2(megabytes):
    """How much of L2 may hold what is marked to stay, scores above all (skt_score_packed); of this process."""
    torch.cuda.synchronize()
    driver, persisting_l2_cache_size = ctypes.CDLL("libcuda.so.1"), 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE
    driver.cuCtxResetPersistingL2Cache()
    code = driver.cuCtxSetLimit(persisting_l2_cache_size, ctypes.c_size_t(megabytes << 20))
    if code != 0:
        raise ValueError(f"cuCtxSetLimit of {megabytes} MB of L2: CUresult {code}")


# --- inputs ---------------------------------------------------------------------------------------------------------


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, device="cuda", dtype=dtype)


def drawn_cache(kv_heads, keys, batch=1):
    """Keys and values [batch, kv_heads, keys, 128], bf16."""
    return [normal(batch, kv_heads, keys, DIM) for _ in "kv"]


def drawn_hyperplanes(tables=TABLES, planes=PLANES):
    return normal(tables, planes, DIM, dtype=torch.float32).bfloat16().float()


class Steps:
    """decode_step of one query on each of several indexes, as a graph captures them: all write `output`, [1, heads, 128] or
    with several query rows [1, rows, heads, 128], and each has a workspace of its own unless one is given."""

    def __init__(self, q, indexes, output=None, workspace=None, log_sum_exp=None, **named):
        self.q, self.named = q, named
        self.output = torch.empty(q.shape, device="cuda") if output is None else output
        self.out = self.output if log_sum_exp is None else (self.output, log_sum_exp)
        sizes = {name: named[name] for name in ("budget", "sink", "window", "lists", "dense_up_to") if name in named}
        self.sets = [
            (index, gpu.decode_workspace(q, index, **sizes) if workspace is None else workspace) for index in indexes
        ]

    def __call__(self, index, workspace):
        lse = isinstance(self.out, tuple)
        return gpu.decode_step(self.q, index, out=self.out, workspace=workspace, return_lse=lse, **self.named)

    def run(self):
        """The first of them, outside of a graph."""
        self(*self.sets[0])
        return self.output

    def captured(self):
        return captured(self, self.sets)


def scores_of(q, index, rule="soft-collision", temperature=0.5, **more):
    """Of q [1, heads, 128] for all keys, as a step selects by them, [1, heads, keys]."""
    form, library = RULES[rule][0], index.library
    tables = gpu.soft_buckets(q, index.hyperplanes, form=form, temperature=temperature, library=library)
    return gpu.score_packed(tables, index.packed, index.norms, planes=index.planes, rule=rule, library=library, **more)


def differing_rows(got, expected):
    """How many rows of (outputs [.., dim], log-sum-exps [..]) have other bits."""
    bits = [one.view(torch.int32) != other.view(torch.int32) for one, other in zip(got, expected, strict=True)]
    return (bits[0].any(-1) | bits[1]).sum()


# --- dense attention ------------------------------------------------------------------------------------------------

BACKENDS = {
    "dense-flash": SDPBackend.FLASH_ATTENTION,
    "dense-cudnn": SDPBackend.CUDNN_ATTENTION,
    "dense-memory-efficient": SDPBackend.EFFICIENT_ATTENTION,
}
FAST_BACKENDS = ("dense-flash", "dense-cudnn")  # the other takes 10 times as long at one query row


def attend(backend, q, k, v):
    """q [batch, heads, 1, dim], k and v [batch, kv_heads, keys, dim]; by the name of a backend."""
    with sdpa_kernel(BACKENDS[backend]):
        return scaled_dot_product_attention(q, k, v, enable_gqa=q.shape[1] != k.shape[1])


# --- command line and record ----------------------------------------------------------------------------------------


def parser(doc, library=True, keys=None, kv_heads=None):
    """Of a benchmark: its library, lists of lengths and of KV heads where it takes them, seed and record."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if library:
        made.add_argument("library", help="libsocketlab_gpu.so")
    if keys:
        made.add_argument("--keys", type=int, nargs="+", default=keys)
    if kv_heads:
        made.add_argument("--kv-heads", type=int, nargs="+", default=kv_heads, help="divisors of the query heads")
    made.add_argument("--seed", type=int, default=1, help="default 1")
    made.add_argument("--out", help="the rows as CSV; default: standard output")
    return made


def spread(times):
    """Cells of a row: median, ends and number of times."""
    if not times:
        return {"repetitions": 0}
    ends = {"median_us": statistics.median(times), "fastest_us": min(times), "slowest_us": max(times)}
    return {name: f"{us:.2f}" for name, us in ends.items()} | {"repetitions": len(times)}


class Record:
    """Rows of a table: on standard output as they come, or in a file, which is written once all are there."""

    def __init__(self, columns, out=None):
        self.columns, self.out, self.rows = columns, None if out == "-" else out, [columns]
        if self.out is None:
            self._write(sys.stdout, self.rows)

    def add(self, times=None, **cells):
        """`times` become the cells of spread(); a column that is not named stays empty."""
        cells |= {} if times is None else spread(times)
        if unknown := cells.keys() - set(self.columns):
            raise TypeError(f"no column {', '.join(sorted(unknown))}")
        self.rows.append([cells.get(name, "") for name in self.columns])
        if self.out is None:
            self._write(sys.stdout, self.rows[-1:])

    def save(self):
        if self.out is not None:
            with open(self.out, "w", newline="", encoding="utf-8") as file:
                self._write(file, self.rows)

    @staticmethod
    def _write(file, rows):
        csv.writer(file, lineterminator="\n").writerows(rows)
        file.flush()


def run(measure, options, columns):
    """measure(options, record) where there is a GPU; options.library then is the library. What measure returns is what was wrong:
    exit code 1 if it is true. What the library refuses is one line and exit code 2."""
    needs.gpu()
    torch.manual_seed(options.seed)
    try:
        heads, kv_heads = getattr(options, "heads", HEADS), getattr(options, "kv_heads", [1])
        for number in kv_heads if isinstance(kv_heads, list) else [kv_heads]:
            if number < 1 or heads % number:
                raise ValueError(f"--kv-heads {number}: allowed are divisors of {heads}, the query heads")
        if hasattr(options, "library"):
            options.library = gpu.load(options.library)
        record = Record(columns, options.out)
        wrong = measure(options, record)
    except (gpu.Unavailable, ValueError) as error:
        print(f"refused: {error}", file=sys.stderr)
        sys.exit(2)
    record.save()
    sys.exit(1 if wrong else 0)


def command_line():
    """Of the script that runs, every path by its last name: a record is not to name folders of one machine."""
    script, *arguments = sys.argv
    return shlex.join(
        ["python3", f"gpu/bench/{Path(script).name}", *(Path(a).name if "/" in a else a for a in arguments)]
    )
