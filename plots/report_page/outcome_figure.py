"""The one figure of the first screen: the paper's bound, our bound, the exact and the measured error against the number of
tables, each named where its line ends.

Of sweep.csv and, for our bound, bound_ratios.csv; becomes error_outcome.png and .svg beside them.
"""

import style  # first: it finds matplotlib
from style import plt

from report_page import curves, shell
from report_page.digits import missing, show

COLOURS = {"printed": "#A3457B", "longest": "#555555", "own": "#0072B2", "exact": "#000000", "total": "#00734F"}
NAME = "error_outcome"  # as results are known by which another run may replace
TERM = "finite-tables"
# The family whose error shows the most is drawn where the run has it.
PREFERRED = "needle"
LEAST_GAP = 0.125  # between two labels, in heights of the axes


def chosen(sweeps):
    over_tables = [sweep for sweep in sweeps if sweep.axis == "tables"]
    return min(over_tables, key=lambda sweep: sweep.family != PREFERRED, default=None)


def lines(sweep, bounds):
    """Name, label, x, y of every line that has a point."""
    rows = sweep.term(TERM)
    of_columns = [
        ("printed", "paper's bound, sure B", "bound_sure_occupancy_value_units"),
        ("printed", "paper's bound, drawn B", "bound_drawn_occupancy_value_units"),
        ("longest", "longest value", "trivial_bound_value_units"),
    ]
    drawn = [(name, label, [(row["axis_value"], row[column]) for row in rows]) for name, label, column in of_columns]
    own = [(row["axis_value"], curves.own_bound(bounds, row)) for row in rows]
    drawn.append(("own", "our bound", [point for point in own if not missing(point[1])]))
    drawn.append(
        ("exact", "exact, measured (dots)", [(row["axis_value"], row["predicted_value_units"]) for row in rows])
    )
    total = [(row["axis_value"], row["predicted_value_units"]) for row in sweep.term("total")]
    drawn.append(("total", "with sampling and bias", [point for point in total if not missing(point[1])]))
    return [line for line in drawn if line[2]]


def apart(heights):
    """The same heights, in order, moved up until none is nearer than LEAST_GAP to the one below."""
    moved, last = {}, -1.0
    for place, height in sorted(enumerate(heights), key=lambda pair: pair[1]):
        last = max(height, last + LEAST_GAP)
        moved[place] = last
    return [moved[place] for place in range(len(heights))]


def told_point(points, wanted):
    """The point of a line that its label tells: at the wanted number of tables, else where the line ends."""
    return next((point for point in points if point[0] == wanted), points[-1])


def label_ends(axes, drawn, wanted):
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [to_axes.transform(points[-1])[1] for _, _, points in drawn]
    for (name, label, points), height in zip(drawn, apart(heights), strict=True):
        tables, value = told_point(points, wanted)
        at = "" if tables == wanted else f" at L={tables:g}"
        axes.text(1.02, height, f"{label}{at}\n{show(value, 3)}", transform=axes.transAxes, va="center",
                  fontsize=10.5, color=COLOURS[name], linespacing=1.1)  # fmt: skip


def draw(sweep, bounds):
    with plt.rc_context({"font.size": 11, "axes.titlesize": 11, "axes.labelsize": 11}):  # legible on a phone
        return drawn_figure(sweep, bounds)


def drawn_figure(sweep, bounds):
    figure, axes = plt.subplots(figsize=(3.4, 3.9))
    style.log_axis(axes.xaxis)
    axes.set_yscale("log")
    drawn = lines(sweep, bounds)
    looks = {"printed": "--", "longest": ":", "own": "-", "exact": "-", "total": "-."}
    for name, _, points in drawn:
        dot = "^" if name == "own" else None
        axes.plot(*zip(*points, strict=True), looks[name], color=COLOURS[name], marker=dot, linewidth=1.6)
    for row in sweep.term(TERM):
        low, high = row["error_lo_value_units"], row["error_hi_value_units"]
        middle = row["error_value_units"]
        axes.errorbar([row["axis_value"]], [middle], yerr=[[max(0, middle - low)], [max(0, high - middle)]], fmt="o",
                      color=COLOURS["exact"])  # fmt: skip
    longest = min(row["trivial_bound_value_units"] for row in sweep.rows)
    low, high = axes.get_ylim()
    axes.axhspan(longest, high, color=style.VACUOUS, zorder=0)
    axes.set_ylim(low, high)
    values = sweep.values
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()
    wanted = curves.production_value(sweep)
    axes.axvline(wanted, color="#999999", linewidth=0.8, linestyle=":", zorder=0.5)
    axes.set_xlabel(f"number of tables L; numbers: at L={wanted:g}")
    axes.set_ylabel("error (unit of the values)")
    row = sweep.rows[0]
    axes.set_title(
        f"{sweep.family}: N={row['keys']:,.0f}, d={row['dim']:.0f}, P={row['planes']:.0f}, τ={row['temperature']:g}",
        loc="left",
    )
    axes.annotate("grey: says nothing", (0.97, 0.97), xycoords="axes fraction", va="top", ha="right")
    label_ends(axes, drawn, wanted)
    return figure


def caption(sweep, bounds):
    """What to see, with the numbers at the number of tables nearest to the paper's."""
    row = sweep.at(TERM, curves.production_value(sweep))
    own = curves.own_bound(bounds, row)
    return shell.caption("first_figure", sweep=sweep, row=row, own=None if missing(own) else own)


def figures(folder, sweeps, bounds):
    """Jobs of style.draw_all; none without a sweep over tables."""
    sweep = chosen(sweeps)
    return [] if sweep is None else [(folder / NAME, draw, sweep, bounds)]
