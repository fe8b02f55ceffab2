"""Is an argument of the right kind? Otherwise TypeError, or ValueError where its number is out of reach, in one line.

What a number may be is for the core to say; here it must only fit what the core counts with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def _wrong(given: Any, name: str, allowed: str) -> TypeError:
    short = repr(given)
    shown = short if len(short) <= 40 and "\n" not in short else f"of type {type(given).__name__}"
    return TypeError(f"{name} is {shown}: allowed {allowed}")


def whole(given: Any, name: str, low: int = -(2**63), high: int = 2**63 - 1) -> int:
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, np.integer)):
        raise _wrong(given, name, "is a whole number")
    if not low <= given <= high:
        raise ValueError(f"{name} is {_shortened(int(given))}: allowed are {low} to {high}")
    return int(given)


def _shortened(number: int) -> str:
    return (
        str(number) if abs(number) < 10**30 else f"{'-' if number < 0 else ''}2^{abs(number).bit_length() - 1} and more"
    )


def real(given: Any, name: str) -> float:
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.integer, np.floating)):
        raise _wrong(given, name, "is a number")
    try:
        return float(given)
    except OverflowError:
        raise ValueError(f"{name} is {_shortened(int(given))}: allowed are numbers of float64") from None


def word(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise _wrong(given, name, "is a text")
    if not given.isprintable():
        raise ValueError(f"{name} is {given!r}: allowed are printable letters")
    return str(given)


def flag(given: Any, name: str) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise _wrong(given, name, "are True and False")
    return bool(given)


def seed_of(given: Any, name: str = "seed") -> int:
    return whole(given, name, 0, 2**64 - 1)


def trial_of(given: Any) -> int:
    return whole(given, "trial", 0, 2**32 - 1)


def threads_of(given: Any) -> int:
    return whole(given, "threads", -1, 2**31 - 1)


def progress_of(given: Any) -> Any:
    if given is not None and not callable(given):
        raise _wrong(given, "progress", "are None and a callable of done and total")
    return given


def each(check: Callable[[Any, str], Any], given: Any, name: str) -> list[Any]:
    """A list of what `check` allows; a text is none."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _wrong(given, name, "is a sequence")
    return [check(one, name) for one in given]


def if_given(check: Callable[[Any, str], Any], given: Any, name: str) -> Any:
    return None if given is None else check(given, name)
