"""How long does a decode step take the published way, stage by stage, beside skt_decode_step on the same tensors?

    python3 gpu/bench/published_pipeline.py build/gpu/libsocketlab_gpu.so

Probabilities of all 2^planes buckets, scores by the published kernel (paper, Algorithm 4) re-implemented, torch.topk over all keys,
the list of sink, best and window keys, attention over it. Probabilities and attention are this library's kernels, which take
less time than the published ones, and the copy of K and V that the published code makes is left out: its own total is larger. One
CUDA graph, no host in between. Prints CSV.
"""

import argparse
import math
import statistics

import torch
from graph_timing import timed
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
    """The published stages in order, (name, call), and the tensors that they write."""
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
            ], (probabilities, scores, selected, counts, best, output, workspace)


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
    parser.add_argument("--keys", type=int, nargs="+", default=[18432, 36864, 73728, 145408, 294912])
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
        steps = [decode_step(*shape, cache, hyperplanes) for cache in caches]

        def report(stage, calls):
            times = timed(lambda call: call(), [(call,) for call in calls])
            print(f"{options.heads},{options.kv_heads},{keys},{stage},{statistics.median(times):.2f},{min(times):.2f},"
                  f"{max(times):.2f},{len(times)}", flush=True)

        for each in zip(*(stages for stages, _ in published)):
            report(each[0][0], [call for _, call in each])
        report("published-pipeline", [lambda stages=stages: [call() for _, call in stages] for stages, _ in published])
        report("decode-step", [call for call, _ in steps])
        del caches, published, steps
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
