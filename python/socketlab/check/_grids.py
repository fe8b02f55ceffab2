"""Which sizes does a grid of cases hold that are made in Python?"""

from __future__ import annotations

from typing import TypeVar

from .._arguments import word

Size = TypeVar("Size")


def grid_of(grid: str | None, grids: dict[str, list[Size]], without: Size) -> list[Size]:
    """The sizes of this grid; `without` one, that alone."""
    if grid is None:
        return [without]
    if word(grid, "grid") not in grids:
        raise ValueError(f"grid {grid}: allowed are {', '.join(grids)}")
    return grids[grid]
