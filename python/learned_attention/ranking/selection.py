"""Which keys attend (estimators/selection.hpp), and what is the attention over them?

The `budget` visible keys of highest score, ties to the lower index, joined with the first `sink` and the last
`window` ones, all before or at the row. With sinks free the first keys compete for places, with sinks barred they get
none; the budget is then larger by `sink`, so that all three select as many keys. Wrong if a later key changed a
selection, or if a budget of all keys were not dense attention, bit for bit.
"""

import dataclasses

import torch
from learned_attention.refusals import Refused

SINKS = ("forced", "free", "barred")


@dataclasses.dataclass(frozen=True)
class Rule:
    budget: int
    sink: int = 4
    window: int = 64
    sinks: str = "forced"

    def __post_init__(self):
        if self.budget < 0 or self.sink < 0 or self.window < 1:
            numbers = f"budget {self.budget}, sink {self.sink}, window {self.window}"
            raise Refused(f"{numbers}: allowed are 0 and more, for the window 1 and more")
        if self.sinks not in SINKS:
            raise Refused(f"sinks {self.sinks}: allowed are {', '.join(SINKS)}")

    def ways(self, problem):
        """Keys that are always selected, and those that compete; bool [rows, keys]."""
        keys = torch.arange(problem.keys.shape[2], device=problem.keys.device)
        window = (problem.positions.unsqueeze(-1) - keys < self.window) & problem.visible
        first = (keys < self.sink).expand_as(window)
        always = window | (first & problem.visible) if self.sinks == "forced" else window
        competing = problem.visible & ~always
        return always, competing & ~first if self.sinks == "barred" else competing

    @property
    def places(self):
        return self.budget if self.sinks == "forced" else self.budget + self.sink


def best(scores, allowed, budget):
    """Mask of the `budget` highest scores [.., n] among the allowed ones, ties to the lower index; -inf is never
    selected.
    """
    scores = scores.masked_fill(~allowed, -torch.inf)
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    # The threshold alone is taken from topk: which of several equal scores it lists is not laid down.
    threshold = scores.topk(count, dim=-1, sorted=False).values.amin(dim=-1, keepdim=True)
    above = scores > threshold
    tied = (scores == threshold) & (scores > -torch.inf)
    room = count - above.sum(dim=-1, keepdim=True, dtype=torch.int32)
    return above | (tied & (tied.cumsum(dim=-1, dtype=torch.int32) <= room))


def select(problem, scores, rule):
    """bool [batch, kv_heads, rows, keys]."""
    always, competing = rule.ways(problem)
    return best(scores, competing, rule.places) | always


def attend(problem, selected, log_weights=None):
    """Output [batch, kv_heads, rows, dim] of softmax(q.k / sqrt(dim) + log_weights) over the selected keys."""
    logits = problem.logits if log_weights is None else problem.logits + log_weights
    return logits.masked_fill(~selected, -torch.inf).softmax(dim=-1) @ problem.values


def mass(problem, selected):
    """Share of the dense softmax that the selected keys have, [batch, kv_heads, rows]."""
    kept = problem.logits.masked_fill(~selected, -torch.inf).logsumexp(dim=-1)
    return (kept - problem.logits.logsumexp(dim=-1)).exp()
