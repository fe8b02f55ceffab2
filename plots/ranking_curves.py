"""How well does each ranker order the keys, against the number k that it selects (the paper's Figure 2)?

Usage: ranking_curves.py RESULTS_FOLDER   (reads ranking_curves.csv and ranking_histogram.csv there, writes PNG and SVG)
"""

import re
from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import where
from results import given_folders, read_csv
from script import run
from style import plt

METRIC_LABELS = {
    "precision": "precision",
    "jaccard": "Jaccard",
    "ndcg-binary": "NDCG, binary",
    "ndcg-graded": "NDCG, graded",
    "ndcg-as-printed": "NDCG as printed",
}


NUMBERS = re.compile(r"\b(?:P|tau) *= *[\d.]+")


def curve(rows, **wanted):
    return sorted(where(rows, **wanted), key=lambda row: row["k"])


def rankers_of(rows):
    return list(dict.fromkeys(row["ranker"] for row in rows))


def draw_curves(axes, rows, rankers=None, **wanted):
    """Lines with their intervals; the range over tie orders as a wider, lighter band."""
    for ranker in rankers or rankers_of(rows):
        points = curve(rows, ranker=ranker, **wanted)
        colour = style.RANKERS[ranker][0]
        x = [row["k"] for row in points]
        for low, high, alpha in (("worst_tie_order", "best_tie_order", 0.13), ("value_lo", "value_hi", 0.3)):
            style.band(axes, x, [row[low] for row in points], [row[high] for row in points], colour, alpha)
        style.draw_ranker(axes, ranker, x, [row["value"] for row in points])
    style.log_axis(axes.xaxis, base=2)
    axes.set_xlabel("selected keys $k$")
    axes.set_ylabel(METRIC_LABELS[wanted["metric"]])
    axes.set_ylim(0, 1.03)


def draw_histogram(axes, rows, rankers):
    for ranker in rankers:
        bins = [row for row in rows if row["ranker"] == ranker]
        colour, _, _, label = style.RANKERS[ranker]
        edges = [row["score_low_query_norms"] for row in bins] + [bins[-1]["score_high_query_norms"]]
        axes.stairs([row["keys"] for row in bins], edges, color=colour, label=label, linewidth=1.3)
    cutoff = rows[0]["cutoff_query_norms"]
    axes.axvline(cutoff, color="black", linestyle="--", linewidth=0.9)
    at = {"xy": (cutoff, 0.93), "xycoords": ("data", "axes fraction"), "xytext": (-4, 0), "textcoords": "offset points"}
    axes.annotate(f"rank {rows[0]['k']:.0f}", **at, fontsize=8, ha="right")
    axes.set_xlabel(r"true score $q\cdot k\,/\,\|q\|$")
    axes.set_ylabel("selected keys in the bin")


def setting_title(row):
    # The name of a setting may tell a P or a temperature, which the sizes tell too.
    name = NUMBERS.sub("", row["setting"]).replace("1/sqrt(d)", "1/√d").strip(" ,")
    sizes = (
        f"$N$={row['keys']:.0f}, $d$={row['dim']:.0f}, $P$={row['planes']:.0f}, "
        f"$L$={row['tables']:.0f}, $\\tau$={row['temperature']:g}"
    )
    return f"{name}: {sizes}" if name else sizes


def with_legend(figure, axes, columns=3):
    figure.tight_layout()
    style.legend(figure, [axes], columns)
    return figure


def figure_two(rows, bins):
    """Jaccard, precision, NDCG and the histogram in the first setting of the file."""
    setting = rows[0]["setting"]
    figure, grid = plt.subplots(2, 2, figsize=(style.GRID_INCHES, 5.8))
    panels = zip(grid.flat, ["jaccard", "precision", "ndcg-graded"], strict=False)
    for axes, metric in panels:
        draw_curves(axes, rows, setting=setting, truth="dot-product", metric=metric)
    mine = [row for row in bins if row["setting"] == setting]
    draw_histogram(grid[1, 1], mine, ["hard-lsh", "hamming", "socket", "cosine-oracle"])
    figure.suptitle(setting_title(rows[0]), fontsize=9)
    return with_legend(figure, grid[0, 0])


def figure_settings(rows):
    """Precision where the paper's ordering may break: one panel to a setting."""
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    figure, grid = plt.subplots(2, 2, figsize=(style.GRID_INCHES, 5.8), squeeze=False)
    for axes, setting in zip(grid.flat, settings, strict=False):
        wanted = {"setting": setting, "truth": "dot-product", "metric": "precision"}
        draw_curves(axes, rows, ["socket", "hard-lsh", "hamming", "cosine-oracle"], **wanted)
        axes.set_title(setting_title(next(row for row in rows if row["setting"] == setting)), loc="left", fontsize=7)
    style.empty(grid.flat[len(settings) :])
    return with_legend(figure, grid[0, 0], 4)


def figure_definitions(rows):
    """What a definition decides: three NDCGs on the dot product, and precision on the cosine."""
    setting = rows[0]["setting"]
    figure, grid = plt.subplots(2, 2, figsize=(style.GRID_INCHES, 5.8))
    for axes, metric in zip(grid.flat, ["ndcg-binary", "ndcg-graded", "ndcg-as-printed"], strict=False):
        draw_curves(axes, rows, setting=setting, truth="dot-product", metric=metric)
        axes.set_title("truth: $q\\cdot k$", loc="left")
    draw_curves(grid[1, 1], rows, setting=setting, truth="cosine", metric="precision")
    grid[1, 1].set_title("truth: the cosine", loc="left")
    figure.suptitle(setting_title(rows[0]), fontsize=9)
    return with_legend(figure, grid[0, 0])


def figures(folder):
    """Jobs of style.draw_all; none without rows."""
    folder = Path(folder)
    rows = read_csv(folder / "ranking_curves.csv")
    if not rows:
        return []
    return [
        (folder / "ranking_figure2", figure_two, rows, read_csv(folder / "ranking_histogram.csv")),
        (folder / "ranking_settings", figure_settings, rows),
        (folder / "ranking_definitions", figure_definitions, rows),
    ]


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["ranking_curves.csv"]))
