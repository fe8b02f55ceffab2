"""What does sparse attention cost a pretrained model: loss by sparsity and by bits, and the heads where the value norm hurts?

Usage: models.py FOLDER   (reads common.csv, head_means.csv and head_kinds.csv of socketlab.models compare, and prediction.csv
of docs/records/models_prediction.py, and the tables residual_*.csv of socketlab.models residual, writes PNG and SVG there)
"""

import style  # first: it finds matplotlib
from figures.sweeps import where
from results import given_folders, read_csv
from script import run
from style import plt

# Rankers of the curves: colour, marker, line, label.
LOOKS = {
    **{
        name: (*style.RANKERS[name][:3], label)
        for name, label in (
            ("socket", "SOCKET"), ("socket-value", "SOCKET × |v|"), ("hamming", "Hamming count"), ("quest", "Quest, pages of 16"), ("oracle-top-k", "exact q·k"),
            ("cosine-oracle", "exact cosine"),
        )
    },
    "socket-unscaled": ("#D55E00", "s", "-", "SOCKET without $1/\\sqrt{d}$"),
    "group-signed-320": ("#C1121F", "<", "--", "one list for a KV head, 320 bits"),
    "group-signed-160": ("#882255", "D", "--", "one list for a KV head, 160 bits"),
}  # fmt: skip
BITS = {
    "signed-": ("#C1121F", "<", "--", "signed projections"),
    "signed-norm-": ("#CC79A7", "d", "--", "signed projections × |k|"),
    "group-signed-": ("#882255", "D", "-", "one list for a KV head"),
}
SOCKET_BITS = 600
LINEAR = 0.02  # loss below which the axis is linear, since some losses are near 0 or below
ADDED = "added relative output error"  # an error of 1 is as large as the output
# Whose intervals are drawn: those of the others are as wide as SOCKET's, or wider, and would lie over each other.
BANDS = ("socket", "socket-value")


def text_rows(rows):
    return where(rows, kind="text", dense_layers=0)


