"""How does every figure look? One column wide, legible when printed, readable by the colour-blind."""

from matplotlib import pyplot as plt  # noqa: F401  for the figures
from matplotlib import ticker

# Okabe and Ito's palette: distinct under the common colour-vision deficiencies.
COLOURS = {
    "sampling": "#0072B2",
    "finite-tables": "#D55E00",
    "bias": "#009E73",
    "total": "#000000",
    "bound": "#CC79A7",
    "selection": "#E69F00",
}
MARKERS = {"sampling": "s", "finite-tables": "o", "bias": "^", "total": "D", "selection": "v"}
VACUOUS = "#E6E6E6"

# Rankers: colour, marker, line. Scores of hash tables are solid, signatures dashed, indices of the data dotted. Each has
# a colour of its own, but for black, which is of what reads whole keys: lines without a marker.
RANKERS = {
    "socket": ("#0072B2", "o", "-", "SOCKET"),
    "socket-value": ("#56B4E9", "o", "-", "SOCKET × ‖v‖"),
    "hard-lsh": ("#D55E00", "s", "-", "hard LSH"),
    "hamming": ("#009E73", "^", "-", "Hamming, all L·P bits"),
    "bucket-attention": ("#E69F00", "v", "-", "Bucket Attention"),
    "signature-hamming": ("#117733", ">", "--", "signature, Hamming"),
    "signed-independent": ("#6B4F4F", "D", "--", "signed projection, independent"),
    "qjl": ("#CC79A7", "d", "--", "signed, independent, × ‖k‖ (QJL)"),
    "signed-orthogonal": ("#C1121F", "<", "--", "signed projection, orthogonal"),
    "signed-orthogonal-norm": ("#882255", "D", "--", "signed, orthogonal, × ‖k‖"),
    "rabitq": ("#0B5D66", "P", "--", "RaBitQ"),
    "quest": ("#9B4DFF", "h", ":", "Quest"),
    "quest-16": ("#C77DFF", "H", "-.", "Quest, pages of 16"),
    "double-sparsity": ("#8C510A", "X", ":", "Double Sparsity"),
    "loki": ("#999933", "p", ":", "Loki"),
    "pqcache": ("#332288", "*", ":", "PQCache"),
    "magicpig": ("#E7298A", "P", "", "MagicPIG (own weights)"),
    "value-norm": ("#777777", "x", ":", "value norm"),
    "random": ("#AAAAAA", "", ":", "random"),
    "value-distance-oracle": ("#000000", "", ":", "true weight × distance of the value"),
    "cosine-oracle": ("#000000", "", "--", "cosine of whole keys"),
    "oracle-top-k": ("#000000", "", "-", "true top k"),
    "oracle-top-p": ("#000000", "", "-.", "true top p"),
    "streaming-llm": ("#A8A200", "+", ":", "StreamingLLM"),
    "all keys": ("#BBBBBB", "", "-", "all keys"),
}

# Stages of a decode step and what they stand beside: colour, marker, line.
DECODE = {
    "decode-step": ("#000000", "o", "-", "whole decode step"),
    "half-tables": ("#E69F00", "v", ":", "half-tables"),
    "score-packed": ("#0072B2", "s", ":", "packed scores"),
    "select-keys": ("#CC79A7", "D", ":", "selection"),
    "sparse-attention": ("#009E73", "^", ":", "attention over the selection"),
    "build-index": ("#882255", "P", ":", "index building"),
    "read-codes": ("#56B4E9", "", "--", "reading the codes only"),
    "floor": ("#777777", "", "--", "floor of the step: its bytes at the copy's rate"),
    "dense-flash": ("#D55E00", "X", "-", "dense, FlashAttention"),
    "dense-cudnn": ("#999933", "p", "-", "dense, cuDNN"),
    "replica-eager": ("#332288", "*", "-.", "published step, re-stated"),
}

WIDTH_INCHES = 4.8
GRID_INCHES = 7.2  # the width of a figure of several panels
HEIGHT_INCHES = 4.2

LOOK = {
    "figure.figsize": (WIDTH_INCHES, HEIGHT_INCHES),
    "figure.dpi": 200,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    # The same figure gives the same bytes.
    "svg.hashsalt": "socketlab",
}


def draw_ranker(axes, ranker, x, y):
    """SOCKET's rings stay visible where another ranker's line runs on top of its own."""
    colour, marker, line, label = RANKERS[ranker]
    ring = {"markersize": 7, "markerfacecolor": "none", "zorder": 4} if ranker == "socket" else {}
    axes.plot(x, y, linestyle=line or "none", color=colour, marker=marker or None, label=label, **ring)


def band(axes, x, low, high, colour, alpha=0.18):
    """What lies between two lines, such as an interval around the points of a curve."""
    axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)


def legend(figure, panels, columns=3, place=(0.5, 0.01), loc="upper center"):
    """Below the panels: every label of any of them once."""
    handles = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    return figure.legend(handles.values(), handles, loc=loc, bbox_to_anchor=place, ncol=columns)


def note(figure, x, y, text, **more):
    """Small grey words on a figure."""
    figure.text(x, y, text, ha="center", fontsize=8, color="#555555", **more)


def empty(panels):
    """Panels of a grid that nothing is drawn in."""
    for axes in panels:
        axes.axis("off")


def thousands(axis):
    """Counts of tokens as 8K, 1024K."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value / 1024:g}K"))


def log_axis(axis, base=10, steps=(1, 2, 5)):
    """A log axis labelled with plain numbers, for base 10 at these steps of each decade."""
    set_scale = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    set_scale("log", base=base)
    axis.set_major_locator(ticker.LogLocator(base=base, subs=steps if base == 10 else (1,), numticks=9))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())
