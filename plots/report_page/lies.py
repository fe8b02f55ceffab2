"""How many planted lies were caught, by how much, and which statements notice a planted fault? Counts and factors from
kill_matrix.csv and faults.csv.
"""

from figures.sweeps import groups

from report_page import digits
from report_page.shell import Cell
from report_page.verdict_notes import area, why_none_near

FROM_CHANCE = "seen with probability 0.99"
# Of a lie: the class of its colour, in the order of the legend. Signs and factors say the same without colour.
CLASSES = {
    "exact": "caught exactly",
    "far": "caught, at least 10 times",
    "clear": "caught, 3 to 10 times",
    "near": "caught, below 3 times",
    "alive": "not caught",
}
FAR, CLEAR = 10, 3
FAULT_EVIDENCE = ["fault", "statement", "instance: quantity", "observed", "claimed", "distance from claim",
                  "visible deviation", "meaning"]  # fmt: skip


def factor_of(row):
    """The distance of the lie from the evidence, in smallest visible deviations; None where nothing is random."""
    visible = row["visible_deviation"]
    if row["deviation_is"] != FROM_CHANCE or not visible > 0:
        return None
    return row["distance_from_claim"] / visible


def class_of(row):
    if row["verdict"] != "refuted":
        return "alive"
    factor = factor_of(row)
    if factor is None:
        return "exact"
    return "far" if factor >= FAR else "clear" if factor >= CLEAR else "near"


def cell_of(row):
    factor = factor_of(row)
    return {
        "look": class_of(row),
        "sign": "✓" if row["verdict"] == "refuted" else "✗",
        "factor": "exact" if factor is None else f"{digits.show(factor, 2)}×",
        "name": row["mutant"],
        "near": row["near"] == "yes",
    }


def area_view(area, statements):
    """statements: [(id, its lies)]."""
    lies = [lie for _, members in statements for lie in members]
    factors = [factor for factor in map(factor_of, lies) if factor is not None]
    return {
        "area": area,
        "lies": len(lies),
        "caught": sum(lie["verdict"] == "refuted" for lie in lies),
        "counts": [(look, sum(class_of(lie) == look for lie in lies)) for look in CLASSES],
        "weakest": f"{digits.show(min(factors), 2)}×" if factors else "exact",
        "rows": [(identifier, [cell_of(lie) for lie in members]) for identifier, members in statements],
        "width": max(len(members) for _, members in statements),
    }


def near_sentence(statements):
    """(with a near lie, all that are not refuted, [(id, why none)])."""
    true_ones = [row for row in statements if row["expected"] == "not-refuted"]
    without = [(row["id"], why_none_near(row)) for row in true_ones if not row["near_mutant"]]
    return len(true_ones) - len(without), len(true_ones), without


def kill_matrix(rows, statements):
    """None where the run has no lie."""
    lies = [row for row in rows if row["measured"] == "mutant"]
    if not lies:
        return None
    by_area, areas = {}, {row["id"]: area(row) for row in statements}
    for identifier, members in groups(lies, lambda row: row["id"]):
        by_area.setdefault(areas.get(identifier, "Statements"), []).append((identifier, members))
    near, of, without = near_sentence(statements)
    return {
        "classes": CLASSES, "areas": [area_view(area, members) for area, members in sorted(by_area.items())],
        "caught": sum(row["verdict"] == "refuted" for row in lies), "lies": len(lies),
        "clearly": sum(row["distance_from_claim"] >= row["visible_deviation"] for row in lies),
        "survivors": [row for row in lies if row["verdict"] != "refuted"], "near": near, "near_of": of,
        "without_near": without,
    }  # fmt: skip


def fault_row(row):
    return [
        row["fault"], row["id"], f"{row['instance']}: {row['quantity']}",
        digits.span(row["observed_lo"], row["observed_hi"]), digits.claim(row["relation"], row["claimed"]),
        Cell(row["distance_from_claim"], 3), Cell(row["visible_deviation"], 3), row["deviation_is"],
    ]  # fmt: skip


def faults(rows, profile=""):
    """None where the run planted none. The profile quick asks until a statement notices the fault."""
    if not rows:
        return None
    noticed = [row for row in rows if row["id"]]
    return {
        "command": rows[0]["command"],
        "only_first": profile == "quick",
        "by_fault": [(fault, [row["id"] for row in members if row["id"]])
                     for fault, members in groups(rows, lambda row: row["fault"])],
        "columns": FAULT_EVIDENCE,
        "evidence": [fault_row(row) for row in noticed],
    }  # fmt: skip
