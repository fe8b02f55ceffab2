"""The tables of the rankings, from docs/records; ranking_records.py cuts these out of runs."""

import sys

from records import ROOT, markdown, one, read, where

sys.path.insert(0, str(ROOT / "plots"))
import ranking_leads  # noqa: E402
import style  # noqa: E402
from ranking_curves import METRIC_LABELS  # noqa: E402

HASHED = ("socket", "socket-value")  # of the rankers the ones that a temperature changes
FAMILY_COLUMNS = ["gaussian", "needles", "clustered", "anisotropic", "rotary-low-rank", "attention-sink"]
QUERY_NORMS = {"gaussian-unit-query": "1", "gaussian": "√d", "gaussian-large-query": "4√d"}
TWINS = {"signed-orthogonal", "signed-independent", "rabitq", "oracle-top-p"}  # near another row of the same table
SHORT = {
    "hamming": "equal bits of the same codes",
    "signed-orthogonal-norm": "orthogonal signs",
    "cosine-oracle": "cosine of whole keys",
}
LEAD_METRICS = ["precision", "ndcg-graded", "ndcg-as-printed"]
AIMS = {"precision": "0.02", "missed-mass": "0.01", "output-error": "5%"}
SCORES = {"soft": "SOCKET", "soft-times-norm": "SOCKET × value norm", "hard": "hard LSH"}


# Tables


def label(row):
    name = style.RANKERS[row["ranker"]][3]
    return f"{name}, tau = {row['temperature']:g}" if row["ranker"] in HASHED else name


def own_rows(rows):
    """Every ranker once, in the order of the record: those that no temperature changes from the first run."""
    first = min(row["temperature"] for row in rows)
    order = list(dict.fromkeys(row["ranker"] for row in rows))
    own = [row for row in rows if row["ranker"] in HASHED or row["temperature"] == first]
    return sorted(own, key=lambda row: (order.index(row["ranker"]), row["temperature"]))


def half_width(row, name):
    return f"{row[name]:.3f} ± {(row[f'{name}_hi'] - row[f'{name}_lo']) / 2:.3f}"


def short(row):
    """Name and bits of a ranker of the answer."""
    return f"{SHORT.get(row['ranker']) or label(row)}, {row['bits_per_token']:.0f} bits"


def answer_columns(first, last):
    """(temperature, ranker, size) of the answer: SOCKET, its own bits counted, and what reads about as much or less."""
    return [
        (first, "socket", "published"), (last, "socket", "published"), (first, "hamming", "published"),
        (first, "signed-orthogonal-norm", "published"), (first, "signed-orthogonal-norm", "256"),
        (first, "signed-orthogonal-norm", "600"), (first, "pqcache", "published"), (first, "loki", "published"),
        (first, "cosine-oracle", "published"),
    ]  # fmt: skip


def answer_rows(published, sized):
    """{family: rows in the order of the columns}, at a tenth of the keys, at the coldest and the warmest temperature."""
    rows = where(published + sized, density=0.1)
    temperatures = sorted({row["temperature"] for row in rows})
    columns = answer_columns(temperatures[0], temperatures[-1])
    wanted = [row for row in rows if (row["temperature"], row["ranker"], row["size"]) in columns]
    return {
        family: [one(mine, temperature=t, ranker=ranker, size=size) for t, ranker, size in columns]
        for family in dict.fromkeys(row["family"] for row in wanted)
        if (mine := where(wanted, family=family))
    }


def answer_table(published, sized):
    """Mean recall, a row to a score, a column to a family."""
    rows = {family: mine for family, mine in answer_rows(published, sized).items() if family != "needle"}
    lines = [
        [short(row), *(f"{mine[place]['recall']:.2f}" for mine in rows.values())]
        for place, row in enumerate(rows["gaussian"])
    ]
    return markdown(["score", *rows], lines)


def memory_table(sized):
    """Mean recall at a tenth of Gaussian keys by bits per token; rankers that no temperature changes stand once."""
    rows = own_rows(where(sized, family="gaussian", density=0.1))
    sizes = sorted({row["size"] for row in rows}, key=int)
    lines = []
    for ranker, temperature in dict.fromkeys((row["ranker"], row["temperature"]) for row in rows):
        if ranker in TWINS or ranker == "socket-value":
            continue
        mine = where(rows, ranker=ranker, temperature=temperature)
        lines.append([label(mine[0]), *(f"{one(mine, size=size)['recall']:.2f}" for size in sizes)])
    return markdown(["ranker", *(f"{size} bits" for size in sizes)], lines)


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
    return markdown(["score", "bits", "correlation with q.k", "recall, predicted", "recall, measured"], lines)


