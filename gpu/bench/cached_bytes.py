"""What does a cache of e4m3 gain beside one of bf16, and what does its output lose?

    python3 gpu/bench/cached_bytes.py build/gpu/libsocketlab_gpu.so [--out cached_bytes.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens, 32 query heads, on 32 and 8 KV heads; keys drawn as `gaussian`, logits of deviation 1, and as
`sharp`, of deviation 3. One index of the bf16 keys serves both caches, so that both steps select the same keys. Bytes are cast
from bf16 with the scale of each KV head that takes its largest number to 448, as a static calibration does.

Times: the whole step and the attention over its list alone, by graphs over two sets of everything, replayed in turn.

Errors, median and largest over the query heads; but for `bound` the norm of a difference over the norm of what is exact:

  bound       the largest coordinate of e4m3's output beside attention in double over the same list and the same bytes, over
              its derived bound, which is 1
  cast        beside attention in double over the same list of bf16 keys and values: what the bytes alone lose
  keys, values  likewise, where only keys or only values are bytes (in double)
  dense       beside dense attention in double over all bf16 keys: bytes and selection; of bf16's step the selection alone

--plant wrong-scale gives the step the scales of the next head: `bound` must exceed 1. Exit 1 where it does, so also with the
fault.
"""

import itertools
import sys
from statistics import median

import harness
import torch
from harness import DIM, HEADS, KEYS, SCALE, Steps, captured, drawn_cache, gpu, scores_of, timed_in_turn

SETS = 2  # of all that a step reads, used in turn: the L2 holds none of it
LARGEST, UNIT = 448.0, 2.0**-24  # of e4m3; rounding of fp32
SHARPNESS = {"gaussian": 1.0, "sharp": 3.0}
PLANTS = ("wrong-scale",)
CHOSEN = harness.selection(KEYS)
COLUMNS = ("keys", "heads", "kv_heads", "tokens", "list", "cache", "measurement", "median", "least", "largest",
           "repetitions")  # fmt: skip


class Cache:
    """Keys and values [1, kv_heads, tokens, dim] in bf16 and in bytes with scales [kv_heads], and indexes by the codes of the
    former."""

    def __init__(self, library, kv_heads, plant):
        hyperplanes = harness.drawn_hyperplanes()
        self.wide = drawn_cache(kv_heads, KEYS)
        self.scales = [part.abs().amax(dim=(0, 2, 3)).float() / LARGEST for part in self.wide]
        self.bytes = [self.cast(part, scales) for part, scales in zip(self.wide, self.scales, strict=True)]
        wide = gpu.Index(*self.wide, hyperplanes=hyperplanes, library=library)
        key_scales, value_scales = (part.roll(1) if plant else part for part in self.scales)
        scales = {"key_scales": key_scales, "value_scales": value_scales}
        codes = wide.packed, wide.norms, wide.hyperplanes
        self.indexes = {"bf16": wide, "e4m3": gpu.Index.of_parts(*self.bytes, *codes, library=library, **scales)}

    @staticmethod
    def cast(part, scales):
        return torch.cat(
            [(head.float() / scale).to(torch.float8_e4m3fn)[None] for head, scale in zip(part[0], scales, strict=True)]
        )[None]

    def numbers(self, which, head, at, from_bytes):
        """Rows `at` of a head, in double."""
        if not from_bytes:
            return self.wide[which][0, head, at].double()
        return self.bytes[which][0, head, at].float().double() * self.scales[which][head].double()


def selected_by(cache, queries):
    """The lists of a step, by the same stages."""
    scores = scores_of(queries, cache.indexes["bf16"])
    return gpu.select_keys(scores, library=cache.indexes["bf16"].library, **CHOSEN)


def attentions(caches, cached, queries, lists):
    """Of the lists alone, a call to each cache with what it is given."""
    for cache, chosen in zip(caches, lists, strict=True):
        index = cache.indexes[cached]
        given = (queries, index.keys, index.values, *chosen)
        named = {"key_scales": index.key_scales, "value_scales": index.value_scales, "library": index.library}
        named["workspace"] = gpu.attention_workspace(*given, library=index.library)
        named["out"] = torch.empty(1, HEADS, DIM, device="cuda"), torch.empty(1, HEADS, device="cuda")
        yield given, named