def draw_sparsities(axes, rows):
    """Loss over dense of one length against keys to one that is selected, with the intervals of two rankers."""
    for ranker, (colour, marker, line, label) in LOOKS.items():
        points = sorted(where(rows, ranker=ranker), key=lambda row: row["sparsity"])
        points = [row for row in points if row["sparsity"]]
        x = [row["sparsity"] for row in points]
        if ranker in BANDS:
            style.band(axes, x, [row["low"] for row in points], [row["high"] for row in points], colour, 0.2)
        axes.plot(x, [row["excess"] for row in points], line, color=colour, marker=marker or None, label=label)
    style.log_axis(axes.xaxis)
    axes.set_xticks(sorted({row["sparsity"] for row in rows if row["ranker"] in LOOKS and row["sparsity"]}))
    axes.set_xticks([], minor=True)
    axes.set_yscale("symlog", linthresh=LINEAR)
    axes.set_yticks([0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("sparsity: one key in ..")
    axes.set_title(f"{rows[0]['length']:,.0f} tokens", loc="left")


def figure_loss(rows):
    lengths = sorted({row["length"] for row in text_rows(rows)})
    figure, grid = plt.subplots(1, len(lengths), figsize=(style.GRID_INCHES, 3.6), squeeze=False, sharey=True)
    for axes, length in zip(grid.flat, lengths, strict=True):
        draw_sparsities(axes, where(text_rows(rows), length=length))
    grid[0, 0].set_ylabel(f"loss over dense (nats a token)\nlinear below {LINEAR:g}, logarithmic above")
    figure.tight_layout()
    style.legend(figure, grid.flat)
    return figure


def figure_bits(rows):
    """Against the bits of a key at the first length and the sparsity at which all are; lines across for what has no bits."""
    length = min(row["length"] for row in text_rows(rows))
    sparsity = next(row["sparsity"] for row in text_rows(rows) if row["ranker"].startswith("signed-"))
    found = {row["ranker"]: row for row in where(text_rows(rows), length=length, sparsity=sparsity)}
    figure, axes = plt.subplots(figsize=(style.WIDTH_INCHES, 3.6))
    for head, (colour, marker, line, label) in BITS.items():
        bits_of = {name: name.removeprefix(head) for name in found}
        points = sorted((int(bits), name) for name, bits in bits_of.items() if bits.isdecimal())
        x = [bits for bits, _ in points]
        low, mean, high = ([found[name][column] for _, name in points] for column in ("low", "excess", "high"))
        if head == "group-signed-":
            style.band(axes, x, low, high, colour, 0.12)
        axes.plot(x, mean, line, color=colour, marker=marker, label=label)
    for name in ("socket", "hamming"):
        colour, marker, _, label = LOOKS[name]
        axes.plot([SOCKET_BITS], [found[name]["excess"]], color=colour, marker=marker, linestyle="none", label=label)
    for name in ("oracle-top-k", "cosine-oracle"):
        axes.axhline(found[name]["excess"], color="black", linestyle=LOOKS[name][2], label=LOOKS[name][3])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("bits of a key")
    axes.set_ylabel("loss over dense (nats a token)")
    axes.set_title(f"{length:,.0f} tokens, {sparsity:g}x", loc="left")
    figure.tight_layout()
    style.legend(figure, [axes], 2)
    return figure


def place_of(row):
    return int(row["layer"]), int(row["head"])


def by_head(rows, ranker, length):
    return {place_of(row): row for row in where(rows, ranker=ranker, length=length)}


def figure_value_norm(means, kinds):
    """By layer and head: how much more error SOCKET's output has with the value norm, and against what that goes."""
    length = min(row["length"] for row in means)
    plain, value = (by_head(means, ranker, length) for ranker in ("socket", "socket-value"))
    about = {place_of(row): row for row in where(kinds, length=length)}
    more = {place: value[place]["error"] - plain[place]["error"] for place in plain}
    layers, heads = (max(place[i] for place in more) + 1 for i in (0, 1))
    figure, grid = plt.subplots(1, 3, figsize=(style.GRID_INCHES, 3.4), width_ratios=(1.2, 1, 1))
    table = [[more.get((layer, head), float("nan")) for head in range(heads)] for layer in range(layers)]
    image = grid[0].imshow(table, aspect="auto", cmap="Reds", vmin=0)
    figure.colorbar(image, ax=grid[0], label=ADDED)
    grid[0].set(xlabel="head, from 0", ylabel="layer, from 0")
    grid[0].grid(False)
    for axes, name, label in (
        (grid[1], "value_norm_variation", "deviation of |v| / mean"),
        (grid[2], "first_mass", "mass of the first key"),
    ):
        axes.plot([about[place][name] for place in more], list(more.values()), ".", color=LOOKS["socket-value"][0])
        axes.set(xlabel=label, ylabel=ADDED)
    figure.tight_layout()
    return figure


PREDICTED = {name: LOOKS[name] for name in ("socket", "hamming", "socket-value")} | {
    "signed-norm-320": (*BITS["signed-norm-"][:3], "signed projections × |k|, 320 bits"),
    "hamming-centred": ("black", "x", "", "Hamming count, centred keys"),
}


def figure_prediction(rows):
    """Recall as the correlation has it, recall and output error as approximation 12 has it, against what was measured."""
    figure, grid = plt.subplots(1, 3, figsize=(style.GRID_INCHES, 3.4))
    for axes, predicted, measured, title in (
        (grid[0], "recall_gaussian", "recall", "recall, from the correlation"),
        (grid[1], "recall_predicted", "recall", "recall, approximation 12"),
        (grid[2], "error_predicted", "error", "output error, approximation 12"),
    ):
        for ranker, (colour, marker, _, label) in PREDICTED.items():
            own = where(rows, ranker=ranker)
            x, y = ([row[name] for row in own] for name in (measured, predicted))
            axes.plot(x, y, marker, color=colour, markersize=2.5, linestyle="none", alpha=0.6, label=label)
        if measured == "error":
            axes.set(xscale="log", yscale="log")
        axes.axline((0.1, 0.1), (1, 1), color="black", linewidth=0.8)
        axes.set(xlabel="measured", ylabel="predicted")
        axes.set_title(title, loc="left")
    figure.tight_layout()
    style.legend(figure, grid.flat)
    return figure


# Limits of the residual weight: codes, limit, colour, marker, line, label.
LIMITS = (
    ("plain", "row", "#D55E00", "s", ":", "proved, one slack"),
    ("plain", "ceilings", "#E69F00", "v", "--", "proved, ceilings"),
    ("centred", "ceilings", "#0072B2", "o", "-", "proved, centred keys"),
    ("plain", "nominal", "#009E73", "^", "-.", "nominal"),
)


def figure_residual(rows):
    """Limits of the residual weight against the weight itself, a point for each head: medians of both."""
    figure, grid = plt.subplots(1, len(LIMITS), figsize=(style.GRID_INCHES, 2.6), sharex=True, sharey=True)
    for axes, (codes, limit, colour, marker, _, label) in zip(grid, LIMITS, strict=True):
        own = where(rows, codes=codes)
        x, y = ([row[f"{name}_median"] for row in own] for name in ("residual", limit))
        axes.plot(x, y, marker, color=colour, markersize=2.5, linestyle="none", alpha=0.6)
        axes.axline((0.1, 0.1), (1, 1), color="black", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="residual weight")
        axes.set_title(label, loc="left")
        axes.set(xlim=(1e-4, 1), ylim=(1e-4, 1))
    grid[0].set_ylabel("its limit")
    figure.tight_layout()
    return figure


def figure_rest(rules, flags):
    """Loss over dense against keys read, and how well flags tell lists that miss a needle from those that do not."""
    figure, grid = plt.subplots(1, 3, figsize=(style.GRID_INCHES, 3.2))
    bits = max(row["bits"] for row in rules)
    for rule, codes, colour, marker, label in (
        ("fixed", "plain", "black", "", "fixed budget"),
        ("corrected by 64", "plain", "#0072B2", "o", "fixed, corrected by 64 keys"),
        ("corrected by 256", "plain", "#56B4E9", "o", "fixed, corrected by 256 keys"),
        ("grown by nominal", "plain", "#009E73", "^", "grown by the nominal limit"),
        ("grown by ceilings", "centred", "#C1121F", "<", f"grown by a proved limit, {bits:,.0f} bits, centred"),
        ("top-p", "plain", "#E69F00", "v", "top p by predicted weights"),
        ("oracle top-p", "plain", "#777777", "D", "top p by true weights"),
    ):
        own = where(rules, rule=rule, codes=codes, lists="head")
        own = sorted((row["read"], row["excess"]) for row in own if rule != "grown by ceilings" or row["bits"] == bits)
        x, y = ([point[i] for point in own] for i in (0, 1))
        grid[0].plot(x, y, marker=marker or None, markersize=3, color=colour, label=label)
    grid[0].axhline(0, color="black", linewidth=0.5)
    style.log_axis(grid[0].xaxis)
    grid[0].set(xlabel="keys read", ylabel="loss over dense (nats a token)")
    for axes, case, title in (
        (grid[1], "head at a row", "a head at a row"),
        (grid[2], "barred, some head above its median", "a window, by its head that\nis most above its median"),
    ):
        for codes, limit, colour, _, line, label in (
            ("plain", "residual", "black", "", "-", "residual weight itself"),
            *LIMITS,
        ):
            own = sorted(where(flags, case=case, codes=codes, limit=limit), key=lambda row: float(row["name"]))
            x, y = ([1, *(row[name] for row in own), 0] for name in ("flagged", "hits"))
            axes.plot(x, y, line, color=colour, label=label, drawstyle="default")
        axes.axline((0, 0), (1, 1), color="black", linewidth=0.5)
        axes.set(xlabel="flagged where it is not", ylabel="flagged where a needle is missed")
        axes.set_title(title, loc="left")
    figure.tight_layout()
    style.legend(figure, grid.flat)
    return figure


def figures(folder):
    """Jobs of style.draw_all."""
    rows = read_csv(folder / "common.csv")
    jobs = [(folder / "models_loss", figure_loss, rows)]
    if any(row["ranker"].startswith("group-signed-") and row["ranker"] != "group-signed-320" for row in rows):
        jobs.append((folder / "models_bits", figure_bits, rows))
    heads = [folder / f"{name}.csv" for name in ("head_means", "head_kinds")]
    if all(path.is_file() for path in heads):
        jobs.append((folder / "models_value_norm", figure_value_norm, *map(read_csv, heads)))
    if (folder / "prediction.csv").is_file():
        jobs.append((folder / "models_prediction", figure_prediction, read_csv(folder / "prediction.csv")))
    tables = {name: folder / f"residual_{name}.csv" for name in ("heads", "rules", "flags")}
    if all(path.is_file() for path in tables.values()):
        jobs.append((folder / "models_residual", figure_residual, read_csv(tables["heads"])))
        jobs.append((folder / "models_rest", figure_rest, *(read_csv(tables[name]) for name in ("rules", "flags"))))
    return jobs


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["common.csv"]))