def temperature_table(rows):
    """Precision of the largest k by query norm and planes, a column to a temperature, each beside equal bits."""
    temperatures = sorted({row["temperature"] for row in rows})
    k = max(row["k"] for row in rows)
    lines = []
    for family, norm in QUERY_NORMS.items():
        for planes in sorted({row["planes"] for row in rows}):
            mine = where(rows, family=family, planes=planes, k=k)
            bits = one(mine, temperature=temperatures[0], ranker="hamming")
            cells = [
                f"{one(mine, temperature=t, ranker='socket')['precision']:.3f} "
                f"({ranking_leads.word(one(mine, temperature=t, ranker='hamming'))})"
                for t in temperatures
            ]
            lines.append([norm, f"{planes:.0f}", *cells, f"{bits['precision']:.3f}"])
    return markdown(["abs(q)", "P", *(f"SOCKET, tau = {t:g}" for t in temperatures), "equal bits"], lines)


def temperature_counts(rows):
    """Of all P and k of a family, at how many SOCKET is above, level with and below the count of equal bits."""
    temperatures = sorted({row["temperature"] for row in rows})
    lines = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = where(rows, family=family, ranker="hamming")
        lines.append([family, *(counts(where(mine, temperature=t)) for t in temperatures)])
    return markdown(["family", *(f"tau = {t:g}" for t in temperatures)], lines)


def counts(rows):
    words = [ranking_leads.word(row) for row in rows]
    return " / ".join(str(words.count(word)) for word in ("above", "level", "below"))


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


def listed(rows):
    """Rankers of the tables by family and density: SOCKET at the coldest and the warmest temperature, twins left out."""
    temperatures = sorted({row["temperature"] for row in rows})
    return [
        row
        for row in own_rows(rows)
        if row["ranker"] not in TWINS
        and (row["temperature"] in (temperatures[0], temperatures[-1]))
        and (row["ranker"] != "socket-value" or row["temperature"] == temperatures[0])
    ]


def family_table(rows, density, quantity, digits):
    """One quantity at one density: rows are rankers, columns families."""
    rows = listed(where(rows, density=density))
    lines = [
        [
            label(row), f"{row['bits_per_token']:.0f}",
            *(
                f"{one(rows, family=family, ranker=row['ranker'], temperature=row['temperature'])[quantity]:{digits}}"
                for family in FAMILY_COLUMNS
            ),
        ]
        for row in where(rows, family="gaussian")
    ]  # fmt: skip
    return markdown(["ranker", "bits", *FAMILY_COLUMNS], lines)


def density_table(rows, family):
    """Recall by density on one family."""
    rows = where(rows, family=family)
    densities = sorted({row["density"] for row in rows})
    lines = [
        [
            label(row),
            *(
                f"{one(rows, density=d, ranker=row['ranker'], temperature=row['temperature'])['recall']:.2f}"
                for d in densities
            ),
        ]
        for row in listed(where(rows, density=densities[0]))
    ]  # fmt: skip
    return markdown(["ranker", *(f"density {100 * d:g}%" for d in densities)], lines)


def lead_table(rows):
    """At how many k SOCKET is above / level with / below a rival, by setting, for the metrics that differ."""
    lines = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        for rival in ranking_leads.RIVALS:
            mine = where(rows, setting=setting, ranker=rival)
            cells = [counts(where(mine, metric=metric)) for metric in LEAD_METRICS]
            lines.append([setting, style.RANKERS[rival][3], *cells])
    return markdown(["setting", "SOCKET against", *(METRIC_LABELS[metric] for metric in LEAD_METRICS)], lines)


def difference(row):
    if row["quantity"] == "output-error":
        return f"{100 * row['difference']:+.1f} ± {100 * row['difference_deviation']:.1f}%"
    return f"{row['difference']:+.4f} ± {row['difference_deviation']:.4f}"


def furthest_table(rows):
    """For each quantity and score the largest difference of predicted and measured over all settings, and where."""
    lines = []
    for quantity, aim in AIMS.items():
        cells = []
        for score in SCORES:
            row = max(where(rows, quantity=quantity, score=score), key=lambda row: abs(row["difference"]))
            cells.append(f"{difference(row)}, {row['setting']}, N = {row['keys']:.0f}, k = {row['k']:.0f}")
        lines.append([quantity.replace("-", " "), aim, *cells])
    return markdown(["quantity", "target", *SCORES.values()], lines)


