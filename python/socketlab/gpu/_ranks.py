"""One sequence over several GPUs: skt_count_shard, skt_select_shard and skt_merge_parts of gpu/socketlab_gpu.h.

Each process has an index of its own run of the keys. Nothing here communicates: a ShardedStep is given two functions that do,
of torch.distributed or anything else on the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._attention import _fields as attention_fields
from ._index import Index
from ._interface import Library, load
from ._query import half_entries, score_packed, soft_buckets
from ._tensors import Tensor, address, checked, launching, lengths_address, made, on_one_device, torch_with_gpu

DIGITS = 3
BINS, LAST_BINS = 2048, 1024  # of digits 0 and 1, and of digit 2


def _shard_fields(
    scores: Tensor,
    counts: Tensor,
    *,
    first: int,
    used: int,
    keys: int | None,
    budget: int,
    sink: int,
    window: int,
    lengths: Tensor | None,
    sparsity: int,
) -> dict[str, int | None]:
    """What counting and selecting have in common, checked."""
    checked(scores, "scores", ("float32",), (None, None, None))
    batch, heads, capacity = (int(size) for size in scores.shape)
    checked(counts, "counts", ("int32",), (DIGITS - 1, batch, heads, BINS))
    return {
        "scores": address(scores),
        "counts": address(counts),
        "rows": batch * heads,
        "capacity": capacity,
        "first": first,
        "keys": capacity if keys is None else keys,
        "used": used,
        "budget": budget,
        "sink": sink,
        "window": window,
        "lengths": lengths_address(lengths, batch),
        "rows_per_length": heads,
        "sparsity": sparsity,
    }


def count_shard(
    scores: Tensor,
    counts: Tensor,
    last_counts: Tensor,
    *,
    digit: int,
    first: int,
    used: int,
    keys: int | None = None,
    budget: int,
    sink: int = 0,
    window: int = 0,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """Counts of digit 0, 1 or 2 of own scores float32 [batch, heads, capacity]: what must then go to the other ranks.

    counts int32 [2, batch, heads, 2048]: counts[0] and counts[1] are written with digits 0 and 1 and must be summed over
    the ranks, in place, before the next digit. last_counts int32 [batch, heads, 1024]: written with digit 2, to be gathered.
    first: the position of the rank's first key, of which it has `keys` (the capacity, where left out). used: keys of a
    sequence on all ranks; with lengths int32 [batch], of whole sequences, the most. budget, sink, window and sparsity are
    those of the whole selection, as select_keys has them. Returns the tensor that was written.
    """
    torch, loaded = torch_with_gpu(), load(library)
    shape: dict[str, Any] = {
        "first": first,
        "used": used,
        "keys": keys,
        "budget": budget,
        "sink": sink,
        "window": window,
    }
    fields = _shard_fields(scores, counts, lengths=lengths, sparsity=sparsity, **shape)
    checked(last_counts, "last_counts", ("int32",), (*scores.shape[:2], LAST_BINS))
    on_one_device(scores, counts, last_counts, lengths)
    with launching(torch, scores, stream) as handle:
        loaded.call("skt_count_shard", handle, **fields, last_counts=address(last_counts), digit=digit)
    return last_counts if digit == DIGITS - 1 else counts[digit]


def select_shard(
    scores: Tensor,
    counts: Tensor,
    last_counts: Tensor,
    *,
    rank: int,
    first: int,
    used: int,
    keys: int | None = None,
    budget: int,
    sink: int = 0,
    window: int = 0,
    lengths: Tensor | None = None,
    sparsity: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """Own keys of the list of all ranks, int32 [batch, heads, sink + budget + window], and their counts int32 [batch, heads].

    Keys are places of the own cache and rise; -1 stands behind the last. counts as count_shard left them, summed over the
    ranks; last_counts int32 [ranks, batch, heads, 1024], gathered in the order of the ranks. The rest as count_shard has it.
    """
    torch, loaded = torch_with_gpu(), load(library)
    shape: dict[str, Any] = {
        "first": first,
        "used": used,
        "keys": keys,
        "budget": budget,
        "sink": sink,
        "window": window,
    }
    fields = _shard_fields(scores, counts, lengths=lengths, sparsity=sparsity, **shape)
    batch, heads, _ = scores.shape
    checked(last_counts, "last_counts", ("int32",), (None, batch, heads, LAST_BINS))
    given_selected, given_counts = out if out is not None else (None, None)
    on_one_device(scores, counts, last_counts, lengths, given_selected, given_counts)
    with launching(torch, scores, stream) as handle:
        selected = made(given_selected, "out[0]", scores, "int32", (batch, heads, sink + budget + window))
        list_counts = made(given_counts, "out[1]", scores, "int32", (batch, heads))
        loaded.call(
            "skt_select_shard",
            handle,
            **fields,
            last_counts=address(last_counts),
            selected=address(selected),
            list_counts=address(list_counts),
            rank=rank,
            ranks=int(last_counts.shape[0]),
        )
    return selected, list_counts


def attention_part(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    selected: Tensor,
    counts: Tensor,
    *,
    workspace: Tensor,
    logit_scale: float | None = None,
    out: Tensor | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> Tensor:
    """sparse_attention before its division: float32 [batch, heads, dim + 2], as merge_parts takes it of each rank.

    The arguments of sparse_attention; workspace as attention_workspace gives it.
    """
    torch, loaded = torch_with_gpu(), load(library)
    fields = attention_fields(queries, keys, values, selected, counts, logit_scale)
    batch, heads, dim = queries.shape
    checked(workspace, "workspace", ("uint8",), (None,))
    on_one_device(queries, keys, values, selected, counts, workspace, out)
    with launching(torch, queries, stream) as handle:
        part = made(out, "out", queries, "float32", (batch, heads, dim + 2))
        scratch = {"workspace": address(workspace), "workspace_bytes": int(workspace.numel())}
        loaded.call("skt_sparse_attention", handle, **fields, **scratch, part=address(part))
    return part


def merge_parts(
    parts: Tensor,
    *,
    out: tuple[Tensor, Tensor] | None = None,
    stream: Any = None,
    library: Library | None = None,
) -> tuple[Tensor, Tensor]:
    """Outputs float32 [batch, heads, dim] and log-sum-exps float32 [batch, heads] of parts [ranks, batch, heads, dim + 2].

    Parts are merged in their order, so that every rank that has gathered them has the same bits. NaN and -inf where no rank
    has a key.
    """
    torch, loaded = torch_with_gpu(), load(library)
    checked(parts, "parts", ("float32",), (None, None, None, None))
    ranks, batch, heads, width = (int(size) for size in parts.shape)
    given_output, given_logs = out if out is not None else (None, None)
    on_one_device(parts, given_output, given_logs)
    with launching(torch, parts, stream) as handle:
        output = made(given_output, "out[0]", parts, "float32", (batch, heads, width - 2))
        logs = made(given_logs, "out[1]", parts, "float32", (batch, heads))
        sizes = {"ranks": ranks, "rows": batch * heads, "dim": width - 2}
        loaded.call(
            "skt_merge_parts",
            handle,
            parts=address(parts),
            output=address(output),
            log_sum_exp=address(logs),
            **sizes,
        )
    return output, logs


class ShardedStep:
    """A decode step over keys that several ranks hold, with all memory that it needs, so that it may be captured in a graph.

    index           of this rank's run of the keys, on its GPU; index.used of them hold something
    heads           of the queries
    rank, ranks     the runs follow one another in the order of the ranks; any may be empty
    first, used     the position of this rank's first key, and the keys of a sequence on all ranks (with lengths the most)
    budget, sink, window, sparsity   of the whole selection, as decode_step has them
    all_reduce_sum(tensor)           sums int32 over the ranks in place: torch.distributed.all_reduce
    all_gather(gathered, own)        gathered [ranks, ..] from own [..]: torch.distributed.all_gather_into_tensor
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
        budget: int,
        sink: int = 0,
        window: int = 0,
        sparsity: int = 0,
        all_reduce_sum: Callable[[Tensor], Any],
        all_gather: Callable[[Tensor, Tensor], Any],
    ) -> None:
        torch = torch_with_gpu()
        if not 0 <= rank < ranks:
            raise ValueError(f"rank {rank}: allowed are 0 to {ranks - 1}, of {ranks} ranks")
        self.index, self.rank, self.ranks = index, rank, ranks
        self.all_reduce_sum, self.all_gather = all_reduce_sum, all_gather
        self.selection = {"budget": budget, "sink": sink, "window": window, "sparsity": sparsity}
        self.run = {"first": first, "used": used}
        batch, _, capacity, dim = (int(size) for size in index.keys.shape)

        def tensor(*shape: int, dtype: Any = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=index.keys.device)

        int32 = torch.int32
        self.half_tables = tensor(batch, heads, index.tables, half_entries(index.planes))
        self.scores = tensor(batch, heads, capacity)
        self.counts = tensor(DIGITS - 1, batch, heads, BINS, dtype=int32)
        self.last_counts = tensor(batch, heads, LAST_BINS, dtype=int32)
        self.all_last_counts = tensor(ranks, batch, heads, LAST_BINS, dtype=int32)
        self.selected = tensor(batch, heads, budget + sink + window, dtype=int32)
        self.list_counts = tensor(batch, heads, dtype=int32)
        self.part = tensor(batch, heads, dim + 2)
        self.parts = tensor(ranks, batch, heads, dim + 2)
        self.output = tensor(batch, heads, dim)
        self.log_sum_exp = tensor(batch, heads)
        self.own_lengths = tensor(batch, dtype=int32)
        attention = attention_fields(
            torch.empty((batch, heads, dim), dtype=index.keys.dtype, device=index.keys.device),
            index.keys,
            index.values,
            self.selected,
            self.list_counts,
            None,
        )
        needed = index.library.workspace_bytes("skt_sparse_attention", **attention)
        self.workspace = tensor(max(1, needed), dtype=torch.uint8)

    def __call__(
        self,
        q: Tensor,
        *,
        temperature: float = 0.5,
        rule: str = "soft-collision",
        mask: Tensor | None = None,
        lengths: Tensor | None = None,
        logit_scale: float | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Output float32 [batch, heads, dim] and log-sum-exp [batch, heads], the same bits on every rank; in place until the
        next call.

        q [batch, heads, dim], the same on every rank. mask of the own keys, as decode_step has it. lengths int32 [batch] of
        whole sequences, read on the GPU. On PyTorch's current stream.
        """
        torch, index, library = torch_with_gpu(), self.index, self.index.library
        if lengths is not None:
            torch.sub(lengths, self.run["first"], out=self.own_lengths)
        form = "half-sums" if rule == "signed-projection" else "half-tables"
        soft_buckets(q, index.hyperplanes, form=form, temperature=temperature, out=self.half_tables, library=library)
        score_packed(
            self.half_tables,
            index.packed,
            index.norms,
            planes=index.planes,
            used=index.used,
            lengths=None if lengths is None else self.own_lengths,
            rule=rule,
            mask=mask,
            out=self.scores,
            library=library,
        )
        shard: dict[str, Any] = {
            **self.run,
            **self.selection,
            "keys": index.used,
            "lengths": lengths,
            "library": library,
        }
        for digit in range(DIGITS - 1):
            self.all_reduce_sum(count_shard(self.scores, self.counts, self.last_counts, digit=digit, **shard))
        self.all_gather(
            self.all_last_counts, count_shard(self.scores, self.counts, self.last_counts, digit=DIGITS - 1, **shard)
        )
        listed = select_shard(
            self.scores,
            self.counts,
            self.all_last_counts,
            rank=self.rank,
            out=(self.selected, self.list_counts),
            **shard,
        )
        attention_part(
            q,
            index.keys,
            index.values,
            *listed,
            workspace=self.workspace,
            logit_scale=logit_scale,
            out=self.part,
            library=library,
        )
        self.all_gather(self.parts, self.part)
        return merge_parts(self.parts, out=(self.output, self.log_sum_exp), library=library)
