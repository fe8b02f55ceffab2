"""What does a cache of e4m3 gain beside one of bf16, and what does its output lose?

    python3 gpu/bench/cached_bytes.py build/gpu/libsocketlab_gpu.so [--out cached_bytes.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens, 32 query heads, on 32 and 8 KV heads; keys drawn as `gaussian`, logits of deviation 1, and as
`sharp`, of deviation 3. One index of the bf16 keys serves both caches, so that both steps select the same keys. Bytes are cast
from bf16 with the scale of each KV head that takes its largest number to 448, as a static calibration does.

Times: the whole step and the attention over its list alone, by graphs over two sets of everything, replayed in turn.

Errors, median and largest over the query heads; but for `bound` the norm of a difference over the norm of what is exact:

  bound       the largest coordinate of e4m3's output beside attention in double over the same list and the same bytes, over
              its derived bound, which is 1
  cast        beside attention in double over the same list of bf16 keys and values: what the bytes alone lose
  keys, values  likewise, where only keys or only values are bytes (in double)
  dense       beside dense attention in double over all bf16 keys: bytes and selection; of bf16's step the selection alone

--plant wrong-scale gives the step the scales of the next head: `bound` must exceed 1. Exit 1 where it does, so also with the
fault.
"""

import argparse
import csv
import math
import sys
from statistics import median

import needs
import torch
from graph_timing import captured, timed_in_turn
from interface import BF16, Library, constants

TOKENS, HEADS, DIM, TABLES, PLANES = 145408, 32, 128, 60, 10
SINK, WINDOW, BUDGET = 128, 128, 145408 // 33
TEMPERATURE, SCALE = 0.5, 1 / math.sqrt(DIM)
SETS = 2  # of all that a step reads, used in turn: the L2 holds none of it
E4M3, LARGEST, UNIT = constants()["CACHE_E4M3"], 448.0, 2.0**-24
SHARPNESS = {"gaussian": 1.0, "sharp": 3.0}
PLANTS = ("wrong-scale",)
COLUMNS = (
    "keys",
    "heads",
    "kv_heads",
    "tokens",
    "list",
    "cache",
    "measurement",
    "median",
    "least",
    "largest",
    "repetitions",
)


