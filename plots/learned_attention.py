"""On the keys of a trained model: what does each ranker's sparsity cost, in loss and in accuracy, and was its recall
predicted?

Usage: learned_attention.py FOLDER   (reads losses.csv, accuracies.csv, heads.csv and correlations.csv of python -m
learned_attention.contrasts there, of which all but the first may be missing; writes PNG and SVG beside)
"""

import collections
import math
import sys
from pathlib import Path

import style  # first: it finds matplotlib
from results import read_csv, refuse_usage
from script import Refused, run
from style import plt

# Rankers that no other figure has: other temperatures, sizes and interventions.
LOOKS = style.RANKERS | {
    "socket-tau-0.3": ("#0072B2", "s", "--", "SOCKET, τ = 0.3"),
    "socket-tau-0.1": ("#0072B2", "^", ":", "SOCKET, τ = 0.1"),
    "socket-value-tau-0.3": ("#56B4E9", "s", "--", "SOCKET × ‖v‖, τ = 0.3"),
    "socket-value-tau-0.1": ("#56B4E9", "^", ":", "SOCKET × ‖v‖, τ = 0.1"),
    "hard-lsh-latest": ("#D55E00", "^", ":", "hard LSH, ties to the later"),
    "hard-lsh-value": ("#D55E00", "x", "--", "hard LSH × ‖v‖"),
    "softmax-times-value": ("#000000", "x", "-.", "true weight × ‖v‖"),
    "signed-orthogonal-600": ("#CC79A7", "<", "-", "signed, 600 bits"),
    "signed-orthogonal-norm-600": ("#CC79A7", "D", "-", "signed, 600 bits, × ‖k‖"),
    "value-norm": ("#777777", "P", "-", "value norm alone"),
    "norm-half": ("#777777", "", "-", "cosine × ‖k‖^½"),
    "cosine-centred": ("#777777", "", "--", "cosine of centred keys"),
    "socket-dealt-value": ("#56B4E9", "x", "-.", "SOCKET × ‖v‖ of another key"),
    "socket-centred": ("#332288", "o", "-", "SOCKET, centred keys"),
    "signed-orthogonal-norm-centred": ("#882255", "X", "-.", "signed, centred, × ‖k‖"),
}
LOSS_PANELS = {
    "hash tables": ["oracle-top-k", "cosine-oracle", "softmax-times-value", "socket", "socket-tau-0.1", "socket-value",
                    "socket-value-tau-0.1", "hard-lsh", "hamming", "bucket-attention"],
    "others": ["oracle-top-k", "cosine-oracle", "signed-orthogonal", "signed-orthogonal-norm", "quest", "pqcache",
               "loki", "double-sparsity", "magicpig", "streaming-llm", "random"],
}  # fmt: skip
SMALLEST = 1e-3  # nats below which the axis of the loss is linear
SHOWN_SPARSITY = 33


def draw_ranker(axes, name, rows):
    """Points by sparsity with their simultaneous intervals."""
    rows = sorted(rows, key=lambda row: row["sparsity"])
    colour, marker, line, label = LOOKS[name]
    x, y = [row["sparsity"] for row in rows], [row["difference"] for row in rows]
    axes.plot(x, y, color=colour, marker=marker or None, linestyle=line or "none", label=label)
    bounded = [row for row in rows if not math.isnan(row["low"])]
    if bounded:
        middle = [row["difference"] for row in bounded]
        below = [row["difference"] - row["low"] for row in bounded]
        above = [row["high"] - row["difference"] for row in bounded]
        at = [row["sparsity"] for row in bounded]
        axes.errorbar(at, middle, yerr=[below, above], color=colour, fmt="none", elinewidth=0.7)


def losses(rows):
    """Loss over dense against sparsity: a line of panels to each length that has several; where none has, to all."""
    rows = [row for row in rows if row["over"] == "dense" and row["sinks"] == "forced"]
    places = {(row["length"], row["sparsity"]) for row in rows}
    counts = collections.Counter(length for length, _ in places)
    lengths = sorted(length for length in counts if counts[length] > 1) or sorted(counts)
    size = (style.GRID_INCHES, 0.6 + 2.6 * len(lengths))
    figure, grid = plt.subplots(len(lengths), 2, figsize=size, squeeze=False, sharex=True, sharey="row")
    for line, length in zip(grid, lengths, strict=True):
        for axes, (title, names) in zip(line, LOSS_PANELS.items(), strict=True):
            for name in names:
                mine = [row for row in rows if row["length"] == length and row["ranker"] == name]
                if mine:
                    draw_ranker(axes, name, mine)
            axes.axhline(0, color="black", linewidth=0.6)
            axes.set_yscale("symlog", linthresh=SMALLEST)
            style.log_axis(axes.xaxis)
            axes.set_title(f"{length / 1024:g}K tokens, {title}", loc="left")
        line[0].set_ylabel("loss over dense (nats a token)")
    for axes in grid[-1]:
        axes.set_xlabel("sparsity (keys / selected)")
    figure.tight_layout()
    style.legend(figure, grid.flat)
    return figure


