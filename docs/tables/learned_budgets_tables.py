"""The trained models at other budgets, in longer texts, in their tasks, and with one sparse head: the tables of
docs/learned-budgets.md, and of single heads in docs/learned-prediction.md.
"""

import statistics as moments

from learned_tables import (
    FOLDER,
    LENGTH,
    MAIN,
    RUNS,
    SPARSITY,
    claims_of,
    compared,
    interval,
    label,
    listed,
    over,
    rows_of,
)
from records import markdown, one, read, thousands, where

WIDE = "seed3"  # its evaluation had the time for all of these
BUDGETS = (5, 10, 20, 33, 50)  # keys to a selected one
LENGTHS = (4096, 16384, 32768)
ASKED = (
    ("socket-value", "socket"),
    ("socket", "hard-lsh"),
    ("socket", "quest"),
    ("socket", "double-sparsity"),
    ("socket-value", "quest"),
    ("signed-orthogonal-norm", "socket"),
)
ABLATED = ("oracle-top-k", "socket", "socket-value", "hard-lsh")
SHOWN_HEADS = 5


def shown(rows, name):
    return interval(rows[name]) if name in rows else "-"


def by_place(places, order):
    """Loss over dense, a column to each length and sparsity; the least loss at `order` on top."""
    columns = {place: over(WIDE, "dense", *place) for place in places}
    names = [name for name in compared(columns[order]) if name in MAIN]
    names.sort(key=lambda name: columns[order][name]["difference"])
    return [[label(name), *(shown(rows, name) for rows in columns.values())] for name in names]


def budgets():
    lines = by_place([(LENGTH, sparsity) for sparsity in BUDGETS], (LENGTH, SPARSITY))
    return markdown(["ranked by", *(f"{sparsity}x" for sparsity in BUDGETS)], lines)


def lengths():
    places = [(length, SPARSITY) for length in LENGTHS]
    lines = [line for line in by_place(places, places[0]) if "-" not in line]
    return markdown(["ranked by", *(f"{thousands(length)} tokens" for length in LENGTHS)], lines)


def asked():
    """The claims at every budget and length that was reached."""
    places = [(LENGTH, sparsity) for sparsity in BUDGETS] + [(length, SPARSITY) for length in LENGTHS[1:]]
    found = {place: {(row["ranker"], row["against"]): row for row in claims_of(WIDE, *place)} for place in places}
    lines = [
        [label(ranker), label(against), *(shown(rows, (ranker, against)) for rows in found.values())]
        for ranker, against in ASKED
    ]
    names = [f"{s}x" if length == LENGTH else f"{thousands(length)} tokens, {s}x" for length, s in places]
    return markdown(["loss of", "less that of", *names], lines)


def marked(row):
    """A share, with a star where its difference to dense lies outside chance."""
    return f"{row['accuracy']:.2f}" + ("*" if row["high"] < 0 or row["low"] > 0 else "")


def task_lines(run, name, length):
    """Whole examples right; a ranker whose tasks were not all reached is left out."""
    rows = where(rows_of(run, "accuracies"), length=length, sparsity=SPARSITY)
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    dense = {row["kind"]: row["dense_accuracy"] for row in rows}
    lines = [[name, label("dense"), *(f"{dense[kind]:.2f}" for kind in kinds)]]
    for ranker in dict.fromkeys(row["ranker"] for row in rows):
        own = {row["kind"]: marked(row) for row in where(rows, ranker=ranker)}
        if len(own) == len(kinds):
            lines.append([name, label(ranker), *(own[kind] for kind in kinds)])
    return kinds, lines


def task_table(first, parts):
    """parts: (run, what stands in the first column, length)"""
    found = [task_lines(*part) for part in parts]
    names = [kind.replace("_", " ") for kind in found[0][0]]
    return markdown([first, "ranked by", *names], [line for _, lines in found for line in lines])


def tasks():
    return task_table("model", [(run, name, LENGTH) for run, name in RUNS.items()])


def long_tasks():
    return task_table("tokens", [(WIDE, thousands(length), length) for length in LENGTHS])


def alone(ranker):
    """Rows of loss where one head alone is sparse, the largest first."""
    rows = where(rows_of(WIDE, "ablations"), ranker=ranker, length=LENGTH, sparsity=SPARSITY, over="dense")
    return sorted(rows, key=lambda row: -row["difference"])


def at_once(ranker):
    """Mean loss over dense of the windows of the single heads, all heads being sparse.

    windows.csv has the rows of these cells and windows of tables/evaluation.csv in tables.tar.gz.
    """
    rows = rows_of(WIDE, "windows")
    dense = {row["example"]: row["loss"] for row in where(rows, ranker="dense")}
    differences = [row["loss"] - dense[row["example"]] for row in where(rows, ranker=ranker)]
    if len(differences) != alone(ranker)[0]["windows"]:
        raise ValueError(f"{ranker}: {len(differences)} windows; allowed are those of the single heads")
    return moments.mean(differences)


