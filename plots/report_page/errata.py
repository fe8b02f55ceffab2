"""What is printed wrongly, and which readings do not hold? Each entry has the source's words, the reason, a counterexample,
a control, and the corrected statement. Every number is read from verdicts.jsonl.
"""

import re

# Most severe first: the word for one and for several.
SEVERITIES = {
    "wrong-result": ("wrong result", "wrong results"),
    "wrong-step": ("wrong identification in an argument", "wrong identifications in arguments"),
    "imprecise": ("imprecise", "imprecise"),
    "misprint": ("misprint", "misprints"),
}
MEANINGS = {
    "wrong-result": "what the source concludes is false",
    "wrong-step": "a step of an argument is false, but what it is to show holds or can be repaired",
    "imprecise": "true once a missing condition, factor or word is added",
    "misprint": "a slip that the context corrects",
}
NAMED = re.compile(r"\b(?:S00\d|OWN)-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def is_erratum(row):
    """Only a printed claim can be."""
    return row["expected"] == "refuted" and row["wording"] == "printed"


def is_failed_reading(row):
    return row["expected"] == "refuted" and row["wording"] != "printed"


def corrected_forms(row, rows):
    """The corrected statements: named ID-corrected, or named in the remark."""
    mentioned = set(NAMED.findall(row["remark"]))
    return [
        other
        for other in rows
        if other["expected"] == "not-refuted" and (other["id"] == f"{row['id']}-corrected" or other["id"] in mentioned)
    ]


def entry(row, rows, kind):
    return {
        "row": row,
        "anchor": f"{kind}-{row['id']}",
        "as": "as printed" if kind == "erratum" else "as read",
        "corrected": corrected_forms(row, rows),
    }


def errata(rows):
    """[(severity, its words, what it means, entries)], most severe first; an unknown severity last."""
    wrong = [row for row in rows if is_erratum(row)]
    known = [
        (key, names[1], MEANINGS[key], [entry(row, rows, "erratum") for row in wrong if row["severity"] == key])
        for key, names in SEVERITIES.items()
    ]
    others = [entry(row, rows, "erratum") for row in wrong if row["severity"] not in SEVERITIES]
    return [group for group in [*known, ("other", "without a severity", "", others)] if group[3]]


def readings(rows):
    return [entry(row, rows, "reading") for row in rows if is_failed_reading(row)]
