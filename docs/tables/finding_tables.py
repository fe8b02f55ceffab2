"""Of docs/findings.md, and the counts of README.md: what came out of the main job, from docs/records.

The records are cut out of a run by finding_records.py. A verdict that is not the expected one is refused here: the
pages say that there is none.
"""

import re

from records import escaped, markdown, one, read, thousands, where

SEVERITIES = {
    "wrong-result": "wrong result",
    "wrong-step": "wrong proof step",
    "imprecise": "imprecise",
    "misprint": "misprint",
}
WORDINGS = ("printed", "reading", "ours")
TEXTS = ("id", "title", "source", "quote", "remark")
# Of a supremum below 1: the limit that is known, and why.
LIMITS = {
    "S002-E19": "1/sqrt(2)",
    "S002-E23": "not known: perhaps a factor sqrt(2) can be saved here too",
    "S002-E42": "1/2, copies of the query",
    "S002-E44": "1/(2 sqrt 2), I-ANTI(1)",
    "S002-L11": "1/(2 sqrt 2), I-ANTI(1)",
    "S004-12": "1, as x -> 0",
    "S004-14": "not known",
    "S002-AS2": "none: a table that was not drawn may hold all keys",
    "S002-ZB-realised": "none: a table that was not drawn may hold all keys",
    "S004-9": "none: it grows with the range of the scores",
    "S004-16": "none: it grows with the range of the scores",
}
FAULTS = {
    "no-scaling": "1/sqrt(d) dropped",
    "little-endian": "little-endian key codes against big-endian corners",
    "reused-table": "one W for all tables",
    "strict-sign": "> instead of >=",
    "wrong-normaliser": "softmax of a table divided by the sum of the next table",
    "wrong-ties": "ties ranked by decreasing index",
    "uniform-planes": "entries uniform in [-1, 1]",
}
SCORES = {
    "orthogonal signed": "signed projection, orthogonal blocks",
    "independent signed": "signed projection, independent rows",
    "tanh": "tanh(Wq), independent rows",
    "equal bits": "sign(Wq): equal bits",
    "soft": "soft collisions, P = 8, L = 60, tau = .5",
    "hard": "hard collisions, P = 8, L = 60",
}
READINGS = {
    "drawn": "largest bucket of the 60 drawn tables",
    "quantile": "exceeded once in {} draws",
    "sure": "almost surely, certified half-space",
}


def verdicts():
    rows = read("docs/records/verdicts.csv", text=TEXTS)
    wrong = [row["id"] for row in rows if row["verdict"] != row["expected"]]
    if wrong:
        raise ValueError(f"not as expected: {', '.join(wrong)}")
    return rows


def evidence(statement):
    return where(read("docs/records/evidence.csv", text=TEXTS), id=statement)


def digits(value, count=4):
    """So many digits; a dash for an empty cell."""
    return f"{value:.{count}g}".replace("e+0", "e").replace("e-0", "e-") if value != "" else "-"


def whole(value):
    return f"{value:.0f}"


def three_digits(value):
    return f"{value:.3g}" if value < 1000 else thousands(value)


# Verdicts


def is_erratum(row):
    return row["wording"] == "printed" and row["verdict"] == "refuted"


def is_failed_reading(row):
    return row["wording"] != "printed" and row["verdict"] == "refuted"


def total(rows, name):
    return sum(row[name] for row in rows)


def is_vacuous(row):
    """A bound that holds, and is the trivial one or above it wherever it was measured."""
    return row["bound_settings"] > 0 and row["vacuous_settings"] == row["bound_settings"]


def area_line(name, rows):
    hold, vacuous = len(where(rows, verdict="not-refuted")), sum(map(is_vacuous, rows))
    counts = [len(rows), hold, vacuous, sum(map(is_erratum, rows)), sum(map(is_failed_reading, rows))]
    lies = f"{total(rows, 'mutants_refuted'):.0f} of {total(rows, 'mutants'):.0f}"
    return [name, *counts, lies]


def by_area():
    rows = verdicts()
    areas = list(dict.fromkeys(row["area"] for row in rows))
    lines = [area_line(area, where(rows, area=area)) for area in areas] + [area_line("all", rows)]
    columns = [
        "area", "statements", "hold", "of these, say nothing", "refuted as printed", "refuted readings", "planted lies refuted",
    ]  # fmt: skip
    return markdown(columns, lines)


def whose_words():
    rows = verdicts()
    lines = []
    for wording in WORDINGS:
        mine = where(rows, wording=wording)
        lines.append([wording, len(mine), *(len(where(mine, verdict=is_so)) for is_so in ("not-refuted", "refuted"))])
    return markdown(["wording", "statements", "hold", "refuted"], lines)


