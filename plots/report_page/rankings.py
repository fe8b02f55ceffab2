"""How do the rankings compare? Figure 2, every ranker by memory and density, temperatures, and predictions.

Reads ranking_curves.csv, ranking_histogram.csv, rankers.csv, ranking_temperatures.csv and ranking_prediction.csv; every
number in the text is read from them, or counts their rows.
"""

import frontier
import ranking_curves
import ranking_leads
import style
from results import read_csv

from report_page.digits import count, show, span
from report_page.shell import Cell, cells, figure

RANKER_COLUMNS = ["family", "ranker", "bits per token", "recall", "softmax mass", "error / dense output",
                  "recall predicted"]  # fmt: skip
TEMPERATURE_COLUMNS = ["family", "P", "τ", "correlation", "correlation of equal bits", "precision",
                       "precision of equal bits", "paired lead (interval)", "SOCKET is"]  # fmt: skip
PREDICTION_COLUMNS = ["setting", "N", "score", "k", "quantity", "predicted", "measured", "difference", "standard error"]


def label(ranker):
    return style.RANKERS[ranker][3] if ranker in style.RANKERS else ranker


def order_rows(rows):
    return [
        [setting, label(rival), *cells]
        for setting, rival, cells in ranking_leads.counted([row for row in rows if row["truth"] == "dot-product"])
    ]


def curve_part(folder, rows, facts):
    if not rows:
        return None
    shown = [
        (
            "ranking_figure2",
            "Ranking metrics against the number of selected keys",
            "Four panels: Jaccard, precision and NDCG of each ranker rise with k, with intervals; a histogram of true scores.",
            "Jaccard, precision and graded NDCG against k in the paper's setting, and where the selected keys lie among "
            "the true scores. Narrow bands: individual 95% intervals. Wide light bands: best and worst order of tied keys.",
        ),
        (
            "ranking_settings",
            "Precision in settings where the order of the rankers may change",
            "Four panels of precision against k: the paper's setting, one plane, no divisor, more planes.",
            "Precision in the paper's setting, with one plane, without the divisor √d, and with more planes. It shows where "
            "SOCKET's lead over hard LSH holds, and where the Hamming count of the same bits equals or beats it.",
        ),
        (
            "ranking_definitions",
            "How much depends on the definition of the metric",
            "Four panels, by ranker: three definitions of NDCG, and precision with the cosine as truth.",
            "NDCG with binary gains, with graded gains, and as the paper words it; and precision when the cosine is the "
            "ground truth, which is all that a score of directions can see.",
        ),
    ]
    return {
        "first": rows[0],
        "columns": ["setting", "SOCKET against", *ranking_curves.METRIC_LABELS.values()],
        "rows": order_rows(rows),
        "figures": [figure(folder / f"{name}.svg", *texts, facts, wide=True) for name, *texts in shown],
    }


def ranker_rows(rows, density):
    for row in rows:
        if row["density"] == density and row["size"] == "published":
            numbers = cells(row, bits_per_token=4, recall=3, mass=3, relative_error=3, predicted_recall=3)
            yield [row["family"], label(row["ranker"]), *numbers]


def one(rows, **wanted):
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def recall_of(row):
    return (
        f"{show(row['recall'], 3)} ({span(row['recall_lo'], row['recall_hi'], 3)}) at {row['bits_per_token']:.0f} bits"
    )


def frontier_sentence(rows, density):
    sentence = (
        f"Recall of the true top {100 * density:g}% of the keys against the bits that scoring reads per key. Black: the "
        "approximate prediction from the distribution of the scores."
    )
    socket = one(rows, family="gaussian", ranker="socket", size="published", density=density)
    signed = one(rows, family="gaussian", ranker="signed-orthogonal-norm", size="published", density=density)
    if socket and signed:
        sentence += f" On Gaussian keys SOCKET: {recall_of(socket)}; orthogonal signed projection: {recall_of(signed)}."
    return sentence