def prediction_table(rows):
    """SOCKET's quantities predicted / measured, on every family at its largest k of each size."""
    rows = [row for row in rows if row["setting"] == row["family"] and row["score"] == "soft"]
    lines = []
    for family in dict.fromkeys(row["family"] for row in rows):
        for keys in sorted({row["keys"] for row in rows}):
            mine = where(rows, family=family, keys=keys)
            mine = where(mine, k=max(row["k"] for row in mine))
            cells = [
                f"{row['predicted_value']:.3g} / {row['measured_value']:.3g} ({difference(row)})"
                for row in (one(mine, quantity=quantity) for quantity in AIMS)
            ]
            first = mine[0]
            setting = f"{first['planes']:.0f}, {first['temperature']:g}"
            lines.append([family, f"{keys:.0f}", setting, f"{first['k']:.0f}", *cells])
    return markdown(["family", "N", "P, tau", "k", *(name.replace("-", " ") for name in AIMS)], lines)


def record(name):
    return read(f"docs/records/{name}.csv", text=("size",))


def of_rankers(make):
    return make(record("rankers_published_sizes"), record("rankers_by_memory"))


TABLES = {
    "rankings": lambda: of_rankers(answer_table),
    "recall by memory": lambda: memory_table(record("rankers_by_memory")),
    "correlation": lambda: of_rankers(correlation_table),
    "query norms": lambda: norm_table(record("ranking_temperatures"), 10),
    "temperatures": lambda: temperature_table(record("ranking_temperatures")),
    "temperature counts": lambda: temperature_counts(record("ranking_temperatures")),
    "leads": lambda: lead_table(record("figure2")),
    "recall by family": lambda: family_table(record("rankers_published_sizes"), 0.1, "recall", ".2f"),
    "error by family": lambda: family_table(record("rankers_published_sizes"), 0.1, "relative_error", ".2g"),
    "recall by density": lambda: density_table(record("rankers_published_sizes"), "gaussian"),
    "furthest predictions": lambda: furthest_table(record("ranking_prediction")),
    "predictions": lambda: prediction_table(record("ranking_prediction")),
}


def answers():
    return of_rankers(answer_rows)


def orthogonal_recall():
    mine = answers()["gaussian"]
    return {name: f"{mine[at]['recall']:.2f}" for name, at in (("socket", 0), ("o128", 3), ("o256", 4), ("o600", 5))}


def widest():
    """Half of the widest interval of the answer's means."""
    halves = [(row["recall_hi"] - row["recall_lo"]) / 2 for mine in answers().values() for row in mine]
    return {"half": f"{max(halves):.2f}"}


def equal_bits_beside_the_warmest():
    ahead = {family: mine[1]["recall"] - mine[2]["recall"] for family, mine in answers().items()}
    unit = ahead.pop("gaussian-unit-query")
    return {"differ": f"{max(map(abs, ahead.values())):.2f}", "lead": f"{unit:.2f}"}


def cosine_precision():
    rows = where(record("figure2"), setting="as set", ranker="cosine-oracle", metric="precision")
    return {f"k{k}": f"{one(rows, k=k)['value']:.2f}" for k in (16, 1024)}


def predicted_too_high():
    """Of the output error on Gaussian keys, where few keys are chosen, the differences above 5%."""
    rows = where(record("ranking_prediction"), quantity="output-error", family="gaussian")
    beyond = [row["difference"] for row in rows if row["difference"] > 0.05 and row["k"] <= 32]
    return {"least": f"{100 * min(beyond):.0f}", "most": f"{100 * max(beyond):.0f}"}


def predicted_too_low():
    rows = record("ranking_prediction")
    clusters = [row for row in rows if row["family"].startswith("clustered")]
    return {
        "precision": f"{-min(row['difference'] for row in where(clusters, quantity='precision')):.2f}",
        "error": f"{-100 * min(row['difference'] for row in where(clusters, quantity='output-error')):.0f}",
        "hard": f"{-100 * min(row['difference'] for row in where(rows, quantity='output-error', score='hard')):.0f}",
    }


MEMORY, PREDICTION = "docs/rankings/memory.md", "docs/rankings/prediction.md"
