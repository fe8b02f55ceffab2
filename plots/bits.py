"""How well does each rule rank at so many bits a key, and how far is it from what so many bits allow?

Usage: bits.py RECORDS OUT   (reads bits.csv in RECORDS, docs/records for one; writes correlation_by_bits, PNG and SVG, into
OUT)
"""

import math
from pathlib import Path

import style  # first: it finds matplotlib
from results import given_folders, read_csv
from script import run
from style import plt

NAME = "correlation_by_bits"
RULES = {
    "product quantisation, measured": ("pqcache", "product quantisation, measured"),
    "signed projection, orthogonal": ("signed-orthogonal-norm", "signed, orthogonal, × ‖k‖"),
    "RaBitQ, measured": ("rabitq", "RaBitQ, measured"),
    "signed projection, independent": ("qjl", "signed, independent, × ‖k‖ (QJL)"),
    "SOCKET, best P and tau": ("socket", "SOCKET, best P and τ"),
    "equal bits": ("hamming", "equal bits (Hamming)"),
}
TABLE_6 = ", Table 6"


def limit_of(dim, bits):
    return math.sqrt(1 - 2 ** (-2 * bits / dim))


def draw_panel(axes, rows, dim):
    rows = sorted((row for row in rows if row["dim"] == dim), key=lambda row: row["bits"])
    grid = [2 ** (5 + step / 20) for step in range(101)]
    axes.plot(grid, [limit_of(dim, bits) for bits in grid], color="black", label="limit of any code")
    for rule, (ranker, label) in RULES.items():
        mine = [row for row in rows if row["rule"] == rule]
        colour, marker, line, _ = style.RANKERS[ranker]
        x, y = [row["bits"] for row in mine], [row["correlation"] for row in mine]
        axes.plot(x, y, linestyle=line, color=colour, marker=marker, label=label)
    used = [row for row in rows if row["rule"].endswith(TABLE_6)]
    axes.plot(
        [row["bits"] for row in used],
        [row["correlation"] for row in used],
        linestyle="none",
        color="#D55E00",
        marker="x",
        label="SOCKET at Table 6",
    )
    style.log_axis(axes.xaxis, base=2)
    axes.set_xlabel("bits a key")
    axes.set_ylim(0, 1.02)
    axes.set_title(f"$d$ = {dim:g}", loc="left")


def draw(rows):
    dims = sorted({row["dim"] for row in rows})
    figure, panels = plt.subplots(1, len(dims), figsize=(style.GRID_INCHES, 3.4), sharey=True, squeeze=False)
    for axes, dim in zip(panels[0], dims, strict=True):
        draw_panel(axes, rows, dim)
    panels[0, 0].set_ylabel("correlation with $q\\cdot k$")
    figure.tight_layout()
    style.legend(figure, panels[0])
    return figure


def main(records, out):
    style.draw_all([(Path(out) / NAME, draw, read_csv(Path(records) / "bits.csv"))])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["bits.csv"]))
