"""Steps of socketlab.models on a GPU by the library, against references in double over the same cache; and captured ones.

Skipped without PyTorch, transformers, a GPU or the library.
"""

import pytest
from conftest import torch_with_library

torch = torch_with_library()
transformers = pytest.importorskip("transformers", minversion="5.24")
import steps  # noqa: E402
from attention_test import NEW, PROMPT, llama, settings, words  # noqa: E402
from socketlab import gpu, models  # noqa: E402
from socketlab.models import attention  # noqa: E402
from steps_test import CHOICES  # noqa: E402

# Outputs are rounded to bf16, by at most 2^-8; as much is left for fp32's logits and weights.
TOLERANCE = 2.0**-7


def differences_of_steps(model, chosen, ids, monkeypatch):
    """[steps of all layers, batch, heads] by steps.least_differences, of the library's outputs over the same cache."""
    found, honest = [], attention.Layer.step

    def checked(layer, query, scaling):
        own, end = honest(layer, query, scaling), layer.place.seen
        cached = (part[:, :, :end] for part in (layer.keys, layer.values))
        found.append(steps.least_differences(chosen, layer.number, own[:, 0], query[:, :, 0], *cached, scaling)[0])
        return own

    monkeypatch.setattr(attention.Layer, "step", checked)
    models.generate(model, ids, chosen, new_tokens=NEW)
    return torch.stack(found)


@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_the_library_attends_to_a_list_that_its_error_bounds_allow(dim, choice, monkeypatch):
    model, ids = llama(dim).cuda().bfloat16(), words(2).cuda()
    found = differences_of_steps(model, settings(**choice), ids, monkeypatch)
    assert found.shape == (2 * (NEW - 1), 2, 4)  # every step was the library's
    assert not found.isnan().any()  # no row has too many lists
    assert (found <= TOLERANCE).all()


def test_a_step_that_misses_the_last_key_is_seen(monkeypatch):
    model, ids = llama().cuda().bfloat16(), words(2).cuda()
    honest = gpu.decode_step
    monkeypatch.setattr(gpu, "decode_step", lambda *a, lengths, **b: honest(*a, lengths=lengths - 1, **b))
    found = differences_of_steps(model, settings(), ids, monkeypatch)
    assert (found > TOLERANCE).flatten(1).any(1).double().mean() > 0.5  # of the steps


def test_a_step_at_a_temperature_that_is_a_quarter_higher_is_seen(monkeypatch):
    model, ids = llama().cuda().bfloat16(), words(2).cuda()
    honest = gpu.decode_step
    monkeypatch.setattr(
        gpu, "decode_step", lambda *a, temperature, **b: honest(*a, temperature=1.25 * temperature, **b)
    )
    assert (differences_of_steps(model, settings(), ids, monkeypatch) > TOLERANCE).any()


@pytest.mark.parametrize("dim", [64, 128])
def test_a_captured_step_gives_the_tokens_of_eager_ones(dim):
    model, ids, chosen = llama(dim).cuda().bfloat16(), words().cuda(), settings()
    _, _, captured, _ = models.generate_timed(model, ids, chosen, new_tokens=NEW)
    assert torch.equal(models.generate(model, ids, chosen, new_tokens=NEW)[0, PROMPT:].cpu(), captured.tokens)
    assert len(captured.tokens.unique()) > 3


def test_padding_takes_pytorchs_route(monkeypatch):
    model, ids = llama().cuda().bfloat16(), words(2).cuda()
    shown = torch.ones_like(ids)
    shown[1, :9] = 0
    monkeypatch.setattr(attention.Layer, "step", lambda *_: pytest.fail("a step of the library"))
    models.generate(model, ids, settings(), new_tokens=3, attention_mask=shown)
    assert models.new_cache(model, settings(planes=3), capacity=9).layers[0].index is None
