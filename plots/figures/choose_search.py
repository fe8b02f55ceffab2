"""What do settings cost that reach a wanted error or mass? Keys read against bits read a key for scoring."""

from . import style
from .style import plt


def draw(rows):
    figure, axes = plt.subplots()
    for rule in ("socket", "socket-value"):
        colour, marker, _, label = style.RANKERS[rule]
        mine = [row for row in rows if row["ranker"] == rule]
        if mine:
            axes.plot(
                [row["bits_per_key"] for row in mine],
                [row["budget"] for row in mine],
                marker,
                color=colour,
                markersize=3,
                alpha=0.35,
                label=label,
            )
    frontier = sorted((row["bits_per_key"], row["budget"]) for row in rows if row["on_frontier"])
    axes.step(*zip(*frontier, strict=True), where="post", color="#000000", linewidth=1, label="frontier")
    best = min(rows, key=lambda row: row["bits_read_per_key"])
    text = f"least read: P={best['planes']:g}, L={best['tables']:g}, tau={best['temperature']:g}"
    axes.plot([best["bits_per_key"]], [best["budget"]], "*", color="#000000", markersize=10, label=text)
    style.log_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    axes.set_xlabel("bits a key read for scoring")
    axes.set_ylabel("keys read beside sink and window")
    figure.tight_layout()
    figure.legend(*axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=2)
    return figure
