"""Lists of the selected keys: skt_select_keys and skt_published_list of gpu/socketlab_gpu.h.

Each function launches on PyTorch's current stream, or on `stream`, and returns `out`, which it allocates if not given.
"""

from __future__ import annotations

import math
from typing import Any

from ._interface import Library, load
from ._query import SCORE_TYPES
from ._tensors import (
    Tensor,
    address,
    checked,
    launching,
    lengths_address,
    made,
    on_one_device,
    torch_with_gpu,
    type_code,
)


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
    torch, loaded = torch_with_gpu(), load(library)
    checked(scores, "scores", SCORE_TYPES, (None,) * max(1, getattr(scores, "ndim", 1)))
    rows, capacity = scores.shape[:-1], int(scores.shape[-1])
    given_selected, given_counts = out if out is not None else (None, None)
    on_one_device(scores, lengths, given_selected, given_counts)
    if lengths is not None and not rows:
        raise ValueError(f"lengths: of scores {list(scores.shape)}; allowed is with scores of two dimensions or more")
    sequences = rows[0] if rows else 1
    with launching(torch, scores, stream) as handle:
        selected = made(given_selected, "out[0]", scores, "int32", (*rows, sink + budget + window))
        counts = made(given_counts, "out[1]", scores, "int32", tuple(rows))
        loaded.call(
            "skt_select_keys",
            handle,
            scores=address(scores),
            selected=address(selected),
            counts=address(counts),
            batch=sequences,
            heads=math.prod(rows) // max(1, sequences),
            capacity=capacity,
            used=capacity if used is None else used,
            dense_up_to=dense_up_to,
            budget=budget,
            sink=sink,
            window=window,
            lengths=lengths_address(lengths, sequences),
            sparsity=sparsity,
            score_type=type_code(scores),
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
    torch, loaded = torch_with_gpu(), load(library)
    checked(best, "best", ("int32",), (None,) * max(1, getattr(best, "ndim", 1)))
    rows, budget = best.shape[:-1], int(best.shape[-1])
    checked(counts, "counts", ("int32",), tuple(rows))
    given_selected, given_counts = out if out is not None else (None, None)
    on_one_device(best, counts, given_selected, given_counts)
    with launching(torch, best, stream) as handle:
        selected = made(given_selected, "out[0]", best, "int32", (*rows, sink + window + budget))
        list_counts = made(given_counts, "out[1]", best, "int32", tuple(rows))
        loaded.call(
            "skt_published_list",
            handle,
            best=address(best),
            counts=address(counts),
            selected=address(selected),
            list_counts=address(list_counts),
            batch=1,
            heads=math.prod(rows),
            used=used,
            budget=budget,
            sink=sink,
            window=window,
        )
    return selected, list_counts
