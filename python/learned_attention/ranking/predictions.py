"""Which recall and which error are expected of a ranker before its tables are drawn, from angles and norms alone?

As estimators/metrics/predicted_recall.hpp: the law of each key's score over random tables or rows, the probability to
lie above one threshold, and the threshold at which the probabilities sum to the budget. Hard counts have their exact
law; the others are taken as normal (C++ adds the skewness), and the threshold as independent of the scores. Wrong if
the means and deviations were not those of drawn tables: tests/learned_attention/ranking/predictions_test.py draws
many.
"""

import math

import torch
from learned_attention.ranking import signed_scores

STEPS = 60  # halvings of the bracket of a threshold
ANGLES = 257  # at which the soft score's moments are computed, linear between them


def plane_moments(angles, query_norm, temperature, dim, points=1025, reach=9.0):
    """E s and E s^2 of s = sigma(+-2 tanh(|q| z) / (sqrt(dim) tau)), the sign that of a key at the angle: [..,
    angles] each.

    Given the query's normal z the key's sign is + with probability Phi(z cot(angle)). query_norm [..].
    """
    z = torch.linspace(-reach, reach, points, dtype=torch.float64, device=angles.device)
    density = torch.exp(-(z**2) / 2)
    density = density / density.sum()  # the trapezoid rule on a density that vanishes at both ends
    own = torch.special.ndtr(z * (angles.cos() / angles.sin().clamp(min=1e-12)).unsqueeze(-1))  # [angles, points]
    signal = 2 * torch.tanh(query_norm.unsqueeze(-1) * z) / (math.sqrt(dim) * temperature)  # [.., points]
    plus, minus = torch.sigmoid(signal) * density, torch.sigmoid(-signal) * density
    first = plus @ own.T + minus @ (1 - own).T
    second = (plus * torch.sigmoid(signal)) @ own.T + (minus * torch.sigmoid(-signal)) @ (1 - own).T
    return first, second


def soft_law(angle, query_norm, tables, planes, temperature, dim):
    """Mean and deviation of the soft score of keys at angles [.., keys] for queries of norm [..]."""
    grid = torch.linspace(0, math.pi, ANGLES, dtype=torch.float64, device=angle.device)
    first, second = plane_moments(grid, query_norm, temperature, dim)
    mean = first**planes
    variance = (second**planes - mean**2).clamp(min=0)
    place = (angle / math.pi * (ANGLES - 1)).clamp(0, ANGLES - 1)
    low = place.long().clamp(max=ANGLES - 2)
    part = place - low

    def between(values):
        return values.gather(-1, low) * (1 - part) + values.gather(-1, low + 1) * part

    return tables * between(mean), (tables * between(variance)).sqrt()


def signed_law(cosine, bits, dim, kind):
    """Mean and deviation of sum_i sign(w_i.k)(w_i.q)/|q|, exactly (signed_projection_laws in C++)."""
    gain = signed_scores.gain(kind, dim)
    c0, c2 = float(bits), -bits * gain**2
    if kind == "orthogonal":
        c0 = c2 = 0.0
        for first in range(0, bits, dim):
            b = min(dim, bits - first)
            square = b + b * (b - 1) * 2 / math.pi
            own = (dim * b - square) / (dim - 1)
            c0, c2 = c0 + own, c2 + square - b * b * gain**2 - own
    return bits * gain * cosine, (c0 + c2 * cosine**2).clamp(min=0).sqrt()


def inclusion_by_moments(mean, deviation, competing, budget):
    """Probabilities of sum `budget` over the competing keys, [.., keys]: normal tails at one threshold for each row."""
    deviation = deviation.clamp(min=1e-30)
    reach = 10 * deviation.amax(dim=-1)
    low, high = mean.amin(dim=-1) - reach, mean.amax(dim=-1) + reach

    def tails(threshold):
        return torch.special.ndtr((mean - threshold.unsqueeze(-1)) / deviation) * competing

    for _ in range(STEPS):
        middle = (low + high) / 2
        above = tails(middle).sum(dim=-1) > budget
        low, high = torch.where(above, middle, low), torch.where(above, high, middle)
    return tails((low + high) / 2)


