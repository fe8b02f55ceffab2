"""Are the scores of hash tables and signed projections those of their definitions, by hand and by the C++ program?

SOCKETLAB_COMMAND names the program; without it the comparison says so and is left out.
"""

import math
import os
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import tiny
import torch
from learned_attention.ranking import draws, hash_scores, rankers, signed_scores
from learned_attention.refusals import Refused

AXES = [[1.0, 0.0], [0.0, 1.0]]  # two planes: the signs of the coordinates
TWO_BITS = replace(tiny.SMALL, tables=1, planes=2, temperature=0.5)


def sigma(x):
    return 1 / (1 + math.exp(-x))


def given(rows):
    return mock.patch.object(draws, "rows_of", return_value=torch.tensor([rows]))


class HashTables(unittest.TestCase):
    # Query (1, 0.5); keys in the buckets ++, -+, +-, --, and at 0, whose bits are 1 1.
    made = tiny.problem(
        [[1.0, 0.5]], [[2, 1], [-1, 3], [1, -1], [-2, -2], [0, 0]], [[3, 4], [0, 0], [0, 2], [1, 0], [0, 1]], TWO_BITS
    )

    def scores(self, name, rows=AXES, settings=TWO_BITS):
        with given(rows):
            return tiny.row(rankers.RANKERS[name](replace(self.made, settings=settings)))[0]

    def test_soft_scores_by_hand(self):
        # p = sigma(+-2 tanh(1)/(sqrt(2) 0.5)) sigma(+-2 tanh(0.5)/(sqrt(2) 0.5)).
        a, b = (4 * math.tanh(x) / math.sqrt(2) for x in (1, 0.5))
        expected = [
            sigma(a) * sigma(b),
            sigma(-a) * sigma(b),
            sigma(a) * sigma(-b),
            sigma(-a) * sigma(-b),
            sigma(a) * sigma(b),
        ]

        tiny.approximately(self, self.scores("socket"), expected)
        tiny.approximately(
            self, self.scores("socket-value"), [p * v for p, v in zip(expected, (5, 0, 2, 1, 1), strict=True)]
        )

    def test_a_temperature_of_a_third_triples_the_exponent(self):
        a, b = (4 * math.tanh(x) / math.sqrt(2) for x in (1, 0.5))
        with given(AXES):
            found = tiny.row(hash_scores.soft_scores(self.made, temperature=0.5 / 3))[0]
        tiny.approximately(self, found[:2], [sigma(3 * a) * sigma(3 * b), sigma(-3 * a) * sigma(3 * b)])

    def test_counts_by_hand(self):
        self.assertEqual(self.scores("hard-lsh"), [1, 0, 0, 0, 1])
        tiny.approximately(self, self.scores("hard-lsh-latest"), [1, 0.2, 0.4, 0.6, 1.8])  # ties to the later of 5 keys
        self.assertEqual(self.scores("hard-lsh-value"), [5, 0, 0, 0, 1])  # lengths of the values 5, 0, 2, 1, 1
        self.assertEqual(self.scores("hamming"), [2, 1, 1, 0, 2])

    def test_a_strict_sign_would_move_the_key_at_0(self):
        with (
            given(AXES),
            mock.patch.object(hash_scores, "codes_of", lambda w: ((w > 0) * torch.tensor([2, 1])).sum(-1)),
        ):
            lie = tiny.row(rankers.RANKERS["hard-lsh"](self.made))[0]
        self.assertEqual((lie[4], self.scores("hard-lsh")[4]), (0, 1))

    def test_bucket_attention_by_hand(self):
        # Costs: ++ 0, +- tanh(0.5), -+ tanh(1), -- both. Two are open; lengths of the values 5, 0, 2, 1, 1.
        inf = float("inf")
        self.assertEqual(self.scores("bucket-attention", settings=replace(TWO_BITS, opened=2)), [5, -inf, 2, -inf, 1])
        self.assertEqual(
            self.scores("bucket-attention", settings=replace(TWO_BITS, opened=1)), [5, -inf, -inf, -inf, 1]
        )

    def test_two_tables_add(self):
        both = [*AXES, [0.0, -1.0], [1.0, 0.0]]  # the second: bits of -y and x
        settings = replace(TWO_BITS, tables=2)
        # Bits of the query 1 1 and 0 1; of the keys 11 01, 01 00, 10 11, 00 10, 11 11 (both signs of 0 count as 1).
        self.assertEqual(self.scores("hard-lsh", both, settings), [2, 0, 0, 0, 1])
        self.assertEqual(self.scores("hamming", both, settings), [4, 2, 2, 0, 3])

    def test_runs_of_tables_give_the_sums_of_all(self):
        made = tiny.random_problem(rows=4, draws=(3,))
        whole = hash_scores.soft_scores(made)
        with mock.patch.object(hash_scores, "FLOATS", 5 * 4 * 16):  # five of twelve tables at a time
            tiny.approximately(self, tiny.row(hash_scores.soft_scores(made)), tiny.row(whole))
        fewer = replace(made, settings=replace(made.settings, tables=11))
        self.assertGreater((whole - hash_scores.soft_scores(fewer)).min().item(), 0)  # one table less is another score

    def test_the_own_direction_collides_everywhere(self):
        made = tiny.random_problem(keys=3, rows=1)
        made = replace(made, keys=torch.cat([made.keys, 2 * made.queries], dim=2))
        self.assertEqual(tiny.row(hash_scores.hard_scores(made))[0][3], 12)
        self.assertEqual(tiny.row(hash_scores.hamming_scores(made))[0][3], 48)


