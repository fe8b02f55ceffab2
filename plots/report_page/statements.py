"""What does the report show of every statement? Its claim and what was observed, its wording and source, method and power,
evidence, planted lies, controls, the place in the code and the command. From verdicts.jsonl and kill_matrix.csv.
"""

from report_page import digits
from report_page.lies import groups
from report_page.shell import Cell, expected_verdict
from report_page.verdict_notes import area, vacuous_note, why_none_near

WORDINGS = {"printed": "printed", "reading": "a reading", "ours": "ours"}
EVIDENCE = ["instance", "quantity", "observed", "claimed", "trials", "law", "bound / quantile", "bound / trivial bound"]
LIES = ["lie or control", "verdict", "instance", "quantity", "observed", "claimed", "distance from claim",
        "visible deviation", "meaning", "refuted if the claim is multiplied by"]  # fmt: skip


LEAST_FACTOR = digits.NEARLY_NOTHING  # and its inverse: a factor beyond is none that anybody would ask for


def bound_ratios(row):
    """The smallest and the largest ratio of a bound of the statement to the true quantile; empty without one."""
    ratios = [e["bound_over_quantile"] for e in row["evidence"] if e.get("bound_over_quantile") is not None]
    return digits.span(min(ratios), max(ratios)) if ratios else ""


def factors_text(below, above):
    """The factors by which the claimed values could be multiplied so that this evidence refutes them."""
    sides = (("below", below), ("above", above))
    told = [
        (side, factor) for side, factor in sides if not digits.missing(factor) and LEAST_FACTOR < factor < digits.FAR
    ]
    return " or ".join(f"{side} {digits.show(factor)}" for side, factor in told)


def law_text(piece):
    law = piece.get("basis", {}).get("law", "")
    return {"point": "a number", "known-deviation": "known deviation"}.get(law, law)


def evidence_row(piece):
    return [
        piece.get("instance", ""),
        piece.get("quantity", ""),
        digits.span(*(piece.get("observed") or [None, None])),
        digits.claim(piece.get("relation", ""), piece.get("claimed")),
        Cell(piece.get("trials")),
        law_text(piece),
        Cell(piece.get("bound_over_quantile")),
        Cell(piece.get("bound_over_trivial")),
    ]


def lie_row(row):
    """From a row of kill_matrix.csv."""
    control = "control: " if row["measured"] == "control" else ""
    near = " (near the truth)" if row["near"] == "yes" else ""
    return [
        f"{control}{row['mutant']}{near}",
        expected_verdict(row["verdict"], row["expected"]),
        row["instance"],
        row["quantity"],
        digits.span(row["observed_lo"], row["observed_hi"]),
        digits.claim(row["relation"], row["claimed"]),
        Cell(row["distance_from_claim"], 3),
        Cell(row["visible_deviation"], 3),
        row["deviation_is"],
        factors_text(row["refuted_below_factor"], row["refuted_above_factor"]),
    ]


def bare_lies(row):
    """What verdicts.jsonl alone says of lies and controls, without the evidence that decides."""
    named = [(lie["name"], lie["verdict"], "refuted") for lie in row["mutants"]]
    named += [(f"control: {control['name']}", control["verdict"], "not-refuted") for control in row["controls"]]
    return [[name, expected_verdict(verdict, expected)] for name, verdict, expected in named]


def deciding(row, kills):
    """The line of the kill matrix that is the statement as claimed: distance and visible deviation."""
    return next((kill for kill in kills if kill["measured"] == "statement"), None)


def view(row, kills):
    lies = [kill for kill in kills if kill["measured"] != "statement"]
    claim = deciding(row, kills)
    return {
        "row": row,
        "anchor": f"statement-{row['id']}",
        "area": area(row),
        "wording": WORDINGS.get(row["wording"], row["wording"]),
        "claimed": digits.claim(row.get("relation", ""), row.get("claimed")),
        "observed": digits.span(*(row.get("observed") or [None, None])),
        "ratios": bound_ratios(row),
        "vacuous": vacuous_note(row),
        "no_near_lie": why_none_near(row),
        "factors": factors_text(row["refuted_factors"].get("below"), row["refuted_factors"].get("above")),
        "distance": digits.show(claim["distance_from_claim"], 3) if claim else "",
        "visible": digits.show(claim["visible_deviation"], 3) if claim else "",
        "deviation_is": claim["deviation_is"] if claim else "",
        "evidence": [evidence_row(piece) for piece in row["evidence"]],
        "evidence_columns": EVIDENCE,
        "lies": [lie_row(kill) for kill in lies] or bare_lies(row),
        "lie_columns": LIES if lies else LIES[:2],
        "caught": sum(lie["verdict"] == "refuted" for lie in row["mutants"]),
    }


def statements(rows, kill_rows):
    """Views in the order of the file, and what the filters offer: areas, verdicts and wordings that occur."""
    of_statement = dict(groups(kill_rows, lambda row: row["id"]))
    views = [view(row, of_statement.get(row["id"], [])) for row in rows]
    offered = {
        "area": sorted({shown["area"] for shown in views}),
        "verdict": sorted({row["verdict"] for row in rows}),
        "wording": [name for name in WORDINGS.values() if any(shown["wording"] == name for shown in views)],
    }
    return {"views": views, "offered": offered}
