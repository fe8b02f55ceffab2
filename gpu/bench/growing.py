"""Does one captured graph append and step at every length, and what does it cost that lengths are on the device?

    python3 gpu/bench/growing.py build/gpu/libsocketlab_gpu.so [--only growing ragged long] [--out growing.csv]

Needs PyTorch and a GPU.

growing: four sequences grow by a token a step, from 1, 63, 5,000 and 20,000 tokens, by 10,000 replays of one graph. It adds one
to the lengths on the device, copies key and value of the new token to their places, writes its index there and takes the decode
step. After each replay a step outside of graphs is told the length of each sequence by the host, over an index built in one
piece, and the bits of outputs and log-sum-exps are compared on the device: nothing is waited for until the end. Then the grown
index is compared with the other.

ragged: the step of 64 sequences with lengths drawn from 1 to 32,768, beside 64 equal ones with as many tokens in all, by
lengths on the device and by the host's number, and beside 64 with the most. long: one sequence of 145,408 tokens with the
length on the device and without. Graphs of both kinds are replayed in turn, so that what else runs on the GPU hits both.

Three options are of growing alone. --in-step: the step itself writes the index of the new token. --lists kv-head: one list for
the heads of a kv head. --signed: ranked by the signed projection on 40 tables of 8 planes. --plant shows that the comparison
sees a fault: late-length, the step finds the lengths one short; late-index, the index of a token is written a step late. Exit 1
where anything differs, so also with a fault.
"""

import math
import sys
from statistics import median

import harness
import torch
from harness import (
    DIM,
    HEADS,
    KEYS,
    SINK,
    SPARSITY,
    WINDOW,
    Steps,
    captured,
    drawn_hyperplanes,
    gpu,
    normal,
    timed_in_turn,
)

SIGNED = (40, 8)  # tables and planes
STARTS, GROWING_CAPACITY = (1, 63, 5000, 20000), 32768
QUERIES = 64  # drawn once and used in turn
RAGGED_BATCH, RAGGED_CAPACITY = 64, 32768
COPIES = 2  # of everything a long step reads, used in turn: the L2 holds none of it
PLANTS = ("late-length", "late-index")
COLUMNS = (
    *("measurement", "variant", "lengths", "batch", "heads", "kv_heads", "capacity", "tokens", "longest"),
    *("tables", "planes", "sparsity", "sink", "window", "median_us", "fastest_us", "slowest_us", "repetitions"),
    *("against", "ratio", "steps", "compared", "mismatches"),
)


def drawn_index(library, batch, kv_heads, capacity, hyperplanes):
    keys, values = (torch.empty(batch, kv_heads, capacity, DIM, device="cuda", dtype=torch.bfloat16) for _ in "kv")
    for part in (keys, values):
        for sequence in part:
            sequence.normal_()
    return gpu.Index(keys, values, hyperplanes=hyperplanes, library=library)


def on_device(numbers):
    return torch.tensor(numbers, device="cuda", dtype=torch.int32)


def build(index, count, lengths=None):
    """Of the first `count` keys, or of the last `count` of each sequence."""
    parts = {"lengths": lengths, "out": (index.packed, index.norms), "library": index.library}
    gpu.build_index(index.keys, index.hyperplanes, index.values, count=count, **parts)


