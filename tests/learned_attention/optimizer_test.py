"""Are gradients views of one buffer that is clipped and cleared, and does each weight have its optimizer?"""

import types
import unittest

from case import has, needs

if has("numpy", "torch", "safetensors"):
    import torch
    from learned_attention import model as m
    from learned_attention import optimizer as o


@needs("numpy", "torch", "safetensors")
class Optimizer(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.model = m.Model(m.Shape(2, 16, 2, 1, 8, 30))
        self.tokens = torch.randint(30, (2, 9))

    def backward(self):
        self.model.losses(self.tokens[:, :-1], self.tokens[:, 1:]).sum().backward()

    def test_every_weight_has_one_optimizer_and_gains_do_not_decay(self):
        names = {id(weight): name for name, weight in self.model.named_parameters()}
        muon, matrices, gains = ([names[id(weight)] for weight in group] for group in o.groups(self.model, "muon"))

        self.assertEqual(sorted(muon + matrices + gains), sorted(names.values()))
        self.assertEqual({name.rpartition(".")[2] for name in muon}, {"value", "output", "gate", "up", "down"})
        self.assertEqual({name.rpartition(".")[2] for name in matrices}, {"embedding", "query", "key"})
        self.assertTrue(all("gain" in name for name in gains))
        self.assertEqual(o.groups(self.model, "adamw")[0], [])

    def test_backward_adds_to_the_buffer_and_a_step_clears_it(self):
        optimizer = o.Optimizer(self.model, "muon", 1e-2, 1e-2, 1)
        self.backward()
        once = optimizer.gradient.clone()
        self.backward()

        error = (optimizer.gradient - 2 * once).abs().max().item()
        self.assertTrue(error <= 1e-5 * once.abs().max().item(), error)
        self.assertGreater(once.abs().max().item(), 0)
        norm = optimizer.step(1.0)
        self.assertAlmostEqual(norm.item(), 2 * once.norm().item(), delta=1e-3 * norm.item())
        self.assertEqual(optimizer.gradient.abs().max().item(), 0)
        self.backward()
        self.assertGreater(optimizer.gradient.abs().max().item(), 0)  # still the same views

    def test_a_long_gradient_is_cut_to_one_and_a_short_one_is_left(self):
        for length, kept in ((10.0, 1.0), (0.25, 0.25)):
            optimizer, seen = o.Optimizer(self.model, "adamw", 1e-2, 0, 1), []
            part = types.SimpleNamespace(param_groups=[], step=lambda: seen.append(optimizer.gradient.norm().item()))
            optimizer.parts = [(part, 1.0)]
            optimizer.gradient[3] = length

            optimizer.step(1.0)

            self.assertAlmostEqual(seen[0], kept, places=5)

    def test_the_first_step_of_adamw_is_the_rate_in_the_sign_of_the_gradient(self):
        optimizer = o.Optimizer(self.model, "adamw", 1e-2, 0, 1)
        self.backward()
        weight = self.model.final_gain
        before, sign = weight.detach().clone(), weight.grad.sign()
        self.assertGreater(weight.grad.abs().min().item(), 1e-6)

        optimizer.step(0.5)

        # m / sqrt(v) is the sign after one step, but for epsilon beside the clipped gradient.
        self.assertTrue(torch.allclose(weight.detach() - before, -0.005 * sign, rtol=0, atol=1e-4))

    def test_a_gradient_that_is_not_finite_is_thrown_away(self):
        for bad in (float("nan"), float("inf")):
            optimizer = o.Optimizer(self.model, "adamw", 1e-2, 0, 1)
            before = [weight.detach().clone() for weight in self.model.parameters()]
            self.backward()
            optimizer.gradient[0] = bad

            self.assertFalse(torch.isfinite(optimizer.step(1.0)))

            # Weight decay alone has acted on the matrices: rate times 0.1.
            for weight, old in zip(self.model.parameters(), before, strict=True):
                kept = 1 - 1e-2 * 0.1 * (weight.ndim > 1)
                self.assertTrue(torch.allclose(weight.detach(), kept * old, rtol=1e-6, atol=0))


if __name__ == "__main__":
    unittest.main()