class SignedProjections(unittest.TestCase):
    made = tiny.problem([[2.0, -1.0]], [[3, 4], [-1, 0], [0, 0]], settings=replace(tiny.SMALL, signature_bits=2))

    def scores(self, name):
        with given([[1.0, 1.0], [1.0, -1.0]]):  # of the query: 1 and 3
            return tiny.row(rankers.RANKERS[name](self.made))[0]

    def test_by_hand(self):
        # Projections of the keys: (7, -1), (-1, -1), (0, 0), signs (+, -), (-, -), (+, +).
        self.assertEqual(self.scores("signed-orthogonal"), [1 - 3, -1 - 3, 1 + 3])
        self.assertEqual(self.scores("signature-hamming"), [0, -2, 2])
        gain = math.sqrt(2 / math.pi)
        tiny.approximately(self, self.scores("qjl"), [-2 * 5 / (2 * gain), -4 / (2 * gain), 0])
        # Gain of rows of norm sqrt(2) in the plane: sqrt(2) mean |cos| = 2 sqrt(2) / pi.
        gain = 2 * math.sqrt(2) / math.pi
        tiny.approximately(self, self.scores("signed-orthogonal-norm"), [-2 * 5 / (2 * gain), -4 / (2 * gain), 0])
        tiny.approximately(self, self.scores("rabitq"), [-2 * 25 / 8, -4 * 1 / 2, 0])

    def test_without_the_norm_the_order_is_another(self):
        self.assertEqual((np.argmin(self.scores("qjl")), np.argmin(self.scores("signed-independent"))), (0, 1))

    def test_the_mean_over_projections_is_q_k(self):
        made = tiny.random_problem(keys=5, rows=3, settings=replace(tiny.SMALL, signature_bits=40000))
        for kind, factor in (("orthogonal", "norm"), ("independent", "norm")):
            found = signed_scores.scores(made, kind, factor=factor)
            # Deviation |q| |k| sqrt(pi / 2 / 40000) < 0.0063 |q| |k| each; five of them.
            bound = 5 * 0.0063 * made.queries.norm(dim=-1, keepdim=True) * made.key_norms
            self.assertTrue(((found - made.products).abs() <= bound).all())

    def test_centring_moves_a_row_by_one_number(self):
        # The centred score estimates (q, k - mean): plus (q, mean) it is the q.k that the other estimates.
        made = tiny.random_problem(keys=5, rows=3, settings=replace(tiny.SMALL, signature_bits=40000))
        found = signed_scores.scores(made, factor="norm", centred=True) + made.queries @ made.mean_key.transpose(-1, -2)
        bound = 5 * 0.0063 * made.queries.norm(dim=-1, keepdim=True) * made.centred.norm(dim=-1).unsqueeze(2)
        self.assertTrue(((found - made.products).abs() <= bound).all())

    def test_orthogonal_rows_are_orthogonal_and_of_norm_sqrt_dim(self):
        rows = draws.rows_of(tiny.random_problem(), "orthogonal-rows", 12)[0].double()
        tiny.approximately(self, (rows[:8] @ rows[:8].T).tolist(), (8 * np.eye(8)).tolist())

    def test_rotations_turn_to_either_side(self):
        # Householder's Q has a first entry of one sign, a Haar rotation one of either: 200 within 5 deviations.
        positive = sum(draws.rotations(np.random.default_rng(i), 3, 3)[0, 0] > 0 for i in range(400))
        self.assertLess(abs(positive - 200), 50)


