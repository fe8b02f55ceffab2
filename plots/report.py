"""What did a run find? Draws the figures and writes report.html, one file that needs no network.

Usage: report.py RESULTS_FOLDER   (reads verdicts.jsonl, kill_matrix.csv, faults.csv, sweep.csv, sweep_slopes.csv
and provenance.json there)

Every number in the text is read from a result file, or is the ratio of two that are.
"""

import os
import re
from pathlib import Path

import error_curves
from page import Html, Number, figure, folded, html, made_by, page, short, table, verdict
from ranking_section import ranking_section
from results import given_folder, read_csv, read_json, read_json_lines, read_sweeps

TERM_NAMES = {
    "sampling": Html("sampling, ‖T − y<sub>τ,L</sub>‖"),
    "finite-tables": Html("finite tables, ‖y<sub>τ,L</sub> − y<sub>τ</sub>‖"),
    "bias": Html("bias, ‖y<sub>τ</sub> − y*‖"),
    "total": "total, ‖T − y*‖",
}
TERM_CENTRES = {
    "sampling": "√((S₁² − ‖y‖²)/M)",
    "finite-tables": "√(C/L), C the delta-method constant",
    "bias": "difference of two population outputs",
    "total": "root of the sum of the three squares",
}
# The number of tables of the paper's experiments (section 6); shown in the table of the error terms where swept.
PRODUCTION_TABLES = 60


def interval(low, high):
    return f"[{short(low)}, {short(high)}]"


def error_of(row):
    return f"{short(row['error_value_units'])} {interval(row['error_lo_value_units'], row['error_hi_value_units'])}"


# --- verdicts -------------------------------------------------------------------------------------------------------


def verdict_row(row):
    refuted = sum(mutant["verdict"] == "refuted" for mutant in row["mutants"])
    observed = row.get("observed") or [None, None]
    observed_text = short(observed[0]) if observed[0] == observed[1] else interval(*observed)
    expected = "" if row["verdict"] == row["expected"] else f" (expected {row['expected']})"
    mutants = "".join(f"<li>{html(m['name'])}: {html(m['verdict'])}</li>" for m in row["mutants"])
    title = Html(
        f"{html(row['title'])}<br><span class=small>{html(row['source'])}; {html(row['scope'])}"
        f"{'<br>' + html(row['remark']) if row['remark'] else ''}</span>"
    )
    return [
        row["id"],
        title,
        Html(f"{html(row.get('quantity', ''))} {html(row.get('relation', ''))} {short(row.get('claimed'))}"),
        observed_text,
        Html(verdict(row["verdict"]) + html(expected)),
        Html(f"{refuted} of {len(row['mutants'])}<details><summary>list</summary><ul>{mutants}</ul></details>"),
    ]


def verdict_section(rows):
    if not rows:
        return "<p>This run has no verdicts.</p>"
    as_expected = sum(row["as_expected"] for row in rows)
    mutants = [mutant for row in rows for mutant in row["mutants"]]
    refuted = sum(mutant["verdict"] == "refuted" for mutant in mutants)
    lead = (
        f"<p>{as_expected} of {len(rows)} statements came out as expected; {refuted} of {len(mutants)} mutants "
        "(the same statement with a planted lie) were refuted. <em>Not refuted</em> means that the measurement "
        "had the power to see the stated deviation and did not; nothing here is called proved. The claim and the "
        "observation shown are the piece of evidence nearest to refutation.</p>"
    )
    columns = ["id", "statement", "claim", "observed", "verdict", "mutants refuted"]
    return lead + table(columns, [verdict_row(row) for row in rows])


# --- errata ---------------------------------------------------------------------------------------------------------


def corrected_forms(row, rows):
    """The statements that say it rightly: named ID-corrected, or named in the remark."""
    mentioned = set(re.findall(r"S00\d-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", row["remark"]))
    return [
        other
        for other in rows
        if other["expected"] == "not-refuted" and (other["id"] == f"{row['id']}-corrected" or other["id"] in mentioned)
    ]


