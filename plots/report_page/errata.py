"""What is printed wrongly, and which readings do not hold? Of each the source's words, the reason, the counterexample, the
control, and the statement that says it rightly. Every number is read from verdicts.jsonl.
"""

import re

from report_page import digits

# Gravest first: one, several, and what the word means.
SEVERITIES = {
    "wrong-result": ("wrong result", "wrong results"),
    "wrong-step": ("wrong proof step", "wrong proof steps"),
    "imprecise": ("imprecise", "imprecise"),
    "misprint": ("misprint", "misprints"),
}
MEANINGS = {
    "wrong-result": "what the source concludes is false",
    "wrong-step": "a step of a proof is false, and its result holds or can be mended",
    "imprecise": "true with a condition, a factor or a word that is missing",
    "misprint": "a slip that its context puts right",
}
NAMED = re.compile(r"\b(?:S00\d|OWN)-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def is_erratum(row):
    """Only what is printed can be."""
    return row["expected"] == "refuted" and row["wording"] == "printed"


def is_failed_reading(row):
    return row["expected"] == "refuted" and row["wording"] != "printed"


def corrected_forms(row, rows):
    """The statements that say it rightly: named ID-corrected, or named in the remark."""
    mentioned = set(NAMED.findall(row["remark"]))
    return [
        other
        for other in rows
        if other["expected"] == "not-refuted" and (other["id"] == f"{row['id']}-corrected" or other["id"] in mentioned)
    ]


def claim_text(row, shown=4):
    return digits.claim(row.get("relation", ""), row.get("claimed"), shown)


def observed_text(row, shown=4):
    low, high = row.get("observed") or [None, None]
    text = digits.span(low, high, shown)
    return f"between {text.replace(' to ', ' and ')}" if low != high else text


def counterexample(row, kind):
    return {
        "instance": row.get("instance", ""),
        "quantity": row.get("quantity", ""),
        "observed": observed_text(row),
        "claimed": claim_text(row),
        "as": "as printed" if kind == "erratum" else "as read",
    }


def entry(row, rows, kind):
    return {
        "row": row,
        "anchor": f"{kind}-{row['id']}",
        "severity": SEVERITIES[row["severity"]][0] if row["severity"] in SEVERITIES else "",
        "example": counterexample(row, kind),
        "corrected": corrected_forms(row, rows),
    }


def errata(rows):
    """[(severity, its words, what it means, entries)], the gravest first; an unknown severity last."""
    wrong = [row for row in rows if is_erratum(row)]
    known = [
        (key, names[1], MEANINGS[key], [entry(row, rows, "erratum") for row in wrong if row["severity"] == key])
        for key, names in SEVERITIES.items()
    ]
    others = [entry(row, rows, "erratum") for row in wrong if row["severity"] not in SEVERITIES]
    return [group for group in [*known, ("other", "without a severity", "", others)] if group[3]]


def readings(rows):
    return [entry(row, rows, "reading") for row in rows if is_failed_reading(row)]
