"""socketlab.gpu on a GPU: one list for the heads of a kv head, sequences that are attended to whole, and steps that append.

Skipped without PyTorch, a GPU or the library.
"""

import math

import pytest
from conftest import torch_with_library
from socketlab import gpu

torch = torch_with_library()

BATCH, KV_HEADS, GROUP, DIM, KEYS = 2, 2, 4, 64, 2048
HEADS = KV_HEADS * GROUP
SIZES = {"budget": 60, "sink": 4, "window": 8}


def drawn(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


@pytest.fixture
def index():
    torch.manual_seed(1)
    made = gpu.Index(drawn(BATCH, KV_HEADS, KEYS, DIM), drawn(BATCH, KV_HEADS, KEYS, DIM), tables=32, planes=10)
    # The signed rule's norms are those of keys.
    gpu.build_index(made.keys, made.hyperplanes, made.keys, out=(made.packed, made.norms))
    return made


def weights(index, q, normalisers):
    """Softmax mass to base 2 that the heads of a kv head together give to a key, by its estimated logits [batch, kv_heads, keys]."""
    halves = gpu.soft_buckets(q, index.hyperplanes, form="half-sums")
    each = gpu.score_packed(halves, index.packed, index.norms, planes=index.planes, rule="signed-projection")
    bits = index.tables * index.planes
    logits = each.double() * math.sqrt(math.pi / 2) / bits - normalisers[..., None].double()
    return logits.exp().unflatten(1, (KV_HEADS, GROUP)).sum(2)


def test_scores_are_the_heads_weights_by_their_log_sums(index):
    q, log_sums = drawn(BATCH, HEADS, DIM), torch.rand(BATCH, HEADS, device="cuda") * 8
    halves = gpu.soft_buckets(q, index.hyperplanes, form="half-sums")
    named = {"planes": index.planes, "rule": "signed-projection", "lists": "kv-head"}
    got = gpu.score_packed(halves, index.packed, index.norms, log_sums=log_sums, **named)
    # Each head's score and the sum are rounded to bf16: 2^-8 of a logit of at most 20, and of the sum.
    assert torch.allclose(got.double(), weights(index, q, log_sums), rtol=20 * 2**-8 + 2**-8, atol=0)
    sampled = gpu.score_packed(halves, index.packed, index.norms, **named)
    ratio = sampled.double().sum(-1) / GROUP
    assert ((ratio > 0.25) & (ratio < 4)).all(), ratio  # of all mass, by an estimate


@pytest.mark.parametrize("rule", ["soft-collision", "signed-projection"])
def test_a_step_attends_to_the_lists_that_it_hands_out(index, rule):
    q = drawn(BATCH, HEADS, DIM)
    output, lse, selected, counts = gpu.decode_step(
        q, index, rule=rule, lists="kv-head", return_lse=True, return_lists=True, **SIZES
    )
    assert selected.shape == (BATCH, KV_HEADS, 72) and (counts == 72).all()
    assert (selected.diff(dim=-1) > 0).all()
    again, again_lse = gpu.sparse_attention(q, index.keys, index.values, selected, counts, lists="kv-head")
    assert torch.equal(output, again) and torch.equal(lse, again_lse)
    of_heads = gpu.sparse_attention(
        q,
        index.keys,
        index.values,
        selected.repeat_interleave(GROUP, 1).contiguous(),
        counts.repeat_interleave(GROUP, 1).contiguous(),
    )
    assert torch.allclose(output, of_heads[0], atol=1e-5) and torch.allclose(lse, of_heads[1], atol=1e-5)


def test_a_short_sequence_attends_to_all_its_keys_in_the_graph_of_a_long_one(index):
    q = drawn(BATCH, HEADS, DIM)
    lengths = torch.zeros(BATCH, device="cuda", dtype=torch.int32)
    out = torch.empty(BATCH, HEADS, DIM, device="cuda")
    named = {"lists": "kv-head", "rule": "signed-projection", "dense_up_to": 500, **SIZES}
    space = gpu.decode_workspace(q, index, lists="kv-head", dense_up_to=500, **SIZES)
    gpu.decode_step(q, index, lengths=lengths, out=out, workspace=space, **named)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        gpu.decode_step(q, index, lengths=lengths, out=out, workspace=space, **named)
    for short in (1, 64, 499, 500):
        lengths.copy_(torch.tensor([short, 501], dtype=torch.int32))
        graph.replay()
        dense = torch.nn.functional.scaled_dot_product_attention(
            q[:1, :, None].float(),
            index.keys[:1, :, :short].float(),
            index.values[:1, :, :short].float(),
            enable_gqa=True,
        )
        assert torch.allclose(out[0], dense[0, :, 0], atol=1e-4), short
        listed = gpu.decode_step(q, index, lengths=lengths, **(named | {"dense_up_to": 0}))
        assert torch.equal(out[1], listed[1]), short


@pytest.mark.parametrize("norms", ["value", "key"])
@pytest.mark.parametrize("given", [False, True])
def test_a_step_that_appends_leaves_what_building_and_a_step_leave(index, norms, given):
    used, q = KEYS - 70, drawn(BATCH, HEADS, DIM)
    values = index.keys if norms == "key" else index.values
    whole = gpu.Index.of_parts(
        index.keys, index.values, *(part.clone() for part in (index.packed, index.norms)), index.hyperplanes, used=used
    )
    gpu.build_index(index.keys, index.hyperplanes, values, out=(whole.packed, whole.norms))
    grown = gpu.Index.of_parts(
        index.keys,
        index.values,
        *(torch.zeros_like(part) for part in (index.packed, index.norms)),
        index.hyperplanes,
        used=used,
    )
    gpu.build_index(index.keys, index.hyperplanes, values, count=used, out=(grown.packed, grown.norms))
    named = {"rule": "signed-projection", "lists": "kv-head", **SIZES}
    for last in range(used, KEYS):
        new = [part[:, :, last : last + 1].contiguous() if given else None for part in (index.keys, index.values)]
        output = gpu.decode_step(q, grown, append=gpu.Append(1, *new, norms=norms), **named)
        whole.used = last + 1
        assert grown.used == last + 1
        assert torch.equal(output, gpu.decode_step(q, whole, **named)), last
    assert torch.equal(grown.packed, whole.packed)
    assert torch.equal(grown.norms.view(torch.int16), whole.norms.view(torch.int16))
