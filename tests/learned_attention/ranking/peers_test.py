"""Are Quest, Double Sparsity, Loki, PQCache and MagicPIG what their definitions say, on keys that can be worked by
hand?
"""

import unittest
from dataclasses import replace
from unittest import mock

import tiny
import torch
from learned_attention.ranking import draws, hash_scores, peers, selection

KEYS = [[1.0, -2.0], [3.0, 0.0], [-1.0, 5.0], [2.0, 2.0], [4.0, -4.0]]


def scores(function, made, **more):
    return tiny.row(function(made, **more))[0]


class Quest(unittest.TestCase):
    def test_pages_of_two_by_hand(self):
        # Pages: x 1..3, y -2..0; x -1..2, y 2..5; the last one key. Query (2, -1): 2 high_x - low_y.
        made = tiny.problem([[2.0, -1.0]], KEYS)
        self.assertEqual(scores(peers.quest, made, page=2), [8, 8, 2, 2, 12])

    def test_a_page_of_one_key_is_q_k_and_every_page_a_bound(self):
        made = tiny.random_problem(keys=37)
        tiny.approximately(self, tiny.row(peers.quest(made, page=1)), tiny.row(made.products))
        self.assertTrue((peers.quest(made, page=5) >= made.products - 1e-5).all())

    def test_the_published_size(self):
        made = tiny.random_problem(dim=8)  # 64 bits a token: two bounds of 8 numbers at 16 bits are 256 bits to 4 keys
        self.assertTrue(torch.equal(peers.quest(made), peers.quest(made, page=4)))


class DoubleSparsity(unittest.TestCase):
    def test_the_heaviest_channel_by_hand(self):
        # mean |k| = (11/5, 13/5), mean |q| = (2, 1): weights 4.4 and 2.6.
        made = tiny.problem([[2.0, -1.0]], KEYS)
        self.assertEqual(scores(peers.double_sparsity, made, channels=1), [2, 6, -2, 4, 8])
        # The calibration decides: with the mean |q| (1, 2) it is the other channel.
        other = replace(made, calibration=torch.tensor([[[1.0, 2.0]]]))
        self.assertEqual(scores(peers.double_sparsity, other, channels=1), [2, 0, -5, -2, 4])

    def test_all_channels_are_q_k_and_ties_go_to_the_lower(self):
        made = tiny.random_problem()
        tiny.approximately(self, tiny.row(peers.double_sparsity(made, channels=8)), tiny.row(made.products))
        tied = tiny.problem([[1.0, 1.0]], [[1, 2], [2, 1]])
        self.assertEqual(scores(peers.double_sparsity, tied, channels=1), [1, 2])


class Loki(unittest.TestCase):
    def test_keys_on_a_line_by_hand(self):
        # Centred keys lie along (3, 4)/5; coordinates of key and query on it: k.u and q.u of the keys as they are.
        made = tiny.problem([[1.0, 0.0]], [[3, 4], [6, 8], [-3, -4], [0.8, -0.6]], indexed=3)
        tiny.approximately(self, scores(peers.loki, made, rank=1), [3, 6, -3, 0])

    def test_the_full_rank_is_q_k(self):
        made = tiny.random_problem()
        tiny.approximately(self, tiny.row(peers.loki(made, rank=8)), tiny.row(made.products), places=4)


class ProductQuantiser(unittest.TestCase):
    def test_a_codebook_of_every_key_is_q_k(self):
        made = tiny.random_problem(keys=16)
        tiny.approximately(self, tiny.row(peers.pqcache(made, groups=4)), tiny.row(made.products))

    def test_two_clusters_by_hand(self):
        points = torch.tensor([[[0.0], [1.0], [10.0], [12.0]]])
        for start in ([0, 1], [2, 3], [0, 3]):
            centroids = peers.k_means(points, points[:, start], rounds=10)
            self.assertEqual(centroids.flatten().tolist(), [0.5, 11.0])
        self.assertEqual(peers.nearest(points, torch.tensor([[[0.5], [11.0]]])).tolist(), [[0, 0, 1, 1]])
        # Ties to the lower number, and an empty cluster keeps its centroid.
        self.assertEqual(peers.nearest(torch.tensor([[[1.0]]]), torch.tensor([[[0.0], [2.0]]])).tolist(), [[0]])
        kept = peers.k_means(points, torch.tensor([[[5.0], [99.0]]]), rounds=3)
        self.assertEqual(kept.flatten().tolist(), [5.75, 99.0])

    def test_groups_are_the_largest_divisor(self):
        self.assertEqual(
            (peers.divisor_within(128, 64), peers.divisor_within(12, 5), peers.divisor_within(7, 3)), (64, 4, 1)
        )