class Growing:
    """The cache that grows by replays of one graph."""

    def __init__(self, whole, plant, in_step, **named):
        self.whole, self.in_step = whole, in_step
        if in_step:
            named["append"] = gpu.Append()
        given = (torch.full_like(part, math.nan) for part in (whole.keys, whole.values))
        self.index = gpu.Index(*given, hyperplanes=whole.hyperplanes, library=whole.library)
        self.lengths, self.late = on_device(STARTS), on_device(STARTS)
        self.indexed = self.late if plant == "late-index" else self.lengths
        self.steps = Steps(
            torch.empty(len(STARTS), HEADS, DIM, device="cuda", dtype=torch.bfloat16),
            [self.index],
            log_sum_exp=torch.full((len(STARTS), HEADS), math.nan, device="cuda"),
            lengths=self.late if plant == "late-length" else self.lengths,
            sparsity=SPARSITY,
            **harness.selection(whole.capacity),
            **named,
        )
        self.graph = captured(self.append_and_step, [()])  # which runs it once before
        self.begin_anew()

    def parts(self):
        return (self.index.keys, self.whole.keys), (self.index.values, self.whole.values)

    def append_and_step(self):
        self.late.copy_(self.lengths)
        self.lengths += 1
        at = (self.lengths - 1).long()[:, None, None, None].expand(*self.index.keys.shape[:2], 1, DIM)
        for mine, theirs in self.parts():
            mine.scatter_(2, at, theirs.gather(2, at))
        if not self.in_step:
            build(self.index, 1, self.indexed)
        self.steps.run()

    def begin_anew(self):
        self.lengths.copy_(on_device(STARTS))
        for mine, theirs in self.parts():
            mine.fill_(math.nan)
            for sequence, start in enumerate(STARTS):
                mine[sequence, :, :start] = theirs[sequence, :, :start]
        self.index.packed.zero_()
        self.index.norms.zero_()
        # The places behind a start are indexed too, as NaN, and must be written again.
        build(self.index, max(STARTS))

    def differing_words(self):
        """Between the indexes, of all tokens that are there."""
        differs = (self.index.packed != self.whole.packed).any(3).flatten(2)
        differs |= self.index.norms.view(torch.int16) != self.whole.norms.view(torch.int16)
        there = torch.arange(differs.shape[2], device="cuda") < self.lengths[:, None, None]
        return int((differs & there).sum())


class ToldByTheHost:
    """Steps outside of graphs, all sequences of one length: a row's bits are those of the step with its length for all."""

    def __init__(self, whole, queries, **more):
        batch, self.whole = whole.batch, whole
        self.outputs = torch.empty(batch, batch, HEADS, DIM, device="cuda")
        self.logs = torch.empty(batch, batch, HEADS, device="cuda")
        named = {"sparsity": SPARSITY, **harness.selection(whole.capacity), **more}
        self.steps = [
            Steps(queries, [whole], output=self.outputs[b], log_sum_exp=self.logs[b], **named) for b in range(batch)
        ]

    def run(self, lengths):
        for steps, length in zip(self.steps, lengths, strict=True):
            self.whole.used = length
            steps.run()

    def rows(self):
        """Of each sequence those of its own length: outputs [batch, heads, dim] and log-sum-exps [batch, heads]."""
        own = torch.arange(len(self.steps), device="cuda")
        return self.outputs[own, own], self.logs[own, own]


def growing(options, record):
    hyperplanes = drawn_hyperplanes(*SIGNED) if options.signed else drawn_hyperplanes()
    whole = drawn_index(options.library, len(STARTS), 8, GROWING_CAPACITY, hyperplanes)
    named = {"lists": options.lists} | ({"rule": "signed-projection"} if options.signed else {})
    grown = Growing(whole, options.plant, options.in_step, **named)
    told = ToldByTheHost(whole, grown.steps.q, **named)
    how = [options.plant] * bool(options.plant) + ["in the step"] * options.in_step
    how += ["lists of kv heads"] * (options.lists != "head") + ["signed"] * options.signed
    drawn = normal(QUERIES, len(STARTS), HEADS, DIM)
    mismatches = torch.zeros((), device="cuda", dtype=torch.int64)
    for step in range(1, options.steps + 1):
        grown.steps.q.copy_(drawn[step % QUERIES])
        grown.graph()
        told.run([start + step for start in STARTS])
        mismatches += harness.differing_rows(grown.steps.out, told.rows())
    differing, words = int(mismatches), grown.differing_words()
    ends = grown.lengths.tolist()
    if ends != [start + options.steps for start in STARTS]:
        sys.exit(f"FAILED: lengths {ends} after {options.steps} steps")
    rows = options.steps * len(STARTS) * HEADS
    for variant, compared, wrong in (("rows", rows, differing), ("indexed-keys", 8 * sum(ends), words)):
        print(f"growing: {options.steps} steps, {compared} {variant} compared, {wrong} mismatches", file=sys.stderr)
        record.add(
            measurement="growing", variant=", ".join([variant, *how]),
            lengths="device", **shape_of(whole, sum(ends), max(ends)), steps=options.steps, compared=compared,
            mismatches=wrong,
        )  # fmt: skip
    return differing + words


