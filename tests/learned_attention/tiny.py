"""What the tests of evaluation share: problems by hand, a model of two layers, tasks whose answers are known.

Where PyTorch is missing a test prints so and ends with success: import this file first.
"""

import sys
import unittest

try:
    import torch
except ModuleNotFoundError as missing:
    print(f"skipped: {sys.executable} has no {missing.name}")
    sys.exit(0)

torch.set_num_threads(1)  # tiny products: more threads only wait for each other

import dataclasses  # noqa: E402

import numpy as np  # noqa: E402
from learned_attention.model import Model, Shape  # noqa: E402
from learned_attention.ranking.problem import Problem, Settings  # noqa: E402

SHAPE = Shape(layers=2, width=32, query_heads=4, kv_heads=2, head_dim=8, vocabulary=61)
SMALL = Settings(tables=12, planes=4, signature_bits=16, index_bits=64, quantiser_bits=16)


def model(seed=1):
    torch.manual_seed(seed)
    made = Model(SHAPE).eval()
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim == 2:
                weight.mul_(8)  # sharp enough that what attends changes the loss
    return made


def problem(queries, keys, values=None, settings=SMALL, indexed=None, positions=None, draws=(0,), sparsity=1.0):
    """One head from lists: queries [rows, dim], keys [keys, dim]; every row sees every key where no positions are
    given.
    """
    q, k = (torch.tensor(rows, dtype=torch.float32)[None, None] for rows in (queries, keys))
    v = k if values is None else torch.tensor(values, dtype=torch.float32)[None, None]
    count = k.shape[2]
    at = torch.full((q.shape[2],), count - 1) if positions is None else torch.tensor(positions)
    indexed = count if indexed is None else indexed
    visible = torch.arange(count) <= at.unsqueeze(-1)
    magnitude = q.abs().mean(dim=2)
    return Problem(q, k, v, visible, at, indexed, magnitude, draws, 0, settings, sparsity)


def random_problem(keys=64, rows=6, dim=8, seed=1, **more):
    random = np.random.default_rng(seed)
    draw = [random.standard_normal((count, dim)).round(2).tolist() for count in (rows, keys, keys)]
    return problem(*draw, **more)


def row(scores):
    """The scores of the one head, [rows, keys] as lists."""
    return scores[0, 0].tolist()


@dataclasses.dataclass
class Example:
    tokens: np.ndarray
    answers: list


def draw(task, length, seed, encode):
    """Random tokens; the answer is the last one, or the last two."""
    tokens = np.random.default_rng(seed).integers(1, SHAPE.vocabulary, length).astype(np.int32)
    return Example(
        tokens, [(length - 1, length)] if task == "one" else [(length - 2, length - 1), (length - 1, length)]
    )


def approximately(case, found, expected, places=5):
    """Nested lists of numbers."""
    case.assertEqual(np.shape(found), np.shape(expected))
    for a, b in zip(np.ravel(found), np.ravel(expected), strict=True):
        case.assertAlmostEqual(a, b, places=places)


main = unittest.main
