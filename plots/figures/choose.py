"""What does each rule keep of dense attention on one's own keys, against the budget? Means over the queries."""

from . import style
from .style import plt

LABELS = {
    "relative_error": "output error / dense output",
    "mass": "softmax mass of the selection",
    "recall": "recall of the true top keys",
}
VALUE = "-value"


def means(rows, ranker, metric):
    """(budget, mean over the queries), by rising budget; what is not known is left out."""
    points = [(row["budget"], row["mean"]) for row in rows if row["ranker"] == ranker and row["metric"] == metric]
    return sorted(point for point in points if point[1] == point[1])


def draw_rule(axes, ranker, points):
    """NAME-value has the colour of NAME and an open marker."""
    x, y = zip(*points, strict=True) if points else ((), ())
    base = ranker.removesuffix(VALUE)
    if ranker in style.RANKERS:
        style.draw_ranker(axes, ranker, x, y)
    elif base in style.RANKERS:
        colour, marker, line, label = style.RANKERS[base]
        axes.plot(
            x, y, line or "none", color=colour, marker=marker or "o", markerfacecolor="none", label=f"{label} × ‖v‖"
        )
    else:
        axes.plot(x, y, "-", color="#000000", marker="*", label="your scores")


def draw(rows):
    figure, panels = plt.subplots(1, len(LABELS), figsize=(style.GRID_INCHES, 3.0))
    for axes, (metric, label) in zip(panels, LABELS.items(), strict=True):
        for ranker in dict.fromkeys(row["ranker"] for row in rows):
            points = means(rows, ranker, metric)
            if metric == "relative_error":
                points = [point for point in points if point[1] > 0]  # no place for 0 on a logarithmic axis
            draw_rule(axes, ranker, points)
        style.log_axis(axes.xaxis)
        axes.set_xlabel("budget in keys")
        axes.set_title(label, loc="left")
        if metric == "relative_error":
            style.log_axis(axes.yaxis)
        else:
            axes.set_ylim(0, 1.03)
    figure.tight_layout()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=3)
    return figure
