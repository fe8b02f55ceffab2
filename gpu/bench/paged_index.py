"""What does an index in pages cost: scores and whole steps by a block table, beside those over arrays without pages?

    python3 gpu/bench/paged_index.py build/gpu/libsocketlab_gpu.so [--out paged_index.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens, 32 query heads on 32 and on 8 KV heads, bf16, head size 128, by both rules. `page_size` 0 is
without pages; else keys, values, codes and norms are in pages of as many keys, in an order drawn at random, and the index
is built there by skt_build_index. What is built, scored and put out must have the same bits as without pages: exit 1 where
it has not. Times in us of graph replays over two sets of all that is read, every page size in turn (graph_timing.py).

--plant other-table gives the scores the table of the other set: the bits must differ, so that the exit code is 1.
--page-sizes 0 takes a library that has no pages.
"""

import argparse
import csv
import math
import sys
from statistics import median

import needs
import torch
from graph_timing import captured, timed_in_turn
from interface import BF16, F32, Library, command_line

TOKENS, HEADS, DIM = 145408, 32, 128
SINK, WINDOW, BUDGET = 128, 128, 145408 // 33
SCALE, SETS, TILE = 1 / math.sqrt(DIM), 2, 64
SIGNED = 1  # enum skt_rule
# skt_rule, its form, tables, planes
RULES = {"soft-collision": (0, 1, 60, 10), "signed-projection": (SIGNED, 2, 76, 8)}
PLANTS = ("other-table",)
COLUMNS = (
    "rule",
    "heads",
    "kv_heads",
    "tokens",
    "page_size",
    "what",
    "median_us",
    "least_us",
    "largest_us",
    "repetitions",
    "command",
)


def in_pages(whole, order, page_size):
    """[pages, kv_heads, page_size, ..] of [kv_heads, tokens, ..]: page order[i] holds block i."""
    kv_heads = whole.shape[0]
    blocks = whole.reshape(kv_heads, -1, page_size, *whole.shape[2:]).transpose(0, 1)
    pool = torch.empty_like(blocks, memory_format=torch.contiguous_format)
    pool[order.long()] = blocks
    return pool


