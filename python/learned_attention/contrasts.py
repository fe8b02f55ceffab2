"""What do the evaluated numbers say? Tables of differences with simultaneous intervals, and of heads with rank
correlations.

    python -m learned_attention.contrasts evaluated        (a folder of evaluate; writes beside its files)

losses.csv: loss over dense and over oracle-top-k of each cell, paired by window; the contrasts of one length and kind
of cells are one table, whose intervals hold at once. accuracies.csv: shares of examples wholly right, likewise.
ablations.csv: loss over dense where one head is sparse. correlations.csv: Spearman's over the heads, of each
statistic with each ranker's error, recall and, where it was measured, loss. heads.csv: means over windows of what was
measured at each head and, for rankers whose law is known, of what was predicted. agreement.csv: how far predicted and
measured are apart over the heads. Wrong if windows of two cells were paired by their order in the file instead of
their number.
"""

import sys
from pathlib import Path

import numpy as np

from learned_attention import intervals, plan, results
from learned_attention.ranking import head_statistics
from learned_attention.refusals import Parser, Refused, real, run, whole, write_whole

PROGRAM = "learned_attention.contrasts"
BASES = ("dense", "oracle-top-k")
MEASURES = ("relative_error", "recall", "mass")
PREDICTED = {"recall": "predicted_recall", "relative_error": "predicted_error"}
HEAD_COLUMNS = ("mass", "relative_error", "recall", *PREDICTED.values())
# Numbers of evaluate have 8 digits: predictions that differ by less, relative to the largest, count as one number.
SAME = 1e-6


def ranks(values):
    """Places by value from 0, equal values sharing their mean place."""
    values = np.asarray(values, dtype=float)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[inverse]


def spearman(a, b):
    """NaN where one of the two is constant or fewer than 3 pairs are finite."""
    finite = np.isfinite(a) & np.isfinite(b)
    if finite.sum() < 3:
        return float("nan")
    x, y = ranks(np.asarray(a)[finite]), ranks(np.asarray(b)[finite])
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x**2).sum() * (y**2).sum())
    return float((x * y).sum() / scale) if scale > 0 else float("nan")


def base_key(key, base):
    """The cell that a cell is held against: the same windows, attending densely or by true top keys; None for
    itself.
    """
    kind, length, ranker, sparsity, sinks, _ = key
    if ranker == "dense" or (base == ranker and sinks == "forced"):
        return None
    return (kind, length, "dense", 0, "forced", "") if base == "dense" else (kind, length, base, sparsity, "forced", "")


def pairs(cells, keys, bases):
    """(key, base, base's rows) of what can be compared."""
    for key in keys:
        for base in bases:
            other = base_key(key, base)
            if other in cells and len(cells[key]) > 1:
                yield key, base, cells[other]


def shared(cells, chosen):
    """Numbers of the examples that every compared cell has."""
    sets = [set(cells[key]) & set(rows) for key, _, rows in chosen]
    return sorted(set.intersection(*sets)) if sets else []


def tables_of(cells):
    """The cells of each table, by what they are: text or a task, length, whole model or one head."""
    tables = {}
    for key in cells:
        tables.setdefault((key[0], key[1], "one head" if key[5] else "all heads"), []).append(key)
    return tables


def loss_rows(cells, keys, bases, level, resamples, seed):
    """Of one table."""
    chosen = list(pairs(cells, keys, bases))
    examples = shared(cells, chosen)
    if len(examples) < 2:
        return []
    losses = [[cells[key][i]["loss"] - other[i]["loss"] for i in examples] for key, _, other in chosen]
    found = intervals.of_means(np.array(losses).T, level, resamples, seed)
    rows = []
    for c, (key, base, other) in enumerate(chosen):
        own = [cells[key][i] for i in examples]
        row = dict(zip(results.CELL, key, strict=True)) | {"over": base, "windows": len(examples)}
        row |= {"base_loss": np.mean([other[i]["loss"] for i in examples]), "difference": found.mean[c]}
        row |= {"low": found.low[c], "high": found.high[c], "contrasts": len(chosen)}
        row |= {"selected": np.mean([r["selected"] for r in own]), "mass": np.mean([r["mass"] for r in own])}
        rows.append(row)
    return rows


