"""Are the selected keys those of the rule: sink, window, the best of the rest, ties to the lower index, none of the
future?
"""

import unittest

import tiny
import torch
from learned_attention.ranking import selection
from learned_attention.refusals import Refused

KEYS = [[1.0], [0.0], [2.0], [2.0], [-1.0], [3.0]]


def masks(scores, budget, positions=None, **rule):
    made = tiny.problem([[1.0]] * (1 if positions is None else len(positions)), KEYS, positions=positions)
    scores = torch.tensor(scores, dtype=torch.float32).expand(len(made.positions), -1)[None, None]
    chosen = selection.select(made, scores, selection.Rule(budget, **rule))
    return [[j for j, taken in enumerate(row) if taken] for row in tiny.row(chosen)]


class Selection(unittest.TestCase):
    def test_sink_and_window_come_on_top_of_the_budget(self):
        # Of six keys the first and the last always; of the others 2 and 3 tie, the lower index is taken.
        self.assertEqual(masks([0, 1, 5, 5, 2, 9], 1, sink=1, window=1), [[0, 2, 5]])
        self.assertEqual(masks([0, 1, 5, 5, 2, 9], 3, sink=1, window=1), [[0, 2, 3, 4, 5]])

    def test_a_row_selects_none_of_the_keys_behind_it(self):
        # Position 2 sees keys 0 to 2, and its window is its own key.
        self.assertEqual(masks([0, 1, 5, 5, 2, 9], 1, positions=[2, 4], sink=0, window=1), [[1, 2], [2, 4]])

    def test_sinks_free_compete_and_barred_are_left_out_with_as_many_keys_in_all(self):
        scores = [3, 1, 5, 4, 2, 9]
        self.assertEqual(masks(scores, 2, sink=1, window=1), [[0, 2, 3, 5]])
        self.assertEqual(masks(scores, 2, sink=1, window=1, sinks="free"), [[0, 2, 3, 5]])
        self.assertEqual(masks([0, *scores[1:]], 2, sink=1, window=1, sinks="free"), [[2, 3, 4, 5]])
        self.assertEqual(masks([9, *scores[1:]], 2, sink=1, window=1, sinks="barred"), [[2, 3, 4, 5]])

    def test_a_key_of_minus_infinity_is_never_selected(self):
        inf = float("inf")
        self.assertEqual(masks([0, -inf, 1, -inf, -inf, 0], 4, sink=0, window=1), [[0, 2, 5]])

    def test_best_is_the_order_by_score_then_index_on_many_ties(self):
        scores = torch.randint(0, 4, (50, 33), generator=torch.Generator().manual_seed(3)).float()
        allowed = torch.rand(50, 33, generator=torch.Generator().manual_seed(4)) < 0.7
        for budget in (0, 1, 7, 33):
            found = selection.best(scores, allowed, budget)
            for i in range(50):
                order = sorted((j for j in range(33) if allowed[i, j]), key=lambda j: (-scores[i, j].item(), j))
                self.assertEqual(found[i].nonzero().flatten().tolist(), sorted(order[:budget]))

    def test_attention_over_two_keys_by_hand(self):
        # Logits 0 and ln 3 of dim 1: weights 1/4 and 3/4 of values 4 and 8; the third key is left out.
        made = tiny.problem([[1.0]], [[0.0], [1.0986122886681098], [9.0]], [[4.0], [8.0], [1e6]])
        chosen = torch.tensor([True, True, False]).expand(1, 1, 1, 3)

        tiny.approximately(self, tiny.row(selection.attend(made, chosen)), [[7.0]])
        # Their share of the dense softmax is (1 + 3) / (1 + 3 + e^9).
        self.assertAlmostEqual(selection.mass(made, chosen).item(), 4 / (4 + 8103.083927575384), places=7)

    def test_refusals(self):
        for bad in ({"budget": -1}, {"budget": 1, "window": 0}, {"budget": 1, "sinks": "some"}):
            with self.assertRaisesRegex(Refused, "allowed are"):
                selection.Rule(**bad)


if __name__ == "__main__":
    tiny.main()
