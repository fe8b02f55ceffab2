"""How long does a decode step take the published way, beside skt_decode_step on the same tensors?

    python3 gpu/bench/published_pipeline.py build/gpu/libsocketlab_gpu.so

The replica is the published step re-stated operation by operation. By PyTorch, as published: soft hash in the model's type
(product with the hyperplanes, tanh, division, product with the corners, softmax, cast), the mask of allowed keys, -infinity in
the scores outside it, topk, the list of sink, best and window keys. By this library: the scoring kernel (paper, Algorithm 4)
re-implemented, and attention over the list, which takes less time than the published one. `replica-eager` is launched from the
host, as published; `replica-graph` is the same as one CUDA graph; replica-hash is its first part. The published throughput path
also copies all keys and values into the layout that its attention reads, for each token: `replica-copy-eager` begins with that.
The other rows are this library's kernels and topk, stage by stage (graphs) and as one graph, published-pipeline: no host, no
mask, and the soft hash in one kernel; and dense attention over the same keys and values. Prints CSV.
"""

import argparse
import math
import statistics

import torch
from dense_attention import BACKENDS, attend
from graph_timing import timed, timed_eager
from interface import BF16, F16, F32, Library

DIM, TABLES, PLANES = 128, 60, 10
SINK, WINDOW, SPARSITY = 128, 128, 33
TEMPERATURE, SCALE = 0.5, 1 / math.sqrt(DIM)
COPIES = 2  # of everything a step reads, used in turn: the L2 holds none of it
BUCKETS = 0  # enum skt_probability_form


