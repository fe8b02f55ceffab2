"""socketlab.gpu.PagedIndex on a GPU: one graph serves sequences that grow from page to page, with the bits of an Index.

Skipped without PyTorch, a GPU or the library.
"""

import pytest
from conftest import torch_with_library
from socketlab import gpu

torch = torch_with_library()

BATCH, KV_HEADS, HEADS, DIM, PAGE, BLOCKS = 2, 3, 6, 64, 128, 5
CAPACITY = PAGE * BLOCKS
NOBODY = -1  # in a table: no page


def drawn(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


def empty_index(layout):
    """Of 12 pages that hold NaN, none of them anybody's."""
    shape = (12, KV_HEADS, PAGE, DIM) if layout == "hnd" else (12, PAGE, KV_HEADS, DIM)
    keys, values = (torch.full(shape, float("nan"), device="cuda").bfloat16() for _ in "kv")
    packed = torch.zeros(12, KV_HEADS, PAGE // 64, 4, 64, device="cuda", dtype=torch.int32)
    norms = torch.full((12, KV_HEADS, PAGE), float("nan"), device="cuda").half()
    table = torch.full((BATCH, BLOCKS), NOBODY, device="cuda", dtype=torch.int32)
    planes = torch.randn(12, 9, DIM, device="cuda").bfloat16().float()
    return gpu.PagedIndex(keys, values, packed, norms, planes, table, layout=layout)


def put(index, sequence, key, k, v):
    """As an engine writes a token: k and v [kv_heads, dim]."""
    page = int(index.block_table[sequence, key // PAGE])
    for pool, given in ((index.keys, k), (index.values, v)):
        of_heads = pool[page, :, key % PAGE] if index.layout == "hnd" else pool[page, key % PAGE]
        of_heads.copy_(given)


@pytest.mark.parametrize("layout", ["hnd", "nhd"])
def test_a_graph_appends_and_steps_from_page_to_page(layout):
    torch.manual_seed(1)
    index, free = empty_index(layout), list(range(12))
    keys, values = drawn(BATCH, KV_HEADS, CAPACITY, DIM), drawn(BATCH, KV_HEADS, CAPACITY, DIM)
    q, out = drawn(BATCH, HEADS, DIM), torch.empty(BATCH, HEADS, DIM, device="cuda")
    lengths = torch.zeros(BATCH, device="cuda", dtype=torch.int32)
    budget = {"budget": 20, "sink": 4, "window": 8}
    workspace = gpu.decode_workspace(q, index, **budget)

    def append_and_step():
        index.build(count=1, lengths=lengths)
        gpu.decode_step(q, index, lengths=lengths, out=out, workspace=workspace, **budget)

    append_and_step()  # of no keys; what is compiled at the first call
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        append_and_step()
    whole = gpu.Index(keys, values, hyperplanes=index.hyperplanes)
    for step in range(2 * PAGE + 3):
        used = [step + 1, max(0, step - 60)]  # the second begins later
        for sequence, length in enumerate(used):
            if length == 0:
                continue
            if (length - 1) % PAGE == 0:
                index.block_table[sequence, (length - 1) // PAGE] = free.pop((7 * len(free)) // 11)
            put(index, sequence, length - 1, keys[sequence, :, length - 1], values[sequence, :, length - 1])
        lengths.copy_(torch.tensor(used, dtype=torch.int32))
        graph.replay()
        expected = gpu.decode_step(q, whole, lengths=lengths, **budget)
        assert torch.equal(out.nan_to_num(nan=7.0), expected.nan_to_num(nan=7.0)), (layout, step)
