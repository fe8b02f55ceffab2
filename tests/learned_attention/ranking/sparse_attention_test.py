"""Does the hook attend sparsely where it should, densely where not, and to nothing that lies ahead?"""

import unittest
from dataclasses import replace

import tiny
import torch
from learned_attention.ranking import peers, rankers, selection
from learned_attention.ranking.sparse_attention import Prefix, SparseAttention, choose
from learned_attention.refusals import Refused

LENGTH, ROWS = 48, 12
ALL = selection.Rule(LENGTH)


def tokens(seed=0, batch=2):
    return torch.randint(1, 61, (batch, LENGTH), generator=torch.Generator().manual_seed(seed))


def hook(name, rule, only=None, sparsity=4.0, settings=tiny.SMALL):
    return SparseAttention(name, rule, ROWS, [0, 1], settings, sparsity, only)


def logits(name, rule, of=None, only=None):
    with torch.no_grad():
        return tiny.model()(tokens() if of is None else of, attention=hook(name, rule, only), last=ROWS)


SPARSE = selection.Rule(5, sink=2, window=4)


class Hook(unittest.TestCase):
    def test_dense_is_the_model_s_own_attention(self):
        with torch.no_grad():
            own = tiny.model()(tokens(), last=ROWS)
        self.assertLess((logits("dense", ALL) - own).abs().max().item(), 1e-3 * own.abs().max().item())

    def test_a_budget_of_all_keys_is_dense_to_the_bit(self):
        dense = logits("dense", SPARSE)
        for name in rankers.RANKERS:
            if name == "bucket-attention":  # it selects no key without a collision, whatever the budget
                continue
            self.assertTrue(torch.equal(logits(name, ALL), dense), name)
            self.assertFalse(torch.equal(logits(name, SPARSE), dense), name)
        for name in ("bucket-attention", "magicpig"):
            self.assertFalse(torch.equal(logits(name, SPARSE), dense), name)

    def test_a_later_token_changes_nothing_before_it(self):
        for at in (LENGTH - 1, LENGTH - 7, LENGTH - ROWS):
            changed = tokens()
            changed[:, at] = 61 - changed[:, at]
            before = at - (LENGTH - ROWS)
            for name in rankers.NAMES:
                a, b = logits(name, SPARSE), logits(name, SPARSE, changed)
                self.assertTrue(torch.equal(a[:, :before], b[:, :before]), (name, at))
                self.assertFalse(torch.equal(a[:, before:], b[:, before:]), (name, at))

    def test_each_row_is_that_of_a_loop_over_rows_and_heads(self):
        random = torch.Generator().manual_seed(5)
        q = torch.randn(2, 4, LENGTH, 8, generator=random)
        k, v = (torch.randn(2, 2, LENGTH, 8, generator=random) for _ in range(2))
        found = hook("oracle-top-k", SPARSE)(0, q, k, v)
        for b in range(2):
            for head in range(4):
                for row in range(LENGTH):
                    keys, values = k[b, head // 2, : row + 1], v[b, head // 2, : row + 1]
                    scores = keys @ q[b, head, row]
                    chosen = list(range(row + 1))
                    if row >= LENGTH - ROWS:
                        middle = sorted(range(2, row - 3), key=lambda j: -scores[j].item())[:5]
                        chosen = sorted({0, 1, *middle, *range(row - 3, row + 1)})
                    share = (scores[chosen] / 8**0.5).softmax(dim=0)
                    self.assertLess((found[b, head, row] - share @ values[chosen]).abs().max().item(), 1e-5)

    def test_one_head_alone(self):
        random = torch.Generator().manual_seed(6)
        q = torch.randn(2, 4, LENGTH, 8, generator=random)
        k, v = (torch.randn(2, 2, LENGTH, 8, generator=random) for _ in range(2))
        dense, sparse = (hook(name, SPARSE)(1, q, k, v) for name in ("dense", "hamming"))
        one = hook("hamming", SPARSE, only=(1, 2))(1, q, k, v)
        self.assertTrue(torch.equal(one[:, 2], sparse[:, 2]))
        for head in (0, 1, 3):
            self.assertTrue(torch.equal(one[:, head], dense[:, head]))
        self.assertTrue(torch.equal(hook("hamming", SPARSE, only=(0, 2))(1, q, k, v), dense))

    def test_counts_and_mass(self):
        measured = hook("socket", SPARSE)
        with torch.no_grad():
            tiny.model()(tokens(), attention=measured)
        self.assertEqual(measured.selected.tolist(), [11, 11])  # 2 + 4 + 5 of each row
        self.assertTrue(((measured.mass > 0) & (measured.mass < 1)).all())
        full = hook("dense", SPARSE)
        with torch.no_grad():
            tiny.model()(tokens(), attention=full)
        self.assertEqual(full.mass.tolist(), [1, 1])

    def test_rows_behind_a_prefix_are_those_of_the_whole_window(self):
        whole, first = tokens(), LENGTH - ROWS
        prefix = Prefix()
        with torch.no_grad():
            tiny.model()(whole[:, :first], attention=prefix, last=1)
            for name in rankers.NAMES:
                behind, alone = hook(name, SPARSE), hook(name, SPARSE)
                behind.prefix = prefix
                found = tiny.model()(whole[:, first:], attention=behind, first=first)
                expected = tiny.model()(whole, attention=alone, last=ROWS)
                self.assertLess((found - expected).abs().max().item(), 1e-4 * expected.abs().max().item(), name)
                self.assertEqual(behind.selected.tolist(), alone.selected.tolist(), name)
        # Of each of two layers keys and values [2, 2, 36, 8] and mean |q| [2, 2, 8], in float32.
        self.assertEqual(prefix.bytes, 2 * 4 * (2 * 2 * 2 * 36 * 8 + 2 * 2 * 8))

    def test_the_calibration_is_the_mean_over_the_heads_of_a_group_and_the_dense_positions(self):
        q = torch.tensor([[[[1.0, -2.0], [3.0, 4.0]], [[-5.0, 6.0], [7.0, 0.0]]]])  # two heads on one, two positions
        k = v = torch.zeros(1, 1, 2, 2)
        prefix = Prefix()
        prefix(0, q, k, v)
        self.assertEqual(prefix.layers[0][2].tolist(), [[[4.0, 3.0]]])

    def test_a_window_of_rows_alone(self):
        short = tokens()[:, :9]
        with torch.no_grad():
            own, dense = tiny.model()(short), tiny.model()(short, attention=hook("dense", ALL))
        self.assertLess((dense - own).abs().max().item(), 1e-3 * own.abs().max().item())

    def test_sampled_keys_are_weighted_by_their_chance_and_sink_and_window_are_not(self):
        made = tiny.random_problem(keys=30, rows=2, sparsity=3.0)
        selected, weights = choose(made, "magicpig", SPARSE)
        always, competing = SPARSE.ways(made)
        self.assertTrue((weights[always.expand_as(weights)] == 0).all())
        self.assertTrue((weights[competing.expand_as(weights)] > 0).all())
        self.assertTrue(selected[always.expand_as(selected)].all())
        self.assertTrue(torch.equal(selected & competing, peers.magicpig(made)[0] & competing))

    def test_pages_that_would_hold_later_keys_are_refused(self):
        with self.assertRaisesRegex(Refused, "pages of 4 keys .* allowed are windows of 3 and more"):
            logits("quest", replace(SPARSE, window=2))


if __name__ == "__main__":
    tiny.main()
