"""Which statements of the sources hold, and is every planted lie refuted (`socketlab verify`)?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._arguments import each, flag, progress_of, seed_of, threads_of, word
from ._tables import Table


@dataclass(frozen=True, repr=False)
class Verified:
    """rows: one dictionary per statement, the lines of verdicts.jsonl. kill_matrix: the columns of kill_matrix.csv.

    as_expected: every verdict is the expected one, every planted lie that was run is refuted, and no control is. The
    repr is the command's table of verdicts.
    """

    rows: tuple[dict[str, Any], ...] = field(repr=False)
    kill_matrix: Table = field(repr=False)
    as_expected: bool
    text: str = field(repr=False)

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


def verify(
    only: Sequence[str] = (),
    *,
    profile: str = "standard",
    fault: str | None = None,
    lies: bool = True,
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Verified:
    """Runs the statements with their planted lies, like `socketlab verify`.

    only: ids such as "S002-L9", None for all; profile "smoke", "standard" or "deep"; fault: the name of a planted fault
    of the estimators, which some statement must notice; lies=False leaves out the planted lies, like `--no-lies`. A
    statement gives the same row alone as with the others. progress(done, total) gets estimated microseconds of one
    core. ValueError with the command's message for an unknown id, profile or fault.
    """
    chosen = each(word, [only] if isinstance(only, str) else only, "only")
    lines, matrix, text, as_expected = _core.verify(
        chosen,
        word(profile, "profile"),
        word(fault or "", "fault"),
        flag(lies, "lies"),
        seed_of(seed),
        threads_of(threads),
        progress_of(progress),
    )
    return Verified(tuple(json.loads(line) for line in lines), matrix, as_expected, text)
