"""A table of results as columns: numbers or text, and None where a cell of the command's file is empty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Table = dict[str, list[Any]]


def to_pandas(table: Table) -> Any:
    """A pandas.DataFrame; pandas is no requirement of the package."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise ImportError("to_pandas: no pandas; allowed is a Python with it, as pip install pandas makes") from None
    return pandas.DataFrame(table)


MOST_LINES = 25  # of what print() shows of a result


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def readable(table: Mapping[str, Sequence[Any]], headings: Mapping[str, str], most_lines: int) -> list[str]:
    """The lines of a table to be read: the columns of `headings` under these names, texts to the left. A column without
    any number is left out; the last line says how many rows do not fit.
    """
    count = len(next(iter(table.values()), ()))
    shown = count if count < most_lines else max(most_lines - 2, 0)
    columns = []
    for name, heading in headings.items():
        if all(_cell(value) == "-" for value in table.get(name, ())):
            continue
        cells = [heading, *map(_cell, table[name][:shown])]
        width = max(map(len, cells))
        text = any(isinstance(value, str) for value in table[name])
        columns.append([cell.ljust(width) if text else cell.rjust(width) for cell in cells])
    lines = ["  " + "  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    return lines if shown == count else [*lines, f"  .. and {count - shown} more rows"]


def rows(table: Table) -> list[dict[str, Any]]:
    """The same table, a dictionary for each row."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