def inclusion_by_counts(chance, draws, competing, budget):
    """The same where scores are Bin(draws, chance): its exact law, keys tied at the threshold sharing evenly."""
    log_choices = [math.lgamma(draws + 1) - math.lgamma(n + 1) - math.lgamma(draws - n + 1) for n in range(draws + 1)]
    p = chance.double().clamp(1e-300, 1 - 1e-15)
    tail = torch.zeros_like(p)  # P(count > n), from n = draws downwards
    result, settled = torch.zeros_like(p), torch.zeros_like(p[..., :1], dtype=torch.bool)
    for n in range(draws, -1, -1):
        exactly = torch.exp(log_choices[n] + n * p.log() + (draws - n) * torch.log1p(-p)) * competing
        before, within = tail.sum(dim=-1, keepdim=True), exactly.sum(dim=-1, keepdim=True)
        share = ((budget - before) / within.clamp(min=1e-300)).clamp(0, 1)
        reached = ~settled & (before + within >= budget)
        result = torch.where(reached, tail + share * exactly, result)
        settled, tail = settled | reached, tail + exactly
    return torch.where(settled, result, tail)


def inclusion(name, problem, competing, budget, rows):
    """Probability that each key is selected [batch, kv_heads, rows, keys], of the rows alone; None without a law
    here.
    """
    s, dim = problem.settings, problem.keys.shape[-1]
    queries, keys = problem.queries[:, :, rows].double(), problem.keys.double()
    query_norm, competing = queries.norm(dim=-1), competing[rows]
    norms = query_norm.unsqueeze(-1) * problem.key_norms.double()
    cosine = (queries @ keys.transpose(-1, -2) / norms).nan_to_num(nan=0.0).clamp(-1, 1)
    angle = torch.arccos(cosine)
    agreement = 1 - angle / math.pi
    if name == "random":
        return (competing * (budget / competing.sum(dim=-1, keepdim=True)).clamp(max=1)).expand_as(angle)
    if name == "hard-lsh":
        return inclusion_by_counts(agreement**s.planes, s.tables, competing, budget)
    if name in ("socket", "socket-value"):
        mean, deviation = soft_law(angle, query_norm, s.tables, s.planes, s.temperature, dim)
        factor = problem.value_norms if name == "socket-value" else torch.ones_like(problem.value_norms)
    elif name == "hamming":
        bits = s.tables * s.planes
        mean, deviation = bits * agreement, (bits * agreement * (1 - agreement)).sqrt()
        factor = torch.ones_like(problem.key_norms)
    elif name in ("signed-orthogonal", "signed-orthogonal-norm", "signed-independent", "qjl"):
        kind = "orthogonal" if "orthogonal" in name else "independent"
        mean, deviation = signed_law(cosine, s.signature_bits, dim, kind)
        factor = problem.key_norms if name in ("signed-orthogonal-norm", "qjl") else torch.ones_like(problem.key_norms)
    else:
        return None
    return inclusion_by_moments(mean * factor.double(), deviation * factor.double(), competing, budget)


def relative_error(chance, share, values, output):
    """Root mean square error of the attention over a drawn selection, over the length of the dense output; [.., rows].

    chance [.., rows, keys]: probability that a key is selected, 1 where it always is; share [.., rows, keys]: weights
    of dense attention, of sum 1; values [.., keys, dim]; output [.., rows, dim]: the dense one, o. With selected s_i,
    weights a_i and values v_i the error is sum s_i a_i (v_i - o) / sum s_i a_i. Its mean square is taken to first
    order, the denominator at its mean, and with independent s_i:
        (|sum p_i a_i (v_i - o)|^2 + sum p_i (1 - p_i) a_i^2 |v_i - o|^2) / (sum p_i a_i)^2.
    Neglected: one draw of tables decides about all keys, so that near keys come together; the threshold moves with the
    draw, which holds the number of keys at the budget; and the mean of a length is at most its root mean square.
    """
    chance, share, values, output = chance.double(), share.double(), values.double(), output.double()
    weights = chance * share
    kept = weights.sum(dim=-1)
    drift = (weights @ values - kept.unsqueeze(-1) * output).square().sum(dim=-1)
    # |v_i - o|^2 by its three terms: the differences themselves would need [rows, keys, dim].
    squares = output.square().sum(dim=-1)
    apart = values.square().sum(dim=-1).unsqueeze(-2) - 2 * output @ values.transpose(-1, -2) + squares.unsqueeze(-1)
    spread = (weights * (1 - chance) * share * apart.clamp(min=0)).sum(dim=-1)
    return (drift + spread).sqrt() / kept / squares.sqrt()
