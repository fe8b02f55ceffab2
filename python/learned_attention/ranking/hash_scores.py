"""The collision scores of estimators/collision_scores.hpp, batched: a table of 2^planes numbers for each row and hash
table, read at each key's code and summed over the tables.

Bit = 1 where the projection is 0 or more, plane 0 the most significant; u = tanh(Wq) / sqrt(dim). Memory is bounded:
tables are taken in runs of at most FLOATS entries. Wrong if a key at the query's own direction did not collide in
every table.
"""

import torch
from learned_attention.ranking import draws, selection
from torch.nn import functional

FLOATS = 1 << 26  # entries of the look-up tables held at a time: 256 MiB


def codes_of(projections):
    """Codes of projections [.., planes]."""
    planes = projections.shape[-1]
    weights = 1 << torch.arange(planes - 1, -1, -1, device=projections.device)
    return ((projections >= 0) * weights).sum(dim=-1)


def patterns(minus, plus, start, join):
    """Over all sign patterns of the planes [tables, planes, rows], the numbers of the planes joined: [tables,
    2^planes, rows].
    """
    table = torch.full_like(minus[:, :1], start)
    for plane in range(minus.shape[1]):
        sides = [join(table, side[:, plane : plane + 1]) for side in (minus, plus)]
        table = torch.stack(sides, dim=2).flatten(1, 2)
    return table


def soft_table(projected, temperature, dim):
    """Probability of each bucket (paper, Algorithm 2), of projections [tables, planes, rows]."""
    signal = 2 * torch.tanh(projected) / (dim**0.5 * temperature)
    plus, minus = torch.sigmoid(signal), torch.sigmoid(-signal)
    cut = projected.shape[1] - projected.shape[1] // 2
    high = patterns(minus[:, :cut], plus[:, :cut], 1.0, torch.mul)
    low = patterns(minus[:, cut:], plus[:, cut:], 1.0, torch.mul)
    return (high.unsqueeze(2) * low.unsqueeze(1)).flatten(1, 2)


def hard_table(projected):
    """1 at the query's own bucket."""
    tables, planes, rows = projected.shape
    table = projected.new_zeros(tables, 1 << planes, rows)
    return table.scatter_(1, codes_of(projected.transpose(1, 2)).unsqueeze(1), 1.0)


def open_table(projected, opened):
    """1 at the `opened` most probable buckets, of least summed |tanh(w.q)| over the planes that differ (document
    001).
    """
    signal = torch.tanh(projected)
    cost = patterns(signal.clamp(min=0), (-signal).clamp(min=0), 0.0, torch.add).transpose(1, 2)
    return selection.best(-cost, torch.ones_like(cost, dtype=torch.bool), opened).transpose(1, 2).to(projected.dtype)


def table_sums(problem, keys, tables, planes, role, table):
    """sum over tables of table(projections of the queries) at each key's code, [batch, kv_heads, rows, keys].

    keys [batch, kv_heads, keys, dim] that are hashed; table: [tables, planes, rows] -> [tables, 2^planes, rows].
    """
    batch, heads, rows, dim = problem.queries.shape
    hyperplanes = draws.rows_of(problem, role, tables * planes).reshape(batch, tables, planes, dim)
    sums = problem.queries.new_empty(batch, heads, rows, keys.shape[2])
    step = max(1, FLOATS // (rows << planes))
    for b in range(batch):
        for h in range(heads):
            total = 0
            for first in range(0, tables, step):
                some = hyperplanes[b, first : first + step].flatten(0, 1)
                count = some.shape[0] // planes
                codes = codes_of((keys[b, h] @ some.T).reshape(-1, count, planes))
                codes = codes + (torch.arange(count, device=codes.device) << planes)
                looked_up = table((some @ problem.queries[b, h].T).reshape(count, planes, rows))
                total = total + functional.embedding_bag(codes, looked_up.flatten(0, 1), mode="sum")
            sums[b, h] = total.T
    return sums


def soft_scores(problem, temperature=None, keys=None):
    """Soft collisions (paper, eq. (4))."""
    s = problem.settings
    tau, dim = s.temperature if temperature is None else temperature, problem.keys.shape[-1]
    keys = problem.keys if keys is None else keys
    return table_sums(problem, keys, s.tables, s.planes, "hyperplanes", lambda w: soft_table(w, tau, dim))


def hard_scores(problem):
    """Tables in which key and query share the bucket (paper, eq. (3))."""
    s = problem.settings
    return table_sums(problem, problem.keys, s.tables, s.planes, "hyperplanes", hard_table)


def open_collisions(problem):
    """Tables in which the key lies in one of the query's most probable buckets."""
    s = problem.settings
    return table_sums(problem, problem.keys, s.tables, s.planes, "hyperplanes", lambda w: open_table(w, s.opened))


def signs(vectors, rows):
    """+1 or -1 (at 0: +1) of projections on rows [batch, n, dim], [batch, kv_heads, vectors, n]."""
    return (vectors @ rows.unsqueeze(1).transpose(-1, -2) >= 0).to(vectors.dtype) * 2 - 1


def hamming_scores(problem):
    """Equal bits over all tables and planes."""
    s = problem.settings
    rows = draws.rows_of(problem, "hyperplanes", s.tables * s.planes)
    agreement = signs(problem.queries, rows) @ signs(problem.keys, rows).transpose(-1, -2)
    return (agreement + rows.shape[1]) / 2
