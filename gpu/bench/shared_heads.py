"""How long do signed scores, and steps by them, take where query heads share a KV head, beside dense attention?

    python3 gpu/bench/shared_heads.py build/gpu/libsocketlab_gpu.so

Needs PyTorch and a GPU.

Prints CSV, a line each for: scores alone, a whole step at 1 key in 33, the two faster dense attentions of PyTorch, and a
PyTorch reduction that reads the packed codes once. `bits` is 0 for dense attention. Random bf16 queries, keys and values,
head size 128, index by skt_build_index; several sets of inputs in turn, so that the L2 holds none of them; times in us of
graph replays, as in graph_timing.py. All sets write to one place, as the layers of a model share a workspace, of which L2
is told to keep --kept-l2 MB; dense attention has the whole L2.
"""

import argparse
import math

import needs
import torch
from dense_attention import BACKENDS, attend
from graph_timing import captured, timed_in_turn
from interface import BF16, Library, keep_in_l2

DIM, SINK, WINDOW, SPARSITY = 128, 128, 128, 33
PAST_CACHE_BYTES = 512 << 20
SIGNED, HALF_SUMS = 1, 2  # enum skt_rule, skt_probability_form
SCALE = 1 / math.sqrt(DIM)
COLUMNS = "heads,kv_heads,keys,bits,what,median_us,fastest_us,slowest_us,repetitions"


class Sets:
    """Inputs of one length, and what the calls on them are given."""

    def __init__(self, library, heads, kv_heads, keys):
        self.library = library
        self.sizes = {"batch": 1, "heads": heads, "kv_heads": kv_heads, "capacity": keys}
        count = max(2, min(8, PAST_CACHE_BYTES // (2 * kv_heads * keys * DIM) + 1))
        self.attended = [
            tuple(
                torch.randn((1, rows, length, DIM), device="cuda", dtype=torch.bfloat16)
                for rows, length in ((heads, 1), (kv_heads, keys), (kv_heads, keys))
            )
            for _ in range(count)
        ]

    def index(self, tables, planes):
        """Of each set: packed codes and norms of keys."""
        self.tables = {"tables": tables, "planes": planes}
        self.hyperplanes = torch.randn(tables * planes, DIM, device="cuda").bfloat16().float()
        kv_heads, keys = self.sizes["kv_heads"], self.sizes["capacity"]
        words = ((tables + 3) // 4 * planes + 7) // 8
        self.indexes = []
        for _, k, _ in self.attended:
            packed = torch.empty(kv_heads, keys, words, device="cuda", dtype=torch.int32)
            norms = torch.empty(kv_heads, keys, device="cuda", dtype=torch.float16)
            given = {"keys": k, "values": k, "hyperplanes": self.hyperplanes, "packed": packed, "norms": norms}
            shape = {"batch": 1, "kv_heads": kv_heads, "capacity": keys, "first": 0, "count": keys, "dim": DIM}
            self.call("skt_build_index", **given, **shape, type=BF16, **self.tables)
            self.indexes.append((packed, norms))

    def call(self, function, **arguments):
        self.library.call(function, self.library.arguments(function, **arguments))

    def scores(self):
        heads, keys, planes = self.sizes["heads"], self.sizes["capacity"], self.tables["planes"]
        entries = 2 ** ((planes + 1) // 2) + 2 ** (planes // 2)
        halves = torch.empty(heads, self.tables["tables"], entries, device="cuda")
        shape = {"batch": 1, "heads": heads, "dim": DIM, "scale": SCALE, "temperature": 1.0}
        self.call(
            "skt_soft_buckets",
            queries=self.attended[0][0],
            hyperplanes=self.hyperplanes,
            probabilities=halves,
            query_type=BF16,
            form=HALF_SUMS,
            **shape,
            **self.tables,
        )
        self.written = torch.empty(heads, keys, device="cuda", dtype=torch.bfloat16)
        name = "skt_score_packed"
        given = {"half_tables": halves, "scores": self.written, "score_type": BF16, "used": keys, "rule": SIGNED}
        prepared = [
            self.library.arguments(name, packed=packed, norms=norms, **given, **self.sizes, **self.tables)
            for packed, norms in self.indexes
        ]
        return captured(lambda arguments: self.library.call(name, arguments), [(each,) for each in prepared])

    def steps(self):
        keys, name = self.sizes["capacity"], "skt_decode_step"
        self.output = torch.empty(self.sizes["heads"], DIM, device="cuda")
        shape = {"used": keys, "dim": DIM, "budget": keys // SPARSITY, "sink": SINK, "window": WINDOW}
        rule = {"scale": SCALE, "temperature": 1.0, "logit_scale": SCALE, "type": BF16, "rule": SIGNED}
        prepared = []
        for (q, k, v), (packed, norms) in zip(self.attended, self.indexes, strict=True):
            given = {
                "queries": q,
                "keys": k,
                "values": v,
                "hyperplanes": self.hyperplanes,
                "packed": packed,
                "norms": norms,
            }
            prepared.append(
                self.library.arguments(name, output=self.output, **given, **shape, **rule, **self.sizes, **self.tables)
            )
        self.workspace = self.library.give_workspace(name, prepared[0])
        for arguments in prepared[1:]:
            arguments.workspace, arguments.workspace_bytes = prepared[0].workspace, prepared[0].workspace_bytes
        return captured(lambda arguments: self.library.call(name, arguments), [(each,) for each in prepared])

    def reading(self):
        return captured(lambda packed, _: torch.sum(packed, dtype=torch.int32), self.indexes)

    def dense(self, backend):
        grouped = self.sizes["heads"] != self.sizes["kv_heads"]
        return captured(lambda *each: attend(backend, *each, grouped), self.attended)


def print_rows(sets, bits, runs):
    """Of runs by name, taken in turn."""
    sizes = sets.sizes
    for name, times in zip(runs, timed_in_turn(list(runs.values()), len(sets.attended)), strict=True):
        times = sorted(times)
        spread = ",".join(f"{t:.2f}" for t in (times[len(times) // 2], times[0], times[-1]))
        print(
            f"{sizes['heads']},{sizes['kv_heads']},{sizes['capacity']},{bits},{name},{spread},{len(times)}", flush=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--keys", type=int, nargs="+", default=[145408, 294912])
    parser.add_argument("--tables", type=int, nargs="+", default=[40, 76], help="of 8 planes each")
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=8)
    parser.add_argument("--kept-l2", type=int, default=24, help="MB, 0 to leave L2 as it is")
    options = parser.parse_args()
    needs.gpu()
    library = Library(options.library)
    torch.manual_seed(1)
    print(COLUMNS)
    for keys in options.keys:
        sets = Sets(library, options.heads, options.kv_heads, keys)
        keep_in_l2(0)
        print_rows(sets, 0, {name: sets.dense(BACKENDS[name]) for name in ("dense-flash", "dense-cudnn")})
        keep_in_l2(options.kept_l2)
        for tables in options.tables:
            sets.index(tables, 8)
            print_rows(sets, 8 * tables, {"read": sets.reading(), "scores": sets.scores(), "step": sets.steps()})
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
