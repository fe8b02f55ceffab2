"""Lists of the selected keys: skt_select_keys and skt_published_list of gpu/socketlab_gpu.h.

Each function launches on PyTorch's current stream, or on `stream`, and returns `out`, which it allocates if not given.
"""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library
from ._launch import Launch
from ._query import SCORE_TYPES
from ._tensors import Tensor, type_code


def select_keys(
    scores: Tensor,
    *,
    budget: int,
    sink: int = 0,
    window: int = 0,
    used: int | None = None,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    dense_up_to: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """Selected keys int32 [.., sink + budget + window] and counts int32 [..] for scores [.., capacity], float32 or
    bfloat16.

    They are the first `sink` and last `window` keys and the `budget` best of the others, ties to the lower index
    (paper, Algorithm 3). Indices increase along the list, which is padded with -1. A key with score -inf or NaN is
    never selected. lengths int32 [the first size of scores], read on the GPU: number of keys of each sequence, clamped
    to 0 .. `used`. With a sparsity of 1 or more, the number of best keys is min(budget, max(1, length // sparsity)).
    Rows of bfloat16 have a multiple of 8 scores. Lists of sequences of at most dense_up_to keys are empty.
    """
    call = Launch("skt_select_keys", library, stream)
    call.reads("scores", scores, SCORE_TYPES, *[None] * (max(1, getattr(scores, "ndim", 1)) - 1), "capacity")
    rows = [int(size) for size in scores.shape[:-1]]
    if lengths is not None and not rows:
        raise ValueError(f"lengths: of scores {list(scores.shape)}; allowed is with scores of two dimensions or more")
    call.sizes["batch"] = rows[0] if rows else 1
    call.sizes["heads"] = math.prod(rows) // max(1, call.sizes["batch"])
    call.reads("lengths", lengths, "int32", "batch")
    given_selected, given_counts = out if out is not None else (None, None)
    call.writes("selected", given_selected, "int32", *rows, sink + budget + window, label="out[0]")
    call.writes("counts", given_counts, "int32", *rows, label="out[1]")
    asked = {"budget": budget, "sink": sink, "window": window, "sparsity": sparsity, "dense_up_to": dense_up_to}
    selected, counts = call(
        used=call.sizes["capacity"] if used is None else used, score_type=type_code(scores), **asked
    )
    return selected, counts


def published_list(
    best: Tensor,
    counts: Tensor,
    *,
    used: int,
    sink: int = 0,
    window: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """The list of the published code: sink, window and the best of all `used` keys, in which a key may appear twice.

    best int32 [.., budget] and counts int32 [..], as from select_keys without sink and window. Returns lists int32 [..,
    sink + window + budget] and their counts.
    """
    call = Launch("skt_published_list", library, stream)
    call.reads("best", best, "int32", *[None] * (max(1, getattr(best, "ndim", 1)) - 1), "budget")
    rows = [int(size) for size in best.shape[:-1]]
    call.sizes |= {"batch": 1, "heads": math.prod(rows)}
    call.reads("counts", counts, "int32", *rows)
    given_selected, given_counts = out if out is not None else (None, None)
    length = sink + window + call.sizes["budget"]
    call.writes("selected", given_selected, "int32", *rows, length, label="out[0]")
    call.writes("list_counts", given_counts, "int32", *rows, label="out[1]")
    selected, list_counts = call(used=used, sink=sink, window=window)
    return selected, list_counts
