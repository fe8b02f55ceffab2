"""How far are the printed, the repaired and our own bounds from the exact and the measured errors, term by term and along
each axis? From sweep.csv, sweep_slopes.csv and, for our bounds, bound_ratios.csv.
"""

from markupsafe import Markup

from report_page.digits import bound, missing, show, span
from report_page.shell import Cell, figure, verdict

TERMS = {
    "sampling": Markup("sampling, ‖T − y<sub>τ,L</sub>‖"),
    "finite-tables": Markup("finite tables, ‖y<sub>τ,L</sub> − y<sub>τ</sub>‖"),
    "bias": Markup("bias, ‖y<sub>τ</sub> − y*‖"),
    "total": Markup("total, ‖T − y*‖"),
}
CENTRES = {
    "sampling": "√((S₁² − ‖y‖²)/M)",
    "finite-tables": "√(C/L), C the delta-method constant",
    "bias": "difference of two population outputs",
    "total": "root of the sum of the three squares",
}
OWN = {
    "sampling": "Theorem 7(a)",
    "finite-tables": "Theorem 1(b)",
    "bias": "Theorem 8(i)",
    "total": "Theorem 9(b)",
}
COLUMNS = ["setting", "term", "measured", "exact value", "printed, drawn B", "printed, sure B", "repaired", "our own",
           "longest value", "printed / measured", "verdict"]  # fmt: skip
# The number of tables of the paper's experiments (section 6); shown in the table of the error terms where swept.
PRODUCTION_TABLES = 60


def error_of(row):
    return f"{show(row['error_value_units'])} ({span(row['error_lo_value_units'], row['error_hi_value_units'])})"


def production_value(sweep):
    return min(sweep.values, key=lambda value: abs(value - PRODUCTION_TABLES))


# --- our own bounds -------------------------------------------------------------------------------------------------

SAME = ("family", "keys", "planes", "tables", "samples", "temperature", "term")


def own_bound(bounds, row):
    """Our bound of the row's term at the row's setting; NaN where bound_ratios.csv has none."""
    same = (
        other["bound_value_units"]
        for other in bounds
        if other["bound"] == OWN[row["term"]] and all(other[key] == row[key] for key in SAME)
    )
    return next(same, float("nan"))


# --- Theorem 3 ------------------------------------------------------------------------------------------------------


def bound_cell(value, row):
    """A bound, marked where the measured error keeps it but it is no smaller than the longest value: answering 0 keeps it too."""
    vacuous = not missing(value) and value >= max(row["trivial_bound_value_units"], row["error_value_units"])
    return Cell(value, note="holds, says nothing" if vacuous else "")


def theorem_rows(sweep, bounds):
    value = production_value(sweep)
    for term, name in TERMS.items():
        row = sweep.at(term, value)
        printed = row["bound_drawn_occupancy_value_units"]
        ends = span(row["error_lo_value_units"], row["error_hi_value_units"])
        small = Markup("{}<br><span class=small>{}</span>")
        yield [
            f"{sweep.family}, P={sweep.planes:.0f}, L={value:g}",
            name,
            small.format(show(row["error_value_units"]), ends),
            small.format(show(row["predicted_value_units"], 5), CENTRES[term]),
            *(
                bound_cell(value, row)
                for value in (
                    printed,
                    row["bound_sure_occupancy_value_units"],
                    row.get("bound_repaired_value_units"),
                    own_bound(bounds, row),
                )
            ),
            Cell(row["trivial_bound_value_units"]),
            Cell(printed / row["error_value_units"], 2),
            verdict(row["verdict"]),
        ]


def theorem(sweeps, bounds):
    """None without a sweep over tables."""
    rows = [row for sweep in sweeps if sweep.axis == "tables" for row in theorem_rows(sweep, bounds)]
    return {"columns": COLUMNS, "rows": rows, "own": any(not missing(row[7].value) for row in rows)} if rows else None


# --- figures --------------------------------------------------------------------------------------------------------


def bound_sentence(row):
    trivial = row["trivial_bound_value_units"]
    drawn, sure = row["bound_drawn_occupancy_value_units"], row["bound_sure_occupancy_value_units"]
    says = "says nothing" if min(drawn, sure) > trivial else "says something, at least with the most favourable B"
    if drawn == sure:
        return f"The paper's bound there is {bound(drawn, 3)}, {show(drawn / trivial, 2)} times the longest value: it {says}."
    return (
        f"The paper's bound there is {bound(drawn, 3)} with the fullest bucket that was drawn and {bound(sure, 3)} "
        f"with the least B that can hold for every draw, {show(drawn / trivial, 2)} and {show(sure / trivial, 2)} times the longest "
        f"value: it {says}."
    )