class WholeKeys(unittest.TestCase):
    made = tiny.problem([[3.0, 4.0]], [[3, 4], [0, 20], [-1, 0], [0, 0]], [[0, 1], [0, 2], [4, 0], [1, 0]])

    def scores(self, name):
        return tiny.row(rankers.RANKERS[name](self.made))[0]

    def test_by_hand(self):
        self.assertEqual(self.scores("oracle-top-k"), [25, 80, -3, 0])
        tiny.approximately(self, self.scores("cosine-oracle"), [1, 0.8, -0.6, 0])
        tiny.approximately(self, self.scores("norm-half"), [math.sqrt(5), 0.8 * math.sqrt(20), -0.6, 0])
        self.assertEqual(self.scores("value-norm"), [1, 2, 4, 1])
        root = math.sqrt(2)
        tiny.approximately(
            self, self.scores("softmax-times-value"), [25 / root, 80 / root + math.log(2), -3 / root + math.log(4), 0]
        )
        self.assertEqual(self.scores("streaming-llm"), [0, 1, 2, 3])

    def test_dealt_norms_are_those_of_the_indexed_keys_in_another_order(self):
        orders = set()
        for draw in range(60):
            made = replace(self.made, indexed=3, draws=(draw,))  # norms 1, 2, 4 of these, 1 of the last
            found = rankers.RANKERS["socket-dealt-value"](made) / rankers.RANKERS["socket"](made)
            *dealt, last = (round(number, 4) for number in tiny.row(found)[0])
            self.assertEqual((sorted(dealt), last), ([1, 2, 4], 1))
            orders.add(tuple(dealt))
        self.assertEqual(len(orders), 6)  # of which one would be missing in 60 draws with 6 (5/6)^60 = 1e-4

    def test_each_window_deals_by_its_own_draw(self):
        alone = [draws.orders(replace(tiny.random_problem(), draws=(draw,)))[0].tolist() for draw in (3, 4)]
        self.assertNotEqual(*alone)
        self.assertEqual(draws.orders(replace(tiny.random_problem(), draws=(3, 4))).tolist(), alone)

    def test_centred_cosine_by_hand(self):
        # Mean key of the first two: (1.5, 12); less it (1.5, -8), (-1.5, 8), (-2.5, -12), (-1.5, -12).
        made = replace(self.made, indexed=2)
        expected = [(3 * x + 4 * y) / 5 / math.hypot(x, y) for x, y in ((1.5, -8), (-1.5, 8), (-2.5, -12), (-1.5, -12))]
        tiny.approximately(self, tiny.row(rankers.RANKERS["cosine-centred"](made))[0], expected)

    def test_a_name_that_is_not_known(self):
        with self.assertRaisesRegex(Refused, "ranker nobody: allowed are dense, oracle-top-k"):
            rankers.require("nobody")


