"""Is the model causal, are grouped heads repeated heads, do rotary positions leave distances alone, and is a checkpoint
the model that was saved?
"""

import unittest

from case import FolderCase, has, needs

if has("numpy", "torch", "safetensors"):
    import torch
    from learned_attention import model as m
    from learned_attention.refusals import Refused

SHAPE = {"layers": 2, "width": 24, "query_heads": 4, "kv_heads": 2, "head_dim": 8, "vocabulary": 40, "rotary_base": 1e4}
# Sums of some hundred float32 products of size one: their rounding, with room for their order.
ROUNDING = 1000 * 2**-24


def plain_attention(q, k, v):
    """Softmax attention, position by position, each query head with its own copy of its group's keys and values."""
    group = q.shape[1] // k.shape[1]
    out = torch.zeros_like(q)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            for i in range(q.shape[2]):
                keys, values = k[b, h // group, : i + 1], v[b, h // group, : i + 1]
                weights = torch.exp(keys @ q[b, h, i] / q.shape[3] ** 0.5)
                out[b, h, i] = (weights / weights.sum()) @ values
    return out


@needs("numpy", "torch", "safetensors")
class Model(FolderCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(1)
        self.model = m.Model(m.Shape(**SHAPE))
        with torch.no_grad():
            for weight in self.model.parameters():
                weight.mul_(5)  # so that attention is not uniform
        self.tokens = torch.randint(40, (2, 13))

    def near(self, a, b):
        error = (a - b).abs().max().item()
        self.assertTrue(error <= ROUNDING * max(1.0, b.abs().max().item()), error)

    def test_a_later_token_changes_nothing_before_it(self):
        changed = self.tokens.clone()
        changed[:, 7] = (changed[:, 7] + 1) % 40

        before, after = self.model(self.tokens), self.model(changed)

        self.near(after[:, :7], before[:, :7])
        self.assertTrue(((after - before)[:, 7:].abs().amax(-1) > 1e-3).all())

    def test_the_hook_sees_the_stated_shapes_and_dense_attention_is_what_it_replaces(self):
        seen = []

        def hook(layer, q, k, v):
            seen.append((layer, tuple(q.shape), tuple(k.shape), tuple(v.shape)))
            return plain_attention(q, k, v)

        hooked = self.model(self.tokens, attention=hook)

        self.assertEqual(seen, [(layer, (2, 4, 13, 8), (2, 2, 13, 8), (2, 2, 13, 8)) for layer in range(2)])
        self.near(hooked, self.model(self.tokens))
        # The lie near the truth: query heads dealt to KV heads in turn, not in groups.
        dealt = self.model(
            self.tokens, attention=lambda _, q, k, v: plain_attention(q[:, [0, 2, 1, 3]], k, v)[:, [0, 2, 1, 3]]
        )
        self.assertGreater((dealt - hooked).abs().max().item(), 1e-2)

    def test_queries_and_keys_come_at_their_positions_and_values_without(self):
        """Of one token said again and again, q.k is that of the distance, and the values are one value."""
        seen = {}

        def hook(layer, q, k, v):
            seen.setdefault(layer, (q, k, v))
            return plain_attention(q, k, v)

        self.model(torch.full((1, 9), 3), attention=hook)

        q, k, v = (part[0] for part in seen[0])
        products = q[0] @ k[0].T
        self.near(products[1:, 1:], products[:-1, :-1])
        self.assertGreater((products[:, 0] - products[0, 0]).abs()[1:].min().item(), 1e-3)
        self.near(v[:, 1:], v[:, :-1])

    def test_the_last_positions_are_the_last_of_all(self):
        self.near(self.model(self.tokens, last=3), self.model(self.tokens)[:, -3:])

    def test_rotary_positions_leave_what_depends_on_distance(self):
        cos, sin = (table.unsqueeze(1) for table in m.rotary_table(40, 8, 1e4, torch.device("cpu")))
        q, k = torch.randn(1, 8), torch.randn(1, 8)

        def product(i, j):
            return (m.rotated(q[None], cos[i], sin[i]) * m.rotated(k[None], cos[j], sin[j])).sum()

        self.near(product(30, 21), product(15, 6))
        self.near(product(5, 5), (q * k).sum())
        self.assertGreater((product(30, 21) - product(30, 20)).abs().item(), 1e-3)

    def test_rotary_angles_by_hand(self):
        # d = 4, base 100: frequencies 1 and 100^(-2/4) = 0.1; at position 3 (x0, x2) turns by 3 and (x1, x3) by 0.3.
        cos, sin = m.rotary_table(4, 4, 100.0, torch.device("cpu"))
        turned = m.rotated(torch.tensor([[[1.0, 1.0, 0.0, 0.0]]]), cos[3], sin[3]).flatten()

        self.near(turned, torch.tensor([-0.98999250, 0.95533649, 0.14112001, 0.29552021]))

    def test_the_losses_are_the_negative_log_likelihoods_of_the_logits(self):
        targets = torch.randint(40, (2, 13))

        losses = self.model.losses(self.tokens, targets)

        logits = self.model(self.tokens).double()
        expected = torch.logsumexp(logits, -1) - logits.gather(-1, targets[..., None])[..., 0]
        self.near(losses.double(), expected)

    def test_a_longer_window_after_a_shorter_one_has_its_positions(self):
        short = self.model(self.tokens[:, :5])
        self.near(self.model(self.tokens)[:, :5], short)

    def test_a_checkpoint_is_the_model(self):
        path = self.folder / "model.safetensors"
        m.save(self.model, path, {"seed": 7, "note": "x"})

        again = m.load(path, "cpu")

        self.assertEqual(again.shape, self.model.shape)
        self.assertTrue(torch.equal(again(self.tokens), self.model(self.tokens)))
        metadata = m.read_metadata(path)
        self.assertEqual((metadata["seed"], metadata["note"]), ("7", "x"))
        self.assertEqual([file.name for file in self.folder.iterdir()], ["model.safetensors"])

    def test_what_is_no_checkpoint_is_refused(self):
        with self.assertRaisesRegex(Refused, "a checkpoint that train wrote"):
            m.load(self.folder / "none.safetensors", "cpu")
        with self.assertRaisesRegex(Refused, "a checkpoint that train wrote"):
            m.load(self.write("broken.safetensors", b"12345678"), "cpu")
        import safetensors.torch

        safetensors.torch.save_file({"a": torch.zeros(1)}, self.folder / "other.safetensors")
        with self.assertRaisesRegex(Refused, "format None; allowed is learned-attention-1"):
            m.load(self.folder / "other.safetensors", "cpu")

    def test_shapes_that_cannot_be_are_refused(self):
        for wrong in ({"query_heads": 3}, {"head_dim": 7}, {"layers": 0}, {"rotary_base": 1.0}):
            with self.assertRaisesRegex(Refused, "allowed"):
                m.Shape(**(SHAPE | wrong))

    def test_the_number_of_weights_by_hand(self):
        # SwiGLU of 64. A block: 2 gains of 24, query 32 x 24, key and value 16 x 24, output 24 x 32, three of 64 x 24.
        block = 2 * 24 + 2 * 32 * 24 + 2 * 16 * 24 + 3 * 64 * 24
        self.assertEqual(sum(weight.numel() for weight in self.model.parameters()), 40 * 24 + 24 + 2 * block)


if __name__ == "__main__":
    unittest.main()
