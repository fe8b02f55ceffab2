"""The examples of gpu/examples/engines on the CPU, called as the engines call them: their contracts in our words, lists and attention
against a second computation in NumPy. The engines themselves cannot be installed here."""

import inspect
import math
import pathlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "gpu" / "examples" / "engines"))
# ruff: noqa: E402
import contracts
import lists
import reference
import sglang_policy
import vllm_backend

HEADS, KV_HEADS, DIM = 4, 2, 64
CHOSEN = {"budget": 6, "sink": 2, "window": 3, "sparsity": 9}


def int32(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


def expected_lists(q, keys, planes, chosen):
    """Of one sequence, a second time: q [heads, dim], keys [kv_heads, keys, dim], planes [bits, dim]; double precision."""
    found = []
    for head in range(keys.shape[0]):
        own = keys[head].double().numpy()
        group = q.view(keys.shape[0], -1, q.shape[-1])[head].double().numpy()
        signs = np.where(own.astype(np.float32) @ planes.numpy().T >= 0, 1.0, -1.0)
        norms = np.linalg.norm(own, axis=1)
        total = np.zeros(len(own))
        for row in group:
            logits = (
                norms * np.sqrt(np.pi / 2) / len(planes) * (signs @ (planes.double().numpy() @ row)) / 8
            )  # sqrt(64)
            total += np.exp(logits) / np.exp(logits).sum()
        length, sink, window = len(own), chosen["sink"], chosen["window"]
        best = min(chosen["budget"], max(1, length // chosen["sparsity"]))
        between = sorted(range(sink, length - window), key=lambda key: (-total[key], key))[:best]
        found.append([*range(sink), *sorted(between), *range(length - window, length)])
    return found


# --- forms of lists ---

SELECTED = torch.tensor([[[0, 4, 9, -1], [1, 4, 8, -1]], [[2, 3, 5, 70], [0, 3, 5, 71]]], dtype=torch.int32)
COUNTS = int32([3, 3], [4, 4])


def test_a_union_has_each_key_once():
    rows, counts = lists.union(SELECTED)
    assert rows.tolist() == [[0, 1, 4, 8, 9, -1, -1, -1], [0, 2, 3, 5, 70, 71, -1, -1]]
    assert counts.tolist() == [5, 6] and rows.dtype == counts.dtype == torch.int32


def test_blocks_cover_the_keys():
    found, counts = lists.blocks(SELECTED, 4, 3)
    assert found.tolist() == [[[0, 1, 2], [0, 1, 2]], [[0, 1, 17], [0, 1, 17]]] and counts.tolist() == [[3, 3], [3, 3]]
    assert lists.blocks(SELECTED, 2, 2)[1].tolist() == [[3, 3], [3, 4]]  # more than the capacity: not all
    assert lists.flashinfer_topk(found).tolist() == [[[0, 1, 2], [0, 1, 17]], [[0, 1, 2], [0, 1, 17]]]


def test_tensorrt_llm_has_requests_one_behind_the_other():
    indices, offsets = lists.tensorrt_llm(SELECTED, COUNTS)
    assert indices.tolist() == [[0, 4, 9, 2, 3, 5, 70, -1], [1, 4, 8, 0, 3, 5, 71, -1]]
    assert offsets.tolist() == [0, 3, 7] and indices.dtype == offsets.dtype == torch.int32
    lists.check_equal(COUNTS)
    with pytest.raises(ValueError, match="the same number for all KV heads"):
        lists.check_equal(int32([3, 2], [4, 4]))


def test_pages_of_one_key_name_the_rows_of_each_head():
    table = int32([5, 9], [7, 2])  # pages of 64 keys
    indptr, indices, last = lists.flashinfer_pages(SELECTED, COUNTS, table, 64)
    assert indptr.tolist() == [0, 3, 6, 10, 14] and last.tolist() == [1] * 4
    pools = torch.arange(10 * 2 * 64).view(10, 2, 64)  # of each row its own number
    for row, (batch, head) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
        own = indices[indptr[row] : indptr[row + 1]].tolist()
        keys = SELECTED[batch, head, : COUNTS[batch, head]].tolist()
        assert own == [pools[table[batch, key // 64], head, key % 64].item() for key in keys]


# --- SGLang ---


class Controller:
    """Calls a policy as SGLang's does: contracts.py says in which order."""

    def __init__(self, policy):
        self.policy, self.selected = policy, []

    def forward(self, query, key, slots, seq_lens, extend=None):
        batch = SimpleNamespace(extend_seq_lens=extend)
        context = contracts.SelectionContext(
            query=query, layer_id=1, req_pool_indices=slots, seq_lens=seq_lens, key=key, value=key, forward_batch=batch
        )
        self.policy.begin_forward(context)
        result = self.policy.select(context) if extend is None else None
        self.policy.on_attention_complete(context)
        return result


def checked_result(result, batch, seq_lens):
    """What SGLang's SelectionResult refuses, and what its adaptor relies on."""
    assert result.logical_indices.ndim == 2 and result.logical_indices.shape[0] == batch
    assert result.sparse_mask.dtype == torch.bool and result.logical_indices.dtype in (torch.int32, torch.int64)
    for tensor in (result.valid_lengths, result.visible_kv_lens, result.sparse_mask):
        assert tensor.shape == (batch,) and tensor.device == result.logical_indices.device
    assert result.granularity == contracts.Granularity.PAGE and result.max_visible_kv_len > 0
    for row, length, sparse, most in zip(
        result.logical_indices.tolist(),
        result.valid_lengths.tolist(),
        result.sparse_mask.tolist(),
        seq_lens,
        strict=True,
    ):
        assert row[length:] == [-1] * (len(row) - length) and row[:length] == sorted(set(row[:length]))
        assert (length > 0) == sparse and all(0 <= key < most for key in row[:length])
        assert length <= result.max_visible_kv_len
    assert torch.equal(result.visible_kv_lens, result.valid_lengths)  # pages of one token


@pytest.fixture(params=[False, True], ids=["union", "rows"])
def decoded(request):
    """A policy after a prefill of two requests and 10 decoded tokens: what it selected last, and from what."""
    torch.manual_seed(3)
    planes = vllm_backend.orthogonal_planes(DIM)
    policy = sglang_policy.SocketPolicy(
        layers=2,
        slots=5,
        capacity=200,
        kv_heads=KV_HEADS,
        planes=planes,
        per_kv_head=request.param,
        dense_up_to=75,
        **CHOSEN,
    )
    controller, lengths, slots = Controller(policy), torch.tensor([150, 65]), torch.tensor([4, 2])
    keys = torch.randn(2, 200, KV_HEADS, DIM).bfloat16()
    prompt = torch.cat([keys[0, :150], keys[1, :65]])
    assert controller.forward(torch.randn(215, HEADS * DIM), prompt, slots, lengths, extend=lengths) is None
    for _ in range(10):
        new = torch.stack([keys[b, length] for b, length in enumerate(lengths.tolist())])
        lengths = lengths + 1
        q = torch.randn(2, HEADS * DIM).bfloat16()
        result = controller.forward(q, new, slots, lengths)
    return policy, result, q.view(2, HEADS, DIM), keys, lengths, planes.flatten(0, 1), request.param


def test_the_policy_keeps_the_contract_and_selects_by_estimated_weight(decoded):
    _, result, q, keys, lengths, planes, rows = decoded
    repeats = KV_HEADS if rows else 1
    checked_result(result, 2 * repeats, lengths.repeat_interleave(repeats).tolist())
    assert result.sparse_mask.tolist() == [True] * repeats + [False] * repeats  # 160 tokens, and 75 that stay dense
    found = expected_lists(q[0], keys[0, :160].transpose(0, 1), planes, CHOSEN)
    if not rows:
        found = [sorted(set(found[0]) | set(found[1]))]
    for row, wanted in enumerate(found):
        assert result.logical_indices[row, : result.valid_lengths[row]].tolist() == wanted
    # budget of min(6, 160 // 9): the estimate decides, not the place
    assert len(found[0]) >= 11 and found[0] != list(range(len(found[0])))


def test_every_token_is_indexed_at_its_place(decoded):
    policy, _, _, keys, lengths, planes, _ = decoded
    for b, slot in enumerate((4, 2)):
        own = keys[b, : lengths[b]].transpose(0, 1)
        stored = policy.codes[1, slot].transpose(2, 3).flatten(1, 2)  # one page to a slot: [kv_heads, keys, bits]
        assert torch.equal(stored[:, : lengths[b]], own.float() @ planes.T >= 0) and not stored[:, lengths[b] :].any()
        assert torch.equal(policy.norms[1, slot, :, : lengths[b]], own.float().norm(dim=-1).half())
    assert not policy.codes[0].any() and not policy.codes[1, [0, 1, 3]].any()


def test_the_policy_says_what_it_needs():
    capabilities = sglang_policy.SocketPolicy.capabilities
    assert capabilities.scope == contracts.DecisionScope.LAYER and not capabilities.requires_request_state
    assert capabilities.state_action == contracts.KVStateAction.VISIBILITY_ONLY
    with pytest.raises(ValueError, match="window 0: allowed are 1 and more"):
        sglang_policy.SocketPolicy(
            layers=1, slots=1, capacity=64, kv_heads=1, planes=torch.zeros(5, 8, DIM), budget=1, sink=0, window=0
        )


# --- vLLM ---

PARAMETERS = {
    vllm_backend.SocketBackend.get_kv_cache_shape: "num_blocks block_size num_kv_heads head_size cache_dtype_str",
    vllm_backend.SocketMetadataBuilder.__init__: "self kv_cache_spec layer_names vllm_config device",
    vllm_backend.SocketMetadataBuilder.build: "self common_prefix_len common_attn_metadata fast_build",
    vllm_backend.SocketImpl.__init__: "self num_heads head_size scale num_kv_heads alibi_slopes sliding_window kv_cache_dtype "
    "logits_soft_cap attn_type kv_sharing_target_layer_name",
    vllm_backend.SocketImpl.forward: "self layer query key value kv_cache attn_metadata output output_scale output_block_scale",
}


@pytest.mark.parametrize("function", PARAMETERS, ids=lambda function: function.__qualname__)
def test_parameters_are_called_as_vllm_calls_them(function):
    assert list(inspect.signature(function).parameters) == PARAMETERS[function].split()


class Engine:
    """Two requests of 100 and 7 tokens in blocks of 64, and one padded row."""

    def __init__(self, dense_up_to):
        torch.manual_seed(5)
        backend = vllm_backend.SocketBackend
        self.impl = backend.get_impl_cls()(HEADS, DIM, 1 / math.sqrt(DIM), KV_HEADS)
        self.impl.chosen, self.impl.dense_up_to = CHOSEN, dense_up_to
        self.builder = backend.get_builder_cls()(None, ["layer"], None, "cpu")
        self.cache = torch.full(backend.get_kv_cache_shape(8, 64, KV_HEADS, DIM), math.nan).bfloat16()
        self.keys, self.values = (torch.randn(2, 102, KV_HEADS, DIM).bfloat16() for _ in "kv")
        self.table = int32([6, 1, 0], [3, 0, 0], [0, 0, 0])

    def forward(self, new, seq_lens, padded=0):
        """`new` tokens of each request, the last that it then has."""
        rows = [
            (b, length - count + t)
            for b, (length, count) in enumerate(zip(seq_lens, new, strict=True))
            for t in range(count)
        ]
        slots = [int(self.table[b, t // 64]) * 64 + t % 64 for b, t in rows] + [-1] * padded
        key, value = (
            torch.stack([part[b, t] for b, t in rows] + [part[0, 0]] * padded) for part in (self.keys, self.values)
        )
        starts = torch.tensor([0, *np.cumsum(new + [1] * padded)])
        common = contracts.CommonAttentionMetadata(
            query_start_loc=starts, query_start_loc_cpu=starts, seq_lens=int32(*seq_lens, *[0] * padded), num_reqs=len(new) + padded,
            num_actual_tokens=len(slots), max_query_len=max(new), max_seq_len=max(seq_lens),
            block_table_tensor=self.table[: len(new) + padded], slot_mapping=torch.tensor(slots),
        )  # fmt: skip
        q = torch.randn(len(slots), HEADS, DIM).bfloat16()
        output = torch.zeros(len(slots) + 1, HEADS * DIM)  # as wide as the largest batch
        made = self.impl.forward(None, q, key, value, self.cache, self.builder.build(0, common), output)
        assert made is output and not output[len(slots)].any()
        return q, output[: len(slots)].view(-1, HEADS, DIM)

    def attention(self, q, b, seen):
        """Of one token over `seen`, a list of keys for each KV head; double."""
        rows = []
        for head in range(HEADS):
            own = seen[head // 2]
            keys, values = (part[b, own, head // 2].double() for part in (self.keys, self.values))
            rows.append((keys @ q[head].double() / 8).softmax(0) @ values)
        return torch.stack(rows)


def close(got, expected):
    """fp32 sums of bf16 products, and in prefill weights and outputs of bf16."""
    return torch.allclose(got.double(), expected, atol=0.03)


def test_prefill_is_dense_and_writes_only_its_slots():
    engine = Engine(dense_up_to=0)
    q, output = engine.forward([100, 7], [100, 7])
    for row, (b, t) in enumerate([*((0, t) for t in range(100)), *((1, t) for t in range(7))]):
        assert close(output[row], engine.attention(q[row], b, [list(range(t + 1))] * 2)), (b, t)
    written = torch.zeros(8, 64, dtype=torch.bool)
    written[6], written[1, :36], written[3, :7] = True, True, True
    assert torch.equal(engine.cache.isfinite().all(-1).all(-1), written.expand(2, 8, 64))


@pytest.mark.parametrize("dense_up_to", [0, 1000], ids=["sparse", "dense"])
def test_decoding_attends_to_the_lists_of_the_kv_heads(dense_up_to):
    engine = Engine(dense_up_to)
    engine.forward([100, 7], [100, 7])
    q, output = engine.forward([1, 1], [101, 8], padded=1)
    planes = vllm_backend.orthogonal_planes(DIM).flatten(0, 1)
    for b, length in enumerate((101, 8)):
        seen = [list(range(length))] * 2
        if not dense_up_to:
            seen = expected_lists(q[b], engine.keys[b, :length].transpose(0, 1), planes, CHOSEN)
        assert torch.allclose(output[b].double(), engine.attention(q[b], b, seen), atol=1e-5)
    assert output[2].isnan().all()  # padded: length 0
    assert engine.cache[0, 1, 36].equal(engine.keys[0, 100]) and not engine.cache[:, 0].isfinite().any()
    # The lists decide: the dense output is another one.
    dense = engine.attention(q[0], 0, [list(range(101))] * 2)
    assert close(output[0], dense) == bool(dense_up_to)


def test_a_run_without_metadata_writes_zeros_and_what_is_not_supported_is_named():
    impl = vllm_backend.SocketImpl(HEADS, DIM, 0.125)
    assert not impl.forward(None, None, None, None, None, None, torch.ones(3, 256)).any() and impl.num_kv_heads == HEADS
    with pytest.raises(NotImplementedError, match="sliding_window 128: allowed is none"):
        vllm_backend.SocketImpl(HEADS, DIM, 0.125, sliding_window=128)
    with pytest.raises(ValueError, match="block_size 48: allowed are powers of two from 64 on"):
        vllm_backend.SocketBackend.get_kv_cache_shape(2, 48, 2, 64)


def test_the_reference_lists_few_keys():
    """Shorter sequences than sink and window have each key once, an empty one none."""
    planes = vllm_backend.orthogonal_planes(DIM).flatten(0, 1)
    for length in (0, 1, 4, 5, 6):
        keys = torch.randn(1, length, DIM)
        selected, counts = reference.select(
            torch.randn(2, DIM), *reference.codes(keys, planes), planes, scale=0.125, **CHOSEN
        )
        assert selected[0, : counts[0]].tolist() == list(range(length))
