"""An attention backend in the shape of vLLM's: contracts.py has it. Decoding goes through SOCKET's step over the paged cache, with one
list for each KV head; prefill is dense and indexes what it writes.

A layer's cache is [2, blocks, block_size, kv_heads, head_size], keys then values, blocks of 64 tokens or more; its index lies in the
same blocks, in tensors that the impl makes at the first forward. A batch is decoded where every request has one new token; a batch
of prefill and decode is attended to densely, request by request, which an engine would hand to its own kernels.

A decode may be captured: lengths, block table and slots are read on the GPU. Padded requests have length 0 and slot -1; their
output is NaN, and is not read.
"""

import math
from dataclasses import dataclass

import reference
import torch

try:
    from vllm.v1.attention.backend import AttentionBackend, AttentionCGSupport, AttentionImpl, AttentionMetadataBuilder
except ImportError:
    from contracts import AttentionBackend, AttentionCGSupport, AttentionImpl, AttentionMetadataBuilder

BITS, PLANES, TILE = 320, 8, 64
SINK, WINDOW, BUDGET, SPARSITY = 128, 128, 4096, 33
DENSE_UP_TO = 8192  # tokens; shorter requests are attended to whole


@dataclass
class SocketMetadata:
    num_actual_tokens: int
    query_start_loc: torch.Tensor
    seq_lens: torch.Tensor
    block_table: torch.Tensor
    slot_mapping: torch.Tensor
    decode: bool  # every request has one new token


class SocketMetadataBuilder(AttentionMetadataBuilder):
    _cudagraph_support = AttentionCGSupport.UNIFORM_SINGLE_TOKEN_DECODE

    def build(self, common_prefix_len, common_attn_metadata, fast_build=False):
        common = common_attn_metadata
        return SocketMetadata(
            common.num_actual_tokens, common.query_start_loc, common.seq_lens, common.block_table_tensor, common.slot_mapping,
            decode=common.max_query_len == 1,
        )  # fmt: skip


class SocketBackend(AttentionBackend):
    supported_dtypes = [torch.float16, torch.bfloat16]
    forward_includes_kv_cache_update = True

    @staticmethod
    def get_name():
        return "SOCKET"

    @staticmethod
    def get_impl_cls():
        return SocketImpl

    @staticmethod
    def get_builder_cls():
        return SocketMetadataBuilder

    @staticmethod
    def get_supported_kernel_block_sizes():
        return [TILE]  # and its multiples; pages are powers of two

    @staticmethod
    def get_kv_cache_shape(num_blocks, block_size, num_kv_heads, head_size, cache_dtype_str="auto"):
        if block_size < TILE or block_size & (block_size - 1):
            raise ValueError(f"block_size {block_size}: allowed are powers of two from {TILE} on")
        return (2, num_blocks, block_size, num_kv_heads, head_size)

    @classmethod
    def get_supported_head_sizes(cls):
        return [32, 64, 128, 256]

    @classmethod
    def supports_batch_invariance(cls):
        return True


