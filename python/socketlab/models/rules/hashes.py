"""The scores of estimators/collision_scores.hpp and peers/sign_projection.hpp, batched over rows.

Bit = 1 where the projection is 0 or more, plane 0 the most significant; u = tanh(Wq) / sqrt(dim). A table of 2^planes
numbers for each row and hash table is read at each key's code and summed over the tables, which are taken in runs, so
that memory is bounded. Wrong if a key at the query's own direction did not collide in every table, or the mean over
projections of the signed score with the norm were not q.k.
"""

import math

import torch
from torch.nn import functional

from ..settings import SIGNED

# Entries of the look-up tables held at a time: 16 MiB, which a CPU's allocator keeps, or 256.
FLOATS = {"cpu": 1 << 22, "cuda": 1 << 26}
OPENED = 4  # buckets that Bucket Attention opens in a table (document 001)


def codes_of(projections):
    """Codes of projections [.., planes], int32: a product of bits and powers of two, exact in float up to 24 planes."""
    planes = projections.shape[-1]
    weights = 2.0 ** torch.arange(planes - 1, -1, -1, device=projections.device)
    return ((projections >= 0).to(weights.dtype) @ weights).int()


def patterns(minus, plus, start, join):
    """Over all sign patterns of the planes [tables, planes, rows], the numbers of the planes joined: [tables,
    2^planes, rows].
    """
    table = torch.full_like(minus[:, :1], start)
    for plane in range(minus.shape[1]):
        sides = [join(table, side[:, plane : plane + 1]) for side in (minus, plus)]
        table = torch.stack(sides, dim=2).flatten(1, 2)
    return table


def soft_table(projected, temperature, divisor):
    """Probability of each bucket (paper, Algorithm 2), of projections [tables, planes, rows]."""
    signal = 2 * torch.tanh(projected) / (divisor * temperature)
    plus, minus = torch.sigmoid(signal), torch.sigmoid(-signal)
    cut = projected.shape[1] - projected.shape[1] // 2
    high = patterns(minus[:, :cut], plus[:, :cut], 1.0, torch.mul)
    low = patterns(minus[:, cut:], plus[:, cut:], 1.0, torch.mul)
    return (high.unsqueeze(2) * low.unsqueeze(1)).flatten(1, 2)


def hard_table(projected):
    """1 at the query's own bucket."""
    tables, planes, rows = projected.shape
    table = projected.new_zeros(tables, 1 << planes, rows)
    return table.scatter_(1, codes_of(projected.transpose(1, 2)).long().unsqueeze(1), 1.0)


def open_table(projected):
    """1 at the most probable buckets, of least summed |tanh(w.q)| over the planes that differ (document 001), ties to
    the lower number.
    """
    signal = torch.tanh(projected)
    cost = patterns(signal.clamp(min=0), (-signal).clamp(min=0), 0.0, torch.add)
    order = cost.argsort(dim=1, stable=True)[:, :OPENED]
    return torch.zeros_like(cost).scatter_(1, order, 1.0)


def table_sums(hyperplanes, queries, codes, planes, table):
    """sum over tables of table(projections of the queries) at each key's code: [heads, rows, keys].

    hyperplanes [tables * planes, dim]; queries [heads, rows, dim]; codes [heads, keys, tables]; table: [tables, planes,
    rows] -> [tables, 2^planes, rows].
    """
    heads, rows, _ = queries.shape
    step = max(1, FLOATS.get(queries.device.type, 1 << 22) // (heads * rows << planes))
    total = 0
    for some, own in zip(hyperplanes.split(step * planes), codes.split(step, dim=-1), strict=True):
        count = own.shape[-1]
        places = torch.arange(heads * count, dtype=own.dtype, device=own.device).reshape(heads, 1, count) << planes
        looked_up = table((some @ queries.mT).reshape(heads * count, planes, rows)).flatten(0, 1)
        total = total + functional.embedding_bag((own + places).flatten(0, 1), looked_up, mode="sum")
    return total.unflatten(0, (heads, -1)).mT


def signs(vectors, rows):
    """+1 or -1 (at 0: +1) of projections on rows [n, dim], [.., n]."""
    return (vectors @ rows.T >= 0).to(vectors.dtype) * 2 - 1


def kept(settings, rows, keys):
    """What a rule keeps of each key [.., dim]: int8 [.., n], its signs, or int32 [.., tables], its bucket in each table."""
    if settings.rule == "hamming" or settings.rule in SIGNED:
        return signs(keys, rows).to(torch.int8)
    return codes_of((keys @ rows.T).unflatten(-1, (settings.tables, settings.planes)))


def scores(settings, hyperplanes, queries, hashed):
    """[heads, rows, keys] of one of the hashed rules, before the value's factor; hashed [heads, keys, ..] of kept()."""
    planes, dim = settings.planes, queries.shape[-1]
    if settings.rule == "hamming":
        return (signs(queries, hyperplanes) @ hashed.to(queries.dtype).mT + hyperplanes.shape[0]) / 2
    if settings.rule == "socket":
        divisor = math.sqrt(dim) if settings.scaled else 1.0
        return table_sums(hyperplanes, queries, hashed, planes, lambda w: soft_table(w, settings.temperature, divisor))
    if settings.rule == "bucket-attention":
        return table_sums(hyperplanes, queries, hashed, planes, open_table)
    found = table_sums(hyperplanes, queries, hashed, planes, hard_table)
    if settings.rule == "hard-lsh-latest":  # ties to the later key: a part below 1 that rises with the index
        found = found + torch.arange(hashed.shape[1], device=hashed.device) / hashed.shape[1]
    return found


def orthogonal_gain(dim):
    """E|w.u| of a unit u, for w uniform on the sphere of radius sqrt(dim)."""
    return math.sqrt(dim / math.pi) * math.exp(math.lgamma(dim / 2) - math.lgamma((dim + 1) / 2))


def signed_scores(rows, queries, keys, hashed, norm):
    """sum_i sign(w_i.k) (w_i.q), [heads, rows, keys]; norm: times |k| / (bits * gain), so that its mean is q.k."""
    found = (queries @ rows.T) @ hashed.to(queries.dtype).mT
    if norm:
        found = found * (keys.norm(dim=-1).unsqueeze(-2) / (rows.shape[0] * orthogonal_gain(keys.shape[-1])))
    return found
