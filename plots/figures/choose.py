"""What does each rule keep of dense attention on one's own keys, against the budget, as means over the queries; or what do
settings cost that reach a wanted error or mass?
"""

from . import style
from .style import plt

LABELS = {
    "relative_error": "output error / dense output",
    "mass": "softmax mass of the selection",
    "recall": "recall of the true top keys",
}


def draw(rows):
    """Of choose.csv or choose_search.csv."""
    return draw_search(rows) if "on_frontier" in rows[0] else draw_rules(rows)


def means(rows, ranker, metric):
    """(budget, mean over the queries), by rising budget; what is not known is left out, and what has no place on a
    logarithmic axis.
    """
    points = [(row["budget"], row["mean"]) for row in rows if row["ranker"] == ranker and row["metric"] == metric]
    return sorted(point for point in points if (point[1] > 0 if metric == "relative_error" else point[1] == point[1]))


def draw_rule(axes, ranker, points):
    """NAME-value has the colour of NAME and an open marker; what has no name here are the caller's scores."""
    x, y = zip(*points, strict=True) if points else ((), ())
    if ranker in style.RANKERS:
        return style.draw_ranker(axes, ranker, x, y)
    name, is_value = ranker.removesuffix("-value"), ranker.endswith("-value")
    colour, marker, line, label = style.RANKERS.get(name, ("#000000", "*", "-", "your scores"))
    look = {"color": colour, "marker": marker or "o", "markerfacecolor": "none" if is_value else colour}
    return axes.plot(x, y, line or "none", **look, label=label + " × ‖v‖" * is_value)


def draw_rules(rows):
    figure, panels = plt.subplots(1, len(LABELS), figsize=(style.GRID_INCHES, 3.0))
    for axes, (metric, label) in zip(panels, LABELS.items(), strict=True):
        for ranker in dict.fromkeys(row["ranker"] for row in rows):
            draw_rule(axes, ranker, means(rows, ranker, metric))
        style.log_axis(axes.xaxis)
        axes.set_xlabel("budget in keys")
        axes.set_title(label, loc="left")
        if metric == "relative_error":
            style.log_axis(axes.yaxis)
        else:
            axes.set_ylim(0, 1.03)
    figure.tight_layout()
    style.legend(figure, [panels[0]], 3, (0.5, 0.02))
    return figure


def draw_search(rows):
    figure, axes = plt.subplots()
    for rule in ("socket", "socket-value"):
        colour, marker, _, label = style.RANKERS[rule]
        points = [(row["bits_per_key"], row["budget"]) for row in rows if row["ranker"] == rule]
        if points:
            look = {"color": colour, "markersize": 3, "alpha": 0.35}
            axes.plot(*zip(*points, strict=True), marker, **look, label=label)
    frontier = sorted((row["bits_per_key"], row["budget"]) for row in rows if row["on_frontier"])
    axes.step(*zip(*frontier, strict=True), where="post", color="#000000", linewidth=1, label="frontier")
    redrawn = [row for row in rows if row["redrawn_keys"]]  # the one that the command names, by its redraws
    best = min(redrawn or rows, key=lambda row: row["bits_read_per_key"])
    text = f"least read: P={best['planes']:g}, L={best['tables']:g}, tau={best['temperature']:g}"
    axes.plot([best["bits_per_key"]], [best["budget"]], "*", color="#000000", markersize=10, label=text)
    style.log_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    axes.set_xlabel("bits a key read for scoring")
    axes.set_ylabel("keys read beside sink and window")
    figure.tight_layout()
    style.legend(figure, [axes], 2, (0.5, 0.02))
    return figure