class Draws(unittest.TestCase):
    def test_a_draw_depends_on_its_address_alone(self):
        made = tiny.random_problem(draws=(5,))
        rows = draws.rows_of(made, "hyperplanes", 48)
        other = draws.one_draw.__wrapped__(1, "hyperplanes", 0, 5, 48, 8, "cpu")
        self.assertTrue(torch.equal(rows[0], other))
        for change in ({"draws": (6,)}, {"layer": 1}, {"settings": replace(tiny.SMALL, seed=2)}):
            self.assertFalse(torch.equal(rows, draws.rows_of(replace(made, **change), "hyperplanes", 48)))
        self.assertFalse(torch.equal(rows, draws.rows_of(made, "samples", 48)))

    def test_uniforms_are_uniform_and_of_their_window(self):
        first, second = (
            tiny.random_problem(keys=500, rows=40, draws=(1,)),
            tiny.random_problem(keys=500, rows=40, draws=(2,)),
        )
        u, other = draws.uniforms(first), draws.uniforms(second)
        # 20,000 numbers: the largest distance to the uniform law is below 0.0138 with probability 0.999 (Kolmogorov).
        ordered = u.flatten().double().sort().values
        self.assertLess((ordered - torch.arange(1, 20001) / 20000).abs().max().item(), 0.0138 + 1 / 20000)
        # Five deviations of a correlation of 20,000 independent pairs; likewise of neighbouring keys and rows.
        for a, b in ((u, other), (u[..., 1:], u[..., :-1]), (u[:, :, 1:], u[:, :, :-1])):
            self.assertLess(abs(np.corrcoef(a.flatten(), b.flatten())[0, 1]), 5 / math.sqrt(a.numel()))


class AgainstTheProgram(unittest.TestCase):
    def test_scores_of_own_tensors(self):
        command = os.environ.get("SOCKETLAB_COMMAND")
        if not command:
            self.skipTest("SOCKETLAB_COMMAND names no program")
        settings = replace(tiny.SMALL, tables=20, planes=6)
        made = tiny.random_problem(keys=200, rows=5, dim=16, settings=settings, seed=8)
        planes = draws.rows_of(made, "hyperplanes", 120)[0].reshape(20, 6, 16).double().numpy()
        with tempfile.TemporaryDirectory() as folder:
            for name, array in (("q", made.queries), ("k", made.keys), ("v", made.values)):
                np.save(f"{folder}/{name}.npy", array[0, 0].double().numpy())
            np.save(f"{folder}/w.npy", planes)
            files = [f"--{name}={folder}/{name[0]}.npy" for name in ("queries", "keys", "values")]
            names = {"socket": "socket-value", "hamming": "hamming", "hard-lsh": "hard-lsh"}
            for theirs, ours in names.items():
                out = f"{folder}/{theirs}"
                options = ["--ranker", theirs, "--temperature", "0.5", "--budget", "20", "--sink", "4", "--window", "9"]
                asked = [command, "attend", *files, f"--hyperplanes={folder}/w.npy", *options, "--out", out]
                done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                scores = rankers.RANKERS[ours](made)[0, 0]
                scores = scores if ours == "socket-value" else scores * made.value_norms[0, 0]
                expected = torch.from_numpy(np.load(Path(out, "scores.npy")))
                # 20 tables and 6 planes in fp32: some 100 u of relative error.
                self.assertTrue(torch.allclose(scores.double(), expected, rtol=100 * 2.0**-24, atol=1e-6), theirs)
                self.same_selection(
                    made, expected, np.load(Path(out, "selected.npy")), np.load(Path(out, "output.npy"))
                )

    def same_selection(self, made, scores, selected, output):
        from learned_attention.ranking import selection

        chosen = selection.select(made, scores[None, None], selection.Rule(20, 4, 9))
        for row, keys in enumerate(selected):
            self.assertEqual(chosen[0, 0, row].nonzero().flatten().tolist(), sorted(keys[keys >= 0].tolist()))
        found = selection.attend(made, chosen)[0, 0].double().numpy()
        np.testing.assert_allclose(found, output, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    tiny.main()