def shape_of(index, tokens, longest):
    sizes = dict(batch=index.batch, heads=HEADS, kv_heads=index.keys.shape[1], capacity=index.capacity, tokens=tokens)
    return sizes | dict(
        longest=longest, tables=index.tables, planes=index.planes, sparsity=SPARSITY, sink=SINK, window=WINDOW
    )


def compared_in_turn(measurement, indexes, variants, record):
    """Times of a step for each variant: name, host's number and lengths, against the first."""
    batch = indexes[0].batch
    queries = normal(batch, HEADS, DIM)
    graphs = []
    for _, used, lengths in variants:
        for index in indexes:
            index.used = used
        named = {"lengths": lengths, "sparsity": SPARSITY, **harness.selection(indexes[0].capacity)}
        graphs.append(Steps(queries, indexes, **named).captured())
    times = timed_in_turn(graphs, len(indexes))
    for (name, used, lengths), each in zip(variants, times, strict=True):
        own = [used] * batch if lengths is None else lengths.tolist()
        record.add(
            each, measurement=measurement, variant=name, lengths="host" if lengths is None else "device",
            **shape_of(indexes[0], sum(own), max(own)), against=variants[0][0],
            ratio=f"{median(each) / median(times[0]):.4f}",
        )  # fmt: skip


def ragged(options, record):
    index = drawn_index(options.library, RAGGED_BATCH, 8, RAGGED_CAPACITY, drawn_hyperplanes())
    drawn = torch.randint(1, RAGGED_CAPACITY + 1, (RAGGED_BATCH,)).tolist()
    mean, over = divmod(sum(drawn), RAGGED_BATCH)
    equal = [mean + (b < over) for b in range(RAGGED_BATCH)]
    variants = (
        ("equal", RAGGED_CAPACITY, on_device(equal)),
        ("ragged", RAGGED_CAPACITY, on_device(drawn)),
        ("equal-told", mean, None),
        ("all-at-the-most", RAGGED_CAPACITY, on_device([RAGGED_CAPACITY] * RAGGED_BATCH)),
        ("all-at-the-most-told", RAGGED_CAPACITY, None),
    )
    compared_in_turn("ragged", [index], variants, record)


def long(options, record):
    for kv_heads in (32, 8):
        torch.manual_seed(options.seed)
        hyperplanes = drawn_hyperplanes()
        indexes = [drawn_index(options.library, 1, kv_heads, KEYS, hyperplanes) for _ in range(COPIES)]
        compared_in_turn("long", indexes, (("told", KEYS, None), ("lengths", KEYS, on_device([KEYS]))), record)
        del indexes
        torch.cuda.empty_cache()


MEASUREMENTS = {"growing": growing, "ragged": ragged, "long": long}


def measure(options, record):
    different = 0
    for name in options.only:
        torch.manual_seed(options.seed)
        different += MEASUREMENTS[name](options, record) or 0
        torch.cuda.empty_cache()
    return different


def parse():
    parser = harness.parser(__doc__)
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS))
    parser.add_argument("--steps", type=int, default=10000, help="of growing; default 10000")
    parser.add_argument("--in-step", action="store_true", help="growing's step writes the index of its new token")
    parser.add_argument("--lists", choices=("head", "kv-head"), default="head", help="of growing; default head")
    parser.add_argument("--signed", action="store_true", help="growing ranks by the signed projection of 320 bits")
    parser.add_argument("--plant", choices=PLANTS, help="a fault that growing must see")
    options = parser.parse_args()
    if options.in_step and options.plant == "late-index":
        parser.error("--plant late-index: the index is written by the step; allowed without --in-step")
    most = GROWING_CAPACITY - max(STARTS)
    if not 1 <= options.steps <= most:
        parser.error(f"steps {options.steps}: allowed are 1 to {most}")
    return options


if __name__ == "__main__":
    harness.run(measure, parse(), COLUMNS)
