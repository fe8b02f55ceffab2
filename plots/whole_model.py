"""How many tokens a second does a model decode with SOCKET over with dense attention? The paper's figures 4(b) and 4(c) again, with
the numbers that the authors published beside ours, for one layer as published and for all 32.

Usage: whole_model.py RECORDS OUT   (reads whole_model_h200.csv and published_throughput.csv in RECORDS; writes whole_model_speedup
and whole_model_throughput, PNG and SVG, into OUT)

Over dense: of ours the fastest dense attention measured in the same run, but for PyTorch's MATH; of theirs what they compare with.
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.sweeps import where
from results import given_folders, read_csv
from script import run
from style import plt

SHAPES = {"llama-2-7b": ("#0072B2", "Llama-2-7B"), "llama-3.1-8b": ("#D55E00", "Llama-3.1-8B")}
ARMS = {
    "socket": (":", "s", "SOCKET, 600 bits, a list to each query head"),
    "signed-320-one": ("-", "o", "signed, 320 bits, a list to each KV head"),
    "policy": ("--", "", "the same, dense where it is short"),
}
PUBLISHED = {
    ("paper", "A100", "FlashAttention"): ("#777777", "^", "figure 4(b): Llama-2-7B, A100"),
    ("paper", "H200", "FlashAttention"): ("#000000", "v", "figure 4(c): Llama-2-7B, H200"),
    ("later", "H200", "FlashAttention-2"): ("#CC79A7", "<", "later table: Llama-3.1-8B, over FlashAttention-2"),
    ("later", "H200", "FlashAttention-3"): ("#882255", ">", "later table: Llama-3.1-8B, over FlashAttention-3"),
}


def of(rows, **wanted):
    """Rows with these cells, in order of length."""
    return sorted(where(rows, **wanted), key=lambda row: row["keys" if "keys" in row else "tokens"])


def fastest_dense(rows):
    dense = [row for row in rows if row["arm"].startswith("dense-") and row["arm"] != "dense-math"]
    return min(dense, key=lambda row: row["ms_a_token"], default=None)


def speedups(rows, arm, **setting):
    """(tokens, times dense, least, most): medians, and the extremes of both. `step` appends."""
    for row in of(rows, arm=arm, append="step", **setting):
        dense = fastest_dense(of(rows, keys=row["keys"], **setting))
        if dense is not None:
            ends = dense["fastest_ms"] / row["slowest_ms"], dense["slowest_ms"] / row["fastest_ms"]
            yield row["keys"], dense["ms_a_token"] / row["ms_a_token"], *ends


def draw_speedups(axes, rows, layers):
    for shape, (colour, name) in SHAPES.items():
        for arm, (dashes, marker, label) in ARMS.items():
            drawn = list(zip(*speedups(rows, arm, shape=shape, layers=layers, batch=1), strict=True))
            if drawn:
                style.band(axes, drawn[0], drawn[2], drawn[3], colour)
                axes.plot(*drawn[:2], dashes, color=colour, marker=marker, markersize=4, label=f"{name}: {label}")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlabel("tokens in the cache")
    style.log_axis(axes.xaxis, base=2)
    style.thousands(axes.xaxis)


def speedup(rows, published):
    figure, (one, all_) = plt.subplots(1, 2, figsize=(style.GRID_INCHES, 3.4), sharey=True)
    for (release, device, against), (colour, marker, label) in PUBLISHED.items():
        theirs = of(published, release=release, device=device, against=against)
        x, y = [row["tokens"] for row in theirs], [row["times_dense"] for row in theirs]
        one.plot(x, y, ":", color=colour, marker=marker, markersize=4, label=label)
    draw_speedups(one, rows, 1)
    draw_speedups(all_, rows, 32)
    one.set_title("one layer, as published", loc="left")
    all_.set_title("whole model, 32 layers", loc="left")
    one.set_ylabel("tokens a second over dense attention")
    one.set_ylim(bottom=0)
    figure.tight_layout()
    style.legend(figure, [one, all_], columns=2)
    return figure


def throughput(rows, published):
    """Of one layer of Llama-3.1-8B on an H200, where the later release gives tokens a second."""
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 3.4))
    setting = {"shape": "llama-3.1-8b", "layers": 1, "batch": 1}
    colour = SHAPES[setting["shape"]][0]
    for arm, (dashes, marker, label) in ARMS.items():
        ours = of(rows, arm=arm, append="step", **setting)
        x, y = [row["keys"] for row in ours], [row["tokens_a_second"] for row in ours]
        axes.plot(x, y, dashes, color=colour, marker=marker, markersize=4, label=label)
    lengths = sorted({row["keys"] for row in of(rows, **setting)})
    dense = [row for keys in lengths if (row := fastest_dense(of(rows, keys=keys, **setting))) is not None]
    x, y = [row["keys"] for row in dense], [row["tokens_a_second"] for row in dense]
    axes.plot(x, y, color="black", label="dense, PyTorch's fastest")
    for against, marker in (("FlashAttention-2", "<"), ("FlashAttention-3", ">")):
        theirs = of(published, release="later", against=against)
        x, y = [row["tokens"] for row in theirs], [row["dense_tokens_a_second"] for row in theirs]
        axes.plot(x, y, ":", color="#777777", marker=marker, markersize=4, label=f"theirs: {against}")
    axes.plot(
        x, [row["socket_tokens_a_second"] for row in theirs], ":", color="#882255", marker="v", label="theirs: SOCKET"
    )
    axes.set_xlabel("tokens in the cache")
    axes.set_ylabel("tokens a second")
    axes.set_ylim(bottom=0)
    style.log_axis(axes.xaxis, base=2)
    style.thousands(axes.xaxis)
    style.legend(figure, [axes], columns=2, place=(0.5, -0.02))
    return figure


def main(records, out):
    tables = [read_csv(Path(records) / f"{name}.csv") for name in ("whole_model_h200", "published_throughput")]
    made = {"whole_model_speedup": speedup, "whole_model_throughput": throughput}
    style.draw_all([(Path(out) / name, figure, *tables) for name, figure in made.items()])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["whole_model_h200.csv", "published_throughput.csv"], 2))
