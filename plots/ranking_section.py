"""The part of report.html on rankings: Figure 2, and every ranker by memory and density.

Reads ranking_curves.csv, ranking_histogram.csv and rankers.csv; every number in the text is read from them, or counts
their rows.
"""

from pathlib import Path

import frontier
import ranking_curves
import style
from page import Html, Number, figure, short, table
from results import read_csv

RIVALS = ["hard-lsh", "hamming", "bucket-attention", "cosine-oracle"]


def label(ranker):
    return style.RANKERS[ranker][3] if ranker in style.RANKERS else ranker


def order_cell(rows):
    """At how many k SOCKET's paired lead is above 0, below 0, or neither, with the interval."""
    above = sum(row["socket_lead_lo"] > 0 for row in rows)
    below = sum(row["socket_lead_hi"] < 0 for row in rows)
    return f"{above} above, {below} below, {len(rows) - above - below} open"


def order_table(rows):
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    lines = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        for rival in RIVALS:
            mine = [
                row
                for row in rows
                if row["setting"] == setting and row["ranker"] == rival and row["truth"] == "dot-product"
            ]
            if mine:
                lines.append(
                    [setting, label(rival)]
                    + [order_cell([row for row in mine if row["metric"] == metric]) for metric in metrics]
                )
    return table(["setting", "SOCKET against"] + [ranking_curves.METRIC_LABELS[metric] for metric in metrics], lines)


def curve_part(folder, rows, facts):
    first = rows[0]
    lead = (
        f"<p>The paper's Figure 2: SOCKET and its rivals on the same hash codes, N = {first['keys']:.0f}, "
        f"d = {first['dim']:.0f}, L = {first['tables']:.0f}, {first['instances']:.0f} Gaussian instances, ties "
        "averaged over all orders. The table counts the values of k at which SOCKET's paired lead lies above or "
        "below 0 with its whole 95% interval; <em>open</em> is neither. The Hamming count adds the equal bits of "
        "SOCKET's own codes.</p>"
    )
    return (
        lead
        + order_table(rows)
        + figure(
            folder / "ranking_figure2.svg",
            "Ranking metrics against the number of selected keys",
            "Jaccard, precision and graded NDCG against k in the paper's setting, and where the selected keys lie among "
            "the true scores. Narrow bands: 95% intervals; wide light ones: best and worst order of tied keys.",
            facts,
        )
        + figure(
            folder / "ranking_settings.svg",
            "Precision in settings where the ordering may break",
            "Precision as set, with one plane, without the divisor √d, and with more planes: where SOCKET's lead over "
            "hard LSH holds, and where the Hamming count of the same bits is level or ahead.",
            facts,
        )
        + figure(
            folder / "ranking_definitions.svg",
            "What the definition of the metric decides",
            "NDCG with binary gains, with graded ones, and as the paper words it; and precision when the truth is the "
            "cosine, which is all that a score of directions can know.",
            facts,
        )
    )


def ranker_rows(rows, density):
    for row in rows:
        if row["density"] == density and row["size"] == "published":
            yield [
                row["family"],
                label(row["ranker"]),
                Number(row["bits_per_token"]),
                Number(row["recall"], 3),
                Number(row["mass"], 3),
                Number(row["relative_error"], 3),
                Number(row["predicted_recall"], 3),
            ]


def one(rows, **wanted):
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def recall_of(row):
    return (
        f"{short(row['recall'], 3)} [{short(row['recall_lo'], 3)}, {short(row['recall_hi'], 3)}] at "
        f"{row['bits_per_token']:.0f} bits"
    )


def frontier_sentence(rows, density):
    sentence = (
        f"Recall of the true top {100 * density:g}% of the keys against what scoring reads of each. Black: what "
        "the exact correlation with q·k predicts on Gaussian keys."
    )
    socket = one(rows, family="gaussian", ranker="socket", size="published", density=density)
    signed = one(rows, family="gaussian", ranker="signed-orthogonal-norm", size="published", density=density)
    if socket and signed:
        sentence += f" On Gaussian keys SOCKET: {recall_of(socket)}; orthogonal signed projection: {recall_of(signed)}."
    return sentence


def ranker_part(folder, rows, facts):
    density = frontier.nearest_density(rows, frontier.DENSITY)
    columns = [
        "family",
        "ranker",
        "bits per token",
        "recall",
        "softmax mass",
        "error / dense output",
        "recall predicted",
    ]
    return (
        f"<p>Every ranker on every family of keys, {rows[0]['instances']:.0f} instances each.</p>"
        + figure(folder / "frontier_recall.svg", "Recall against memory", frontier_sentence(rows, density), facts)
        + figure(
            folder / "frontier_mass.svg",
            "Softmax mass against memory",
            "The share of the dense softmax that the selected keys hold: on needles and sinks nearly every ranker finds "
            "the few keys that matter.",
            facts,
        )
        + figure(
            folder / "frontier_relative_error.svg",
            "Output error against memory",
            "The error of exact attention over the selected keys, over the length of the dense output.",
            facts,
        )
        + figure(
            folder / "rankers_density.svg",
            "Recall, mass and error against density",
            "The same against the share of the keys that is selected, at the sizes that the papers use.",
            facts,
        )
        + f"<details><summary>All rankers at their published sizes, density {100 * density:g}%</summary>"
        + table(columns, list(ranker_rows(rows, density)))
        + "</details>"
    )


def ranking_section(folder, facts):
    """HTML; draws the figures into the folder. Empty where the run has no rankings."""
    folder = Path(folder)
    curves, rankers = read_csv(folder / "ranking_curves.csv"), read_csv(folder / "rankers.csv")
    ranking_curves.main(folder)
    frontier.main(folder)
    return Html(
        (curve_part(folder, curves, facts) if curves else "") + (ranker_part(folder, rankers, facts) if rankers else "")
    )
