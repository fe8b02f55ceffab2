"""rank against the command line, trial by trial, and against the truth."""

import csv
import pathlib

import numpy as np
import pytest
import socketlab as sl
from conftest import rounding
from refusals import refused

CHANNELS = 32  # of fp16 in the 512 bits of double-sparsity: in fewer dimensions it takes all, whatever it learns from


def test_the_mean_over_instances_is_the_command_s_row(command, tmp_path):
    size = ["--keys", 200, "--dim", 64, "--tables", 20, "--densities", "0.05,0.2", "--sizes", 64]
    family = ["--part", "rankers", "--families", "gaussian", "--trials", 2, "--seed", 4]
    done = command("rank", *family, *size, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "rankers.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["size"] == "published"]

    seed, trials = sl.derive_seed(4, 1), []
    for trial in range(2):
        made = sl.instance("gaussian", keys=200, dim=64, seed=seed, trial=trial)
        options = {"densities": [0.05, 0.2], "tables": 20, "seed": seed, "trial": trial}
        options["calibration"] = made.other_queries()
        trials.append(sl.rank(made.keys, made.values, made.query, **options))

    compared = 0
    for i, (ranker, density) in enumerate(zip(trials[0]["ranker"], trials[0]["density"], strict=True)):
        row = next(row for row in rows if row["ranker"] == ranker and float(row["density"]) == density)
        for name, column in (("recall", "recall"), ("mass", "mass"), ("relative_error", "relative_error")):
            mean = (trials[0][name][i] + trials[1][name][i]) / 2
            assert mean == pytest.approx(float(row[column]), rel=rounding(2000)), (ranker, density, name)
            compared += 1
    assert compared == 3 * 2 * len(sl.RANKERS)
    assert made.query.size > CHANNELS


@pytest.mark.parametrize(("family", "keys"), [("gaussian", 1), ("needle", 1), ("needles", 8)])
def test_other_queries_are_those_of_other_instances(family, keys):
    made = sl.instance(family, keys=50, dim=6, query_norm=3.0, seed=9, trial=2)
    few = {"keys": keys, "dim": 6, "query_norm": 3.0, "seed": sl.derive_seed(9, 2)}
    others = np.array([sl.instance(family, trial=32 + i, **few).query for i in range(16)])
    assert np.array_equal(made.other_queries(), others)
    assert not (others == made.query).all(axis=1).any()


@pytest.mark.parametrize("trial", range(4))
@pytest.mark.parametrize("family", ["learned", "learned-1", "learned-2-0"])
def test_other_queries_of_a_learned_head_are_its_two_others(family, trial, learned_heads, heads_file):
    made = sl.instance(family, learned=heads_file, seed=5, trial=trial, query_norm=2.0)
    own = len(made.keys) - 38  # of three queries the first sees 38 of 40 keys
    (head,) = [
        number
        for number, queries in enumerate(learned_heads["q"].astype(float))
        if np.allclose(made.query / 2, queries[own] / np.linalg.norm(queries[own]))
    ]
    expected = [learned_heads["q"][head, (own + step) % 3] for step in (1, 2)]
    assert np.array_equal(made.other_queries(), expected)


def test_double_sparsity_on_learned_heads_is_the_command_s(command, kept_heads, tmp_path):
    assert kept_heads["q"].shape[2] > CHANNELS
    file = pathlib.Path(sl.__file__).with_name("learned_heads.safetensors")
    family = ["--families", "learned", "--learned", file, "--trials", 2, "--seed", 4, "--densities", 0.1]
    done = command("rank", "--part", "rankers", *family, "--tables", 4, "--sizes", 64, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "rankers.csv").open() as read:
        rows = [row for row in csv.DictReader(read) if (row["size"], row["ranker"]) == ("published", "double-sparsity")]
    seed, masses = sl.derive_seed(4, 1), []
    for trial in range(2):
        made = sl.instance("learned", seed=seed, trial=trial)
        options = {"rankers": ["double-sparsity"], "densities": [0.1], "seed": seed, "trial": trial}
        table = sl.rank(made.keys, made.values, made.query, calibration=made.other_queries(), **options)
        masses.extend(table["mass"])
    assert len(rows) == 1 and len(masses) == 2
    assert sum(masses) / 2 == pytest.approx(float(rows[0]["mass"]), rel=rounding(4000))


def test_an_instance_of_one_s_own_has_no_other_queries():
    own = sl.Instance("gaussian", np.ones(2), np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(
        ValueError, match=r"^other_queries: this instance was not made by instance\(..\); allowed is one that was"
    ):
        own.other_queries()


@pytest.mark.parametrize("rankers", [[], ["socket", "double-sparsity"]])
def test_double_sparsity_does_not_learn_from_what_is_ranked(rankers):
    keys = np.ones((4, 2))
    line = "^calibration: missing, and double-sparsity learns"
    refused(ValueError, line, lambda: sl.rank(keys, keys, keys, rankers=rankers))
    assert sl.rank(keys, keys, keys, rankers=["socket"], densities=[0.5])["ranker"] == ["socket"] * 4


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
        ({"rankers": ["nobody"]}, "^rankers: nobody given; the nearest that are allowed are"),
        ({"densities": [0.0]}, "^densities: 0.0 given; allowed are numbers above 0 and at most 1"),
        ({"planes": 29}, "^planes: 29 given"),
        ({"v": np.ones((3, 2))}, "values: 3 rows"),
        ({"queries": np.ones(3)}, "queries: dim is 3"),
        ({"k": np.ones((0, 2)), "v": np.ones((0, 2))}, "keys: there are none"),
    ],
)
def test_bad_input_is_one_line(change, line):
    given = {
        "k": np.ones((4, 2)),
        "v": np.ones((4, 2)),
        "queries": np.ones(2),
        "calibration": np.ones((1, 2)),
        **change,
    }
    refused(ValueError, line, lambda: sl.rank(**given))
