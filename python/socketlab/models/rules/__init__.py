"""What does each rule score, and which keys does a row select? All rules of settings.py in PyTorch, on any device.

Rows are independent where `indexed` is given (but for the normaliser `step-before`), so that a caller may cut T as
memory asks; sequences of a batch are taken one at a time. A key behind a row's position gets -inf and is never selected. Wrong
if a name stood for other lists than those of the C++ core: python/tests/models/rules_test.py compares them.
"""

from __future__ import annotations

import torch

from ..settings import HASHED, LOGITS, SIGNED, WEIGHTS, Sparse
from . import draws, hashes, peers

__all__ = ["attend", "hash_keys", "hashes_once", "logits_of", "mass", "projections", "scores", "select"]

projections = draws.projections


def visible(positions, keys):
    """bool [T, S]: keys up to each row's position."""
    return torch.arange(keys, device=positions.device) <= positions.unsqueeze(-1)


def last_positions(rows, keys, device):
    return torch.arange(keys - rows, keys, device=device)


def hashes_once(settings):
    """Whether what a rule keeps of a key never changes, so that hash_keys() may run as keys come."""
    return settings.rule in (*HASHED, *SIGNED) and not settings.centred


def hash_keys(settings: Sparse, key, *, layer=0, draw=0):
    """What scores() takes as `hashed`: int8 or int32 [B, Hkv, S, ..] of key [B, Hkv, S, D]."""
    return hashes.kept(settings, projections(settings, layer, key.shape[-1], key.device, draw), key.float())


def _before_value(settings, query, key, indexed, layer, draw, scaling, hashed):
    """Scores [Hkv, rows, S] before the value's factor; query [Hkv, rows, D], key [Hkv, S, D]."""
    rule = settings.rule
    if settings.centred:
        key = key - key[:, :indexed].mean(dim=1, keepdim=True)
    if rule in (*HASHED, *SIGNED):
        rows = projections(settings, layer, key.shape[-1], key.device, draw)
        hashed = hashes.kept(settings, rows, key) if hashed is None else hashed
        if rule in HASHED:
            return hashes.scores(settings, rows, query, hashed)
        norm = rule == "signed-orthogonal-norm"
        return hashes.signed_scores(rows, query, key, hashed, norm) * (scaling if norm else 1.0)
    if rule == "quest":
        return peers.quest(query, key, settings.page) * scaling
    if rule == "loki":
        return peers.loki(query, key, indexed) * scaling
    if rule == "pqcache":
        pairs = zip(query, key, strict=True)
        return torch.stack([peers.pqcache(*pair, indexed, settings.seed, layer, draw) for pair in pairs]) * scaling
    products = query @ key.mT
    if rule == "oracle-top-k":
        return products * scaling
    norms = query.norm(dim=-1, keepdim=True) * key.norm(dim=-1).unsqueeze(-2)
    return (products / norms).masked_fill(norms == 0, 0.0)  # cosine-oracle


def _lse(logits, seen):
    return logits.masked_fill(~seen, -torch.inf).logsumexp(dim=-1, keepdim=True)


def _distances(value, output):
    """|v_j - y| [.., rows, S] by its three terms, of value [.., S, V] and output [.., rows, V]."""
    squares = value.square().sum(-1).unsqueeze(-2) - 2 * output @ value.mT + output.square().sum(-1, keepdim=True)
    return squares.clamp(min=0).sqrt()


def _mean(numbers, seen):
    return (numbers * seen).sum(dim=-1, keepdim=True) / seen.sum(dim=-1, keepdim=True)


