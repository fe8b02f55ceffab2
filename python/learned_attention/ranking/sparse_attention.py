"""Attention of a model whose last positions attend sparsely, in every layer and head: the hook of Model.forward.

The positions before are dense. The last `rows` select by the ranker's scores of the keys up to their own position;
what an index learns comes from the dense positions. With the ranker "dense" the same arithmetic runs over all visible
keys, so that differences of losses hold the selection alone. On a GPU queries, keys and values are rounded to bf16
first: what is captured is what was ranked. Wrong if a budget of all keys gave another loss than "dense" by one bit.
"""

import torch
from learned_attention.ranking import peers, rankers, selection
from learned_attention.ranking.problem import problem_of
from learned_attention.refusals import Refused
from torch.nn import functional


def visible_mask(problem):
    return problem.visible.expand(*problem.queries.shape[:2], -1, -1)


def choose(problem, name, rule):
    """Mask of the attended keys and the logarithms of their weights, or None; [batch, kv_heads, rows, keys]."""
    if name == rankers.DENSE:
        return visible_mask(problem), None
    if name in rankers.SAMPLERS:
        drawn, weights = rankers.SAMPLERS[name](problem)
        always, competing = rule.ways(problem)
        return (drawn & competing) | always, weights.masked_fill(always, 0.0)
    if name == "quest":
        peers.require_pages_behind(problem, rule.window)
    scores = rankers.RANKERS[name](problem)
    if scores.isnan().any():
        raise Refused(f"ranker {name}, layer {problem.layer}: a score is NaN; allowed are numbers")
    return selection.select(problem, scores, rule), None


def by_head(rows, heads):
    """[batch, kv_heads, group * positions, ..] as [batch, heads, positions, ..]."""
    batch, kv_heads = rows.shape[:2]
    return rows.unflatten(2, (heads // kv_heads, -1)).flatten(1, 2)


class SparseAttention:
    """One ranker and rule at the last `rows` positions; only: (layer, query head) that alone is sparse, or None for
    all.

    After a forward pass: `selected` and `mass` [batch], means over layers, heads and rows of the keys attended and of
    their share of the dense softmax.
    """

    def __init__(self, name, rule, rows, draws, settings, sparsity=1.0, only=None):
        self.name, self.rule, self.rows = rankers.require(name), rule, rows
        self.draws, self.settings, self.sparsity, self.only = draws, settings, sparsity, only
        self._selected, self._mass = [], []

    @property
    def selected(self):
        return torch.stack(self._selected).mean(dim=0)

    @property
    def mass(self):
        return torch.stack(self._mass).mean(dim=0)

    def __call__(self, layer, q, k, v):
        with torch.autocast(q.device.type, enabled=False), torch.no_grad():
            return self._attended(layer, q, k, v)

    def _attended(self, layer, q, k, v):
        given = q.dtype
        if q.device.type == "cuda":
            q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()
        length = q.shape[2]
        first = max(0, length - self.rows)
        positions = torch.arange(first, length, device=q.device)
        problem = problem_of(layer, q, k, v, positions, max(1, first), self.draws, self.settings, self.sparsity)
        sparse = by_head(self._rows(problem, q.shape[1]), q.shape[1]).to(given)
        if first == 0:
            return sparse
        prefix = (part[:, :, :first] for part in (q, k, v))
        dense = functional.scaled_dot_product_attention(*prefix, is_causal=True, enable_gqa=True)
        return torch.cat([dense.to(given), sparse], dim=2)

    def _rows(self, problem, heads):
        if self.only is not None and self.only[0] != problem.layer:
            return selection.attend(problem, visible_mask(problem))
        selected, weights = choose(problem, self.name, self.rule)
        self._selected.append(selected.sum(dim=-1).float().mean(dim=(1, 2)))
        self._mass.append(selection.mass(problem, selected).mean(dim=(1, 2)))
        output = selection.attend(problem, selected, weights)
        if self.only is None:
            return output
        dense = selection.attend(problem, visible_mask(problem))
        group = heads // problem.keys.shape[1]
        rows = output.shape[2] // group
        kv, inside = divmod(self.only[1], group)
        dense[:, kv, inside * rows : (inside + 1) * rows] = output[:, kv, inside * rows : (inside + 1) * rows]
        return dense
