"""What does a decode step lose against dense attention, and how long does it take? Speed beside accuracy, on one GPU.

    python3 gpu/bench/frontier.py build/gpu/libsocketlab_gpu.so [--kv-heads 32 8] [--keys 145408 294912]

Needs PyTorch and a GPU.

SOCKET over the number of tables, the signed projection (orthogonal blocks, times the key's norm) over the number of
bits, the exact ranking, and dense attention. Errors are |output - dense| / |dense| for each head, dense in double precision
from the same bf16 inputs; softmax_mass is what dense attention gives to the selected keys. Outputs are the decode step's own,
those of the exact ranking PyTorch's.
"""

import itertools
import math

import harness
import torch
from harness import DIM, FAST_BACKENDS, HEADS, SCALE, SINK, WINDOW, Steps, attend, gpu, scores_of, timed

COPIES = 3  # of everything a step reads, used in turn: the L2 holds none of it
SOCKET_TABLES, SOCKET_PLANES = (10, 20, 30, 40, 60, 80), 10
SIGNED_BITS = (64, 128, 192, 320, 480, 608)
DENSITIES = (0.01, 0.02, 0.03, 0.05, 0.1)
NEEDLES, NEEDLE_COSINE = 16, 0.9
CLUSTERS, SPREAD = 256, 0.5
SHARPNESS = 3  # standard deviation of the logits where it is not 1, as in heads that attend to few keys
QUALITIES = ("output_error", "worst_output_error", "softmax_mass", "least_softmax_mass")
COLUMNS = (
    *("family", "rule", "tables", "planes", "bits", "budget", "sink", "window", "keys", "heads", "kv_heads"),
    *("median_us", "fastest_us", "slowest_us", "repetitions", *QUALITIES),
)


def instance(family, heads, kv_heads, keys):
    """Queries [1, heads, 1, dim], keys and values [1, kv_heads, keys, dim], bf16. `gaussian`: everything N(0,1), so that logits
    have deviation 1; `sharp`: queries 3 times as long; `needles`: for each query 16 keys of its head at cosine 0.9
    to it, the others Gaussian; `clustered`: keys around 256 centres of a head, deviation 0.5 around them, queries 3 times as
    long."""

    def normal(*shape):
        return harness.normal(*shape, dtype=torch.float32)

    q = normal(1, heads, 1, DIM) * (SHARPNESS if family in ("sharp", "clustered") else 1)
    k, v = (torch.empty(1, kv_heads, keys, DIM, device="cuda", dtype=torch.bfloat16) for _ in "kv")
    group = heads // kv_heads
    for head in range(kv_heads):
        rows = normal(keys, DIM)
        if family == "clustered":
            centres = normal(CLUSTERS, DIM)[torch.randint(CLUSTERS, (keys,), device="cuda")]
            rows = math.sqrt(1 - SPREAD**2) * centres + SPREAD * rows
        if family == "needles":
            at = torch.randperm(keys, device="cuda")[: group * NEEDLES]
            own = q[0, head * group : (head + 1) * group, 0].repeat_interleave(NEEDLES, 0)
            rows[at] = NEEDLE_COSINE * own + math.sqrt(1 - NEEDLE_COSINE**2) * rows[at]
        k[0, head], v[0, head] = rows, normal(keys, DIM)
    return q.bfloat16(), k, v


class Dense:
    """Weights [heads, keys] and outputs [heads, dim] of dense attention in double precision."""

    def __init__(self, q, k, v):
        self.values = v[0]
        self.group = q.shape[1] // k.shape[1]
        logits = torch.cat(
            [
                each.double() @ own[:, 0].double().T * SCALE
                for each, own in zip(k[0], q[0].split(self.group), strict=True)
            ],
            1,
        ).T
        self.logits, self.weights = logits, logits.softmax(-1)
        self.output = self.attend(self.weights)

    def attend(self, weights):
        return torch.cat([w @ v.double() for w, v in zip(weights.split(self.group), self.values, strict=True)])

    def over(self, selected):
        """Softmax attention over the keys where `selected` is true."""
        kept = self.weights * selected
        return self.attend(kept / kept.sum(-1, keepdim=True))

    def quality(self, output, selected):
        error = (output.double() - self.output).norm(dim=-1) / self.output.norm(dim=-1)
        mass = (self.weights * selected).sum(-1)
        return [float(x) for x in (error.median(), error.max(), mass.median(), mass.min())]


