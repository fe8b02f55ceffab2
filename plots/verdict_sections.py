"""The parts of report.html on statements: every verdict, what is printed wrongly, and which readings do not hold.

Every number is read from verdicts.jsonl.
"""

import re

from page import Html, html, interval, short, table, verdict

WORDINGS = {"printed": "printed", "reading": "a reading", "ours": "ours"}
# Gravest first.
SEVERITIES = {
    "wrong-result": "wrong result",
    "wrong-step": "wrong proof step",
    "imprecise": "imprecise",
    "misprint": "misprint",
}


def quoted(row):
    return f"\u201c{row['quote']}\u201d" if row["quote"] else ""


# --- verdicts -------------------------------------------------------------------------------------------------------


def bound_ratios(row):
    """How many times the true quantile each bound of the statement is: the smallest and the largest, or nothing."""
    ratios = [e["bound_over_quantile"] for e in row["evidence"] if e.get("bound_over_quantile") is not None]
    if not ratios:
        return ""
    low, high = min(ratios), max(ratios)
    return f"bound/quantile {short(low)}" + (f" to {short(high)}" if high > low else "")


def observed_cell(row):
    low, high = row.get("observed") or [None, None]
    notes = [bound_ratios(row), "share of the error nominal" if row.get("share") == "nominal" else ""]
    small = "; ".join(note for note in notes if note)
    return Html(
        (short(low) if low == high else interval(low, high))
        + (f"<br><span class=small>{small}</span>" if small else "")
    )


def factor_cell(factors):
    """By which factors the claimed values could be multiplied and be refuted by this evidence."""
    parts = [f"below {short(factors['below'])}"] if "below" in factors else []
    return " or ".join(parts + ([f"above {short(factors['above'])}"] if "above" in factors else []))


def variant_list(variants):
    return "".join(f"<li>{html(v['name'])}: {html(v['verdict'])}</li>" for v in variants)


def lies_cell(row):
    refuted = sum(mutant["verdict"] == "refuted" for mutant in row["mutants"])
    near = "one near" if row["near_mutant"] else row["no_near_mutant"]
    controls = f"<p>Controls:</p><ul>{variant_list(row['controls'])}</ul>" if row["controls"] else ""
    return Html(
        f"{refuted} of {len(row['mutants'])}<details><summary>list</summary><ul>{variant_list(row['mutants'])}</ul>"
        f"<p>{html(near)}</p>{controls}<p><code>{html(row['command'])}</code></p></details>"
    )


def title_cell(row):
    lines = [f"{row['source']}; {row['scope']}", quoted(row), row["remark"]]
    small = "<br>".join(html(line) for line in lines if line)
    return Html(f"{html(row['title'])}<br><span class=small>{small}</span>")


def verdict_row(row):
    expected = "" if row["verdict"] == row["expected"] else f" (expected {row['expected']})"
    return [
        row["id"],
        WORDINGS[row["wording"]],
        title_cell(row),
        Html(f"{html(row.get('quantity', ''))} {html(row.get('relation', ''))} {short(row.get('claimed'))}"),
        observed_cell(row),
        factor_cell(row["refuted_factors"]),
        Html(verdict(row["verdict"]) + html(expected)),
        lies_cell(row),
    ]


def count_of(variants, wanted):
    return sum(variant["verdict"] == wanted for variant in variants)


def verdict_section(rows):
    if not rows:
        return "<p>This run has no verdicts.</p>"
    as_expected = sum(row["as_expected"] for row in rows)
    mutants = [mutant for row in rows for mutant in row["mutants"]]
    controls = [control for row in rows for control in row["controls"]]
    near = sum(row["near_mutant"] for row in rows)
    words = ", ".join(f"{sum(row['wording'] == key for row in rows)} {name}" for key, name in WORDINGS.items())
    lead = (
        f"<p>{as_expected} of {len(rows)} statements came out as expected; {count_of(mutants, 'refuted')} of "
        f"{len(mutants)} mutants (the same statement with a planted lie) were refuted, {near} statements have one near "
        f"the truth; {count_of(controls, 'not-refuted')} of {len(controls)} controls (the same check on something "
        "true, beside a statement that is refuted) were not. <em>Not refuted</em> means that the measurement had the "
        "power to see the stated deviation and did not; nothing here is called proved.</p>"
        f"<p>Whose words: {words}. <em>Printed</em> are the source's own, quoted; a <em>reading</em> is a strengthening "
        "that readers may take away; <em>ours</em> is a corrected or sharper form, or a bound of this project. The "
        "claim and the observation shown are the piece of evidence nearest to refutation. <em>Refuted with the claim "
        "times</em>: by which factors the claimed values could be multiplied so that this evidence refutes them; for a "
        "bound, how much smaller it could be made. A share of the error is <em>nominal</em> where it is exact for "
        "normal samples only. Each list ends with the command that makes the row again, to the byte.</p>"
    )
    columns = [
        "id", "words", "statement", "claim", "observed", "refuted with the claim times", "verdict", "mutants refuted",
    ]  # fmt: skip
    return lead + table(columns, [verdict_row(row) for row in rows])


