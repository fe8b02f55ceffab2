"""Signs of random projections of a key against a query (estimators/peers/sign_projection.hpp): c sum_i sign(w_i.k)
f(w_i.q).

f linear or sign; c = 1, the key's norm over bits and gain, or RaBitQ's factor, exact on the key itself. sign(0) = +1.
Wrong if the mean over projections of the one with the norm were not q.k.
"""

import math

from learned_attention.ranking import draws, hash_scores

ROWS = {"orthogonal": "orthogonal-rows", "independent": "independent-rows"}


def gain(kind, dim):
    """E|w.u| for a unit u."""
    if kind == "independent":
        return math.sqrt(2 / math.pi)
    return math.sqrt(dim / math.pi) * math.exp(math.lgamma(dim / 2) - math.lgamma((dim + 1) / 2))


def scores(problem, kind="orthogonal", bits=None, query="linear", factor="none", centred=False):
    """[batch, kv_heads, rows, keys]; centred: of the keys less their mean, which moves all scores of a row by one
    number.
    """
    bits = bits or problem.settings.signature_bits
    keys = problem.centred if centred else problem.keys
    rows = draws.rows_of(problem, ROWS[kind], bits)
    spread = rows.unsqueeze(1).transpose(-1, -2)
    weights = hash_scores.signs(problem.queries, rows) if query == "sign" else problem.queries @ spread
    result = weights @ hash_scores.signs(keys, rows).transpose(-1, -2)
    norms = keys.norm(dim=-1).unsqueeze(2)
    if factor == "norm":
        result = result * (norms / (bits * gain(kind, keys.shape[-1])))
    if factor == "exact-on-key":
        projected = (keys @ spread).abs().sum(dim=-1).unsqueeze(2)
        result = result * (norms**2 / projected).nan_to_num(nan=0.0)  # a zero key: 0
    return result
