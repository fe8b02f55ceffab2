"""A decode step in plain PyTorch, on any device, and its check on the cases of gpu-check.

    python3 python/examples/torch_step.py [cpu | cuda]

Needs PyTorch and the package socketlab, and with `cuda` a GPU.
The slow reference that a kernel author starts from: the hash and the scores in double, the rest in fp32, every stage a
function of its own.
"""

import math
import sys

try:
    import torch
    from socketlab import check
except ModuleNotFoundError as missing:
    print(f"torch_step.py: needs PyTorch and the package socketlab (docs/python.md): {missing}", file=sys.stderr)
    sys.exit(3)


def hash_keys(keys, hyperplanes):
    """Bits bool [.., tables, keys, planes] of keys [.., keys, dim] (paper, Algorithm 1)."""
    return torch.einsum("...nd,lpd->...lnp", keys.double(), hyperplanes.double()) >= 0


def soft_scores(queries, hyperplanes, bits, norms, temperature):
    """[rows, keys]: norm * sum over tables of the probability of the key's bucket (Algorithm 2); bits and norms by row.

    Of log p = sum over planes of log sigmoid(+-x), x = 2 u / temperature: sum of x over the bits that are 1, and of log
    sigmoid(-x) over all.
    """
    signal = torch.tanh(torch.einsum("rd,lpd->rlp", queries.double(), hyperplanes.double())) / math.sqrt(
        queries.shape[1]
    )
    x = 2 * signal / temperature
    log_p = torch.einsum("rlnp,rlp->rln", bits.double(), x) + torch.nn.functional.logsigmoid(-x).sum(-1, keepdim=True)
    return norms.double() * log_p.exp().sum(1)


def select(scores, allowed, budget, sink, window):
    """int64 [rows, width]: sink, window and the budget best, ties to the lower index; -1 in free places (Algorithm 3)."""
    keys = scores.shape[1]
    index = torch.arange(keys, device=scores.device)
    always = allowed & ((index < sink) | (index >= keys - window))
    ranked = torch.where(allowed & ~scores.isnan(), scores + 0.0, -math.inf).masked_fill(always, math.inf)
    best, order = torch.sort(ranked, dim=1, descending=True, stable=True)
    width = min(keys, sink + window + budget)
    place = torch.arange(width, device=scores.device)
    taken = (place < always.sum(1, keepdim=True) + budget) & (best[:, :width] > -math.inf)
    return torch.where(taken, order[:, :width], -1)


def attention(q, k, v, selected):
    """Outputs [heads, dim] and natural log-sum-exps [heads] over lists [heads, width]; NaN and -inf of an empty one."""
    heads, group = len(q), len(q) // len(k)
    own = torch.arange(heads, device=q.device)[:, None] // group
    free = selected < 0
    place = selected.clamp(min=0).long()
    keys, values = k[own, place].float(), v[own, place].float().masked_fill(free[..., None], 0)
    logits = (q.float()[:, None] * keys).sum(-1) / math.sqrt(q.shape[1])
    logits = logits.masked_fill(free, -math.inf)
    output = (torch.softmax(logits, -1)[..., None] * values).sum(1)
    return output, torch.logsumexp(logits, -1)


def step(case):
    """Output [batch, heads, dim] and lists [batch, heads, width] of a socketlab.check.DecodeCase."""
    names = ("queries", "keys", "values", "hyperplanes", "allowed")
    queries, keys, values, planes, allowed = (torch.as_tensor(getattr(case, name)) for name in names)
    group = queries.shape[1] // keys.shape[1]
    norms = values.double().norm(dim=-1).clamp(max=65504).half()
    bits = hash_keys(keys, planes)
    outputs, lists = [], []
    for b in range(len(queries)):
        of_rows = (part[b].repeat_interleave(group, 0) for part in (bits, norms))
        scores = soft_scores(queries[b], planes, *of_rows, case.temperature)
        selected = select(scores, allowed[b] != 0, case.budget, case.sink, case.window)
        outputs.append(attention(queries[b], keys[b], values[b], selected)[0])
        lists.append(selected)
    return torch.stack(outputs), torch.stack(lists)


def main(device="cpu", grid="quick", most_keys=2000):
    for case in check.decode_cases(grid, most_keys=most_keys):
        whole = check.decode_step(step, case=case, device=device)
        alone = check.decode_step(lambda given: step(given)[0], case=case, device=device)
        print(f"{whole.worst:5.3f} of the bound with its list, {alone.worst:5.3f} without: {case.text}")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["cpu"], ["cuda"]):
        print(f"torch_step.py: {' '.join(sys.argv[1:])}: allowed are cpu (default) and cuda", file=sys.stderr)
        sys.exit(2)
    if sys.argv[1:] == ["cuda"] and not torch.cuda.is_available():
        print("torch_step.py: cuda needs a GPU, and PyTorch finds none", file=sys.stderr)
        sys.exit(3)
    main(*sys.argv[1:])