def erratum(row, rows):
    low, high = row.get("observed") or [None, None]
    observed = f"= {short(low, 6)}" if low == high else f"in {interval(low, high)}"
    corrected = corrected_forms(row, rows)
    says = "".join(
        f"<p><b>So it is</b> ({html(other['id'])}, {verdict(other['verdict'])}): {html(other['title'])}. "
        f"<span class=small>{html(other['scope'])}</span></p>"
        for other in corrected
    )
    return (
        f'<article id="erratum-{html(row["id"])}"><h3>{html(row["id"])}: {html(row["title"])}</h3>'
        f"<p class=small>{html(row['source'])}; read for: {html(row['scope'])}</p>"
        f"<p><b>Wrong because</b> {html(row['remark'])}</p>"
        f"<p><b>Counterexample</b> {html(row.get('instance', ''))}: {html(row.get('quantity', ''))} {observed}; "
        f"as printed it would be {html(row.get('relation', ''))} {short(row.get('claimed'), 6)} "
        f"({verdict(row['verdict'])}).</p>{says}</article>"
    )


def is_misprint(row):
    """Not a theorem beside settings that it does not cover, nor what follows from no printed line."""
    return not row["source"].startswith("derived") and not re.search(r"Theorem \d+ with the settings of", row["source"])


def errata_section(rows):
    wrong = [row for row in rows if row["expected"] == "refuted"]
    if not wrong:
        return "<p>This run holds no statement that is false as printed.</p>"
    misprints = [row for row in wrong if is_misprint(row)]
    others = [row for row in wrong if not is_misprint(row)]
    lead = (
        f"<p>{len(misprints)} statements are false or incomplete as printed. Each stands with its place, the reason, "
        "one counterexample small enough to check by hand or with its numbers from this run, and the corrected "
        "statement where there is one.</p>"
    )
    beside = (
        (
            f"<p>{len(others)} more are no misprints: a theorem that says nothing, or does not apply, at the settings "
            "that the source uses, or a printed result carried further than it holds.</p>"
        )
        if others
        else ""
    )
    return "\n".join(
        [lead, *(erratum(row, rows) for row in misprints), beside, *(erratum(row, rows) for row in others)]
    )


# --- kill matrix ----------------------------------------------------------------------------------------------------

EVIDENCE_COLUMNS = ["instance: quantity", "observed", "claimed", "distance from claim", "visible deviation"]


def evidence_cells(row):
    low, high = row["observed_lo"], row["observed_hi"]
    return [
        f"{row['instance']}: {row['quantity']}",
        short(low) if low == high else interval(low, high),
        f"{row['relation']} {short(row['claimed'])}",
        Number(row["distance_from_claim"]),
        Number(row["visible_deviation"]),
    ]


def kill_section(rows, statements):
    mutants = [row for row in rows if row["measured"] == "mutant"]
    if not mutants:
        return "<p>This run has no kill matrix.</p>"
    alive = [row for row in mutants if row["verdict"] != "refuted"]
    clear = sum(row["distance_from_claim"] >= row["visible_deviation"] for row in mutants)
    derived = [
        row["id"] for row in statements if row["source"].startswith("derived") and row["expected"] == "not-refuted"
    ]
    survivors = "; ".join(f"{row['id']} \u201c{row['mutant']}\u201d" for row in alive) or "none"
    lead = (
        f"<p>Every statement as claimed and with each planted lie, with the piece of evidence that decides. "
        "<em>Visible deviation</em>: the smallest distance of the truth from the claim that this piece would show "
        "with probability 0.99; for a number known exactly it is the error of the claim. "
        f"{len(mutants) - len(alive)} of {len(mutants)} lies were refuted, {clear} of them at a distance of at "
        f"least the visible deviation. Lies that survived, or are true: {html(survivors)}. What is true "
        "though no source prints it, sharper bounds among it, stands as a statement and not as a lie: "
        f"{html(', '.join(derived) or 'none in this run')}."
        "</p>"
    )
    table_rows = [
        [
            row["id"],
            row["mutant"] or Html("<em>as claimed</em>"),
            verdict(row["verdict"], row["expected"]),
            *evidence_cells(row),
        ]
        for row in rows
    ]
    return lead + folded(f"All {len(rows)} rows", table(["statement", "lie", "verdict", *EVIDENCE_COLUMNS], table_rows))


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
        "Statements run at smoke size here.</p>"
    )
    noticed = [[row["fault"], row["id"], *evidence_cells(row)] for row in rows if row["id"]]
    return (
        lead
        + table(["fault", "statements", "noticed by"], summary)
        + folded("The evidence", table(["fault", "statement", *EVIDENCE_COLUMNS], noticed))
    )


