"""Does validation count an answer when every token of it is the likeliest, and a loss as the mean over the windows?"""

import unittest

from case import has, needs

if has("numpy", "torch", "tokenizers", "safetensors"):
    import numpy as np
    import torch
    from learned_attention import validation
    from learned_attention.retrieval_tasks import Example


class Parrot:
    """Foretells, at each position, the token that stands `off` places after it in the rows it knows."""

    def __init__(self, rows, off=1):
        self.rows, self.off = torch.tensor(rows), off

    def __call__(self, tokens, last):
        known = torch.roll(self.rows, -self.off, 1)[: len(tokens), : tokens.shape[1]]
        return torch.nn.functional.one_hot(known, 50).float()[:, -last:]

    def losses(self, tokens, targets):
        return targets.float()


@needs("numpy", "torch", "tokenizers", "safetensors")
class Validation(unittest.TestCase):
    def test_an_answer_is_right_when_all_its_tokens_are(self):
        rows = [[9, 8, 1, 2, 3, 4, 5, 6], [9, 8, 7, 1, 1, 4, 5, 6]]
        told = [[9, 8, 1, 2, 3, 4, 5, 6], [9, 8, 7, 1, 2, 4, 5, 6]]  # of the second row, place 4 is told wrong
        answers = [[(2, 4), (5, 6)], [(3, 5), (6, 8)]]
        examples = [Example(np.array(row), spans) for row, spans in zip(rows, answers, strict=True)]

        shares = validation.right_shares(Parrot(told), examples, torch.device("cpu"))

        self.assertEqual(shares, [1.0, 0.5])
        # The lie near the truth: what is foretold is taken one place off.
        self.assertEqual(validation.right_shares(Parrot(told, 0), examples, torch.device("cpu")), [0.0, 0.0])

    def test_the_loss_is_the_mean_over_windows_without_overlap(self):
        tokens = np.arange(10, dtype=np.uint16)
        validator = validation.Validator(None, tokens, torch.device("cpu"))

        # Windows of 3 from 0, 3 and 6: their targets are 1 to 9.
        self.assertEqual(validator.text_loss(Parrot([[0]]), 3, 3), (5.0, 3))
        self.assertEqual(validator.text_loss(Parrot([[0]]), 3, 99), (5.0, 3))
        self.assertIsNone(validator.text_loss(Parrot([[0]]), 10, 1))

    def test_two_processes_share_the_windows_out(self):
        tokens = np.arange(1000, dtype=np.uint16)
        windows = validation.windows_of(tokens, 9, 100)
        self.assertEqual(windows.shape, (100, 10))
        self.assertTrue((np.diff(windows[:, 0]) >= 9).all())
        parts = [validation.Validator(None, tokens, torch.device("cpu"), rank, 2) for rank in range(2)]
        said = []
        for part in parts:
            part.summed = lambda numbers: said.append(numbers) or numbers
            part.text_loss(Parrot([[0]]), 9, 100)
        self.assertEqual(sum(count for _, count in said), 100)
        self.assertEqual(sum(total for total, _ in said), windows[:, 1:].sum())


if __name__ == "__main__":
    unittest.main()
