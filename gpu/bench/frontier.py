"""What does a decode step lose against dense attention, and how long does it take? Speed beside accuracy, on one GPU.

    python3 gpu/bench/frontier.py build/gpu/libsocketlab_gpu.so [--kv-heads 32 8] [--keys 145408 294912]

Needs PyTorch and a GPU.

Prints CSV: SOCKET over the number of tables, the signed projection (orthogonal blocks, times the key's norm) over the number of
bits, the exact ranking, and dense attention. Errors are |output - dense| / |dense| for each head, dense in double precision
from the same bf16 inputs; softmax_mass is what dense attention gives to the selected keys. Outputs are the decode step's own,
those of the exact ranking PyTorch's.
"""

import argparse
import itertools
import math

import needs
import torch
from dense_attention import BACKENDS, attend
from graph_timing import timed
from interface import BF16, Library

DIM, SINK, WINDOW = 128, 128, 128
TEMPERATURE = 0.5
COPIES = 3  # of everything a step reads, used in turn: the L2 holds none of it
SOCKET_TABLES, SOCKET_PLANES = (10, 20, 30, 40, 60, 80), 10
SIGNED_BITS = (64, 128, 192, 320, 480, 608)
DENSITIES = (0.01, 0.02, 0.03, 0.05, 0.1)
NEEDLES, NEEDLE_COSINE = 16, 0.9
CLUSTERS, SPREAD = 256, 0.5
SHARPNESS = 3  # standard deviation of the logits where it is not 1, as in heads that attend to few keys
SCALE = 1 / math.sqrt(DIM)
SOFT, SIGNED = 0, 1  # enum skt_rule
HALF_TABLES, HALF_SUMS = 1, 2  # enum skt_probability_form
COLUMNS = (
    "family",
    "rule",
    "tables",
    "planes",
    "bits",
    "budget",
    "sink",
    "window",
    "keys",
    "heads",
    "kv_heads",
    "median_us",
    "fastest_us",
    "slowest_us",
    "repetitions",
    "output_error",
    "worst_output_error",
    "softmax_mass",
    "least_softmax_mass",
)


def instance(family, heads, kv_heads, keys):
    """Queries [1, heads, 1, dim], keys and values [1, kv_heads, keys, dim], bf16. `gaussian`: everything N(0,1), so that logits
    have deviation 1; `sharp`: queries 3 times as long; `needles`: for each query 16 keys of its head at cosine 0.9
    to it, the others Gaussian; `clustered`: keys around 256 centres of a head, deviation 0.5 around them, queries 3 times as
    long."""

    def normal(*shape):
        return torch.randn(shape, device="cuda")

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