def best_of(scores, budget):
    """Mask of the `budget` best between sink and window, and of both."""
    keys = scores.shape[-1]
    selected = torch.zeros_like(scores, dtype=torch.bool)
    selected[:, :SINK] = selected[:, keys - WINDOW :] = True
    between = scores[:, SINK : keys - WINDOW].topk(budget).indices + SINK
    return selected.scatter_(1, between, True)


def indexes_of(library, inputs, rows, tables, planes, rule):
    """One index over the same keys in each copy of the inputs. SOCKET's scores are weighted by the norms of the values, the signed
    projection's by those of the keys."""
    hyperplanes = rows.view(tables, planes, DIM)
    indexes = [gpu.Index(k, v, hyperplanes=hyperplanes, library=library) for _, k, v in inputs]
    if rule == "signed-projection":
        for index in indexes:
            gpu.build_index(index.keys, index.hyperplanes, index.keys, out=(index.packed, index.norms), library=library)
    return indexes


def orthogonal_rows(bits):
    """Random rotations one below the other, rows of norm sqrt(dim)."""
    blocks = [
        torch.linalg.qr(torch.randn(DIM, DIM, device="cuda", dtype=torch.float64))[0] for _ in range(-(-bits // DIM))
    ]
    return math.sqrt(DIM) * torch.cat(blocks)[:bits]


def signed_tables(bits, shared):
    """Tables and planes: a score sums all bits whatever the tables are. So the widest without bank conflicts, which need fewest
    look-ups; or where heads share a kv head, whose weights are made of half sums, those with fewer of them."""
    planes = 8 if shared or bits % 10 else 10
    return bits // planes, planes


def frontier(options, record, family, kv_heads, keys):
    q, k, v = instance(family, options.heads, kv_heads, keys)
    dense = Dense(q, k, v)
    inputs = [(q, k, v)] + [(q.clone(), k.clone(), v.clone()) for _ in range(COPIES - 1)]
    everything = torch.ones_like(dense.weights, dtype=torch.bool)

    def report(rule, tables, planes, budget, times, output, selected):
        quality = dict(zip(QUALITIES, (f"{x:.6g}" for x in dense.quality(output, selected)), strict=True))
        shape = dict(family=family, keys=keys, heads=options.heads, kv_heads=kv_heads, sink=SINK, window=WINDOW)
        sizes = dict(rule=rule, tables=tables, planes=planes, bits=tables * planes, budget=budget)
        record.add(times, **sizes, **shape, **quality)

    for name in FAST_BACKENDS:
        times = timed(lambda *each: attend(name, *each), inputs)
        report(name, 0, 0, keys, times, attend(name, q, k, v)[0, :, 0], everything)
    budgets = [round(density * keys) for density in DENSITIES]
    for budget in budgets:
        selected = best_of(dense.logits, budget)
        report("true-top-k", 0, 0, budget, [], dense.over(selected), selected)

    def gaussian_rows(bits):
        return torch.randn(bits, DIM, device="cuda")

    socket_sizes = [(tables, SOCKET_PLANES) for tables in SOCKET_TABLES]
    signed_sizes = [signed_tables(bits, options.heads != kv_heads) for bits in SIGNED_BITS]
    for rule, name, rows, sizes in (
        ("soft-collision", "socket", gaussian_rows, socket_sizes),
        ("signed-projection", "signed-orthogonal-norm", orthogonal_rows, signed_sizes),
    ):
        for tables, planes in sizes:
            indexes = indexes_of(options.library, inputs, rows(tables * planes), tables, planes, rule)
            query = q[:, :, 0].contiguous()
            scores = scores_of(query, indexes[0], rule)[0]
            for budget in budgets:
                steps = Steps(query, indexes, rule=rule, budget=budget, sink=SINK, window=WINDOW)
                times = timed(steps, steps.sets)
                steps.output.fill_(math.nan)
                report(name, tables, planes, budget, times, steps.run()[0], best_of(scores, budget))


def measure(options, record):
    for keys, kv_heads, family in itertools.product(options.keys, options.kv_heads, options.families):
        torch.manual_seed(options.seed)
        frontier(options, record, family, kv_heads, keys)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    parser = harness.parser(__doc__, keys=[harness.KEYS], kv_heads=[32])
    parser.add_argument("--heads", type=int, default=HEADS)
    parser.add_argument("--families", nargs="+", default=["gaussian", "sharp", "needles", "clustered"])
    harness.run(measure, parser.parse_args(), COLUMNS)
