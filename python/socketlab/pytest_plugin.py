"""Tests of one's own kernel over the cases of a grid: `pytest --socketlab-grid=quick`.

A test that takes `socketlab_scoring_case`, `socketlab_selection_case` or `socketlab_attention_case` runs once for each case
of the grid. Where one fails, the report ends with the line that runs this case alone and the one that makes it.

tiny, the default   small cases: seconds for an implementation in NumPy
quick               shapes, masks, types and inputs of gpu-check's quick grid up to 2,000 keys; selections up to 8,320
full                the same up to 40,000 keys; selections up to 131,072
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from . import check
from .check._attention_cases import _CASES as _ATTENTION
from .check._scores import scoring_texts
from .check._selection_cases import _CASES as _SELECTION

_SIZES = {
    "tiny": [(33, 8)],
    "quick": [(33, 8), (1000, 37), (8320, 2048)],
    "full": [(33, 8), (8320, 2048), (131072, 2048)],
}
_MOST_KEYS = {"tiny": 2000, "quick": 2000, "full": 40000}
_ATTENTION_KEYS = {"tiny": [33], "quick": [1, 33, 700], "full": [1, 33, 700, 5000]}
_FIXTURES = ("socketlab_scoring_case", "socketlab_selection_case", "socketlab_attention_case")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("socketlab").addoption(
        "--socketlab-grid",
        choices=tuple(_SIZES),
        default="tiny",
        help="cases that tests of kernels run over (socketlab.pytest_plugin): tiny, quick or full",
    )


def _parameters(fixture: str, grid: str) -> list[Any]:
    if fixture == "socketlab_scoring_case":
        return list(scoring_texts(grid, seed=1, most_keys=_MOST_KEYS[grid]))
    if fixture == "socketlab_selection_case":
        return [(name, keys, budget) for keys, budget in _SIZES[grid] for name in _SELECTION]
    return [(name, keys) for keys in _ATTENTION_KEYS[grid] for name in _ATTENTION]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    grid = metafunc.config.getoption("--socketlab-grid")
    for fixture in _FIXTURES:
        if fixture in metafunc.fixturenames:
            of_grid = _parameters(fixture, grid)
            ids = [given if isinstance(given, str) else "-".join(map(str, given)) for given in of_grid]
            metafunc.parametrize(fixture, of_grid, ids=ids, indirect=True)


@pytest.fixture
def socketlab_scoring_case(request: pytest.FixtureRequest) -> check.ScoringCase:
    """Goes into check.scores(fn, case=.., sums="f32"); without sums some cases allow fp16's."""
    return check.scoring_case(request.param)


@pytest.fixture
def socketlab_selection_case(request: pytest.FixtureRequest) -> check.SelectionCase:
    """Goes into check.selection(case, fn, contract=..)."""
    name, keys, budget = request.param
    return check.selection_case(name, keys=keys, budget=budget)


@pytest.fixture
def socketlab_attention_case(request: pytest.FixtureRequest) -> check.AttentionCase:
    """case.check(fn) compares outputs and log-sum-exps."""
    name, keys = request.param
    return check.attention_case(name, keys=keys)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        arguments = getattr(item, "funcargs", {})
        cases = [arguments[name] for name in _FIXTURES if name in arguments]
        if cases:
            grid = item.config.getoption("--socketlab-grid")
            lines = [f"pytest --socketlab-grid={grid} '{item.nodeid}'", *(repr(case) for case in cases)]
            report.sections.append(("socketlab: this case alone", "\n".join(lines)))
    return report
