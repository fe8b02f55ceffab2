"""Tests of one's own kernel over the cases of a grid: `pytest --socketlab-grid=quick`.

A test that takes `socketlab_scoring_case`, `socketlab_selection_case`, `socketlab_attention_case` or `socketlab_decode_case`
runs once for each case of the grid. Where one fails, the report ends with the line that runs this case alone and the one
that makes it.

tiny, the default   small cases of what every contract names: shared KV heads, masks, keys behind full tiles of 64 and 128,
                    sink, window, temperature, norms; seconds for an implementation in NumPy
quick               shapes, masks, types and inputs of gpu-check's quick grid up to 2,000 keys; selections up to 8,320
full                the same up to 40,000 keys; selections up to 131,072
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from . import _core, check
from .check import _attention_cases, _selection_cases
from .check._scores import scoring_texts

_MOST_KEYS = {"tiny": 2000, "quick": 2000, "full": 40000}
_FIXTURES = tuple(f"socketlab_{name}_case" for name in ("scoring", "selection", "attention", "decode"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("socketlab").addoption(
        "--socketlab-grid",
        choices=tuple(_MOST_KEYS),
        default="tiny",
        help="cases that tests of kernels run over (socketlab.pytest_plugin): tiny, quick or full",
    )


def _parameters(fixture: str, grid: str) -> list[Any]:
    if fixture == "socketlab_scoring_case":
        return list(scoring_texts(grid, seed=1, most_keys=_MOST_KEYS[grid]))
    if fixture == "socketlab_decode_case":
        return _core.decode_cases(grid, 1, _MOST_KEYS[grid])
    if fixture == "socketlab_selection_case":
        return [(name, *size) for size in _selection_cases._GRIDS[grid] for name in _selection_cases._CASES]
    return [(name, keys) for keys in _attention_cases._GRIDS[grid] for name in _attention_cases._CASES]


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
    """Goes into check.selection(case, fn, contract=..); fn(scores) selects case.budget beside case.sink and case.window."""
    name, keys, budget, sink, window = request.param
    return check.selection_case(name, keys=keys, budget=budget, sink=sink, window=window)


@pytest.fixture
def socketlab_attention_case(request: pytest.FixtureRequest) -> check.AttentionCase:
    """case.check(fn) compares outputs and log-sum-exps."""
    name, keys = request.param
    return check.attention_case(name, keys=keys)


@pytest.fixture
def socketlab_decode_case(request: pytest.FixtureRequest) -> check.DecodeCase:
    """Goes into check.decode_step(fn, case=..)."""
    return check.decode_case(request.param)


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
