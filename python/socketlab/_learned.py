"""The file that the family `learned` is of: the caller's, or the one that comes with the package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._arguments import word
from ._arrays import stored

_KEPT = Path(__file__).with_name("learned_heads.safetensors")


def learned_file(given: str | os.PathLike[str] | None, families: Sequence[str]) -> str:
    """Its path, "" where no family is learned. ValueError for a file that no family uses, and for a learned family
    without a file.
    """
    needed = any(family == "learned" or family.startswith("learned-") for family in families)
    if given is not None and not needed:
        raise ValueError("learned is given but no family is learned: allowed is a file with the family learned")
    if needed and given is None and not _KEPT.exists():
        raise ValueError(
            "learned is None and the package holds no file of heads: allowed is the path of one, which "
            "docs/howto/own_data.md describes"
        )
    return word(os.fspath(_KEPT if given is None else given), "learned") if needed else ""


def heads_in_memory(q: Any, k: Any, v: Any, learned: object, families: Sequence[str]) -> dict[str, Any]:
    """The arrays q, k, v as the core reads them, {} where none is given. ValueError for one without the others,
    and for what would take their place.
    """
    arrays = {"q": q, "k": k, "v": v}
    given = [name for name, array in arrays.items() if array is not None]
    if not given:
        return {}
    missing = [name for name in arrays if name not in given]
    if missing:
        raise ValueError(
            f"{', '.join(given)} given without {', '.join(missing)}: allowed are q, k and v, or none of them"
        )
    others = [family for family in families if not family.startswith("learned")]
    if learned is not None or others:
        other = f"families {', '.join(others)}" if others else "learned"
        raise ValueError(f"q, k, v are given with {other}: allowed is one of the two")
    return stored(q, k, v)


def learned_option(given: str | os.PathLike[str] | None, families: Sequence[str]) -> dict[str, list[str]]:
    """The same as an option of a command; {} where no family is learned."""
    file = learned_file(given, families)
    return {"learned": [file]} if file else {}
