"""The part of report.html on rankings: Figure 2, every ranker by memory and density, temperatures, and predictions.

Reads ranking_curves.csv, ranking_histogram.csv, rankers.csv, ranking_temperatures.csv and ranking_prediction.csv; every
number in the text is read from them, or counts their rows.
"""

from pathlib import Path

import frontier
import ranking_curves
import ranking_leads
import style
from page import Html, Number, figure, short, table
from results import read_csv


def label(ranker):
    return style.RANKERS[ranker][3] if ranker in style.RANKERS else ranker


def order_table(rows):
    lines = [
        [setting, label(rival), *cells]
        for setting, rival, cells in ranking_leads.counted([row for row in rows if row["truth"] == "dot-product"])
    ]
    return table(["setting", "SOCKET against", *ranking_curves.METRIC_LABELS.values()], lines)


def curve_part(folder, rows, facts):
    first = rows[0]
    lead = (
        f"<p>The paper's Figure 2: SOCKET and its rivals on the same hash codes, N = {first['keys']:.0f}, "
        f"d = {first['dim']:.0f}, L = {first['tables']:.0f}, {first['instances']:.0f} Gaussian instances, ties "
        "averaged over all orders. The table counts the values of k at which SOCKET's paired lead lies above or "
        "below 0 with its whole interval; <em>level</em> is neither. The intervals of all leads of the run hold "
        f"together: each is Student's at an error of {short(first['lead_error'], 2)}. The Hamming count adds the equal "
        "bits of SOCKET's own codes.</p>"
    )
    return (
        lead
        + order_table(rows)
        + figure(
            folder / "ranking_figure2.svg",
            "Ranking metrics against the number of selected keys",
            "Jaccard, precision and graded NDCG against k in the paper's setting, and where the selected keys lie among "
            "the true scores. Narrow bands: 95% intervals, each by itself; wide light ones: best and worst order of tied keys.",
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
        "the law of the scores predicts, an approximation."
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


def temperature_rows(rows):
    """SOCKET beside equal bits, at the largest k."""
    largest = max(row["k"] for row in rows)
    for row in rows:
        if row["ranker"] == "socket" and row["k"] == largest:
            bits = next(
                other
                for other in rows
                if other["ranker"] == "hamming"
                and all(other[key] == row[key] for key in ("family", "planes", "temperature", "k"))
            )
            yield [
                row["family"],
                Number(row["planes"]),
                Number(row["temperature"]),
                Number(row["correlation"], 3),
                Number(bits["correlation"], 3),
                Number(row["precision"], 3),
                Number(bits["precision"], 3),
                f"SOCKET {ranking_leads.word(bits)}",
            ]


def temperature_part(rows):
    columns = ["family", "P", "tau", "correlation", "of equal bits", "precision", "of equal bits", "paired lead"]
    return (
        f"<p>SOCKET at the temperatures of Table 6 against the count of equal bits of its own codes, precision of the "
        f"top {max(row['k'] for row in rows):.0f} keys, {rows[0]['instances']:.0f} instances each. A lead that is not "
        "shown to differ from 0 is <em>level</em>; the intervals of all of them hold together.</p>"
        + table(columns, list(temperature_rows(rows)))
    )


def prediction_rows(rows):
    for row in rows:
        yield [
            row["setting"],
            Number(row["keys"]),
            row["score"],
            Number(row["k"]),
            row["quantity"],
            Number(row["predicted_value"]),
            Number(row["measured_value"]),
            Number(row["difference"], 3),
            Number(row["difference_deviation"], 2),
        ]


def largest_difference(rows, quantity):
    return max(abs(row["difference"]) for row in rows if row["quantity"] == quantity)


def prediction_part(rows):
    columns = ["setting", "N", "score", "k", "quantity", "predicted", "measured", "difference", "standard error"]
    return (
        "<p>What a selection keeps, predicted before any table is drawn: an approximation, from the law of each key's "
        "score. Largest differences from what drawn tables give, their own noise included: "
        f"{short(largest_difference(rows, 'precision'), 2)} in precision, "
        f"{short(largest_difference(rows, 'missed-mass'), 2)} in the missed softmax mass, "
        f"{short(100 * largest_difference(rows, 'output-error'), 2)}% of the output error.</p>"
        "<details><summary>Every prediction beside what was measured (output error: relative difference)</summary>"
        + table(columns, list(prediction_rows(rows)))
        + "</details>"
    )


def ranking_section(folder, facts):
    """HTML; draws the figures into the folder. Empty where the run has no rankings."""
    folder = Path(folder)
    curves, rankers = read_csv(folder / "ranking_curves.csv"), read_csv(folder / "rankers.csv")
    temperatures = read_csv(folder / "ranking_temperatures.csv")
    prediction = read_csv(folder / "ranking_prediction.csv")
    ranking_curves.main(folder)
    frontier.main(folder)
    return Html(
        (curve_part(folder, curves, facts) if curves else "")
        + (temperature_part(temperatures) if temperatures else "")
        + (ranker_part(folder, rankers, facts) if rankers else "")
        + (prediction_part(prediction) if prediction else "")
    )