def _with_value(settings, found, query, key, value, seen, scaling):
    """The scores [Hkv, G, T, S] times the value's factor: added to logits as a logarithm. query [Hkv, G, T, D]; key and
    value [Hkv, S, ..].
    """
    is_logit, key, value = settings.rule in LOGITS, key.unsqueeze(1), value.unsqueeze(1)
    factor = value.norm(dim=-1).unsqueeze(-2)
    if settings.value in ("distance", "estimated-distance"):
        exact = settings.value == "distance"
        weights = query @ key.mT * scaling if exact else found if is_logit else found.clamp(min=1e-30).log()
        factor = _distances(value, weights.masked_fill(~seen, -torch.inf).softmax(dim=-1) @ value)
    if is_logit:
        return found + factor.log()
    if settings.value == "calibrated":
        # The power at which the scores are nearest to the softmax weights: least squares of logits on log scores over a
        # head's visible keys. It reads true logits, so that it is the best that one number a head could do.
        logs, logits = found.clamp(min=1e-30).log(), query @ key.mT * scaling
        x, y = ((part - _mean(part, seen)) * seen for part in (logs, logits))
        power = (x * y).sum((-2, -1), keepdim=True) / x.square().sum((-2, -1), keepdim=True)
        return power * logs + factor.log()
    return found * factor


def _joined(settings, found, seen):
    """One row of scores [Hkv, 1, T, S] for the groups [Hkv, G, T, S], of weights."""
    if settings.group == "largest" and settings.rule not in (*LOGITS, *WEIGHTS):
        return found.amax(dim=1, keepdim=True)
    logits = found if settings.rule in LOGITS or settings.value == "calibrated" else found.clamp(min=1e-30).log()
    normaliser = torch.zeros_like(logits[..., :1])
    if settings.normaliser in ("all-keys", "step-before"):
        normaliser = _lse(logits, seen)
    elif settings.normaliser == "largest":
        normaliser = logits.masked_fill(~seen, -torch.inf).amax(dim=-1, keepdim=True)
    if settings.normaliser == "step-before":
        normaliser = torch.cat([normaliser[..., :1, :], normaliser[..., :-1, :]], dim=-2)
    logits = logits - normaliser
    return logits.amax(dim=1, keepdim=True) if settings.group == "largest" else logits.logsumexp(dim=1, keepdim=True)


def scores(
    settings: Sparse,
    query,
    key,
    value,
    scaling=None,
    *,
    layer=0,
    draw=0,
    positions=None,
    indexed=None,
    hashed=None,
) -> torch.Tensor:
    """Scores by which rows rank keys, float32 [B, H, T, S]: larger is better, -inf is never selected.

    query [B, H, T, D] at `positions` [T] (the last T by default); key [B, Hkv, S, D] and value [B, Hkv, S, V] of positions
    0 to S - 1; scaling of the logits, 1/sqrt(D) by default. draw: the number of the random draw. indexed: keys from which
    a mean or an index is learned, those before the first row by default. Logit rules give logits. A list for a KV head
    gives its query heads the same scores, logarithms of weights. hashed: hash_keys() of the keys, where it has run
    before. ValueError for NaN.
    """
    batch, heads, rows, dim = query.shape
    kv_heads, keys = key.shape[1], key.shape[2]
    scaling = dim**-0.5 if scaling is None else scaling
    positions = last_positions(rows, keys, query.device) if positions is None else positions
    indexed = max(1, int(positions.min())) if indexed is None else indexed
    seen, group = visible(positions, keys), heads // kv_heads
    result = torch.empty(batch, heads, rows, keys, device=query.device)
    if settings.rule == "random":
        for b in range(batch):
            result[b] = draws.uniforms(heads, positions, keys, settings.seed, layer, draw)
            if settings.lists == "kv-head":
                result[b] = result[b, ::group].repeat_interleave(group, dim=0)
    elif settings.rule == "streaming-llm":
        result[:] = torch.arange(keys, device=query.device)
    elif settings.rule == "value-norm":
        result[:] = value.float().norm(dim=-1).repeat_interleave(group, dim=1).unsqueeze(2)
    else:
        for b in range(batch):
            q, k, v = query[b].float().unflatten(0, (kv_heads, group)), key[b].float(), value[b].float()
            if settings.lists == "kv-head" and settings.group == "mean-query":
                q = q.mean(dim=1, keepdim=True)
            kept = None if hashed is None else hashed[b]
            found = _before_value(settings, q.flatten(1, 2), k, indexed, layer, draw, scaling, kept)
            found = found.unflatten(1, (-1, rows))
            if settings.value != "none":
                found = _with_value(settings, found, q, k, v, seen, scaling)
            if settings.lists == "kv-head" and settings.group != "mean-query":
                found = _joined(settings, found, seen)
            result[b] = found.expand(-1, group, -1, -1).flatten(0, 1)
    if result.isnan().any():
        raise ValueError(f"rule {settings.rule}, layer {layer}: a score is NaN; allowed are numbers")
    return result.masked_fill_(~seen, -torch.inf)


