"""Which rows of docs/records/learned/kept_heads do several pages quote? docs/records/learned_heads.sh makes them.

One query of each of the heads that come with the program.
"""

import functools
import json
from types import SimpleNamespace

import records
from records import Rows, rows


@functools.cache
def kept_header():
    """The metadata of the file, whose first eight bytes say how long its JSON is."""
    with open(records.path_of("experiments/families/learned_heads.safetensors"), "rb") as file:
        return json.loads(file.read(int.from_bytes(file.read(8), "little")))["__metadata__"]


@functools.cache
def kept_heads():
    """Layer, head, kind and statistics of each, in the order of the file."""
    groups = json.loads(kept_header()["heads"])
    return [SimpleNamespace(layer=group["layer"], **head) for group in groups for head in group["heads"]]


def kinds():
    return list(dict.fromkeys(head.kind for head in kept_heads()))


def of_kind(table, kind=None, **wanted):
    """Rows of the heads of a kind, or of all, kind after kind."""
    found = rows(f"learned/kept_heads/{table}").where(**wanted)
    if kind is None:
        return Rows(row for each in kinds() for row in of_kind(table, each, **wanted))
    return Rows(row for row in found if kept_heads()[head_of(row)].kind == kind)


def head_of(row):
    """The number of a head, which a table has as it is or as learned-3."""
    return round(row.head) if "head" in vars(row) else int(row.family.split("-")[1])


def error(row, term):
    """Over the longest value: exact, but for the total a mean over draws."""
    return row["total_error" if term == "total" else "bias_exact" if term == "bias" else f"{term}_error_exact"]


def printed(kind=None, **setting):
    """(row of the errors, row of the printed bound with B of the drawn tables) of each head and setting."""

    def place(row):
        return head_of(row), row.planes, row.temperature

    at = {place(row): row for row in of_kind("audit_bounds", kind, reading="realised", **setting)}
    return [(row, at[place(row)]) for row in of_kind("audit", kind, **setting)]
