"""What did the checks of the kernels on a GPU find? The grids and the planted faults, from gpu/records."""

import re

from records import ROOT, markdown, read, thousands, where

CHECKS = {
    "quick": "quick grid",
    "full": "full grid",
    "seeds": "quick grid, seeds 1 to 20",
    "memcheck": "memcheck, quick grid",
    "initcheck": "initcheck, quick grid",
    "synccheck": "synccheck, quick grid",
    "racecheck-tiny": "racecheck, tiny grid",
    "racecheck-score-signed": "racecheck, signed scores",
    "racecheck-select-keys": "racecheck, selections",
    "racecheck-decode-signed": "racecheck, steps with signed scores",
    "racecheck-decode-step": "racecheck, steps with soft collision",
    "racecheck-decode-lengths": "racecheck, steps with lengths on the device",
    "racecheck-decode-rows": "racecheck, several query rows",
    "racecheck-append-step": "racecheck, steps that append",
    "racecheck-paged-index": "racecheck, an index in pages",
    "racecheck-sharded-step": "racecheck, steps over ranks",
    "racecheck-1": "racecheck, first half of the quick grid",
    "racecheck-2": "racecheck, second half of the quick grid",
    "racecheck-hash-keys": "racecheck, cases of hashing",
    "delays-1": "quick grid with delays, seed 1",
    "delays-2": "quick grid with delays, seed 2",
    "delays-3": "quick grid with delays, seed 3",
    "delays-4": "quick grid with delays, seed 4",
}


def millions(count):
    return "" if count == "" else f"{count / 1e6:.1f} million"


def result(row):
    if row["exit_codes"] != 0 or row["sanitizer_errors"] not in ("", 0):
        return "**fails**"
    return "no error or hazard" if row["sanitizer_errors"] == 0 else f"{row['failed']:.0f} cases fail"


def checks():
    rows = read("gpu/records/checks.csv", text=("kernels",))
    if unnamed := {row["part"] for row in rows} - CHECKS.keys():
        raise ValueError(f"gpu/records/checks.csv: no words for {', '.join(sorted(unnamed))}")
    lines = []
    for words, row in ((words, row) for part, words in CHECKS.items() for row in where(rows, part=part)):
        cases = "" if row["cases"] == "" else thousands(row["cases"])
        compared = {"": "", 0: "none"}.get(row["comparisons"]) or millions(row["comparisons"])
        done = [cases, compared, f"{row['seconds']:.1f}", result(row)]
        lines.append([words, row["kernels"], row["gpu"], f"{row['processes']:.0f}", *done])
    return markdown(["check", "commit", "GPU", "processes", "cases", "comparisons", "seconds", "result"], lines)


EDITS = {
    "page_edits": "an index in pages",
    "row_edits": "query rows",
    "rank_edits": "several ranks",
    "signed_edits": "signed scores of shared heads",
    "edits": "all other kernels",
}


def edits_of(name):
    """The names of the edits of a list of gpu/planted that delays do not need."""
    text = (ROOT / f"gpu/planted/{name}.cmake").read_text(encoding="utf-8")
    return re.findall(r"^edit\((\S+)", text, re.MULTILINE)


def edits_not_run():
    """How many edits of a fast kernel the matrix has no line for."""
    edits = {f"edit-{edit}" for name in EDITS for edit in edits_of(name)}
    return len(edits - {row["fault"] for row in read("gpu/records/kill_matrix.csv")})


def synchronisation():
    """Edits of one barrier, wait or fence: in a build with delays on a GPU, and on an emulated device."""
    emulated = {row["fault"]: row["noticed_by"] for row in read("gpu/records/emulated_faults.csv")}
    verdicts = {row["fault"]: row["verdict"] for row in read("gpu/records/kill_matrix_delays.csv")}
    edits = edits_of("sync_edits")
    caught = [edit for edit in edits if verdicts.get(f"edit-{edit}") == "caught"]
    unseen = [edit for edit in edits if verdicts.get(f"edit-{edit}") == "unseen"]
    noticed = [edit for edit in edits if emulated.get(edit, "unnoticed") != "unnoticed"]
    if len(caught) + len(unseen) + sum(f"edit-{edit}" not in verdicts for edit in edits) != len(edits):
        raise ValueError("gpu/records/kill_matrix_delays.csv: a verdict that no page tells of")
    lines = []
    kinds = {
        "warp-": "lanes of one warp, by racecheck",
        "fence-": "order of memory",
        "copy-": "the wait for a copy",
        "block-": "a block that leaves its cluster",
        "": "all others",
    }
    named = tuple(kind for kind in kinds if kind)
    for kind, words in kinds.items():
        own = [e for e in edits if (e.startswith(kind) if kind else not e.startswith(named))]
        left = ", ".join(f"`{edit}`" for edit in own if edit not in caught + noticed)
        counts = [sum(edit in found for edit in own) for found in (caught, unseen, noticed)]
        lines.append([words, len(own), *counts, left])
    return markdown(
        ["edits of", "edits", "caught on a GPU", "unseen there", "noticed on an emulated device", "unnoticed by both"],
        lines,
    )


