"""socketlab.gpu on a GPU: what a step says of the keys that its lists leave out, beside dense attention in double.

Skipped without PyTorch, a GPU or the library.
"""

import math

import pytest
from conftest import torch_with_library
from socketlab import gpu

torch = torch_with_library()

BATCH, KV_HEADS, GROUP, DIM, KEYS = 2, 2, 4, 64, 8192
HEADS = KV_HEADS * GROUP
SETTINGS = {"budget": 200, "sink": 4, "window": 8, "rule": "signed-projection"}
STEPS = 200


def drawn(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


@pytest.fixture
def index():
    torch.manual_seed(1)
    made = gpu.Index(drawn(BATCH, KV_HEADS, KEYS, DIM), drawn(BATCH, KV_HEADS, KEYS, DIM), tables=64, planes=10)
    gpu.build_index(made.keys, made.hyperplanes, made.keys, out=(made.packed, made.norms))
    return made


def dense(index, q, lse):
    """The true residual weight [batch, heads] and dense attention [batch, heads, dim]."""
    keys, values = (part.double().repeat_interleave(GROUP, 1) for part in (index.keys, index.values))
    logits = torch.einsum("bhd,bhkd->bhk", q.double(), keys) / math.sqrt(DIM)
    output = torch.einsum("bhk,bhkd->bhd", logits.softmax(-1), values)
    return 1 - (lse.double() - logits.logsumexp(-1)).exp(), output


@pytest.mark.parametrize("lists", ["head", "kv-head"])
def test_estimates_limits_and_counters_of_many_steps(index, lists):
    q, step = drawn(BATCH, HEADS, DIM), torch.zeros(1, device="cuda", dtype=torch.int32)
    flagged = torch.zeros(3, device="cuda", dtype=torch.int32)
    asked = gpu.Rest(samples=128, corrected=True, step=step, flagged=flagged, target=0.6)
    plain, lse = gpu.decode_step(q, index, lists=lists, return_lse=True, **SETTINGS)
    true, attention = dense(index, q, lse)
    estimates, corrected, above, nominal_above, flags = [], [], 0, 0, torch.zeros(3, dtype=torch.int64)
    for number in range(STEPS):
        step.fill_(number)
        output, rest = gpu.decode_step(q, index, lists=lists, rest=asked, **SETTINGS)
        assert torch.equal(output, plain)
        odds = rest.weight.double() / (1 - rest.weight.double())
        estimates.append(odds)
        corrected.append(rest.output.double())
        above += int((true > rest.limit).sum())
        nominal_above += int((true > rest.nominal).sum())
        flags += torch.tensor([int((rest.flags >> bit & 1).sum()) for bit in range(3)])
    assert torch.equal(flagged.cpu().long(), flags)
    assert flags[2] == 0  # something is proved of each
    rows = STEPS * HEADS * BATCH
    assert above <= 0.05 * rows, above
    assert 0 < nominal_above < 0.3 * rows  # nominal: it fails now and then
    # The mean of the estimated weight of the rest over the list's: within 5 standard errors of the truth.
    odds = torch.stack(estimates)
    error = (odds.mean(0) - true / (1 - true)).abs() / (odds.std(0) / math.sqrt(STEPS))
    assert (error < 5).all(), error.max()
    # Corrected outputs come nearer to dense attention on average over steps than the uncorrected one, whose error stays.
    mean = torch.stack(corrected).mean(0)
    assert ((mean - attention).norm(dim=-1) < 0.7 * (plain.double() - attention).norm(dim=-1)).all()
