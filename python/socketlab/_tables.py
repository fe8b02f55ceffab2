"""A table of results as columns: numbers or text, and None where a cell of the command's file is empty."""

from __future__ import annotations

from typing import Any

Table = dict[str, list[Any]]


def rows(table: Table) -> list[dict[str, Any]]:
    """The same table, a dictionary for each row."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
