"""The options of a command as keywords: their names, types, defaults, ranges and texts, from the core's own table.

experiments/command/fields.hpp has the tables; the core refuses there what is out of range. So an option that is added to
a command is a keyword of its function too, in its signature and its docstring.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from . import _core
from ._arguments import each, flag, progress_of, real, seed_of, threads_of, whole, word
from ._arrays import count_text

Function = TypeVar("Function", bound=Callable[..., Any])


class Option(NamedTuple):
    kind: str
    default: Any
    allowed: str
    help: str


def _whole(given: Any, name: str) -> str:
    return str(whole(given, name))


def _real(given: Any, name: str) -> str:
    number = real(given, name)
    return repr(number) if isinstance(given, float) else repr(number).removesuffix(".0")


# Of one value: what makes its text, what reads the default, and how the type is called.
_ONE: dict[str, tuple[Callable[[Any, str], str], Callable[[str], Any], str]] = {
    "whole": (_whole, int, "int"),
    "number": (_real, float, "float"),
    "text": (word, str, "str"),
    "count": (count_text, float, "float"),
}
# The options of a command that its function does not take.
_LEFT_OUT: dict[str, tuple[str, ...]] = {}
_LISTS = {"wholes": "whole", "numbers": "number", "texts": "text"}


def _default(kind: str, text: str) -> Any:
    if kind == "flag":
        return bool(text)
    if kind in _LISTS:
        return tuple(_ONE[_LISTS[kind]][1](item) for item in text.split(",")) if text else ()
    return _ONE[kind][1](text) if text else None


def python_words(text: str) -> str:
    return re.sub(r"--([a-z][a-z0-9-]*)", lambda found: found[1].replace("-", "_"), text)


@functools.cache
def table(command: str) -> dict[str, Option]:
    """The options of attend, audit, certify, choose, oracle, sweep or verify, by the names that they have here."""
    return {
        name.replace("-", "_"): Option(kind, _default(kind, default), allowed, python_words(text))
        for name, kind, default, allowed, text in _core.fields(command)
    }


def texts(command: str, own: Mapping[str, Any], options: Mapping[str, object]) -> dict[str, list[str]]:
    """What was given, as the core reads it: `own` by the function itself, `options` by its caller. None stands for a
    default that is None. TypeError for a wrong type, and for an option that the function does not take.
    """
    known = table(command)
    read = {}
    for name in options:
        if name not in known or name in _LEFT_OUT[command]:
            raise TypeError(f"{command}() got an unexpected keyword argument {name!r}")
    for name, value in {**own, **options}.items():
        kind, default = known[name][:2]
        if value is None and default is None:
            continue
        if kind == "flag":
            of_one = [] if flag(value, name) else ["false"]
        elif kind in _LISTS:
            of_one = each(_ONE[_LISTS[kind]][0], value, name)
        else:
            of_one = [_ONE[kind][0](value, name)]
        read[name.replace("_", "-")] = of_one
    return read


def asked(
    command: str, own: Mapping[str, Any], options: Mapping[str, object], seed: Any, threads: Any, progress: Any
) -> tuple[dict[str, list[str]], int, int, Any]:
    """What the core takes of a long call beside its arrays."""
    return texts(command, own, options), seed_of(seed), threads_of(threads), progress_of(progress)


def _annotation(option: Option) -> str:
    if option.kind == "flag":
        return "bool"
    if option.kind in _LISTS:
        return f"Sequence[{_ONE[_LISTS[option.kind]][2]}]"
    return _ONE[option.kind][2] + (" | None" if option.default is None else "")


def _line(name: str, option: Option) -> str:
    allowed = option.allowed.removesuffix(" separated by commas")
    told = option.kind == "flag" or allowed in ("non-empty texts", "items", "numbers", "whole numbers")
    text = f"{name}: {' '.join(option.help.split())}{'' if told else f'; allowed are {allowed}'}."
    return textwrap.fill(text, 116, initial_indent="    ", subsequent_indent="        ")


def _asked_for(command: str, arrays: tuple[Any, ...], given: Mapping[str, Any]) -> str:
    """The line of a MemoryError: the arrays' shapes and the numbers of the call."""
    named = {**dict(zip(("q", "k", "v"), arrays, strict=False)), **given}
    asked = [f"{name} {list(value.shape)}" for name, value in named.items() if hasattr(value, "shape") and value.shape]
    asked += [f"{name}={value}" for name, value in named.items() if type(value) in (int, float)]
    less = "fewer queries or keys at a time, and fewer tables" if arrays or "k" in given else "fewer keys and tables"
    return f"{command}: not enough memory for {', '.join(asked) or 'the defaults'}; {less} need less"


def takes(command: str, *left_out: str) -> Callable[[Function], Function]:
    """Gives a function of **options the options of the command as keywords, but for those that it names itself and
    `left_out`: in its signature and at the end of its docstring.
    """

    _LEFT_OUT[command] = left_out

    def decorate(computes: Function) -> Function:
        @functools.wraps(computes)
        def function(*arrays: Any, **given: Any) -> Any:
            try:
                return computes(*arrays, **given)
            except MemoryError:
                raise MemoryError(_asked_for(command, arrays, given)) from None

        signature = inspect.signature(computes)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        added = {name: one for name, one in table(command).items() if name not in (*signature.parameters, *left_out)}
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=_annotation(one))
            for name, one in added.items()
        ]
        first = next((i for i, one in enumerate(own) if one.kind is one.KEYWORD_ONLY), len(own))
        changed: Any = function
        changed.__signature__ = signature.replace(parameters=[*own[:first], *keywords, *own[first:]])
        lines = "\n".join(_line(name, one) for name, one in added.items())
        function.__doc__ = f"{inspect.getdoc(computes)}\n\nOptions, as those of `socketlab {command}`:\n\n{lines}\n"
        return changed  # type: ignore[no-any-return]

    return decorate