class Inputs:
    """One sequence with its index, in pages of a size or, of size 0, without."""

    def __init__(self, library, whole, hyperplanes, rule, page_size):
        self.library, self.page_size = library, page_size
        kv_heads, blocks = whole[0].shape[0], TOKENS // max(page_size, 1)
        self.tables, self.planes = RULES[rule][2:]
        self.sizes = dict(batch=1, kv_heads=kv_heads, capacity=TOKENS, tables=self.tables, planes=self.planes)
        words = ((self.tables + 3) // 4 * self.planes + 7) // 8
        self.table, self.pages, self.strides = None, {}, {}
        self.keys, self.values = whole
        places = (1, kv_heads, TOKENS)
        if page_size:
            self.table = torch.randperm(blocks, device="cuda").int()
            self.keys, self.values = (in_pages(part, self.table, page_size) for part in whole)
            self.pages = dict(blocks=blocks, pages=blocks, page_size=page_size)
            self.strides = dict(page_stride=kv_heads * page_size, head_stride=page_size, token_stride=1)
            places = (blocks, kv_heads, page_size)
        self.packed = torch.zeros(*places[:2], places[2] // TILE, words, TILE, device="cuda", dtype=torch.int32)
        self.norms = torch.zeros(places, device="cuda", dtype=torch.float16)
        parts = dict(keys=self.keys, values=self.values, hyperplanes=hyperplanes, packed=self.packed, norms=self.norms)
        build = library.arguments(
            "skt_build_index",
            **parts,
            count=TOKENS,
            dim=DIM,
            type=BF16,
            **self.sizes,
            **self.by_table(),
            **self.strides,
        )
        library.call("skt_build_index", build)

    def by_table(self):
        return dict(block_table=self.table, **self.pages) if self.page_size else {}

    def in_order(self, part):
        """Of a part of the index, in the order of the keys."""
        return part[self.table.long()].transpose(0, 1).reshape(-1) if self.page_size else part.reshape(-1)

    def scoring(self, halves, rule):
        signed_of_shared_heads = RULES[rule][0] == SIGNED and self.sizes["kv_heads"] < HEADS
        written = torch.bfloat16 if signed_of_shared_heads else torch.float32  # as a step keeps them
        self.scores = torch.full((HEADS, TOKENS), math.nan, device="cuda", dtype=written)
        given = dict(half_tables=halves, packed=self.packed, norms=self.norms, scores=self.scores)
        types = dict(score_type=BF16 if signed_of_shared_heads else F32, rule=RULES[rule][0])
        return self.library.arguments(
            "skt_score_packed", **given, heads=HEADS, used=TOKENS, **types, **self.sizes, **self.by_table()
        )

    def step(self, queries, hyperplanes, rule):
        self.output = torch.full((HEADS, DIM), math.nan, device="cuda")
        given = dict(queries=queries, keys=self.keys, values=self.values, hyperplanes=hyperplanes, packed=self.packed)
        shape = dict(heads=HEADS, used=TOKENS, dim=DIM, budget=BUDGET, sink=SINK, window=WINDOW, type=BF16)
        factors = dict(scale=SCALE, temperature=0.5, logit_scale=SCALE, rule=RULES[rule][0])
        paged = dict(paged_index=1) if self.page_size else {}
        arguments = self.library.arguments(
            "skt_decode_step",
            **given,
            norms=self.norms,
            output=self.output,
            **shape,
            **factors,
            **self.sizes,
            **self.by_table(),
            **self.strides,
            **paged,
        )
        self.workspace = self.library.give_workspace("skt_decode_step", arguments)
        return arguments


def half_tables(library, queries, hyperplanes, rule):
    _, form, tables, planes = RULES[rule]
    halves = torch.empty(HEADS, tables, 2 ** ((planes + 1) // 2) + 2 ** (planes // 2), device="cuda")
    given = dict(queries=queries, hyperplanes=hyperplanes, probabilities=halves, batch=1, heads=HEADS, dim=DIM)
    rest = dict(tables=tables, planes=planes, scale=SCALE, temperature=0.5, query_type=BF16, form=form)
    library.call("skt_soft_buckets", library.arguments("skt_soft_buckets", **given, **rest))
    return halves


def same_bits(first, second):
    return torch.equal(first.contiguous().view(torch.uint8), second.contiguous().view(torch.uint8))


def differing(rule, kv_heads, inputs):
    """Lines on what has other bits in pages than without."""
    whole, lines = inputs[0], []
    for paged in inputs[1:]:
        for i, (one, other) in enumerate(zip(whole, paged, strict=True)):
            for name in ("packed", "norms"):
                if not same_bits(one.in_order(getattr(one, name)), other.in_order(getattr(other, name))):
                    lines.append(f"{name} of set {i} in pages of {other.page_size}")
            for name in ("scores", "output"):
                if not same_bits(getattr(one, name), getattr(other, name)):
                    lines.append(f"{name} of set {i} in pages of {other.page_size}")
    return [f"{rule}, {kv_heads} KV heads: {line} differs from that without pages" for line in lines]


def measured(library, rule, kv_heads, page_sizes, plant):
    """Rows of the table, and lines on what differs."""
    queries = torch.randn(HEADS, DIM, device="cuda", dtype=torch.bfloat16)
    hyperplanes = torch.randn(RULES[rule][2] * RULES[rule][3], DIM, device="cuda").bfloat16().float()
    halves = half_tables(library, queries, hyperplanes, rule)
    whole = [
        [torch.randn(kv_heads, TOKENS, DIM, device="cuda", dtype=torch.bfloat16) for _ in "kv"] for _ in range(SETS)
    ]
    inputs = [[Inputs(library, each, hyperplanes, rule, size) for each in whole] for size in page_sizes]
    calls = {}
    for size, sets in zip(page_sizes, inputs, strict=True):
        calls[size, "scores"] = [each.scoring(halves, rule) for each in sets]
        calls[size, "step"] = [each.step(queries, hyperplanes, rule) for each in sets]
        if plant == "other-table" and size:
            calls[size, "scores"][0].block_table = sets[1].table.data_ptr()
    names = {"scores": "skt_score_packed", "step": "skt_decode_step"}
    runs = [
        captured(lambda arguments, name=names[what]: library.call(name, arguments), [(each,) for each in prepared])
        for (_, what), prepared in calls.items()
    ]
    rows = []
    for (size, what), times in zip(calls, timed_in_turn(runs, SETS), strict=True):
        spread = [f"{time:.2f}" for time in (median(times), min(times), max(times))]
        rows.append((rule, HEADS, kv_heads, TOKENS, size, what, *spread, len(times)))
    torch.cuda.synchronize()
    return rows, differing(rule, kv_heads, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--kv-heads", type=int, nargs="+", default=[32, 8])
    parser.add_argument(
        "--page-sizes", type=int, nargs="+", default=[0, 64, 256], help="0, the first, is without pages"
    )
    parser.add_argument("--plant", choices=PLANTS)
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    if options.page_sizes[0] != 0:
        parser.error(f"--page-sizes {options.page_sizes[0]}: allowed first is 0, that without pages")
    needs.gpu()
    library = Library(options.library)
    torch.manual_seed(1)
    table, wrong = csv.writer(options.out, lineterminator="\n"), []
    table.writerow(COLUMNS)
    command = command_line()
    for rule in RULES:
        for kv_heads in options.kv_heads:
            rows, lines = measured(library, rule, kv_heads, options.page_sizes, options.plant)
            table.writerows((*row, command) for row in rows)
            wrong += lines
            torch.cuda.empty_cache()
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
