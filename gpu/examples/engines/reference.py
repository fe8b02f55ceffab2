"""What a step with one list for each KV head computes, in plain PyTorch: the signed projection with the sum of weights, and attention
over the list. For a CPU, and for tests.

The kernels estimate a head's normaliser from some of its tiles, round scores to bf16 and weights of planes to 8 bits
(gpu/functors/group_weights.hpp, fixed_weights.hpp). Here all of that is exact, so that lists differ where keys are nearly tied.
"""

import math

import torch


def codes(keys, planes):
    """Signs [.., bits] of keys [.., dim] as bool, and norms [..]; planes [bits, dim]."""
    return keys.float() @ planes.T >= 0, keys.float().norm(dim=-1)


def weights(q, signs, norms, planes, scale):
    """How much of the heads' softmax mass a key is estimated to get, [keys]; q [group, dim] of one KV head."""
    sums = (2.0 * signs - 1) @ (planes @ q.float().T)
    logits = norms[:, None] * math.sqrt(math.pi / 2) / planes.shape[0] * sums * scale
    return logits.softmax(0).sum(1)


def select(q, signs, norms, planes, *, budget, sink, window, sparsity=0, scale):
    """One sequence: int32 [kv_heads, sink + budget + window] and counts [kv_heads]; q [heads, dim], signs [kv_heads, keys, bits]."""
    kv_heads, keys = signs.shape[:2]
    selected = torch.full((kv_heads, sink + budget + window), -1, dtype=torch.int32, device=q.device)
    counts = torch.zeros(kv_heads, dtype=torch.int32, device=q.device)
    first, last = min(sink, keys), max(min(sink, keys), keys - window)
    best = min(budget, max(1, keys // sparsity)) if sparsity else budget
    for head, group in enumerate(q.view(kv_heads, -1, q.shape[-1])):
        found = weights(group, signs[head], norms[head], planes, scale)
        between = first + found[first:last].sort(descending=True, stable=True).indices[:best]
        listed = torch.cat([torch.arange(first), between.sort().values, torch.arange(last, keys)])
        selected[head, : len(listed)] = listed
        counts[head] = len(listed)
    return selected, counts


def attend(q, keys, values, selected, counts, scale):
    """[heads, dim] over the lists of one sequence; keys and values [kv_heads, keys, dim]. NaN where a list is empty."""
    outputs = []
    for head, group in enumerate(q.view(keys.shape[0], -1, q.shape[-1])):
        at = selected[head, : int(counts[head])].long()
        shares = (group.float() @ keys[head, at].float().T * scale).softmax(-1)
        outputs.append(shares @ values[head, at].float() if len(at) else torch.full_like(group, math.nan).float())
    return torch.cat(outputs)
