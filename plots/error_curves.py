"""Error against tables, samples or temperature: measured points with intervals, the exact prediction, the bound.

Usage: error_curves.py RESULTS_FOLDER   (reads sweep.csv and sweep_slopes.csv there, writes PNG and SVG beside them)
"""

import sys
from pathlib import Path

import style  # before pyplot: it chooses the backend
import matplotlib.pyplot as plt
from results import read_sweeps

AXIS_LABELS = {
    "tables": "tables $L$",
    "samples": "samples $M$",
    "temperature": r"temperature $\tau$",
}
TERM_LABELS = {
    "sampling": r"sampling ‖$T-y_{\tau,L}$‖",
    "finite-tables": r"finite tables ‖$y_{\tau,L}-y_\tau$‖",
    "bias": r"bias ‖$y_\tau-y^*$‖",
    "total": r"total ‖$T-y^*$‖",
}
# The total often lies on its largest part, and shows around it.
SIZES = {"total": 6.5}
# The term that an axis is about; its bound is drawn.
MAIN_TERM = {"tables": "finite-tables", "samples": "sampling", "temperature": "bias"}


def column(rows, name):
    return [row[name] for row in rows]


def draw_term(axes, sweep, term):
    rows = sweep.term(term)
    x, y = column(rows, "axis_value"), column(rows, "error_value_units")
    below = [max(0.0, row["error_value_units"] - row["error_lo_value_units"]) for row in rows]
    above = [max(0.0, row["error_hi_value_units"] - row["error_value_units"]) for row in rows]
    colour = style.COLOURS[term]
    main = term == MAIN_TERM[sweep.axis]
    axes.plot(x, column(rows, "predicted_value_units"), "-", color=colour, linewidth=1.8 if main else 0.9)
    axes.errorbar(x, y, yerr=[below, above], fmt=style.MARKERS[term], color=colour, linestyle="none",
                  label=TERM_LABELS[term], markersize=SIZES.get(term, 4), markerfacecolor=colour if main else "white")


def draw_bounds(axes, sweep):
    rows = sweep.term(MAIN_TERM[sweep.axis])
    x = column(rows, "axis_value")
    if sweep.axis == "samples":  # Lemma 10 holds no occupancy
        axes.plot(x, column(rows, "bound_sure_occupancy_value_units"), "--", color=style.COLOURS["bound"],
                  label="the paper's bound")
        return
    axes.plot(x, column(rows, "bound_sure_occupancy_value_units"), "--", color=style.COLOURS["bound"],
              label=r"bound, $B=\lceil N/2\rceil$ (least sure $B$)")
    axes.plot(x, column(rows, "bound_drawn_occupancy_value_units"), ":", color=style.COLOURS["bound"],
              label=r"bound, $B$ of the drawn tables")


def shade_vacuous(axes, trivial):
    low, high = axes.get_ylim()
    low, high = low / 8, max(high, 4 * trivial)  # room below for the slope, above for the shade
    axes.axhspan(trivial, high, color=style.VACUOUS, zorder=0)
    axes.set_ylim(low, high)
    axes.annotate("vacuous: above the largest ‖$v_j$‖", xy=(0.015, trivial), xycoords=("axes fraction", "data"),
                  xytext=(0, 5), textcoords="offset points", fontsize=8, color="#555555")


def print_slope(axes, sweep):
    if sweep.slope is None:
        return
    s = sweep.slope
    text = (f"fitted slope {s['slope_log_error_per_log_axis']:.4f} in [{s['slope_lo']:.4f}, {s['slope_hi']:.4f}], "
            f"exact {s['predicted_slope']:g}")
    axes.text(0.015, 0.02, text, transform=axes.transAxes, fontsize=8, color=style.COLOURS[s["term"]])


def draw(sweep):
    figure, axes = plt.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    for term in ("total", "sampling", "bias", "finite-tables"):
        draw_term(axes, sweep, term)
    draw_bounds(axes, sweep)
    axes.set_xlabel(AXIS_LABELS[sweep.axis])
    axes.set_ylabel("error (unit of the values)")
    row = sweep.rows[0]
    fixed = {"tables": f"$M$={row['samples']:.0f}, $\\tau$={row['temperature']:g}",
             "samples": f"$L$={row['tables']:.0f}, $\\tau$={row['temperature']:g}",
             "temperature": f"$L$={row['tables']:.0f}, $M$={row['samples']:.0f}"}[sweep.axis]
    axes.set_title(f"{sweep.family}: $N$={row['keys']:.0f}, $d$={row['dim']:.0f}, $P$={row['planes']:.0f}, {fixed}",
                   loc="left")
    shade_vacuous(axes, row["trivial_bound_value_units"])
    print_slope(axes, sweep)
    figure.legend(*axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.53, 0.0), ncol=2)
    figure.text(0.53, -0.2, "points: measured, with intervals; lines through them: exact", ha="center", fontsize=8,
                color="#555555")
    return figure


def main(folder):
    for sweep in read_sweeps(folder):
        figure = draw(sweep)
        style.save(figure, Path(folder) / sweep.name)
        plt.close(figure)


if __name__ == "__main__":
    main(sys.argv[1])
