"""How do the rankings compare? Figure 2, every ranker by memory and density, temperatures, and predictions.

Reads ranking_curves.csv, ranking_histogram.csv, rankers.csv, ranking_temperatures.csv and ranking_prediction.csv; every
number in the text is read from them, or counts their rows.
"""

import frontier
import ranking_curves
import ranking_leads
import style
from figures.sweeps import where
from results import read_csv

from report_page.digits import show, span
from report_page.shell import Cell, caption, cells, figure

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


def shown(folder, facts, *names, **given):
    """Figures by the names of their files, with the words of captions.html; given: those that its words need."""
    words = {name: caption(name, **given.get(name, {})).split(" || ") for name in names}
    return [figure(folder / f"{name}.svg", *texts, facts, wide=True) for name, texts in words.items()]


def curve_part(folder, rows, facts):
    if not rows:
        return None
    return {
        "first": rows[0],
        "columns": ["setting", "SOCKET against", *ranking_curves.METRIC_LABELS.values()],
        "rows": order_rows(rows),
        "figures": shown(folder, facts, "ranking_figure2", "ranking_settings", "ranking_definitions"),
    }


def ranker_rows(rows, density):
    for row in where(rows, density=density, size="published"):
        numbers = cells(row, bits_per_token=4, recall=3, mass=3, relative_error=3, predicted_recall=3)
        yield [row["family"], label(row["ranker"]), *numbers]


def one(rows, **wanted):
    return next(iter(where(rows, **wanted)), None)


def on_gaussian_keys(rows, density):
    """What the words on the frontier compare."""
    found = {"socket": "socket", "signed": "signed-orthogonal-norm"}
    wanted = {"family": "gaussian", "size": "published", "density": density}
    return {"density": density} | {name: one(rows, ranker=ranker, **wanted) for name, ranker in found.items()}


def ranker_part(folder, rows, facts):
    if not rows:
        return None
    density = frontier.nearest_density(rows, frontier.DENSITY)
    names = (*(f"frontier_{quantity}" for quantity in ("recall", "mass", "relative_error")), "rankers_density")
    return {
        "instances": rows[0]["instances"],
        "density": density,
        "columns": RANKER_COLUMNS,
        "rows": list(ranker_rows(rows, density)),
        "figures": shown(folder, facts, *names, frontier_recall=on_gaussian_keys(rows, density)),
    }


def lead_text(row):
    return f"{show(row['socket_lead'], 2)} ({span(row['socket_lead_lo'], row['socket_lead_hi'], 2)})"


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
        "decided": caption("decided", words=[line[-1] for line in lines], instances=rows[0]["instances"]),
    }


def prediction_rows(rows):
    for row in rows:
        numbers = cells(row, predicted_value=4, measured_value=4, difference=3, difference_deviation=2)
        yield [row["setting"], Cell(row["keys"]), row["score"], Cell(row["k"]), row["quantity"], *numbers]


def largest_difference(rows, quantity):
    return max(abs(row["difference"]) for row in where(rows, quantity=quantity))


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
