"""What of a run of the main job do the tables of findings.md and of the README need? Cuts it into docs/records.

Usage: finding_records.py RESULTS [SEARCH]

RESULTS is the folder of `socketlab reproduce --profile standard --seed 1`, SEARCH that of `socketlab search`. Written
are verdicts.csv (a row for each statement), evidence.csv (what was observed of the statements that findings.md quotes),
error_curves.csv, error_slopes.csv, faults.csv, main_job.csv (command and version) and, of SEARCH, suprema.csv.
Numbers have all the digits of the run. A run of another profile or seed, or with a planted fault, is refused.
"""

import json
import sys
from pathlib import Path

from runs import arguments, read_table, verdicts, write_table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plots"))
from report_page import verdict_notes  # noqa: E402

TEXTS = ["id", "title", "source", "wording", "severity", "quote", "remark", "chance", "expected", "verdict"]
QUOTED = {
    "S002-T3-hypothesis", "S002-T3-vacuity", "S002-T3-universal", "S002-T3-almost-sure", "S002-L6g-scores",
    "S002-T3-universal-bias", "S002-T3-universal-any-B", "S002-T3-universal-tables", "OWN-14",
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
    for row in (row for row in rows if row["id"] in QUOTED):
        for piece in row["evidence"]:
            low, high = piece["observed"]
            yield piece | {"id": row["id"], "observed_lo": low, "observed_hi": high}


def of_job(provenance):
    """Command without its place, and what made its numbers."""
    if (provenance["profile"], provenance["seed"]) != ("standard", 1) or "fault" in provenance:
        raise ValueError("the records are of --profile standard --seed 1, without a fault")
    return [{name: provenance[name] for name in JOB} | {"command": "socketlab reproduce --profile standard --seed 1"}]


JOB = ["command", "version", "git_commit", "compiler", "libraries", "numbers"]


def write(name, columns, rows):
    write_table(Path(__file__).with_name(name), columns, ([row[column] for column in columns] for row in rows))


def main(results, search=None):
    folder = Path(results)
    write("main_job.csv", JOB, of_job(json.loads((folder / "provenance.json").read_text(encoding="utf-8"))))
    rows = verdicts(folder / "verdicts.jsonl")
    write("verdicts.csv", VERDICTS, verdict_rows(rows))
    write("evidence.csv", EVIDENCE, evidence_rows(rows))
    sweep = read_table(folder / "sweep.csv")  # of which the tables need the terms by themselves, along the tables
    write("error_curves.csv", CURVES, (row for row in sweep if row["axis"] == "tables" and row["term"] != "total"))
    write("error_slopes.csv", SLOPES, read_table(folder / "sweep_slopes.csv"))
    write("faults.csv", ["fault", "id"], read_table(folder / "faults.csv"))
    if search:
        found = read_table(Path(search) / "search.csv")
        write("suprema.csv", list(found[0]), found)


if __name__ == "__main__":
    main(*arguments(__doc__, 1, 2))
