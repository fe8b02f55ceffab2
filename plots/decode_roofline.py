"""What bounds each kernel: bytes or arithmetic? Rate of arithmetic against operations to a byte, under the measured ceilings.

Usage: decode_roofline.py RECORDS OUT   (reads decode_h200.csv and index_h200.csv in RECORDS; writes decode_roofline)

Operations are the fp32 additions and multiplications of the formula, 2 to a multiply-add: look-ups, shifts and comparisons
count nothing, so that selection has no point and packed scores stand low although their instruction slots are full.
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import where
from matplotlib import ticker
from results import given_folders, read_csv
from script import run
from style import plt

DIM = 128  # of gpu-bench
KEYS = 145408
# 132 multiprocessors, 128 fp32 lanes, 2 operations, 1.98 GHz: an H200 at the clock of the record.
FP32_TFLOPS = 132 * 128 * 2 * 1.98e-3


def operations(row):
    """Of one launch, by stage."""
    heads = row["batch"] * row["heads"]
    bits = row["tables"] * row["planes"]
    selected = row["budget"] + row["sink"] + row["window"]
    stages = {
        "build-index": 2 * row["batch"] * row["kv_heads"] * row["keys"] * (bits + 1) * DIM,  # 1: the value norm
        "half-tables": 2 * heads * bits * DIM,
        "score-packed": 2 * heads * row["keys"] * row["tables"],
        "sparse-attention": 4 * heads * selected * DIM,
    }
    stages["decode-step"] = stages["half-tables"] + stages["score-packed"] + stages["sparse-attention"]
    return stages.get(row["stage"])


def roofline(decode, index):
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 3.6))
    rows = where(decode, keys=KEYS, batch=1, tables=60, planes=10, budget=KEYS // 33)
    (copy,) = where(rows, stage="device-copy")[:1]
    bandwidth = copy["floor_bytes"] / copy["median_us"] / 1e6  # TB/s
    tensor = next(row["tflops"] for row in index if row["operation"] == "matmul-square")
    low, high = 0.05, 1000
    for ceiling, label in ((tensor, "bf16 matrix product, measured"), (FP32_TFLOPS, "fp32, from the clock")):
        axes.plot([low, ceiling / bandwidth, high], [low * bandwidth, ceiling, ceiling], color="black", linewidth=0.9)
        axes.annotate(f"{label}: {ceiling:.0f} TFLOP/s", (low * 1.2, ceiling * 1.08), fontsize=7)
    axes.annotate(f"device copy: {bandwidth:.2f} TB/s", (0.09, 0.13 * bandwidth), fontsize=7, rotation=38)
    for row in rows:
        count = operations(row)
        if count is None:
            continue
        colour, marker, _, label = style.DECODE[row["stage"]]
        shared = row["kv_heads"] != row["heads"]
        axes.plot(
            count / row["floor_bytes"], count / row["median_us"] / 1e6, marker=marker, linestyle="none", color=colour,
            markerfacecolor="none" if shared else colour, label=f"{label}, {row['kv_heads']:.0f} KV heads",
        )  # fmt: skip
    for axis in (axes.xaxis, axes.yaxis):
        style.log_axis(axis)
        axis.set_major_locator(ticker.LogLocator())
    axes.set_xlim(low, high)
    axes.set_ylim(0.03, 2000)
    axes.set_xlabel("fp32 operations to a byte that must move")
    axes.set_ylabel("TFLOP/s")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncol=2, fontsize=7)
    return figure


def main(records, out):
    rows = (read_csv(Path(records) / f"{name}_h200.csv") for name in ("decode", "index"))
    style.draw_all([(Path(out) / "decode_roofline", roofline, *rows)])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["decode_h200.csv", "index_h200.csv"], 2))
