"""sweep and audit against the files of the command line, on the same seed."""

import csv
import math

import numpy as np
import pytest
import socketlab as sl
from conftest import LEARNED_DIM, LEARNED_KEYS, refused, rounding

SWEEP = {"keys": 60, "dim": 16, "trials": 6, "draws": 2, "seed": 3}
SIZE = {"planes": [3, 4], "temperatures": [0.5], "keys": 60, "dim": 16, "tables": 8}
AUDIT = {**SIZE, "trials": 4}
SMALL_BOUNDS = {"bound_draws": 4, "fresh_tables": 200, "bound_delta": 0.2}


def flags_of(options):
    flags = []
    for name, value in options.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else value
        flags += [f"--{name.replace('_', '-')}", text]
    return flags


def equal(table, file, rel):
    """Every cell of every row, in the same order; the counts and words exactly."""
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert list(table) == list(rows[0])
    for name, column in table.items():
        assert len(column) == len(rows)
        for mine, row in zip(column, rows, strict=True):
            if isinstance(mine, float):
                told = float(row[name])
                assert mine == told or math.isclose(mine, told, rel_tol=rel), (name, mine, told)
            else:
                assert str("" if mine is None else mine) == row[name], name


# A measured error is a difference of vectors of the length of the values, some 60 times as long at the least: what
# rounding there is of their sums of 60 keys and 8 tables weighs so much more.
REL = 60 * rounding(2000)


@pytest.mark.parametrize(
    ("axis", "values", "more"),
    [
        ("tables", [4, 8, 16], {"planes": 4}),
        ("planes", [2, 3], {"tables": 8, "families": ["gaussian", "needles"], "budget": 6}),
        ("temperature", [0.3, 0.6], {"planes": 4, "tables": 8, "axis2": "samples", "values2": [5, 10]}),
    ],
)
def test_a_sweep_is_the_command_s(command, tmp_path, axis, values, more):
    done = command(
        "sweep", "--axis", axis, "--values", ",".join(map(str, values)), *flags_of({**SWEEP, **more}), "--out", tmp_path
    )
    assert done.returncode in (0, 1), done.stderr
    got = sl.sweep(axis, values, **SWEEP, **more)
    equal(got.table, tmp_path / "sweep.csv", REL)
    if got.slopes["family"]:
        equal(got.slopes, tmp_path / "sweep_slopes.csv", 1000 * REL)  # a slope is a difference of logarithms
    assert (got.refuted > 0) == (done.returncode == 1)
    assert repr(got).startswith(f"Swept({len(got.table['family'])} rows")


@pytest.mark.parametrize("part", ["all", "bounds"])
def test_an_audit_is_the_command_s(command, tmp_path, part):
    given = {**AUDIT, **SMALL_BOUNDS, "seed": 3}
    if part == "bounds":  # which this part does not use
        given.pop("trials")
    done = command("audit", "--part", part, *flags_of(given), "--out", tmp_path)
    assert done.returncode in (0, 1), done.stderr
    got = sl.audit(part=part, **given)
    files = {"audit.csv": got.table, "audit_bounds.csv": got.bounds, "bound_ratios.csv": got.ratios}
    for name, table in files.items():
        assert bool(table) == (tmp_path / name).exists()
        if table:
            equal(table, tmp_path / name, 1000 * REL)  # thresholds are searched to 1e-9 or so
    assert (got.refuted > 0) == (done.returncode == 1)


def test_of_a_learned_head_sweep_and_audit_are_the_command_s(command, heads_file, tmp_path):
    size = {"planes": 3, "trials": 30, "draws": 2, "families": ["learned-3-1"], "learned": heads_file}
    done = command("sweep", "--axis", "tables", "--values", "16,32", *flags_of(size), "--out", tmp_path / "swept")
    assert done.returncode == 0, done.stderr
    got = sl.sweep("tables", [16, 32], **size)
    equal(got.table, tmp_path / "swept" / "sweep.csv", REL)
    assert set(got.table["keys"]) == {LEARNED_KEYS - 1}  # query 1 of 3
    audited = sl.audit(family="learned", learned=heads_file, planes=[3], temperatures=[0.5], bound_draws=0, trials=4)
    assert audited.table["family"][0].startswith("learned-")
    assert audited.table["dim"] == [LEARNED_DIM]


