"""Are the laws of the scores those of drawn tables, the inclusions probabilities of the right sum, and the errors those
of drawn selections?
"""

import functools
import math
import unittest
from dataclasses import replace

import tiny
import torch
from learned_attention.ranking import predictions, rankers, selection

DRAWS = 400
SETTINGS = replace(tiny.SMALL, tables=8, planes=3, signature_bits=12, temperature=0.3)
MADE = tiny.random_problem(keys=40, rows=2, settings=SETTINGS)


def drawn(name):
    """Mean and deviation over draws of the scores, and how often each key is among the best 6."""
    total, square, chosen = 0, 0, 0
    for seed in range(DRAWS):
        scores = rankers.RANKERS[name](replace(MADE, settings=replace(SETTINGS, seed=seed))).double()
        total, square = total + scores / DRAWS, square + scores**2 / DRAWS
        # Ties in random order, as the prediction has it.
        tickets = 1e-7 * torch.rand(scores.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        chosen = chosen + selection.best(scores + tickets, torch.ones_like(scores, dtype=torch.bool), 6) / DRAWS
    return total, (square - total**2).clamp(min=0).sqrt(), chosen


def geometry():
    cosine = rankers.cosine(MADE).double()
    return cosine, torch.arccos(cosine), MADE.queries.double().norm(dim=-1)


class Laws(unittest.TestCase):
    def agree(self, name, mean, deviation, scale=1.0):
        found_mean, found_deviation, _ = drawn(name)
        # Five standard errors of a mean; a deviation from 400 draws is within 25%.
        self.assertTrue(((found_mean - mean * scale).abs() <= 5 * found_deviation / DRAWS**0.5 + 1e-6).all(), name)
        self.assertTrue(((found_deviation / (deviation * scale) - 1).abs() < 0.25).all(), name)

    def test_soft_scores(self):
        _, angle, norm = geometry()
        mean, deviation = predictions.soft_law(angle, norm, 8, 3, 0.3, 8)
        self.agree("socket", mean, deviation)
        # A lie: one table less is outside.
        wrong, _ = predictions.soft_law(angle, norm, 7, 3, 0.3, 8)
        found, spread, _ = drawn("socket")
        self.assertFalse(((found - wrong).abs() <= 5 * spread / DRAWS**0.5 + 1e-6).all())

    def test_signed_projections(self):
        cosine, _, norm = geometry()
        for kind in ("orthogonal", "independent"):
            mean, deviation = predictions.signed_law(cosine, 12, 8, kind)
            self.agree(f"signed-{kind}", mean, deviation, norm.unsqueeze(-1))

    def test_the_soft_score_at_the_query_s_own_direction(self):
        # All planes agree: E sigma(2 |tanh z| / (sqrt(dim) tau)), by a sum over 100,001 z.
        norm = torch.tensor([2.0], dtype=torch.float64)
        first, _ = predictions.plane_moments(torch.tensor([0.0], dtype=torch.float64), norm, 0.3, 8)
        z = torch.linspace(-9, 9, 100001, dtype=torch.float64)
        density = torch.exp(-(z**2) / 2)
        signal = 2 * torch.tanh(2 * z).abs() / (math.sqrt(8) * 0.3)
        self.assertAlmostEqual(
            first.item(), (torch.sigmoid(signal) * density).sum().item() / density.sum().item(), places=4
        )


class Inclusions(unittest.TestCase):
    everywhere = torch.ones(2, 40, dtype=torch.bool)

    def test_predicted_inclusion_is_that_of_drawn_tables(self):
        for name in (
            "socket",
            "socket-value",
            "hard-lsh",
            "hamming",
            "signed-orthogonal-norm",
            "qjl",
            "signed-independent",
        ):
            found = predictions.inclusion(name, MADE, self.everywhere, 6, torch.arange(2))
            self.assertAlmostEqual(found.sum(dim=-1).max().item(), 6, places=4)
            _, _, chosen = drawn(name)
            # Few tables: normal laws and a fixed threshold are approximations, to within 0.12 of a probability here.
            self.assertLess((found - chosen).abs().max().item(), 0.12, name)
            self.assertGreater((chosen - 6 / 40).abs().max().item(), 0.12)  # a flat prediction is refuted

    def test_counts_by_hand(self):
        # One table: scores 1 with chance 1/2, 1/4, 1/4; a budget of 1 is their sum, so that nobody at 0 is taken.
        chance = torch.tensor([[0.5, 0.25, 0.25]])
        allowed = torch.ones(1, 3, dtype=torch.bool)
        tiny.approximately(self, predictions.inclusion_by_counts(chance, 1, allowed, 1).tolist(), [[0.5, 0.25, 0.25]])
        # A budget of 2: half of those at 0, of 0.5 + 0.75 + 0.75 in all, join.
        tiny.approximately(
            self, predictions.inclusion_by_counts(chance, 1, allowed, 2).tolist(), [[0.75, 0.625, 0.625]]
        )

    def test_two_normal_scores_by_hand(self):
        # Means 0 and 2 of deviation 1, one place: the threshold is 1, by symmetry.
        mean, deviation = torch.tensor([[0.0, 2.0]]).double(), torch.ones(1, 2).double()
        found = predictions.inclusion_by_moments(mean, deviation, torch.ones(1, 2, dtype=torch.bool), 1)
        tiny.approximately(self, found.tolist(), [[0.1586553, 0.8413447]])

    def test_only_competing_keys_are_included(self):
        competing = self.everywhere.clone()
        competing[:, :10] = False
        for name in ("socket", "hard-lsh", "random"):
            found = predictions.inclusion(name, MADE, competing, 6, torch.arange(2))
            self.assertEqual(found[..., :10].abs().max().item(), 0)
            self.assertAlmostEqual(found.sum(dim=-1).min().item(), 6, places=4)
        self.assertIsNone(predictions.inclusion("quest", MADE, competing, 6, torch.arange(2)))


class Errors(unittest.TestCase):
    """Of the outputs of drawn selections, each attended to as the model would."""

    problem = tiny.random_problem(keys=400, rows=3)
    share = problem.logits.softmax(dim=-1).double()
    exact = selection.attend(problem, torch.ones(3, 400, dtype=torch.bool))
    # Heavy keys more often, as a ranker does; some always, some never.
    chance = (share * 200).clamp(max=0.9)
    chance[..., :4], chance[..., 4:8] = 1, 0

    @classmethod
    @functools.cache
    def drawn(cls):
        """Squared relative errors and sums of the kept weights of independent selections, [draws, .., rows]."""
        random = torch.Generator().manual_seed(5)
        errors, kept = [], []
        for _ in range(2000):
            selected = torch.rand(cls.chance.shape, generator=random, dtype=torch.float64) < cls.chance
            output = selection.attend(cls.problem, selected)
            errors.append(((output - cls.exact).norm(dim=-1) / cls.exact.norm(dim=-1)).double() ** 2)
            kept.append((cls.share * selected).sum(dim=-1))
        return torch.stack(errors), torch.stack(kept)

    def test_mean_squares_are_those_of_drawn_selections(self):
        errors, kept = self.drawn()
        found = predictions.relative_error(self.chance, self.share, self.problem.values, self.exact) ** 2
        noise = 5 * errors.std(dim=0) / len(errors) ** 0.5
        # With the denominator at its mean exactly this is estimated, without another approximation.
        linear = errors * (kept / (self.chance * self.share).sum(dim=-1)) ** 2
        self.assertTrue(((linear.mean(dim=0) - found).abs() <= noise).all())
        # 1 / kept^2 moves by twice the relative deviation of the kept weight, at two deviations by four times.
        moved = 4 * (kept.std(dim=0) / kept.mean(dim=0)) * found
        self.assertTrue(((errors.mean(dim=0) - found).abs() <= noise + moved).all())
        # Lies: every key at the mean probability, and the weights of the keys never drawn kept in the denominator.
        flat = self.chance.mean(dim=-1, keepdim=True).expand_as(self.chance)
        flat = predictions.relative_error(flat, self.share, self.problem.values, self.exact) ** 2
        self.assertTrue(((errors.mean(dim=0) - flat).abs() > noise + moved).any())
        whole = found * (self.chance * self.share).sum(dim=-1) ** 2
        self.assertTrue(((errors.mean(dim=0) - whole).abs() > noise + moved).any())

    def test_both_terms_are_needed(self):
        errors, kept = self.drawn()
        linear = errors * (kept / (self.chance * self.share).sum(dim=-1)) ** 2
        noise = 5 * errors.std(dim=0) / len(errors) ** 0.5
        weights = self.chance * self.share
        drift = (weights @ self.problem.values.double() - weights.sum(dim=-1, keepdim=True) * self.exact).norm(dim=-1)
        drift = (drift / weights.sum(dim=-1) / self.exact.norm(dim=-1)) ** 2
        for alone in (drift, linear.mean(dim=0) - drift):
            self.assertTrue(((linear.mean(dim=0) - alone).abs() > noise).all())

    def test_a_certain_selection_has_its_own_error(self):
        selected = torch.arange(400) % 3 == 0
        output = selection.attend(self.problem, selected.expand(3, 400))
        expected = (output - self.exact).norm(dim=-1) / self.exact.norm(dim=-1)
        certain = selected.double().expand_as(self.share)
        found = predictions.relative_error(certain, self.share, self.problem.values, self.exact)
        tiny.approximately(self, found.tolist(), expected.tolist())
        every = predictions.relative_error(torch.ones_like(self.share), self.share, self.problem.values, self.exact)
        self.assertLess(every.max().item(), 1e-5)  # of fp32 outputs

    def test_two_keys_by_hand(self):
        # Weights 1/2, values 1 and 3, output 2; the first key is certain, the second a toss: drift 1/2 (-1) + 1/4 (1),
        # spread 1/4 1/4 1, kept 3/4. (1/16 + 1/16) / (9/16) = 2/9, and the root over 2.
        numbers = ([[1.0, 0.5]], [[0.5, 0.5]], [[1.0], [3.0]], [[2.0]])
        found = predictions.relative_error(*(torch.tensor(part) for part in numbers))
        self.assertAlmostEqual(found.item(), math.sqrt(2) / 6)


if __name__ == "__main__":
    tiny.main()
