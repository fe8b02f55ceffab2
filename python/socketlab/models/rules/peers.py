"""The indices of other papers, as estimators/peers/ restates them: Quest, Loki, PQCache.

Sizes are those of docs/rankings/rankers.md: Loki 512 bits a token (32 numbers), PQCache 256. What is learned is learned
from the first `indexed` keys alone, which every row sees.
"""

import numpy as np
import torch
from torch.nn import functional

from . import draws

LOKI_AXES = 32
PQCACHE_BITS, CENTROID_BITS, ROUNDS = 256, 4, 10


def quest(queries, keys, page):
    """A bound of q.k over the key's page: sum_c max(q_c low_c, q_c high_c) (Tang et al. 2024), [heads, rows, keys]."""
    count = keys.shape[-2]
    pages = -(-count // page)
    paged = torch.cat([keys, keys[..., -1:, :].expand(-1, pages * page - count, -1)], dim=-2)
    paged = paged.unflatten(-2, (pages, page))
    found = queries.clamp(min=0) @ paged.amax(dim=-2).mT + queries.clamp(max=0) @ paged.amin(dim=-2).mT
    return found.repeat_interleave(page, dim=-1)[..., :count]


def loki(queries, keys, indexed):
    """q.k over the first principal directions of the indexed keys (Singhania et al. 2024)."""
    centred = (keys[:, :indexed] - keys[:, :indexed].mean(dim=-2, keepdim=True)).double()
    _, axes = torch.linalg.eigh(centred.mT @ centred)  # eigenvalues rise
    axes = axes[..., -LOKI_AXES:].float()
    return (queries @ axes) @ (keys @ axes).mT


def nearest(points, centroids):
    """Of points [groups, n, width] among [groups, count, width], ties to the lower number: [groups, n]."""
    distance = 0
    for i in range(points.shape[-1]):  # a group has few coordinates: no [.., n, count, width] is held
        distance = distance + (points[..., i : i + 1] - centroids[..., i].unsqueeze(-2)) ** 2
    return distance.argmin(dim=-1)


def k_means(points, start):
    """Lloyd's algorithm from centroids `start` [groups, count, width]; an empty cluster keeps its centroid."""
    centroids = start
    for _ in range(ROUNDS):
        member = functional.one_hot(nearest(points, centroids), centroids.shape[-2]).to(points.dtype)
        size = member.sum(dim=-2).unsqueeze(-1)
        # A product with the memberships, not a scattered sum, whose order a GPU does not lay down.
        centroids = torch.where(size > 0, member.transpose(-1, -2) @ points / size.clamp(min=1), centroids)
    return centroids


def pqcache(queries, keys, indexed, seed, layer, draw):
    """q.k with the nearest centroids of successive groups of coordinates (Zhang et al. 2025), [rows, keys] of one head."""
    dim = keys.shape[-1]
    groups = next(d for d in range(min(PQCACHE_BITS // CENTROID_BITS, dim), 0, -1) if dim % d == 0)
    kept = min(1 << CENTROID_BITS, indexed)
    tickets = draws.generator(seed, "centroids", layer, draw).random((groups, indexed))
    first = torch.from_numpy(np.sort(tickets.argpartition(kept - 1, axis=1)[:, :kept], axis=1)).to(keys.device)
    points = keys.unflatten(-1, (groups, dim // groups)).transpose(0, 1)  # [groups, keys, width]
    centroids = k_means(points[:, :indexed], points.take_along_dim(first.unsqueeze(-1), dim=1))
    code = nearest(points, centroids) + (torch.arange(groups, device=keys.device) * kept).unsqueeze(1)
    query = queries.unflatten(-1, (groups, dim // groups)).transpose(0, 1)
    products = (centroids @ query.transpose(-1, -2)).flatten(0, 1)  # [groups * centroids, rows]
    return functional.embedding_bag(code.T.contiguous(), products, mode="sum").T