def attended(query, keys, values):
    """In double, and the average of the values' sizes."""
    logits = keys @ query.double() * SCALE
    weights = torch.softmax(logits, 0)
    return weights @ values, weights @ values.abs()


def bound_ratio(got, query, keys, values):
    """The error over the bound of gpu/attention/attention.cu, the largest of the coordinates."""
    exact, sizes = attended(query, keys, values)
    logit_error = (DIM + 8) * UNIT * float((keys.abs() @ query.double().abs()).max()) * SCALE
    bound = (2 * logit_error + (len(keys) + 40) * UNIT) * sizes
    return float(((got - exact).abs() / bound).max())


def errors(cache, queries, outputs, lists, counts):
    """By measurement and cache, of each head."""
    found = {}

    def add(cached, measurement, value):
        found.setdefault((cached, measurement), []).append(float(value))

    for head in range(HEADS):
        kv = head // (HEADS // cache.wide[0].shape[1])
        query, at = queries[0, head], lists[0, head, : int(counts[0, head])].long()
        rows = {kind: [cache.numbers(which, kv, at, kind == "e4m3") for which in (0, 1)] for kind in ("bf16", "e4m3")}
        exact = attended(query, *rows["bf16"])[0]
        dense = attended(query, *(cache.numbers(which, kv, slice(None), False) for which in (0, 1)))[0]
        for kind in ("bf16", "e4m3"):
            got = outputs[kind][0, head].double()
            add(kind, "bound", bound_ratio(got, query, *rows[kind]))
            add(kind, "cast", (got - exact).norm() / exact.norm())
            add(kind, "dense", (got - dense).norm() / dense.norm())
        for part, mixed in (("keys", ("e4m3", "bf16")), ("values", ("bf16", "e4m3"))):
            only = attended(query, rows[mixed[0]][0], rows[mixed[1]][1])[0]
            add("e4m3", part, (only - exact).norm() / exact.norm())
    return found


def measured(options, record, kind, kv_heads):
    """The largest error over its bound."""
    caches = [Cache(options.library, kv_heads, options.plant) for _ in range(SETS)]
    queries = (torch.randn(1, HEADS, DIM, device="cuda") * SHARPNESS[kind]).bfloat16()
    lists = [selected_by(cache, queries) for cache in caches]

    def report(cached, measurement, numbers):
        middle, least, largest = (f"{number:.6g}" for number in (median(numbers), min(numbers), max(numbers)))
        line = f"{kind}, {kv_heads} kv heads, {cached}: {measurement} {middle} ({least} to {largest})"
        print(line, file=sys.stderr, flush=True)
        shape = dict(keys=kind, heads=HEADS, kv_heads=kv_heads, tokens=KEYS, list=lists[0][0].shape[2])
        shape |= dict(cache=cached, measurement=measurement)
        record.add(median=middle, least=least, largest=largest, repetitions=len(numbers), **shape)

    steps = {name: Steps(queries, [cache.indexes[name] for cache in caches], **CHOSEN) for name in caches[0].indexes}
    if options.plant is None:
        of_lists = [
            captured(
                lambda given, named: gpu.sparse_attention(*given, **named),
                list(attentions(caches, name, queries, lists)),
            )
            for name in steps
        ]
        for stage, graphs in (("step", [each.captured() for each in steps.values()]), ("attention", of_lists)):
            for cached, times in zip(steps, timed_in_turn(graphs, SETS), strict=True):
                report(cached, f"{stage} us", times)
    outputs = {cached: each.run() for cached, each in steps.items()}
    torch.cuda.synchronize()
    found = errors(caches[0], queries, outputs, *lists[0])
    for (cached, measurement), values in found.items():
        report(cached, measurement, values)
    return max(max(values) for (_, measurement), values in found.items() if measurement == "bound")


def measure(options, record):
    worst = max(measured(options, record, kind, kv) for kv, kind in itertools.product((32, 8), SHARPNESS))
    if not worst <= 1:
        print(f"FAILED: an output is {worst:.3g} times its bound away", file=sys.stderr)
    return not worst <= 1


if __name__ == "__main__":
    parser = harness.parser(__doc__)
    parser.add_argument("--plant", choices=PLANTS, help="a fault that the errors must see")
    harness.run(measure, parser.parse_args(), COLUMNS)
