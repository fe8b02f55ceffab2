"""Does an evaluation say the same when it is made again? Two folders of one model and seed, over the cells of both.

    python -m learned_attention.repeat evaluated again

It prints the largest difference of one window's loss over all cells, and each row of the tables of contrasts whose mean
lies outside the simultaneous interval of the other folder; exit code 1 if there is one. A GPU adds in no fixed order:
losses of windows may differ, means only within their intervals. Wrong if one window of another text went unnoticed.
"""

import sys

from learned_attention import contrasts, intervals, plan, results
from learned_attention.refusals import Parser, Refused, real, run, whole

PROGRAM = "learned_attention.repeat"


def shared(first, second):
    """The cells that both have, each with the examples that both have of it; refused where there is none."""
    pairs = {key: sorted(set(first[key]) & set(second[key])) for key in first if key in second}
    pairs = {key: examples for key, examples in pairs.items() if examples}
    if not pairs:
        raise Refused("two folders without a common cell; allowed are two evaluations of one plan")
    return [{key: {i: cells[key][i] for i in examples} for key, examples in pairs.items()} for cells in (first, second)]


def largest_difference(first, second):
    """(difference, cell, example): the loss that is farthest from its repetition."""
    return max(
        (abs(row["loss"] - second[key][i]["loss"]), key, i) for key, rows in first.items() for i, row in rows.items()
    )


def rows_of(cells, level, resamples, seed):
    """Rows of losses and of accuracies by cell and base."""
    rows, tasks = [], {}
    for (kind, length, _), keys in contrasts.tables_of(cells).items():
        if kind == plan.TEXT:
            rows += contrasts.loss_rows(cells, keys, contrasts.BASES, level, resamples, seed)
        else:
            tasks.setdefault(length, []).extend(keys)
    for keys in tasks.values():
        rows += contrasts.accuracy_rows(cells, keys, level)
    return {(*(row[name] for name in results.CELL), row.get("over", contrasts.BASES[0])): row for row in rows}


def outside(first, second):
    """(key, mean, row) where a mean is not within the other's interval; without an interval it is to be the same."""
    found = []
    for one, other in ((first, second), (second, first)):
        for key, row in one.items():
            mean, interval = row["difference"], other[key]
            if not (interval["low"] <= mean <= interval["high"] or mean == interval["difference"]):
                found.append((key, mean, interval))
    return found


def named(key):
    return " ".join(str(part) for part in key if part != "")


def main(arguments):
    p = Parser(prog=PROGRAM, description=__doc__.split("\n\n")[0])
    p.add_argument("first", help="folder of evaluate")
    p.add_argument("second", help="folder of evaluate, of the same model and seed")
    p.add_argument("--level", type=real(0.5, 0.999), default=intervals.LEVEL, help="of a whole table [0.95]")
    p.add_argument("--resamples", type=whole(100, 10**6), default=intervals.RESAMPLES, help="of the bootstrap [4000]")
    p.add_argument("--seed", type=whole(0, 10**6), default=1, help="of the bootstrap [1]")
    given = p.parse_args(arguments)
    first, second = shared(results.evaluation(given.first), results.evaluation(given.second))
    off, key, example = largest_difference(first, second)
    print(f"{len(first)} cells; largest difference of a loss: {off:.3g} nats, {named(key)}, example {example}")
    tables = [rows_of(cells, given.level, given.resamples, given.seed) for cells in (first, second)]
    if not tables[0]:
        raise Refused("no ranker and its base have two windows in common; allowed are evaluations of more windows")
    found = outside(*tables)
    for key, mean, row in found:
        print(f"  {named(key)}: {mean:.4g}, outside {row['low']:.4g} to {row['high']:.4g}")
    print(f"{len(found)} of {2 * len(tables[0])} means outside the other's interval")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run(PROGRAM, main, sys.argv[1:]))
