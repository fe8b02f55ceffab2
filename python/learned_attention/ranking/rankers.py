"""Which rankers are compared on learned keys, by what name? Those of estimators/peers/rankers.cpp by the same names,
other temperatures and sizes, and scores that change one thing (interventions).

A ranker is a function of a Problem to scores [batch, kv_heads, rows, keys], larger is better, -inf is never selected; a
sampler gives the keys that it drew and weights for them. Wrong if a name stood for other scores than those of the C++
function: tests/learned_attention/ranking/rankers_test.py compares them with the program's and by hand.

The interventions: key norms made equal turns oracle-top-k into cosine-oracle, qjl into signed-independent and
signed-orthogonal-norm into signed-orthogonal; value norms made equal turns socket-value into socket and
softmax-times-value into oracle-top-k; dealt to other keys they turn socket-value into socket-dealt-value, which has
their spread and not what they say of a key. norm-half stands between cosine and q.k. Sinks that compete or are barred
are a rule of the selection (selection.py), for every ranker.
"""

from functools import partial

import torch
from learned_attention.ranking import draws, hash_scores, peers, signed_scores
from learned_attention.refusals import Refused


def over_rows(problem, scores):
    """[.., 1, keys] for every row."""
    return scores.expand(*problem.queries.shape[:3], -1)


def cosine(problem, keys=None):
    """0 for a zero key or query."""
    keys = problem.keys if keys is None else keys
    norms = problem.queries.norm(dim=-1, keepdim=True) * keys.norm(dim=-1).unsqueeze(2)
    return (problem.queries @ keys.transpose(-1, -2) / norms).masked_fill(norms == 0, 0.0)


def socket_value(problem, temperature=None):
    return hash_scores.soft_scores(problem, temperature) * problem.value_norms


def socket_dealt_value(problem):
    """The value norms of the indexed keys dealt among these at random: as variable as its own, and no news of a key."""
    norms = problem.value_norms.clone()
    order = draws.orders(problem)[:, None, None].expand(-1, *norms.shape[1:3], -1)
    norms[..., : problem.indexed] = norms.gather(-1, order)
    return hash_scores.soft_scores(problem) * norms


def hard_latest(problem):
    """Hard collisions, ties to the later key: a count and a part below 1 that rises with the index."""
    count = problem.keys.shape[2]
    return hash_scores.hard_scores(problem) + torch.arange(count, device=problem.keys.device) / count


def hard_value(problem):
    return hash_scores.hard_scores(problem) * problem.value_norms


def bucket_attention(problem):
    """Collisions times value norm; no candidate without a collision."""
    collisions = hash_scores.open_collisions(problem)
    return (collisions * problem.value_norms).masked_fill(collisions < 0.5, -torch.inf)


def softmax_times_value(problem):
    """The logarithm of exact softmax weight times value norm, up to one number for each row."""
    return problem.products * problem.keys.shape[-1] ** -0.5 + problem.value_norms.log()


def latest(problem):
    """StreamingLLM (Xiao et al. 2024): the latest keys; the sink is the selection's."""
    keys = torch.arange(problem.keys.shape[2], device=problem.keys.device, dtype=torch.float32)
    return over_rows(problem, keys)


def norm_half(problem):
    """cos |k|^(1/2): half-way between ranking by direction and by q.k."""
    return cosine(problem) * problem.key_norms.sqrt()


signed = signed_scores.scores

RANKERS = {
    "oracle-top-k": lambda problem: problem.products,
    "cosine-oracle": cosine,
    "softmax-times-value": softmax_times_value,
    "socket": hash_scores.soft_scores,
    "socket-value": socket_value,
    "socket-tau-0.3": partial(hash_scores.soft_scores, temperature=0.3),
    "socket-value-tau-0.3": partial(socket_value, temperature=0.3),
    "socket-tau-0.1": partial(hash_scores.soft_scores, temperature=0.1),
    "socket-value-tau-0.1": partial(socket_value, temperature=0.1),
    "hard-lsh": hash_scores.hard_scores,
    "hard-lsh-latest": hard_latest,
    "hard-lsh-value": hard_value,
    "hamming": hash_scores.hamming_scores,
    "bucket-attention": bucket_attention,
    "signature-hamming": partial(signed, query="sign"),
    "signed-orthogonal": signed,
    "signed-orthogonal-norm": partial(signed, factor="norm"),
    "rabitq": partial(signed, factor="exact-on-key"),
    "signed-independent": partial(signed, kind="independent"),
    "qjl": partial(signed, kind="independent", factor="norm"),
    "signed-orthogonal-600": partial(signed, bits=600),
    "signed-orthogonal-norm-600": partial(signed, bits=600, factor="norm"),
    "quest": peers.quest,
    "double-sparsity": peers.double_sparsity,
    "loki": peers.loki,
    "pqcache": peers.pqcache,
    "value-norm": lambda problem: over_rows(problem, problem.value_norms),
    "random": draws.uniforms,
    "streaming-llm": latest,
    # Interventions.
    "norm-half": norm_half,
    "socket-dealt-value": socket_dealt_value,
    "cosine-centred": lambda problem: cosine(problem, problem.centred),
    "socket-centred": lambda problem: hash_scores.soft_scores(problem, keys=problem.centred),
    "signed-orthogonal-norm-centred": partial(signed, factor="norm", centred=True),
}
SAMPLERS = {"magicpig": peers.magicpig}
DENSE = "dense"
NAMES = (DENSE, *RANKERS, *SAMPLERS)


def require(name):
    if name not in NAMES:
        raise Refused(f"ranker {name}: allowed are {', '.join(NAMES)}")
    return name
