"""Which cells are evaluated, in which order? The most important first, so that a run that ends early has them.

A cell is a kind of text or task, a length, a ranker, a sparsity, a rule for the sinks and, for loss by head, the one
head that is sparse. Cell i goes to shard i mod N. Wrong if two shards ran one cell, or an order depended on the
shard.
"""

import dataclasses

from learned_attention.ranking import rankers

TEXT, HEADS = "text", "heads"
MAIN = (
    "dense", "oracle-top-k", "cosine-oracle", "socket", "socket-value", "hamming", "hard-lsh", "softmax-times-value",
    "signed-orthogonal-norm", "signed-orthogonal", "quest", "pqcache", "loki", "double-sparsity", "bucket-attention",
    "magicpig", "streaming-llm", "random",
)  # fmt: skip
FEW = (  # every question is asked of these before any is asked of the others
    "dense", "oracle-top-k", "socket", "socket-value", "hard-lsh", "quest", "double-sparsity", "signed-orthogonal-norm",
    "cosine-oracle", "hamming",
)  # fmt: skip
INTERVENED = ("oracle-top-k", "cosine-oracle", "socket", "socket-value")
ABLATED = ("oracle-top-k", "socket", "socket-value", "hard-lsh")
FIRST, OTHER = (33, 10), (20, 5, 50)


@dataclasses.dataclass(frozen=True)
class Cell:
    kind: str  # text, heads, or a task
    length: int
    ranker: str
    sparsity: int  # keys / budget; 0 for dense
    sinks: str = "forced"
    only: str = ""  # "layer.head" that alone is sparse; "window I" of the kind heads
    examples: int = 1

    @property
    def key(self):
        return (self.kind, self.length, self.ranker, self.sparsity, self.sinks, self.only)

    def __str__(self):
        more = "".join(f" {word}" for word in (self.sinks if self.sinks != "forced" else "", self.only) if word)
        return f"{self.kind} {self.length} {self.ranker} {self.sparsity}x{more}"


@dataclasses.dataclass(frozen=True)
class Sizes:
    lengths: tuple[int, ...] = (4096, 16384, 32768)
    windows: int = 96  # of text at the first length
    long_windows: int = 32  # at the others
    examples: int = 64  # of each task at the first length
    long_examples: int = 32
    head_windows: int = 4
    ablation_windows: int = 16
    tasks: tuple[str, ...] = ()
    layers: int = 8
    heads: int = 6


def kinds(names, kind, length, sparsities, examples):
    """Dense once, then each sparsity with each ranker."""
    dense = [Cell(kind, length, rankers.DENSE, 0, examples=examples)] if rankers.DENSE in names else []
    others = [name for name in names if name != rankers.DENSE]
    return dense + [Cell(kind, length, name, s, examples=examples) for s in sparsities for name in others]


def by_task(names, sizes, length, sparsities, examples):
    """A ranker's tasks stand together, so that a run that ends early has whole rankers."""
    columns = [kinds(names, task, length, sparsities, examples) for task in sizes.tasks]
    return [cell for row in zip(*columns, strict=True) for cell in row]


def heads(sizes, length):
    return [Cell(HEADS, length, "all", 0, only=f"window {i}") for i in range(sizes.head_windows)]


def interventions(sizes, length, sparsities):
    return [
        Cell(TEXT, length, name, s, sinks, examples=sizes.windows)
        for s in sparsities
        for sinks in ("free", "barred")
        for name in INTERVENED
    ]


def ablations(sizes, length):
    every = [f"{layer}.{head}" for layer in range(sizes.layers) for head in range(sizes.heads)]
    examples = min(sizes.ablation_windows, sizes.windows)
    return [Cell(TEXT, length, name, FIRST[0], only=one, examples=examples) for name in ABLATED for one in every]


def first_table(sizes):
    """Text at the first length and sparsity, all rankers."""
    return kinds(rankers.NAMES, TEXT, sizes.lengths[0], FIRST[:1], sizes.windows)


def cells(sizes):
    """Every cell, once."""
    short, *long = sizes.lengths
    _, *then = FIRST
    lengths = [short, *reversed(long)]
    every = kinds(FEW, TEXT, short, FIRST[:1], sizes.windows) + heads(sizes, short)
    for length in lengths[1:]:
        every += kinds(FEW, TEXT, length, FIRST[:1], sizes.long_windows)
    every += kinds(FEW, TEXT, short, (*then, *OTHER), sizes.windows) + ablations(sizes, short)
    for length in lengths:
        every += by_task(FEW, sizes, length, FIRST[:1], sizes.examples if length == short else sizes.long_examples)
    every += first_table(sizes) + interventions(sizes, short, FIRST[:1])
    every += by_task(MAIN, sizes, short, FIRST[:1], sizes.examples)
    every += kinds(rankers.NAMES, TEXT, short, (*then, *OTHER), sizes.windows)
    for length in lengths[1:]:
        every += kinds(MAIN, TEXT, length, FIRST, sizes.long_windows) + heads(sizes, length)
    every += interventions(sizes, short, then) + by_task(MAIN, sizes, short, then, sizes.examples)
    for length in lengths[1:]:
        every += by_task(FEW, sizes, length, then, sizes.long_examples)
    return list({cell.key: cell for cell in every}.values())


def shard(every, number, of):
    """Of shards counted from 0."""
    return every[number::of]
