"""How are records read, and how do rows become a table?

A record is a file that a run left: docs/records/*.csv, gpu/records/*.csv. Everything that the pages quote is read through
`read`, so that a test can alter a record and see which tables and sentences notice.
"""

import csv
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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


def safetensors_header(path):
    """Shapes and metadata of a .safetensors file: eight bytes say how long its JSON is. Metadata may be JSON in turn."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    inside = {name: json.loads(text) for name, text in header.pop("__metadata__").items() if text[0] in "[{"}
    return header | {"__metadata__": inside}


def read(name, text=()):
    """Rows of a record as dictionaries; `name` is its path from the root of the repository, `text` names columns of words.

    A record in JSON is one row, and so is the header of a .safetensors file.
    """
    if name.endswith(".json"):
        return [flattened(json.loads((ROOT / name).read_text(encoding="utf-8")))]
    if name.endswith(".safetensors"):
        return [flattened(safetensors_header(ROOT / name))]
    with open(ROOT / name, newline="", encoding="utf-8") as file:
        return [
            {key: cell if key in text else number(cell) for key, cell in row.items()} for row in csv.DictReader(file)
        ]


def where(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def one(rows, **wanted):
    """The only row with these values; ValueError if there are several, or none."""
    found = where(rows, **wanted)
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows with {wanted}, not one")
    return found[0]


def markdown(columns, lines):
    head = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(head + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines])


def escaped(text):
    """Words of a record as they may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ").strip()


def thousands(value):
    return f"{value:,.0f}"
