"""How long does a decode step take the published way, beside skt_decode_step on the same tensors?

    python3 gpu/bench/published_pipeline.py build/gpu/libsocketlab_gpu.so

Needs PyTorch, Triton and a GPU.

The replica is the published step re-stated operation by operation from its behaviour. Its stages, each timed as a graph:
replica-hash (product with the hyperplanes, tanh, division, product with the corners and softmax in the model's type, cast to
fp32), replica-inputs (a mask of allowed keys for each head, all norms cast to fp32), replica-score (paper, Algorithm 4,
re-implemented by this library: it reads the norms in fp16 and leaves the fp32 ones), replica-topk, replica-list (checks of the
picks, sink and window, made anew for each token), replica-attention (published_attention.py). All keys are allowed, so no entry
of a list becomes -1; a pick that is in sink or window is in the list twice.

`replica-eager` is the whole step launched from the host, as published; the host waits for the device twice: before the picks
are looked up in the mask, and for the longest list (also in replica-attention-eager). `replica-graph` has the same kernels
without these waits; what it leaves after the last repetition is checked once more. The published throughput path also copies all keys and values into the layout that its attention reads, for
each token: `replica-copy-eager` begins with that. Before they are timed, the outputs are held to attention over the same lists
in double. The other rows: decode-step, and dense attention over the same keys and values. Prints CSV.
"""

import argparse
import math
import statistics
import sys

import needs
import torch
from dense_attention import BACKENDS, attend
from graph_timing import timed, timed_eager
from interface import BF16, F16, F32, Library
from left_outputs import timed_and_left
from published_attention import attend_list, check_attention

DIM, TABLES, PLANES = 128, 60, 10
SINK, WINDOW, SPARSITY = 128, 128, 33
TEMPERATURE, SCALE = 0.5, 1 / math.sqrt(DIM)
COPIES = 2  # of everything a step reads, used in turn: beyond 8,192 tokens the L2 holds none of it


