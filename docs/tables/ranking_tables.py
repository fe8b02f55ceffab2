"""The tables of the rankings, from docs/records; and those records, cut out of runs.

Usage: ranking_tables.py RUN_FOLDER..   cuts the results of `socketlab rank` down to docs/records/*.csv

A record has four digits of every number. Several runs of `--part rankers` that differ in the temperature make one record
with a column for it.
"""

import csv
import json
import re
import sys
from functools import partial
from pathlib import Path

from records import ROOT, markdown, one, read, where

sys.path.insert(0, str(ROOT / "plots"))
import ranking_leads  # noqa: E402
import style  # noqa: E402
from ranking_curves import METRIC_LABELS  # noqa: E402

FIGURE_2 = [
    "setting", "ranker", "k", "metric", "value", "value_lo", "value_hi", "worst_tie_order", "best_tie_order",
    "socket_lead", "socket_lead_lo", "socket_lead_hi", "lead_error", "instances",
]  # fmt: skip
HASHED = ("socket", "socket-value")  # of the rankers the ones that a temperature changes
FAMILY_COLUMNS = ["gaussian", "needles", "clustered", "anisotropic", "rotary-low-rank", "attention-sink"]
QUERY_NORMS = {"gaussian-unit-query": "1", "gaussian": "√d", "gaussian-large-query": "4√d"}
SCORES = {"soft": "SOCKET", "soft-times-norm": "SOCKET × value norm", "hard": "hard LSH"}


# Records


def cut(text):
    """Four digits of a number; a whole number and anything else as it is."""
    try:
        return text if re.fullmatch(r"-?\d+", text) else f"{float(text):.4g}"
    except ValueError:
        return text


