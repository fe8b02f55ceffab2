"""What does each ranker keep of dense attention, against its memory and against the density?

Usage: frontier.py RESULTS_FOLDER   (reads rankers.csv there, writes PNG and SVG beside it)
"""

import math
from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import where
from results import given_folders, read_csv
from script import run
from style import plt

DENSITY = 0.1  # of the frontier: the paper's tenfold sparsity
SHOWN = [
    "socket", "hard-lsh", "hamming", "bucket-attention", "signature-hamming", "qjl", "signed-orthogonal-norm", "quest",
    "double-sparsity", "loki", "pqcache",
]  # fmt: skip
LEVELS = ["random", "cosine-oracle", "oracle-top-k"]
LABELS = {
    "recall": "recall of the true top keys",
    "mass": "softmax mass of the selection",
    "relative_error": "output error / dense output",
}


def families_of(rows):
    return list(dict.fromkeys(row["family"] for row in rows))


def setting(rows):
    """The size of the problem and of SOCKET, one line below a figure; sizes that differ by family are all named."""
    names = {"N": "keys", "d": "dim", "P": "planes", "L": "tables", "τ": "temperature", "instances": "instances"}
    shown = {name: sorted({row[column] for row in rows}) for name, column in names.items()}
    return ", ".join(f"{name} = {' and '.join(f'{value:,g}' for value in values)}" for name, values in shown.items())


def write_setting(figure, rows):
    figure.text(0.01, 0.002, setting(rows), ha="left", va="bottom", fontsize=7)


def nearest_density(rows, wanted):
    return min({row["density"] for row in rows}, key=lambda density: abs(density - wanted))


def draw_points(axes, rows, x_name, quantity, ranker):
    rows = sorted(rows, key=lambda row: row[x_name])
    if not rows:
        return
    x, y = [row[x_name] for row in rows], [row[quantity] for row in rows]
    # The intervals of errors are wide and would cover each other: one stands for all.
    if quantity != "relative_error" or ranker == "socket":
        # Student's intervals know nothing of the ends of a share, and an error is not below 0: beyond stands nothing.
        most = math.inf if quantity == "relative_error" else 1.0
        low = [max(0.0, row[f"{quantity}_lo"]) for row in rows]
        high = [min(most, row[f"{quantity}_hi"]) for row in rows]
        style.band(axes, x, low, high, style.RANKERS[ranker][0])
    style.draw_ranker(axes, ranker, x, y)


def draw_prediction(axes, rows):
    """Recall from the law of the scores, a thin line under the measured points, where it was asked for at every size."""
    for ranker in SHOWN:
        known = sorted(
            (row["bits_per_token"], row["predicted_recall"])
            for row in where(rows, ranker=ranker)
            if not math.isnan(row["predicted_recall"])
        )
        if known:
            label = "predicted recall" if ranker == "socket" else None
            axes.plot(*zip(*known, strict=True), "-", color="black", linewidth=0.5, zorder=3, label=label)


def draw_own_memory(axes, rows, quantity):
    """MagicPIG, whose tables take ten times the memory of the others: at the right edge, with its bits."""
    largest = max((row["bits_per_token"] for row in rows if row["ranker"] in SHOWN), default=None)
    for row in where(rows, ranker="magicpig"):
        bits = row["bits_per_token"]
        if largest is None or bits <= 2 * largest:
            draw_points(axes, [row], "bits_per_token", quantity, "magicpig")
            continue
        edge = 2.2 * largest
        style.draw_ranker(axes, "magicpig", [edge], [row[quantity]])
        axes.annotate(f"{bits:,.0f}\nbits →", (edge, row[quantity]), (0, -4), textcoords="offset points", ha="center",
                      va="top", fontsize=6, color=style.RANKERS["magicpig"][0])  # fmt: skip


def scale_for(axes, quantity, values):
    """Shares from 0 to 1; errors on a log axis where they differ by more than a small factor."""
    if quantity != "relative_error":
        axes.set_ylim(0, 1.03)
    elif max(values) > 4 * min(values):
        style.log_axis(axes.yaxis, steps=(1,) if max(values) > 100 * min(values) else (1, 2, 5))
        axes.set_ylim(min(values) / 2, 2 * max(values))


def draw_family(axes, rows, family, quantity):
    for ranker in SHOWN:
        draw_points(axes, where(rows, ranker=ranker), "bits_per_token", quantity, ranker)
    for row in rows:
        if row["ranker"] in LEVELS:
            colour, _, line, label = style.RANKERS[row["ranker"]]
            axes.axhline(row[quantity], color=colour, linestyle=line, linewidth=0.9, label=label, zorder=1)
    draw_own_memory(axes, rows, quantity)
    if quantity == "recall":
        draw_prediction(axes, rows)
    style.log_axis(axes.xaxis, base=4)
    scale_for(axes, quantity, [row[quantity] for row in rows])
    axes.set_title(family, loc="left")


def frontier(rows, quantity):
    families = families_of(rows)
    density = nearest_density(rows, DENSITY)
    rows = where(rows, density=density)
    columns = min(3, len(families))
    lines = math.ceil(len(families) / columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(style.GRID_INCHES, 0.5 + 2.3 * lines), squeeze=False, sharex=True
    )
    for axes, family in zip(grid.flat, families, strict=False):
        draw_family(axes, where(rows, family=family), family, quantity)
    style.empty(grid.flat[len(families) :])
    for axes in grid[-1]:
        axes.set_xlabel("memory (bits per token)")
    for line in grid:
        line[0].set_ylabel(LABELS[quantity])
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    write_setting(figure, rows)
    style.legend(figure, [grid[0, 0]])
    return figure


def against_density(rows):
    """Published sizes: recall, mass and error from 2% to half of the keys, on keys without and with needles; of other
    families the first three.
    """
    families = [family for family in ("gaussian", "needles", "rotary-low-rank") if family in families_of(rows)]
    families = families or families_of(rows)[:3]
    shown = ["oracle-top-k", "cosine-oracle", "random"] + SHOWN + ["magicpig"]
    figure, grid = plt.subplots(
        len(families), 3, figsize=(style.GRID_INCHES, 0.5 + 2.3 * len(families)), squeeze=False, sharex=True
    )
    for line, family in zip(grid, families, strict=True):
        for axes, quantity in zip(line, LABELS, strict=True):
            for ranker in shown:
                mine = where(rows, family=family, ranker=ranker, size="published")
                draw_points(axes, mine, "density", quantity, ranker)
            style.log_axis(axes.xaxis)
            scale_for(axes, quantity, [row[quantity] for row in rows if row["family"] == family])
            axes.set_ylabel(LABELS[quantity])
        line[0].set_title(family, loc="left")
    for axes in grid[-1]:
        axes.set_xlabel("density (selected / keys)")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    write_setting(figure, [row for row in rows if row["size"] == "published" and row["family"] in families])
    style.legend(figure, [grid[0, 0]])
    return figure


def figures(folder):
    """Jobs of style.draw_all; none without rows."""
    folder = Path(folder)
    rows = read_csv(folder / "rankers.csv")
    if not rows:
        return []
    drawn = [(folder / f"frontier_{quantity}", frontier, rows, quantity) for quantity in LABELS]
    return [*drawn, (folder / "rankers_density", against_density, rows)]


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["rankers.csv"]))