# --- Theorem 3 ------------------------------------------------------------------------------------------------------


def production_value(sweep):
    return min(sweep.values, key=lambda value: abs(value - PRODUCTION_TABLES))


def theorem_rows(sweep):
    value = production_value(sweep)
    for term in TERM_NAMES:
        row = sweep.at(term, value)
        bound = row["bound_drawn_occupancy_value_units"]
        yield [
            f"{sweep.family}, P={sweep.planes:.0f}, L={value:g}",
            TERM_NAMES[term],
            Html(
                f"{short(row['error_value_units'])}<br><span class=small>"
                f"{interval(row['error_lo_value_units'], row['error_hi_value_units'])}</span>"
            ),
            Html(f"{short(row['predicted_value_units'], 5)}<br><span class=small>{TERM_CENTRES[term]}</span>"),
            Number(bound),
            Number(row["bound_sure_occupancy_value_units"]),
            Number(row["trivial_bound_value_units"]),
            Number(bound / row["error_value_units"], 2),
            verdict(row["verdict"]),
        ]


def theorem_section(sweeps):
    rows = [row for sweep in sweeps if sweep.axis == "tables" for row in theorem_rows(sweep)]
    if not rows:
        return "<p>This run has no sweep over tables.</p>"
    lead = (
        "<p>The three error terms of Theorem 3, each measured beside its exact centre and beside the paper's bound "
        "for that term, in the unit of the values. The bound is given twice: with B the fullest bucket of any "
        "table that was drawn, which is the most favourable reading, and with B = ⌈N/2⌉, the smallest occupancy "
        "that can hold almost surely, which the proof needs. The trivial bound is the norm of the largest value: "
        "every output lies in the hull of the values, so a bound above it says nothing.</p>"
    )
    return lead + table(
        [
            "setting",
            "term",
            "measured",
            "exact centre",
            "bound, drawn B",
            "bound, B = ⌈N/2⌉",
            "trivial bound",
            "bound / measured",
            "verdict",
        ],
        rows,
    )


# --- figures --------------------------------------------------------------------------------------------------------


def bound_sentence(row):
    trivial = row["trivial_bound_value_units"]
    drawn, sure = row["bound_drawn_occupancy_value_units"], row["bound_sure_occupancy_value_units"]
    says = "says nothing" if min(drawn, sure) > trivial else "is below it at least in its most favourable reading"
    if drawn == sure:
        return f"The paper's bound there is {short(drawn, 3)}, {short(drawn / trivial, 2)} times the trivial bound: it {says}."
    return (
        f"The paper's bound there is {short(drawn, 3)} with the fullest bucket that was drawn and {short(sure, 3)} "
        f"with the smallest almost sure B, {short(drawn / trivial, 2)} and {short(sure / trivial, 2)} times the "
        f"trivial bound: it {says}."
    )


def slope_sentence(sweep):
    s = sweep.slope
    if s is None:
        return ""
    return (
        f" The fitted slope of log error against log {sweep.axis} from {s['fitted_from_axis_value']:g} on is "
        f"{s['slope_log_error_per_log_axis']:.4f} in [{s['slope_lo']:.4f}, {s['slope_hi']:.4f}]; the theory says "
        f"{s['predicted_slope']:g} ({s['verdict']})."
    )


def scaled_sentence(row, symbol):
    return (
        f"{symbol} times the mean square error is {short(row['scaled_mse_value_units_squared'])} in "
        f"{interval(row['scaled_mse_lo_value_units_squared'], row['scaled_mse_hi_value_units_squared'])}, beside "
        f"the exact {short(row['predicted_scaled_mse_value_units_squared'], 5)} ({row['verdict']})."
    )


