"""Which rows of docs/records/models do pages and figures quote? docs/records/models.sh makes them, a folder for a model."""

import functools
import importlib
import statistics
import sys
import types

import records
from records import rows

SMALL = "smollm2"
SECOND = "gemma3-270m"
WORDS = {
    "socket": "SOCKET", "socket-value": "SOCKET × \\|v\\|", "socket-unscaled": "SOCKET without 1/√d", "hamming": "Hamming count",
    "oracle-top-k": "exact q·k", "cosine-oracle": "exact cosine", "oracle-top-k-value": "exact weight × \\|v\\|",
    "oracle-distance": "exact weight × \\|v − y\\|", "quest": "Quest, pages of 16", "quest-4": "Quest, pages of 4",
    "hard-lsh": "hard LSH", "hard-lsh-latest": "hard LSH, ties to the later key", "first-and-last": "first and last keys only",
    "random": "random keys", "bucket-attention": "Bucket Attention", "loki": "Loki", "pqcache": "PQCache",
    "value-norm": "\\|v\\| alone", "streaming-llm": "StreamingLLM", "group-oracle": "one list for a KV head, exact weights",
    "oracle-top-p": "exact weights up to 95%", "group-socket-largest": "one list for a KV head, largest weight of SOCKET",
}  # fmt: skip
BEGINNINGS = {
    "group-signed-": "one list for a KV head", "signed-norm-": "signed projections × \\|k\\|", "signed-": "signed projections",
}  # fmt: skip
CHOICES = {
    "value": "× \\|v\\|", "distance": "× \\|v − y\\|, estimated", "long": "three times as many keys",
    "top-p": "up to 95% of the weight", "largest": "largest weight of the heads", "mean-query": "mean query of the heads",
    "largest-1": "weights over their largest", "none": "weights not normalised", "step-before": "sum of the step before",
}  # fmt: skip
ENDINGS = {
    "-calibrated-value": " × \\|v\\| calibrated", "-value": " × \\|v\\|", "-centred": ", centred keys", "-tau-0.3": ", τ = 0.3",
    "-tau-0.1": ", τ = 0.1",
}  # fmt: skip


@functools.cache
def module_of(name):
    """A module of socketlab.models, in a package that holds its folder alone: the real one imports PyTorch."""
    package = types.ModuleType("models_alone")
    package.__path__ = [str(records.path_of("python/socketlab/models/contrasts.py").parent)]
    sys.modules[package.__name__] = package
    return importlib.import_module(f"models_alone.{name}")


def planned():
    return module_of("contrasts")


def name_of(ranker):
    """A ranker in words: the bits of a signed one behind its name, then what else it does."""
    if ranker in WORDS:
        return WORDS[ranker]
    for head, words in BEGINNINGS.items():
        if ranker.startswith(head):
            bits, _, more = ranker.removeprefix(head).partition("-")
            return f"{words}, {bits} bits" + (f", {CHOICES.get(more) or more.replace('-', ' ')}" if more else "")
    for end, words in ENDINGS.items():
        if ranker.endswith(end):
            base, comma, more = name_of(ranker.removesuffix(end)).partition(", ")
            return f"{base}{words}{comma}{more}" if words[0] == " " else f"{base}{comma}{more}{words}"
    return ranker


NUMBER = 16  # bits of a coordinate, and of a norm


def bits_of(ranker, dim=64):
    """Bits that scoring reads of a key: code or coordinates, its norm, and of its value the norm or all coordinates.

    A page of Quest has a lowest and a highest number of each coordinate.
    """
    settings, whole = module_of("rankers").settings_of(ranker, 33), dim * NUMBER
    codes = {
        "quest": 2 * whole // settings.page, "loki": 32 * NUMBER, "pqcache": 256, "oracle-top-k": whole,
        "cosine-oracle": whole, "signed-orthogonal": settings.bits, "signed-orthogonal-norm": settings.bits + NUMBER,
        "value-norm": NUMBER, "random": 0, "streaming-llm": 0,
    }.get(settings.rule, settings.tables * settings.planes)  # fmt: skip
    values = {"none": 0, "norm": NUMBER, "calibrated": whole + NUMBER, "distance": whole, "estimated-distance": whole}
    return codes + values[settings.value]


def model_rows(table, model=SMALL, **wanted):
    return rows(f"models/{model}/{table}").where(**wanted)


@functools.cache
def excess(length=4096, sparsity=33, model=SMALL, kind="text"):
    """{ranker: its row} of loss over dense, all layers sparse, the least first; with the rankers that take no sparsity."""
    found = model_rows("common", model, kind=kind, length=length, dense_layers=0, sparsity=(sparsity, 0))
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


def named(row):
    """A contrast's interval, in bold where it excludes 0."""
    return f"**{between(row)}**" if verdict(row) != "neither" else between(row)


def middle(numbers, form=".2f"):
    """ "0.52 (0.41 to 0.63)": the median of heads, and the quantiles of 10% and 90%."""
    numbers = list(numbers)
    low, *_, high = statistics.quantiles(numbers, n=10, method="inclusive")
    return f"{statistics.median(numbers):{form}} ({low:{form}} to {high:{form}})"


def head_predictions(ranker, model=SMALL):
    """Rows of the heads, with what the theory says `less` the measured recall, by approximation 12 and by the correlation,
    and its error `over` the measured one.
    """
    return [
        types.SimpleNamespace(
            **vars(row),
            less=row.recall_predicted - row.recall,
            gaussian_less=row.recall_gaussian - row.recall,
            over=row.error_predicted / row.error,
        )
        for row in model_rows("prediction", model, ranker=ranker)
    ]