def errata():
    found = [row for row in verdicts() if is_erratum(row)]
    found.sort(key=lambda row: list(SEVERITIES).index(row["severity"]))
    lines = [
        [
            SEVERITIES[row["severity"]],
            row["id"],
            f'"{escaped(row["quote"])}" ({escaped(row["source"])})',
            escaped(row["remark"]),
        ]
        for row in found
    ]
    return markdown(["severity", "id", "printed, and where", "what holds"], lines)


def failed_readings():
    lines = [
        [row["id"], f"{escaped(row['title'])} ({escaped(row['source'])})", escaped(row["remark"])]
        for row in verdicts()
        if is_failed_reading(row)
    ]
    return markdown(["id", "reading, and of which passage", "what holds"], lines)


def noticed():
    """Of every fault: how many statements notice it, and the first of them."""
    rows = read("docs/records/faults.csv", text=TEXTS)
    lines = []
    for fault in dict.fromkeys(row["fault"] for row in rows):
        by = [row["id"] for row in where(rows, fault=fault)]
        lines.append([f"`{fault}`: {FAULTS[fault]}", len(by), ", ".join(by[:6])])
    return markdown(["planted fault", "statements that notice it", "the first six"], lines)


# Error terms


def curves():
    return read("docs/records/error_curves.csv")


def error_terms():
    """Each term at L = 60, where the sweep along the tables has the paper's number."""
    lines = []
    for row in where(curves(), axis_value=60.0):
        low, high = (digits(row[f"error_{end}_value_units"]) for end in ("lo", "hi"))
        bounds = ("bound_drawn_occupancy", "bound_sure_occupancy", "bound_repaired", "trivial_bound")
        measured = f"{digits(row['error_value_units'])} [{low}, {high}]"
        cells = [measured, digits(row["predicted_value_units"])]
        cells += [digits(row[f"{name}_value_units"], 3) for name in bounds]
        lines.append([f"{row['family']}, {row['term'].replace('-', ' ')}", *cells])
    columns = ["family, term", "measured", "exact", "paper, B drawn", "paper, sure B", "repaired", "longest value"]
    return markdown(columns, lines)


def table_constants():
    rows = where(curves(), term="finite-tables")
    tables = list(dict.fromkeys(row["axis_value"] for row in rows))
    lines = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = where(rows, family=family)
        cells = [digits(row["scaled_mse_value_units_squared"], 3) for row in mine]
        lines.append([family, *cells, digits(mine[0]["predicted_scaled_mse_value_units_squared"])])
    return markdown(["keys", *(f"L = {value:g}" for value in tables), "constant"], lines)


def error_slopes():
    lines = []
    for row in read("docs/records/error_slopes.csv"):
        place = f"{row['family']}, {row['term'].replace('-', ' ')}, {row['axis']}"
        middle, low, high = (f"{row[name]:.4f}" for name in ("slope_log_error_per_log_axis", "slope_lo", "slope_hi"))
        lines.append([place, f"{row['fitted_from_axis_value']:g}", f"{middle} [{low}, {high}]"])
    return markdown(["keys, term, axis", "fitted from", "slope"], lines)


# Theorem 3


def reading_of(instance):
    """(tau, which reading, B, draws) of "tau=0.3, B = 61, exceeded once in 20 draws"."""
    found = re.fullmatch(
        r"tau=([\d.]+), B (?:=|>=) (\d+)(?:( of the drawn tables)|, exceeded once in (\d+) draws| almost surely)",
        instance,
    )
    which = "drawn" if found[3] else "quantile" if found[4] else "sure"
    return found[1], which, found[2], found[4]


def occupancy_readings():
    required, ratios = evidence("S002-T3-hypothesis"), evidence("S002-T3-vacuity")
    lines = []
    for which, words in READINGS.items():
        columns = []
        for rows in (required, ratios):
            mine = [row for row in rows if reading_of(row["instance"])[1] == which]
            columns.append((mine, [reading_of(row["instance"]) for row in mine]))
        occupancies = "; ".join(named[0][2] for _, named in columns)
        draws = columns[0][1][0][3]
        tables, bounds = ("; ".join(three_digits(row["observed_lo"]) for row in rows) for rows, _ in columns)
        lines.append([words.format(draws), f">= {occupancies}" if which == "sure" else occupancies, tables, bounds])
    columns = ["reading of B", "B", "required tables, tau = .3; .5; .7", "bound/max\\|v_j\\|, tau = .3; .5; .7"]
    return markdown(columns, lines)


