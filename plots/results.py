"""What do the result files hold? Reads them into rows; computes nothing."""

import csv
import io
import json
import sys
from pathlib import Path

from figures.sweeps import grids_of, sweeps_of
from script import Refused, refuse

TEXT_COLUMNS = {
    "against", "append", "arm", "axis", "axis2", "backend", "basis", "bound", "case", "claim", "codes", "command", "contrast", "deviation_is",
    "device", "expected",
    "family", "fault", "guarantee", "head", "id", "instance", "kind", "limit", "measure", "measured", "metric", "mutant",
    "lists", "name", "near", "note", "only", "operation", "over", "place", "quantity", "ranker", "ranking", "reading", "release",
    "relation", "rule", "score", "setting", "shape", "share", "sinks", "size", "source", "stage", "statistic", "term", "truth",
    "verdict", "words",
}  # fmt: skip


def given_folders(usage, needed, count=1):
    """The arguments of a script: a folder that holds the files `needed`, of a row at least if they are tables, and, of two,
    one to write to. Otherwise a line on stderr and status 2.
    """
    given = sys.argv[1:]
    if len(given) != count:
        print(usage.strip(), file=sys.stderr)
        sys.exit(2)
    files = [Path(given[0]) / name for name in needed]
    if not all(file.is_file() for file in files):
        refuse(
            f"{given[0]}: allowed is a folder with {'a file' if len(needed) == 1 else 'the files'} {', '.join(needed)}"
        )
    if not Path(given[-1]).is_dir():
        refuse(f"{given[-1]}: allowed is a folder")
    for file in files:
        require_rows(file)
    return given


def require_rows(file):
    try:
        if file.suffix == ".csv" and not read_csv(file):
            raise Refused(f"{file}: no row below the names of the columns; allowed is a table that socketlab wrote")
    except Refused as problem:
        refuse(problem)


def number(text):
    return float(text) if text else float("nan")


class Row(dict):
    """A row of a table: what it does not hold is missing in its file."""

    def __init__(self, path, cells):
        super().__init__(cells)
        self.path = path

    def __missing__(self, column):
        raise Refused(f"{self.path}: no column {column}; allowed is a table of this version of socketlab")


def read_row(path, line, names, cells):
    if len(cells) != len(names):
        raise Refused(f"{path}, line {line}: {len(cells)} cells; allowed are {len(names)}, one for each column")
    try:
        return Row(
            path,
            {name: text if name in TEXT_COLUMNS else number(text) for name, text in zip(names, cells, strict=True)},
        )
    except ValueError as error:
        raise Refused(f"{path}, line {line}: {error}; allowed are numbers and empty cells") from error


def read_text(path):
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: not UTF-8; allowed is a file that socketlab wrote") from error


def read_table(path):
    """The text of a table that is whole: its last line is ended."""
    text = read_text(path)
    if not text.endswith("\n"):
        raise Refused(f"{path}: {'cut within its last line' if text else 'empty'}; allowed is a whole table")
    return text


def read_csv(path):
    """Rows as dictionaries; numbers as float, an empty cell as NaN. [] if there is no such file."""
    if not Path(path).exists():
        return []
    reader = csv.reader(io.StringIO(read_table(path), newline=""))
    try:
        names = next(reader)
        return [read_row(path, reader.line_num, names, cells) for cells in reader]
    except csv.Error as error:
        raise Refused(
            f"{path}, line {reader.line_num}: {error}; allowed is a table of comma-separated values"
        ) from error


def parsed(path, text, place=""):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refused(f"{path}{place}: not JSON ({error}); allowed is a file that socketlab wrote") from error


def read_json(path):
    return parsed(path, read_text(path)) if Path(path).exists() else None


def read_json_lines(path):
    if not Path(path).exists():
        return []
    lines = read_text(path).splitlines()
    return [parsed(path, line, f", line {i}") for i, line in enumerate(lines, 1) if line]


def read_sweeps(folder):
    """The sweeps of one axis in a result folder."""
    return sweeps_of(read_csv(Path(folder) / "sweep.csv"), read_csv(Path(folder) / "sweep_slopes.csv"))


def read_grids(folder):
    return grids_of(read_csv(Path(folder) / "sweep.csv"))