class Cache:
    """Keys and values [1, kv_heads, tokens, dim] in bf16 and in bytes with scales [kv_heads], and the index of the former."""

    def __init__(self, library, kv_heads, hyperplanes):
        self.library, self.kv_heads, self.hyperplanes = library, kv_heads, hyperplanes
        self.wide = [torch.randn(1, kv_heads, TOKENS, DIM, device="cuda", dtype=torch.bfloat16) for _ in "kv"]
        self.scales = [part.abs().amax(dim=(0, 2, 3)).float() / LARGEST for part in self.wide]
        self.bytes = [self.cast(part, scales) for part, scales in zip(self.wide, self.scales, strict=True)]
        words = ((TABLES + 3) // 4 * PLANES + 7) // 8
        self.packed = torch.zeros(1, kv_heads, TOKENS, words, device="cuda", dtype=torch.int32)
        self.norms = torch.zeros(1, kv_heads, TOKENS, device="cuda", dtype=torch.float16)
        self.sizes = dict(batch=1, kv_heads=kv_heads, capacity=TOKENS, dim=DIM)
        build = library.arguments(
            "skt_build_index",
            keys=self.wide[0],
            values=self.wide[1],
            hyperplanes=hyperplanes,
            packed=self.packed,
            norms=self.norms,
            count=TOKENS,
            tables=TABLES,
            planes=PLANES,
            type=BF16,
            **self.sizes,
        )
        library.call("skt_build_index", build)

    @staticmethod
    def cast(part, scales):
        return torch.cat(
            [(head.float() / scale).to(torch.float8_e4m3fn)[None] for head, scale in zip(part[0], scales, strict=True)]
        )[None]

    def numbers(self, which, head, at, from_bytes):
        """Rows `at` of a head, in double."""
        if not from_bytes:
            return self.wide[which][0, head, at].double()
        return self.bytes[which][0, head, at].float().double() * self.scales[which][head].double()

    def as_cached(self, cached, plant=None):
        if cached == "bf16":
            return dict(keys=self.wide[0], values=self.wide[1])
        scales = [part.roll(1) if plant else part for part in self.scales]
        return dict(
            keys=self.bytes[0], values=self.bytes[1], cache_form=E4M3, key_scales=scales[0], value_scales=scales[1]
        )

    def arguments(self, operation, cached, plant=None, **named):
        """And whatever must live as long."""
        given = self.as_cached(cached, plant) | dict(heads=HEADS, logit_scale=SCALE, type=BF16, **self.sizes) | named
        made = self.library.arguments(operation, **given)
        return made, self.library.give_workspace(operation, made), given

    def step(self, queries, output, cached, plant=None):
        return self.arguments(
            "skt_decode_step",
            cached,
            plant,
            queries=queries,
            hyperplanes=self.hyperplanes,
            packed=self.packed,
            norms=self.norms,
            output=output,
            used=TOKENS,
            tables=TABLES,
            planes=PLANES,
            budget=BUDGET,
            sink=SINK,
            window=WINDOW,
            scale=SCALE,
            temperature=TEMPERATURE,
        )

    def attention(self, queries, output, lists, counts, cached):
        return self.arguments(
            "skt_sparse_attention",
            cached,
            queries=queries,
            selected=lists,
            counts=counts,
            output=output,
            list=lists.shape[-1],
        )


def selection(cache, queries):
    """The lists of a step, by the same stages."""
    library, call = cache.library, cache.library.call
    entries = 2 ** ((PLANES + 1) // 2) + 2 ** (PLANES // 2)
    halves = torch.empty(1, HEADS, TABLES, entries, device="cuda")
    scores = torch.empty(1, HEADS, TOKENS, device="cuda")
    lists = torch.empty(1, HEADS, SINK + BUDGET + WINDOW, device="cuda", dtype=torch.int32)
    counts = torch.empty(1, HEADS, device="cuda", dtype=torch.int32)
    hash_sizes = dict(tables=TABLES, planes=PLANES)
    call(
        "skt_soft_buckets",
        library.arguments(
            "skt_soft_buckets",
            queries=queries,
            hyperplanes=cache.hyperplanes,
            probabilities=halves,
            batch=1,
            heads=HEADS,
            dim=DIM,
            scale=SCALE,
            temperature=TEMPERATURE,
            query_type=BF16,
            form=constants()["HALF_TABLES"],
            **hash_sizes,
        ),
    )
    call(
        "skt_score_packed",
        library.arguments(
            "skt_score_packed",
            half_tables=halves,
            packed=cache.packed,
            norms=cache.norms,
            scores=scores,
            batch=1,
            heads=HEADS,
            kv_heads=cache.kv_heads,
            capacity=TOKENS,
            used=TOKENS,
            **hash_sizes,
        ),
    )
    call(
        "skt_select_keys",
        library.arguments(
            "skt_select_keys",
            scores=scores,
            selected=lists,
            counts=counts,
            batch=1,
            heads=HEADS,
            capacity=TOKENS,
            used=TOKENS,
            budget=BUDGET,
            sink=SINK,
            window=WINDOW,
        ),
    )
    torch.cuda.synchronize()
    return lists, counts


def attended(query, keys, values):
    """In double, and the average of the values' sizes."""
    logits = keys @ query.double() * SCALE
    weights = torch.softmax(logits, 0)
    return weights @ values, weights @ values.abs()


def bound_ratio(got, query, keys, values):
    """The error over the bound of gpu/attention/attention.cu, the largest of the coordinates."""
    exact, sizes = attended(query, keys, values)
    logit_error = (DIM + 8) * UNIT * float((keys.abs() @ query.double().abs()).max()) * SCALE
    bound = (2 * logit_error + (len(keys) + 40) * UNIT) * sizes
    return float(((got - exact).abs() / bound).max())


def errors(cache, queries, outputs, lists, counts):
    """By measurement and cache, of each head."""
    found = {}

    def add(cached, measurement, value):
        found.setdefault((cached, measurement), []).append(float(value))

    for head in range(HEADS):
        kv = head // (HEADS // cache.kv_heads)
        query, at = queries[0, head], lists[0, head, : int(counts[0, head])].long()
        rows = {kind: [cache.numbers(which, kv, at, kind == "e4m3") for which in (0, 1)] for kind in ("bf16", "e4m3")}
        exact = attended(query, *rows["bf16"])[0]
        dense = attended(query, *(cache.numbers(which, kv, slice(None), False) for which in (0, 1)))[0]
        for kind in ("bf16", "e4m3"):
            got = outputs[kind][0, head].double()
            add(kind, "bound", bound_ratio(got, query, *rows[kind]))
            add(kind, "cast", (got - exact).norm() / exact.norm())
            add(kind, "dense", (got - dense).norm() / dense.norm())
        for part, mixed in (("keys", ("e4m3", "bf16")), ("values", ("bf16", "e4m3"))):
            only = attended(query, rows[mixed[0]][0], rows[mixed[1]][1])[0]
            add("e4m3", part, (only - exact).norm() / exact.norm())
    return found


def measured(library, kind, kv_heads, plant, report):
    caches = [Cache(library, kv_heads, HYPERPLANES()) for _ in range(SETS)]
    queries = (torch.randn(1, HEADS, DIM, device="cuda") * SHARPNESS[kind]).bfloat16()
    shape = dict(keys=kind, heads=HEADS, kv_heads=kv_heads, tokens=TOKENS, list=SINK + BUDGET + WINDOW)
    outputs = {cached: torch.empty(1, HEADS, DIM, device="cuda") for cached in ("bf16", "e4m3")}
    chosen = [selection(cache, queries) for cache in caches]
    for stage in ("step", "attention") if plant is None else ():
        graphs, kept = [], []
        for cached, output in outputs.items():
            calls = [
                cache.step(queries, output, cached)
                if stage == "step"
                else cache.attention(queries, output, *lists, cached)
                for cache, lists in zip(caches, chosen, strict=True)
            ]
            kept.append(calls)
            operation = "skt_decode_step" if stage == "step" else "skt_sparse_attention"
            graphs.append(captured(lambda made, name=operation: library.call(name, made), [call[:1] for call in calls]))
        for cached, times in zip(outputs, timed_in_turn(graphs, SETS), strict=True):
            report(shape, cached, f"{stage} us", median(times), min(times), max(times), len(times))
    for cached, output in outputs.items():
        made = caches[0].step(queries, output, cached, plant)
        library.call("skt_decode_step", made[0])
        torch.cuda.synchronize()
    found = errors(caches[0], queries, outputs, *chosen[0])
    for (cached, measurement), values in found.items():
        report(shape, cached, measurement, median(values), min(values), max(values), len(values))
    return max(max(values) for (_, measurement), values in found.items() if measurement == "bound")


def HYPERPLANES():
    return torch.randn(TABLES, PLANES, DIM, device="cuda").bfloat16().float()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libsocketlab_gpu.so")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--plant", choices=PLANTS, help="a fault that the errors must see")
    parser.add_argument("--out", default="-", help="the rows as CSV; default: standard output")
    return parser.parse_args()


def main():
    options = parse()
    needs.gpu()
    library = Library(options.library)
    torch.manual_seed(options.seed)
    rows = []

    def report(shape, cached, measurement, middle, least, largest, count):
        print(
            f"{shape['keys']}, {shape['kv_heads']} kv heads, {cached}: {measurement} {middle:.5g} ({least:.5g} to {largest:.5g})",
            file=sys.stderr,
            flush=True,
        )
        numbers = [f"{number:.6g}" for number in (middle, least, largest)]
        rows.append([*shape.values(), cached, measurement, *numbers, count])

    worst = max(measured(library, kind, kv_heads, options.plant, report) for kv_heads in (32, 8) for kind in SHARPNESS)
    with open(
        sys.stdout.fileno() if options.out == "-" else options.out, "w", newline="", closefd=options.out != "-"
    ) as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    if not worst <= 1:
        sys.exit(f"FAILED: an output is {worst:.3g} times its bound away")


if __name__ == "__main__":
    main()
