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

--plant shows that the comparison sees a fault: late-length, the step finds the lengths one short; late-index, the index of a
token is written a step late. Exit 1 where anything differs, so also with a fault.
"""

import argparse
import csv
import math
import sys
from statistics import median

import needs
import torch
from graph_timing import captured, timed_in_turn
from interface import BF16, Library

HEADS, DIM, TABLES, PLANES = 32, 128, 60, 10
SINK, WINDOW, SPARSITY = 128, 128, 33
TEMPERATURE, SCALE = 0.5, 1 / math.sqrt(DIM)
STARTS, GROWING_CAPACITY = (1, 63, 5000, 20000), 32768
QUERIES = 64  # drawn once and used in turn
RAGGED_BATCH, RAGGED_CAPACITY = 64, 32768
LONG_KEYS = 145408
COPIES = 2  # of everything a long step reads, used in turn: the L2 holds none of it
PLANTS = ("late-length", "late-index")
COLUMNS = (
    "measurement",
    "variant",
    "lengths",
    "batch",
    "heads",
    "kv_heads",
    "capacity",
    "tokens",
    "longest",
    "tables",
    "planes",
    "sparsity",
    "sink",
    "window",
    "median_us",
    "fastest_us",
    "slowest_us",
    "repetitions",
    "against",
    "ratio",
    "steps",
    "compared",
    "mismatches",
)


class Cache:
    """Keys and values [batch, kv_heads, capacity, dim] with their index, and steps over them. `drawn`: all tokens are there."""

    def __init__(self, library, batch, kv_heads, capacity, hyperplanes, drawn=True):
        def empty(*shape, dtype):
            return torch.empty(batch, kv_heads, capacity, *shape, device="cuda", dtype=dtype)

        self.library, self.hyperplanes = library, hyperplanes
        self.k, self.v = (empty(DIM, dtype=torch.bfloat16).fill_(math.nan) for _ in "kv")
        if drawn:
            for part in (self.k, self.v):
                for sequence in part:
                    sequence.normal_()
        self.packed = empty(((TABLES + 3) // 4 * PLANES + 7) // 8, dtype=torch.int32).zero_()
        self.norms = empty(dtype=torch.float16).zero_()
        self.sizes = dict(batch=batch, kv_heads=kv_heads, capacity=capacity, tables=TABLES, planes=PLANES, dim=DIM)

    def index(self, count, lengths=None):
        """Of the first `count` keys, or of the last `count` of each sequence."""
        return self.library.arguments(
            "skt_build_index",
            keys=self.k,
            values=self.v,
            hyperplanes=self.hyperplanes,
            packed=self.packed,
            norms=self.norms,
            count=count,
            lengths=lengths,
            type=BF16,
            **self.sizes,
        )

    def step(self, queries, output, used, lengths=None, log_sum_exp=None):
        """The arguments of a step and its workspace, which must live as long."""
        arguments = self.library.arguments(
            "skt_decode_step",
            queries=queries,
            keys=self.k,
            values=self.v,
            hyperplanes=self.hyperplanes,
            packed=self.packed,
            norms=self.norms,
            output=output,
            log_sum_exp=log_sum_exp,
            lengths=lengths,
            heads=HEADS,
            used=used,
            budget=self.sizes["capacity"] // SPARSITY,
            sparsity=SPARSITY,
            sink=SINK,
            window=WINDOW,
            scale=SCALE,
            temperature=TEMPERATURE,
            logit_scale=SCALE,
            type=BF16,
            **self.sizes,
        )
        return arguments, self.library.give_workspace("skt_decode_step", arguments)


def whole_cache(library, batch, kv_heads, capacity, hyperplanes):
    cache = Cache(library, batch, kv_heads, capacity, hyperplanes)
    library.call("skt_build_index", cache.index(capacity))
    return cache


def drawn_hyperplanes():
    return torch.randn(TABLES, PLANES, DIM, device="cuda").bfloat16().float()


def on_device(numbers):
    return torch.tensor(numbers, device="cuda", dtype=torch.int32)


class Growing:
    """The cache that grows by replays of one graph."""

    def __init__(self, library, whole, plant):
        self.library, self.whole, self.plant = library, whole, plant
        batch, kv_heads, capacity = (whole.sizes[name] for name in ("batch", "kv_heads", "capacity"))
        self.cache = Cache(library, batch, kv_heads, capacity, whole.hyperplanes, drawn=False)
        self.queries = torch.empty(batch, HEADS, DIM, device="cuda", dtype=torch.bfloat16)
        self.output = torch.full((batch, HEADS, DIM), math.nan, device="cuda")
        self.log_sum_exp = torch.full((batch, HEADS), math.nan, device="cuda")
        self.lengths, self.late = on_device(STARTS), on_device(STARTS)
        self.step, self.workspace = self.cache.step(
            self.queries,
            self.output,
            capacity,
            self.late if plant == "late-length" else self.lengths,
            self.log_sum_exp,
        )
        self.append = self.cache.index(1, self.late if plant == "late-index" else self.lengths)
        self.graph = captured(self.append_and_step, [()])  # which runs it once before
        self.begin_anew()

    def append_and_step(self):
        self.late.copy_(self.lengths)
        self.lengths += 1
        at = (self.lengths - 1).long()[:, None, None, None].expand(*self.cache.k.shape[:2], 1, DIM)
        for mine, theirs in ((self.cache.k, self.whole.k), (self.cache.v, self.whole.v)):
            mine.scatter_(2, at, theirs.gather(2, at))
        self.library.call("skt_build_index", self.append)
        self.library.call("skt_decode_step", self.step)

    def begin_anew(self):
        self.lengths.copy_(on_device(STARTS))
        for mine, theirs in ((self.cache.k, self.whole.k), (self.cache.v, self.whole.v)):
            mine.fill_(math.nan)
            for sequence, start in enumerate(STARTS):
                mine[sequence, :, :start] = theirs[sequence, :, :start]
        self.cache.packed.zero_()
        self.cache.norms.zero_()
        # The places behind a start are indexed too, as NaN, and must be written again.
        self.library.call("skt_build_index", self.cache.index(max(STARTS)))

    def differing_words(self):
        """Between the indexes, of all tokens that are there."""
        tiles = (len(STARTS), self.cache.sizes["kv_heads"], -1, self.cache.packed.shape[-1], 64)
        differs = (self.cache.packed.view(tiles) != self.whole.packed.view(tiles)).any(3).flatten(2)
        differs |= self.cache.norms.view(torch.int16) != self.whole.norms.view(torch.int16)
        there = torch.arange(differs.shape[2], device="cuda") < self.lengths[:, None, None]
        return int((differs & there).sum())


class ToldByTheHost:
    """Steps outside of graphs, all sequences of one length: a row's bits are those of the step with its length for all."""

    def __init__(self, whole, queries):
        batch, capacity = whole.sizes["batch"], whole.sizes["capacity"]
        self.library = whole.library
        self.outputs = torch.empty(batch, batch, HEADS, DIM, device="cuda")
        self.logs = torch.empty(batch, batch, HEADS, device="cuda")
        self.steps = [whole.step(queries, self.outputs[b], capacity, log_sum_exp=self.logs[b]) for b in range(batch)]

    def run(self, lengths):
        for (arguments, _workspace), length in zip(self.steps, lengths, strict=True):
            arguments.used = length
            self.library.call("skt_decode_step", arguments)

    def rows(self):
        """Of each sequence those of its own length: outputs [batch, heads, dim] and log-sum-exps [batch, heads]."""
        own = torch.arange(len(self.steps), device="cuda")
        return self.outputs[own, own], self.logs[own, own]


