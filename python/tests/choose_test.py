"""choose against the command line and the truth; and the queries that a ranker may learn from."""

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding

RNG = np.random.default_rng(5)
Q, K, V = RNG.normal(size=(4, 3, 8)), RNG.normal(size=(2, 60, 8)), RNG.normal(size=(2, 60, 5))
SIZE = {"tables": 6, "planes": 3}


def test_the_tables_are_the_command_s(command, tmp_path):
    for name, array in (("q", Q), ("k", K), ("v", V), ("own", RNG.normal(size=(4, 3, 60)))):
        np.save(tmp_path / f"{name}.npy", array)
    arrays = [word for name in ("queries", "keys", "values") for word in (f"--{name}", tmp_path / f"{name[0]}.npy")]
    asked = ["--rankers", "socket,quest,loki-value", "--budgets", "4,0.5", "--sink", 2, "--causal", "--seed", 3]
    size = [word for name, value in SIZE.items() for word in (f"--{name}", value)]
    done = command("choose", *arrays, *asked, *size, "--scores", tmp_path / "own.npy", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    options = {"rankers": ["socket", "quest", "loki-value"], "budgets": [4, 0.5], "sink": 2, "causal": True, "seed": 3}
    chosen = sl.choose(Q, K, V, scores=np.load(tmp_path / "own.npy"), **options, **SIZE)
    assert done.stdout.startswith(repr(chosen))
    for name, table in (("", chosen.table), ("_differences", chosen.differences), ("_queries", chosen.queries)):
        text = (tmp_path / "out" / f"choose{name}.csv").read_text()
        lines = text.splitlines()
        assert lines[0] == ",".join(table)
        assert len(lines) == 1 + len(next(iter(table.values())))
    assert set(chosen.table["ranker"]) == {"socket", "quest", "loki-value", "own"}


def test_a_batch_is_more_heads_and_the_truth_recalls_itself():
    batched = sl.choose(Q.reshape(2, 2, 3, 8), K[:, None], V[:, None], rankers=["oracle-top-k"], budgets=[6, 60])
    assert batched.queries == sl.choose(Q, K, V, rankers=["oracle-top-k"], budgets=[6, 60]).queries
    assert batched.queries["recall"] == [1.0] * 24
    assert batched.queries["keys"] == [6, 60] * 12
    assert max(batched.queries["relative_error"][1::2]) <= rounding(200)
    with pytest.raises(ValueError, match="batch is 2 in shape"):
        sl.choose(Q.reshape(2, 2, 3, 8), K[:1, None], V[:1, None])


def test_a_search_names_settings_that_reach_the_target():
    tried = {"search_planes": [2, 4], "search_tables": [4, 16], "search_temperatures": [0.5], "redraws": 2}
    few = Q[::2, :1]  # one query of each key head, so that all are measured at the draw of the seed
    found = sl.choose(few, K, V, search=True, target_mass=0.5, **tried)
    assert min(found.table["reached"]) >= 0.5
    first = {name: column[0] for name, column in found.table.items()}
    assert first["bits_read_per_key"] == min(found.table["bits_read_per_key"])
    again = sl.choose(
        few, K, V, rankers=[first["ranker"]], budgets=[first["budget"]], planes=first["planes"], tables=first["tables"],
        temperature=first["temperature"],
    )  # fmt: skip
    assert np.mean(again.queries["mass"]) == pytest.approx(first["reached"], rel=rounding(200))
    assert " at 2 other draws of the tables: it takes " in repr(found)


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


def test_an_instance_of_one_s_own_has_no_other_queries():
    own = sl.Instance("gaussian", np.ones(2), np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(
        ValueError, match=r"^other_queries: this instance was not made by instance\(..\); allowed is one that was"
    ):
        own.other_queries()


def test_double_sparsity_does_not_learn_from_what_is_ranked():
    line = "^calibration: missing, and double-sparsity learns"
    refused(ValueError, line, lambda: sl.choose(Q, K, V, rankers=["double-sparsity"]))
    learned = sl.choose(Q, K, V, rankers=["double-sparsity"], calibration=RNG.normal(size=(7, 8)))
    assert learned.table["ranker"] == ["double-sparsity"] * 3


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rankers": ["nobody"]}, "^rankers: nobody given; the nearest that are allowed are "),
        ({"budgets": [-0.5]}, "^budgets"),
        ({"budgets": [6, 61]}, "^budgets: 61 keys; allowed are at most 60"),
        ({"budgets": [0.1, 6]}, "^budgets: two of 0.1,6 are one number of keys"),
    ],
)
def test_bad_input_is_one_line(change, line):
    refused(ValueError, line, lambda: sl.choose(**{"q": Q, "k": K, "v": V, **change}))


def test_a_result_prints_as_its_conclusion_and_becomes_a_frame():
    chosen = sl.choose(Q, K, V, rankers=["socket", "quest"], **SIZE)
    assert 5 <= len(str(chosen).splitlines()) <= 25
    assert "loses least" in str(chosen)
    pandas = pytest.importorskip("pandas")
    assert isinstance(chosen.to_pandas(), pandas.DataFrame)
