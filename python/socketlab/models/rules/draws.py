"""Which random numbers does a rule draw? A pure function of (seed, role, layer, draw, size), the same on every machine.

The draw of a window is its number: intervals over windows are then also over draws of the tables, and every rule meets
the same tables at the same window. It would be wrong if two runs, or a batch cut otherwise, saw other hyperplanes.
"""

import functools
import math

import numpy as np
import torch

ROLES = {"hyperplanes": 1, "orthogonal-rows": 3, "centroids": 4, "chance": 6, "rest": 8}


def generator(seed, role, layer, draw):
    """NumPy's Philox at the address; torch's own generators differ between CPU and GPU."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, ROLES[role], layer, draw])))


def rotations(random, rows, dim):
    """Rows [rows, dim] of independent Haar rotations, the last one cut, scaled to norm sqrt(dim) (Mezzadri 2007)."""
    blocks = []
    for _ in range(0, rows, dim):
        q, r = np.linalg.qr(random.standard_normal((dim, dim)))
        blocks.append(q * np.where(np.diag(r) < 0, -1.0, 1.0))
    return math.sqrt(dim) * np.concatenate(blocks)[:rows]


@functools.lru_cache(maxsize=4096)  # of an evaluation's layers and draws: 0.7 GB at most for 600 rows of 64
def one_draw(seed, role, layer, draw, rows, dim, device):
    random = generator(seed, role, layer, draw)
    drawn = rotations(random, rows, dim) if role == "orthogonal-rows" else random.standard_normal((rows, dim))
    # Rounded as the CUDA library rounds them for its tensor cores.
    return torch.from_numpy(drawn).float().bfloat16().float().to(device)


def projections(settings, layer, dim, device="cpu", draw=0):
    """What a rule multiplies keys and queries with: hyperplanes [tables * planes, dim] of the hashed rules, table after
    table, or the rows [bits, dim] of the signed ones; float32 of bf16 numbers.
    """
    signed = settings.rule.startswith("signed")
    role, rows = ("orthogonal-rows", settings.bits) if signed else ("hyperplanes", settings.tables * settings.planes)
    return one_draw(settings.seed, role, layer, draw, rows, dim, str(device))


def _signed(constant):
    """A 64-bit pattern as the signed number that torch holds."""
    return constant - (1 << 64) if constant >= 1 << 63 else constant


def _mixed(x):
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014), with logical shifts of signed numbers."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> shift & (1 << 64 - shift) - 1)) * _signed(factor)
    return x ^ (x >> 31 & (1 << 33) - 1)


def words(lists, positions, keys, seed, layer, draw, step=0, role="rest"):
    """Independent whole numbers below 2^32 for rows at `positions` [rows], int64 [lists, rows, keys]."""
    device = positions.device
    start = _signed(int.from_bytes(generator(seed, role, layer, draw).bytes(8), "little"))
    head = (torch.arange(lists, device=device) + (step << 16)).unsqueeze(-1) << 40
    address = _mixed(start + (head + positions + 1) * _signed(0x9E3779B97F4A7C15))
    key = torch.arange(keys, device=device)
    mixed = _mixed(address.unsqueeze(-1) + (key + 1) * _signed(0xD1B54A32D192ED03))
    return mixed >> 32 & (1 << 32) - 1


def uniforms(heads, positions, keys, seed, layer, draw):
    """Independent uniforms in [0, 1) for rows at `positions` [rows], [heads, rows, keys], float32 of 24 bits."""
    return (words(heads, positions, keys, seed, layer, draw, role="chance") >> 8).float() * 2.0**-24
