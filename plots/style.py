"""How does every figure look? One column wide, legible when printed, readable by the colour-blind."""

import matplotlib

matplotlib.use("Agg")  # files only, no display

# Okabe and Ito's palette: distinct under the common colour-vision deficiencies.
COLOURS = {
    "sampling": "#0072B2",
    "finite-tables": "#D55E00",
    "bias": "#009E73",
    "total": "#000000",
    "bound": "#CC79A7",
}
MARKERS = {"sampling": "s", "finite-tables": "o", "bias": "^", "total": "D"}
VACUOUS = "#E6E6E6"

WIDTH_INCHES = 4.8
HEIGHT_INCHES = 4.2

matplotlib.rcParams.update({
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
})


def save(figure, stem):
    """Writes stem.png and stem.svg."""
    figure.savefig(f"{stem}.svg", metadata={"Date": None}, bbox_inches="tight")
    figure.savefig(f"{stem}.png", metadata={"Software": None}, bbox_inches="tight")
