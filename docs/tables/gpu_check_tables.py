"""What did the checks of the kernels on a GPU find? The grids and the planted faults, from gpu/records."""

import re

from records import ROOT, markdown, one, read, thousands, where

CHECKS = {
    "quick": "quick grid",
    "full": "full grid",
    "full-alone": "full grid, one process",
    "seeds": "quick grid, seeds 1 to 20",
    "memcheck": "memcheck, quick grid",
    "initcheck": "initcheck, quick grid",
    "synccheck": "synccheck, quick grid",
    "racecheck-1": "racecheck, first half of the quick grid",
    "racecheck-2": "racecheck, second half",
    "racecheck-hash": "racecheck, cases of hashing with their kernel",
    "kills": "planted faults",
}


def millions(count):
    return "" if count == "" else f"{count / 1e6:.1f} million"


def result(row):
    if row["exit_codes"] != 0 or row["sanitizer_errors"] not in ("", 0):
        return "**fails**"
    if row["failed"] == "":
        return "as wanted"
    return "no error or hazard" if row["sanitizer_errors"] == 0 else f"{row['failed']:.0f} cases fail"


def checks():
    rows = read("gpu/records/checks.csv")
    lines = []
    for part, words in CHECKS.items():
        row = one(rows, part=part)
        cases = "" if row["cases"] == "" else thousands(row["cases"])
        compared = {"": "", 0: "none"}.get(row["comparisons"]) or millions(row["comparisons"])
        lines.append([words, f"{row['processes']:.0f}", cases, compared, f"{row['seconds']:.1f}", result(row)])
    return markdown(["what", "processes", "cases", "comparisons", "seconds", "result"], lines)


def kill_rows(kind):
    """Of `edit-`, `none-` or neither."""
    rows = read("gpu/records/kill_matrix.csv")
    if kind:
        return [row for row in rows if row["fault"].startswith(kind)]
    return [row for row in rows if not row["fault"].startswith(("edit-", "none-"))]


def edits_not_run():
    """How many edits of a fast kernel the matrix has no line for."""
    names = ("edits.cmake", "page_edits.cmake", "row_edits.cmake")
    text = "".join((ROOT / "gpu/planted" / name).read_text(encoding="utf-8") for name in names)
    edits = {f"edit-{name}" for name in re.findall(r"^edit\((\S+)", text, re.MULTILINE)}
    return len(edits - {row["fault"] for row in kill_rows("edit-")})


def kill_matrix():
    lines = []
    for kind, words, wanted in (
        ("edit-", "an edit of one passage of a fast kernel", "caught"),
        ("", "a plain second implementation with one fault", "caught"),
        ("none-", "a plain second implementation without a fault", "passed"),
    ):
        rows = kill_rows(kind)
        cases = [row["cases"] for row in rows]
        run = " to ".join(thousands(count) for count in sorted({min(cases), max(cases)}))
        lines.append([words, len(rows), f"{len(where(rows, verdict=wanted))} {wanted}", run])
    if edits_not_run():
        lines.append(["an edit of one passage that is not in the matrix", edits_not_run(), "not run for it", "none"])
    return markdown(["library", "how many", "verdict", "cases run until then"], lines)


def kills_by_operation():
    rows = [row for row in read("gpu/records/kill_matrix.csv") if row["verdict"] == "caught"]
    operations = [name for name in rows[0] if name not in ("fault", "verdict", "cases")]
    counts = {name: sum(row[name] not in ("", 0) for row in rows) for name in operations}
    lines = [[f"`{name}`", count] for name, count in sorted(counts.items(), key=lambda item: -item[1])]
    return markdown(["operation", "faults that a case of it noticed"], lines)


TABLES = {
    "gpu checks": checks,
    "gpu kill matrix": kill_matrix,
    "gpu kills by operation": kills_by_operation,
}
SENTENCES = []
