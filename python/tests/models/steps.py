"""Which outputs may a step of the library have, given the error bounds of its scores? For models_gpu_test.py.

References are in double, from the cache's own keys and the exact projections. The library's scores lie within `errors` of
`scores` (docs/gpu/accuracy.md, "Error bounds of the stages"), so a key may be on its list or not only where its interval
reaches the threshold. Every list that this leaves is tried: mostly one or a few, but thousands where scores nearly tie.
"""

import itertools
import math

import torch
from socketlab.models import rules
from socketlab.models.rules import hashes

U = 2.0**-24  # unit roundoff of fp32
HALF = 2.0**-11  # of fp16
HALF_TABLES = 1.01 * 6 * HALF, (2 * 64 + 4) * 2.0**-37  # relative, and to a table: gpu/functors/half_score.hpp
MOST_LISTS = 10_000


def scores_and_errors(settings, layer, query, key, value):
    """[batch, heads, keys] in double, both: query [batch, heads, dim], key and value [batch, kv_heads, keys, ..]."""
    rows = rules.projections(settings, layer, key.shape[-1]).double()
    group = query.shape[1] // key.shape[1]
    found = [
        _of_head(settings, rows, query[b, h * group : (h + 1) * group], key[b, h], value[b, h])
        for b in range(len(key))
        for h in range(key.shape[1])
    ]
    return tuple(torch.cat(part).unflatten(0, (len(key), -1)) for part in zip(*found, strict=True))


def _of_head(settings, rows, query, key, value):
    """Of one KV head: query [group, dim], key [keys, dim]."""
    dim, signed = key.shape[-1], settings.rule.startswith("signed")
    on_keys, on_query = key @ rows.T, query @ rows.T  # [keys, bits], [group, bits]
    # A bit may be either where its projection lies within rounding.
    unsure = (on_keys.abs() <= 3 * dim * U * (key.abs() @ rows.abs().T)).nonzero().tolist()
    largest = (query.abs() @ rows.abs().T).amax(-1, keepdim=True)  # [group, 1]: of sum abs(w q)
    if signed:
        signs = (on_keys >= 0).double() * 2 - 1
        scores = on_query @ signs.T
        unit = on_query.abs().amax(-1, keepdim=True) / 127  # of weights of 8 bits
        errors = (on_query - unit * (on_query / unit).round()).abs().sum(-1, keepdim=True).expand_as(scores).clone()
        total, tables = (query.abs() @ rows.abs().T).sum(-1, keepdim=True), settings.bits // 8
        errors += (dim / 32 + 5 + 8 + tables + 3 + 4 * 4 + 5) * U * total
        for j, bit in unsure:
            errors[:, j] += 2 * on_query[:, bit].abs()
        errors += 2.0**-8 * (scores.abs() + errors)  # rounded to bf16
        norm = key.norm(dim=-1) if settings.rule == "signed-orthogonal-norm" else None
    else:
        tables, planes = settings.tables, settings.planes
        divisor = math.sqrt(dim) if settings.scaled else 1.0
        table = hashes.soft_table(on_query.T.unflatten(0, (tables, planes)), settings.temperature, divisor)
        codes = hashes.codes_of(on_keys.unflatten(-1, (tables, planes))).long()  # [keys, tables]
        scores = sum(table[t, codes[:, t]] for t in range(tables)).T
        c = 2 / (divisor * settings.temperature)
        sigma = c * ((dim / 32 + 5) * largest + 4) * U + 2 * c * U + 4 * U
        errors = scores * (HALF_TABLES[0] + planes * sigma) + tables * HALF_TABLES[1]
        for j, bit in unsure:
            t, plane = divmod(bit, planes)
            other = codes[j, t] ^ (1 << (planes - 1 - plane))
            errors[:, j] += (table[t, other] - table[t, codes[j, t]]).abs()
        norm = value.norm(dim=-1) if settings.value == "norm" else None
    if norm is not None:
        scores, errors = scores * norm, errors * norm
        errors += (HALF + (dim / 2 + 1) * U) * (scores.abs() + errors)
    return scores, errors


def sure_and_open(scores, errors, count):
    """Of one row [keys]: those that are on every list of `count` keys that the errors allow, and those on some."""
    low, high = scores - errors, scores + errors
    above = (high > low.unsqueeze(1)).sum(1) - (errors > 0).long()  # others that may be above it, itself not counted
    before = (low > high.unsqueeze(1)).sum(1)  # that are above it for sure
    return above < count, (before < count) & (above >= count)


def least_differences(settings, layer, own, query, key, value, scaling):
    """[batch, heads], both: the least difference of an output from that of a list that is allowed, over the largest output,
    NaN where the lists are too many; and how many they are. own and query [batch, heads, dim], the row of the last key.
    """
    own, query, key, value = (part.detach().cpu().double() for part in (own, query, key, value))
    keys = key.shape[2]
    fixed = rules.always(settings, torch.tensor([keys - 1]), keys)[0]
    free = (~fixed).nonzero()[:, 0]
    scores, errors = scores_and_errors(settings, layer, query, key[:, :, free], value[:, :, free])
    count, group = min(settings.places(keys), len(free)), query.shape[1] // key.shape[1]
    found = torch.full(own.shape[:2], math.nan, dtype=torch.float64)
    counts = torch.zeros_like(found)
    for b, h in itertools.product(*map(range, own.shape[:2])):
        sure, perhaps = sure_and_open(scores[b, h], errors[b, h], count)
        wanted, candidates = count - int(sure.sum()), free[perhaps].tolist()
        counts[b, h] = math.comb(len(candidates), wanted)
        if counts[b, h] > MOST_LISTS:
            continue
        base = fixed.clone()
        base[free[sure]] = True
        lists = base.repeat(int(counts[b, h]), 1)
        for line, chosen in enumerate(itertools.combinations(candidates, wanted)):
            lists[line, list(chosen)] = True
        logits = (key[b, h // group] @ query[b, h] * scaling).expand_as(lists).masked_fill(~lists, -math.inf)
        outputs = logits.softmax(-1) @ value[b, h // group]
        found[b, h] = ((own[b, h] - outputs).abs().amax(-1) / outputs.abs().amax(-1)).min()
    return found, counts
