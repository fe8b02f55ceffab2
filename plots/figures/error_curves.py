"""Error against tables, samples, temperature and other axes: measured points with intervals, the exact prediction, the
bound; for two axes a heat map of the total error.
"""

from matplotlib.colors import LogNorm

from . import style
from .style import plt

AXIS_LABELS = {
    "tables": "tables $L$", "samples": "samples $M$", "temperature": r"temperature $\tau$", "planes": "planes $P$",
    "keys": "keys $N$", "dim": "dimension $d$", "query-norm": r"query norm ‖$q$‖", "budget": "selected keys",
    "density": "density (selected / keys)", "needle-cosine": "cosine of the needle to the query",
    "key-norm-spread": r"deviation of $\log$ ‖$k$‖",
}  # fmt: skip
LINEAR_AXES = {"planes", "needle-cosine", "key-norm-spread"}
TERM_LABELS = {
    "sampling": r"sampling ‖$T-y_{\tau,L}$‖",
    "finite-tables": r"finite tables ‖$y_{\tau,L}-y_\tau$‖",
    "bias": r"bias ‖$y_\tau-y^*$‖",
    "total": r"total ‖$T-y^*$‖",
    "selection": "top-$k$ selection against dense",
}
# The total often lies on its largest part, and shows around it.
SIZES = {"total": 6.5}
# The term that an axis is about; its bound is drawn.
MAIN_TERM = {"tables": "finite-tables", "samples": "sampling", "budget": "selection", "density": "selection"}


def main_term(sweep):
    return MAIN_TERM.get(sweep.axis, "bias")


def column(rows, name):
    return [row[name] for row in rows]


def draw_term(axes, sweep, term):
    rows = [row for row in sweep.term(term) if row["error_value_units"] > 0]  # no place for 0 on a logarithmic axis
    x, y = column(rows, "axis_value"), column(rows, "error_value_units")
    below = [max(0.0, row["error_value_units"] - row["error_lo_value_units"]) for row in rows]
    above = [max(0.0, row["error_hi_value_units"] - row["error_value_units"]) for row in rows]
    colour = style.COLOURS[term]
    main = term == main_term(sweep)
    if term == "selection":  # no exact value: a thin line leads the eye
        axes.plot(x, y, ":", color=colour, linewidth=0.9)
    axes.plot(x, column(rows, "predicted_value_units"), "-", color=colour, linewidth=1.8 if main else 0.9)
    marker = {
        "fmt": style.MARKERS[term],
        "markersize": SIZES.get(term, 4),
        "markerfacecolor": colour if main else "white",
    }
    axes.errorbar(x, y, yerr=[below, above], color=colour, linestyle="none", label=TERM_LABELS[term], **marker)


def draw_bounds(axes, sweep):
    rows = sweep.term(main_term(sweep))
    x = column(rows, "axis_value")
    lines = {
        "sure_occupancy": ("--", r"bound, least $B$ that can hold for every draw"),
        "drawn_occupancy": (":", r"bound, $B$ of the drawn tables"),
    }
    if main_term(sweep) in ("sampling", "selection"):  # neither holds an occupancy
        label = "the paper's bound" if sweep.axis == "samples" else "2 max ‖$v_j$‖ × mass left out"
        lines = {"sure_occupancy": ("--", label)}
    elif main_term(sweep) == "bias":
        lines["repaired"] = ("-.", r"bound, repaired: $2E[B_\ell(1-p_\ell)]/Z_\tau$ max ‖$v_j$‖")
    for name, (dashes, label) in lines.items():
        axes.plot(x, column(rows, f"bound_{name}_value_units"), dashes, color=style.COLOURS["bound"], label=label)


def shade_vacuous(axes, trivial):
    low, high = axes.get_ylim()
    low, high = low / 8, max(high, 4 * trivial)  # room below for the slope, above for the shade
    high *= 6  # above every curve, for the words
    axes.axhspan(trivial, high, color=style.VACUOUS, zorder=0)
    axes.set_ylim(low, high)
    axes.annotate(
        "grey: vacuous, above the largest ‖$v_j$‖", xy=(0.985, 0.975), xycoords="axes fraction", fontsize=8,
        ha="right", va="top", color="#555555", zorder=5,
    )  # fmt: skip


