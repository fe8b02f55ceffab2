"""How long does a decode step take against the number of tokens, and how many times less than dense attention?

Usage: decode_speed.py RECORDS OUT   (reads decode_h200.csv, dense_h200.csv and published_h200.csv in RECORDS; writes decode_time and
decode_speedup, PNG and SVG, into OUT)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import where
from results import given_folders, read_csv
from script import run
from style import plt

PUBLISHED = {"batch": 1, "heads": 32, "tables": 60, "planes": 10}
STAGES = ["half-tables", "score-packed", "select-keys", "sparse-attention", "decode-step", "read-codes"]
BACKENDS = ["dense-flash", "dense-cudnn"]


def of_setting(rows, kv_heads):
    """The published setting at 33x sparsity, in order of length."""
    rows = where(rows, **PUBLISHED, kv_heads=kv_heads)
    return sorted((row for row in rows if row["budget"] == row["keys"] // 33), key=lambda row: row["keys"])


def line(axes, rows, name, quantity="median_us"):
    colour, marker, dashes, label = style.DECODE[name]
    x = [row["keys"] for row in rows]
    if quantity == "median_us":
        style.band(axes, x, [row["fastest_us"] for row in rows], [row["slowest_us"] for row in rows], colour)
    axes.plot(x, [row[quantity] for row in rows], dashes, color=colour, marker=marker or None, label=label)


def times(decode, dense, published):
    figure, grid = plt.subplots(1, 2, figsize=(style.GRID_INCHES, 3.4), sharex=True, sharey=True)
    for axes, kv_heads in zip(grid, (32, 8), strict=True):
        rows = of_setting(decode, kv_heads)
        for stage in STAGES:
            line(axes, where(rows, stage=stage), stage)
        line(axes, where(rows, stage="decode-step"), "floor", "floor_us")
        for name, others in (*((backend, dense) for backend in BACKENDS), ("replica-eager", published)):
            key = "stage" if others is published else "backend"
            line(axes, where(others, kv_heads=kv_heads, **{key: name}), name)
        axes.set_title(f"32 query heads on {kv_heads} KV heads", loc="left")
        axes.set_xlabel("tokens in the cache")
        style.log_axis(axes.yaxis)
        style.log_axis(axes.xaxis, base=2)
        style.thousands(axes.xaxis)
    grid[0].set_ylabel("time of one launch (µs)")
    figure.tight_layout()
    style.legend(figure, [grid[0]])
    return figure


def speedup(decode, dense):
    """The faster dense backend over the whole step, medians; the band from the extremes of both."""
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 3.2))
    for kv_heads, colour, marker in ((32, "#0072B2", "o"), (8, "#D55E00", "s")):
        x, y, low, high = [], [], [], []
        for row in where(of_setting(decode, kv_heads), stage="decode-step"):
            rivals = [one for one in where(dense, kv_heads=kv_heads, keys=row["keys"]) if one["backend"] in BACKENDS]
            if not rivals:
                continue
            rival = min(rivals, key=lambda other: other["median_us"])
            x.append(row["keys"])
            y.append(rival["median_us"] / row["median_us"])
            low.append(rival["fastest_us"] / row["slowest_us"])
            high.append(rival["slowest_us"] / row["fastest_us"])
        style.band(axes, x, low, high, colour)
        axes.plot(x, y, color=colour, marker=marker, label=f"32 query heads on {kv_heads} KV heads")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("tokens in the cache")
    axes.set_ylabel("faster dense attention / decode step")
    style.log_axis(axes.xaxis, base=2)
    style.thousands(axes.xaxis)
    axes.legend(loc="upper left")
    return figure


def main(records, out):
    names = ("decode", "dense", "published")
    decode, dense, published = (read_csv(Path(records) / f"{name}_h200.csv") for name in names)
    dense = [row for row in dense if row["batch"] == 1]
    drawn = {"decode_time": (times, decode, dense, published), "decode_speedup": (speedup, decode, dense)}
    style.draw_all([(Path(out) / name, *job) for name, job in drawn.items()])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["decode_h200.csv", "dense_h200.csv", "published_h200.csv"], 2))
