"""On a GPU: the examples for engines select and attend as the step does.

Skipped without PyTorch, a GPU or the library.
"""

import math
import pathlib
import sys

from conftest import torch_with_library
from socketlab import gpu

torch = torch_with_library()
DEVICE = "cuda"
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "gpu" / "examples" / "engines"))
# ruff: noqa: E402
import contracts
import sglang_policy
import vllm_backend
from socketlab.gpu import ops

HEADS, KV_HEADS, DIM, CAPACITY, PAGE = 8, 2, 64, 4096, 128
LENGTHS = (1, 130, 700, 2048, 4096)
CHOSEN = {"budget": 64, "sink": 4, "window": 16, "sparsity": 20}
PLANES = vllm_backend.orthogonal_planes(DIM)


class Case:
    """Five sequences with their index, and the step over them."""

    def __init__(self):
        torch.manual_seed(4)
        self.q = torch.randn(5, HEADS, DIM, device=DEVICE).bfloat16()
        self.keys, self.values = (torch.randn(5, KV_HEADS, CAPACITY, DIM, device=DEVICE).bfloat16() for _ in "kv")
        self.planes = PLANES.to(DEVICE)
        self.packed, self.norms = gpu.build_index(self.keys, self.planes, self.keys)
        self.lengths = torch.tensor(LENGTHS, device=DEVICE, dtype=torch.int32)
        self.named = {"rule": "signed-projection", "lists": "kv-head", "return_lists": True, **CHOSEN}

    def step(self):
        parts = self.keys, self.values, self.packed, self.norms
        return ops.decode_step(self.q, *parts, self.planes, None, self.lengths, **self.named)


def test_the_policy_selects_what_the_step_selects():
    case = Case()
    policy = sglang_policy.SocketPolicy(
        layers=1, slots=7, capacity=CAPACITY, kv_heads=KV_HEADS, planes=case.planes, per_kv_head=True, **CHOSEN
    )
    slots, new = torch.tensor([6, 0, 2, 5, 3], device=DEVICE), case.lengths.long()
    tokens = torch.cat([case.keys[b, :, :length].transpose(0, 1) for b, length in enumerate(LENGTHS)]).contiguous()
    batch = type("ForwardBatch", (), {"extend_seq_lens": new})
    context = contracts.SelectionContext(
        case.q.flatten(1), 0, slots, case.lengths, key=tokens, value=tokens, forward_batch=batch
    )
    policy.on_attention_complete(context)
    result = policy.select(context)
    selected, counts = case.step()[2:]
    sparse = (case.lengths > sum(CHOSEN[name] for name in ("budget", "sink", "window"))).repeat_interleave(KV_HEADS)
    assert torch.equal(result.sparse_mask, sparse) and sparse.any()
    assert torch.equal(result.logical_indices[sparse], selected.flatten(0, 1)[sparse])
    assert torch.equal(result.valid_lengths[sparse], counts.flatten()[sparse])
    # A decode in a graph: the newest token is indexed where it was, and the same is selected.
    every, newest = torch.arange(5, device=DEVICE), case.lengths.long() - 1
    token = case.keys[every, :, newest].contiguous()
    context = contracts.SelectionContext(case.q.flatten(1), 0, slots, case.lengths, key=token, value=token)
    policy.on_attention_complete(context)
    torch.cuda.synchronize()
    graph, before = torch.cuda.CUDAGraph(), policy.codes.clone()
    with torch.cuda.graph(graph):
        captured = policy.select(context)
        policy.on_attention_complete(context)
    graph.replay()
    assert torch.equal(policy.codes, before) and torch.equal(captured.logical_indices, result.logical_indices)
    policy.codes.zero_()
    graph.replay()
    written = policy.codes != 0
    assert written.any() and torch.equal(policy.codes[written], before[written])


def test_the_backend_decodes_as_the_step_does():
    case, size = Case(), PAGE
    backend = vllm_backend.SocketBackend
    impl = backend.get_impl_cls()(HEADS, DIM, 1 / math.sqrt(DIM), KV_HEADS)
    impl.chosen, impl.dense_up_to = CHOSEN, 0
    builder = backend.get_builder_cls()(None, ["layer"], None, DEVICE)
    cache = torch.zeros(backend.get_kv_cache_shape(5 * CAPACITY // size, size, KV_HEADS, DIM), device=DEVICE).bfloat16()
    table = torch.randperm(5 * CAPACITY // size, device=DEVICE).view(5, -1).int()
    output = torch.zeros(sum(LENGTHS), HEADS * DIM, device=DEVICE).bfloat16()

    def forward(q, first, last):
        """Tokens first .. last - 1 of each sequence."""
        new = [end - begin for begin, end in zip(first, last, strict=True)]
        places = [(b, t) for b in range(5) for t in range(first[b], last[b])]
        b, t = (torch.tensor(each, device=DEVICE) for each in zip(*places, strict=True))
        starts = torch.tensor([0, *new]).cumsum(0)
        common = contracts.CommonAttentionMetadata(
            query_start_loc=starts, query_start_loc_cpu=starts, seq_lens=torch.tensor(last, device=DEVICE, dtype=torch.int32),
            num_reqs=5, num_actual_tokens=len(places), max_query_len=max(new), max_seq_len=max(last), block_table_tensor=table,
            slot_mapping=table[b, t // size].long() * size + t % size,
        )  # fmt: skip
        return impl.forward(None, q, case.keys[b, :, t], case.values[b, :, t], cache, builder.build(0, common), output)

    prompt = [length - 1 for length in LENGTHS]
    forward(torch.randn(sum(prompt), HEADS, DIM, device=DEVICE).bfloat16(), [0] * 5, prompt)
    made = forward(case.q, prompt, list(LENGTHS))[:5].view(5, HEADS, DIM)
    expected = case.step()[0].bfloat16()
    assert torch.equal(made, expected)
