"""Which statements of the sources hold, and is every planted lie refuted (`socketlab verify`)?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import flag
from ._options import asked, takes
from ._tables import MOST_LINES, Table, to_pandas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import VerifyOptions


@dataclass(frozen=True, repr=False)
class Verified:
    """rows: one dictionary per statement, the lines of verdicts.jsonl. kill_matrix: the columns of kill_matrix.csv.

    as_expected: every verdict is the expected one, every planted lie that was run is refuted, and no control is. The
    repr is the command's table of verdicts, what is not as expected first where it is long.
    """

    rows: tuple[dict[str, Any], ...] = field(repr=False)
    kill_matrix: Table = field(repr=False)
    as_expected: bool
    text: str = field(repr=False)

    def __repr__(self) -> str:
        lines = self.text.rstrip("\n").splitlines()
        if len(lines) <= MOST_LINES:
            return "\n".join(lines)
        end = next(i for i, line in enumerate(lines) if line.startswith(f"{len(self.rows)} statements:"))
        of_statements: list[list[str]] = []
        for line in lines[1:end]:
            if line.startswith("      "):  # the evidence of the one above
                of_statements[-1].append(line)
            else:
                of_statements.append([line])
        of_statements.sort(key=lambda them: (not them[0].startswith("!"), len(them) == 1))
        body = [line for them in of_statements for line in them][: MOST_LINES - 2 - len(lines[end:])]
        return "\n".join([lines[0], *body, "  .. the others: .text", *lines[end:]])

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame; ImportError without pandas."""
        return to_pandas({name: [row.get(name) for row in self.rows] for name in (self.rows or ({},))[0]})


@takes("verify", "no_lies")
def verify(
    only: str | Sequence[str] = (),
    *,
    lies: bool = True,
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[VerifyOptions],
) -> Verified:
    """Runs the statements with their planted lies, like `socketlab verify`.

    only: ids such as "S002-L9", empty for all; lies=False leaves out the planted lies, like `--no-lies`. A statement
    gives the same row alone as with the others. progress(done, total) gets estimated microseconds of one core.
    ValueError with the command's message for an unknown id, profile or fault.
    """
    chosen = [only] if isinstance(only, str) else only
    own = {"only": chosen, "no_lies": not flag(lies, "lies")}
    lines, matrix, text, as_expected = _core.verify(*asked("verify", own, options, seed, threads, progress))
    return Verified(tuple(json.loads(line) for line in lines), matrix, as_expected, text)
