"""verify against the command's rows, and its refusals."""

import csv
import json

import socketlab as sl
from conftest import refused
from socketlab.verdicts import Verified

# Without chance, with, and one whose printed claim is refuted.
IDS = ["S000-1", "S002-E15", "S002-A2b-increasing"]


def test_the_rows_are_the_command_s(command, tmp_path):
    done = command("verify", "--only", ",".join(IDS), "--profile", "smoke", "--seed", 5, "--out", tmp_path)
    assert done.returncode == 0, done.stderr

    got = sl.verify(IDS, profile="smoke", seed=5)

    told = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [row["id"] for row in got.rows] == [row["id"] for row in told]
    for mine, row in zip(got.rows, told, strict=True):
        assert list(mine) == list(row)
        for name in ("title", "verdict", "command", "made_by"):
            assert mine[name] == row[name], name
        assert len(mine["mutants"]) == len(row["mutants"])
    assert got.as_expected
    assert repr(got).splitlines()[0].split()[:2] == done.stdout.splitlines()[0].split()[:2]
    with (tmp_path / "kill_matrix.csv").open() as lines:
        assert got.kill_matrix["id"] == [row["id"] for row in csv.DictReader(lines)]


def test_without_the_lies_the_rest_is_the_same():
    whole, without = sl.verify(IDS, profile="smoke", seed=5), sl.verify(IDS, profile="smoke", seed=5, lies=False)

    assert any(row["mutants"] for row in whole.rows)
    for row, other in zip(whole.rows, without.rows, strict=True):
        assert not other["mutants"]
        assert other["made_by"]["mutants"] == "left out"
        assert [row[name] for name in ("evidence", "controls", "verdict")] == [
            other[name] for name in ("evidence", "controls", "verdict")
        ]
    assert "planted lies left out" in repr(without)


def test_of_many_statements_those_not_as_expected_are_printed_first():
    blocks = [f"{'!' if i == 29 else ' '} S{i:03}\n      evidence {i}" if i > 27 else f"  S{i:03}" for i in range(30)]
    rows = tuple({"id": f"S{i:03}"} for i in range(30))
    text = "\n".join(["  id", *blocks, "30 statements: 29 not refuted", "all lies refuted"])
    lines = repr(Verified(rows, {}, False, text)).splitlines()
    assert len(lines) == 25
    assert lines[:6] == ["  id", "! S029", "      evidence 29", "  S028", "      evidence 28", "  S000"]
    assert lines[-3:] == ["  .. the others: .text", "30 statements: 29 not refuted", "all lies refuted"]


def test_what_is_unknown_is_refused_in_one_line():
    for given, line in (
        ({"only": ["S002-X"]}, "S002-X"),
        ({"profile": "quick"}, "quick"),
        ({"fault": "none-such"}, "none-such"),
    ):
        refused(ValueError, line, lambda: sl.verify(**given))