def single_heads():
    """The heads that cost most where they alone are sparse; then all of them, one by one and at once."""
    found = {ranker: alone(ranker) for ranker in ABLATED}
    lines = [
        [f"{place + 1}", *(f"{rows[place]['only']}: {interval(rows[place])}" for rows in found.values())]
        for place in range(SHOWN_HEADS)
    ]
    lines.append(["sum of all", *(f"{sum(row['difference'] for row in rows):.4f}" for rows in found.values())])
    lines.append(["all at once", *(f"{at_once(ranker):.4f}" for ranker in found)])
    return markdown(["", *map(label, ABLATED)], lines)


def loss_statistics():
    """Spearman's correlation over the heads of each statistic with the loss where that head alone is sparse."""
    rows = where(rows_of(WIDE, "correlations"), length=LENGTH, sparsity=SPARSITY, measure="loss")
    lines = [
        [name.replace("_", " ")]
        + [f"{one(rows, ranker=ranker, statistic=name)['spearman']:+.2f}" for ranker in ABLATED]
        for name in dict.fromkeys(row["statistic"] for row in rows)
    ]
    return markdown(["statistic of the head", *map(label, ABLATED)], lines)


def times(length, sparsity):
    """How many times the loss of SOCKET its value norm costs."""
    means = {name: row["difference"] for name, row in over(WIDE, "dense", length, sparsity).items()}
    return means["socket-value"] / means["socket"]


def attended():
    """Keys at each budget, sink and window among them."""
    keys = [f"{over(WIDE, 'dense', sparsity=sparsity)['socket']['selected']:.0f}" for sparsity in BUDGETS]
    return {"keys": listed(keys)}


def longest():
    """What the value norm adds in the longest texts."""
    row = one(claims_of(WIDE, LENGTHS[-1], SPARSITY), ranker="socket-value", against="socket")
    half = row["high"] - row["difference"]
    return {"more": f"{row['difference']:.3f} ± {half:.3f}", "times": f"{times(LENGTHS[-1], SPARSITY):.0f}"}


def value_norm():
    by_budget = [times(LENGTH, sparsity) for sparsity in BUDGETS]
    return {"least": f"{min(by_budget):.1f}", "most": f"{max(by_budget):.1f}"}


def first_layer():
    """What the heads of the first layer add up to, each alone, and all heads, each alone."""
    found = {}
    for ranker in ABLATED:
        rows, name = alone(ranker), ranker.replace("-", "_")
        found[name] = f"{sum(row['difference'] for row in rows if row['only'].startswith('0.')):.3f}"
        found[f"{name}_all"] = f"{sum(row['difference'] for row in rows):.3f}"
    return found


def added():
    """What the value norm adds, in the first layer and in all."""
    first, every = (
        [sum(row["difference"] for row in alone(ranker) if row["only"].startswith(layer)) for layer in ("0.", "")]
        for ranker in ("socket-value", "socket")
    )
    return {"layer": f"{first[0] - every[0]:.3f}", "all": f"{first[1] - every[1]:.3f}"}


def ranks(numbers):
    """Twice the place of each, equal ones sharing theirs."""
    return [sum(other < number for other in numbers) + sum(other <= number for other in numbers) for number in numbers]


def loss_and_error():
    """Spearman's correlation over the heads of the loss of one with the error of its output."""
    found = []
    for ranker in ABLATED:
        losses = {row["only"]: row["difference"] for row in alone(ranker)}
        errors = where(rows_of(WIDE, "heads"), ranker=ranker, length=LENGTH, sparsity=SPARSITY)
        pairs = [(losses[f"{row['layer']:.0f}.{row['head']:.0f}"], row["relative_error"]) for row in errors]
        found.append(moments.correlation(*map(ranks, zip(*pairs, strict=True))))
    return dict(zip(("exact", "socket", "value", "hard"), (f"{value:.2f}" for value in found), strict=True))


def told_apart():
    """How many heads cost more than 0, by ranker; a head without bounds is none of them."""
    counts = [sum(isinstance(row["low"], float) and row["low"] > 0 for row in alone(ranker)) for ranker in ABLATED]
    return dict(zip(("exact", "socket", "value", "hard"), map(str, counts), strict=True))


def longest_tasks():
    rows = where(rows_of(WIDE, "accuracies"), length=LENGTHS[-1], sparsity=SPARSITY)
    return {f"{row['ranker']}_{row['kind']}".replace("-", "_"): f"{100 * row['accuracy']:.0f}%" for row in rows}


def common_word():
    row = one(rows_of("seed2", "accuracies"), ranker="socket", kind="common_word", length=LENGTH, sparsity=SPARSITY)
    return {"socket": f"{row['accuracy']:.2f}", "dense": f"{row['dense_accuracy']:.2f}"}


def model():
    run = one(read(f"{FOLDER}/{WIDE}/run.json"))
    return {
        "seconds": f"{run['seconds']:.0f}",
        "nats": f"{run['final_validation.text.4096.nats_per_token']:.3f}",
        "needle": f"{100 * run['final_validation.accuracy.32768.needle']:.0f}%",
        "multi_key": f"{100 * run['final_validation.accuracy.32768.multi_key']:.0f}%",
    }


TABLES = {
    "learned budgets": budgets,
    "learned lengths": lengths,
    "learned asked": asked,
    "learned tasks": tasks,
    "learned long tasks": long_tasks,
    "learned single heads": single_heads,
    "learned loss statistics": loss_statistics,
}
