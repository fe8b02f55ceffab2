"""The indices of other papers, as estimators/peers/ restates them: Quest, Double Sparsity, Loki, PQCache, MagicPIG.

Sizes are those of docs/rankings/rankers.md: 512 bits a token for Quest (pages of 8 keys where dim is 128), Double
Sparsity and Loki (32 numbers), 256 bits for PQCache. What is learned is learned from the indexed keys alone. A page
that a row may select from must end at or before the row, so that pages longer than the window plus one are refused.
"""

import functools
import math

import numpy as np
import torch
from learned_attention.ranking import draws, hash_scores
from learned_attention.refusals import Refused

HALF = 16  # bits of a half-precision number


def keys_in_page(problem):
    """The fewest that share two half-precision bounds of each coordinate at no more than index_bits a key."""
    return max(1, -(-2 * HALF * problem.keys.shape[3] // problem.settings.index_bits))


def quest(problem, page=None):
    """A bound of q.k over the key's page: sum_c max(q_c low_c, q_c high_c) (Tang et al. 2024)."""
    keys, count = problem.keys, problem.keys.shape[2]
    page = page or keys_in_page(problem)
    pages = -(-count // page)
    padding = keys[:, :, -1:].expand(-1, -1, pages * page - count, -1)
    paged = torch.cat([keys, padding], dim=2).unflatten(2, (pages, page))
    low, high = paged.amin(dim=3).transpose(-1, -2), paged.amax(dim=3).transpose(-1, -2)
    scores = problem.queries.clamp(min=0) @ high + problem.queries.clamp(max=0) @ low
    return scores.repeat_interleave(page, dim=-1)[..., :count]


def require_pages_behind(problem, window):
    """A row selects by pages from the keys behind its window: such a page must end at or before the row."""
    page = keys_in_page(problem)
    if page > window + 1:
        raise Refused(
            f"window {window}: pages of {page} keys would hold later ones; allowed are windows of {page - 1} and more"
        )


def double_sparsity(problem, channels=None):
    """q.k over the channels of largest mean |q_c| mean |k_c|, ties to the lower (Yang et al. 2024)."""
    count = min(channels or problem.settings.index_bits // HALF, problem.keys.shape[-1])
    weight = problem.calibration * problem.keys[:, :, : problem.indexed].abs().mean(dim=2)
    chosen = weight.argsort(dim=-1, descending=True, stable=True)[..., :count].unsqueeze(2)
    labels = problem.keys.take_along_dim(chosen, dim=-1)
    return problem.queries.take_along_dim(chosen, dim=-1) @ labels.transpose(-1, -2)


def loki(problem, rank=None):
    """q.k over the first principal directions of the indexed keys (Singhania et al. 2024)."""
    count = min(rank or problem.settings.index_bits // HALF, problem.keys.shape[-1])
    centred = problem.centred[:, :, : problem.indexed].double()
    _, axes = torch.linalg.eigh(centred.transpose(-1, -2) @ centred)  # eigenvalues rise
    axes = axes[..., -count:].float()
    return (problem.queries @ axes) @ (problem.keys @ axes).transpose(-1, -2)


def nearest(points, centroids):
    """Of points [groups, n, width] among [groups, count, width], ties to the lower number: [groups, n]."""
    distance = 0
    for i in range(points.shape[-1]):  # a group has few coordinates: no [.., n, count, width] is held
        distance = distance + (points[..., i : i + 1] - centroids[..., i].unsqueeze(-2)) ** 2
    return distance.argmin(dim=-1)


def k_means(points, start, rounds):
    """Lloyd's algorithm from centroids `start` [groups, count, width]; an empty cluster keeps its centroid."""
    centroids = start
    for _ in range(rounds):
        numbers = torch.arange(centroids.shape[-2], device=points.device)
        member = (nearest(points, centroids).unsqueeze(-1) == numbers).to(points.dtype)
        size = member.sum(dim=-2).unsqueeze(-1)
        # A product with the memberships, not a scattered sum, whose order a GPU does not lay down.
        centroids = torch.where(size > 0, member.transpose(-1, -2) @ points / size.clamp(min=1), centroids)
    return centroids


@functools.lru_cache(maxsize=1024)
def distinct_rows(seed, layer, draw, groups, rows, count):
    """Numbers of `count` distinct rows for each group, in rising order: those of the smallest random numbers."""
    tickets = draws.generator(seed, "centroids", layer, draw).random((groups, rows))
    return torch.from_numpy(np.sort(tickets.argpartition(count - 1, axis=1)[:, :count], axis=1))


def divisor_within(dim, most):
    return next(d for d in range(min(most, dim), 0, -1) if dim % d == 0)


def pqcache(problem, groups=None, bits=4, rounds=10):
    """q.k with the nearest centroids of successive groups of coordinates (Zhang et al. 2025)."""
    batch, heads, count, dim = problem.keys.shape
    groups = groups or divisor_within(dim, problem.settings.quantiser_bits // bits)
    width, kept = dim // groups, min(1 << bits, problem.indexed)
    scores = torch.empty(*problem.queries.shape[:3], count, device=problem.keys.device)
    for b in range(batch):
        rows = distinct_rows(problem.settings.seed, problem.layer, problem.draws[b], groups, problem.indexed, kept)
        for h in range(heads):
            points = problem.keys[b, h].unflatten(-1, (groups, width)).transpose(0, 1)  # [groups, keys, width]
            start = points[:, : problem.indexed].take_along_dim(rows.to(points.device).unsqueeze(-1), dim=1)
            centroids = k_means(points[:, : problem.indexed], start, rounds)
            code = nearest(points, centroids) + (torch.arange(groups, device=points.device) * kept).unsqueeze(1)
            query = problem.queries[b, h].unflatten(-1, (groups, width)).transpose(0, 1)
            products = (centroids @ query.transpose(-1, -2)).flatten(0, 1)  # [groups * centroids, rows]
            scores[b, h] = torch.nn.functional.embedding_bag(code.T.contiguous(), products, mode="sum").T
    return scores


def chance_of_two(in_one_table, tables):
    """P(Bin(tables, p) >= 2), as a sum without cancellation where p is small; float64."""
    p = in_one_table.double()
    if tables < 2:
        return torch.zeros_like(p)
    rest = torch.log1p(-p.clamp(max=1 - 1e-15))
    fewer = torch.exp(tables * rest) + tables * p * torch.exp((tables - 1) * rest)
    pairs = (
        tables * (tables - 1) / 2 * p**2 * (1 - 2 * (tables - 2) / 3 * p)
    )  # the first two terms, where tables p is small
    return torch.where(tables * p < 1e-4, pairs, 1 - fewer)


@functools.cache
def tables_for_density(planes, density):
    """The fewest tables at which a key orthogonal to the query is drawn with this probability, in (0, 1)."""
    half = torch.tensor(0.5, dtype=torch.float64) ** planes
    tables = 2
    while chance_of_two(half, tables) < density:
        tables += 1
    return tables


def magicpig(problem):
    """Keys that share the query's bucket in two tables or more, and minus log of the chance of that (Chen et al. 2025).

    Keys less their mean are hashed. As many tables as draw 1 / sparsity of the orthogonal keys. Returns a mask and
    weights [batch, kv_heads, rows, keys]: attention over the drawn keys with the weights is the importance-sampling
    estimate.
    """
    planes = problem.settings.planes
    tables = tables_for_density(planes, min(0.99, 1 / problem.sparsity))
    collisions = hash_scores.table_sums(problem, problem.centred, tables, planes, "samples", hash_scores.hard_table)
    norms = problem.queries.norm(dim=-1, keepdim=True) * problem.centred.norm(dim=-1).unsqueeze(2)
    cosine = (problem.queries @ problem.centred.transpose(-1, -2) / norms).nan_to_num(nan=0.0).clamp(-1, 1)
    agreement = (1 - torch.arccos(cosine) / math.pi) ** planes
    chance = chance_of_two(agreement, tables).clamp(min=torch.finfo(torch.float32).tiny)
    return collisions > 1.5, -chance.log().float()
