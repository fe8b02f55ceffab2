"""Attention of a model whose last positions attend sparsely, in every layer and head: the hook of Model.forward.

The positions before are dense. The last `rows` select by the ranker's scores of the keys up to their own position;
what an index learns comes from the dense positions. These are the same whatever the ranker: a Prefix keeps what a pass
over them left, and a model then runs on the rows alone. With the ranker "dense" the same arithmetic runs over all visible
keys, so that differences of losses hold the selection alone. On a GPU queries, keys and values are rounded to bf16
first: what is captured is what was ranked. Wrong if a budget of all keys gave another loss than "dense" by one bit, or
rows behind a Prefix another than those of the whole window by more than rounding.
"""

import torch
from learned_attention.ranking import peers, rankers, selection
from learned_attention.ranking.problem import magnitude, problem_of_rows
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


def rounded(*parts):
    """As they are captured: in bf16 on a GPU."""
    return [part.bfloat16() if part.device.type == "cuda" else part for part in parts]


class Prefix:
    """Attends densely, and keeps of each layer keys and values [batch, kv_heads, length, dim] and mean |q_c|."""

    def __init__(self):
        self.layers = []

    @property
    def bytes(self):
        return sum(part.numel() * part.element_size() for layer in self.layers for part in layer)

    def __call__(self, layer, q, k, v):
        with torch.autocast(q.device.type, enabled=False), torch.no_grad():
            given = q.dtype
            q, k, v = rounded(q, k, v)
            self.layers.append((k, v, magnitude(q, k.shape[1])))
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).to(given)


class SparseAttention:
    """One ranker and rule at the last `rows` positions; only: (layer, query head) that alone is sparse, or None for
    all. Behind a prefix every position that it is given is one of the rows.

    After a forward pass: `selected` and `mass` [batch], means over layers, heads and rows of the keys attended and of
    their share of the dense softmax.
    """

    def __init__(self, name, rule, rows, draws, settings, sparsity=1.0, only=None, prefix=None):
        self.name, self.rule, self.rows, self.prefix = rankers.require(name), rule, rows, prefix
        self.draws, self.settings, self.sparsity, self.only = draws, settings, sparsity, only
        self._selected, self._mass = [], []

    @property
    def selected(self):
        return torch.stack(self._selected).mean(dim=0)

    @property
    def mass(self):
        return torch.stack(self._mass).mean(dim=0)

    def __call__(self, layer, q, k, v):
        if self.prefix is not None:
            return self._behind(layer, self.prefix.layers[layer], q, k, v)
        first = max(1, q.shape[2] - self.rows)  # the first position sees itself alone
        before, rows = ([part[:, :, piece] for part in (q, k, v)] for piece in (slice(first), slice(first, None)))
        prefix = Prefix()
        return torch.cat([prefix(layer, *before), self._behind(layer, prefix.layers[0], *rows)], dim=2)

    def _behind(self, layer, before, q, k, v):
        """Of q, k, v of the rows, behind the keys, values and mean |q_c| of the dense positions."""
        with torch.autocast(q.device.type, enabled=False), torch.no_grad():
            given = q.dtype
            keys, values, calibration = before
            q, k, v = rounded(q, k, v)
            k, v = torch.cat([keys, k], dim=2), torch.cat([values, v], dim=2)
            first, length = keys.shape[2], k.shape[2]
            positions = torch.arange(first, length, device=q.device)
            problem = problem_of_rows(
                layer, q, k, v, positions, calibration, self.draws, self.settings, first, self.sparsity
            )
            return by_head(self._rows(problem, q.shape[1]), q.shape[1]).to(given)

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
