"""What does a step of several query rows of a sequence take, beside as many steps of one row?

    python3 gpu/bench/query_rows.py build/gpu/libsocketlab_gpu.so [--out query_rows.csv]

Needs PyTorch and a GPU.

One sequence of 145,408 tokens with 32 query heads on 32 and on 8 KV heads, by both rules, with 1, 2, 4 and 8 query rows. Beside
each step of all rows stand steps of one row, one behind the other in one graph, each at the length that its row sees. Inputs as
in growing.py; graphs of both are replayed in turn. The bits of outputs and log-sum-exps are compared too: exit 1 where any
differ. A line of the CSV: sizes, the command, times in us of all rows together, and times(single) / times(rows) as `gain`.
"""

import argparse
import csv
import sys
from statistics import median

import needs
import torch
from graph_timing import captured, timed_in_turn
from growing import (
    COPIES,
    DIM,
    HEADS,
    LONG_KEYS,
    PLANES,
    SPARSITY,
    TABLES,
    differing_rows,
    drawn_hyperplanes,
    whole_cache,
)
from interface import Library, command_line

STEP = "skt_decode_step"
RULES = {"soft-collision": 0, "signed-projection": 1}  # enum skt_rule
COLUMNS = (
    *("rule", "heads", "kv_heads", "tokens", "tables", "planes", "sparsity", "query_rows", "steps"),
    *("median_us", "fastest_us", "slowest_us", "repetitions", "gain", "compared", "different", "command"),
)


class Rows:
    """A step of all query rows over each cache, and steps of one row each, with their outputs."""

    def __init__(self, caches, rule, rows):
        self.library = caches[0].library
        self.queries = torch.randn(rows, HEADS, DIM, device="cuda").bfloat16()
        self.outputs = [
            torch.empty(rows, HEADS, DIM, device="cuda") for _ in range(2)
        ]  # of all rows, of one after the other
        self.logs = [torch.empty(rows, HEADS, device="cuda") for _ in range(2)]
        self.together = [self.step(cache, rule, 0, slice(0, rows), LONG_KEYS) for cache in caches]
        self.single = [
            self.step(cache, rule, 1, slice(r, r + 1), LONG_KEYS - (rows - 1 - r))
            for cache in caches
            for r in range(rows)
        ]

    def step(self, cache, rule, which, rows, used):
        output, logs = self.outputs[which][rows], self.logs[which][rows]
        arguments, _ = cache.step(self.queries[rows], output, used, log_sum_exp=logs)
        arguments.rule, arguments.query_rows = RULES[rule], rows.stop - rows.start
        return arguments, self.library.give_workspace(STEP, arguments)

    def graphs(self):
        for steps in (self.together, self.single):
            yield captured(lambda arguments, _: self.library.call(STEP, arguments), steps)

    def different(self):
        return int(differing_rows(*zip(self.outputs, self.logs, strict=True)))


def measured(caches, rule, rows):
    run = Rows(caches, rule, rows)
    times = timed_in_turn(list(run.graphs()), len(caches))
    middles = [median(each) for each in times]
    different = run.different()
    for steps, each, middle in zip((1, rows), times, middles, strict=True):
        yield dict(
            rule=rule,
            heads=HEADS,
            kv_heads=caches[0].sizes["kv_heads"],
            tokens=LONG_KEYS,
            tables=TABLES,
            planes=PLANES,
            sparsity=SPARSITY,
            query_rows=rows,
            steps=steps,
            median_us=f"{middle:.2f}",
            fastest_us=f"{min(each):.2f}",
            slowest_us=f"{max(each):.2f}",
            repetitions=len(each),
            gain=f"{middles[1] / middle:.4f}",
            compared=rows * HEADS,
            different=different,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libsocketlab_gpu.so")
    parser.add_argument("--kv-heads", type=int, nargs="+", default=[32, 8])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--out", help="CSV file of all lines")
    options = parser.parse_args()
    needs.gpu()
    library = Library(options.library)
    command = command_line()
    lines = []
    for kv_heads in options.kv_heads:
        torch.manual_seed(options.seed)
        hyperplanes = drawn_hyperplanes()
        caches = [whole_cache(library, 1, kv_heads, LONG_KEYS, hyperplanes) for _ in range(COPIES)]
        for rule in RULES:
            for rows in options.rows:
                for line in measured(caches, rule, rows):
                    lines.append(line | {"command": command})
                    print(",".join(str(line[name]) for name in COLUMNS if name in line), flush=True)
        del caches
        torch.cuda.empty_cache()
    if options.out:
        with open(options.out, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    sys.exit(1 if any(line["different"] for line in lines) else 0)


if __name__ == "__main__":
    main()