def tables_paragraph(sweep):
    value = production_value(sweep)
    row = sweep.at("finite-tables", value)
    return (
        f"With {value:g} tables the soft counts miss their population value by {error_of(row)}; the exact "
        f"large-L value is {short(row['predicted_value_units'], 5)}. {scaled_sentence(row, 'L')}"
        f"{slope_sentence(sweep)} {bound_sentence(row)} Theorem 3 asks for at least "
        f"{short(row['required_tables_drawn_occupancy'], 3)} tables in the favourable reading and "
        f"{short(row['required_tables_sure_occupancy'], 3)} in the one its proof needs. The bias, which no number "
        f"of tables removes, is {short(sweep.at('bias', value)['predicted_value_units'])}."
    )


def samples_paragraph(sweep):
    row = sweep.at("sampling", max(sweep.values))
    return (
        f"With {row['samples']:.0f} samples T misses the output it estimates by {error_of(row)}. "
        f"{scaled_sentence(row, 'M')} Here the exact value holds for every M, with no limit."
        f"{slope_sentence(sweep)} {bound_sentence(row)}"
    )


def temperature_paragraph(sweep):
    low, high = sweep.at("bias", min(sweep.values)), sweep.at("bias", max(sweep.values))
    noise_low = sweep.at("finite-tables", min(sweep.values))["predicted_value_units"]
    noise_high = sweep.at("finite-tables", max(sweep.values))["predicted_value_units"]
    return (
        f"The bias is {short(low['predicted_value_units'])} at τ = {min(sweep.values):g} and "
        f"{short(high['predicted_value_units'])} at τ = {max(sweep.values):g}, measured {error_of(low)} and "
        f"{error_of(high)}; the error of {low['tables']:.0f} tables is {short(noise_low)} and {short(noise_high)} "
        f"there: temperature trades one for the other. {bound_sentence(high)}"
    )


PARAGRAPHS = {"tables": tables_paragraph, "samples": samples_paragraph, "temperature": temperature_paragraph}


def figure_section(folder, sweeps, facts):
    parts = []
    for sweep in sweeps:
        heading = f"Error against {sweep.axis}, {sweep.family} instance, P = {sweep.planes:.0f}"
        parts.append(
            f"<h3>{html(heading)}</h3>"
            + figure(folder / f"{sweep.name}.svg", heading, PARAGRAPHS[sweep.axis](sweep), facts)
        )
    return "\n".join(parts) or "<p>This run has no sweeps.</p>"


# --- provenance -----------------------------------------------------------------------------------------------------


def provenance_section(facts):
    rows = [[key, ", ".join(map(str, value)) if isinstance(value, list) else value] for key, value in facts.items()]
    return table(["fact", "value"], rows)


def write_atomically(path, text):
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def main(folder):
    folder = Path(folder)
    error_curves.main(folder)
    sweeps = read_sweeps(folder)
    facts = read_json(folder / "provenance.json") or {}
    verdicts = read_json_lines(folder / "verdicts.jsonl")
    lead = (
        f"<p>Which claims about SOCKET sparse attention survive computation, how tight they are, and how large the "
        f"errors really are. {made_by(facts)}</p>"
    )
    sections = [
        ("verdicts", "Verdicts", verdict_section(verdicts)),
        ("errata", "Errata", errata_section(verdicts)),
        ("theorem-3", "Theorem 3, term by term", theorem_section(sweeps)),
        ("figures", "Error curves", figure_section(folder, sweeps, facts)),
        ("rankings", "Rankings", ranking_section(folder, facts) or "<p>This run has no rankings.</p>"),
        ("kill-matrix", "Kill matrix: planted lies", kill_section(read_csv(folder / "kill_matrix.csv"), verdicts)),
        ("faults", "Broken estimators", fault_section(read_csv(folder / "faults.csv"))),
        ("provenance", "Provenance", provenance_section(facts)),
    ]
    write_atomically(folder / "report.html", page("socketlab report", lead, sections))


if __name__ == "__main__":
    main(given_folder(__doc__, "provenance.json"))
