"""What accuracy does how much time buy? Output error and softmax mass against the time of a decode step.

Usage: decode_frontier.py RECORDS OUT   (reads frontier_h200.csv in RECORDS, of its first length; writes decode_frontier, of as many
KV heads as query heads, and decode_frontier_N for N of them, each with several query heads)

A line is one budget over the sizes of the index; the outlined points of a rule are those that nothing of the same rule beats in
both time and accuracy. Dense attention is the right end.
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import groups
from results import given_folders, read_csv
from script import run
from style import plt

RULES = {"socket": style.RANKERS["socket"], "signed-orthogonal-norm": style.RANKERS["signed-orthogonal-norm"]}
QUANTITIES = {"output_error": "output error / dense output", "softmax_mass": "softmax mass of the selection"}


def unbeaten(points, better):
    """Of (time, quality): those with better quality than everything as fast."""
    kept = []
    for time, quality in sorted(points):
        if not kept or better(quality, kept[-1][1]):
            kept.append((time, quality))
    return kept


def draw(axes, rows, quantity):
    better = (lambda a, b: a < b) if quantity == "output_error" else (lambda a, b: a > b)
    for rule, (colour, marker, dashes, label) in RULES.items():

        def line(points, **look):
            axes.plot(*zip(*points, strict=True), dashes, color=colour, marker=marker, **look)

        mine = [(row["median_us"], row[quantity], row["budget"]) for row in rows if row["rule"] == rule]
        for budget in sorted({budget for *_, budget in mine}):
            line([point[:2] for point in mine if point[2] == budget], alpha=0.35, linewidth=0.7, markersize=2.5)
        line(unbeaten([point[:2] for point in mine], better), markerfacecolor="none", markersize=5, label=label)
    for row in rows:
        if row["rule"] in ("dense-flash", "dense-cudnn"):
            colour, marker, _, label = style.DECODE[row["rule"]]
            axes.plot(row["median_us"], row[quantity], marker, color=colour, label=label, clip_on=False)
    style.log_axis(axes.xaxis)
    if quantity == "output_error":
        style.log_axis(axes.yaxis)
    else:
        axes.set_ylim(0, 1.03)


def frontier(rows):
    families = list(dict.fromkeys(row["family"] for row in rows))
    figure, grid = plt.subplots(
        2, len(families), figsize=(style.GRID_INCHES, 4.4), sharex=True, sharey="row", squeeze=False
    )
    for column, family in zip(grid.T, families, strict=True):
        for axes, quantity in zip(column, QUANTITIES, strict=True):
            draw(axes, [row for row in rows if row["family"] == family], quantity)
        column[0].set_title(family, loc="left")
        column[1].set_xlabel("decode step (µs)")
    for line, label in zip(grid, QUANTITIES.values(), strict=True):
        line[0].set_ylabel(label)
    times = [row["median_us"] for row in rows if row["rule"] != "true-top-k"]  # which is not timed
    grid[0, 0].set_xlim(min(times) / 1.1, max(times) * 1.3)
    figure.tight_layout()
    style.legend(figure, [grid[0, 0]], 4)
    return figure


def main(records, out):
    rows = read_csv(Path(records) / "frontier_h200.csv")
    rows = [row for row in rows if row["keys"] == rows[0]["keys"]]
    jobs = []
    for kv_heads, of_heads in groups(rows, lambda row: row["kv_heads"]):
        shared = kv_heads != of_heads[0]["heads"]
        jobs.append((Path(out) / ("decode_frontier" + (f"_{kv_heads:.0f}" if shared else "")), frontier, of_heads))
    style.draw_all(jobs)


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["frontier_h200.csv"], 2))
