"""How far above the true quantile do the bounds lie? Printed, repaired and our bounds beside the true quantile of each
error, over the longest value, at every setting.
"""

from . import style
from .settings import Settings
from .style import plt

PANELS = {
    "finite-tables": ("finite tables ‖$y_L-y_\\tau$‖", "Theorem 1(b)"),
    "sampling": ("sampling ‖$T-y_L$‖", "Theorem 7(a)"),
    "bias": ("bias ‖$y_\\tau-y^*$‖", "Theorem 8(i)"),
    "total": ("total ‖$T-y^*$‖", "Theorem 9(b)"),
}
PRINTED_SURE = ("#CC79A7", "_", "the paper's bound, least $B$ that can hold for every draw")
PRINTED = ("#CC79A7", "v", "the paper's bound, $B$ of the drawn tables")
REPAIRED = ("#E69F00", "s", "repaired: constant 2 and $E[B_\\ell(1-p_\\ell)]$ in the bias")
OURS = ("#0072B2", "^", "ours: Theorems 1(b), 7(a), 8(i), 9(b)")
TRUE = ("#000000", "o", "true quantile (bias: exact)")


def series(rows, settings, bound, column="bound_value_units"):
    """Places and heights, over the longest value, of one bound; nothing where the term has none of this name."""
    return [
        (settings.place(row), row[column] / row["trivial_bound_value_units"]) for row in rows if row["bound"] == bound
    ]


def draw_panel(axes, rows, settings, ours):
    for bound, column, (colour, marker, label) in (
        ("printed, B sure", "bound_value_units", PRINTED_SURE),
        ("printed, B drawn", "bound_value_units", PRINTED),
        ("printed", "bound_value_units", PRINTED),  # of the sampling, which holds no occupancy
        ("repaired", "bound_value_units", REPAIRED),
        (ours, "bound_value_units", OURS),
        (ours, "error_quantile_value_units", TRUE),
    ):
        points = series(rows, settings, bound, column)
        if points:
            x, y = zip(*points, strict=True)
            size = 3 if marker == "o" else 6 if marker == "_" else 4
            axes.plot(x, y, marker, color=colour, label=label, markersize=size, linestyle="none")


def draw(rows):
    """Rows of bound_ratios.csv, of one family and number of keys."""
    settings = Settings(rows)
    figure, grid = plt.subplots(1, len(PANELS), sharey=True, figsize=(style.GRID_INCHES, 3.6))
    for axes, (term, (title, ours)) in zip(grid, PANELS.items(), strict=True):
        here = [row for row in rows if row["term"] == term]
        draw_panel(axes, here, settings, ours)
        axes.set_yscale("log")
        axes.set_title(title, loc="left", fontsize=8)
        ticks = [tick.replace("\n0.", "\n.") for tick in settings.ticks]
        axes.set_xticks(range(len(ticks)), ticks, fontsize=6)
        axes.set_xlim(-0.6, len(ticks) - 0.4)
    low, high = grid[0].get_ylim()
    for axes in grid:
        axes.axhspan(1, high, color=style.VACUOUS, zorder=0)
    grid[0].set_ylim(low, high)
    grid[0].set_ylabel("over the longest value, max ‖$v_j$‖")
    below = -0.02 * (len(settings.told) - 1)  # a tick has a line to each
    figure.supxlabel(settings.label, fontsize=8, y=below)
    figure.suptitle(rf"{settings.title}, $\delta$={rows[0]['delta']:g}; shaded: vacuous", fontsize=9)
    style.legend(figure, grid, 2, (0.5, below - 0.03))
    return figure
