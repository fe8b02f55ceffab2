"""What does a step of several query rows of a sequence take, beside as many steps of one row?

    python3 gpu/bench/query_rows.py build/gpu/libsocketlab_gpu.so [--out query_rows.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens with 32 query heads on 32 and on 8 KV heads, by both rules, with 1, 2, 4 and 8 query rows. Beside
each step of all rows stand steps of one row, one behind the other in one graph, each at the length that its row sees. Graphs
of both are replayed in turn. The bits of outputs and log-sum-exps are compared too: exit 1 where any differ. A line of the
CSV: sizes, the command, times in us of all rows together, and times(single) / times(rows) as `gain`.
"""

import itertools
from statistics import median

import harness
import torch
from harness import DIM, HEADS, KEYS, PLANES, SPARSITY, TABLES, Steps, captured, drawn_cache, gpu, normal, timed_in_turn

SETS = 2  # of all that a step reads, used in turn: the L2 holds none of it
COLUMNS = (
    *("rule", "heads", "kv_heads", "tokens", "tables", "planes", "sparsity", "query_rows", "steps"),
    *("median_us", "fastest_us", "slowest_us", "repetitions", "gain", "compared", "different", "command"),
)


def seen_by(index, used):
    """The same index of its first keys."""
    parts = index.keys, index.values, index.packed, index.norms, index.hyperplanes
    return gpu.Index.of_parts(*parts, used=used, library=index.library)


class Rows:
    """A step of all query rows over each index, and steps of one row each, with their outputs."""

    def __init__(self, indexes, rule, rows):
        self.queries = normal(1, rows, HEADS, DIM)
        # Of all rows, of one after the other.
        self.outputs = [torch.empty(1, rows, HEADS, DIM, device="cuda") for _ in range(2)]
        self.logs = [torch.empty(1, rows, HEADS, device="cuda") for _ in range(2)]
        named = {"rule": rule, "sparsity": SPARSITY, **harness.selection(KEYS)}
        self.together = [self.steps(0, slice(0, rows), index, **named) for index in indexes]
        self.single = [
            self.steps(1, slice(r, r + 1), seen_by(index, KEYS - (rows - 1 - r)), **named)
            for index in indexes
            for r in range(rows)
        ]

    def steps(self, which, rows, index, **named):
        output, logs = self.outputs[which][:, rows], self.logs[which][:, rows]
        return Steps(self.queries[:, rows], [index], output=output, log_sum_exp=logs, **named)

    def graphs(self):
        return [captured(Steps.run, [(one,) for one in steps]) for steps in (self.together, self.single)]

    def different(self):
        return int(harness.differing_rows(*zip(self.outputs, self.logs, strict=True)))


def measure(options, record):
    wrong, command = 0, harness.command_line()
    for kv_heads in options.kv_heads:
        torch.manual_seed(options.seed)
        hyperplanes = harness.drawn_hyperplanes()
        caches = (drawn_cache(kv_heads, KEYS) for _ in range(SETS))
        indexes = [gpu.Index(*cache, hyperplanes=hyperplanes, library=options.library) for cache in caches]
        for rule, rows in itertools.product(harness.RULES, options.rows):
            compared = Rows(indexes, rule, rows)
            times = timed_in_turn(compared.graphs(), SETS)
            different = compared.different()
            wrong += different
            shape = dict(rule=rule, heads=HEADS, kv_heads=kv_heads, tokens=KEYS, tables=TABLES, planes=PLANES)
            shape |= dict(sparsity=SPARSITY, query_rows=rows, compared=rows * HEADS, different=different)
            for steps, each in zip((1, rows), times, strict=True):
                gain = f"{median(times[1]) / median(each):.4f}"
                record.add(each, steps=steps, gain=gain, command=command, **shape)
        del indexes, compared
        torch.cuda.empty_cache()
    return wrong


if __name__ == "__main__":
    parser = harness.parser(__doc__, kv_heads=[32, 8])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 2, 4, 8])
    harness.run(measure, parser.parse_args(), COLUMNS)
