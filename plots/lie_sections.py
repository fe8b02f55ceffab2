"""The parts of report.html on planted lies: the kill matrix, and which statements notice a broken estimator.

Every number is read from kill_matrix.csv and faults.csv, or counts their rows.
"""

import math

from page import Html, Number, folded, html, interval, short, table, verdict

EVIDENCE_COLUMNS = [
    "instance: quantity", "observed", "claimed", "distance from claim", "visible deviation", "which is",
]  # fmt: skip


def evidence_cells(row):
    low, high = row["observed_lo"], row["observed_hi"]
    return [
        f"{row['instance']}: {row['quantity']}",
        short(low) if low == high else interval(low, high),
        f"{row['relation']} {short(row['claimed'])}",
        Number(row["distance_from_claim"]),
        Number(row["visible_deviation"]),
        row["deviation_is"],
    ]


def factors_cell(row):
    sides = ((name, row[f"refuted_{name}_factor"]) for name in ("below", "above"))
    return " or ".join(f"{name} {short(factor)}" for name, factor in sides if not math.isnan(factor))


def name_cell(row):
    named = {"statement": "<em>as claimed</em>", "control": f"<em>control:</em> {html(row['mutant'])}"}
    return Html(named.get(row["measured"], html(row["mutant"])))


def near_sentence(statements):
    true_ones = [row for row in statements if row["expected"] == "not-refuted"]
    near = sum(row["near_mutant"] for row in true_ones)
    without = [row for row in true_ones if not row["near_mutant"]]
    reasons = "".join(
        f"<li>{html(row['id'])}: {html(row['no_near_mutant'] or 'no reason given')}</li>" for row in without
    )
    sentence = (
        f"<p>{near} of {len(true_ones)} statements that are not refuted have a lie near the truth: within 3 times the "
        "visible deviation where evidence is random, within a tenth of the claimed or observed value where it is "
        "exact.</p>"
    )
    return sentence + (folded(f"Why {len(without)} have none", f"<ul>{reasons}</ul>") if without else "")


def kill_section(rows, statements):
    mutants = [row for row in rows if row["measured"] == "mutant"]
    if not mutants:
        return "<p>This run has no kill matrix.</p>"
    alive = [row for row in mutants if row["verdict"] != "refuted"]
    clear = sum(row["distance_from_claim"] >= row["visible_deviation"] for row in mutants)
    ours = [row["id"] for row in statements if row["wording"] == "ours" and row["expected"] == "not-refuted"]
    survivors = "; ".join(f"{row['id']} \u201c{row['mutant']}\u201d" for row in alive) or "none"
    lead = (
        "<p>Every statement as claimed, with each planted lie and each control, with the piece of evidence that "
        "decides. <em>Visible deviation</em>: the smallest distance of the truth from the claim that this piece would "
        "show with probability 0.99. For a number known without chance, such as a supremum or an exact tail, it is "
        "the rounding on the instances tried, and says nothing of others. <em>Refuted with the claim times</em>: "
        "multiplied by such a factor the claimed values would be refuted; a bound could be made that much smaller. "
        f"{len(mutants) - len(alive)} of {len(mutants)} lies were refuted, {clear} of them at a distance of at "
        f"least the visible deviation. Lies that survived, or are true: {html(survivors)}. What is true "
        "though no source prints it, sharper bounds among it, stands as a statement and not as a lie: "
        f"{html(', '.join(ours) or 'none in this run')}.</p>"
    )
    table_rows = [
        [
            row["id"],
            name_cell(row),
            verdict(row["verdict"], row["expected"]),
            row["near"],
            *evidence_cells(row),
            factors_cell(row),
        ]
        for row in rows
    ]
    columns = ["statement", "lie", "verdict", "near", *EVIDENCE_COLUMNS, "refuted with the claim times"]
    return lead + near_sentence(statements) + folded(f"All {len(rows)} rows", table(columns, table_rows))


def fault_section(rows):
    if not rows:
        return "<p>This run planted no fault in the estimators.</p>"
    by_fault = {}
    for row in rows:
        by_fault.setdefault(row["fault"], []).append(row)
    summary = [
        [
            fault,
            Number(sum(row["id"] != "" for row in members)),
            ", ".join(row["id"] for row in members if row["id"]) or Html("<span class=bad>no statement</span>"),
        ]
        for fault, members in by_fault.items()
    ]
    lead = (
        "<p>The estimators broken on purpose, one fault at a time, and the statements that the fault refutes. "
        f"Statements run at smoke size here: <code>{html(rows[0]['command'])}</code>.</p>"
    )
    noticed = [[row["fault"], row["id"], *evidence_cells(row)] for row in rows if row["id"]]
    return (
        lead
        + table(["fault", "statements", "noticed by"], summary)
        + folded("The evidence", table(["fault", "statement", *EVIDENCE_COLUMNS], noticed))
    )