def slope_sentence(sweep):
    s = sweep.slope
    if s is None:
        return ""
    return (
        f" From {sweep.axis} = {s['fitted_from_axis_value']:g} up, the fitted slope of log error against log {sweep.axis} is "
        f"{show(s['slope_log_error_per_log_axis'])} ({span(s['slope_lo'], s['slope_hi'])}); theory predicts "
        f"{show(s['predicted_slope'])} ({s['verdict']})."
    )


def scaled_sentence(row, symbol):
    return (
        f"{symbol} times the mean square error is {show(row['scaled_mse_value_units_squared'])} "
        f"({span(row['scaled_mse_lo_value_units_squared'], row['scaled_mse_hi_value_units_squared'])}); the exact "
        f"value is {show(row['predicted_scaled_mse_value_units_squared'], 5)} ({row['verdict']})."
    )


def tables_paragraph(sweep):
    value = production_value(sweep)
    row = sweep.at("finite-tables", value)
    return (
        f"With {value:g} tables the output differs from that of infinitely many tables by {error_of(row)}; the exact "
        f"large-L value is {show(row['predicted_value_units'], 5)}. {scaled_sentence(row, 'L')}"
        f"{slope_sentence(sweep)} {bound_sentence(row)} Theorem 3 requires at least "
        f"{show(row['required_tables_drawn_occupancy'], 3)} tables with drawn B and "
        f"{show(row['required_tables_sure_occupancy'], 3)} with sure B, which its proof needs. The bias, which no number "
        f"of tables removes, is {show(sweep.at('bias', value)['predicted_value_units'])}."
    )


def samples_paragraph(sweep):
    row = sweep.at("sampling", max(sweep.values))
    return (
        f"With {row['samples']:,.0f} samples T differs from the output it estimates by {error_of(row)}. "
        f"{scaled_sentence(row, 'M')} This exact value holds for every M, not only in a limit."
        f"{slope_sentence(sweep)} {bound_sentence(row)}"
    )


def temperature_paragraph(sweep):
    low, high = sweep.at("bias", min(sweep.values)), sweep.at("bias", max(sweep.values))
    noise_low = sweep.at("finite-tables", min(sweep.values))["predicted_value_units"]
    noise_high = sweep.at("finite-tables", max(sweep.values))["predicted_value_units"]
    return (
        f"The bias is {show(low['predicted_value_units'])} at τ = {min(sweep.values):g} and "
        f"{show(high['predicted_value_units'])} at τ = {max(sweep.values):g}, measured {error_of(low)} and "
        f"{error_of(high)}. The error of {low['tables']:.0f} tables at these temperatures is {show(noise_low)} and "
        f"{show(noise_high)}: temperature trades one error for the other. {bound_sentence(high)}"
    )


PARAGRAPHS = {"tables": tables_paragraph, "samples": samples_paragraph, "temperature": temperature_paragraph}
SEEN = {
    "tables": "The finite-table error falls along its exact line and the bias stays constant. The bounds lie above both.",
    "samples": "The sampling error falls along its exact line. The paper's bound lies above it.",
    "temperature": "With temperature the bias rises and the table error falls. The bounds lie above both.",
}


PARTS = {"sampling": "sampling", "finite-tables": "finite tables", "bias": "the bias"}


def largest_part(sweep):
    """Which part of the error is largest at the value of the axis nearest to the paper's."""
    value = production_value(sweep)
    parts = {name: sweep.at(term, value)["predicted_value_units"] for term, name in PARTS.items()}
    known = {name: size for name, size in parts.items() if not missing(size)}
    return (
        f" At {sweep.axis} = {value:g} the largest part of the error is {max(known, key=known.get)}."
        if len(known) > 1
        else ""
    )


def figures(folder, sweeps, facts):
    shown = []
    for sweep in sweeps:
        heading = f"Error against {sweep.axis}, {sweep.family} instance, P = {sweep.planes:.0f}"
        seen = SEEN[sweep.axis] + largest_part(sweep)
        made = figure(folder / f"{sweep.name}.svg", heading, f"Log plot: {seen}", seen, facts | sweep.command)
        shown.append(made | {"numbers": PARAGRAPHS[sweep.axis](sweep)})
    return shown
