"""Which rankers are compared, by what name? Each is a Sparse without a budget: what `--rankers` takes.

NAME-value ranks by the weight that NAME sees times the value norm. group-NAME makes one list for all query heads of a KV
head; group-NAME-long the same with as many keys as the heads' own lists have together.
"""

from .settings import Sparse

DENSE = "dense"
BITS = (128, 160, 320, 600)
_SIGNED = {"rule": "signed-orthogonal-norm"}
_GROUP = {"lists": "kv-head"}

RANKERS = {
    "socket": {},
    "socket-tau-0.3": {"temperature": 0.3},
    "socket-tau-0.1": {"temperature": 0.1},
    "socket-unscaled": {"scaled": False},
    "socket-unscaled-tau-0.3": {"scaled": False, "temperature": 0.3},
    "socket-unscaled-tau-0.1": {"scaled": False, "temperature": 0.1},
    "socket-value": {"value": "norm"},
    "socket-tau-0.3-value": {"temperature": 0.3, "value": "norm"},
    "socket-tau-0.1-value": {"temperature": 0.1, "value": "norm"},
    "socket-unscaled-value": {"scaled": False, "value": "norm"},
    "socket-calibrated-value": {"value": "calibrated"},
    "socket-centred": {"centred": True},
    "hamming": {"rule": "hamming"},
    "hamming-value": {"rule": "hamming", "value": "norm"},
    "hamming-centred": {"rule": "hamming", "centred": True},
    "hard-lsh": {"rule": "hard-lsh"},
    "hard-lsh-latest": {"rule": "hard-lsh-latest"},
    "hard-lsh-value": {"rule": "hard-lsh", "value": "norm"},
    "bucket-attention": {"rule": "bucket-attention", "value": "norm"},
    "quest": {"rule": "quest", "page": 16},
    "quest-4": {"rule": "quest", "page": 4},
    "quest-value": {"rule": "quest", "page": 16, "value": "norm"},
    "loki": {"rule": "loki"},
    "pqcache": {"rule": "pqcache"},
    "oracle-top-k": {"rule": "oracle-top-k"},
    "oracle-top-k-value": {"rule": "oracle-top-k", "value": "norm"},
    "oracle-distance": {"rule": "oracle-top-k", "value": "distance"},
    "cosine-oracle": {"rule": "cosine-oracle"},
    "cosine-centred": {"rule": "cosine-oracle", "centred": True},
    **{f"signed-{bits}": {"rule": "signed-orthogonal", "bits": bits} for bits in BITS},
    **{f"signed-norm-{bits}": _SIGNED | {"bits": bits} for bits in BITS},
    "signed-norm-600-value": _SIGNED | {"value": "norm"},
    "signed-norm-600-distance": _SIGNED | {"value": "estimated-distance"},
    "group-oracle": _GROUP | {"rule": "oracle-top-k"},
    **{f"group-signed-{bits}": _GROUP | _SIGNED | {"bits": bits} for bits in BITS},
    **{
        f"group-signed-320-{short}": _GROUP | _SIGNED | {"bits": 320} | how
        for short, how in {
            "largest-1": {"normaliser": "largest"},
            "none": {"normaliser": "none"},
            "step-before": {"normaliser": "step-before"},
            "largest": {"group": "largest"},
            "mean-query": {"group": "mean-query"},
        }.items()
    },
    "group-socket-largest": _GROUP | {"group": "largest"},
    **{f"group-signed-{bits}-long": _GROUP | _SIGNED | {"bits": bits} for bits in (160, 320)},
    "value-norm": {"rule": "value-norm"},
    "random": {"rule": "random"},
    "streaming-llm": {"rule": "streaming-llm"},
    "first-and-last": {"rule": "streaming-llm", "budget": 0},
    "oracle-top-p": {"rule": "oracle-top-k", "top_p": 0.95},
    "signed-norm-600-top-p": _SIGNED | {"top_p": 0.95},
}
NAMES = (DENSE, *RANKERS)
# What 16 windows on a CPU are for.
MAIN = (
    "socket", "socket-value", "socket-unscaled", "hamming", "oracle-top-k", "quest", "group-signed-160", "group-signed-320",
)  # fmt: skip


def settings_of(name, sparsity, group=1, **common):
    """The Sparse of a ranker at a sparsity, None for dense; group: query heads of a KV head. ValueError for a name that
    is not known.
    """
    if name not in NAMES:
        raise ValueError(f"ranker {name}: allowed are {', '.join(NAMES)}")
    if name == DENSE:
        return None
    fields = common | RANKERS[name]
    if not {"budget", "top_p"} & set(fields):
        fields["sparsity"] = max(1.0, sparsity / group) if name.endswith("-long") else sparsity
    return Sparse(**fields)


def takes_sparsity(name):
    return name != DENSE and not {"budget", "top_p"} & set(RANKERS[name])
