"""On a GPU: the bits of a sequence depend neither on its batch, nor on pages, query rows, order or graph; the examples for engines
select and attend as the step does.

Skipped without PyTorch, a GPU or the library. That they do not depend on ranks either is gpu-check's (operation sharded-step).
"""

import math
import pathlib
import sys

import pytest
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
RULES = {"soft-collision": "value", "signed-projection": "key"}  # whose norms are in the index


class Case:
    """Five sequences with their index, and the step over any of them."""

    def __init__(self, rule, lists, dense_up_to):
        torch.manual_seed(4)
        self.q = torch.randn(5, HEADS, DIM, device=DEVICE).bfloat16()
        self.keys, self.values = (torch.randn(5, KV_HEADS, CAPACITY, DIM, device=DEVICE).bfloat16() for _ in "kv")
        self.planes = PLANES.to(DEVICE)
        normed = self.keys if RULES[rule] == "key" else self.values
        self.packed, self.norms = gpu.build_index(self.keys, self.planes, normed)
        self.lengths = torch.tensor(LENGTHS, device=DEVICE, dtype=torch.int32)
        self.named = {"rule": rule, "lists": lists, "dense_up_to": dense_up_to, "return_lists": True, **CHOSEN}

    def parts(self, at):
        return [part[at].contiguous() for part in (self.keys, self.values, self.packed, self.norms)]

    def step(self, at, q=None, lengths=None):
        """Of the sequences `at`, a list."""
        q, lengths = self.q[at] if q is None else q, self.lengths[at] if lengths is None else lengths
        return ops.decode_step(q, *self.parts(at), self.planes, None, lengths, **self.named)

    def paged(self):
        """The same in pages that lie in any order."""
        blocks, pages = CAPACITY // PAGE, 5 * CAPACITY // PAGE
        order = torch.randperm(pages, device=DEVICE)
        table = order.view(5, blocks).int()

        def pool(part, tail):
            cut = part.reshape(5, KV_HEADS, blocks, *tail).transpose(1, 2).reshape(pages, KV_HEADS, *tail)
            return torch.empty_like(cut).index_copy_(0, order, cut)

        words = self.packed.shape[3]
        tails = ((PAGE, DIM), (PAGE, DIM), (PAGE // 64, words, 64), (PAGE,))
        pools = [pool(part, tail) for part, tail in zip(self.parts(slice(None)), tails, strict=True)]
        return ops.decode_step(self.q, *pools, self.planes, None, self.lengths, table, **self.named)


def same(one, other):
    """Every bit of output, log-sum-exp, lists and counts; NaN is NaN."""
    for a, b in zip(one, other, strict=True):
        assert a.shape == b.shape
        assert torch.equal(a.contiguous().view(torch.int32), b.contiguous().view(torch.int32))


@pytest.fixture(params=[0, 700], ids=["sparse", "dense-up-to"])
def dense_up_to(request):
    return request.param


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lists", ["head", "kv-head"])
class TestBatchInvariance:
    def test_alone_and_in_another_order(self, rule, lists, dense_up_to):
        case = Case(rule, lists, dense_up_to)
        together = case.step([0, 1, 2, 3, 4])
        for b in range(5):
            same([part[b : b + 1] for part in together], case.step([b]))
        order = [3, 0, 4, 4, 1]
        same([part[order] for part in together], case.step(order))
        assert len({float(x) for x in together[1].flatten()}) > HEADS  # not all the same numbers

    def test_beside_other_lengths(self, rule, lists, dense_up_to):
        """The neighbours of a sequence grow and shrink; its own bits stay."""
        case = Case(rule, lists, dense_up_to)
        together = case.step([0, 1, 2, 3, 4])
        others = torch.tensor([4096, 0, 700, 5, 64], device=DEVICE, dtype=torch.int32)
        same([part[2:3] for part in together], [part[2:3] for part in case.step([0, 1, 2, 3, 4], lengths=others)])

    def test_in_pages(self, rule, lists, dense_up_to):
        case = Case(rule, lists, dense_up_to)
        same(case.step([0, 1, 2, 3, 4]), case.paged())

    def test_as_a_row_of_several(self, rule, lists, dense_up_to):
        case, rows = Case(rule, lists, dense_up_to), 4
        q = torch.randn(5, rows, HEADS, DIM, device=DEVICE).bfloat16()
        together = case.step([0, 1, 2, 3, 4], q=q)
        for row in range(rows):
            alone = case.step([0, 1, 2, 3, 4], q=q[:, row].contiguous(), lengths=case.lengths - (rows - 1 - row))
            same([part[:, row] for part in together], alone)

    def test_replayed_by_a_graph(self, rule, lists, dense_up_to):
        case = Case(rule, lists, dense_up_to)
        expected, parts = case.step([0, 1, 2, 3, 4]), case.parts(slice(None))
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = ops.decode_step(case.q, *parts, case.planes, None, case.lengths, **case.named)
        for _ in range(3):
            graph.replay()
        same(captured, expected)

    def test_appended_in_the_step(self, rule, lists, dense_up_to):
        """The newest key's codes and norm are those of build_index, and the step reads them."""
        case = Case(rule, lists, dense_up_to)
        expected, parts = case.step([0, 1, 2, 3, 4]), [part.clone() for part in case.parts(slice(None))]
        for b, length in enumerate(LENGTHS):
            at = length - 1
            parts[2][b, :, at // 64, :, at % 64] = 0
            parts[3][b, :, at] = 0
        named = {**case.named, "append_count": 1, "append_norms": RULES[rule]}
        same(ops.decode_step(case.q, *parts, case.planes, None, case.lengths, **named), expected)
        if not dense_up_to:
            same(parts[2:3], [case.packed])
            assert torch.equal(parts[3], case.norms)


def test_the_policy_selects_what_the_step_selects():
    case = Case("signed-projection", "kv-head", 0)
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
    selected, counts = case.step([0, 1, 2, 3, 4])[2:]
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
    case, size = Case("signed-projection", "kv-head", 0), PAGE
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
    expected = case.step([0, 1, 2, 3, 4])[0].bfloat16()
    assert torch.equal(made, expected)