def whole_right(rows, examples):
    return np.array([rows[i]["right"] == rows[i]["answers"] for i in examples])


def accuracy_rows(cells, keys, level):
    """Of the tasks of one length, one table."""
    chosen = list(pairs(cells, keys, BASES[:1]))
    rows = []
    by_count = {}
    for key, _, other in chosen:
        examples = sorted(set(cells[key]) & set(other))
        by_count.setdefault(len(examples), []).append((key, other, examples))
    total = len(chosen)
    for group in by_count.values():
        first = np.array([whole_right(cells[key], examples) for key, _, examples in group]).T
        second = np.array([whole_right(other, examples) for _, other, examples in group]).T
        # The error of a group is its part of that of the table.
        found = intervals.of_share_differences(first, second, 1 - (1 - level) * len(group) / total)
        for c, (key, other, examples) in enumerate(group):
            answers = sum(cells[key][i]["answers"] for i in examples)
            row = dict(zip(results.CELL, key, strict=True)) | {"examples": len(examples)}
            row |= {"accuracy": first[:, c].mean(), "dense_accuracy": second[:, c].mean(), "difference": found.mean[c]}
            row |= {"low": found.low[c], "high": found.high[c], "contrasts": total}
            row |= {"answers_right": sum(cells[key][i]["right"] for i in examples) / answers}
            row |= {"dense_answers_right": sum(other[i]["right"] for i in examples) / answers}
            rows.append(row)
    return rows


def means_by_head(rows, names, measures):
    """{names' values: {(layer, head): {measure: mean over windows}}}."""
    missing = [name for name in measures if rows and name not in rows[0]]
    if missing:
        raise Refused(f"a table by head has no column {', '.join(missing)}; allowed are tables of this evaluate")
    sums = {}
    for row in rows:
        place = sums.setdefault(tuple(row[name] for name in names), {}).setdefault((row["layer"], row["head"]), [])
        place.append([row[measure] for measure in measures])
    return {
        key: {head: dict(zip(measures, np.mean(values, axis=0), strict=True)) for head, values in heads.items()}
        for key, heads in sums.items()
    }


def ablated(rows):
    """{(length, ranker, sparsity): {(layer, head): {"loss": difference}}} of ablations.csv."""
    found = {}
    for row in rows:
        layer, head = (int(part) for part in row["only"].split("."))
        key = (row["length"], row["ranker"], row["sparsity"])
        found.setdefault(key, {})[(layer, head)] = {"loss": row["difference"]}
    return found


def correlation_rows(metrics, statistics, losses):
    rows = []
    for (length, ranker, sparsity), heads in metrics.items():
        about = statistics.get((length,), {})
        places = sorted(set(heads) & set(about))
        by_measure = {measure: [heads[place][measure] for place in places] for measure in MEASURES}
        lost = losses.get((length, ranker, sparsity), {})
        if lost:
            by_measure["loss"] = [lost.get(place, {}).get("loss", float("nan")) for place in places]
        for measure, values in by_measure.items():
            for statistic in head_statistics.NAMES:
                numbers = np.array([about[place][statistic] for place in places])
                row = {"length": length, "ranker": ranker, "sparsity": sparsity, "measure": measure}
                rows.append(
                    {
                        **row,
                        "statistic": statistic,
                        "heads": len(places),
                        "spearman": spearman(numbers, np.array(values)),
                    }
                )
    return rows


def head_rows(metrics):
    return [
        {"length": length, "ranker": ranker, "sparsity": sparsity, "layer": layer, "head": head}
        | {name: numbers[name] for name in HEAD_COLUMNS}
        for (length, ranker, sparsity), heads in metrics.items()
        for (layer, head), numbers in sorted(heads.items())
    ]


