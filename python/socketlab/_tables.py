"""A table of results as columns: numbers or text, and None where a cell of the command's file is empty."""

from __future__ import annotations

from typing import Any

Table = dict[str, list[Any]]


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
