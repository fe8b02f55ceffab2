"""Which keys does a model attend to? One frozen set of choices, the same for evaluation, `generate`, CPU and GPU.

Rules have the names that `socketlab choose --rules` and `attend --ranker` have. It would be wrong if two settings that
are equal gave two lists, or a field that a rule does not read were accepted in silence.
"""

from __future__ import annotations

import dataclasses
import math

# Scores that stand for softmax weights (0 or more), for logits, or for an order of directions alone.
WEIGHTS = ("socket", "hamming", "hard-lsh", "hard-lsh-latest", "bucket-attention")
LOGITS = ("oracle-top-k", "signed-orthogonal-norm", "quest", "loki", "pqcache")
ORDERS = ("cosine-oracle", "signed-orthogonal", "value-norm", "random", "streaming-llm")
RULES = (*WEIGHTS, *LOGITS, *ORDERS)
HASHED = WEIGHTS  # rules that read tables and planes
SIGNED = ("signed-orthogonal", "signed-orthogonal-norm")
LISTS = ("head", "kv-head")
GROUPS = ("sum", "largest", "mean-query")
NORMALISERS = ("all-keys", "largest", "none", "step-before")
VALUES = ("none", "norm", "calibrated", "distance", "estimated-distance")


@dataclasses.dataclass(frozen=True)
class Sparse:
    """How a sparse layer selects keys. ValueError with one line for what does not fit together.

    Every row attends to the first `sink` keys, the last `window` ones, and those of highest score of the others: `budget`
    of them, or one in `sparsity` of all keys, or as few as hold `top_p` of the weight that the rule estimates. Exactly
    one of the three is given.
    """

    rule: str = "socket"  # of RULES
    tables: int = 60  # hash tables L (paper, Table 6)
    planes: int = 10  # hyperplanes of a table P, 1 to 16
    temperature: float = 0.5  # tau, above 0
    scaled: bool = True  # divides tanh(Wq) by sqrt(dim), as the paper's equations do
    bits: int = 600  # random projections of the signed rules, and of no other
    page: int = 16  # successive keys of one of Quest's pages
    sink: int = 16
    window: int = 128  # 1 or more: a row attends to itself
    budget: int | None = None  # keys, 0 or more
    sparsity: float | None = None  # keys to one that is selected, 1 or more
    top_p: float | None = None  # in (0, 1]
    lists: str = "head"  # a list for each query head, or one for all query heads of a KV head
    group: str = "sum"  # of the heads' weights, their largest, or the scores of the heads' mean query
    normaliser: str = "all-keys"  # of a head's weights: their sum, their largest, 1, or the sum of the row before
    value: str = "none"  # the weight times |v|, also after calibration, or times |v - y|, y the dense output
    centred: bool = False  # keys less their mean
    dense_layers: int = 0  # the first so many layers attend densely
    seed: int = 1  # of hyperplanes and projections

    def __post_init__(self) -> None:
        for name, allowed in (
            ("rule", RULES), ("lists", LISTS), ("group", GROUPS), ("normaliser", NORMALISERS), ("value", VALUES)
        ):  # fmt: skip
            _require(getattr(self, name) in allowed, name, getattr(self, name), ", ".join(allowed))
        for name, low, high in (
            ("tables", 1, 4096), ("planes", 1, 16), ("bits", 1, 65536), ("page", 1, 4096), ("sink", 0, 1 << 20),
            ("window", 1, 1 << 20), ("dense_layers", 0, 10000), ("seed", 0, 1 << 32),
        ):  # fmt: skip
            number = getattr(self, name)
            whole = isinstance(number, int) and not isinstance(number, bool) and low <= number <= high
            _require(whole, name, number, f"whole numbers from {low} to {high}")
        _require(_real(self.temperature) and self.temperature > 0, "temperature", self.temperature, "numbers above 0")
        given = [name for name in ("budget", "sparsity", "top_p") if getattr(self, name) is not None]
        _require(len(given) == 1, "budget, sparsity and top_p", f"{len(given)} given", "exactly one")
        if self.budget is not None:
            _require(isinstance(self.budget, int) and self.budget >= 0, "budget", self.budget, "whole numbers from 0")
        if self.sparsity is not None:
            _require(_real(self.sparsity) and self.sparsity >= 1, "sparsity", self.sparsity, "numbers from 1")
        if self.top_p is not None:
            _require(_real(self.top_p) and 0 < self.top_p <= 1, "top_p", self.top_p, "numbers above 0, up to 1")
            fits = self.rule in (*WEIGHTS, *LOGITS) and self.value == "none" and self.lists == "head"
            _require(fits, "top_p", self.top_p, "rules that estimate weights, a list for each head, value none")
        self._fits_together()

    def _fits_together(self) -> None:
        if self.lists == "kv-head" and self.group == "sum":
            _require(self.rule not in ORDERS, "group", "sum", f"with rule {self.rule}: largest, mean-query")
        if self.value != "none":
            _require(self.rule not in ORDERS, "value", self.value, f"with rule {self.rule}: none")
        if self.value == "calibrated":
            _require(self.rule in WEIGHTS, "value", "calibrated", f"with rule {self.rule}: norm, as its weights are")
        if self.rule == "quest":
            _require(self.page <= self.window, "page", self.page, f"up to the window of {self.window} keys")
        if not self.scaled:
            _require(self.rule == "socket", "scaled", "False", f"with rule {self.rule}: True")

    def places(self, keys: int) -> int | None:
        """Keys that are selected by score among `keys` in all; None where top_p decides."""
        if self.sparsity is not None:
            return max(1, int(keys / self.sparsity))
        return self.budget

    def dense(self, layer: int) -> bool:
        return layer < self.dense_layers


def _real(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)


def _require(fits: bool, name: str, given: object, allowed: str) -> None:
    if not fits:
        raise ValueError(f"{name} {given}: allowed are {allowed}")
