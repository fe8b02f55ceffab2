"""The parts of two engines' interfaces that the examples of this folder fill, in our words: names, shapes, types, order of calls.

They stand in where SGLang or vLLM is not installed. None of them can be installed where this project is tested, so that the
examples have run against these transcriptions alone. Where an engine's own module is there, it is taken.

SGLang (sgl-project/sglang, pull request 33856, 2026-08): python/sglang/srt/mem_cache/sparsity/contracts.py and policies/base.py. Its
controller (core/kv_sparsity_controller.py) calls for each layer, in this order: once for a new forward begin_forward(context); in
decoding select(context), whose result an adaptor writes into the page table of the attention backend; then attention; then
on_attention_complete(context). In prefill there is no select.

vLLM (vllm-project/vllm, commit 0014ca6): vllm/v1/attention/backend.py. The engine asks the backend class for the shape of a layer's
cache; for each forward a builder makes metadata of CommonAttentionMetadata; then each layer's impl.forward writes the new keys and
values where slot_mapping says, -1 for nowhere, and attends.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

import torch


class KVStateAction(StrEnum):
    VISIBILITY_ONLY = "visibility_only"  # what is not selected stays where it is


class Granularity(StrEnum):
    TOKEN = "token"
    PAGE = "page"


class SelectionEvidence(StrEnum):
    CURRENT_QUERY = "current_query"


class DecisionScope(StrEnum):
    LAYER = "layer"  # a selection for each layer


@dataclass(frozen=True)
class SparsityCapabilities:
    state_action: KVStateAction
    granularity: Granularity
    evidence: SelectionEvidence
    scope: DecisionScope
    requires_request_state: bool = False
    supports_cuda_graph: bool = False


@dataclass(frozen=True)
class RequestIdentity:
    pool_index: int
    generation: int


@dataclass(frozen=True)
class SelectionContext:
    """key and value are those of the tokens of this forward, [tokens, kv_heads, dim]; query [tokens, heads * dim] or [tokens,
    heads, dim]; seq_lens [batch] with the new tokens; req_pool_indices [batch] the slots of the requests."""

    query: torch.Tensor | None
    layer_id: int
    req_pool_indices: torch.Tensor
    seq_lens: torch.Tensor
    key: torch.Tensor | None = None
    value: torch.Tensor | None = None
    output: torch.Tensor | None = None
    forward_batch: Any = None  # extend_seq_lens [batch] in prefill: how many tokens of each are new
    attention_layer: Any = None
    request_generations: torch.Tensor | None = None
    metadata: Any = None


@dataclass(frozen=True)
class SelectionResult:
    """logical_indices int32 or int64 [batch, capacity], positions in the request, -1 behind valid_lengths [batch]; visible_kv_lens
    [batch] tokens that attention then sees; sparse_mask bool [batch], false for rows that stay dense."""

    granularity: Granularity
    logical_indices: torch.Tensor
    valid_lengths: torch.Tensor
    visible_kv_lens: torch.Tensor
    sparse_mask: torch.Tensor
    layer_id: int | None = None
    max_visible_kv_len: int | None = None


class SparsityPolicy:
    """capabilities (a property) and select(context); the hooks below may stay empty."""

    def on_request_begin(self, identity):
        pass

    def on_request_end(self, identity):
        pass

    def begin_forward(self, context):
        pass

    def on_attention_complete(self, context):
        pass


class AttentionCGSupport(Enum):
    UNIFORM_SINGLE_TOKEN_DECODE = 1


class AttentionBackend:
    """Static: get_name, get_impl_cls, get_builder_cls, get_kv_cache_shape, get_supported_kernel_block_sizes; of the class:
    get_supported_head_sizes, supports_batch_invariance."""


class AttentionMetadataBuilder:
    def __init__(self, kv_cache_spec, layer_names, vllm_config, device):
        self.kv_cache_spec, self.layer_names = kv_cache_spec, layer_names
        self.vllm_config, self.device = vllm_config, device


class AttentionImpl:
    """__init__ of sizes, forward of tensors."""


@dataclass
class CommonAttentionMetadata:
    """Of one forward: query_start_loc [requests + 1] where the tokens of each request begin; seq_lens [requests] with the new
    tokens; block_table_tensor [requests, blocks]; slot_mapping [tokens], block * block_size + place."""

    query_start_loc: torch.Tensor
    query_start_loc_cpu: torch.Tensor
    seq_lens: torch.Tensor
    num_reqs: int
    num_actual_tokens: int
    max_query_len: int
    max_seq_len: int
    block_table_tensor: torch.Tensor
    slot_mapping: torch.Tensor
