"""What does an index in pages cost: scores and whole steps by a block table, beside those over arrays without pages?

    python3 gpu/bench/paged_index.py build/gpu/libsocketlab_gpu.so [--out paged_index.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens, 32 query heads on 32 and on 8 KV heads, bf16, head size 128, by both rules. `page_size` 0 is
without pages; else keys, values, codes and norms are in pages of as many keys, in an order drawn at random, and the index
is built there by skt_build_index. What is built, scored and put out must have the same bits as without pages: exit 1 where
it has not. Times in us of graph replays over two sets of all that is read, every page size in turn (harness.py).

--plant other-table gives the scores the table of the other set: the bits must differ, so that the exit code is 1.
--page-sizes 0 takes a library that has no pages.
"""

import itertools
import math
import sys

import harness
import torch
from harness import DIM, HEADS, RULES, Steps, captured, drawn_cache, gpu, normal, timed_in_turn

TOKENS, SETS, TILE = harness.KEYS, 2, 64
PLANTS = ("other-table",)
COLUMNS = ("rule", "heads", "kv_heads", "tokens", "page_size", "what", "median_us", "least_us", "largest_us",
           "repetitions", "command")  # fmt: skip


def in_pages(whole, order, page_size):
    """[pages, kv_heads, page_size, ..] of [kv_heads, tokens, ..]: page order[i] holds block i."""
    kv_heads = whole.shape[0]
    blocks = whole.reshape(kv_heads, -1, page_size, *whole.shape[2:]).transpose(0, 1)
    pool = torch.empty_like(blocks, memory_format=torch.contiguous_format)
    pool[order.long()] = blocks
    return pool


def paged(whole, page_size):
    """The index anew over the same keys and values in pages, in an order drawn at random."""
    blocks, kv_heads = TOKENS // page_size, whole.keys.shape[1]
    table = torch.randperm(blocks, device="cuda").int()
    pools = [in_pages(part[0], table, page_size) for part in (whole.keys, whole.values)]
    words = whole.packed.shape[3]
    packed = torch.zeros(blocks, kv_heads, page_size // TILE, words, TILE, device="cuda", dtype=torch.int32)
    norms = torch.zeros(blocks, kv_heads, page_size, device="cuda", dtype=torch.float16)
    index = gpu.PagedIndex(*pools, packed, norms, whole.hyperplanes, table[None], library=whole.library)
    index.build()
    return index


def in_order(index, part):
    """Of a part of the index, in the order of the keys."""
    if not isinstance(index, gpu.PagedIndex):
        return part.reshape(-1)
    return part[index.block_table[0].long()].transpose(0, 1).reshape(-1)


def same_bits(first, second):
    return torch.equal(first.contiguous().view(torch.uint8), second.contiguous().view(torch.uint8))


class Calls:
    """Scores and steps on the index of each set, each with a place of its own."""

    def __init__(self, indexes, q, rule, tables):
        # As a step keeps them.
        narrow = rule == "signed-projection" and indexes[0].keys.shape[1] < HEADS
        kind = torch.bfloat16 if narrow else torch.float32
        self.indexes, self.tables = indexes, tables
        self.named = {"planes": indexes[0].planes, "rule": rule, "library": indexes[0].library}
        self.named["score_type"] = "bfloat16" if narrow else "float32"
        self.scores = [torch.full((1, HEADS, TOKENS), math.nan, device="cuda", dtype=kind) for _ in indexes]
        self.steps = [Steps(q, [index], rule=rule, **harness.selection(TOKENS)) for index in indexes]
        self.block_tables = [getattr(index, "block_table", None) for index in indexes]

    def score(self, index, block_table, scores):
        gpu.score_packed(self.tables, index.packed, index.norms, block_table=block_table, out=scores, **self.named)

    def graphs(self):
        sets = list(zip(self.indexes, self.block_tables, self.scores, strict=True))
        return {"scores": captured(self.score, sets), "step": captured(Steps.run, [(one,) for one in self.steps])}

    def parts(self):
        """Name and set of each array that must have the same bits."""
        for i, (index, scores, steps) in enumerate(zip(self.indexes, self.scores, self.steps, strict=True)):
            yield f"packed of set {i}", in_order(index, index.packed)
            yield f"norms of set {i}", in_order(index, index.norms)
            yield f"scores of set {i}", scores
            yield f"output of set {i}", steps.output


def measured(options, record, rule, kv_heads):
    """Lines on what has other bits in pages than without."""
    form, tables, planes = RULES[rule]
    q, hyperplanes = normal(1, HEADS, DIM), harness.drawn_hyperplanes(tables, planes)
    halves = gpu.soft_buckets(q, hyperplanes, form=form, library=options.library)
    caches = [drawn_cache(kv_heads, TOKENS) for _ in range(SETS)]
    whole = [gpu.Index(*cache, hyperplanes=hyperplanes, library=options.library) for cache in caches]
    calls = {
        size: Calls([paged(index, size) for index in whole] if size else whole, q, rule, halves)
        for size in options.page_sizes
    }
    for size, of_size in calls.items():
        if options.plant == "other-table" and size:
            of_size.block_tables[0] = of_size.block_tables[1]
    graphs = {(size, what): run for size, each in calls.items() for what, run in each.graphs().items()}
    for (size, what), times in zip(graphs, timed_in_turn(list(graphs.values()), SETS), strict=True):
        shape = {"rule": rule, "heads": HEADS, "kv_heads": kv_heads, "tokens": TOKENS}
        middle, least, largest, count = harness.spread(times).values()
        ends = {"median_us": middle, "least_us": least, "largest_us": largest, "repetitions": count}
        record.add(page_size=size, what=what, command=harness.command_line(), **ends, **shape)
    return [
        f"{rule}, {kv_heads} KV heads: {name} in pages of {size} differs from that without pages"
        for size in options.page_sizes[1:]
        for (name, one), (_, other) in zip(calls[0].parts(), calls[size].parts(), strict=True)
        if not same_bits(one, other)
    ]


def measure(options, record):
    wrong = []
    for rule, kv_heads in itertools.product(RULES, options.kv_heads):
        wrong += measured(options, record, rule, kv_heads)
        torch.cuda.empty_cache()
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return wrong


def parse():
    parser = harness.parser(__doc__, kv_heads=[32, 8])
    parser.add_argument(
        "--page-sizes", type=int, nargs="+", default=[0, 64, 256], help="0, the first, is without pages"
    )
    parser.add_argument("--plant", choices=PLANTS)
    options = parser.parse_args()
    if options.page_sizes[0] != 0:
        parser.error(f"--page-sizes {options.page_sizes[0]}: allowed first is 0, that without pages")
    return options


if __name__ == "__main__":
    harness.run(measure, parse(), COLUMNS)
