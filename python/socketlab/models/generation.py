"""Text of a model whose new tokens attend sparsely, and how fast: by sdpa, by the cache's steps, and in one pass."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import StaticCache

from .attention import use
from .cache import new_cache
from .settings import Sparse

Tensor = torch.Tensor


def generate(model: Any, ids: Tensor, settings: Sparse, *, new_tokens: int, **given: Any) -> Tensor:
    """`model.generate` of ids [batch, tokens], padded on the left, with sparse rows behind the prompt: [batch, tokens + new].

    given: of model.generate, attention_mask where there is padding. Greedy unless do_sample says otherwise.
    """
    use(model, settings, first=ids.shape[1])
    held = new_cache(model, settings, capacity=ids.shape[1] + new_tokens)
    given = {"do_sample": False, "attention_mask": torch.ones_like(ids)} | given
    with torch.no_grad():
        return model.generate(ids, cache=held, max_new_tokens=new_tokens, **given)


@dataclasses.dataclass(frozen=True)
class Timed:
    """Tokens [new] of one way to decode, their logits [new, vocabulary] on the CPU, and seconds: of the prompt, of a token."""

    way: str
    tokens: Tensor
    logits: Tensor
    prefill_s: float
    token_s: float


def _clock(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def _captured(step: Callable[[], None], undo: Callable[[], None]) -> Callable[[], None]:
    """A replay of a graph of the step, which has run before; undo: what the run before the capture changed."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    undo()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def _decoded(model: Any, ids: Tensor, held: Any, new: int, way: str, kernel: SDPBackend | None = None) -> Timed:
    """Greedy, one sequence: prefill, then the same step for every token, on a GPU a captured graph; kernel: of its sdpa."""
    device, length = ids.device, ids.shape[1]
    began = _clock(device)
    out = model(ids, cache=held, use_cache=True, logits_to_keep=1).logits[:, -1]
    prefilled = _clock(device)
    logits = torch.empty(new, out.shape[-1], device=device)
    logits[0] = out[0]
    token = out.argmax(dim=-1, keepdim=True)
    place = torch.full((1, 1), length, device=device)
    tokens = torch.empty(new, dtype=torch.int64, device=device)
    tokens[0] = token[0, 0]

    def step() -> None:
        found = model(token, position_ids=place, cache=held, use_cache=True).logits[:, -1]
        token.copy_(found.argmax(dim=-1, keepdim=True))
        place.add_(1)
        at = place[0] - length
        logits.index_copy_(0, at, found.float())
        tokens.index_copy_(0, at, token[0])

    def undo() -> None:
        token.copy_(tokens[:1, None])
        place.fill_(length)
        for layer in held.layers:
            layer.cumulative_length.fill_(length)
        for own in {id(layer.place): layer.place for layer in held.layers if hasattr(layer, "place")}.values():
            own.rewind(length)

    with contextlib.nullcontext() if kernel is None else sdpa_kernel(kernel):
        once = _captured(step, undo) if device.type == "cuda" else step
    begun = _clock(device)
    for _ in range(new - 1):
        once()
    done = _clock(device)
    way = way if kernel is None else f"{way}, {kernel.name.lower()}"
    return Timed(way, tokens.cpu(), logits.cpu(), prefilled - began, (done - begun) / (new - 1))


def _in_one_pass(model: Any, ids: Tensor, tokens: Tensor, way: str) -> Timed:
    """What follows each token where these, of another way, have come before: all rows at once, without a cache."""
    device = ids.device
    given = torch.cat([ids, tokens[None, :-1].to(device)], dim=1)
    began = _clock(device)
    logits = model(given, use_cache=False, logits_to_keep=len(tokens)).logits[0].float()
    taken = _clock(device) - began
    return Timed(way, logits.argmax(dim=-1).cpu(), logits.cpu(), taken, taken / len(tokens))


def _fastest_dense(model: Any, ids: Tensor, new: int) -> Timed:
    """By that kernel of sdpa whose steps are the fastest here; flash attention has none with the mask of a static cache."""

    def decoded(count: int, kernel: SDPBackend | None) -> Timed:
        held = StaticCache(model.config, max_cache_len=ids.shape[1] + new)
        return _decoded(model, ids, held, count, "sdpa, steps", kernel)

    if not ids.is_cuda:
        return decoded(new, None)
    times = {}
    for kernel in (SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH):
        with contextlib.suppress(RuntimeError):  # no such kernel for these shapes
            times[kernel] = decoded(min(new, 33), kernel).token_s
    return decoded(new, min(times, key=lambda kernel: times[kernel]))


@torch.no_grad()
def generate_timed(model: Any, ids: Tensor, settings: Sparse, *, new_tokens: int = 200) -> list[Timed]:
    """Greedy tokens after ids [1, tokens] by sdpa with a static cache, by `settings` in steps, and each in one pass again.

    On a GPU both steps are captured graphs. The passes have the tokens of the steps as their input, so that two ways are
    compared at the same text. The pass of sdpa shows what rounding alone does.
    """
    if ids.shape[0] != 1 or new_tokens < 2:
        raise ValueError(f"{ids.shape[0]} sequences, {new_tokens} new tokens: allowed are 1, and 2 or more")
    capacity = ids.shape[1] + new_tokens
    use(model, None)
    dense = _fastest_dense(model, ids, new_tokens)
    dense_pass = _in_one_pass(model, ids, dense.tokens, "sdpa, one pass")
    use(model, settings, first=ids.shape[1])
    steps = _decoded(model, ids, new_cache(model, settings, capacity=capacity), new_tokens, f"{settings.rule}, steps")
    one_pass = _in_one_pass(model, ids, steps.tokens, f"{settings.rule}, one pass")
    use(model, None)
    return [dense, dense_pass, steps, one_pass]
