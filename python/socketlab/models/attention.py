"""The attention of a Hugging Face model, with sparse rows: `use(model, Sparse(..), first=N)`.

A row is sparse if its column, its place among all keys with padding, is `first` or later. The columns come from the
mask and the cache, not from shapes: chunked prefill and static caches also have fewer rows than keys. All other rows,
layers with a sliding window and the first `dense_layers` go to PyTorch's sdpa. transformers leaves the mask out for an
implementation without a mask interface; this one then refuses to run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from . import rules
from .cache import Layer, layer_of
from .settings import Sparse

NAME = "socketlab"
Tensor = torch.Tensor


@dataclasses.dataclass(frozen=True)
class Seen:
    """What one layer did in its sparse rows, for sequences of one padding, which is left out."""

    layer: int
    query: Tensor  # [batch, heads, rows, dim]
    key: Tensor  # [batch, kv_heads, keys, dim]
    value: Tensor
    scaling: float
    positions: Tensor  # [rows] among the keys
    logits: Tensor  # [batch, heads, rows, keys], -inf for later keys
    selected: Tensor  # bool, the same


@dataclasses.dataclass
class State:
    """What the layers of a model read at every call."""

    settings: Sparse
    first: int  # column of the first sparse row
    watch: Callable[[Seen], Tensor | None] | None = None
    draw: int = 0  # number of the random draw of hyperplanes


def use(
    model: Any, settings: Sparse | None, *, first: int = 0, watch: Callable[[Seen], Tensor | None] | None = None
) -> State | None:
    """From now on the model attends by these settings in all rows from column `first`; with None by sdpa again.

    The column is that of the key of the row's own token, with padding: in `generate` the length of the padded prompt makes
    prefill dense and all later tokens sparse. watch(Seen) sees what each layer selects; an output [batch, heads, rows, dim]
    that it returns takes the place of the list's. Steps on a GPU then run in PyTorch. The State that is returned may be
    changed.
    """
    if settings is None:
        model.set_attn_implementation("sdpa")
        state = None
    else:
        if first < 0:
            raise ValueError(f"first {first}: allowed are columns from 0")
        register()
        model.set_attn_implementation(NAME)
        state = State(settings, first, watch)
    for module in model.modules():
        if hasattr(module, "layer_idx"):
            module.socketlab = state
    return state


def register() -> None:
    """Attention and mask under NAME, for set_attn_implementation."""
    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, mask)


def mask(*, batch_size: int, q_length: int, allow_is_causal_skip: bool = True, **given: Any) -> Tensor:
    """As sdpa's, bool [batch, 1, rows, keys]; without keys where row i sees the keys 0 to i and no other."""
    skip = allow_is_causal_skip and q_length > 1
    made: Tensor | None = sdpa_mask(batch_size=batch_size, q_length=q_length, allow_is_causal_skip=skip, **given)
    return torch.empty(batch_size, 1, q_length, 0, dtype=torch.bool) if made is None else made


def attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **given: Any,
) -> tuple[Tensor, None]:
    """Output [batch, rows, heads, dim] of query [batch, heads, rows, dim] over key and value [batch, kv_heads, keys, dim]."""
    if attention_mask is None:
        raise ValueError(f"{NAME}: no mask came; allowed is a mask interface, as models.register() makes it")
    shown = attention_mask if attention_mask.shape[-1] else None
    rows, layer = query.shape[2], layer_of(key)
    if layer is not None:
        layer.see_padding(shown)
    state: State | None = getattr(module, NAME, None)
    count = end = 0
    if state is not None and _may_be_sparse(module, state.settings, given):
        end = _end(shown, rows, layer)
        count = min(rows, max(0, end - state.first))
    parts, dense = [], rows - count
    if dense:
        seen = (key, value) if shown is not None else (key[:, :, :dense], value[:, :, :dense])
        own = None if shown is None else shown[:, :, :dense]
        parts.append(
            sdpa_attention_forward(module, query[:, :, :dense], *seen, own, dropout=dropout, scaling=scaling)[0]
        )
    if count:
        assert state is not None
        factor = query.shape[-1] ** -0.5 if scaling is None else scaling
        parts.append(_sparse(state, module.layer_idx, query[:, :, dense:], key, value, shown, end, factor))
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1), None


def _may_be_sparse(module: Any, settings: Sparse, given: dict[str, Any]) -> bool:
    kinds = getattr(module.config, "layer_types", None)
    full = given.get("sliding_window") is None and (kinds is None or kinds[module.layer_idx] == "full_attention")
    if full and given.get("softcap") is not None:
        raise ValueError(f"{NAME}: softcap {given['softcap']} of layer {module.layer_idx}; allowed is none")
    return full and not settings.dense(module.layer_idx)


def _end(shown: Tensor | None, rows: int, layer: Layer | None) -> int:
    """The column behind the last row."""
    if layer is not None:
        return layer.place.seen
    if shown is None:
        return rows
    return int(shown[:, 0, -1].any(dim=0).nonzero().max()) + 1


def _starts(shown: Tensor | None, batch: int, rows: int, end: int) -> list[int]:
    """The first column that each sequence sees, behind its padding. ValueError for another mask than a causal one."""
    if shown is None:
        return [0] * batch
    last = shown[:, 0, -rows:, :]
    starts = last[:, -1].int().argmax(dim=-1)
    column = torch.arange(last.shape[-1], device=last.device)
    own = torch.arange(end - rows, end, device=last.device)
    causal = (column >= starts[:, None, None]) & (column <= own[:, None])
    if not torch.equal(last, causal):
        raise ValueError(f"{NAME}: mask of a sparse row; allowed are all keys from the left padding to the row's own")
    return starts.tolist()


def _sparse(
    state: State,
    number: int,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    shown: Tensor | None,
    end: int,
    scaling: float,
) -> Tensor:
    """[batch, rows, heads, dim] of rows that are all sparse, the last ones of those before column `end`."""
    layer, (batch, _, rows, _) = layer_of(key), query.shape
    if layer is not None and state.watch is None and rows == 1 and layer.steps_on_gpu(state.settings, state.draw):
        return layer.step(query, scaling)
    starts = _starts(shown, batch, rows, end)
    output = torch.empty(batch, rows, query.shape[1], value.shape[-1], dtype=query.dtype, device=query.device)
    for lowest in sorted(set(starts)):  # sequences of one padding at a time; their keys begin at 0
        own = [b for b in range(batch) if starts[b] == lowest]
        own = slice(None) if len(own) == batch else own  # a view; a list of numbers copies keys, values and codes
        k, v = key[own, :, lowest:end], value[own, :, lowest:end]
        positions = torch.arange(end - rows - lowest, end - lowest, device=query.device)
        hashed = None if layer is None else layer.hashed(state.settings, state.draw, own, lowest, end)
        given = {"layer": number, "draw": state.draw, "positions": positions, "indexed": max(1, state.first - lowest)}
        found = rules.scores(state.settings, query[own], k, v, scaling, hashed=hashed, **given)
        selected = rules.select(state.settings, found, positions)
        logits = rules.logits_of(query[own], k, scaling, positions)
        changed = None
        if state.watch is not None:
            changed = state.watch(Seen(number, query[own], k, v, scaling, positions, logits, selected))
        found = rules.attend(logits, v, selected) if changed is None else changed
        output[own] = found.transpose(1, 2).to(query.dtype)
    return output
