"""Did the training of the small language model go down, and when did it learn to retrieve? Nats a token of text over
time and the share of right answers of each retrieval task, at the window of each stage.

Usage: training_curve.py TRAINING OUT   (reads training.csv and validation.csv of `learned_attention.train` in TRAINING;
writes training_curve, PNG and SVG, into OUT)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from results import given_folders, read_csv
from script import run
from style import plt

NAME = "training_curve"
TASKS = {
    "needle": ("#0072B2", "o", "one needle"),
    "multi_key": ("#D55E00", "s", "one of 16 keys"),
    "multi_value": ("#009E73", "^", "four values of a key"),
    "variable_tracking": ("#CC79A7", "D", "variable tracking"),
    "common_word": ("#E69F00", "v", "most common word"),
    "key_value_recall": ("#332288", "P", "key-value table"),
}


def windows(rows):
    """(seconds, window) at which each stage is first seen, in order."""
    found = []
    for row in rows:
        if not found or found[-1][1] != row["window"]:
            found.append((row["seconds"], row["window"]))
    return found


def draw(training, validation):
    figure, (losses, shares) = plt.subplots(2, 1, figsize=(style.WIDTH_INCHES, 5.2), sharex=True)

    def line(axes, rows, column, **look):
        axes.plot([row["seconds"] for row in rows], [row[column] for row in rows], **look)

    held_out = [row for row in validation if row["quantity"] == "text_loss"]
    line(losses, training, "text_loss", color="#999999", linewidth=0.8, label="text, training")
    line(losses, held_out, "value", color="black", marker="o", label="text, validation")
    line(losses, training, "answer_loss", color="#0072B2", linewidth=0.8, label="answers, training")
    losses.set_ylabel("nats a token")
    losses.set_ylim(bottom=0)
    losses.legend(loc="upper right")
    for task, (colour, marker, label) in TASKS.items():
        rows = [row for row in validation if row["quantity"] == task]
        if rows:
            line(shares, rows, "value", color=colour, marker=marker, label=label)
    for axes in (losses, shares):
        for seconds, _ in windows(training)[1:]:
            axes.axvline(seconds, color="#CCCCCC", linewidth=0.8, zorder=0)
    for seconds, window in windows(training):
        shares.annotate(f"{window:,.0f}", (seconds, 1.04), fontsize="x-small", color="#666666")
    shares.set_ylim(-0.02, 1.12)
    shares.set_ylabel("right answers, validation")
    shares.set_xlabel("seconds of training (grey: window of each stage, in tokens)")
    figure.tight_layout()
    style.legend(figure, [shares])
    return figure


def main(training, out):
    rows = (read_csv(Path(training) / f"{name}.csv") for name in ("training", "validation"))
    style.draw_all([(Path(out) / NAME, draw, *rows)])


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["training.csv"]))
