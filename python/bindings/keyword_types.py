"""Writes _keywords.pyi: for type checkers, the options that a function takes as **options, from the core's tables.

Run as keyword_types.py FOLDER FILE when the module _core was built into FOLDER. With the interpreter alone: a build has no
NumPy. socketlab/_options.py makes the same keywords when the package is imported.
"""

import pathlib
import sys

# Names that the function has of itself, or does not take.
OTHERWISE = {
    "attend": ("queries", "keys", "values", "hyperplanes", "corners", "mask", "compare", "no-scores", "no-value-norm"),
    "audit": ("families", "learned"),
    "certify": ("queries", "keys", "values", "hyperplanes", "mask"),
    "choose": ("budgets", "queries", "keys", "values", "hyperplanes", "mask", "scores", "calibration"),
    "sweep": ("axis", "values", "families", "learned"),
    "verify": ("only", "no-lies"),
}
ONE = {"flag": "bool", "whole": "int", "number": "float", "text": "str", "count": "float"}
LISTS = {"wholes": "int", "numbers": "float", "texts": "str"}


def type_of(kind, default):
    if kind in LISTS:
        return f"Sequence[{LISTS[kind]}]"
    return ONE[kind] + (" | None" if not default and kind != "flag" else "")


def main(folder, file):
    sys.path.insert(0, folder)
    import _core  # noqa: PLC0415

    lines = ["from collections.abc import Sequence", "from typing import TypedDict"]
    for command, otherwise in OTHERWISE.items():
        lines += ["", f"class {command.capitalize()}Options(TypedDict, total=False):"]
        for name, kind, default, _, _ in _core.fields(command):
            if name not in otherwise:
                lines.append(f"    {name.replace('-', '_')}: {type_of(kind, default)}")
    pathlib.Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
