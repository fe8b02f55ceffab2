"""On one's own q, K, V: how do error and lost softmax mass fall with the density, head by head?"""

import math

from . import style
from .style import plt

LOOKS = {  # colour, line, label
    "paper": ("#0072B2", "-", "SOCKET"),
    "hub": ("#009E73", "-", "SOCKET as in sparse-attention-hub"),
    "hf": ("#D55E00", "-", "SOCKET as in the Hugging Face path"),
    "gpt-fast": ("#CC79A7", "-", "SOCKET as in gpt-fast"),
    "gpt-fast-later": ("#CC79A7", "--", "SOCKET as in gpt-fast, later"),
    "true-top-k": ("#000000", "--", "true top keys"),
}
QUANTITIES = {
    "relative_error_mean": "output error / dense output",
    "residual_weight_mean": "softmax mass left out",
}


def draw_ranking(axes, curves, ranking, quantity):
    """Each head thin, the mean over all queries thick; an error of 0 or infinity has no place on a log axis."""
    colour, line, label = LOOKS[ranking]
    for (name, head), rows in curves.items():
        if name != ranking:
            continue
        points = [(row["density"], row[quantity]) for row in rows if 0 < row[quantity] < math.inf]
        whole = head == "all"
        thick = {"linewidth": 1.8, "alpha": 1, "marker": "o", "label": label}
        look = thick if whole else {"linewidth": 0.6, "alpha": 0.4}
        axes.plot(*zip(*points, strict=True) if points else ([], []), line, color=colour, **look)


def draw(curves):
    figure, panels = plt.subplots(1, 2, figsize=(style.GRID_INCHES, 3.2))
    for axes, (quantity, label) in zip(panels, QUANTITIES.items(), strict=True):
        for ranking in dict.fromkeys(ranking for ranking, _ in curves):
            draw_ranking(axes, curves, ranking, quantity)
        if any(len(curve.get_xdata()) for curve in axes.lines):
            style.log_axis(axes.xaxis)
            style.log_axis(axes.yaxis)
        else:
            axes.text(0.5, 0.5, "nothing finite above 0", ha="center", va="center", transform=axes.transAxes)
            axes.set(xticks=[], yticks=[])
        axes.set_xlabel("density, beside sink and window")
        axes.set_ylabel(label)
    figure.tight_layout()
    style.legend(figure, [panels[0]], 2, (0.5, 0.02))
    style.note(figure, 0.5, -0.16, "thick: mean over all queries; thin: each head")
    return figure
