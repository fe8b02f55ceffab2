"""A decode step over keys that several ranks hold, from the stages of _ranks.py.

Nothing here communicates: the step is given two functions that do, from torch.distributed or anything else on the
stream. An error between two exchanges would leave the other ranks waiting, so everything that can be refused is refused
before the first.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ._attention import attention_call
from ._index import Index
from ._launch import Launch
from ._paged_index import PagedIndex
from ._query import half_entries, mean_weight_scale, score_packed, soft_buckets
from ._ranks import BINS, DIGITS, attention_part, count_shard, merge_parts, select_shard, words_of_marks
from ._step import _arguments as step_arguments
from ._tensors import Tensor, checked, heads_with_lists, on_one_device, torch_with_gpu, types_beside

_MOST_RANKS = 1024
_LARGEST = 2**31 - 1


def _require(name: str, value: int, lowest: int, highest: int, why: str = "") -> None:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} {value}: allowed are {lowest} to {highest}{why}")


class ShardedStep:
    """A decode step over keys that several ranks hold, with all memory that it needs, so that a graph can capture it.

    index           of this rank's run of the keys, on its GPU; index.used of them are filled
    heads           number of query heads
    rank, ranks     the runs follow one another in the order of the ranks, without gap or overlap; any may be empty
    first, used     the position of this rank's first key, and the keys of a sequence on all ranks (with lengths the maximum)
    keys            the room of this rank's run, 0 to index.capacity: the next rank begins at first + keys. Required for calls
                    with lengths, which do not use index.used; without it the run is index.used keys
    budget, sink, window, sparsity   of the whole selection, as in decode_step
    lists           "head", or "kv-head": the query heads of a kv head share one list, as in decode_step
    all_reduce_sum(tensor)           sums int32 over the ranks in place: torch.distributed.all_reduce
    all_gather(gathered, own)        gathered [ranks, ..] from own [..]: torch.distributed.all_gather_into_tensor

    The stages after an exchange run once here, without it, so that sizes that do not fit are refused while no rank
    waits.
    """

    def __init__(
        self,
        index: Index,
        *,
        heads: int,
        rank: int,
        ranks: int,
        first: int,
        used: int,
        keys: int | None = None,
        budget: int,
        sink: int = 0,
        window: int = 0,
        sparsity: int = 0,
        lists: str = "head",
        all_reduce_sum: Callable[[Tensor], Any],
        all_gather: Callable[[Tensor, Tensor], Any],
    ) -> None:
        torch = torch_with_gpu()
        if isinstance(index, PagedIndex):
            raise TypeError("index: PagedIndex; allowed over several ranks is an Index")
        _require("ranks", ranks, 1, _MOST_RANKS)
        _require("rank", rank, 0, ranks - 1, f", of {ranks} ranks")
        if keys is not None:
            _require("keys", keys, 0, index.capacity, ", the capacity of the index")
        _require("first", first, 0, _LARGEST - (index.used if keys is None else keys))
        _require("used", used, 0, _LARGEST)
        self.index, self.rank, self.ranks, self.keys = index, rank, ranks, keys
        self.all_reduce_sum, self.all_gather = all_reduce_sum, all_gather
        self.selection = {"budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
        self.run = {"first": first, "used": used}
        batch, kv_heads, capacity, dim = (int(size) for size in index.keys.shape)
        self.query_shape = batch, heads, dim
        self.lists, rows = lists, heads_with_lists(lists, heads, kv_heads)
        queries = [
            torch.zeros(self.query_shape, dtype=getattr(torch, word), device=index.keys.device)
            for word in types_beside(index.keys)
        ]
        index.library.needed_bytes("skt_decode_step", step_arguments(queries[0], index, budget, sink, window))

        def tensor(*shape: int, dtype: Any = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=index.keys.device)

        int32 = torch.int32
        self.half_tables = tensor(batch, heads, index.tables, half_entries(index.planes))
        self.scores = tensor(batch, rows, capacity)
        self.counts = tensor(DIGITS - 1, batch, rows, BINS, dtype=int32)
        self.last_counts = tensor(batch, rows, BINS, dtype=int32)
        self.marks = tensor(batch, rows, words_of_marks(capacity), 2, dtype=int32)
        self.all_last_counts = tensor(ranks, batch, rows, BINS, dtype=int32)
        self.selected = tensor(batch, rows, budget + sink + window, dtype=int32)
        self.list_counts = tensor(batch, rows, dtype=int32)
        self.part = tensor(batch, heads, dim + 2)
        self.parts = tensor(ranks, batch, heads, dim + 2)
        self.output = tensor(batch, heads, dim)
        self.log_sum_exp = tensor(batch, heads)
        self._lengths_here = tensor(batch, dtype=int32)
        needed = max(self._attention(q).workspace_bytes() for q in queries)
        self.workspace = tensor(max(1, needed), dtype=torch.uint8)
        self._rehearse(queries[0])

    def own_lengths(self, lengths: Tensor) -> Tensor:
        """max(0, lengths - first), int32 [batch], from lengths int32 [batch] of whole sequences: what Index.append
        takes here.

        Computed on the GPU, so it also works in a captured graph; valid until the next call. The lengths are not
        clamped to the room of the run: a full rank would then write each token over its last key. A token beyond the
        run falls outside its room, where nothing reads.
        """
        torch = torch_with_gpu()
        if self.keys is None:
            raise ValueError(
                "lengths: keys= of ShardedStep is missing; allowed with lengths is the room of the rank's run"
            )
        checked(lengths, "lengths", ("int32",), self.query_shape[:1])
        on_one_device(self.index.keys, lengths)
        torch.sub(lengths, self.run["first"], out=self._lengths_here)
        return self._lengths_here.clamp_(min=0)

    def __call__(
        self,
        q: Tensor,
        *,
        temperature: float = 0.5,
        scale: float | None = None,
        rule: str = "soft-collision",
        mask: Tensor | None = None,
        lengths: Tensor | None = None,
        logit_scale: float | None = None,
        log_sums: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Output float32 [batch, heads, dim] and log-sum-exp [batch, heads], the same bits on every rank; valid until
        the next call.

        q [batch, heads, dim], the same on every rank. mask of this rank's keys, scale and logit_scale as in
        decode_step. lengths int32 [batch] of whole sequences, read on the GPU. log_sums float32 [batch, heads], the same
        on every rank, required for lists of kv heads by "signed-projection": natural log-sum-exps of the heads' logits,
        as the last step returned them. Runs on PyTorch's current stream.
        """
        index, library = self.index, self.index.library
        checked(q, "q", types_beside(index.keys), self.query_shape)
        self._require_logits(q, logit_scale)
        shares = self.scores.shape[1] < self.query_shape[1]
        if shares and rule == "signed-projection" and log_sums is None:
            raise ValueError("log_sums: missing; allowed for lists of kv heads over ranks are those of the last step")
        keys = self._run_of_keys(lengths)
        own = None if lengths is None else self.own_lengths(lengths)
        shard: dict[str, Any] = {**self.run, **self.selection, "keys": keys, "lengths": lengths, "library": library}
        form = "half-sums" if rule == "signed-projection" else "half-tables"
        soft_buckets(
            q,
            index.hyperplanes,
            form=form,
            temperature=temperature,
            scale=scale,
            counts=None if shares else self.counts[0],
            out=self.half_tables,
            library=library,
        )
        if shares:
            self.counts[0].zero_()
        weights = (
            {} if logit_scale is None and scale is None else {"weight_scale": self._weight_scale(scale, logit_scale)}
        )
        self._score(keys, own, rule=rule, mask=mask, log_sums=log_sums, **weights)
        self.all_reduce_sum(self.counts[0])  # counted with the scores
        self.all_reduce_sum(self._count(1, shard))
        self.all_gather(self.all_last_counts, self._count(2, shard))
        self._attend(q, logit_scale, shard)
        self.all_gather(self.parts, self.part)
        return merge_parts(self.parts, out=(self.output, self.log_sum_exp), library=library)

    def _weight_scale(self, scale: float | None, logit_scale: float | None) -> float:
        """Of scores by `scale`, which become logits by `logit_scale`."""
        usual = self.query_shape[2] ** -0.5
        mean = mean_weight_scale(self.index.tables * self.index.planes)
        return mean * (usual if logit_scale is None else logit_scale) / (usual if scale is None else scale)

    def _run_of_keys(self, lengths: Tensor | None) -> int:
        """As many as may be scored: of the host, or with lengths all that there is room for."""
        if lengths is not None and self.keys is not None:
            return self.keys
        if self.keys is not None:
            _require("used of the index", self.index.used, 0, self.keys, ", the keys of the run")
        return self.index.used

    def _how(self, logit_scale: float | None) -> dict[str, Any]:
        """Attention over the lists."""
        index = self.index
        scales = {"key_scales": index.key_scales, "value_scales": index.value_scales, "logit_scale": logit_scale}
        return {**scales, "lists": self.lists, "library": index.library}

    def _attention(self, q: Tensor, logit_scale: float | None = None) -> Launch:
        cache = self.index.keys, self.index.values
        return attention_call(q, *cache, self.selected, self.list_counts, **self._how(logit_scale))

    def _require_logits(self, q: Tensor, logit_scale: float | None) -> None:
        """What attention would refuse behind three exchanges."""
        on_one_device(q, self.index.keys, self.index.values)
        scale = self._attention(q, logit_scale).fields["logit_scale"]
        if not 0 < ctypes.c_float(scale).value < float("inf"):
            raise ValueError(f"logit_scale {logit_scale}: allowed are numbers above 0 of float32")

    def _count(self, digit: int, shard: dict[str, Any]) -> Tensor:
        return count_shard(self.scores, self.counts, self.last_counts, self.marks, digit=digit, **shard)

    def _score(self, keys: int, own: Tensor | None, **more: Any) -> None:
        index = self.index
        score_packed(
            self.half_tables,
            index.packed,
            index.norms,
            planes=index.planes,
            used=max(1, keys),  # a rank without keys refuses what the others do; nothing reads or counts that score
            lengths=own,
            counts=self.counts[0] if keys > 0 else None,
            counted={**self.run, "sink": self.selection["sink"], "window": self.selection["window"]},
            lists=self.lists,
            out=self.scores,
            library=index.library,
            **more,
        )

    def _attend(self, q: Tensor, logit_scale: float | None, shard: dict[str, Any]) -> None:
        listed = select_shard(
            self.scores,
            self.counts,
            self.all_last_counts,
            self.marks,
            rank=self.rank,
            out=(self.selected, self.list_counts),
            **shard,
        )
        given = {"workspace": self.workspace, "out": self.part, **self._how(logit_scale)}
        attention_part(q, self.index.keys, self.index.values, *listed, **given)

    def _rehearse(self, q: Tensor) -> None:
        """What stands behind an exchange, of sequences without keys, but launched for all the room of the run."""
        index, library = self.index, self.index.library
        room = index.used if self.keys is None else self.keys
        shard: dict[str, Any] = {**self.run, **self.selection, "used": 0, "keys": room, "library": library}
        for digit in range(1, DIGITS):
            self._count(digit, shard)
        self._attend(q, None, shard)
        merge_parts(self.parts, out=(self.output, self.log_sum_exp), library=library)