# --- what does not hold ---------------------------------------------------------------------------------------------


def corrected_forms(row, rows):
    """The statements that say it rightly: named ID-corrected, or named in the remark."""
    mentioned = set(re.findall(r"S00\d-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", row["remark"]))
    return [
        other
        for other in rows
        if other["expected"] == "not-refuted" and (other["id"] == f"{row['id']}-corrected" or other["id"] in mentioned)
    ]


def says_rightly(row, rows):
    return "".join(
        f"<p><b>So it is</b> ({html(other['id'])}, {verdict(other['verdict'])}): {html(other['title'])}. "
        f"<span class=small>{html(other['scope'])}</span></p>"
        for other in corrected_forms(row, rows)
    )


def controls_of(row):
    return "".join(
        f"<p><b>Control</b> the same check on something true, {html(control['name'])}: {verdict(control['verdict'])}.</p>"
        for control in row["controls"]
    )


def false_statement(kind, label, row, rows):
    low, high = row.get("observed") or [None, None]
    observed = f"= {short(low, 6)}" if low == high else f"in {interval(low, high)}"
    words = f"{html(quoted(row))}, " if row["quote"] else ""
    return (
        f'<article id="{kind}-{html(row["id"])}"><h3>{html(row["id"])}: {html(row["title"])}</h3>'
        f"<p class=small><b>{html(label)}</b>; {words}{html(row['source'])}; read for: {html(row['scope'])}</p>"
        f"<p><b>Wrong because</b> {html(row['remark'])}</p>"
        f"<p><b>Counterexample</b> {html(row.get('instance', ''))}: {html(row.get('quantity', ''))} {observed}; "
        f"as {'printed' if kind == 'erratum' else 'read'} it would be {html(row.get('relation', ''))} "
        f"{short(row.get('claimed'), 6)} ({verdict(row['verdict'])}).</p>{controls_of(row)}{says_rightly(row, rows)}"
        "</article>"
    )


def is_erratum(row):
    """Only what is printed can be."""
    return row["expected"] == "refuted" and row["wording"] == "printed"


def errata_section(rows):
    wrong = [row for row in rows if is_erratum(row)]
    if not wrong:
        return "<p>This run holds no statement that is false as printed.</p>"
    grave = list(SEVERITIES)
    wrong.sort(key=lambda row: grave.index(row["severity"]) if row["severity"] in grave else len(grave))
    counts = [(sum(row["severity"] == key for row in wrong), name) for key, name in SEVERITIES.items()]
    lead = (
        f"<p>{len(wrong)} statements are false or incomplete as printed, the gravest first: "
        f"{', '.join(f'{count} {name}' for count, name in counts if count)}. Each stands with the source's words and "
        "their place, the reason, one counterexample small enough to check by hand or with its numbers from this run, "
        "a control that shows the check to accept what is true, and the corrected statement where there is one.</p>"
    )
    articles = (false_statement("erratum", SEVERITIES.get(row["severity"], ""), row, rows) for row in wrong)
    return "\n".join([lead, *articles])


def readings_section(rows):
    wrong = [row for row in rows if row["expected"] == "refuted" and not is_erratum(row)]
    if not wrong:
        return "<p>This run holds no reading that fails.</p>"
    lead = (
        f"<p>{len(wrong)} statements are no errata, for the sources do not print them: strengthenings that readers may "
        "take away, or printed results carried further than they hold.</p>"
    )
    return "\n".join([lead, *(false_statement("reading", WORDINGS[row["wording"]], row, rows) for row in wrong)])
