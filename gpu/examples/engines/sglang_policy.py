"""A selection policy in the shape that SGLang proposes for post-hoc sparse attention: contracts.py has it.

The policy selects, SGLang attends. It keeps an index of its own: a row of codes and norms to each slot of a request and layer, written
as tokens come. One list for each KV head becomes one for each request, which is all that the contract takes:

  union    what any of a rank's KV heads selects; exact where a rank has one KV head (8 ranks of Llama-3.1-8B), else a longer list
           than any head needs
  rows     a row for each KV head, [batch * kv_heads, capacity]: for a backend that runs each KV head as a request of its own

Pages are of one token (SGLang's default), so that the granularity PAGE, which its FlashAttention-3 adaptor asks for, is a token's. The
newest token is always in the window: its codes are written after attention, when the policy hears of it.
"""

import math

import reference
import torch
from lists import union

try:
    from sglang.srt.mem_cache.sparsity import contracts
    from sglang.srt.mem_cache.sparsity.policies.base import SparsityPolicy
except ImportError:
    import contracts
    from contracts import SparsityPolicy


class SocketPolicy(SparsityPolicy):
    """slots: of requests; capacity: the longest request; planes [tables, planes, dim], orthogonal in blocks; window from 1 on."""

    capabilities = contracts.SparsityCapabilities(
        state_action=contracts.KVStateAction.VISIBILITY_ONLY,
        granularity=contracts.Granularity.PAGE,
        evidence=contracts.SelectionEvidence.CURRENT_QUERY,
        scope=contracts.DecisionScope.LAYER,
        supports_cuda_graph=True,
    )

    def __init__(self, *, layers, slots, capacity, kv_heads, planes, budget, sink, window, sparsity=0, dense_up_to=0,
                 per_kv_head=False):  # fmt: skip
        if window < 1:
            raise ValueError(f"window {window}: allowed are 1 and more, as the newest token is indexed after attention")
        self.planes, self.kv_heads, self.per_kv_head = planes, kv_heads, per_kv_head
        self.chosen = dict(budget=budget, sink=sink, window=window, sparsity=sparsity)
        self.dense_up_to = max(dense_up_to, sink + budget + window)  # a shorter request has nothing to leave out
        self.scale = 1 / math.sqrt(planes.shape[-1])
        self.device, bits = planes.device, planes.shape[0] * planes.shape[1]
        page = min(65536, 1 << max(6, (capacity - 1).bit_length()))
        self.blocks = -(-capacity // page)
        on_gpu = self.device.type == "cuda"
        words = -(-(-(-planes.shape[0] // 4) * planes.shape[1]) // 8)
        pool = (layers, slots * self.blocks, kv_heads, page // 64)
        self.codes = torch.zeros(
            (*pool, words if on_gpu else bits, 64), dtype=torch.int32 if on_gpu else torch.bool, device=self.device
        )
        self.norms = torch.zeros((*pool[:3], page), dtype=torch.float16, device=self.device)

    def select(self, context):
        seq_lens = context.seq_lens.int()
        q = context.query.view(len(seq_lens), -1, self.planes.shape[-1])
        selected, counts = self._lists(q, context.layer_id, context.req_pool_indices.long(), seq_lens)
        if self.per_kv_head:
            lists, lengths = selected.flatten(0, 1), counts.flatten()
            seq_lens = seq_lens.repeat_interleave(self.kv_heads)
        else:
            lists, lengths = union(selected)
        sparse = seq_lens > self.dense_up_to
        lengths = torch.where(sparse, lengths, 0)
        longest = max(self.dense_up_to, lists.shape[1])
        return contracts.SelectionResult(
            granularity=self.capabilities.granularity, logical_indices=torch.where(sparse[:, None], lists, -1),
            valid_lengths=lengths, visible_kv_lens=lengths, sparse_mask=sparse, layer_id=context.layer_id,
            max_visible_kv_len=longest,
        )  # fmt: skip

    def on_attention_complete(self, context):
        """Indexes the tokens of this forward: one to a request, or in prefill as many as forward_batch says."""
        ends, slots = context.seq_lens.long(), context.req_pool_indices.long()
        new = getattr(context.forward_batch, "extend_seq_lens", None)
        if new is None:
            rows, places = slots, ends - 1
        else:
            rows = slots.repeat_interleave(new.long())
            begins = (ends - new.long() - (new.long().cumsum(0) - new.long())).repeat_interleave(new.long())
            places = begins + torch.arange(len(rows), device=self.device)
        codes, norms = self._encoded(context.key)
        page = self.norms.shape[-1]
        pages, at, heads = (
            rows * self.blocks + places // page,
            places % page,
            torch.arange(self.kv_heads, device=self.device),
        )
        self.codes[context.layer_id][pages[:, None], heads, at[:, None] // 64, :, at[:, None] % 64] = codes
        self.norms[context.layer_id][pages[:, None], heads, at[:, None]] = norms

    def _encoded(self, keys):
        """Codes [tokens, kv_heads, words] and norms of keys [tokens, kv_heads, dim]: a key's words do not depend on its place."""
        if self.device.type != "cuda":
            signs, norms = reference.codes(keys, self.planes.flatten(0, 1))
            return signs, norms.half()
        from socketlab import gpu

        tokens = keys.shape[0]
        rows = torch.nn.functional.pad(keys, (0, 0, 0, 0, 0, -tokens % 64)).transpose(0, 1)[None].contiguous()
        tiles, words = rows.shape[2] // 64, self.codes.shape[-2]
        packed = self.codes.new_empty((1, self.kv_heads, tiles, words, 64))  # in a graph from its memory
        norms = self.norms.new_empty((1, self.kv_heads, tiles * 64))
        gpu.build_index(rows, self.planes, rows, count=tokens, out=(packed, norms))
        return packed[0].transpose(2, 3).flatten(1, 2)[:, :tokens].transpose(0, 1), norms[0, :, :tokens].T

    def _lists(self, q, layer, slots, seq_lens):
        table = slots[:, None] * self.blocks + torch.arange(self.blocks, device=self.device)
        if self.device.type == "cuda":
            from socketlab.gpu import ops

            index = self.codes[layer], self.norms[layer], self.planes
            named = {"rule": "signed-projection", "lists": "kv-head", **self.chosen}
            return ops.select(q.contiguous(), *index, seq_lens, table.int(), **named)
        found = []
        for own, pages, length in zip(q, table, seq_lens.tolist(), strict=True):
            signs = self.codes[layer][pages].permute(1, 0, 2, 4, 3).flatten(1, 3)[:, :length]
            norms = self.norms[layer][pages].transpose(0, 1).flatten(1)[:, :length].float()
            found.append(
                reference.select(own, signs, norms, self.planes.flatten(0, 1), scale=self.scale, **self.chosen)
            )
        return tuple(torch.stack(parts) for parts in zip(*found, strict=True))
