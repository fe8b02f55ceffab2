"""What does Theorem 3 say at production settings, beside the errors there? Every term of its bound and the exact error of
that term, over the longest value.
"""

from . import style
from .settings import Settings
from .style import plt

# Term: its columns in audit_bounds.csv and audit.csv, its name.
TERMS = {
    "sampling": ("sampling_bound", "sampling_error_exact", "sampling"),
    "finite-tables": ("finite_tables_bound", "finite_tables_error_exact", "finite tables"),
    "bias": ("bias_bound", "bias_exact", "bias"),
}


def draw(rows, bounds):
    """Rows of audit.csv and of audit_bounds.csv, of one family and number of keys."""
    settings = Settings(rows)
    figure, axes = plt.subplots()
    axes.set_yscale("log")
    for shift, (term, (bound, error, name)) in zip((-0.22, 0, 0.22), TERMS.items(), strict=True):
        colour, marker = style.COLOURS[term], style.MARKERS[term]
        x = [settings.place(row) + shift for row in rows]
        read = {
            reading: [
                next(row for row in bounds if settings.of(row) == settings.of(at) and row["reading"] == reading)[bound]
                for at in rows
            ]
            for reading in ("realised", "almost-sure")
        }
        axes.vlines(x, read["realised"], read["almost-sure"], color=colour, linewidth=2.5, alpha=0.45)
        axes.plot(x, read["realised"], "_", color=colour, markersize=7, markeredgewidth=1.6)
        axes.plot(x, [row[error] for row in rows], marker, color=colour, label=name, linestyle="none")
    low, high = axes.get_ylim()
    axes.axhspan(1, high, color=style.VACUOUS, zorder=0)
    axes.set_ylim(low, high)
    grey = {"transform": axes.transAxes, "fontsize": 8, "va": "top", "color": "#555555"}
    axes.text(0.015, 0.97, "vacuous: above the longest ‖$v_j$‖", **grey)
    axes.set_xticks(range(len(settings.all)), settings.ticks)
    axes.set_xlabel(settings.label)
    axes.set_ylabel(r"over the longest value, max ‖$v_j$‖")
    axes.set_title(settings.title, loc="left")
    style.legend(figure, [axes], 3, (0.53, -0.02))
    words = (
        "markers: exact error; bars: the bound of the term, from $B$ of the drawn tables\n"
        "(dash) to the least $B$ that can hold for every draw"
    )
    style.note(figure, 0.53, -0.17, words)
    return figure
