"""What does a ranker see? The query rows that attend sparsely in one layer, and the keys and values before each of
them.

A ranker gives every key a score for every row; which keys a row may select is the selection's affair. What an index
learns from data (centroids, principal directions, mean key, channels) it learns from the first `indexed` keys alone,
which all rows see: wrong if a token changed what an earlier row selects.
"""

import dataclasses
import functools

import torch
from learned_attention.refusals import Refused


@dataclasses.dataclass(frozen=True)
class Settings:
    """Sizes of the rankers, as published (docs/rankings/rankers.md)."""

    seed: int = 1
    tables: int = 60
    planes: int = 10
    temperature: float = 0.5
    opened: int = 4  # buckets that Bucket Attention opens in a table
    signature_bits: int = 128
    index_bits: int = 512  # of Quest, Double Sparsity and Loki, half-precision numbers
    quantiser_bits: int = 256  # of PQCache, in groups of 4 bits


@dataclasses.dataclass(frozen=True)
class Problem:
    queries: (
        torch.Tensor
    )  # [batch, kv_heads, rows, dim] float32; rows: the heads of a group, each with all its positions
    keys: torch.Tensor  # [batch, kv_heads, keys, dim] float32
    values: torch.Tensor  # the same
    visible: torch.Tensor  # bool [rows, keys]: keys up to the row's own position
    positions: torch.Tensor  # [rows] of the rows in the sequence
    indexed: int  # keys that indices learn from
    calibration: torch.Tensor  # [batch, kv_heads, dim]: mean |q_c| of the queries at the indexed positions
    draws: tuple[int, ...]  # [batch]: the number of the random draw
    layer: int
    settings: Settings
    sparsity: float = 1.0  # what a sampler aims at: keys / sampled keys

    @functools.cached_property
    def key_norms(self):
        return self.keys.norm(dim=-1).unsqueeze(2)  # [batch, kv_heads, 1, keys]

    @functools.cached_property
    def value_norms(self):
        return self.values.norm(dim=-1).unsqueeze(2)

    @functools.cached_property
    def products(self):
        """q.k, [batch, kv_heads, rows, keys]."""
        return self.queries @ self.keys.transpose(-1, -2)

    @functools.cached_property
    def logits(self):
        """q.k / sqrt(dim), -inf where not visible."""
        return (self.products * self.keys.shape[-1] ** -0.5).masked_fill(~self.visible, -torch.inf)

    @functools.cached_property
    def mean_key(self):
        """Of the indexed keys, [batch, kv_heads, 1, dim]."""
        return self.keys[:, :, : self.indexed].mean(dim=2, keepdim=True)

    @functools.cached_property
    def centred(self):
        """Keys less their mean."""
        return self.keys - self.mean_key


def magnitude(q, kv_heads):
    """Mean |q_c| over positions and the heads of a group, [batch, kv_heads, dim], of q [batch, query_heads, .., dim]."""
    return q.float().unflatten(1, (kv_heads, -1)).abs().mean(dim=(2, 3))


def problem_of_rows(layer, q, k, v, positions, calibration, draws, settings, indexed, sparsity=1.0):
    """q [batch, query_heads, n, dim] of the rows alone, at positions [n] in order; k and v [batch, kv_heads, length, dim]."""
    batch, heads, _, dim = q.shape
    kv_heads = k.shape[1]
    if not 1 <= indexed <= int(positions.min()) + 1:
        raise Refused(f"indexed keys {indexed}: allowed are 1 to {int(positions.min()) + 1}, which every row sees")
    at = positions.repeat(heads // kv_heads)
    return Problem(
        queries=q.float().reshape(batch, kv_heads, -1, dim),
        keys=k.float(),
        values=v.float(),
        visible=torch.arange(k.shape[2], device=q.device) <= at.unsqueeze(-1),
        positions=at,
        indexed=indexed,
        calibration=calibration,
        draws=tuple(draws),
        layer=layer,
        settings=settings,
        sparsity=sparsity,
    )


def problem_of(layer, q, k, v, positions, indexed, draws, settings, sparsity=1.0):
    """q [batch, query_heads, length, dim] of all positions, of which those of the rows are taken."""
    calibration = magnitude(q[:, :, :indexed], k.shape[1])
    return problem_of_rows(layer, q[:, :, positions], k, v, positions, calibration, draws, settings, indexed, sparsity)
