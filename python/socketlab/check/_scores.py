"""Are a scoring kernel's scores those of its inputs?

Bound (gpu/check/references/score_bounds.hpp): a term passes at most n = tables + 1 roundings of fp32, in whatever order
the tables are summed, so a score is off by at most n u/(1 - n u) relatively, u = 2^-24, and by n of the smallest normal
number for each unit of norm. Where terms are summed in fp16 the bound of gpu/functors/half_score.hpp comes on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arguments import flag, seed_of, threads_of, whole, word
from ._failure import Bounded, CheckFailure, Report, excesses, numbers, worst_place
from ._tensors import on_device, on_host


@dataclass(frozen=True, repr=False)
class ScoringCase:
    """What a scoring kernel reads in a case of gpu-check, or in arrays of one's own, and the bounds of its scores.

    tables      float32 [rows, tables, entries], rows being batch * heads. halves says what they hold: True, the
                2^(planes - planes // 2) entries of the high planes, then the 2^(planes // 2) of the low ones, of which a key
                takes the product of one each; False, the probabilities of all 2^planes buckets
    codes       int16 [key rows, tables, keys], of 16 planes the bits of an unsigned number; plane 0 is the most significant
                of the `planes` bits; row r reads key row r // (rows / key rows)
    norms       float32 [key rows, keys]: of the values; NaN where the mask forbids the key to every head
    allowed     bool [rows, keys]: where it is False the score must be -inf
    low, high   float64 [rows, keys]: what the scores must lie between; both -inf where a key is not allowed
    """

    text: str
    planes: int
    halves: bool
    tables: Any
    codes: Any
    norms: Any
    allowed: Any
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __repr__(self) -> str:
        return f'socketlab.check.scoring_case("{self.text}")'

    def on(self, device: str | None) -> ScoringCase:
        """The same with tensors there, of the same types; None leaves it on the CPU."""
        names = ("tables", "codes", "norms", "allowed")
        arrays = {name: getattr(self, name) for name in names}
        placed = {name: on_device(array, device) for name, array in arrays.items() if isinstance(array, np.ndarray)}
        return replace(self, **placed)

    @property
    def sums(self) -> str:
        """ "f16" where the bounds allow that terms are added in fp16, else "f32"."""
        if not np.isfinite(self.high).any():
            return "f32"
        row, key = worst_place(np.where(np.isfinite(self.high), self.high, -np.inf))
        own, one = row // (len(self.tables) // len(self.codes)), slice(key, key + 1)
        codes, norms = self.codes[own : own + 1, :, one], self.norms[own : own + 1, one]
        _, high = _bounds_of(self.tables[row : row + 1], codes, norms, self.planes, self.halves, "f32", 1)
        # Both are sums in double, which two builds may round apart; fp16's bound is higher by a thousandth of the score.
        return "f32" if self.high[row, key] <= high[0, 0] * (1 + 1e-9) else "f16"


def scoring_case(text: str) -> ScoringCase:
    """The case of this text, as `gpu-check --case` has it: "operation=score-packed,inputs=ties,keys=33,..".

    operation score-packed or score-buckets; gpu/check/cases/check_case.hpp lists the fields. ValueError naming a field
    that is out of range, and for inputs whose sums overflow fp32 in some orders.
    """
    made = _core.scoring_case(word(text, "case"))
    return ScoringCase(**{**made, "allowed": made["allowed"].view(np.bool_)})


def scoring_cases(grid: str = "quick", *, seed: int = 1, most_keys: int = 2000) -> Iterator[ScoringCase]:
    """The scoring cases of gpu-check's grid "tiny", "quick" or "full" of at most so many keys, whose sums are finite."""
    for text in scoring_texts(grid, seed=seed, most_keys=most_keys):
        yield scoring_case(text)


def scoring_texts(grid: str, *, seed: int, most_keys: int) -> list[str]:
    return [
        text
        for operation in ("score-packed", "score-buckets")
        for text in _core.grid_cases(word(grid, "grid"), operation, seed_of(seed), whole(most_keys, "most_keys"))
    ]


def _as_codes(given: Any, planes: int) -> Any:
    """int16 as it is; of other whole numbers, those of hash_keys say, the same buckets as the low 16 bits."""
    array = np.asarray(on_host(given, "codes"))
    if array.dtype == np.int16 or array.dtype.kind not in "iu":
        return given
    most = 2 ** min(max(planes, 1), 16) - 1
    if array.size and not (array.min() >= 0 and int(array.max()) <= most):
        raise ValueError(f"codes: {array.min()} to {array.max()}; of {planes} planes allowed are 0 to {most}")
    return array.astype(np.uint16).view(np.int16)


def _bounds_of(
    tables: Any, codes: Any, norms: Any, planes: int, halves: bool, sums: str, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    named = {"tables": (tables, np.float32, 3), "codes": (codes, np.int16, 3), "norms": (norms, np.float32, 2)}
    arrays = {}
    for name, (given, dtype, dimensions) in named.items():
        array = np.asarray(on_host(given, name))
        if array.dtype != dtype or array.ndim != dimensions:
            kind = np.dtype(dtype).name
            raise ValueError(f"{name}: {array.dtype} {list(array.shape)}; allowed is {kind} of {dimensions} dimensions")
        arrays[name] = np.ascontiguousarray(array)
    if not (np.isfinite(arrays["tables"]).all() and (arrays["tables"] >= 0).all()):
        raise ValueError("tables: allowed are finite numbers, 0 and more")
    if not (arrays["norms"] >= 0).all():
        raise ValueError("norms: allowed are numbers, 0 and more")
    low, high = _core.score_bounds(
        arrays["tables"],
        arrays["codes"],
        arrays["norms"],
        whole(planes, "planes", -1, 2**31 - 1),
        flag(halves, "halves"),
        sums == "f16",
        threads_of(threads),
    )
    return low, high


def _bounded(case: ScoringCase, sums: str, threads: int) -> ScoringCase:
    """The same with the bounds of these sums, -inf where a key is not allowed; without a mask every key is."""
    norms, allowed = case.norms, case.allowed
    if allowed is not None:
        allowed, norms = np.asarray(on_host(allowed, "allowed")), np.asarray(on_host(norms, "norms"))
        if allowed.dtype != np.bool_ or allowed.ndim != 2:
            raise ValueError(f"allowed: {allowed.dtype} {list(allowed.shape)}; allowed is bool of rows and keys")
        fit = norms.ndim == 2 and norms.size and len(allowed) % len(norms) == 0 and norms.shape[1] == allowed.shape[1]
        if fit and norms.dtype == np.float32:  # of a key that no head may attend to it is not read
            read = allowed.reshape(len(norms), -1, norms.shape[1]).any(axis=1)
            norms = np.where(read, norms, np.float32(0))
    low, high = _bounds_of(case.tables, case.codes, norms, case.planes, case.halves, sums, threads)
    allowed = np.ones(low.shape, np.bool_) if allowed is None else allowed
    if allowed.shape != low.shape:
        raise ValueError(f"allowed: shape {list(allowed.shape)}; allowed are the {list(low.shape)} of rows and keys")
    return replace(case, low=np.where(allowed, low, -np.inf), high=np.where(allowed, high, -np.inf), allowed=allowed)


def scores(
    given: Callable[[ScoringCase], Any] | Any,
    *,
    case: ScoringCase | str | None = None,
    tables: Any = None,
    codes: Any = None,
    norms: Any = None,
    allowed: Any = None,
    planes: int | None = None,
    halves: bool = True,
    sums: str | None = None,
    threads: int = 0,
    device: str | None = None,
) -> Report:
    """Scores [rows, keys], or a callable fn(case) that makes them from a ScoringCase, against the derived bound.

    Either `case`, a scoring_case or its text; or one's own arrays: tables, codes, norms and allowed as in ScoringCase,
    planes 1 to 16, halves; without `allowed` every key is. Codes of other whole numbers, as hash_keys gives, reach a
    callable as int16. With `device`, "cuda" say, the case's arrays are tensors there. sums: the type that terms may be
    added in. "f32" sees errors that "f16" lets pass, of 0.1% say; left out, cases in which query heads share the codes of
    half-tables have "f16", all others and one's own arrays "f32"; the Report says which. CheckFailure names the worst
    element.
    """
    if sums not in (None, "f32", "f16"):
        raise ValueError(f"sums {sums}: allowed are f32, f16")
    if case is not None:
        made = scoring_case(case) if isinstance(case, str) else case
        used = sums or made.sums
        made = made if sums is None else _bounded(made, sums, threads)
    elif planes is None or tables is None or codes is None or norms is None:
        raise ValueError("scores: needed is a case, or tables, codes, norms and planes")
    else:
        used = sums or "f32"
        planes, none = whole(planes, "planes", -1, 2**31 - 1), np.zeros((0, 0))
        own_case = ScoringCase("", planes, halves, tables, _as_codes(codes, planes), norms, allowed, none, none)
        made = _bounded(own_case, used, threads)
    got = numbers(given(made.on(device)) if callable(given) else given, "scores")
    low, high = made.low, made.high
    if got.size != low.size:
        raise ValueError(f"scores: shape {list(got.shape)}; allowed are the {list(low.shape)} of rows and keys")
    got = got.reshape(low.shape)
    if got.size == 0:
        return Report(0, 0.0, used)
    ratio = excesses(Bounded(got, low, high))
    row, key = worst_place(ratio)
    if ratio[row, key] <= 1:
        return Report(got.size, float(ratio[row, key]), used)
    own, one = row // (len(low) // len(made.codes)), f"[{row}:{row + 1}]"
    masked = "" if allowed is None else f", allowed=allowed{one}"
    replay = (
        f'socketlab.check.scores(fn, case="{made.text}", sums={sums!r}, device={device!r})'
        if case is not None
        else f"socketlab.check.scores(fn, tables=tables{one}, codes=codes[{own}:{own + 1}], norms=norms[{own}:{own + 1}]"
        f"{masked}, planes={planes}, halves={halves}, sums={sums!r}, device={device!r})"
    )
    raise CheckFailure(
        f"score {got[row, key]:.9g}, allowed is {low[row, key]:.9g} to {high[row, key]:.9g}: the error is "
        f"{ratio[row, key]:.3g} times its bound; {int((ratio > 1).sum())} of {got.size} scores are out",
        row=row,
        key=key,
        excess=float(ratio[row, key]),
        replay=replay,
    )
