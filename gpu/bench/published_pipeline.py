"""How long does a decode step take the published way, beside skt_decode_step on the same tensors?

    python3 gpu/bench/published_pipeline.py build/gpu/libsocketlab_gpu.so

Needs PyTorch, Triton and a GPU.

Published: the authors' release of January 2026 (amarka8/SOCKET, commit c60abc6).

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
in double. The other rows: decode-step, and dense attention over the same keys and values.
"""

import math
import sys

import harness
import torch
from harness import (
    BACKENDS,
    DIM,
    PLANES,
    SCALE,
    SINK,
    SPARSITY,
    TABLES,
    WINDOW,
    Steps,
    attend,
    drawn_cache,
    gpu,
    normal,
    timed,
    timed_eager,
)
from published_attention import attend_list, check_attention

TEMPERATURE = 0.5
COPIES = 2  # of everything a step reads, used in turn: beyond 8,192 tokens the L2 holds none of it
COLUMNS = ("heads", "kv_heads", "keys", "stage", "median_us", "fastest_us", "slowest_us", "repetitions")


class Cache:
    """Queries, and keys and values with both indexes over them: int16 codes as published, and packed codes."""

    def __init__(self, library, heads, kv_heads, keys, hyperplanes):
        self.q = normal(1, heads, DIM)
        self.index = gpu.Index(*drawn_cache(kv_heads, keys), hyperplanes=hyperplanes, library=library)
        self.codes = gpu.hash_keys(self.index.keys, hyperplanes, library=library)


class Replica:
    """The published step on one cache, batch 1: each stage a call, as in the head of this file."""

    def __init__(self, library, cache):
        self.library, self.heads, self.keys = library, cache.q.shape[1], cache.index.capacity
        self.q, self.k, self.v, self.norms = cache.q, cache.index.keys, cache.index.values, cache.index.norms
        self.planes = cache.index.hyperplanes.bfloat16().reshape(TABLES * PLANES, DIM)
        bits = torch.arange(1 << PLANES, device="cuda")[:, None] >> torch.arange(PLANES - 1, -1, -1, device="cuda") & 1
        # Published: no temperature, or fixed, and no operation for it.
        self.corners = ((2 * bits - 1) / TEMPERATURE).bfloat16()
        self.mask = torch.ones(self.keys, device="cuda", dtype=torch.bool)
        # Made once: the host is in what is timed eagerly.
        self.score_arguments = library.arguments(
            "skt_score_buckets",
            codes=cache.codes.data_ptr(),
            norms=self.norms.data_ptr(),
            batch=1,
            heads=self.heads,
            kv_heads=self.k.shape[1],
            capacity=self.keys,
            used=self.keys,
            tables=TABLES,
            planes=PLANES,
            allowed_per_head=1,
            norm_type=1,  # SKT_F16; probabilities are SKT_F32, 0
        )

    def soft_hash(self):
        projections = torch.matmul(self.q, self.planes.T).view(1, self.heads, TABLES, PLANES)
        logits = torch.matmul(torch.tanh(projections) / math.sqrt(DIM), self.corners.T)
        return torch.softmax(logits, dim=-1).float().contiguous()

    def mask_and_norms(self):
        """The mask for each head; the norms in fp32, which the published scoring kernel reads and this library's does not."""
        return self.mask.expand(1, self.heads, self.keys).contiguous(), self.norms.float()

    def score(self, probabilities, allowed):
        scores, arguments = torch.empty(1, self.heads, self.keys, device="cuda"), self.score_arguments
        arguments.probabilities, arguments.allowed, arguments.scores = (
            x.data_ptr() for x in (probabilities, allowed, scores)
        )
        self.library.launch("skt_score_buckets", torch.cuda.current_stream().cuda_stream, arguments)
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
        copies = [cached.transpose(0, 1).contiguous() for cached in (self.k[0], self.v[0])]
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


def measure(options, record):
    hyperplanes = harness.drawn_hyperplanes()
    for keys in options.keys:
        caches = [Cache(options.library, options.heads, options.kv_heads, keys, hyperplanes) for _ in range(COPIES)]
        replicas = [Replica(options.library, cache) for cache in caches]
        share = max(replica.check() for replica in replicas)
        print(f"{keys} keys: the replica's output is off by at most {share:.2f} of its bound", file=sys.stderr)

        def report(stage, times):
            record.add(times, heads=options.heads, kv_heads=options.kv_heads, keys=keys, stage=stage)

        def time_calls(stage, calls, measure=timed):
            report(stage, measure(lambda call: call(), [(call,) for call in calls]))

        for each in zip(*(replica.stages() for replica in replicas), strict=True):
            stage, calls = each[0][0], [call for _, call in each]
            time_calls(stage, calls, timed_eager if stage.endswith("-eager") else timed)
        time_calls("replica-eager", [replica.step for replica in replicas], timed_eager)
        steps = [lambda replica=replica: replica.step(waits=False) for replica in replicas]
        times, left = harness.timed_and_left(steps)
        report("replica-graph", times)
        for replica, outputs in zip(replicas, left, strict=True):
            replica.check_left(*outputs)
        time_calls("replica-copy-eager", [replica.copy_and_step for replica in replicas], timed_eager)
        for cache in caches:  # an output to each
            cache.steps = Steps(cache.q, [cache.index], **harness.selection(keys))
        time_calls("decode-step", [cache.steps.run for cache in caches])
        for name in BACKENDS:
            if options.heads != options.kv_heads and name == "dense-memory-efficient":
                continue  # takes no heads that share keys
            dense = [(cache.q[:, :, None], cache.index.keys, cache.index.values) for cache in caches]
            report(name, timed(lambda *given: attend(name, *given), dense))
        del cache, caches, replicas, replica, each, calls, steps, left, outputs, dense
        torch.cuda.empty_cache()


if __name__ == "__main__":
    parser = harness.parser(__doc__, keys=harness.LENGTHS)
    parser.add_argument("--heads", type=int, default=harness.HEADS)
    parser.add_argument("--kv-heads", type=int, default=32)
    harness.run(measure, parser.parse_args(), COLUMNS)
