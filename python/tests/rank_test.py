"""rank against the command line, trial by trial, and against the truth."""

import csv

import numpy as np
import pytest
import socketlab as sl
from conftest import rounding


def test_the_mean_over_instances_is_the_command_s_row(command, tmp_path):
    size = ["--keys", 200, "--dim", 32, "--tables", 20, "--densities", "0.05,0.2", "--sizes", 64]
    family = ["--part", "rankers", "--families", "gaussian", "--trials", 2, "--seed", 4]
    done = command("rank", *family, *size, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "rankers.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["size"] == "published"]

    seed, trials = sl.derive_seed(4, 1), []
    for trial in range(2):
        made = sl.instance("gaussian", keys=200, dim=32, seed=seed, trial=trial)
        # What the command lets double-sparsity learn from: queries of other instances, of one key each.
        other = [
            sl.instance("gaussian", keys=1, dim=32, seed=sl.derive_seed(seed, 2), trial=16 * trial + i).query
            for i in range(16)
        ]
        options = {"densities": [0.05, 0.2], "tables": 20, "seed": seed, "trial": trial, "calibration": np.array(other)}
        trials.append(sl.rank(made.keys, made.values, made.query, **options))

    compared = 0
    for i, (ranker, density) in enumerate(zip(trials[0]["ranker"], trials[0]["density"], strict=True)):
        row = next(row for row in rows if row["ranker"] == ranker and float(row["density"]) == density)
        for name, column in (("recall", "recall"), ("mass", "mass"), ("relative_error", "relative_error")):
            mean = (trials[0][name][i] + trials[1][name][i]) / 2
            assert mean == pytest.approx(float(row[column]), rel=rounding(2000)), (ranker, density, name)
            compared += 1
    assert compared == 3 * 2 * len(sl.RANKERS)


def test_the_truth_recalls_itself():
    made = sl.instance("needle", keys=100, dim=16)
    table = sl.rank(
        made.keys, made.values, np.stack([made.query, 2 * made.query]), rankers=["oracle-top-k"], densities=[0.1, 1.0]
    )
    assert table["recall"] == [1, 1, 1, 1]
    assert table["query"] == [0, 0, 1, 1]
    assert table["selected"] == [0.1, 1, 0.1, 1]
    assert table["mass"][1] == pytest.approx(1, abs=rounding(200))
    assert table["relative_error"][3] <= rounding(200)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rankers": ["nobody"]}, "rankers: nobody: allowed are socket"),
        ({"densities": [0.0]}, "densities: 0: allowed is above 0"),
        ({"planes": 29}, "planes is 29"),
        ({"v": np.ones((3, 2))}, "values: 3 rows"),
        ({"queries": np.ones(3)}, "queries: dim is 3"),
        ({"k": np.ones((0, 2)), "v": np.ones((0, 2))}, "keys: there are none"),
    ],
)
def test_bad_input_is_one_line(change, line):
    given = {"k": np.ones((4, 2)), "v": np.ones((4, 2)), "queries": np.ones(2), **change}
    with pytest.raises(ValueError, match=line) as refused:
        sl.rank(**given)
    assert "\n" not in str(refused.value)