def ranked(rows):
    """Loss over dense at one sparsity and the shortest length, a line to each ranker, the least loss on top."""
    length = min(row["length"] for row in rows)
    rows = [row for row in rows if row["length"] == length and row["sparsity"] == SHOWN_SPARSITY
            and row["over"] == "dense" and row["sinks"] == "forced" and row["ranker"] in LOOKS]  # fmt: skip
    rows = sorted(rows, key=lambda row: row["difference"])
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 0.7 + 0.17 * len(rows)))
    for place, row in enumerate(rows):
        colour, marker, _, _ = LOOKS[row["ranker"]]
        if not math.isnan(row["low"]):
            axes.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=0.8)
        axes.plot([row["difference"]], [place], marker=marker or ".", color=colour, markersize=4)
    exact = [row["difference"] for row in rows if row["ranker"] == "oracle-top-k"]
    for difference in exact:
        axes.axvline(difference, color="black", linewidth=0.6, linestyle=":")
    axes.set_xscale("log")
    style.log_axis(axes.xaxis)
    axes.set_yticks(range(len(rows)), [LOOKS[row["ranker"]][3] for row in rows], fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(f"loss over dense (nats a token), {length / 1024:g}K tokens, {SHOWN_SPARSITY}x")
    return figure


def accuracies(rows, length):
    """Share of examples wholly right, a panel to each task; the interval is that of the difference to dense."""
    rows = [row for row in rows if row["length"] == length and row["sparsity"] == SHOWN_SPARSITY]
    tasks = list(dict.fromkeys(row["kind"] for row in rows))
    names = [name for name in LOOKS if any(row["ranker"] == name for row in rows)]
    columns = min(3, len(tasks))
    lines = -(-len(tasks) // columns)
    size = (style.GRID_INCHES, 0.6 + lines * (0.5 + 0.16 * len(names)))
    figure, grid = plt.subplots(lines, columns, figsize=size, squeeze=False, sharex=True, sharey=True)
    for axes, task in zip(grid.flat, tasks, strict=False):
        for row in rows:
            if row["kind"] == task and row["ranker"] in names:
                place, dense = names.index(row["ranker"]), row["dense_accuracy"]
                colour = LOOKS[row["ranker"]][0]
                low, high = max(0, dense + row["low"]), min(1, dense + row["high"])
                axes.plot([low, high], [place, place], color=colour, linewidth=0.8)
                axes.plot([row["accuracy"]], [place], "o", color=colour)
                axes.axvline(dense, color="black", linewidth=0.6)
        axes.set_title(task.replace("_", " "), loc="left")
        axes.set_xlim(-0.03, 1.03)
    style.empty(grid.flat[len(tasks) :])
    grid[0, 0].set_yticks(range(len(names)), [LOOKS[name][3] for name in names])
    grid[0, 0].invert_yaxis()
    for line in grid:
        line[0].tick_params(axis="y", labelsize=6)
    for axes in grid[-1]:
        axes.set_xlabel("share of examples right")
    figure.tight_layout()
    return figure


def recalls(rows):
    """Predicted against measured, a dot to each head; on the diagonal they agree."""
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, style.WIDTH_INCHES))
    axes.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.8)
    for name in dict.fromkeys(row["ranker"] for row in rows):
        mine = [row for row in rows if row["ranker"] == name]
        colour, marker, _, label = LOOKS[name]
        x, y = [row["predicted_recall"] for row in mine], [row["recall"] for row in mine]
        axes.plot(x, y, linestyle="none", marker=marker or ".", markersize=2.5, alpha=0.6, color=colour, label=label)
    axes.set_xlabel("recall predicted from angles and norms")
    axes.set_ylabel("recall measured")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    style.legend(figure, [axes], place=(0.5, 0.02))
    return figure


def correlations(rows):
    """Rank correlation over the heads of each statistic with each ranker's output error, at the first length."""
    length = min(row["length"] for row in rows)
    rows = [row for row in rows if row["length"] == length and row["sparsity"] == SHOWN_SPARSITY
            and row["measure"] == "relative_error" and row["ranker"] in LOOKS]  # fmt: skip
    names, statistics = ([*dict.fromkeys(row[column] for row in rows)] for column in ("ranker", "statistic"))
    values = {(row["ranker"], row["statistic"]): row["spearman"] for row in rows}
    table = [[values[name, statistic] for statistic in statistics] for name in names]
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 0.8 + 0.17 * len(names)))
    shown = axes.imshow(table, vmin=-1, vmax=1, cmap="RdBu", aspect="auto")
    axes.set_xticks(
        range(len(statistics)), [name.replace("_", " ") for name in statistics], rotation=60, ha="right", fontsize=6
    )
    axes.set_yticks(range(len(names)), [LOOKS[name][3] for name in names], fontsize=6)
    axes.grid(visible=False)
    figure.colorbar(shown, label="rank correlation with output error")
    return figure


def figures(folder):
    tables = {name: read_csv(folder / f"{name}.csv") for name in ("losses", "accuracies", "heads", "correlations")}
    if not any(row["over"] == "dense" for row in tables["losses"]):
        raise Refused(
            f"{folder / 'losses.csv'}: no row of a loss over dense; allowed is a table of learned_attention.contrasts"
        )
    yield "learned_loss", losses(tables["losses"])
    if any(row["over"] == "dense" and row["sparsity"] == SHOWN_SPARSITY for row in tables["losses"]):
        yield "learned_ranking", ranked(tables["losses"])
    shown = [row for row in tables["accuracies"] if row["sparsity"] == SHOWN_SPARSITY]
    for length in sorted({row["length"] for row in shown}):
        yield f"learned_accuracy_{length / 1024:g}k", accuracies(shown, length)
    predicted = [row for row in tables["heads"] if row["sparsity"] == SHOWN_SPARSITY]
    predicted = [row for row in predicted if not math.isnan(row["predicted_recall"])]
    if predicted:
        yield "learned_recall", recalls(predicted)
    if any(row["sparsity"] == SHOWN_SPARSITY for row in tables["correlations"]):
        yield "learned_correlations", correlations(tables["correlations"])


def main(folder):
    for name, figure in figures(Path(folder)):
        style.save(figure, Path(folder) / name)
        plt.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        refuse_usage(__doc__)
    run(main, sys.argv[1])
