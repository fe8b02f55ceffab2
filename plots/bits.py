"""How well does each rule rank at so many bits a key, and how far is it from what so many bits allow?

Usage: bits.py RECORDS OUT   (reads bits.csv in RECORDS, docs/records for one; writes correlation_by_bits, PNG and SVG, into
OUT)

Above the correlation with q.k, below the recall of the top tenth: measured where the record has it, else that of a score that
is jointly normal with q.k and has the correlation. The black line is the limit of any code, the dashed one what a normal score at the limit above recalls.
"""

import math
from pathlib import Path
from statistics import NormalDist

import style  # first: it finds matplotlib
from figures.sweeps import where
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


def normal_recall(correlation):
    """Of the top tenth by as many highest scores: both sides above their cut, over a tenth. By the midpoint rule."""
    law, steps = NormalDist(), 2000
    cut, rest = law.inv_cdf(0.9), math.sqrt(max(1e-12, 1 - correlation**2))
    listed = 0
    for step in range(steps):  # equal shares of the listed tenth
        score = law.inv_cdf(0.9 + 0.1 * (step + 0.5) / steps)
        listed += 1 - law.cdf((cut - correlation * score) / rest)
    return listed / steps


def recall_limit(dim, bits):
    """The recall of a tenth at which being a top key and being listed share bits/dim bits of information."""

    def information(recall):
        cells = (0.1 * recall, 0.01), (0.1 * (1 - recall), 0.09), (0.1 * (1 - recall), 0.09), (0.8 + 0.1 * recall, 0.81)
        return sum(joint * math.log2(joint / product) for joint, product in cells if joint > 0)

    if information(1) <= bits / dim:
        return 1
    low, high = 0.1, 1
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if information(middle) <= bits / dim else (low, middle)
    return high


def recall_of(row):
    return normal_recall(row["correlation"]) if math.isnan(row["recall"]) else row["recall"]


def draw_panel(axes, rows, dim, value, limit):
    rows = sorted(where(rows, dim=dim), key=lambda row: row["bits"])
    grid = [2 ** (5 + step / 20) for step in range(101)]
    axes.plot(grid, [limit(dim, bits) for bits in grid], color="black", label="limit of any code")
    curves = [(where(rows, rule=rule), *style.RANKERS[ranker][:3], label) for rule, (ranker, label) in RULES.items()]
    used = [row for row in rows if row["rule"].endswith(TABLE_6)]
    for mine, colour, marker, line, label in (*curves, (used, "#D55E00", "x", "none", "SOCKET at Table 6")):
        x, y = [row["bits"] for row in mine], [value(row) for row in mine]
        axes.plot(x, y, linestyle=line, color=colour, marker=marker, label=label)
    style.log_axis(axes.xaxis, base=2)
    axes.set_ylim(0, 1.02)


def draw(rows):
    dims = sorted({row["dim"] for row in rows})
    size = (style.GRID_INCHES, 6)
    figure, panels = plt.subplots(2, len(dims), figsize=size, sharex=True, sharey=True, squeeze=False)
    for above, below, dim in zip(*panels, dims, strict=True):
        draw_panel(above, rows, dim, lambda row: row["correlation"], limit_of)
        draw_panel(below, rows, dim, recall_of, recall_limit)
        of_normal = [(bits, normal_recall(limit_of(dim, bits))) for bits in (2 ** (5 + step / 5) for step in range(26))]
        below.plot(
            *zip(*of_normal, strict=True), color="black", linestyle="--", label="normal score at the limit above"
        )
        above.set_title(f"$d$ = {dim:g}", loc="left")
        below.set_xlabel("bits a key")
    panels[0, 0].set_ylabel("correlation with $q\\cdot k$")
    panels[1, 0].set_ylabel("recall of the top tenth")
    figure.tight_layout()
    style.legend(figure, panels[1])
    return figure


def main(records, out):
    style.draw_all([(Path(out) / NAME, draw, read_csv(Path(records) / "bits.csv"))])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["bits.csv"], 2))