def emulated_edits():
    """What the checks on an emulated device noticed, of the edits that were run there."""
    rows = {row["fault"]: row for row in read("gpu/records/emulated_faults.csv")}
    lines = []
    for name, words in (EDITS | {"sync_edits": "a barrier, a wait or a fence"}).items():
        run = [rows[edit] for edit in edits_of(name) if edit in rows]
        unnoticed = [f"`{row['fault']}`" for row in run if row["noticed_by"] == "unnoticed"]
        lines.append(
            [f"`{name}.cmake`: {words}", len(edits_of(name)), len(run), len(run) - len(unnoticed), ", ".join(unnoticed)]
        )
    none = rows["none"]
    if none["noticed_by"] != "unnoticed":
        raise ValueError("gpu/records/emulated_faults.csv: the kernels as they are do not pass")
    lines.append(["no edit", 1, 1, 0, f"as it must be, {thousands(none['cases'])} cases"])
    return markdown(["edits", "how many", "run", "noticed", "not noticed"], lines)


def kill_matrix():
    rows = read("gpu/records/kill_matrix.csv")
    cases = [row["cases"] for row in rows]
    run = " to ".join(thousands(count) for count in sorted({min(cases), max(cases)}))
    lines = [["run on a GPU", len(rows), f"{len(where(rows, verdict='caught'))} caught", run]]
    if edits_not_run():
        lines.append(["not yet run on a GPU", edits_not_run(), "none", "none"])
    return markdown(["edits", "how many", "verdict", "cases run before the verdict"], lines)


def kills_by_operation():
    rows = [row for row in read("gpu/records/kill_matrix.csv") if row["verdict"] == "caught"]
    operations = [name for name in rows[0] if name not in ("fault", "verdict", "cases")]
    counts = {name: sum(row[name] not in ("", 0) for row in rows) for name in operations}
    lines = [[f"`{name}`", count] for name, count in sorted(counts.items(), key=lambda item: -item[1])]
    return markdown(["operation", "faults noticed by its cases"], lines)


TABLES = {
    "gpu checks": checks,
    "gpu kill matrix": kill_matrix,
    "gpu kill matrix of delays": synchronisation,
    "gpu kills by operation": kills_by_operation,
    "gpu emulated edits": emulated_edits,
}
OF_ROWS = {"gpu kill matrix of delays"}  # which counts them


def caught(name, operations):
    """How many edits of a list a GPU caught, which are all that ran, and how many of them a case of each operation noticed."""
    edits = {f"edit-{edit}" for edit in edits_of(name)}
    rows = [row for row in read("gpu/records/kill_matrix.csv") if row["fault"] in edits]
    missed = [row["fault"] for row in rows if row["verdict"] != "caught"]
    if missed:
        raise ValueError(f"gpu/planted/{name}.cmake: not caught: {missed[0]}")
    noticed = {
        operation.replace("-", "_"): sum(row[operation] not in ("", 0) for row in rows) for operation in operations
    }
    return {"all": len(rows)} | noticed


def caught_once():
    """Of edits with delays, but for lanes of a warp: how many one failed case alone speaks for, and the emulated device too."""
    emulated = {row["fault"] for row in read("gpu/records/emulated_faults.csv") if row["noticed_by"] != "unnoticed"}
    rows = where(read("gpu/records/kill_matrix_delays.csv"), verdict="caught")
    counts = {
        row["fault"].removeprefix("edit-"): sum(
            row[name] or 0 for name in row if name not in ("fault", "verdict", "cases")
        )
        for row in rows
        if not row["fault"].startswith("edit-warp-")
    }
    once = {fault for fault, count in counts.items() if count == 1}
    return {"once": len(once), "too": len(once & emulated)}
