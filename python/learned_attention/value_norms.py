"""Are the keys that a head attends to those of long values, and what does SOCKET's factor make of them?

    python -m learned_attention.value_norms heads.safetensors value_norms.csv        (a file of capture)

For each query head, means over its queries, of the keys that compete (behind the sink, before the window):
correlation: Spearman's, of q.k with the value norm. length_ratio: mean value norm of the N/33 keys of largest q.k, over
that of all. score_variation and norm_variation: deviation over mean, of SOCKET's score and of the value norm. recall,
value_recall, dealt_recall: share of these N/33 keys that SOCKET selects, that its score times the value norm selects,
and that its score times the value norm of another key selects. Wrong if a key of another head or one that no query
sees counted: tests/learned_attention/value_norms_test.py.
"""

import csv
import io
import json
import sys
from pathlib import Path

import safetensors
import torch

from learned_attention.ranking import rankers, selection
from learned_attention.ranking.problem import Settings, magnitude, problem_of_rows
from learned_attention.refusals import Parser, Refused, run, whole, write_whole

PROGRAM = "learned_attention.value_norms"
SPARSITY = 33
RANKED = {"recall": "socket", "value_recall": "socket-value", "dealt_recall": "socket-dealt-value"}


def deviation_over_mean(values, chosen):
    """Over the chosen keys, [.., rows]."""
    count = chosen.sum(dim=-1)
    mean = (values * chosen).sum(dim=-1) / count
    return (((values - mean.unsqueeze(-1)) ** 2 * chosen).sum(dim=-1) / count).sqrt() / mean


def spearman(a, b):
    """Of two rows of numbers without ties."""
    ranks = torch.stack([row.argsort().argsort().double() for row in (a, b)])
    return torch.corrcoef(ranks)[0, 1]


def measured(problem, rule):
    """Numbers of each row, {name: [kv_heads, rows]}."""
    always, competing = rule.ways(problem)
    norms = problem.value_norms.expand_as(problem.products)
    top = selection.best(problem.products, competing, rule.budget)
    soft = rankers.RANKERS["socket"](problem)
    rows = [
        [spearman(problem.products[0, h, i][competing[i]], norms[0, h, i][competing[i]]) for i in range(len(competing))]
        for h in range(norms.shape[1])
    ]
    found = {
        "correlation": torch.tensor(rows),
        "length_ratio": (norms * top).sum(-1) / top.sum(-1) / ((norms * competing).sum(-1) / competing.sum(-1)),
        "score_variation": deviation_over_mean(soft, competing),
        "norm_variation": deviation_over_mean(norms, competing),
    }
    for name, ranker in RANKED.items():
        chosen = selection.select(problem, rankers.RANKERS[ranker](problem), rule) & ~always
        found[name] = (chosen & top).sum(-1) / top.sum(-1)
    return {name: numbers.reshape(norms.shape[1:3]) for name, numbers in found.items()}


def table(tensors, heads, settings, rule_of):
    """A row for each query head; tensors: q, k, v of a captured file; heads: its metadata."""
    q, k, v = (tensors[name].unsqueeze(0).float() for name in "qkv")
    queries, keys = q.shape[2], k.shape[2]
    first, rule = keys - queries, rule_of(keys)
    if first + 1 - rule.sink - rule.window < 3:
        fewest = queries + rule.sink + rule.window + 2
        raise Refused(f"{keys} keys for {queries} queries: allowed are {fewest} and more, so that three compete")
    positions = torch.arange(first, keys)
    problem = problem_of_rows(0, q, k, v, positions, magnitude(q, k.shape[1]), [0], settings, max(1, first))
    by_row = measured(problem, rule)
    names = [(one["layer"], head["head"], head["kind"]) for one in heads for head in one["heads"]]
    means = {name: numbers.reshape(len(names), queries).mean(dim=1).tolist() for name, numbers in by_row.items()}
    return [
        {"layer": layer, "head": head, "kind": kind, **{name: f"{values[i]:.6g}" for name, values in means.items()}}
        for i, (layer, head, kind) in enumerate(names)
    ]


def parser():
    p = Parser(prog=PROGRAM, description=__doc__.split("\n\n")[0])
    p.add_argument("heads", type=Path, help="the .safetensors file of capture")
    p.add_argument("out", type=Path, help="the .csv file")
    p.add_argument("--seed", type=whole(0, 10**6), default=1, help="of the hyperplanes [1]")
    return p


def main(arguments):
    given = parser().parse_args(arguments)
    try:
        with safetensors.safe_open(given.heads, framework="pt") as file:
            names, metadata = file.keys(), file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in names}
    except (OSError, safetensors.SafetensorError) as error:
        raise Refused(f"{given.heads}: {error}; allowed is a file that capture wrote") from error
    if "heads" not in metadata or set(tensors) != set("qkv"):
        raise Refused(f"{given.heads}: no heads are described in it; allowed is a file that capture wrote")
    rows = table(
        tensors,
        json.loads(metadata["heads"]),
        Settings(seed=given.seed),
        lambda n: selection.Rule(max(1, n // SPARSITY)),
    )
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(given.out, text.getvalue().encode())


if __name__ == "__main__":
    run(PROGRAM, main, sys.argv[1:])
