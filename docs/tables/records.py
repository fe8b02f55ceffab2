"""How are records read? A record is a file that a run left in docs/records or gpu/records; everything that the pages quote
comes from here, as `Rows`.
"""

import csv
import functools
import json
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs/records", "gpu/records")
TEXT = {"kernels", "size"}  # columns of words that may look like numbers


class Row(SimpleNamespace):
    """A line of a record: row.column, or row["a column"]."""

    def __getitem__(self, column):
        return vars(self)[column]


class Rows(list):
    """Lines of a record; rows.column is the list of that column's cells."""

    def __getattr__(self, column):
        if column.startswith("__"):
            raise AttributeError(column)
        return [row[column] for row in self]

    def where(self, **wanted):
        """Those whose cells are as wanted: equal to a value, one of a tuple, or such that a function says so."""

        def fits(cell, value):
            return value(cell) if callable(value) else cell in value if isinstance(value, tuple) else cell == value

        return Rows(row for row in self if all(fits(row[column], value) for column, value in wanted.items()))

    def one(self, **wanted):
        """The only row that is as wanted; ValueError if there are several, or none."""
        found = self.where(**wanted)
        if len(found) != 1:
            raise ValueError(f"{len(found)} rows with {wanted}, not one")
        return found[0]

    def distinct(self, *columns):
        """Cells of a column, or tuples of several, each once, in the order of the record."""
        cells = [tuple(row[column] for column in columns) for row in self]
        return list(dict.fromkeys(cells if len(columns) > 1 else [cell for (cell,) in cells]))


def number(text):
    """A number where the cell is one; an empty cell and words stay text."""
    try:
        return float(text)
    except ValueError:
        return text


def flattened(value, path=""):
    """{"a.b.0": cell} of nested dictionaries and lists; whole numbers as the numbers that tables hold."""
    if not isinstance(value, dict | list):
        return {path: float(value) if isinstance(value, int) and not isinstance(value, bool) else value}
    cells = {}
    for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
        cells |= flattened(inside, f"{path}.{key}" if path else str(key))
    return cells


def path_of(name):
    """Of a record: NAME.csv, or a name with a suffix, in one of the folders or from the root."""
    file = name if "." in name.rpartition("/")[2] else f"{name}.csv"
    for folder in (*FOLDERS, "."):
        if (ROOT / folder / file).is_file():
            return ROOT / folder / file
    raise FileNotFoundError(f"no record {file} in {' or '.join(FOLDERS)}")


@functools.cache
def rows(name):
    with open(path_of(name), newline="", encoding="utf-8") as file:
        return Rows(
            Row(**{key: cell if key in TEXT else number(cell) for key, cell in row.items()})
            for row in csv.DictReader(file)
        )


@functools.cache
def record(name):
    """A record that is one JSON object, as one row: row["a.b.0"]."""
    return Row(**flattened(json.loads(path_of(name).read_text(encoding="utf-8"))))
