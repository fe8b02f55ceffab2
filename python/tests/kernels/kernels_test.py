"""The plain kernels of docs/howto/check_a_kernel.md pass every grid, in NumPy and in PyTorch; each mistake in them is caught."""

import numpy as np
import pytest
from mistakes import MISTAKES, sources_with
from plain_kernels import CHECKS, NUMPY, cases_of, check_step_without_list, kernels, torch_kernels
from socketlab import check

GRIDS = ("tiny", "quick", "full")


def is_caught(run, case, kernel):
    try:
        run(case, kernel)
    except check.CheckFailure:
        return True
    except (ValueError, IndexError):  # refused, or no result: another case is to name a number
        pass
    return False


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", CHECKS)
def test_the_page_s_kernels_pass_and_tiny_and_quick_catch_every_mistake_in_them(name, grid):
    run, right = CHECKS[name], kernels(NUMPY, np=np)
    ways = {"as it is": run, **({"without lists": check_step_without_list} if name == "step" else {})}
    left = {
        (what, way): kernels(sources_with(function, old, new), np=np)
        for of, function, what, old, new in MISTAKES
        if of == name and grid != "full"
        for way in ways
    }
    compared = 0
    with np.errstate(all="ignore"):
        for case in cases_of(name, grid):
            compared += run(case, right).compared
            left = {(what, way): wrong for (what, way), wrong in left.items() if not is_caught(ways[way], case, wrong)}
    assert compared > 500
    assert list(left) == []


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", CHECKS)
def test_kernels_in_pytorch_pass(name, grid):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    kernel = torch_kernels()
    assert sum(CHECKS[name](case, kernel, "cpu").compared for case in cases_of(name, grid)) > 500


def test_the_list_of_mistakes_is_long_and_names_each_once():
    names = [(of, what) for of, _, what, _, _ in MISTAKES]
    assert len(names) == len(set(names))
    assert all(sum(of == name for of, _ in names) >= 20 for name in CHECKS)
    assert all("\n" not in new for *_, new in MISTAKES)