def orthogonal_planes(dim, seed=1):
    """[tables, planes, dim]: rotations one below the other."""
    generator = torch.Generator().manual_seed(seed)
    drawn = [torch.randn(dim, dim, generator=generator, dtype=torch.float64) for _ in range(-(-BITS // dim))]
    rows = math.sqrt(dim) * torch.cat([torch.linalg.qr(each)[0] for each in drawn])[:BITS]
    return rows.bfloat16().float().view(BITS // PLANES, PLANES, dim)


class SocketImpl(AttentionImpl):
    def __init__(self, num_heads, head_size, scale, num_kv_heads=None, alibi_slopes=None, sliding_window=None,
                 kv_cache_dtype="auto", logits_soft_cap=None, attn_type="decoder", kv_sharing_target_layer_name=None):  # fmt: skip
        given = {"alibi_slopes": alibi_slopes, "sliding_window": sliding_window, "logits_soft_cap": logits_soft_cap}
        if refused := [name for name, value in given.items() if value]:
            raise NotImplementedError(f"{refused[0]} {given[refused[0]]}: allowed is none")
        if kv_cache_dtype != "auto" or attn_type != "decoder":
            raise NotImplementedError(
                f"cache of {kv_cache_dtype}, attention of {attn_type}: allowed are auto and decoder"
            )
        self.num_heads, self.head_size, self.scale = num_heads, head_size, float(scale)
        self.num_kv_heads = num_kv_heads or num_heads
        self.chosen = dict(budget=BUDGET, sink=SINK, window=WINDOW, sparsity=SPARSITY)
        self.dense_up_to, self.packed = DENSE_UP_TO, None

    def forward(
        self, layer, query, key, value, kv_cache, attn_metadata, output, output_scale=None, output_block_scale=None
    ):
        """query [tokens, heads, head_size], key and value [tokens, kv_heads, head_size]; writes and returns output."""
        if attn_metadata is None:  # a run that only measures memory
            return output.fill_(0)
        meta, tokens = attn_metadata, attn_metadata.num_actual_tokens
        slots = meta.slot_mapping[:tokens].long()
        kept = slots >= 0
        at = torch.where(kept, slots, slots[0].clamp(min=0))  # padding comes last: it writes the first token once more
        for pool, new in ((kv_cache[0], key), (kv_cache[1], value)):
            pool.view(-1, *pool.shape[2:])[at] = torch.where(kept[:, None, None], new[:tokens], new[:1])
        q, out = query[:tokens].view(tokens, self.num_heads, -1), output[:tokens].view(tokens, self.num_heads, -1)
        if not meta.decode:
            self._prefill(q, kv_cache, meta, out)
        elif kv_cache.is_cuda:
            out.copy_(self._step(q, kv_cache, meta))
        else:
            out.copy_(self._reference_step(q, kv_cache, meta))
        return output

    def _index(self, kv_cache):
        """Codes and norms of the signed projection in the blocks of the cache."""
        if self.packed is None:
            _, blocks, size, kv_heads, dim = kv_cache.shape
            words = -(-BITS // 32)
            self.planes = orthogonal_planes(dim).to(kv_cache.device)
            self.packed = kv_cache.new_zeros((blocks, kv_heads, size // TILE, words, TILE), dtype=torch.int32)
            self.norms = kv_cache.new_zeros((blocks, kv_heads, size), dtype=torch.float16)
        return self.packed, self.norms, self.planes

    def _step(self, q, kv_cache, meta):
        from socketlab.gpu import ops

        return ops.decode_step(
            q.contiguous(), *kv_cache, *self._index(kv_cache), None, meta.seq_lens, meta.block_table, layout="nhd",
            rule="signed-projection", lists="kv-head", logit_scale=self.scale, dense_up_to=self.dense_up_to, append_count=1,
            append_norms="key", **self.chosen,
        )[0]  # fmt: skip

    def _sequence(self, kv_cache, meta, request):
        """Keys and values [kv_heads, length, dim] of a request."""
        length, size = int(meta.seq_lens[request]), kv_cache.shape[2]
        pages = meta.block_table[request, : -(-length // size)].long()
        return [pool[pages].flatten(0, 1)[:length].transpose(0, 1) for pool in kv_cache]

    def _reference_step(self, q, kv_cache, meta):
        planes, outputs = orthogonal_planes(kv_cache.shape[-1]).flatten(0, 1), []
        for request, own in enumerate(q):
            keys, values = self._sequence(kv_cache, meta, request)
            length = keys.shape[1]
            if length <= self.dense_up_to:
                every = torch.arange(length, dtype=torch.int32).expand(self.num_kv_heads, -1)
                lists = every, torch.full((self.num_kv_heads,), length)
            else:
                lists = reference.select(own, *reference.codes(keys, planes), planes, scale=self.scale, **self.chosen)
            outputs.append(reference.attend(own, keys, values, *lists, self.scale))
        return torch.stack(outputs)

    def _prefill(self, q, kv_cache, meta, out):
        starts = meta.query_start_loc.tolist()
        for request, (begin, end) in enumerate(zip(starts, starts[1:], strict=False)):
            keys, values = self._sequence(kv_cache, meta, request)
            length, new = keys.shape[1], end - begin
            if new == 0:
                continue
            seen = torch.ones(new, length, dtype=torch.bool, device=q.device).tril(length - new)
            attended = torch.nn.functional.scaled_dot_product_attention(
                q[begin:end].transpose(0, 1), keys, values, attn_mask=seen, scale=self.scale, enable_gqa=True
            )
            out[begin:end] = attended.transpose(0, 1)
            if kv_cache.is_cuda:
                from socketlab.gpu import ops

                own = slice(request, request + 1)
                ops.append(*kv_cache, *self._index(kv_cache), meta.seq_lens[own].int(), meta.block_table[own], count=new,
                           append_norms="key", layout="nhd")  # fmt: skip
