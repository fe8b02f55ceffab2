"""What a check reads may lie elsewhere, and a callable gets what it asked for."""

import numpy as np
import pytest
from socketlab import check
from socketlab.check import _tensors


class Elsewhere:
    """An array on a device of this number, of CuPy's manner."""

    def __init__(self, array, device):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def get(self):
        return self.array


def test_what_is_elsewhere_is_copied_and_what_is_here_is_not():
    array = np.arange(3)
    assert _tensors.on_host(array, "x") is array
    assert _tensors.on_host([1, 2], "x") == [1, 2]
    assert _tensors.on_host(Elsewhere(array, 2), "x") is array
    here = Elsewhere(array, 1)
    assert _tensors.on_host(here, "x") is here
    scores = np.array([[1.0, 3.0, 2.0]])
    assert check.selection(Elsewhere(scores, 2), Elsewhere(np.array([[1]]), 2), budget=1).compared == 1


def test_tensors_that_have_a_gradient_are_results_too():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    scores = torch.tensor([[1.0, 3.0, 2.0]], requires_grad=True)
    assert check.selection(scores, [[1, 2]], budget=2).compared == 2


def test_a_device_hands_over_tensors_of_the_type():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    given = np.array([1.0, 1 + 2.0**-9], np.float32)
    assert _tensors.on_device(given, None) is given
    assert _tensors.on_device(given, "cpu").dtype is torch.float32
    rounded = _tensors.on_device(given, "cpu", "bf16")
    assert rounded.dtype is torch.bfloat16 and rounded.tolist() == [1.0, 1.0]
    case = check.decode_case("operation=decode-step,keys=40,heads=2").on("cpu")
    assert (case.keys.dtype, case.norms.dtype, case.codes.dtype) == (torch.bfloat16, torch.float16, torch.int16)
    scored = check.scoring_case("operation=score-packed,keys=40,heads=2,mask=causal").on("cpu")
    assert (scored.codes.dtype, scored.norms.dtype, scored.allowed.dtype) == (torch.int16, torch.float32, torch.bool)
    seen = []
    check.selection(check.selection_case("rising", keys=9, budget=2), lambda s: seen.append(s) or [8, 7], device="cpu")
    assert isinstance(seen[0], torch.Tensor)


def test_a_device_without_pytorch_is_refused(monkeypatch):
    monkeypatch.setattr(_tensors, "torch_or_none", lambda: None)
    with pytest.raises(ValueError, match="^device cuda: PyTorch is missing; allowed is none$"):
        _tensors.on_device(np.zeros(2), "cuda")


@pytest.mark.parametrize("device", ["cuda", "cuda:99", "gpu9", ""])
def test_a_device_that_is_not_here_is_one_line_of_every_check(device):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    case = check.selection_case("rising", keys=9, budget=2)
    step, packed = "operation=decode-step,keys=40,heads=2", "operation=score-packed,keys=33"
    for call in (
        lambda: check.selection(case, lambda scores: scores, device=device),
        lambda: check.replays(lambda scores: scores, case, device=device),
        lambda: check.scores(lambda given: given.norms, case=packed, device=device),
        lambda: check.attention_case("plain").check(lambda q, k, v, selected: q, device=device),
        lambda: check.decode_step(lambda given: given.queries, case=step, device=device),
    ):
        with pytest.raises(
            ValueError, match=f"^device {device}: PyTorch says: .*; allowed is one that is here, or none$"
        ):
            call()