class MagicPig(unittest.TestCase):
    def test_chance_of_two_collisions(self):
        p = torch.tensor([0.5, 1.0, 0.0, 1e-6, 1e-9], dtype=torch.float64)
        # Three tables: 3 p^2 (1 - p) + p^3 = 1/2, 1, 0; small p: 3 p^2 - 2 p^3.
        tiny.approximately(self, peers.chance_of_two(p, 3)[:3].tolist(), [0.5, 1, 0])
        for found, share in zip(peers.chance_of_two(p, 3)[3:].tolist(), (1e-6, 1e-9), strict=True):
            self.assertAlmostEqual(found / (3 * share**2), 1 - 2 * share / 3, places=10)

    def test_tables_for_a_density(self):
        # One plane, p = 1/2: 2 tables draw 1/4, 3 draw 1/2, 4 draw 11/16.
        self.assertEqual([peers.tables_for_density(1, d) for d in (0.2, 0.25, 0.4, 0.5, 0.6)], [2, 2, 3, 3, 4])

    def test_the_estimate_is_attention_on_average(self):
        # Sums over draws of e^logit v / u and e^logit / u are unbiased; 300 draws of tables by the seed.
        made = tiny.random_problem(keys=24, rows=2, sparsity=2.0, settings=replace(tiny.SMALL, planes=2))
        exact = made.logits.exp()
        top, bottom, square = 0, 0, 0
        for seed in range(300):
            drawn, weights = peers.magicpig(replace(made, settings=replace(made.settings, seed=seed)))
            one = (exact * weights.exp() * drawn).sum(dim=-1)
            bottom, square = bottom + one / 300, square + one**2 / 300
            top = top + (exact * weights.exp() * drawn) @ made.values / 300
        error = ((square - bottom**2) / 300).sqrt()
        self.assertTrue(((bottom - exact.sum(dim=-1)).abs() <= 5 * error).all())
        # A lie: weights left out draw less than the whole.
        self.assertTrue((5 * error < 0.3 * bottom).all())
        self.assertLess(
            ((top / bottom.unsqueeze(-1)) - selection.attend(made, made.visible.expand(1, 1, 2, 24))).abs().max(), 0.3
        )

    def test_keys_are_centred_before_they_are_hashed(self):
        made = tiny.random_problem(keys=24, sparsity=4.0)
        moved = replace(made, keys=made.keys + 8.0)
        self.assertTrue(torch.equal(peers.magicpig(made)[0], peers.magicpig(moved)[0]))

    def test_two_collisions_draw_and_one_does_not(self):
        made = tiny.random_problem(keys=3, rows=1)
        counts = torch.tensor([0.0, 1.0, 2.0]).expand(1, 1, 1, 3)
        with mock.patch.object(hash_scores, "table_sums", return_value=counts):
            drawn, _ = peers.magicpig(replace(made, sparsity=2.0))
        self.assertEqual(tiny.row(drawn), [[False, False, True]])


class LearnedFromIndexedKeysAlone(unittest.TestCase):
    def test_later_keys_change_no_other_key_s_score(self):
        made = tiny.random_problem(keys=64, rows=3, indexed=40, sparsity=3.0)
        keys = made.keys.clone()
        keys[:, :, 48:] = 7 * keys[:, :, 48:].flip(-1)
        other = replace(made, keys=keys)
        # Quest's pages hold four keys here: those before 48 end there.
        for function in (peers.quest, peers.double_sparsity, peers.loki, peers.pqcache):
            self.assertTrue(torch.equal(function(made)[..., :48], function(other)[..., :48]), function.__name__)
            self.assertFalse(torch.equal(function(made)[..., 48:], function(other)[..., 48:]))
        for part, changed in zip(peers.magicpig(made), peers.magicpig(other), strict=True):
            self.assertTrue(torch.equal(part[..., :48], changed[..., :48]))

    def test_a_draw_of_centroids_is_its_window_s(self):
        rows = [peers.distinct_rows(1, 0, draw, 3, 50, 16).tolist() for draw in (0, 1, draws.DRAWS)]
        self.assertNotEqual(rows[0], rows[1])
        self.assertEqual(rows[0], rows[2])
        for group in rows[0]:
            self.assertEqual((len(set(group)), min(group) >= 0, max(group) < 50), (16, True, True))


if __name__ == "__main__":
    tiny.main()
