"""Are the statistics of a head those of keys and queries that can be worked by hand?"""

import math
import unittest

import tiny
import torch
from learned_attention.ranking import head_statistics


def of(made, tokens=None):
    tokens = torch.zeros(1, made.keys.shape[2], dtype=torch.long) if tokens is None else torch.tensor([tokens])
    found = head_statistics.of_rows(made, tokens, lambda rows: rows.flatten(1, 1))
    return {name: numbers[0, 0].item() for name, numbers in found.items()}


class Statistics(unittest.TestCase):
    def test_norms_and_mean_by_hand(self):
        # |k| 5, 5, 13 and |v| 1, 3, 2; mean key (3 - 3 + 5, 4 + 4 + 12)/3 = (5/3, 20/3).
        made = tiny.problem([[3.0, 4.0], [0.0, 2.0]], [[3, 4], [-3, 4], [5, 12]], [[1, 0], [0, 3], [2, 0]])
        found = of(made)
        self.assertAlmostEqual(found["key_norm"], 23 / 3, places=5)
        self.assertAlmostEqual(
            found["key_norm_variation"], math.sqrt((25 + 25 + 169) / 3 - (23 / 3) ** 2) / (23 / 3), places=5
        )
        self.assertAlmostEqual(found["mean_key_share"], math.hypot(5 / 3, 20 / 3) / (23 / 3), places=5)
        self.assertAlmostEqual(found["query_norm"], (5 + 2) / 2, places=5)
        self.assertAlmostEqual(found["value_norm_variation"], math.sqrt(2 / 3) / 2, places=5)
        # Logits of the first query 25, 7, 63 over sqrt(2), of the second 8, 8, 24.
        deviations = [math.sqrt(sum(x * x for x in row) / 3 - (sum(row) / 3) ** 2) for row in ((25, 7, 63), (8, 8, 24))]
        self.assertAlmostEqual(found["logit_deviation"], sum(deviations) / 2 / math.sqrt(2), places=4)

    def test_participation_ratio(self):
        line = torch.tensor([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]])
        self.assertAlmostEqual(head_statistics.participation_ratio(line).item(), 1, places=6)
        cross = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        self.assertAlmostEqual(head_statistics.participation_ratio(cross).item(), 2, places=6)
        # Variances 4 and 1: (4 + 1)^2 / (16 + 1).
        self.assertAlmostEqual(
            head_statistics.participation_ratio(cross * torch.tensor([2.0, 1.0])).item(), 25 / 17, places=6
        )
        self.assertTrue(math.isnan(head_statistics.participation_ratio(torch.zeros(3, 2)).item()))

    def test_masses_of_equal_logits(self):
        # 100 keys of one logit, the row at 79: 80 visible; 4 sinks, 64 near, two keys whose token before is its own.
        tokens = [0] * 100
        tokens[79] = tokens[10] = tokens[30] = tokens[85] = 5
        made = tiny.problem([[1.0]], [[0.0]] * 100, positions=[79], indexed=50)
        found = of(made, tokens)
        self.assertAlmostEqual(found["sink_mass"], 4 / 80, places=6)
        self.assertAlmostEqual(found["local_mass"], 64 / 80, places=6)
        self.assertAlmostEqual(found["induction_mass"], 2 / 80, places=6)
        self.assertAlmostEqual(found["effective_keys"], 80, places=3)

    def test_kinds(self):
        def kind(local, sink, induction):
            return head_statistics.kind({"local_mass": local, "sink_mass": sink, "induction_mass": induction})

        self.assertEqual(kind(0.7, 0.2, 0.0), "local")
        self.assertEqual(kind(0.2, 0.6, 0.1), "sink")
        self.assertEqual(kind(0.2, 0.1, 0.3), "induction")
        self.assertEqual(kind(0.3, 0.2, 0.1), "diffuse")


if __name__ == "__main__":
    tiny.main()
