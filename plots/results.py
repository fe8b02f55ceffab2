"""What do the result files hold? Reads them into rows; computes nothing."""

import csv
import json
import sys
from pathlib import Path

TEXT_COLUMNS = {
    "family",
    "axis",
    "axis2",
    "term",
    "verdict",
    "setting",
    "truth",
    "ranker",
    "metric",
    "score",
    "size",
    "quantity",
    "stage",
    "backend",
    "rule",
    "operation",
    "note",
    "head",
    "ranking",
    "id",
    "measured",
    "mutant",
    "expected",
    "instance",
    "relation",
    "fault",
    "reading",
    "basis",
    "bound",
    "command",
    "deviation_is",
    "guarantee",
    "name",
    "near",
    "share",
}


def given_folder(usage, needed):
    """The one argument of a script: a folder that holds the file `needed`. Otherwise a line on stderr and status 2."""
    problem = usage.strip() if len(sys.argv) != 2 else f"{sys.argv[1]}: allowed is a folder with a file {needed}"
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / needed).is_file():
        print(problem, file=sys.stderr)
        sys.exit(2)
    return sys.argv[1]


def given_folders(usage, needed):
    """The two arguments of a script: a folder that holds the files `needed`, and one to write to. Otherwise as given_folder."""
    given = sys.argv[1:]
    problem = usage.strip()
    if len(given) == 2:
        missing = [name for name in needed if not (Path(given[0]) / name).is_file()]
        problem = f"{given[0]}: allowed is a folder with the files {', '.join(needed)}" if missing else ""
        if not missing and not Path(given[1]).is_dir():
            problem = f"{given[1]}: allowed is a folder"
    if problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    return given


def number(text):
    return float(text) if text else float("nan")


def read_csv(path):
    """Rows as dictionaries; numbers as float, an empty cell as NaN. [] if there is no such file."""
    if not Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [
            {key: text if key in TEXT_COLUMNS else number(text) for key, text in row.items()}
            for row in csv.DictReader(file)
        ]


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
        return f"error_{self.axis}_{self.family}" + ("" if self.axis == "planes" else f"_P{self.planes:.0f}")

    @property
    def values(self):
        return sorted({row["axis_value"] for row in self.rows})

    @property
    def terms(self):
        return list(dict.fromkeys(row["term"] for row in self.rows))

    @property
    def command(self):
        """As in provenance.json: what makes these rows again; nothing where no column says it."""
        command = self.rows[0].get("command")
        return {"command": command} if command else {}

    def term(self, term):
        return sorted((row for row in self.rows if row["term"] == term), key=lambda row: row["axis_value"])

    def at(self, term, value):
        return next(row for row in self.rows if row["term"] == term and row["axis_value"] == value)


class Grid:
    """Two axes on one family of instances."""

    def __init__(self, family, axis, axis2, rows):
        self.family, self.axis, self.axis2, self.rows = family, axis, axis2, rows
        self.name = f"grid_{axis}_{axis2}_{family}"

    def values(self, column):
        return sorted({row[column] for row in self.rows})

    def at(self, term, value, value2):
        return next(
            row for row in self.rows if (row["term"], row["axis_value"], row["axis2_value"]) == (term, value, value2)
        )


def groups(rows, key):
    grouped = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    return grouped.items()


def curve_key(row):
    """Curves of one setting; along the planes there is no number of planes to tell them apart."""
    return row["family"], row["axis"], None if row["axis"] == "planes" else row["planes"]


def read_sweeps(folder):
    """The sweeps of one axis in a result folder, in the order of their first rows."""
    rows = [row for row in read_csv(Path(folder) / "sweep.csv") if not row["axis2"]]
    slopes = {curve_key(row): row for row in read_csv(Path(folder) / "sweep_slopes.csv") if not row["axis2"]}
    return [
        Sweep(members[0]["family"], members[0]["axis"], members[0]["planes"], members, slopes.get(key))
        for key, members in groups(rows, curve_key)
    ]


def read_grids(folder):
    rows = [row for row in read_csv(Path(folder) / "sweep.csv") if row["axis2"]]
    return [
        Grid(*key, members) for key, members in groups(rows, lambda row: (row["family"], row["axis"], row["axis2"]))
    ]