def differing_rows(got, expected):
    bits = [(one.view(torch.int32) != other.view(torch.int32)) for one, other in zip(got, expected, strict=True)]
    return (bits[0].any(-1) | bits[1]).sum()


def growing(library, options, report):
    torch.manual_seed(options.seed)
    whole = whole_cache(library, len(STARTS), 8, GROWING_CAPACITY, drawn_hyperplanes())
    grown = Growing(library, whole, options.plant)
    told = ToldByTheHost(whole, grown.queries)
    drawn = torch.randn(QUERIES, len(STARTS), HEADS, DIM, device="cuda").bfloat16()
    mismatches = torch.zeros((), device="cuda", dtype=torch.int64)
    for step in range(1, options.steps + 1):
        grown.queries.copy_(drawn[step % QUERIES])
        grown.graph()
        told.run([start + step for start in STARTS])
        mismatches += differing_rows((grown.output, grown.log_sum_exp), told.rows())
    rows = options.steps * len(STARTS) * HEADS
    differing, words = int(mismatches), grown.differing_words()
    ends = grown.lengths.tolist()
    if ends != [start + options.steps for start in STARTS]:
        sys.exit(f"FAILED: lengths {ends} after {options.steps} steps")
    lines = (("rows", rows, differing), ("indexed-keys", 8 * sum(ends), words))
    for variant, compared, wrong in lines:
        print(f"growing: {options.steps} steps, {compared} {variant} compared, {wrong} mismatches", flush=True)
        report(
            measurement="growing",
            variant=f"{variant}, {options.plant}" if options.plant else variant,
            lengths="device",
            **shape_of(whole, sum(ends), max(ends)),
            steps=options.steps,
            compared=compared,
            mismatches=wrong,
        )
    return differing + words