def ranker_part(folder, rows, facts):
    if not rows:
        return None
    density = frontier.nearest_density(rows, frontier.DENSITY)
    shown = [
        (
            "frontier_recall",
            "Recall against memory",
            "One panel per family: every ranker's recall rises with its bits per token.",
            frontier_sentence(rows, density),
        ),
        (
            "frontier_mass",
            "Softmax mass against memory",
            "One panel per family: softmax mass of the selected keys against bits per token.",
            "Softmax mass is the share of the dense softmax that the selected keys hold. On needles and sinks nearly every "
            "ranker finds the few keys that matter.",
        ),
        (
            "frontier_relative_error",
            "Output error against memory",
            "One panel per family: output error relative to the dense output against bits per token.",
            "The error of exact attention over the selected keys, relative to the norm of the dense output. The band is "
            "SOCKET's interval; the other intervals are about as wide and are in rankers.csv.",
        ),
        (
            "rankers_density",
            "Recall, mass and error against density",
            "One row of panels per family: recall, mass and error against the share of keys selected.",
            "The same metrics against the share of keys selected, at the sizes that the rankers' papers use.",
        ),
    ]
    return {
        "instances": rows[0]["instances"],
        "density": density,
        "columns": RANKER_COLUMNS,
        "rows": list(ranker_rows(rows, density)),
        "figures": [figure(folder / f"{name}.svg", *texts, facts, wide=True) for name, *texts in shown],
    }


def lead_text(row):
    return f"{show(row['socket_lead'], 2)} ({span(row['socket_lead_lo'], row['socket_lead_hi'], 2)})"


def decided_sentence(words, instances):
    """words: above, below or level of each setting. A table in which all are level decides nothing, and is said to."""
    if set(words) == {"level"}:
        return (
            f"This table decides nothing: with {count(int(instances), 'instance')}, the interval of every lead contains 0 "
            f"({count(len(words), 'setting')})."
        )
    told = [f"{name} at {words.count(name)}" for name in ("above", "below", "level") if name in words]
    return f"In {count(len(words), 'setting')}, SOCKET is {', '.join(told)}."


def temperature_rows(rows):
    """SOCKET beside equal bits, at the largest k."""
    largest = max(row["k"] for row in rows)
    for row in rows:
        if row["ranker"] == "socket" and row["k"] == largest:
            same = {key: row[key] for key in ("family", "planes", "temperature", "k")}
            bits = one(rows, ranker="hamming", **same)
            yield [
                row["family"], *cells(row, planes=4, temperature=4, correlation=3), Cell(bits["correlation"], 3),
                Cell(row["precision"], 3), Cell(bits["precision"], 3), Cell(bits["socket_lead"], text=lead_text(bits)),
                ranking_leads.word(bits),
            ]  # fmt: skip


def temperature_part(rows):
    if not rows:
        return None
    lines = list(temperature_rows(rows))
    return {
        "k": max(row["k"] for row in rows),
        "instances": rows[0]["instances"],
        "columns": TEMPERATURE_COLUMNS,
        "rows": lines,
        "decided": decided_sentence([line[-1] for line in lines], rows[0]["instances"]),
    }


def prediction_rows(rows):
    for row in rows:
        numbers = cells(row, predicted_value=4, measured_value=4, difference=3, difference_deviation=2)
        yield [row["setting"], Cell(row["keys"]), row["score"], Cell(row["k"]), row["quantity"], *numbers]


def largest_difference(rows, quantity):
    return max(abs(row["difference"]) for row in rows if row["quantity"] == quantity)


def prediction_part(rows):
    if not rows:
        return None
    return {
        "columns": PREDICTION_COLUMNS,
        "rows": list(prediction_rows(rows)),
        "precision": largest_difference(rows, "precision"),
        "missed_mass": largest_difference(rows, "missed-mass"),
        "output_error": largest_difference(rows, "output-error"),
    }


def rankings(folder, facts):
    """The parts that the folder has files of, beside the figures drawn into it."""
    return {
        "curves": curve_part(folder, read_csv(folder / "ranking_curves.csv"), facts),
        "rankers": ranker_part(folder, read_csv(folder / "rankers.csv"), facts),
        "temperatures": temperature_part(read_csv(folder / "ranking_temperatures.csv")),
        "prediction": prediction_part(read_csv(folder / "ranking_prediction.csv")),
    }