def line(predicted, measured):
    """(slope, intercept) of the least squares of measured on predicted; NaN where the predictions are one number."""
    if np.ptp(predicted) <= SAME * np.abs(predicted).max():
        return float("nan"), float("nan")
    centred = predicted - predicted.mean()
    slope = float(centred @ measured / (centred @ centred))
    return slope, float(measured.mean() - slope * predicted.mean())


def agreement_rows(metrics):
    """A row for each of PREDICTED, where heads have a prediction; differences are measured less predicted."""
    rows = []
    for (length, ranker, sparsity), heads in metrics.items():
        for measure, prediction in PREDICTED.items():
            places = [place for place in sorted(heads) if np.isfinite(heads[place][prediction])]
            if not places:
                continue
            measured, predicted = (np.array([heads[place][name] for place in places]) for name in (measure, prediction))
            slope, intercept = line(predicted, measured)
            off = measured - predicted
            worst = int(np.abs(off).argmax())
            row = {"length": length, "ranker": ranker, "sparsity": sparsity, "measure": measure, "heads": len(places)}
            row |= {"slope": slope, "intercept": intercept, "rms_difference": np.sqrt(np.mean(off**2))}
            row |= {"mean_difference": off.mean(), "worst_head": "{}.{}".format(*places[worst])}
            rows.append(row | {"worst_measured": measured[worst], "worst_predicted": predicted[worst]})
    return rows


def text_of(value):
    return "" if isinstance(value, float) and not np.isfinite(value) else results.written(value)


def write(folder, name, rows):
    if not rows:
        return
    lines = [",".join(rows[0])] + [",".join(text_of(_plain(value)) for value in row.values()) for row in rows]
    write_whole(Path(folder) / name, ("\n".join(lines) + "\n").encode())
    print(f"{Path(folder) / name}: {len(rows)} rows", flush=True)


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def tables(folder, level, resamples, seed):
    """{file name: rows}"""
    cells = results.evaluation(folder)
    found = {"losses.csv": [], "ablations.csv": [], "accuracies.csv": []}
    by_length = {}
    for (kind, length, scope), keys in tables_of(cells).items():
        if kind != plan.TEXT:
            by_length.setdefault(length, []).extend(keys)
            continue
        name, bases = ("losses.csv", BASES) if scope == "all heads" else ("ablations.csv", BASES[:1])
        found[name] += loss_rows(cells, keys, bases, level, resamples, seed)
    for keys in by_length.values():
        found["accuracies.csv"] += accuracy_rows(cells, keys, level)
    measured = results.read(folder, "heads")
    metrics = means_by_head(measured, ("length", "ranker", "sparsity"), HEAD_COLUMNS)
    statistics = means_by_head(results.read(folder, "statistics"), ("length",), head_statistics.NAMES)
    found["correlations.csv"] = correlation_rows(metrics, statistics, ablated(found["ablations.csv"]))
    found["heads.csv"], found["agreement.csv"] = head_rows(metrics), agreement_rows(metrics)
    return found


def asked(program, does, arguments):
    """The folder of an evaluation and the bootstrap of its intervals, as the command line names them."""
    p = Parser(prog=program, description=does)
    p.add_argument("folder", help="of evaluate")
    p.add_argument("--level", type=real(0.5, 0.999), default=intervals.LEVEL, help="of a whole table [0.95]")
    p.add_argument("--resamples", type=whole(100, 10**6), default=intervals.RESAMPLES, help="of the bootstrap [4000]")
    p.add_argument("--seed", type=whole(0, 10**6), default=1, help="of the bootstrap [1]")
    return p.parse_args(arguments)


def main(arguments):
    given = asked(PROGRAM, __doc__.split("\n\n")[0], arguments)
    if not results.evaluation(given.folder):
        raise Refused(f"{given.folder}: no evaluated cell; allowed is a folder that evaluate wrote to")
    for name, rows in tables(given.folder, given.level, given.resamples, given.seed).items():
        write(given.folder, name, rows)


if __name__ == "__main__":
    run(PROGRAM, main, sys.argv[1:])