class Step:
    """One index over the same keys in each copy of the inputs, and decode steps on it. SOCKET's scores are weighted by the norms
    of the values, the signed projection's by those of the keys."""

    def __init__(self, library, inputs, hyperplanes, tables, planes, rule):
        self.library, self.inputs, self.hyperplanes, self.rule = library, inputs, hyperplanes, rule
        q, k, _ = inputs[0]
        heads, (kv_heads, keys) = q.shape[1], k.shape[1:3]
        self.sizes = dict(batch=1, heads=heads, kv_heads=kv_heads, capacity=keys, tables=tables, planes=planes)
        words = ((tables + 3) // 4 * planes + 7) // 8
        self.packed = [torch.empty(kv_heads, keys, words, device="cuda", dtype=torch.int32) for _ in inputs]
        self.norms = [torch.empty(kv_heads, keys, device="cuda", dtype=torch.float16) for _ in inputs]
        self.output = torch.empty(heads, DIM, device="cuda")
        shape = {name: size for name, size in self.sizes.items() if name != "heads"}
        for (_, k, v), packed, norms in zip(inputs, self.packed, self.norms, strict=True):
            library.call(
                "skt_build_index",
                library.arguments(
                    "skt_build_index",
                    keys=k,
                    values=k if rule == SIGNED else v,
                    hyperplanes=hyperplanes,
                    packed=packed,
                    norms=norms,
                    **shape,
                    first=0,
                    count=keys,
                    dim=DIM,
                    type=BF16,
                ),
            )

    def steps(self, budget):
        keys = self.sizes["capacity"]
        prepared = [
            self.library.arguments(
                "skt_decode_step",
                queries=q,
                keys=k,
                values=v,
                hyperplanes=self.hyperplanes,
                packed=packed,
                norms=norms,
                output=self.output,
                used=keys,
                dim=DIM,
                budget=budget,
                sink=SINK,
                window=WINDOW,
                scale=SCALE,
                temperature=TEMPERATURE,
                logit_scale=SCALE,
                type=BF16,
                rule=self.rule,
                **self.sizes,
            )
            for (q, k, v), packed, norms in zip(self.inputs, self.packed, self.norms, strict=True)
        ]
        workspaces = [self.library.give_workspace("skt_decode_step", arguments) for arguments in prepared]
        return prepared, workspaces

    def run(self, budget):
        """Times and the outputs [heads, dim]."""
        prepared, _workspaces = self.steps(budget)
        times = timed(lambda arguments: self.library.call("skt_decode_step", arguments), [(a,) for a in prepared])
        self.output.fill_(math.nan)
        self.library.call("skt_decode_step", prepared[0])
        return times, self.output.clone()

    def scores(self):
        """The scores the step selects by, [heads, keys]."""
        heads, keys, tables, planes = (self.sizes[name] for name in ("heads", "capacity", "tables", "planes"))
        halves = torch.empty(heads, tables, 2 ** ((planes + 1) // 2) + 2 ** (planes // 2), device="cuda")
        scores = torch.empty(heads, keys, device="cuda")
        self.library.call(
            "skt_soft_buckets",
            self.library.arguments(
                "skt_soft_buckets",
                queries=self.inputs[0][0],
                hyperplanes=self.hyperplanes,
                probabilities=halves,
                batch=1,
                heads=heads,
                dim=DIM,
                tables=tables,
                planes=planes,
                scale=SCALE,
                temperature=TEMPERATURE,
                query_type=BF16,
                form=HALF_SUMS if self.rule == SIGNED else HALF_TABLES,
            ),
        )
        self.library.call(
            "skt_score_packed",
            self.library.arguments(
                "skt_score_packed",
                half_tables=halves,
                packed=self.packed[0],
                norms=self.norms[0],
                scores=scores,
                used=keys,
                rule=self.rule,
                **self.sizes,
            ),
        )
        return scores


def orthogonal_rows(bits):
    """Random rotations one below the other, rows of norm sqrt(dim), rounded as the index rounds them."""
    blocks = [
        torch.linalg.qr(torch.randn(DIM, DIM, device="cuda", dtype=torch.float64))[0] for _ in range(-(-bits // DIM))
    ]
    return (math.sqrt(DIM) * torch.cat(blocks)[:bits]).bfloat16().float().contiguous()


def print_row(family, rule, tables, planes, budget, inputs, times, quality):
    q, k, _ = inputs
    times = sorted(times)
    spread = [f"{t:.2f}" for t in (times[len(times) // 2], times[0], times[-1])] if times else ["", "", ""]
    cells = [
        family,
        rule,
        tables,
        planes,
        tables * planes,
        budget,
        SINK,
        WINDOW,
        k.shape[2],
        q.shape[1],
        k.shape[1],
        *spread,
        len(times),
        *(f"{x:.6g}" for x in quality),
    ]
    print(",".join(map(str, cells)), flush=True)


def signed_tables(bits, shared):
    """Tables and planes: a score sums all bits whatever the tables are. So the widest without bank conflicts, which need fewest
    look-ups; or where heads share a kv head, whose weights are made of half sums, those with fewer of them."""
    planes = 8 if shared or bits % 10 else 10
    return bits // planes, planes


def frontier(library, family, heads, kv_heads, keys):
    q, k, v = instance(family, heads, kv_heads, keys)
    dense = Dense(q, k, v)
    inputs = [(q, k, v)] + [(q.clone(), k.clone(), v.clone()) for _ in range(COPIES - 1)]
    everything = torch.ones_like(dense.weights, dtype=torch.bool)
    for name, backend in BACKENDS.items():
        if name == "dense-memory-efficient":
            continue  # 10 times slower than the others at one query row
        times = timed(lambda *each: attend(backend, *each, heads != kv_heads), inputs)
        output = attend(backend, q, k, v, heads != kv_heads)[0, :, 0]
        print_row(family, name, 0, 0, keys, inputs[0], times, dense.quality(output, everything))
    budgets = [round(density * keys) for density in DENSITIES]
    for budget in budgets:
        selected = best_of(dense.logits, budget)
        print_row(family, "true-top-k", 0, 0, budget, inputs[0], [], dense.quality(dense.over(selected), selected))

    def gaussian_rows(bits):
        return torch.randn(bits, DIM, device="cuda").bfloat16().float()

    for rule, name, rows, sizes in (
        (SOFT, "socket", gaussian_rows, [(tables, SOCKET_PLANES) for tables in SOCKET_TABLES]),
        (
            SIGNED,
            "signed-orthogonal-norm",
            orthogonal_rows,
            [signed_tables(bits, heads != kv_heads) for bits in SIGNED_BITS],
        ),
    ):
        for tables, planes in sizes:
            step = Step(library, inputs, rows(tables * planes), tables, planes, rule)
            scores = step.scores()
            for budget in budgets:
                times, output = step.run(budget)
                quality = dense.quality(output, best_of(scores, budget))
                print_row(family, name, tables, planes, budget, inputs[0], times, quality)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, nargs="+", default=[32], help="divisors of --heads")
    parser.add_argument("--keys", type=int, nargs="+", default=[145408])
    parser.add_argument("--families", nargs="+", default=["gaussian", "sharp", "needles", "clustered"])
    options = parser.parse_args()
    needs.gpu()
    library = Library(options.library)
    print(",".join(COLUMNS))
    for keys, kv_heads, family in itertools.product(options.keys, options.kv_heads, options.families):
        torch.manual_seed(1)
        frontier(library, family, options.heads, kv_heads, keys)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
