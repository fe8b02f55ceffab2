"""What kind of head is this, on its own keys? Numbers that may say which ranker loses on it.

Over the keys that the indices learn from and the query rows of a problem, for each query head. Wrong if equal keys
had a participation ratio, or a head that attends to itself alone a sink mass.
"""

import torch

SINK_KEYS = 4  # StreamingLLM's
LOCAL_KEYS = 64

NAMES = (
    "key_norm", "key_norm_variation", "mean_key_share", "participation_ratio", "query_norm", "logit_deviation",
    "value_norm_variation", "sink_mass", "local_mass", "induction_mass", "effective_keys",
)  # fmt: skip


def participation_ratio(centred):
    """(tr C)^2 / tr C^2 of the covariance of centred keys [.., keys, dim]: 1 on a line, dim for a sphere; NaN for
    equal keys.
    """
    covariance = centred.double().transpose(-1, -2) @ centred.double()
    trace = covariance.diagonal(dim1=-2, dim2=-1).sum(-1)
    return (trace**2 / (covariance**2).sum(dim=(-1, -2))).float()


def variation(norms):
    """Deviation over mean, along the last axis."""
    return norms.std(dim=-1, unbiased=False) / norms.mean(dim=-1)


def follows_same(tokens, positions):
    """bool [batch, rows, keys]: keys whose token before is the row's own token, as an induction head looks for."""
    before = torch.cat([torch.full_like(tokens[:, :1], -1), tokens[:, :-1]], dim=1)
    return before.unsqueeze(1) == tokens[:, positions].unsqueeze(-1)


def of_rows(problem, tokens, rows_to_heads):
    """{name: [batch, query_heads]}; tokens [batch, keys]; rows_to_heads: [batch, kv_heads, rows] to [batch, heads,
    positions].
    """
    keys = problem.keys[:, :, : problem.indexed]
    norms = keys.norm(dim=-1)
    share = problem.logits.softmax(dim=-1)
    finite = problem.logits.masked_fill(~problem.visible, 0.0)
    count = problem.visible.sum(dim=-1)
    mean = finite.sum(dim=-1) / count
    square = ((finite - mean.unsqueeze(-1)).masked_fill(~problem.visible, 0.0) ** 2).sum(dim=-1) / count
    near = problem.positions.unsqueeze(-1) - torch.arange(share.shape[-1], device=share.device) < LOCAL_KEYS
    induced = follows_same(tokens, problem.positions).unsqueeze(1) & problem.visible
    by_row = {
        "query_norm": problem.queries.norm(dim=-1),
        "logit_deviation": square.sqrt(),
        "sink_mass": share[..., :SINK_KEYS].sum(dim=-1),
        "local_mass": (share * near).sum(dim=-1),
        "induction_mass": (share * induced).sum(dim=-1),
        "effective_keys": torch.special.entr(share).sum(dim=-1).exp(),
    }
    by_kv_head = {
        "key_norm": norms.mean(dim=-1),
        "key_norm_variation": variation(norms),
        "mean_key_share": problem.mean_key.norm(dim=-1).squeeze(-1) / norms.mean(dim=-1),
        "participation_ratio": participation_ratio(problem.centred[:, :, : problem.indexed]),
        "value_norm_variation": variation(problem.values[:, :, : problem.indexed].norm(dim=-1)),
    }
    found = {name: rows_to_heads(rows).mean(dim=-1) for name, rows in by_row.items()}
    group = found["query_norm"].shape[1] // keys.shape[1]
    found |= {name: numbers.repeat_interleave(group, dim=1) for name, numbers in by_kv_head.items()}
    return {name: found[name] for name in NAMES}


def kind(statistics):
    """local, sink, induction or diffuse: where the most mass goes, for one head's means."""
    masses = {
        "local": statistics["local_mass"],
        "sink": statistics["sink_mass"],
        "induction": statistics["induction_mass"],
    }
    name = max(masses, key=masses.get)
    threshold = {"local": 0.5, "sink": 0.5, "induction": 0.2}[name]
    return name if masses[name] >= threshold else "diffuse"