class Cache:
    """Keys and values with both indexes over them: int16 codes as published, and packed codes."""

    def __init__(self, library, heads, kv_heads, keys, hyperplanes):
        made = lambda *shape, dtype: torch.empty(*shape, device="cuda", dtype=dtype)
        normal = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
        self.q, self.k, self.v = normal(heads, DIM), normal(kv_heads, keys, DIM), normal(kv_heads, keys, DIM)
        self.codes = made(kv_heads, TABLES, keys, dtype=torch.int16)
        words = ((TABLES + 3) // 4 * PLANES + 7) // 8
        self.packed = made(kv_heads, keys, words, dtype=torch.int32)
        self.norms = made(kv_heads, keys, dtype=torch.float16)
        shape = dict(batch=1, kv_heads=kv_heads, capacity=keys, first=0, count=keys)
        hashed = dict(dim=DIM, tables=TABLES, planes=PLANES, hyperplanes=hyperplanes)
        library.call("skt_hash_keys", library.arguments(
            "skt_hash_keys", keys=self.k, codes=self.codes, key_type=BF16, **shape, **hashed))
        library.call("skt_build_index", library.arguments(
            "skt_build_index", keys=self.k, values=self.v, packed=self.packed, norms=self.norms, type=BF16, **shape, **hashed))


def stages_of(library, heads, kv_heads, keys, cache, hyperplanes):
    """The published stages in order, (name, call), the arguments of two of them, and the tensors that they write."""
    budget = keys // SPARSITY
    length = SINK + budget + WINDOW
    probabilities = torch.empty(heads, TABLES, 1 << PLANES, device="cuda")
    scores = torch.empty(heads, keys, device="cuda")
    selected = torch.empty(heads, length, device="cuda", dtype=torch.int32)
    selected[:, :SINK] = torch.arange(SINK)
    selected[:, SINK + budget:] = torch.arange(keys - WINDOW, keys)
    counts = torch.full((heads,), length, device="cuda", dtype=torch.int32)
    best = (torch.empty(heads, budget, device="cuda"), torch.empty(heads, budget, device="cuda", dtype=torch.int64))
    output = torch.empty(heads, DIM, device="cuda")
    sizes = dict(batch=1, heads=heads)
    buckets = library.arguments(
        "skt_soft_buckets", queries=cache.q, hyperplanes=hyperplanes, probabilities=probabilities, dim=DIM, tables=TABLES,
        planes=PLANES, scale=SCALE, temperature=TEMPERATURE, query_type=BF16, form=BUCKETS, probability_type=F32, **sizes)
    score = library.arguments(
        "skt_score_buckets", probabilities=probabilities, codes=cache.codes, norms=cache.norms, scores=scores, kv_heads=kv_heads,
        capacity=keys, keys=keys, tables=TABLES, planes=PLANES, probability_type=F32, norm_type=F16, **sizes)
    attention = library.arguments(
        "skt_sparse_attention", queries=cache.q, keys=cache.k, values=cache.v, selected=selected, counts=counts,
        output=output, kv_heads=kv_heads, capacity=keys, dim=DIM, list=length, logit_scale=SCALE, type=BF16, **sizes)
    workspace = library.give_workspace("skt_sparse_attention", attention)

    def join():
        selected[:, SINK:SINK + budget] = best[1]

    return [("published-buckets", lambda: library.call("skt_soft_buckets", buckets)),
            ("published-scores", lambda: library.call("skt_score_buckets", score)),
            ("torch-topk", lambda: torch.topk(scores, budget, out=best)),
            ("list", join),
            ("sparse-attention", lambda: library.call("skt_sparse_attention", attention))
            ], score, attention, (probabilities, scores, selected, counts, best, output, workspace)


def replica_of(library, heads, keys, cache, hyperplanes, score, attention):
    """As calls: the replica's soft hash, its whole step, and this behind a copy of keys and values. `score` and `attention` are
    the arguments of those stages.
    """
    planes = hyperplanes.bfloat16().reshape(TABLES * PLANES, DIM)
    bits = torch.arange(1 << PLANES, device="cuda")[:, None] >> torch.arange(PLANES - 1, -1, -1, device="cuda") & 1
    corners = ((2 * bits - 1) / TEMPERATURE).bfloat16()  # published: no temperature, or a fixed one, and no operation for it
    scores = torch.empty(heads, keys, device="cuda")
    score, attention = (type(arguments).from_buffer_copy(arguments) for arguments in (score, attention))

    def soft_hash():
        projections = torch.matmul(cache.q, planes.T).view(heads, TABLES, PLANES)
        logits = torch.matmul(torch.tanh(projections) / math.sqrt(DIM), corners.T)
        return torch.softmax(logits, dim=-1).float()

    def step():
        probabilities = soft_hash()
        allowed = (torch.arange(keys, device="cuda") < keys).expand(heads, keys).contiguous()
        score.probabilities, score.allowed, score.scores = (x.data_ptr() for x in (probabilities, allowed, scores))
        score.allowed_per_head = 1
        library.call("skt_score_buckets", score)
        best = torch.topk(scores.masked_fill(~allowed, -math.inf), keys // SPARSITY).indices
        sink = torch.arange(SINK, device="cuda").expand(heads, SINK)
        window = torch.arange(keys - WINDOW, keys, device="cuda").expand(heads, WINDOW)
        selected = torch.cat([sink, best, window], dim=-1).int()
        attention.selected = selected.data_ptr()
        library.call("skt_sparse_attention", attention)

    def copy_and_step():
        copies = [cached.transpose(0, 1).contiguous() for cached in (cache.k, cache.v)]
        step()
        return copies

    return soft_hash, step, copy_and_step


def decode_step(library, heads, kv_heads, keys, cache, hyperplanes):
    output = torch.empty(heads, DIM, device="cuda")
    step = library.arguments(
        "skt_decode_step", queries=cache.q, keys=cache.k, values=cache.v, hyperplanes=hyperplanes, packed=cache.packed,
        norms=cache.norms, output=output, batch=1, heads=heads, kv_heads=kv_heads, capacity=keys,
        used=keys, dim=DIM, tables=TABLES, planes=PLANES, budget=keys // SPARSITY, sink=SINK, window=WINDOW, scale=SCALE,
        temperature=TEMPERATURE, logit_scale=SCALE, type=BF16)
    workspace = library.give_workspace("skt_decode_step", step)
    return lambda: library.call("skt_decode_step", step), (output, workspace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--keys", type=int, nargs="+", default=[8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576])
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=32)
    options = parser.parse_args()
    library = Library(options.library)
    torch.manual_seed(1)
    hyperplanes = torch.randn(TABLES, PLANES, DIM, device="cuda").bfloat16().float()
    print("heads,kv_heads,keys,stage,median_us,fastest_us,slowest_us,repetitions")
    for keys in options.keys:
        shape = (library, options.heads, options.kv_heads, keys)
        caches = [Cache(*shape, hyperplanes) for _ in range(COPIES)]
        published = [stages_of(*shape, cache, hyperplanes) for cache in caches]
        replicas = [replica_of(library, options.heads, keys, cache, hyperplanes, *arguments)
                    for cache, (_, *arguments, _) in zip(caches, published)]
        steps = [decode_step(*shape, cache, hyperplanes) for cache in caches]

        def report(stage, calls, measure=timed):
            times = measure(lambda call: call(), [(call,) for call in calls])
            print(f"{options.heads},{options.kv_heads},{keys},{stage},{statistics.median(times):.2f},{min(times):.2f},"
                  f"{max(times):.2f},{len(times)}", flush=True)

        for each in zip(*(stages for stages, *_ in published)):
            report(each[0][0], [call for _, call in each])
        report("published-pipeline", [lambda stages=stages: [call() for _, call in stages] for stages, *_ in published])
        soft_hashes, whole_steps, with_copy = zip(*replicas)
        report("replica-hash", soft_hashes)
        report("replica-eager", whole_steps, timed_eager)
        report("replica-graph", whole_steps)
        report("replica-copy-eager", with_copy, timed_eager)
        report("decode-step", [call for call, _ in steps])
        grouped = options.heads != options.kv_heads
        for name, backend in BACKENDS.items():
            if grouped and name == "dense-memory-efficient":
                continue  # takes no heads that share keys
            report(name, [lambda c=c: attend(backend, c.q[None, :, None], c.k[None], c.v[None], grouped) for c in caches])
        del caches, published, replicas, steps
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
