"""What did a run find? Draws the figures and writes report.html, one file that needs no network.

Usage: report.py RESULTS_FOLDER   (reads verdicts.jsonl, kill_matrix.csv, faults.csv, sweep.csv, sweep_slopes.csv
and provenance.json there)

Every number in the text is read from a result file, or is the ratio of two that are.
"""

from pathlib import Path

import error_curves
from lie_sections import fault_section, kill_section
from page import Html, Number, figure, html, interval, made_by, page, short, table, verdict
from ranking_section import ranking_section
from results import given_folder, read_csv, read_json, read_json_lines, read_sweeps
from script import run, write_whole
from verdict_sections import errata_section, readings_section, verdict_section

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


def error_of(row):
    return f"{short(row['error_value_units'])} {interval(row['error_lo_value_units'], row['error_hi_value_units'])}"


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
            + figure(folder / f"{sweep.name}.svg", heading, PARAGRAPHS[sweep.axis](sweep), facts | sweep.command)
        )
    return "\n".join(parts) or "<p>This run has no sweeps.</p>"


# --- provenance -----------------------------------------------------------------------------------------------------


def provenance_section(facts):
    rows = [[key, ", ".join(map(str, value)) if isinstance(value, list) else value] for key, value in facts.items()]
    return table(["fact", "value"], rows)


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
        ("readings", "Readings that do not hold", readings_section(verdicts)),
        ("theorem-3", "Theorem 3, term by term", theorem_section(sweeps)),
        ("figures", "Error curves", figure_section(folder, sweeps, facts)),
        ("rankings", "Rankings", ranking_section(folder, facts) or "<p>This run has no rankings.</p>"),
        ("kill-matrix", "Kill matrix: planted lies", kill_section(read_csv(folder / "kill_matrix.csv"), verdicts)),
        ("faults", "Broken estimators", fault_section(read_csv(folder / "faults.csv"))),
        ("provenance", "Provenance", provenance_section(facts)),
    ]
    write_whole(folder / "report.html", page("socketlab report", lead, sections).encode("utf-8"))


if __name__ == "__main__":
    run(main, given_folder(__doc__, "provenance.json"))