def raw_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_record(path, rows, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([cut(row[column]) for column in columns] for row in rows)


def temperature_of(folder):
    """The --temperature of the command that made the folder."""
    command = json.loads((Path(folder) / "provenance.json").read_text(encoding="utf-8"))["command"]
    return re.search(r"--temperature[ =](\S+)", command).group(1)


def ranker_rows(folders):
    rows = []
    for folder in sorted(folders, key=temperature_of):
        of_run = raw_rows(Path(folder) / "rankers.csv")
        rows += [{"temperature": temperature_of(folder)} | row for row in of_run]
    return rows


def write_records(folders, target):
    rankers = [folder for folder in folders if (Path(folder) / "rankers.csv").exists()]
    if rankers:
        rows = ranker_rows(rankers)
        columns = list(rows[0])
        published = [row for row in rows if row["size"] == "published"]
        sized = [row for row in rows if row["size"] != "published" and float(row["density"]) == 0.1]
        write_record(target / "rankers_published_sizes.csv", published, columns)
        write_record(target / "rankers_by_memory.csv", sized, columns)
    for folder in map(Path, folders):
        if (folder / "ranking_curves.csv").exists():
            rows = [row for row in raw_rows(folder / "ranking_curves.csv") if row["truth"] == "dot-product"]
            write_record(target / "figure2.csv", rows, FIGURE_2)
        for name in ("ranking_temperatures.csv", "ranking_prediction.csv"):
            if (folder / name).exists():
                rows = raw_rows(folder / name)
                write_record(target / name, rows, list(rows[0]))


# Tables


def label(row):
    name = style.RANKERS[row["ranker"]][3]
    return f"{name}, tau = {row['temperature']:g}" if row["ranker"] in HASHED else name


def own_rows(rows):
    """Every ranker once: those that no temperature changes from the first run."""
    first = min(row["temperature"] for row in rows)
    return [row for row in rows if row["ranker"] in HASHED or row["temperature"] == first]


def half_width(row, name):
    return f"{row[name]:.3f} ± {(row[f'{name}_hi'] - row[f'{name}_lo']) / 2:.3f}"


def projection_table(published, sized):
    """Recall at a tenth of the keys, SOCKET at every temperature beside what else reads sign bits."""
    columns = [(row["temperature"], "socket", "published") for row in where(published, ranker="socket", density=0.1)]
    columns = sorted(set(columns))
    first = columns[0][0]
    columns += [
        (first, "hamming", "published"), (first, "qjl", "published"), (first, "signed-orthogonal-norm", "published"),
        (first, "signed-orthogonal-norm", "256"), (first, "signed-orthogonal-norm", "600"),
        (first, "pqcache", "published"), (first, "cosine-oracle", "published"),
    ]  # fmt: skip
    rows = where(published + sized, density=0.1)

    def head(temperature, ranker, size):
        row = one(rows, family="gaussian", temperature=temperature, ranker=ranker, size=size)
        return f"{label(row)}, {row['bits_per_token']:.0f} bits"

    lines = [
        [family]
        + [half_width(one(rows, family=family, temperature=t, ranker=r, size=s), "recall") for t, r, s in columns]
        for family in dict.fromkeys(row["family"] for row in rows)
    ]
    return markdown(["family", *(head(*column) for column in columns)], lines)


def correlation_table(published, sized):
    """Of Gaussian keys at a tenth of them: exact correlation, recall that the law of the scores predicts, measured."""
    rows = where(published + sized, density=0.1)
    shown = []
    for family, norm in QUERY_NORMS.items():
        for row in where(rows, family=family, ranker="socket", size="published"):
            shown.append((f"{label(row)}, abs(q) = {norm}", row))
    first = min(row["temperature"] for row in rows)
    for ranker, size in [
        ("hamming", "published"), ("hard-lsh", "published"), ("signature-hamming", "published"), ("qjl", "published"),
        ("qjl", "600"), ("signed-orthogonal-norm", "published"), ("signed-orthogonal-norm", "256"),
        ("signed-orthogonal-norm", "600"),
    ]:  # fmt: skip
        row = one(rows, family="gaussian", temperature=first, ranker=ranker, size=size)
        shown.append((label(row), row))
    lines = [
        [
            name, f"{row['bits_per_token']:.0f}", f"{row['correlation']:.3f}", f"{row['predicted_recall']:.3f}",
            half_width(row, "recall"),
        ]
        for name, row in shown
    ]  # fmt: skip
    return markdown(["score", "bits", "correlation with q.k", "recall predicted", "measured"], lines)


def temperature_table(rows, family, count):
    """Precision of the top k by planes and k, a column to a temperature, each beside equal bits."""
    rows = where(rows, family=family)
    temperatures = sorted({row["temperature"] for row in rows})
    lines = []
    for planes in sorted({row["planes"] for row in rows}):
        for k in sorted({row["k"] for row in rows})[-count:]:
            mine = where(rows, planes=planes, k=k)
            bits = one(mine, temperature=temperatures[0], ranker="hamming")
            cells = [
                f"{one(mine, temperature=t, ranker='socket')['precision']:.3f} "
                f"({ranking_leads.word(one(mine, temperature=t, ranker='hamming'))})"
                for t in temperatures
            ]
            lines.append([f"{planes:.0f}", f"{k:.0f}", *cells, f"{bits['precision']:.3f}"])
    return markdown(["P", "k", *(f"SOCKET, tau = {t:g}" for t in temperatures), "equal bits"], lines)


def norm_table(rows, planes):
    """Correlations and precisions at the largest k on Gaussian keys, by the query's length."""
    rows = where(rows, planes=planes)
    temperatures = sorted({row["temperature"] for row in rows})
    k = max(row["k"] for row in rows)
    lines = []
    for family, norm in QUERY_NORMS.items():
        mine = where(rows, family=family, k=k)
        bits = one(mine, temperature=temperatures[0], ranker="hamming")
        for what in ("correlation", "precision"):
            cells = []
            for t in temperatures:
                word = f" ({ranking_leads.word(one(mine, temperature=t, ranker='hamming'))})"
                cells.append(f"{one(mine, temperature=t, ranker='socket')[what]:.3f}{word * (what == 'precision')}")
            lines.append([norm, what, *cells, f"{bits[what]:.3f}"])
    return markdown(["abs(q)", f"k = {k:.0f}", *(f"SOCKET, tau = {t:g}" for t in temperatures), "equal bits"], lines)


def density_table(rows, density):
    rows = own_rows(where(rows, density=density))

    def cell(family, row):
        mine = one(rows, family=family, ranker=row["ranker"], temperature=row["temperature"])
        return f"{mine['recall']:.2f} / {mine['mass']:.2f} / {mine['relative_error']:.2g}"

    lines = [
        [label(row), f"{row['bits_per_token']:.0f}", *(cell(family, row) for family in FAMILY_COLUMNS)]
        for row in where(rows, family="gaussian")
    ]
    return markdown(["ranker", "bits", *FAMILY_COLUMNS], lines)


def lead_table(rows):
    return markdown(
        ["setting", "SOCKET against", *METRIC_LABELS.values()],
        [[setting, style.RANKERS[rival][3], *cells] for setting, rival, cells in ranking_leads.counted(rows)],
    )


def difference(row):
    if row["quantity"] == "output-error":
        return f"{100 * row['difference']:+.1f} ± {100 * row['difference_deviation']:.1f}%"
    return f"{row['difference']:+.4f} ± {row['difference_deviation']:.4f}"


def figure_prediction_table(rows):
    """Precision at every k of Figure 2's settings."""
    rows = [row for row in rows if row["quantity"] == "precision" and row["setting"] != row["family"]]
    lines = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        for k in dict.fromkeys(row["k"] for row in rows):
            cells = []
            for score in ("soft", "hard"):
                row = one(rows, setting=setting, k=k, score=score)
                cells += [f"{row['predicted_value']:.3f}", f"{row['measured_value']:.3f}", difference(row)]
            lines.append([setting, f"{k:.0f}", *cells])
    columns = [
        f"{SCORES[score]} {what}" for score in ("soft", "hard") for what in ("predicted", "measured", "difference")
    ]
    return markdown(["setting", "k", *columns], lines)


def family_prediction_table(rows, quantity):
    """One quantity on every family and size; rows are settings, columns scores."""
    rows = [row for row in rows if row["quantity"] == quantity and row["setting"] == row["family"]]
    lines = []
    for key in dict.fromkeys((row["family"], row["keys"], row["planes"], row["temperature"], row["k"]) for row in rows):
        names = dict(zip(("family", "keys", "planes", "temperature", "k"), key, strict=True))
        cells = []
        for score in SCORES:
            row = one(rows, score=score, **names)
            cells.append(f"{row['predicted_value']:.4g} / {row['measured_value']:.4g} ({difference(row)})")
        lines.append([key[0], f"{key[1]:.0f}", f"{key[2]:.0f}, {key[3]:g}", f"{key[4]:.0f}", *cells])
    return markdown(["family", "N", "P, tau", "k", *SCORES.values()], lines)


def record(name):
    return read(f"docs/records/{name}.csv", text=("size",))


def of_rankers(make):
    return make(record("rankers_published_sizes"), record("rankers_by_memory"))


def of_temperatures(family):
    return temperature_table(record("ranking_temperatures"), family, 4)


def of_families(quantity):
    return family_prediction_table(record("ranking_prediction"), quantity)


def of_density(density):
    return density_table(record("rankers_published_sizes"), density)


TABLES = {
    "projection": lambda: of_rankers(projection_table),
    "correlation": lambda: of_rankers(correlation_table),
    "query norms": lambda: norm_table(record("ranking_temperatures"), 10),
    "temperatures, unit query": lambda: of_temperatures("gaussian-unit-query"),
    "temperatures": lambda: of_temperatures("gaussian"),
    "temperatures, large query": lambda: of_temperatures("gaussian-large-query"),
    "leads": lambda: lead_table(record("figure2")),
    "predicted precision": lambda: figure_prediction_table(record("ranking_prediction")),
    "predicted precision by family": lambda: of_families("precision"),
    "predicted mass by family": lambda: of_families("missed-mass"),
    "predicted error by family": lambda: of_families("output-error"),
} | {f"density {density:g}": partial(of_density, density) for density in (0.2, 0.1, 0.05, 0.02)}
SENTENCES = []


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    write_records(sys.argv[1:], ROOT / "docs/records")