# Along these an error is a power of the axis; along others a fitted slope says nothing of a curve that bends.
POWER_LAWS = ("tables", "samples", "keys")


def print_slope(axes, sweep):
    if sweep.slope is None or sweep.axis not in POWER_LAWS:
        return
    s = sweep.slope
    text = f"{s['term']}: slope {s['slope_log_error_per_log_axis']:.4f} in [{s['slope_lo']:.4f}, {s['slope_hi']:.4f}]"
    if s["predicted_slope"] == s["predicted_slope"]:
        text += f", predicted {s['predicted_slope']:.4g}"
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    look = {"transform": axes.transAxes, "fontsize": 7, "color": style.COLOURS[s["term"]], "bbox": white}
    axes.text(0.015, 0.02, text.replace("-0", "−0"), **look)


SYMBOLS = {"keys": "$N$", "dim": "$d$", "planes": "$P$", "tables": "$L$", "samples": "$M$", "temperature": r"$\tau$"}


def title(family, row, axes):
    """The family and every setting that no axis varies."""
    fixed = ", ".join(f"{symbol}={row[name]:g}" for name, symbol in SYMBOLS.items() if name not in axes)
    return f"{family}: {fixed}"


def draw(sweep):
    figure, axes = plt.subplots()
    if sweep.axis not in LINEAR_AXES:
        style.log_axis(axes.xaxis)
    axes.set_yscale("log")
    for term in ("total", "sampling", "bias", "finite-tables", "selection"):
        if term in sweep.terms:
            draw_term(axes, sweep, term)
    draw_bounds(axes, sweep)
    axes.set_xlabel(AXIS_LABELS[sweep.axis])
    axes.set_ylabel("error (unit of the values)")
    axes.set_title(title(sweep.family, sweep.rows[0], [sweep.axis]), loc="left")
    shade_vacuous(axes, min(row["trivial_bound_value_units"] for row in sweep.rows))
    print_slope(axes, sweep)
    style.legend(figure, [axes], 2, (0.53, 0.0))
    below = -0.065 * ((len(axes.get_legend_handles_labels()[1]) + 1) // 2)  # the height of a legend's line, in figures
    note = "points: measured, with intervals; lines: exact for sampling and bias, the limit in $L$ for the others"
    if "selection" in sweep.terms:
        note += "; dotted: joins the points of the selection"
    style.note(figure, 0.53, below, note)
    return figure


def draw_grid(grid):
    """The measured total error of every pair of values, in the unit of the values, as colour and as a number with half its
    interval."""
    columns, lines = grid.values("axis_value"), grid.values("axis2_value")
    rows = [[grid.at("total", x, y) for x in columns] for y in lines]
    errors = [[row["error_value_units"] for row in line] for line in rows]
    every = [row for line in rows for row in line]
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 1.1 + 0.45 * len(lines)))
    # From the lowest end of an interval to the highest: no difference within the intervals fills the scale.
    low = min(
        row["error_lo_value_units"] if row["error_lo_value_units"] > 0 else row["error_value_units"] for row in every
    )
    high = max(row["error_hi_value_units"] for row in every)
    image = axes.imshow(errors, norm=LogNorm(low, high), cmap="cividis", aspect="auto", origin="lower")
    middle = (low * high) ** 0.5
    for i, line in enumerate(errors):
        for j, value in enumerate(line):
            half = (rows[i][j]["error_hi_value_units"] - rows[i][j]["error_lo_value_units"]) / 2
            look = {"ha": "center", "va": "center", "fontsize": 7, "color": "white" if value < middle else "black"}
            axes.text(j, i, f"{value:.3g}\n±{half:.1g}", **look)
    axes.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
    axes.set_yticks(range(len(lines)), [f"{value:g}" for value in lines])
    axes.set_xlabel(AXIS_LABELS[grid.axis])
    axes.set_ylabel(AXIS_LABELS[grid.axis2])
    axes.grid(False)
    axes.set_title(title(grid.family, grid.rows[0], [grid.axis, grid.axis2]), loc="left")
    bar = figure.colorbar(image, label=r"total ‖$T-y^*$‖")
    for set_formatter in (bar.ax.yaxis.set_major_formatter, bar.ax.yaxis.set_minor_formatter):
        set_formatter(lambda value, _: f"{value:g}")
    return figure