def test_without_a_file_sweep_and_audit_are_of_the_heads_beside_the_package(heads_file, monkeypatch):
    # A small file in the place of the one that comes with it, whose 4,096 keys take seconds.
    monkeypatch.setattr("socketlab._learned._KEPT", heads_file)
    swept = {"planes": 3, "trials": 4, "draws": 2, "families": ["learned-3-1"]}
    assert sl.sweep("tables", [4], **swept).table == sl.sweep("tables", [4], learned=heads_file, **swept).table
    audited = {
        "family": "learned-2-0", "planes": [2], "tables": 8, "temperatures": [0.5], "bound_draws": 0, "trials": 4,
    }  # fmt: skip
    assert sl.audit(**audited).table == sl.audit(learned=heads_file, **audited).table


def test_arrays_in_memory_are_the_heads_of_a_file_of_them(heads_file, learned_heads):
    swept = {"planes": 3, "trials": 4, "draws": 2}
    of_file = sl.sweep("tables", [4], families="learned", learned=heads_file, **swept)
    assert sl.sweep("tables", [4], **learned_heads, **swept).table == of_file.table
    other = {name: 2 * array if name == "v" else array for name, array in learned_heads.items()}
    assert sl.sweep("tables", [4], **other, **swept).table["error_value_units"] == pytest.approx(
        [2 * error for error in of_file.table["error_value_units"]], rel=REL
    )
    one = {"planes": [2], "tables": 8, "temperatures": [0.5], "bound_draws": 0, "trials": 4, "family": "learned-2-0"}
    assert sl.audit(**learned_heads, **one).table == sl.audit(learned=heads_file, **one).table


def test_arrays_and_what_would_take_their_place_are_refused_together(heads_file, learned_heads):
    q, k, v = learned_heads.values()
    for line, call in (
        ("^q, v given without k: allowed are q, k and v, or none", lambda: sl.audit(q=q, v=v)),
        ("^q, k, v are given with learned: allowed is one", lambda: sl.audit(q=q, k=k, v=v, learned=heads_file)),
        (
            "^q, k, v are given with families needle: allowed is one",
            lambda: sl.sweep("tables", [4], q=q, k=k, v=v, families="needle"),
        ),
        ("^k: row 3 of head 0 is zero", lambda: sl.audit(q=q, k=k * (np.arange(k.shape[1]) != 3)[:, None], v=v)),
    ):
        refused(ValueError, line, call)


def test_print_shows_errors_bounds_and_slopes_in_25_lines():
    swept = sl.sweep("tables", [4, 8], **SWEEP)
    lines = repr(swept).splitlines()
    assert lines[1].split()[:4] == ["family", "tables", "term", "error"]
    row = lines[2].split()
    assert row[:3] == [str(swept.table[name][0]) for name in ("family", "axis_value", "term")]
    assert float(row[3]) == pytest.approx(swept.table["error_value_units"][0], rel=1e-3)
    assert len(repr(sl.sweep("tables", list(range(4, 20)), **SWEEP)).splitlines()) <= 25
    audited = repr(sl.audit(**SIZE, bound_draws=40, trials=4)).splitlines()
    assert len(audited) <= 25
    assert audited[1].split()[:3] == ["family", "planes", "temperature"]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert isinstance(swept.to_pandas(), pandas.DataFrame)
    assert swept.to_pandas()["verdict"].tolist() == swept.table["verdict"]


def test_progress_rises_to_the_end():
    told = []
    sl.sweep("tables", [4, 8], planes=4, **SWEEP, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_what_progress_throws_ends_the_call():
    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sl.sweep("tables", [4, 8], planes=4, **SWEEP, progress=stop)
