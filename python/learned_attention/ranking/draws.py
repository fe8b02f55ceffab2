"""Which random numbers does a ranker draw? A pure function of (seed, role, layer, draw, size), the same on every
machine.

Window i has draw i mod DRAWS: intervals over windows are then also over draws of the tables, and every ranker and
sparsity meets the same draw at the same window. It would be wrong if two runs, or a batch cut otherwise, saw other
hyperplanes.
"""

import functools
import math

import numpy as np
import torch

DRAWS = 96  # at least the windows of an evaluation, so that each has tables of its own
ROLES = {"hyperplanes": 1, "independent-rows": 2, "orthogonal-rows": 3, "centroids": 4, "samples": 5, "chance": 6, "order": 7}  # fmt: skip


def generator(seed, role, layer, draw):
    """NumPy's Philox at the address; torch's own generators differ between CPU and GPU."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, ROLES[role], layer, draw % DRAWS])))


def rotations(random, rows, dim):
    """Rows [rows, dim] of independent Haar rotations, the last one cut, scaled to norm sqrt(dim) (Mezzadri 2007)."""
    blocks = []
    for _ in range(0, rows, dim):
        q, r = np.linalg.qr(random.standard_normal((dim, dim)))
        blocks.append(q * np.where(np.diag(r) < 0, -1.0, 1.0))
    return math.sqrt(dim) * np.concatenate(blocks)[:rows]


@functools.lru_cache(maxsize=8192)  # rows of every role, layer and draw of an evaluation: 2.5 GB at most
def one_draw(seed, role, layer, draw, rows, dim, device):
    random = generator(seed, role, layer, draw)
    drawn = rotations(random, rows, dim) if role == "orthogonal-rows" else random.standard_normal((rows, dim))
    tensor = torch.from_numpy(drawn).float()
    if role in ("hyperplanes", "samples"):
        tensor = tensor.bfloat16().float()  # as the CUDA library rounds them for its tensor cores
    return tensor.to(device)


def rows_of(problem, role, rows):
    """Random rows [batch, rows, dim], those of each window's own draw."""
    dim, device = problem.keys.shape[-1], str(problem.keys.device)
    seed, layer = problem.settings.seed, problem.layer
    return torch.stack([one_draw(seed, role, layer, draw % DRAWS, rows, dim, device) for draw in problem.draws])


def orders(problem):
    """A random order of the indexed keys for each window, int64 [batch, indexed]."""
    seed, layer = problem.settings.seed, problem.layer
    drawn = [generator(seed, "order", layer, draw).permutation(problem.indexed) for draw in problem.draws]
    return torch.from_numpy(np.stack(drawn)).to(problem.keys.device)


def _signed(constant):
    """A 64-bit pattern as the signed number that torch holds."""
    return constant - (1 << 64) if constant >= 1 << 63 else constant


def _mixed(x):
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014), with logical shifts of signed numbers."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> shift & (1 << 64 - shift) - 1)) * _signed(factor)
    return x ^ (x >> 31 & (1 << 33) - 1)


def uniforms(problem):
    """Independent uniforms in [0, 1) for every query row and key, [batch, kv_heads, rows, keys], float32 of 24 bits."""
    device, (batch, heads, rows, _) = problem.keys.device, problem.queries.shape
    start = [
        _signed(int.from_bytes(generator(problem.settings.seed, "chance", problem.layer, draw).bytes(8), "little"))
        for draw in problem.draws
    ]
    head = torch.arange(batch * heads, device=device).reshape(batch, heads, 1) % heads
    row = torch.arange(rows, device=device)
    base = torch.tensor(start, device=device).reshape(batch, 1, 1)
    address = _mixed(base + (head * rows + row + 1) * _signed(0x9E3779B97F4A7C15))
    key = torch.arange(problem.keys.shape[2], device=device)
    mixed = _mixed(address.unsqueeze(-1) + (key + 1) * _signed(0xD1B54A32D192ED03))
    return (mixed >> 40 & (1 << 24) - 1).float() * 2.0**-24
