"""What do the result files hold? Reads them into rows; computes nothing."""

import csv
import json
from pathlib import Path

TEXT_COLUMNS = {"family", "axis", "term", "verdict", "setting", "truth", "ranker", "metric", "size", "quantity", "stage",
                "backend", "rule", "operation", "note", "head", "ranking"}


def number(text):
    return float(text) if text else float("nan")


def read_csv(path):
    """Rows as dictionaries; numbers as float, an empty cell as NaN. [] if there is no such file."""
    if not Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: text if key in TEXT_COLUMNS else number(text) for key, text in row.items()}
                for row in csv.DictReader(file)]


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8")) if Path(path).exists() else None


def read_json_lines(path):
    if not Path(path).exists():
        return []
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]


class Sweep:
    """One curve family: the rows of one axis on one family of instances, and its fitted slope if there is one."""

    def __init__(self, family, axis, planes, rows, slope):
        self.family, self.axis, self.planes, self.rows, self.slope = family, axis, planes, rows, slope

    @property
    def name(self):
        return f"error_{self.axis}_{self.family}_P{self.planes:.0f}"

    @property
    def values(self):
        return sorted({row["axis_value"] for row in self.rows})

    def term(self, term):
        return sorted((row for row in self.rows if row["term"] == term), key=lambda row: row["axis_value"])

    def at(self, term, value):
        return next(row for row in self.rows if row["term"] == term and row["axis_value"] == value)


def read_sweeps(folder):
    """The sweeps of a result folder, in the order of their first rows."""
    rows = read_csv(Path(folder) / "sweep.csv")
    slopes = read_csv(Path(folder) / "sweep_slopes.csv")
    groups = {}
    for row in rows:
        groups.setdefault((row["family"], row["axis"], row["planes"]), []).append(row)
    sweeps = []
    for (family, axis, planes), members in groups.items():
        slope = next((s for s in slopes if (s["family"], s["axis"], s["planes"]) == (family, axis, planes)), None)
        sweeps.append(Sweep(family, axis, planes, members, slope))
    return sweeps
