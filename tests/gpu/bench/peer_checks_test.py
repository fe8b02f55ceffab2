"""Does peer_checks.py take what is right and refuse what is nearly right?

PYTHONPATH=../../../gpu/bench/peers python3 -m unittest peer_checks_test      in tests/gpu/bench
"""

import itertools
import math
import random
import struct
import unittest

from peer_checks import LOWER_INDEX, OPEN, TIES, disagreement, output_bound, weight_error

SCORES = [5.0, 3.0, 3.0, 9.0, 3.0, 1.0]  # of the best three, 9 and 5 stand fast; 3 is there three times
BETTER, TIED, BUDGET = [0, 3], [1, 2, 4], 3


def judged(chosen, ties=OPEN):
    return disagreement(chosen, BETTER, TIED, BUDGET, ties)


class Sets(unittest.TestCase):
    def test_the_best_with_the_tied_key_of_lower_index_is_right_by_either_rule_and_in_any_order(self):
        for ties in TIES:
            for chosen in itertools.permutations([0, 1, 3]):
                self.assertIsNone(judged(chosen, ties))

    def test_another_tied_key_is_right_where_ties_are_open_and_wrong_by_the_lower_index(self):
        self.assertIsNone(judged([3, 0, 4]))
        self.assertIn("lower index", judged([3, 0, 4], LOWER_INDEX))

    def test_a_set_that_is_off_by_one_key_is_refused(self):
        for chosen, words in (
            ([0, 3, 5], "key 5 is worse"),
            ([0, 1, 2], "key 3 is better than the last and missing"),
            ([0, 3, 3], "1 keys stand twice"),
            ([0, 3], "2 keys, not 3"),
            ([0, 1, 2, 3], "4 keys, not 3"),
            ([0, 3, -7], "key -7 is worse"),
            ([0, 3, 6], "key 6 is worse"),
        ):
            with self.subTest(chosen=chosen):
                for ties in TIES:
                    self.assertIn(words, judged(chosen, ties))

    def test_of_all_sets_those_are_right_whose_scores_add_up_to_the_most(self):
        """The second route: sums of scores, and of those the set with the least sum of indices."""
        sets = list(itertools.combinations(range(len(SCORES)), BUDGET))
        most = max(sum(SCORES[key] for key in chosen) for chosen in sets)
        best = [chosen for chosen in sets if sum(SCORES[key] for key in chosen) == most]

        self.assertEqual([chosen for chosen in sets if judged(chosen) is None], best)
        self.assertEqual([chosen for chosen in sets if judged(chosen, LOWER_INDEX) is None], [min(best, key=sum)])

    def test_a_threshold_that_is_none_and_a_rule_that_is_none_are_refused(self):
        for better, tied in (([0, 3, 1], [2, 4]), ([0], [3]), ([0, 3], [])):
            with self.assertRaises(ValueError):
                disagreement([0, 1, 3], better, tied, BUDGET, OPEN)
        with self.assertRaises(ValueError):
            judged([0, 1, 3], "higher index")


def bf16(x):
    """Rounded to nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]


def fp32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


DIM, KEYS, SPLITS, SCALE = 16, 96, 3, 0.25


class Head:
    """One head with bf16 inputs: its output in double, and by splits with fp32 sums and bf16 weights."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.q = [bf16(3 * draw.gauss(0, 1)) for _ in range(DIM)]
        self.k, self.v = ([[bf16(draw.gauss(0, 1)) for _ in range(DIM)] for _ in range(KEYS)] for _ in "kv")
        self.logits = [SCALE * sum(a * b for a, b in zip(self.q, row, strict=True)) for row in self.k]

    def exact(self, logits=None, values=None):
        logits, values = logits or self.logits, values or self.v
        weights = [math.exp(x - max(logits)) for x in logits]
        return [sum(w * row[d] for w, row in zip(weights, values, strict=True)) / sum(weights) for d in range(DIM)]

    def split(self):
        """Each split by itself from its own maximum, then merged."""
        total, sums = 0.0, [0.0] * DIM
        for split in range(SPLITS):
            part = range(split * KEYS // SPLITS, (split + 1) * KEYS // SPLITS)
            largest = max(self.logits[key] for key in part)
            merge = fp32(math.exp(largest - max(self.logits)))
            weights = {key: fp32(math.exp(fp32(self.logits[key] - largest))) for key in part}
            total = fp32(total + merge * sum(weights.values()))
            for d in range(DIM):
                sums[d] = fp32(sums[d] + merge * sum(bf16(weights[key]) * self.v[key][d] for key in part))
        return [bf16(x / total) for x in sums]

    def bounds(self):
        dot_size = max(SCALE * sum(abs(a * b) for a, b in zip(self.q, row, strict=True)) for row in self.k)
        spread, largest = max(self.logits) - min(self.logits), max(map(abs, self.logits))
        error = weight_error(DIM, KEYS, dot_size, spread, largest)
        sizes = self.exact(values=[[abs(x) for x in row] for row in self.v])
        return [output_bound(x, size, error) for x, size in zip(self.exact(), sizes, strict=True)]

    def share(self, output):
        return max(abs(x - y) / b for x, y, b in zip(output, self.exact(), self.bounds(), strict=True))


class Attention(unittest.TestCase):
    def test_the_error_of_a_weight_is_the_sum_of_its_parts(self):
        """In units of 2^-24: the weight 2^16, 16 in the exponential 64, 64 keys 8 + 32 and 4 + 1; 128 times the size 256."""
        self.assertEqual(weight_error(126, 64, 0, 0, 0), (65536 + 64 + 40 + 5) * 2.0**-24)
        self.assertEqual(weight_error(126, 64, 1, 0, 0), (65536 + 64 + 40 + 5 + 256) * 2.0**-24)
        self.assertEqual(weight_error(126, 64, 0, 3, 1), (65536 + 80 + 40 + 5) * 2.0**-24)

    def test_the_bound_of_an_output_is_that_of_a_quotient_and_of_its_rounding(self):
        """2 * 1/4 / (3/4) * 3 is 2; rounding 2 + 2 adds 4/256."""
        self.assertAlmostEqual(output_bound(-2, 3, 0.25), 2 + 4 / 256, places=14)

    def test_split_attention_in_bf16_is_within_the_bound_and_uses_a_part_of_it_that_can_be_seen(self):
        shares = [head.share(head.split()) for head in map(Head, range(20))]

        self.assertLess(max(shares), 1)
        self.assertGreater(max(shares), 0.1)

    def test_an_output_without_the_heaviest_key_or_with_the_value_beside_it_is_outside(self):
        for head in map(Head, range(20)):
            at = max(range(KEYS), key=lambda key, head=head: head.logits[key])
            without = [x if key != at else -math.inf for key, x in enumerate(head.logits)]
            beside = [head.v[(key + 1) % KEYS] if key == at else row for key, row in enumerate(head.v)]

            self.assertGreater(head.share(head.exact(logits=without)), 1)
            self.assertGreater(head.share(head.exact(values=beside)), 1)

    def test_a_scale_that_is_a_tenth_too_large_is_outside(self):
        for head in map(Head, range(20)):
            self.assertGreater(head.share(head.exact(logits=[1.1 * x for x in head.logits])), 1)


if __name__ == "__main__":
    unittest.main()