class Cache:
    """Keys and values with both indexes over them: int16 codes as published, and packed codes."""

    def __init__(self, library, heads, kv_heads, keys, hyperplanes):
        def made(*shape, dtype):
            return torch.empty(*shape, device="cuda", dtype=dtype)

        def normal(*shape):
            return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

        self.q, self.k, self.v = normal(heads, DIM), normal(kv_heads, keys, DIM), normal(kv_heads, keys, DIM)
        self.codes = made(kv_heads, TABLES, keys, dtype=torch.int16)
        words = ((TABLES + 3) // 4 * PLANES + 7) // 8
        self.packed = made(kv_heads, keys, words, dtype=torch.int32)
        self.norms = made(kv_heads, keys, dtype=torch.float16)
        shape = dict(batch=1, kv_heads=kv_heads, capacity=keys, first=0, count=keys)
        hashed = dict(dim=DIM, tables=TABLES, planes=PLANES, hyperplanes=hyperplanes)
        library.call(
            "skt_hash_keys",
            library.arguments("skt_hash_keys", keys=self.k, codes=self.codes, key_type=BF16, **shape, **hashed),
        )
        library.call(
            "skt_build_index",
            library.arguments(
                "skt_build_index",
                keys=self.k,
                values=self.v,
                packed=self.packed,
                norms=self.norms,
                type=BF16,
                **shape,
                **hashed,
            ),
        )


class Replica:
    """The published step on one cache, batch 1: each stage a call, as in the head of this file."""

    def __init__(self, library, heads, kv_heads, keys, cache, hyperplanes):
        self.library, self.heads, self.keys, self.cache = library, heads, keys, cache
        self.q, self.k, self.v = cache.q[None], cache.k[None], cache.v[None]
        self.planes = hyperplanes.bfloat16().reshape(TABLES * PLANES, DIM)
        bits = torch.arange(1 << PLANES, device="cuda")[:, None] >> torch.arange(PLANES - 1, -1, -1, device="cuda") & 1
        self.corners = (
            (2 * bits - 1) / TEMPERATURE
        ).bfloat16()  # published: no temperature, or fixed, and no operation for it
        self.mask = torch.ones(keys, device="cuda", dtype=torch.bool)
        self.score_arguments = library.arguments(
            "skt_score_buckets",
            codes=cache.codes,
            norms=cache.norms,
            batch=1,
            heads=heads,
            kv_heads=kv_heads,
            capacity=keys,
            used=keys,
            tables=TABLES,
            planes=PLANES,
            allowed_per_head=1,
            probability_type=F32,
            norm_type=F16,
        )

    def soft_hash(self):
        projections = torch.matmul(self.q, self.planes.T).view(1, self.heads, TABLES, PLANES)
        logits = torch.matmul(torch.tanh(projections) / math.sqrt(DIM), self.corners.T)
        return torch.softmax(logits, dim=-1).float().contiguous()

    def mask_and_norms(self):
        """The mask for each head; the norms in fp32, which the published scoring kernel reads and this library's does not."""
        return self.mask.expand(1, self.heads, self.keys).contiguous(), self.cache.norms.float()

    def score(self, probabilities, allowed):
        scores, arguments = torch.empty(1, self.heads, self.keys, device="cuda"), self.score_arguments
        arguments.probabilities, arguments.allowed, arguments.scores = (
            x.data_ptr() for x in (probabilities, allowed, scores)
        )
        self.library.call("skt_score_buckets", arguments)
        return scores

    def best(self, scores):
        return torch.topk(scores, self.keys // SPARSITY).indices.int()

    def list_keys(self, picks, allowed, waits):
        """The list, sink and window in front of the picks, and its lengths; -1 for what is not allowed."""
        in_cache = (picks >= 0) & (picks < self.keys)
        any_in_cache = in_cache.any()
        if not waits or any_in_cache:  # the host waits for the device
            permitted = allowed.gather(-1, picks.clamp(0, self.keys - 1).long())
            picks = picks.masked_fill(~(in_cache & permitted), -1)
        made = dict(device="cuda", dtype=torch.int32)
        ends = torch.cat([torch.arange(SINK, **made), torch.arange(max(self.keys - WINDOW, SINK), self.keys, **made)])
        ends = ends.expand(1, self.heads, -1)
        ends = ends.masked_fill(~allowed.gather(-1, ends.long()), -1)
        selected = torch.cat([ends, picks], dim=-1).contiguous()
        return selected, torch.full((1, self.heads), selected.shape[-1], **made)

    def attend(self, selected, lengths, waits):
        return attend_list(self.q, self.k, self.v, selected, lengths, SCALE, waits)

    def step(self, waits=True):
        """The output and the list."""
        probabilities = self.soft_hash()
        allowed, _ = self.mask_and_norms()
        picks = self.best(self.score(probabilities, allowed))
        selected, lengths = self.list_keys(picks, allowed, waits)
        return self.attend(selected, lengths, waits), selected

    def copy_and_step(self):
        copies = [cached.transpose(0, 1).contiguous() for cached in (self.cache.k, self.cache.v)]
        return copies, self.step()

    def check(self):
        """Before anything is timed: exits if the output is off."""
        shares = []
        for waits in (True, False):
            output, selected = self.step(waits)
            shares.append(check_attention(output, self.q, self.k, self.v, selected, SCALE))
        return max(shares)

    def check_left(self, output, selected):
        """The same of what a timed graph left."""
        check_attention(output, self.q, self.k, self.v, selected, SCALE)

    def stages(self):
        """(name, call) in order, each on what those before it gave."""
        probabilities = self.soft_hash()
        allowed, _ = self.mask_and_norms()
        scores = self.score(probabilities, allowed)
        picks = self.best(scores)
        listed = self.list_keys(picks, allowed, True)
        return [
            ("replica-hash", self.soft_hash),
            ("replica-inputs", self.mask_and_norms),
            ("replica-score", lambda: self.score(probabilities, allowed)),
            ("replica-topk", lambda: self.best(scores)),
            ("replica-list", lambda: self.list_keys(picks, allowed, False)),
            ("replica-attention", lambda: self.attend(*listed, False)),
            ("replica-attention-eager", lambda: self.attend(*listed, True)),
        ]


def decode_step(library, heads, kv_heads, keys, cache, hyperplanes):
    output = torch.empty(heads, DIM, device="cuda")
    step = library.arguments(
        "skt_decode_step",
        queries=cache.q,
        keys=cache.k,
        values=cache.v,
        hyperplanes=hyperplanes,
        packed=cache.packed,
        norms=cache.norms,
        output=output,
        batch=1,
        heads=heads,
        kv_heads=kv_heads,
        capacity=keys,
        used=keys,
        dim=DIM,
        tables=TABLES,
        planes=PLANES,
        budget=keys // SPARSITY,
        sink=SINK,
        window=WINDOW,
        scale=SCALE,
        temperature=TEMPERATURE,
        logit_scale=SCALE,
        type=BF16,
    )
    workspace = library.give_workspace("skt_decode_step", step)
    return lambda: library.call("skt_decode_step", step), (output, workspace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument(
        "--keys", type=int, nargs="+", default=[8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576]
    )
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=32)
    options = parser.parse_args()
    needs.gpu()
    library = Library(options.library)
    torch.manual_seed(1)
    hyperplanes = torch.randn(TABLES, PLANES, DIM, device="cuda").bfloat16().float()
    print("heads,kv_heads,keys,stage,median_us,fastest_us,slowest_us,repetitions")
    for keys in options.keys:
        shape = (library, options.heads, options.kv_heads, keys)
        caches = [Cache(*shape, hyperplanes) for _ in range(COPIES)]
        replicas = [Replica(*shape, cache, hyperplanes) for cache in caches]
        share = max(replica.check() for replica in replicas)
        print(f"{keys} keys: the replica's output is off by at most {share:.2f} of its bound", file=sys.stderr)
        steps = [decode_step(*shape, cache, hyperplanes) for cache in caches]

        def report(stage, calls, measure=timed):
            report_times(stage, measure(lambda call: call(), [(call,) for call in calls]))

        def report_times(stage, times):
            print(
                f"{options.heads},{options.kv_heads},{keys},{stage},{statistics.median(times):.2f},{min(times):.2f},"
                f"{max(times):.2f},{len(times)}",
                flush=True,
            )

        for each in zip(*(replica.stages() for replica in replicas), strict=True):
            report(each[0][0], [call for _, call in each], timed_eager if each[0][0].endswith("-eager") else timed)
        report("replica-eager", [replica.step for replica in replicas], timed_eager)
        times, left = timed_and_left([lambda replica=replica: replica.step(waits=False) for replica in replicas])
        report_times("replica-graph", times)
        for replica, outputs in zip(replicas, left, strict=True):
            replica.check_left(*outputs)
        report("replica-copy-eager", [replica.copy_and_step for replica in replicas], timed_eager)
        report("decode-step", [call for call, _ in steps])
        grouped = options.heads != options.kv_heads
        for name, backend in BACKENDS.items():
            if grouped and name == "dense-memory-efficient":
                continue  # takes no heads that share keys
            report(
                name, [lambda c=c: attend(backend, c.q[None, :, None], c.k[None], c.v[None], grouped) for c in caches]
            )
        del caches, replicas, replica, steps, each, left, outputs
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
