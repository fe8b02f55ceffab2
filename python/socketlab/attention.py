"""Sparse attention on your own queries, keys and values, and what it loses (`socketlab attend`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import flag
from ._arrays import stored
from ._options import asked, takes
from ._tables import MOST_LINES, Table, readable, to_pandas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AttendOptions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SHOWN = ("residual_weight", "relative_error", "recall")
_ALSO = ("snr", "absolute_error", "context_divergence", "log_sum_exp", "recall_failure")


@dataclass(frozen=True)
class SampledError:
    """What `error_samples` keys outside the list say of each query; NaN where no key is selected.

    A limit is exceeded with probability at most `delta`, over the draws and the signs; docs/bounds/residual.md proves it.

    corrected         [.., value_dim]: the output with the sample's estimate of the rest
    corrected_error   [..]: norm of (corrected - dense output)
    residual_weight   [..]: estimate of eps;  residual_weight_limit: proved;  residual_weight_nominal_limit: Student's
    error             [..]: estimate of absolute_error;  error_limit: proved
    read, stages      [..]: keys of the rest that were read; lists tried, more than one only with target_residual
    """

    corrected: Floats
    corrected_error: Floats
    residual_weight: Floats
    residual_weight_limit: Floats
    residual_weight_nominal_limit: Floats
    error: Floats
    error_limit: Floats
    read: Ints
    stages: Ints


@dataclass(frozen=True, repr=False)
class Attended:
    """What every query gets; [..] is the shape of the queries without dim. A number that is not defined is NaN.

    output            [.., value_dim]; zeros where nothing is selected
    selected          [.., at most budget + sink + window]: sink and window first, then by decreasing score; padded with -1
    scores            [.., keys]: those of the ranker, of socket times the value norm; -inf where masked
    head, allowed, count    [..]: the query head; keys that the mask allows; keys selected, each counted once
    residual_weight   [..]: eps, the softmax mass of the allowed keys that are not selected
    snr               [..]: (1 - eps) / eps
    absolute_error    [..]: norm of (output - dense output), in the unit of the values
    relative_error    [..]: absolute_error / norm of the dense output
    context_divergence    [..]: distance between the softmax means of the selected and of the other values
    log_sum_exp       [..]: natural logarithm of the sum of exp(q.k/sqrt(dim)) over the selected keys
    recall            [..]: share of the true top keys by q.k, as many as selected, that are selected
    recall_failure    [..]: 1 if the key of largest q.k is not selected, else 0
    lists             of lists="kv-head": int32 [queries, key_heads, capacity], rising, -1 behind; as engines take them,
                      with a batch of queries in front. Else None
    list_counts       int32 [queries, key_heads]: keys of each of these lists. Else None
    sampled           a SampledError, with error_samples; else None
    curves            columns of error against density, means over queries, as in attend_curves.csv; head -1 for all

    print() shows the means and a row for each query.
    """

    output: Floats
    selected: Ints
    scores: Floats
    head: Ints
    allowed: Ints
    count: Ints
    residual_weight: Floats
    snr: Floats
    absolute_error: Floats
    relative_error: Floats
    context_divergence: Floats
    log_sum_exp: Floats
    recall: Floats
    recall_failure: Floats
    curves: Table = field(repr=False)
    lists: NDArray[np.int32] | None = None
    list_counts: NDArray[np.int32] | None = None
    sampled: SampledError | None = None

    def __repr__(self) -> str:
        def mean(x: Floats) -> str:
            known = x[~np.isnan(x)]
            return f"{known.mean():.4g}" if known.size else "-"

        title = (
            f"Attended({self.head.size} queries over {self.scores.shape[-1]} keys: mean residual weight "
            f"{mean(self.residual_weight)}, relative error {mean(self.relative_error)}, recall {mean(self.recall)})"
        )
        headings = {name: name.replace("_", " ") for name in ("query", "head", "allowed", "selected", *_SHOWN)}
        return "\n".join([title, *readable(self._queries(), headings, MOST_LINES - 1)])

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each query, as they stand in the arrays; ImportError without pandas."""
        return to_pandas(self._queries())

    def _queries(self) -> Table:
        numbers = {name: getattr(self, name).ravel().tolist() for name in (*_SHOWN, *_ALSO)}
        of_query = {"head": self.head, "allowed": self.allowed, "selected": self.count}
        return {"query": list(range(self.head.size)), **{n: a.ravel().tolist() for n, a in of_query.items()}, **numbers}


@takes("attend", "queries", "keys", "values", "compare", "no_scores", "no_value_norm")
def attend(
    q: Any,
    k: Any,
    v: Any,
    *,
    hyperplanes: Any = None,
    corners: Any = None,
    mask: Any = None,
    value_norm: bool = True,
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[AttendOptions],
) -> Attended:
    """The estimators on your own arrays: scores, selection, output and errors of every query, like `socketlab attend`.

    q [dim], [queries, dim] or [heads, queries, dim]; k [keys, dim] or [key_heads, keys, dim]; v like k with value_dim.
    Types float16, bfloat16, float32 or float64. They are read in blocks: a problem needs the memory of one block and 4
    bytes per key and table. Query head h attends to key head h / (heads / key_heads). mask [keys], [queries, keys] or
    [heads, queries, keys]: bool, or numbers to be added to the logits. hyperplanes [tables, planes, dim] and, of
    gpt-fast, corners [2^planes, planes], else drawn from `seed`.

    value_norm=False: the rankers socket, hard-lsh and hamming without the value norm, like `--no-value-norm`. budget: a
    count, or as a float a fraction of the keys; required with profile "paper". threads 0: all.
    error_samples=256, delta=0.05: `sampled` says what the list is short of. target_residual=0.05: the list grows until
    its residual weight is certified to be at most this, or has all keys.

    progress(done, total) counts steps: one per query and a few more. ValueError with the command's message for what it
    refuses.
    """
    arrays = stored(q, k, v, hyperplanes=hyperplanes, corners=corners, mask=mask)
    own = {} if flag(value_norm, "value_norm") else {"no_value_norm": True}
    result = _core.attend(arrays, *asked("attend", own, options, seed, threads, progress))
    shape = tuple(arrays["q"].shape[:-1])
    if len(shape) == 3:  # a batch of one in front
        shape = shape[1:]
    curves = result.pop("curves")
    curves["head"] = [-1 if head == "all" else int(head) for head in curves["head"]]
    lists, counts = (result.pop(name, None) for name in ("lists", "list_counts"))
    if lists is not None:  # the core has the key heads in front
        lists, counts = (np.ascontiguousarray(each.swapaxes(0, 1)) for each in (lists, counts))
    sampled = result.pop("sampled", None)
    if len(shape) != 1:  # else it is the shape that the core gives
        for of_query in (result, sampled or {}):
            of_query.update({name: array.reshape(shape + array.shape[1:]) for name, array in of_query.items()})
    sampled = SampledError(**sampled) if sampled else None
    return Attended(curves=curves, lists=lists, list_counts=counts, sampled=sampled, **result)
