"""What does each ranker keep of dense attention, head by head, on the queries and keys of the dense model?

A hook that attends densely and measures beside it: softmax mass, error of the output over its length, recall of the
true top keys by q.k among those that compete, and the recall and error that were predicted. All rankers see the same
inputs, which a sparse pass would not give them. Of the sparse rows every STRIDE-th is measured. Wrong if oracle-top-k
had a recall below 1.
"""

import dataclasses

import torch
from torch.nn import functional

from learned_attention import plan
from learned_attention.ranking import head_statistics, predictions, rankers, selection
from learned_attention.ranking.problem import problem_of
from learned_attention.ranking.sparse_attention import by_head, choose, visible_mask

STRIDE = 4
PREDICTED_STRIDE = 4  # of the measured positions, those whose recall and error are also predicted


class HeadProbe:
    """metrics, statistics: rows of dictionaries, a layer and query head each; for windows that run one at a time."""

    def __init__(self, evaluator, tokens, draws):
        self.evaluator, self.draws = evaluator, draws
        self.tokens = torch.as_tensor(tokens).to(evaluator.device)
        self.sparsities = sorted(plan.FIRST + plan.OTHER)
        self.metrics, self.statistics = [], []

    def __call__(self, layer, q, k, v):
        dense = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        with torch.autocast(q.device.type, enabled=False):
            if q.device.type == "cuda":
                q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()
            self._measure(layer, q, k, v)
        return dense

    def _measure(self, layer, q, k, v):
        length, heads = q.shape[2], q.shape[1]
        first = max(0, length - self.evaluator.rows)
        positions = torch.arange(length - 1, first - 1, -STRIDE, device=q.device).flip(0)
        problem = problem_of(layer, q, k, v, positions, max(1, first), self.draws, self.evaluator.settings)
        found = head_statistics.of_rows(problem, self.tokens, lambda rows: by_head(rows, heads))
        self._note(self.statistics, layer, {}, found)
        exact = selection.attend(problem, visible_mask(problem))
        truth = exact.norm(dim=-1)
        for name in rankers.RANKERS:
            scores = rankers.RANKERS[name](problem)
            for sparsity in self.sparsities:
                rule = self._rule(length, sparsity)
                chosen = selection.select(problem, scores, rule)
                self._compare(problem, name, sparsity, rule, chosen, None, exact, truth, heads)
        for name in rankers.SAMPLERS:
            for sparsity in self.sparsities:
                aimed = dataclasses.replace(problem, sparsity=float(sparsity))
                rule = self._rule(length, sparsity)
                chosen, weights = choose(aimed, name, rule)
                self._compare(problem, name, sparsity, rule, chosen, weights, exact, truth, heads)

    def _rule(self, length, sparsity):
        return selection.Rule(max(1, length // sparsity), self.evaluator.sink, self.evaluator.window)

    def _compare(self, problem, name, sparsity, rule, chosen, weights, exact, truth, heads):
        always, competing = rule.ways(problem)
        top = selection.best(problem.products, competing, rule.budget)
        wanted = top.sum(dim=-1)
        error = (selection.attend(problem, chosen, weights) - exact).norm(dim=-1) / truth
        measured = {
            "mass": selection.mass(problem, chosen),
            "relative_error": error,
            "recall": (chosen & top).sum(dim=-1) / wanted,
        }
        measured = {what: by_head(rows, heads).mean(dim=-1) for what, rows in measured.items()}
        measured |= self._predicted(problem, name, rule.budget, (always, competing), top, exact, heads)
        self._note(self.metrics, problem.layer, {"ranker": name, "sparsity": sparsity}, measured)

    def _predicted(self, problem, name, budget, ways, top, exact, heads):
        """Means over some of the rows; NaN for a ranker without a law."""
        group = heads // problem.keys.shape[1]
        positions = problem.queries.shape[2] // group
        some = torch.arange(0, positions, PREDICTED_STRIDE, device=top.device)
        rows = (torch.arange(group, device=top.device).unsqueeze(1) * positions + some).flatten()
        always, competing = ways
        chance = predictions.inclusion(name, problem, competing, budget, rows)
        if chance is None:
            unknown = torch.full((len(self.draws), heads), torch.nan, device=top.device)
            return {"predicted_recall": unknown, "predicted_error": unknown}
        share = problem.logits[:, :, rows].softmax(dim=-1)
        foretold = {
            "predicted_recall": (chance * top[:, :, rows]).sum(dim=-1) / top[:, :, rows].sum(dim=-1),
            "predicted_error": predictions.relative_error(
                chance + always[rows], share, problem.values, exact[:, :, rows]
            ),
        }
        return {what: by_head(numbers, heads).mean(dim=-1) for what, numbers in foretold.items()}

    def _note(self, rows, layer, names, numbers):
        table = torch.stack([number.double().mean(dim=0) for number in numbers.values()]).cpu()
        for head in range(table.shape[1]):
            values = dict(zip(numbers, table[:, head].tolist(), strict=True))
            values = {what: "" if value != value else value for what, value in values.items()}
            rows.append({"layer": layer, "head": head, **names, **values})
