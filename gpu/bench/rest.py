"""What does a step take longer that estimates what its lists leave out?

    python3 gpu/bench/rest.py build/gpu/libsocketlab_gpu.so [--out rest.csv]

Needs PyTorch and a GPU.

--batch sequences of --keys tokens each with 32 query heads on 8 and on 32 KV heads, by the signed rule of 40 tables of 8 planes over
norms of keys, with one list for a KV head, random bf16 inputs. Steps without, with --samples keys of the rest, and with them and the
corrected output, as graphs that are replayed in turn; the sets of inputs in a graph exceed the L2. Behind the timed
replays one more overwrites NaN, and its bits are compared with those of a single call: exit 1 where any differ, or where
the output is another than without the rest. A line of the CSV: times in us, the share that the rest adds, and of the last
replay the medians over heads of estimate, limit and nominal limit.
"""

import itertools
from statistics import median

import harness
import torch
from harness import DIM, HEADS, drawn_cache, gpu, normal

TABLES, PLANES, REPLAYS = 40, 8, 25
COLUMNS = (
    *("heads", "kv_heads", "batch", "tokens", "bits", "samples", "corrected", "median_us", "fastest_us", "slowest_us"),
    *("repetitions", "added", "weight", "limit", "nominal", "replays", "different", "command"),
)


def an_index(kv_heads, keys, batch, hyperplanes, library):
    index = gpu.Index(*drawn_cache(kv_heads, keys, batch), hyperplanes=hyperplanes, library=library)
    gpu.build_index(index.keys, index.hyperplanes, index.keys, out=(index.packed, index.norms), library=library)
    return index


class Step:
    """With a rest of so many samples, 0 for none: what it writes, and the call on one index."""

    def __init__(self, q, indexes, samples, corrected):
        self.q, self.output = q, torch.empty(q.shape, device="cuda")
        self.named = {"lists": "kv-head", **harness.selection(indexes[0].keys.shape[2])}
        rest = gpu.Rest(samples=samples, corrected=corrected) if samples else None
        self.space = gpu.decode_workspace(q, indexes[0], rest=rest, **self.named)
        self.rest = gpu.Rest(samples=samples, corrected=corrected, out=rest.results(q)) if samples else None

    def __call__(self, index):
        gpu.decode_step(
            self.q, index, rule="signed-projection", rest=self.rest, out=self.output, workspace=self.space, **self.named
        )
        return self.left()

    def left(self):
        results = self.rest.out if self.rest else None
        rows = [results.weight, results.limit, results.nominal, results.flags, results.output] if results else []
        return [self.output, *(tensor for tensor in rows if tensor is not None)]


def bits(tensors):
    torch.cuda.synchronize()
    return [tensor.clone().view(torch.int32) for tensor in tensors]


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=False))  # of the tensors that both have


def replays_that_differ(step, index):
    """Of REPLAYS replays of a graph of one step, each over arrays of NaN, beside a call without one."""
    expected = bits(step(index))
    graph, _ = harness.graph_of(step, [(index,)])
    different = 0
    for _ in range(REPLAYS):
        for tensor in step.left():
            tensor.fill_(float("nan") if tensor.is_floating_point() else -7)
        graph.replay()
        different += not same(bits(step.left()), expected)
    return different, expected


def measure(options, record):
    wrong, command = 0, harness.command_line()
    for kv_heads, keys, batch in itertools.product(options.kv_heads, options.keys, options.batch):
        torch.manual_seed(options.seed)
        hyperplanes = harness.drawn_hyperplanes(TABLES, PLANES)
        count = harness.sets_beyond_l2(2 * batch * kv_heads * keys * DIM, least=2)
        indexes = [an_index(kv_heads, keys, batch, hyperplanes, options.library) for _ in range(count)]
        q = normal(batch, HEADS, DIM)
        kinds = [(0, False), *((n, corrected) for n in options.samples for corrected in (False, True))]
        steps = [Step(q, indexes, *kind) for kind in kinds]
        times = harness.timed_in_turn([harness.captured(step, [(i,) for i in indexes]) for step in steps], count)
        plain = None
        for (samples, corrected), step, each in zip(kinds, steps, times, strict=True):
            different, left = replays_that_differ(step, indexes[0])
            plain = plain or left[:1]
            wrong += different + (not same(left[:1], plain))
            cells = {}
            if step.rest:
                of = step.rest.out
                cells = {name: f"{getattr(of, name).median().item():.4g}" for name in ("weight", "limit", "nominal")}
            cells |= {"heads": HEADS, "kv_heads": kv_heads, "batch": batch, "tokens": keys, "bits": TABLES * PLANES}
            cells |= {"samples": samples, "corrected": int(corrected)}
            record.add(
                each,
                added=f"{median(each) / median(times[0]) - 1:.4f}",
                replays=REPLAYS,
                different=different,
                command=command,
                **cells,
            )
        del indexes, steps, step
        torch.cuda.empty_cache()
    return wrong


if __name__ == "__main__":
    parser = harness.parser(__doc__, keys=[harness.KEYS], kv_heads=[8, 32])
    parser.add_argument("--batch", type=int, nargs="+", default=[1])
    parser.add_argument("--samples", type=int, nargs="+", default=[256])
    harness.run(measure, parser.parse_args(), COLUMNS)
