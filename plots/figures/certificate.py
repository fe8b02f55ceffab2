"""What is certified for a query, beside what was measured, predicted and printed? The error terms as bars, one panel for
each query.
"""

from . import style
from .style import plt

TERMS = {
    "finite-tables": "finite\ntables",
    "bias": "bias",
    "sampling": "sampling",
    "total": "total",
    "top-m": "top-$M$\nvs dense",
}
# The bases in the order of the bars, each with its words and colour.
BARS = {
    "measured": ("measured", "#000000"),
    "certified": ("certified, these tables", "#0072B2"),
    "expected": ("expected, another draw", "#56B4E9"),
    "redrawn": ("by redraws", "#009E73"),
    "predicted": ("predicted (root mean square), no guarantee", "#E69F00"),
    "printed": ("the paper's bound, $B$ of the drawn tables", "#CC79A7"),
}
OTHER_READING = "B that can hold surely"  # of the paper's bounds: not the bar's
MOST_QUERIES = 6
# Radii of T on tables that are known: all of them before a value is drawn.
OF_SAMPLES = ("Theorem 7(a)", "Theorem 7(c)", "Theorem 9(b)", "Theorem 7(c) and the offset")
# Below it Theorem 2 is shown in place of 1(b): chosen by delta alone, for the least of the two would be left more often.
SMALL_DELTA = 1e-3


def height(rows, term, basis):
    """One query's number at its own delta, the largest there is; None where there is none. Of several: the least where
    all are known before chance comes in (no chance, or that of the samples alone), else the first, or at a small
    delta the last."""
    found = [
        row
        for row in rows
        if row["term"] == term
        and row["basis"] == basis
        and row["value"] < float("inf")
        and not row["name"].endswith(OTHER_READING)
    ]
    widest = max((row["delta"] for row in found), default=0)
    shown = [row for row in found if row["delta"] == widest]
    if not shown:
        return None
    known_before = [row["value"] for row in shown if widest == 0 or row["name"] in OF_SAMPLES]
    if known_before:
        return min(known_before)
    last = (term, basis) == ("finite-tables", "certified") and widest < SMALL_DELTA
    return shown[-1 if last else 0]["value"]


def draw_query(axes, rows):
    shown = [basis for basis in BARS if any(height(rows, term, basis) for term in TERMS)]
    width = 0.8 / len(shown)
    for k, basis in enumerate(shown):
        label, colour = BARS[basis]
        heights = [height(rows, term, basis) for term in TERMS]
        places = [(i + (k - (len(shown) - 1) / 2) * width, h) for i, h in enumerate(heights) if h]
        axes.bar([x for x, _ in places], [h for _, h in places], width, color=colour, label=label)
    axes.set_yscale("log")
    longest = rows[0]["longest_value_value_units"]
    low, high = axes.get_ylim()
    axes.axhspan(longest, max(high, 2 * longest), color=style.VACUOUS, zorder=0)
    axes.axhline(rows[0]["dense_norm_value_units"], color="#777777", linewidth=0.8, linestyle=":")
    axes.set_ylim(low, max(high, 2 * longest))
    axes.set_xticks(range(len(TERMS)), TERMS.values())
    axes.set_title(f"query {rows[0]['query']:g}", loc="left")
    axes.grid(axis="x", visible=False)


def draw(rows):
    every = list(dict.fromkeys(row["query"] for row in rows))
    queries = every[:MOST_QUERIES]
    columns = min(2, len(queries))
    lines = -(-len(queries) // columns)
    size = (style.GRID_INCHES if columns > 1 else style.WIDTH_INCHES, 2.6 * lines + 0.4)
    figure, grid = plt.subplots(lines, columns, figsize=size, squeeze=False, layout="constrained")
    for axes, query in zip(grid.flat, queries, strict=False):
        draw_query(axes, [row for row in rows if row["query"] == query])
        axes.set_ylabel("error (unit of the values)")
    for axes in grid.flat[len(queries) :]:
        axes.set_visible(False)
    first = rows[0]
    delta = max(row["delta"] for row in rows)
    figure.suptitle(
        f"$N$={first['keys']:g}, $P$={first['planes']:g}, $L$={first['tables']:g}, $M$={first['samples']:g}, "
        rf"$\tau$={first['temperature']:g}, $\delta$={delta:g}"
        + (f"; the first {len(queries)} of {len(every)} queries" if len(every) > len(queries) else ""),
        fontsize=9,
    )
    add_words(figure, grid)
    return figure


def add_words(figure, grid):
    """Below the panels the legend, of every bar in any of them, and below the legend what is shaded and dotted."""
    bars = {label: bar for axes in grid.flat for bar, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    labels = [label for label, _ in BARS.values() if label in bars]
    legend = figure.legend(
        [bars[label] for label in labels], labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=2
    )
    figure.canvas.draw()  # where the legend ends depends on how many lines it has
    bottom = legend.get_window_extent().transformed(figure.transFigure.inverted()).y0
    words = "shaded: above the longest ‖$v_j$‖, bounds that always answering 0 satisfies; dotted: length of the dense output"
    style.note(figure, 0.5, bottom - 0.06 / figure.get_figheight(), words, va="top")  # 0.06 inches
