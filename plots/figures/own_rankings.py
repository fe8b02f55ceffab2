"""What does each ranker keep of dense attention on one's own keys, against the density? Means over the queries."""

from . import style
from .style import plt

LABELS = {
    "recall": "recall of the true top keys",
    "mass": "softmax mass of the selection",
    "relative_error": "output error / dense output",
}


def means(rows, ranker, quantity):
    """(density, mean over the queries), by rising density."""
    densities = sorted({row["density"] for row in rows if row["ranker"] == ranker})
    of = {at: [row[quantity] for row in rows if row["ranker"] == ranker and row["density"] == at] for at in densities}
    return [(at, sum(values) / len(values)) for at, values in of.items()]


def draw(rows):
    figure, panels = plt.subplots(1, len(LABELS), figsize=(style.GRID_INCHES, 3.0))
    for axes, (quantity, label) in zip(panels, LABELS.items(), strict=True):
        for ranker in dict.fromkeys(row["ranker"] for row in rows):
            points = means(rows, ranker, quantity)
            if quantity == "relative_error":
                points = [point for point in points if point[1] > 0]  # no place for 0 on a logarithmic axis
            style.draw_ranker(axes, ranker, *(zip(*points, strict=True) if points else ((), ())))
        style.log_axis(axes.xaxis)
        axes.set_xlabel("density (selected / keys)")
        axes.set_title(label, loc="left")
        if quantity == "relative_error":
            axes.set_yscale("log")
        else:
            axes.set_ylim(0, 1.03)
    figure.tight_layout()
    style.legend(figure, [panels[0]], place=(0.5, 0.02))
    return figure
