"""What of a run of the main job do the tables of findings.md and of the README need? Cuts it into docs/records.

Usage: finding_records.py RESULTS [SEARCH]

RESULTS is the folder of `socketlab reproduce --profile standard --seed 1`, SEARCH that of `socketlab search`. Written
are verdicts.csv (a row for each statement), evidence.csv (what was observed of the statements that findings.md quotes),
error_curves.csv, error_slopes.csv, faults.csv, main_job.csv (command and version) and, of SEARCH, suprema.csv.
Numbers have all the digits of the run. A run of another profile or seed, or with a planted fault, is refused.
"""

import csv
import json
import sys
from pathlib import Path

from records import ROOT

sys.path.insert(0, str(ROOT / "plots"))
from report_page import verdict_notes  # noqa: E402

TARGET = ROOT / "docs/records"
TEXTS = ["id", "title", "source", "wording", "severity", "quote", "remark", "chance", "expected", "verdict"]
QUOTED = {
    "S002-T3-hypothesis", "S002-T3-vacuity", "S002-T3-universal", "S002-T3-almost-sure", "S002-L6g-scores",
    "S002-L6g-best-independent", "S002-F2abc-ceiling", "S002-RATE-length", "S002-RATE-length-tables",
}  # fmt: skip
CURVES = [
    "family", "axis", "axis_value", "term", "keys", "dim", "planes", "tables", "samples", "temperature", "trials",
    "error_value_units", "error_lo_value_units", "error_hi_value_units", "predicted_value_units",
    "bound_drawn_occupancy_value_units", "bound_sure_occupancy_value_units", "bound_repaired_value_units",
    "trivial_bound_value_units", "scaled_mse_value_units_squared", "predicted_scaled_mse_value_units_squared", "delta",
    "required_tables_drawn_occupancy", "required_tables_sure_occupancy",
]  # fmt: skip
SLOPES = [
    "family", "axis", "term", "planes", "temperature", "fitted_from_axis_value", "slope_log_error_per_log_axis",
    "slope_lo", "slope_hi", "predicted_slope",
]  # fmt: skip


def count(variants, verdict):
    return sum(variant["verdict"] == verdict for variant in variants)


def verdict_rows(rows):
    """The list of statements with what became of them; the part of it that no run changes is compared by a test."""
    return [
        {name: row[name] for name in TEXTS}
        | {
            "area": verdict_notes.area(row),
            "mutants": len(row["mutants"]),
            "mutants_refuted": count(row["mutants"], "refuted"),
            "controls": len(row["controls"]),
            "controls_let_pass": count(row["controls"], "not-refuted"),
            "bound_settings": row.get("bound_settings", {}).get("of", 0),
            "vacuous_settings": row.get("bound_settings", {}).get("vacuous", 0),
        }
        for row in rows
    ]


VERDICTS = [
    "id", "area", *TEXTS[1:], "mutants", "mutants_refuted", "controls", "controls_let_pass",
    "bound_settings", "vacuous_settings",
]  # fmt: skip
EVIDENCE = ["id", "instance", "quantity", "relation", "claimed", "observed_lo", "observed_hi", "trials"]


def evidence_rows(rows):
    found = []
    for row in rows:
        if row["id"] not in QUOTED:
            continue
        for piece in row["evidence"]:
            low, high = piece["observed"]
            cells = {name: piece[name] for name in ("instance", "quantity", "relation", "trials")}
            numbers = {"claimed": piece["claimed"], "observed_lo": low, "observed_hi": high}
            found.append({"id": row["id"]} | cells | numbers)
    return found


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def write(name, columns, rows):
    with open(TARGET / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def is_needed(row):
    """Of the curves: along the tables, every error term by itself."""
    return row["axis"] == "tables" and row["term"] != "total"


def of_job(provenance):
    """Command without its place, and what made its numbers."""
    if (provenance["profile"], provenance["seed"]) != ("standard", 1) or "fault" in provenance:
        raise ValueError("the records are of --profile standard --seed 1, without a fault")
    return [{name: provenance[name] for name in JOB} | {"command": "socketlab reproduce --profile standard --seed 1"}]


JOB = ["command", "version", "git_commit", "compiler", "libraries", "numbers"]


def write_main_job(folder):
    write("main_job.csv", JOB, of_job(json.loads((folder / "provenance.json").read_text(encoding="utf-8"))))
    rows = read_rows(folder / "verdicts.jsonl")
    write("verdicts.csv", VERDICTS, verdict_rows(rows))
    write("evidence.csv", EVIDENCE, evidence_rows(rows))
    write("error_curves.csv", CURVES, filter(is_needed, read_csv(folder / "sweep.csv")))
    write("error_slopes.csv", SLOPES, read_csv(folder / "sweep_slopes.csv"))
    write("faults.csv", ["fault", "id"], read_csv(folder / "faults.csv"))


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    write_main_job(Path(arguments[0]))
    if len(arguments) == 2:
        rows = read_csv(Path(arguments[1]) / "search.csv")
        write("suprema.csv", list(rows[0]), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
