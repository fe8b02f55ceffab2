"""Does steps.py allow what the bounds allow, and nothing else? On the CPU, for scores that are off on purpose."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
import steps  # noqa: E402
from attention_test import settings  # noqa: E402
from socketlab.models import rules  # noqa: E402

CHOICES = [{}, {"value": "norm"}, {"scaled": False}, {"sparsity": 6.0}, {"rule": "signed-orthogonal-norm"}]
TOLERANCE = 2.0**-7


def tensors(dim, keys=130):
    random = torch.Generator().manual_seed(4)
    query = torch.randn(2, 4, dim, generator=random)
    key, value = (torch.randn(2, 2, keys, dim, generator=random) for _ in range(2))
    return (part.bfloat16().double() for part in (query, key, value))


def output_of(chosen, query, key, value, moved):
    """Attention over the keys of highest score, where moved(scores, errors, count) gives the scores of those not fixed."""
    keys, count = key.shape[2], chosen.places(key.shape[2])
    fixed = rules.always(chosen, torch.tensor([keys - 1]), keys)[0]
    scores, errors = steps.scores_and_errors(chosen, 0, query, key, value)
    scores = moved(scores, errors, count).masked_fill(fixed, -torch.inf)
    lists = fixed | rules.best(scores, count)
    logits = rules.logits_of(query.unsqueeze(2), key, 0.1, torch.tensor([keys - 1]))
    return rules.attend(logits, value, lists.unsqueeze(2))[:, :, 0]


@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_scores_within_their_bounds_are_allowed_and_a_key_that_is_decided_is_not_exchanged(dim, choice):
    chosen = settings(**choice)
    query, key, value = tensors(dim)
    random = torch.Generator().manual_seed(5)

    def within(scores, errors, count):
        return scores + errors * (2 * torch.rand(scores.shape, generator=random) - 1)

    def exchanged(scores, errors, count):  # the best key falls behind all others
        free = scores[..., chosen.sink : -chosen.window]
        best = free.argmax(-1, keepdim=True) + chosen.sink
        return scores.scatter(-1, best, free.amin(-1, keepdim=True) - 1)

    found = [
        steps.least_differences(chosen, 0, output_of(chosen, query, key, value, moved), query, key, value, 0.1)
        for moved in (within, exchanged)
    ]
    (honest, _), (wrong, _) = found
    assert (honest <= TOLERANCE).all()  # and so none is NaN
    assert (wrong > TOLERANCE).all()


def test_keys_within_the_threshold_by_hand():
    scores, errors = torch.tensor([5.0, 4.0, 3.9, 3.0, 1.0]), torch.full((5,), 0.1)
    # The second place is that of 4.0 or 3.9, whose intervals meet.
    sure, perhaps = steps.sure_and_open(scores, errors, 2)
    assert sure.tolist() == [True, False, False, False, False]
    assert perhaps.tolist() == [False, True, True, False, False]
    sure, perhaps = steps.sure_and_open(scores, errors, 3)
    assert sure.tolist() == [True, True, True, False, False] and not perhaps.any()