def shape_of(cache, tokens, longest):
    kept = {name: cache.sizes[name] for name in ("batch", "kv_heads", "capacity", "tables", "planes")}
    return kept | dict(heads=HEADS, tokens=tokens, longest=longest, sparsity=SPARSITY, sink=SINK, window=WINDOW)


def compared_in_turn(measurement, caches, variants, report):
    """Times of a step for each variant: name, host's number and lengths, against the first."""
    batch, device = caches[0].sizes["batch"], "cuda"
    queries = torch.randn(batch, HEADS, DIM, device=device).bfloat16()
    output = torch.empty(batch, HEADS, DIM, device=device)
    graphs, kept = [], []
    for _, used, lengths in variants:
        steps = [cache.step(queries, output, used, lengths) for cache in caches]
        kept.append(steps)
        graphs.append(
            captured(
                lambda arguments: caches[0].library.call("skt_decode_step", arguments), [(step,) for step, _ in steps]
            )
        )
    times = timed_in_turn(graphs, len(caches))
    middles = [median(each) for each in times]
    for (name, used, lengths), each, middle in zip(variants, times, middles, strict=True):
        own = [used] * batch if lengths is None else lengths.tolist()
        ratio = middle / middles[0]
        where = "host" if lengths is None else "device"
        print(
            f"{measurement}: {caches[0].sizes['kv_heads']} kv heads, {name}, {sum(own)} tokens, lengths of the {where}: "
            f"{middle:.2f} us ({min(each):.2f} to {max(each):.2f}), {ratio:.3f} of {variants[0][0]}",
            flush=True,
        )
        report(
            measurement=measurement,
            variant=name,
            lengths=where,
            **shape_of(caches[0], sum(own), max(own)),
            median_us=f"{middle:.2f}",
            fastest_us=f"{min(each):.2f}",
            slowest_us=f"{max(each):.2f}",
            repetitions=len(each),
            against=variants[0][0],
            ratio=f"{ratio:.4f}",
        )


def ragged(library, options, report):
    torch.manual_seed(options.seed)
    cache = whole_cache(library, RAGGED_BATCH, 8, RAGGED_CAPACITY, drawn_hyperplanes())
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
    compared_in_turn("ragged", [cache], variants, report)
    return 0


def long(library, options, report):
    for kv_heads in (32, 8):
        torch.manual_seed(options.seed)
        hyperplanes = drawn_hyperplanes()
        caches = [whole_cache(library, 1, kv_heads, LONG_KEYS, hyperplanes) for _ in range(COPIES)]
        variants = (("told", LONG_KEYS, None), ("lengths", LONG_KEYS, on_device([LONG_KEYS])))
        compared_in_turn("long", caches, variants, report)
        del caches
        torch.cuda.empty_cache()
    return 0


MEASUREMENTS = {"growing": growing, "ragged": ragged, "long": long}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libsocketlab_gpu.so")
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS))
    parser.add_argument("--steps", type=int, default=10000, help="of growing; default 10000")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--plant", choices=PLANTS, help="a fault that growing must see")
    parser.add_argument("--out", help="CSV file of all rows")
    options = parser.parse_args()
    most = GROWING_CAPACITY - max(STARTS)
    if not 1 <= options.steps <= most:
        parser.error(f"steps {options.steps}: allowed are 1 to {most}")
    return options


def main():
    options = parse()
    needs.gpu()
    library = Library(options.library)
    rows = []
    different = 0
    for name in options.only:
        different += MEASUREMENTS[name](library, options, lambda **row: rows.append(row))
        torch.cuda.empty_cache()
    if options.out:
        with open(options.out, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
