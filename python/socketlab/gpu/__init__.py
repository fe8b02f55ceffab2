"""SOCKET's decode path on an NVIDIA GPU, in place on PyTorch's CUDA tensors: libsocketlab_gpu through ctypes.

`Index(keys, values)` and `decode_step(q, index, budget=..)` are all that a decode step needs; PagedIndex is for a cache
in an engine's pages. The stages have the names of the C header, gpu/socketlab_gpu.h, without skt_. Nothing is loaded
before a function is called: `import socketlab` needs neither PyTorch nor a GPU. Errors: Unavailable (a RuntimeError)
where PyTorch, a GPU or the library is missing; TypeError for a tensor of another type; ValueError for another device,
shape or order and, with the library's own message, for sizes out of range.

Tensors are read when the stream reaches the call. As between any two PyTorch streams, a tensor made on another stream
must be waited for.
"""

from ._attention import attention_workspace, sparse_attention
from ._index import Index
from ._interface import Library, Unavailable, load
from ._paged_index import PagedIndex
from ._prefill import build_index, hash_keys, pack_codes, value_norms
from ._query import score_buckets, score_packed, soft_buckets
from ._ranks import attention_part, count_shard, merge_parts, select_shard
from ._rest import Rest, RestResult
from ._selection import published_list, select_keys
from ._sharded_step import ShardedStep
from ._step import Append, decode_step, decode_workspace

__all__ = [
    "Append",
    "Index",
    "Library",
    "PagedIndex",
    "Rest",
    "RestResult",
    "ShardedStep",
    "Unavailable",
    "attention_part",
    "attention_workspace",
    "build_index",
    "count_shard",
    "decode_step",
    "decode_workspace",
    "hash_keys",
    "load",
    "merge_parts",
    "pack_codes",
    "published_list",
    "score_buckets",
    "score_packed",
    "select_keys",
    "select_shard",
    "soft_buckets",
    "sparse_attention",
    "value_norms",
]
