"""One list for each KV head in the forms that serving engines take: PyTorch on any device, without a wait for the GPU.

What the library hands out: `selected` int32 [batch, kv_heads, capacity], positions in the sequence, rising, -1 behind the last,
and `counts` int32 [batch, kv_heads]. Sizes do not depend on what a list holds, so that all may be captured in a graph.
"""

import torch

NOBODY = torch.iinfo(torch.int32).max  # sorts behind every position


def compacted(rows, keep):
    """[rows, width]: what `keep` marks moves to the front in its order, -1 behind it; and how many a row keeps, int32."""
    place = torch.where(keep, keep.cumsum(-1) - 1, rows.shape[-1])
    out = rows.new_full((*rows.shape[:-1], rows.shape[-1] + 1), -1).scatter_(-1, place, rows)
    out[..., -1] = -1  # where all that is not kept went
    return out[..., :-1], keep.sum(-1, dtype=torch.int32)


def distinct(rows):
    """Rows of positions in any order, -1 for none: each once, rising."""
    ordered = torch.where(rows < 0, NOBODY, rows).sort(-1).values
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    return compacted(ordered, first & (ordered < NOBODY))


def union(selected):
    """One list for a sequence, [batch, kv_heads * capacity] and counts [batch]: what any KV head selects. Every head then attends
    to more than its own list, so that no head loses; with one KV head to a rank, as tensor parallelism has it, to its own."""
    return distinct(selected.flatten(1))


def blocks(selected, size, capacity):
    """Blocks of `size` keys that hold a selected key, [batch, kv_heads, capacity] and their counts. A count above the capacity
    says that the first `capacity` blocks are not all."""
    found, counts = distinct(torch.where(selected < 0, -1, selected // size))
    return found[..., :capacity].contiguous(), counts


def flashinfer_topk(selected):
    """[kv_heads, batch, capacity], -1 behind the last: topk_idx or q2k_indices of FlashInfer's and vLLM's block-sparse decode, of
    blocks() or, with blocks of one key, of the lists themselves."""
    return selected.transpose(0, 1).contiguous()


def flashinfer_pages(selected, counts, block_table, page_size):
    """(indptr [batch * kv_heads + 1], indices [batch * kv_heads * capacity], last page lengths) for a decode wrapper with pages of
    one key, whose requests are the KV heads: query [batch * kv_heads, group, dim], pools [pages, kv_heads, page_size, dim] as
    [pages * kv_heads * page_size, 1, 1, dim]. Entries from indptr[-1] on are not read."""
    batch, kv_heads, _ = selected.shape
    at = selected.clamp(min=0).long()
    page = block_table.long().gather(1, (at // page_size).flatten(1)).view_as(at)
    head = torch.arange(kv_heads, device=selected.device)[:, None]
    slots = torch.where(selected < 0, -1, (page * kv_heads + head) * page_size + at % page_size).int()
    indptr = torch.zeros(batch * kv_heads + 1, dtype=torch.int32, device=selected.device)
    indptr[1:] = counts.flatten().cumsum(0)
    indices = compacted(slots.view(1, -1), slots.view(1, -1) >= 0)[0][0]
    return indptr, indices, torch.ones(batch * kv_heads, dtype=torch.int32, device=selected.device)


def tensorrt_llm(selected, counts):
    """(sparse_attn_indices [kv_heads, batch * capacity], sparse_attn_offsets [batch + 1]), blocks of one key: the requests one behind
    the other, with the same offsets for all KV heads. So their lists must be equally long, as the library's are where no mask
    forbids a key to one head; check_equal() says so."""
    flat = selected.transpose(0, 1).flatten(1)
    offsets = torch.zeros(selected.shape[0] + 1, dtype=torch.int32, device=selected.device)
    offsets[1:] = counts[:, 0].cumsum(0)
    return compacted(flat, flat >= 0)[0], offsets


def check_equal(counts):
    """Waits for the GPU."""
    if not bool((counts == counts[:, :1]).all()):
        raise ValueError(f"counts {counts.tolist()}: allowed are the same number for all KV heads of a request")
