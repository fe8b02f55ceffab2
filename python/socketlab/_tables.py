"""A table of results as columns, from the CSV text that the command writes."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

Table = dict[str, list[Any]]
_WHOLE = re.compile(r"-?\d+")


def _number(cell: str) -> Any:
    return int(cell) if _WHOLE.fullmatch(cell) else float(cell)


def _column(cells: list[str]) -> list[Any]:
    """Numbers where all cells that are not empty are; an empty cell is None."""
    try:
        return [_number(cell) if cell else None for cell in cells]
    except ValueError:
        return [cell or None for cell in cells]


def columns(text: str) -> Table:
    """{} for no text; of a table without rows, empty columns."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    return {name: _column([line[i] for line in lines[1:]]) for i, name in enumerate(lines[0] if lines else ())}


def to_pandas(table: Table) -> Any:
    """A pandas.DataFrame; pandas is no requirement of the package."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise ImportError("to_pandas: no pandas; allowed is a Python with it, as pip install pandas makes") from None
    return pandas.DataFrame(table)


def rows(table: Table) -> list[dict[str, Any]]:
    """The same table, a dictionary for each row."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
