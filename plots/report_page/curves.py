"""How far are the printed, the repaired and our own bounds from the exact and the measured errors, term by term and along
each axis? From sweep.csv, sweep_slopes.csv and, for our bounds, bound_ratios.csv.
"""

from figures.sweeps import where
from markupsafe import Markup

from report_page.digits import missing, show, span
from report_page.shell import Cell, caption, figure, verdict

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


def production_value(sweep):
    return min(sweep.values, key=lambda value: abs(value - PRODUCTION_TABLES))


# --- our own bounds -------------------------------------------------------------------------------------------------

SAME = ("family", "keys", "planes", "tables", "samples", "temperature", "term")


def own_bound(bounds, row):
    """Our bound of the row's term at the row's setting; NaN where bound_ratios.csv has none."""
    same = where(bounds, bound=OWN[row["term"]], **{name: row[name] for name in SAME})
    return same[0]["bound_value_units"] if same else float("nan")


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
        shown.append(made | {"numbers": caption(sweep.axis, sweep=sweep, value=production_value(sweep))})
    return shown
