"""Every option of every function that mirrors a command, from the core's table: its default is taken, what lies beyond
its range is refused by its name, and signature and docstring say it.
"""

import inspect
import os
import pathlib
import re

import numpy as np
import pytest
import socketlab as sl
from socketlab import _options

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))
FEW = np.ones((4, 2))
# How each is called with as little as it allows. Nothing is computed where an option is refused.
CALLS = {
    "attend": lambda **given: sl.attend(FEW, FEW, FEW, **{"budget": 1, "tables": 1, "planes": 1, **given}),
    "audit": lambda **given: sl.audit(**given),
    "certify": lambda **given: sl.certify(FEW, FEW, FEW, **given),
    "choose": lambda **given: sl.choose(FEW, FEW, FEW, **{"rankers": ["socket"], **given}),
    "sweep": lambda **given: sl.sweep(**{"axis": "tables", "values": [4], **given}),
    "verify": lambda **given: sl.verify(**given),
}
# Options that the functions have under another name or as arrays.
OTHERWISE = {"queries", "keys", "values", "compare", "no_scores", "no_value_norm", "families", "no_lies"}
# Arrays and files: keywords that are no text of the table.
OF_ITS_OWN = {"hyperplanes", "corners", "mask", "learned", "scores", "calibration"}


def keywords(command):
    parameters = inspect.signature(getattr(sl, command)).parameters
    return {name: one for name, one in _options.table(command).items() if name in parameters and name not in OF_ITS_OWN}


CASES = [(command, name) for command in CALLS for name in keywords(command)]


@pytest.mark.parametrize("command", CALLS)
def test_every_option_is_a_keyword_with_its_default_and_a_line(command):
    function = getattr(sl, command)
    signature, told = inspect.signature(function), inspect.getdoc(function)
    assert not any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    for name, option in _options.table(command).items():
        if name not in signature.parameters:
            assert name in OTHERWISE
            continue
        default = signature.parameters[name].default
        if default is not inspect.Parameter.empty:
            assert default == option.default, name
        assert re.search(rf"\b{name}\b", told), name
    assert list(signature.parameters)[-2:] == ["threads", "progress"]


@pytest.mark.parametrize(("command", "name"), CASES)
def test_the_default_of_every_option_is_allowed(command, name):
    """A whole call would compute: what follows is refused, and for something else."""
    option = keywords(command)[name]
    if option.default in (None, ()) or name == "values":
        return
    other, refused = next(
        (one, beyond(row)[0]) for one, row in keywords(command).items() if one != name and beyond(row)
    )
    with pytest.raises(ValueError, match=f"^{other}: .* given; "):
        CALLS[command](**{name: option.default, other: refused})


def beyond(option):
    """Values that it refuses."""
    ends = [float(end) for end in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?", option.allowed)]
    if option.kind in ("whole", "wholes"):
        values = [int(ends[0]) - 1] if ends else []
        values += [int(ends[1]) + 1] if len(ends) > 1 and "64 bits" not in option.allowed else []
    elif option.kind in ("number", "numbers"):
        values = [*(ends[:1] if "above" in option.allowed else []), float("nan"), float("inf")]
        values += [ends[0] - 1] if ends else []
    elif option.kind in ("text", "texts"):
        values = ["no-such-word"] if "," in option.allowed else [""]
    else:
        values = []
    return [[value] for value in values] if option.kind.endswith("s") else values


@pytest.mark.parametrize(("command", "name"), CASES)
def test_beyond_its_range_every_option_is_refused_in_one_line_by_its_name(command, name):
    if name == "only":  # which ids there are, the statements say
        return
    for value in beyond(keywords(command)[name]):
        with pytest.raises(ValueError, match=rf"^{name}: .* given; ") as refused:
            CALLS[command](**{name: value})
        assert "\n" not in str(refused.value)
        assert "--" not in str(refused.value)


@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_value_of_the_wrong_type_is_a_type_error(command, name):
    with pytest.raises(TypeError, match=name):
        CALLS[command](**{name: object()})


@pytest.mark.parametrize("command", CALLS)
def test_an_option_that_there_is_not_is_a_type_error(command):
    for name in ("table", "no_scores", "queries" if command == "attend" else "no_lies"):
        with pytest.raises(TypeError, match=f"{name}"):
            CALLS[command](**{name: 1})


def test_the_pages_name_every_command_and_only_functions_that_there_are():
    commands, science = (
        (SOURCE / "docs" / page).read_text().split("## Figures")[0] for page in ("commands.md", "python.md")
    )
    rows = re.findall(r"^\| (`[^|]+`) \|", science, re.MULTILINE)
    named = {name.removeprefix("oracle.") for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    assert named >= set(CALLS) | set(sl.oracle.__all__) - {"Estimate"}
    for name in named:
        assert callable(getattr(sl, name, None) or getattr(sl.oracle, name)), name
    for command in (*CALLS, "oracle"):
        assert f"`socketlab {command}" in commands


def test_attend_certify_and_choose_have_the_defaults_of_the_paper_s_table_6():
    made = sl.instance("gaussian", keys=40, dim=6)
    arrays = made.query[np.newaxis], made.keys, made.values
    said = {"tables": 60, "planes": 10, "temperature": 0.5}
    assert (sl.attend(*arrays, budget=4).scores == sl.attend(*arrays, budget=4, sink=0, window=0, **said).scores).all()
    plan = sl.certify(*arrays, budget=4, pairs="none", redraws=0).plan
    assert {name: plan[name] for name in said} == said
    chosen = sl.choose(*arrays, budgets=[4], rankers=["socket"])
    assert chosen.table == sl.choose(*arrays, budgets=[4], rankers=["socket"], sink=0, window=0, **said).table