def scores_of_lemma_6():
    lines = []
    for row in evidence("S002-L6g-scores"):
        better, worse = re.fullmatch(r"correlation of (.+) \(claim: at least (.+)\)", row["quantity"]).groups()
        lines.append([SCORES[better], f"{row['observed_lo']:.4f}"])
    lines.append([SCORES[worse], f"{row['claimed']:.4f}"])
    return markdown(["score", "correlation with the cosine"], lines)


def suprema():
    rows = read("docs/records/suprema.csv", text=("inequality",))
    titles = {row["id"]: row["title"] for row in verdicts()}
    attained = [row["inequality"] for row in rows if row["expected"] == "at most 1" and row["supremum"] > 0.9999]
    lines = [[f"{len(attained)} that hold: {', '.join(attained)}", "1", "1, attained or approached"]]
    for row in sorted(rows, key=lambda row: row["expected"], reverse=True):
        name = row["inequality"]
        if name not in attained:
            kind = "holds" if row["expected"] == "at most 1" else "false"
            said = f"{name}, {kind}: {escaped(titles[name])}" if name in titles else f"{name}, {kind}"
            lines.append([said, digits(row["supremum"]), LIMITS.get(name, "1")])
    return markdown(["inequality", "supremum found", "limit"], lines)


TABLES = {
    "verdicts by area": by_area,
    "whose words": whose_words,
    "errata": errata,
    "failed readings": failed_readings,
    "noticed faults": noticed,
    "error terms": error_terms,
    "table constants": table_constants,
    "error slopes": error_slopes,
    "occupancy readings": occupancy_readings,
    "scores of Lemma 6": scores_of_lemma_6,
    "suprema": suprema,
}
OF_ROWS = {
    "whose words",
    "errata",
    "failed readings",
    "noticed faults",
}  # their rows are counted or shown, no number of one


# Sentences


def counts():
    rows = verdicts()
    errata_of = [row for row in rows if is_erratum(row)]
    paper = [row for row in errata_of if not row["source"].startswith("document")]
    documents = [row for row in errata_of if row["source"].startswith("document")]
    return {
        "of_paper": len(paper),
        "paper_steps": len(where(paper, severity="wrong-step")),
        "paper_imprecise": len(where(paper, severity="imprecise")),
        "paper_misprints": len(where(paper, severity="misprint")),
        "of_documents": len(documents),
        "document_results": len(where(documents, severity="wrong-result")),
        "statements": len(rows),
        "hold": len(where(rows, verdict="not-refuted")),
        "lies": whole(total(rows, "mutants")),
        "refuted": whole(total(rows, "mutants_refuted")),
        "controls": whole(total(rows, "controls")),
        "passed": whole(total(rows, "controls_let_pass")),
        "printed": len(where(rows, wording="printed")),
        "errata": len(errata_of),
        "readings": sum(map(is_failed_reading, rows)),
        "misprints": len(where(errata_of, severity="misprint")),
        "imprecise": len(where(errata_of, severity="imprecise")),
        "steps": len(where(errata_of, severity="wrong-step")),
        "results": len(where(errata_of, severity="wrong-result")),
    }


def at_60_tables(family, term):
    return one(curves(), family=family, term=term, axis_value=60.0)


def power(value, count=2):
    """1.4e5: so many digits, with an exponent."""
    digits_of, exponent = f"{value:.{count - 1}e}".split("e")
    return f"{digits_of}e{int(exponent)}"


def of_theorem_3():
    row = at_60_tables("gaussian", "bias")
    needle = (at_60_tables("needle", term)["error_value_units"] for term in ("bias", "finite-tables"))
    bias, tables = needle
    universal = [row["claimed"] for row in evidence("S002-T3-universal")[:3]]
    two = [row["observed_lo"] for row in evidence("S002-T3-almost-sure")[:3]]
    return {
        "drawn": whole(row["required_tables_drawn_occupancy"]),
        "sure": power(row["required_tables_sure_occupancy"]),
        "times": whole(round(bias / tables, -1)),
        "cold": power(universal[0]),
        "warm": power(universal[1]),
        "hot": power(universal[2]),
        "bound": f"{two[1]:.2f}",
        "missed": power(two[2], 1),
    }


def dotted(value, count=2):
    return f"{value:.{count}f}".removeprefix("0")


def of_rankings():
    independent = evidence("S002-L6g-best-independent")[2]
    cosine = evidence("S002-F2abc-ceiling")[0]
    return {
        "projected": dotted(independent["observed_lo"]),
        "best": dotted(independent["claimed"]),
        "low": dotted(cosine["observed_lo"]),
        "high": dotted(cosine["observed_hi"]),
        "lemma": dotted(evidence("S002-RATE-length-tables")[1]["observed_lo"]),
    }
