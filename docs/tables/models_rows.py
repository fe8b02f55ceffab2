"""Which rows of docs/records/models do pages and figures quote? docs/records/models.sh makes them, a folder for a model."""

import functools
import importlib.util

import records
from records import rows

SMALL = "smollm2"
WORDS = {
    "socket": "SOCKET", "socket-value": "SOCKET × \\|v\\|", "socket-unscaled": "SOCKET without 1/√d", "hamming": "Hamming count",
    "oracle-top-k": "exact q·k", "cosine-oracle": "exact cosine", "oracle-top-k-value": "exact weight × \\|v\\|",
    "oracle-distance": "exact weight × \\|v − y\\|", "quest": "Quest, pages of 16", "quest-4": "Quest, pages of 4",
    "hard-lsh": "hard LSH", "hard-lsh-latest": "hard LSH, ties to the later key", "first-and-last": "first and last keys only",
    "random": "random keys",
}  # fmt: skip


@functools.cache
def planned():
    """The module of the planned contrasts, by its path: it needs no package."""
    spec = importlib.util.spec_from_file_location("contrasts", records.path_of("python/socketlab/models/contrasts.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(ranker):
    """A ranker in words: the bits of a signed one behind its name."""
    if ranker in WORDS:
        return WORDS[ranker]
    if ranker.startswith("group-signed-"):
        bits, _, more = ranker.removeprefix("group-signed-").partition("-")
        return f"one list for a KV head, {bits} bits" + (f", {more.replace('-', ' ')}" if more else "")
    return ranker.replace("-", " ")


def model_rows(table, model=SMALL, **wanted):
    return rows(f"models/{model}/{table}").where(**wanted)


@functools.cache
def excess(length=4096, sparsity=33, model=SMALL, kind="text"):
    """{ranker: its row} of loss over dense, all layers sparse, the least first; with the rankers that take no sparsity."""
    found = model_rows("losses", model, kind=kind, length=length, dense_layers=0, sparsity=(sparsity, 0))
    return {row.ranker: row for row in sorted(found, key=lambda row: row.excess) if row.ranker != "dense"}


def between(row):
    """ "-0.0072 (-0.0123 to -0.0021)": a difference or a loss over dense, with its simultaneous interval."""
    mean = row["difference"] if "difference" in vars(row) else row.excess
    return f"{mean:.4f} ({row.low:.4f} to {row.high:.4f})" if isinstance(row.low, float) else f"{mean:.4f}"


def contrast(name, length=4096, sparsity=33, model=SMALL):
    return model_rows("contrasts", model, contrast=name, length=length, sparsity=sparsity)[0]


def verdict(row):
    """more, less or neither: on which side of 0 its interval lies."""
    return "more" if row.low > 0 else "less" if row.high < 0 else "neither"