def always(settings, positions, keys):
    """bool [T, S]: the first keys and the last ones before each row."""
    at = torch.arange(keys, device=positions.device)
    near = positions.unsqueeze(-1) - at < settings.window
    return (near | (at < settings.sink)) & visible(positions, keys)


def best(scores, budget):
    """Mask of the `budget` highest scores [.., S], ties to the lower index; -inf is never selected."""
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    # The threshold alone is taken from topk: which of several equal scores it lists is not laid down.
    threshold = scores.topk(count, dim=-1, sorted=False).values.amin(dim=-1, keepdim=True)
    above = scores > threshold
    tied = (scores == threshold) & (scores > -torch.inf)
    room = count - above.sum(dim=-1, keepdim=True, dtype=torch.int32)
    return above | (tied & (tied.cumsum(dim=-1, dtype=torch.int32) <= room))


def _within_top_p(settings, scores, fixed):
    """Mask of the fewest keys of highest weight that hold top_p with those that are always there."""
    logits = (
        scores if settings.rule in LOGITS else scores.clamp(min=1e-30).log().masked_fill(scores.isinf(), -torch.inf)
    )
    weights = logits.softmax(dim=-1)
    held = (weights * fixed).sum(dim=-1, keepdim=True)
    order = weights.masked_fill(fixed, -1.0).sort(dim=-1, descending=True, stable=True)
    rest = order.values.clamp(min=0)
    wanted = (held + rest.cumsum(dim=-1) - rest < settings.top_p) & (rest > 0)
    return torch.zeros_like(wanted).scatter_(-1, order.indices, wanted)


def select(settings: Sparse, scores, positions=None) -> torch.Tensor:
    """The keys of each row as a mask, bool [B, H, T, S], of `scores` as the function of that name gives them."""
    rows, keys = scores.shape[-2:]
    positions = last_positions(rows, keys, scores.device) if positions is None else positions
    fixed = always(settings, positions, keys)
    if settings.top_p is not None:
        return _within_top_p(settings, scores, fixed) | fixed
    # Rows of one pass select as many keys as they would in steps: of those that each of them sees.
    places = [settings.places(position + 1) for position in positions.tolist()]
    competing, selected = scores.masked_fill(fixed, -torch.inf), fixed.expand_as(scores).clone()
    for count in set(places):
        own = [row for row in range(rows) if places[row] == count]
        selected[..., own, :] |= best(competing[..., own, :], count)
    return selected


def logits_of(query, key, scaling, positions):
    """q.k times scaling, [B, H, T, S] in float32, -inf where not visible."""
    batch, heads, rows, dim = query.shape
    grouped = query.float().reshape(batch, key.shape[1], -1, dim)
    logits = (grouped @ key.float().transpose(-1, -2) * scaling).reshape(batch, heads, rows, -1)
    return logits.masked_fill_(~visible(positions, key.shape[2]), -torch.inf)


def attend(logits, value, selected=None):
    """Output [B, H, T, V] of the softmax of logits [B, H, T, S] over the selected keys; value [B, Hkv, S, V]."""
    logits = logits if selected is None else logits.masked_fill(~selected, -torch.inf)
    batch, heads, rows, keys = logits.shape
    grouped = logits.softmax(dim=-1).reshape(batch, value.shape[1], -1, keys)
    return (grouped @ value.float()).reshape(batch, heads, rows, -1)


def mass(logits, selected):
    """Share of the dense softmax that the selected keys have, [B, H, T]."""
    kept = logits.masked_fill(~selected, -torch.inf).logsumexp(dim=-1)
    return (kept - logits.logsumexp(dim=-1)).exp()
