"""How long do signed scores, and steps by them, take where query heads share a KV head, beside dense attention?

    python3 gpu/bench/shared_heads.py build/gpu/libsocketlab_gpu.so

Needs PyTorch and a GPU.

A line each for: scores alone, a whole step at 1 key in 33, the two faster dense attentions of PyTorch, and a PyTorch
reduction that reads the packed codes once. `one-` are those of one list for a KV head. `one-step-lengths` reads the length from
device memory, and `one-step-append` appends the newest key too. `bits` is 0 for dense attention. Random bf16 queries, keys and
values, head size 128; several sets of inputs in turn, so that the L2 holds none of them, and eight calls or more to a graph, which
share the time of its launch. All sets write to one place, as the layers of a model share a workspace, of which L2 is told to keep
--kept-l2 MB; dense attention has the whole L2.
"""

import harness
import torch
from harness import (
    DIM,
    FAST_BACKENDS,
    HEADS,
    Steps,
    attend,
    captured,
    drawn_cache,
    gpu,
    keep_in_l2,
    normal,
    timed_in_turn,
)

PLANES, RULE = 8, "signed-projection"
CALLS = 8  # of a graph, at least
COLUMNS = ("heads", "kv_heads", "keys", "bits", "what", "median_us", "fastest_us", "slowest_us", "repetitions")


def scores(q, indexes, lists="head"):
    """Each index's by the tables of one query, into one place."""
    tables = gpu.soft_buckets(q, indexes[0].hyperplanes, form="half-sums", temperature=1.0, library=indexes[0].library)
    named = {"planes": PLANES, "rule": RULE, "library": indexes[0].library}
    kind = {"score_type": "bfloat16", "lists": lists} if q.shape[1] > indexes[0].keys.shape[1] else {}
    out = gpu.score_packed(tables, indexes[0].packed, indexes[0].norms, **named, **kind)

    def call(index):
        return gpu.score_packed(tables, index.packed, index.norms, out=out, **named, **kind)

    return captured(call, [(index,) for index in indexes])


def steps(q, indexes, append=None, has_lengths=False, **lists):
    chosen = {**harness.selection(indexes[0].capacity), **lists}
    lengths = torch.full((1,), indexes[0].capacity, dtype=torch.int32, device="cuda") if has_lengths else None
    named = {"temperature": 1.0, "rule": RULE, "workspace": gpu.decode_workspace(q, indexes[0], **chosen)}
    return Steps(q, indexes, append=append, lengths=lengths, **named, **chosen).captured()


def measure(options, record):
    for keys in options.keys:
        shape = {"heads": options.heads, "kv_heads": options.kv_heads, "keys": keys}
        count = harness.sets_beyond_l2(2 * options.kv_heads * keys * DIM, least=2)
        sets = [(normal(1, options.heads, 1, DIM), *drawn_cache(options.kv_heads, keys)) for _ in range(count)]
        turns = -(-CALLS // count)
        calls = turns * sets

        def report(bits, runs):
            for name, times in zip(runs, timed_in_turn(list(runs.values()), len(calls)), strict=True):
                record.add(times, bits=bits, what=name, **shape)

        keep_in_l2(0)
        report(0, {name: captured(lambda *each, name=name: attend(name, *each), calls) for name in FAST_BACKENDS})
        keep_in_l2(options.kept_l2)
        q = sets[0][0][:, :, 0].contiguous()
        for tables in options.tables:
            hyperplanes = harness.drawn_hyperplanes(tables, PLANES)
            indexes = [gpu.Index(k, v, hyperplanes=hyperplanes, library=options.library) for _, k, v in sets] * turns
            reading = captured(lambda packed: torch.sum(packed, dtype=torch.int32), [(i.packed,) for i in indexes])
            runs = {"read": reading, "scores": scores(q, indexes), "step": steps(q, indexes)}
            if options.kv_heads < options.heads:
                one = {"lists": "kv-head"}
                runs["one-scores"], runs["one-step"] = scores(q, indexes, **one), steps(q, indexes, **one)
                runs["one-step-lengths"] = steps(q, indexes, has_lengths=True, **one)
                runs["one-step-append"] = steps(q, indexes, gpu.Append(norms="key"), has_lengths=True, **one)
            report(PLANES * tables, runs)
        del sets, indexes, reading
        torch.cuda.empty_cache()


if __name__ == "__main__":
    parser = harness.parser(__doc__, keys=[harness.KEYS, 294912])
    parser.add_argument("--tables", type=int, nargs="+", default=[20, 40, 76], help="of 8 planes each")
    parser.add_argument("--heads", type=int, default=HEADS)
    parser.add_argument("--kv-heads", type=int, default=8)
    parser.add_argument("--kept-l2", type=int, default=24, help="MB, 0 to leave L2 as it is")
    harness.run(measure, parser.parse_args(), COLUMNS)
