"""choose against the command line and the truth; its intervals by a second route."""

import csv
import math

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding
from socketlab._tables import rows

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
        header, *lines = csv.reader(text.splitlines())
        assert header == list(table)
        assert lines == [["" if x is None else str(x) for x in row.values()] for row in rows(table)]
    assert set(chosen.table["ranker"]) == {"socket", "quest", "loki-value", "own"}


def test_a_batch_is_more_heads_and_the_truth_recalls_itself():
    batched = sl.choose(Q.reshape(2, 2, 3, 8), K[:, None], V[:, None], rankers=["oracle-top-k"], budgets=[6, 60])
    assert batched.queries == sl.choose(Q, K, V, rankers=["oracle-top-k"], budgets=[6, 60]).queries
    assert batched.queries["recall"] == [1.0] * 24
    assert batched.queries["keys"] == [6, 60] * 12
    assert max(batched.queries["relative_error"][1::2]) <= rounding(200)
    with pytest.raises(ValueError, match="batch is 2 in shape"):
        sl.choose(Q.reshape(2, 2, 3, 8), K[:1, None], V[:1, None])


def test_magicpig_keeps_sink_and_window_for_certain_and_nothing_that_the_mask_forbids():
    arrays = (RNG.normal(size=(4, 16)), RNG.normal(size=(200, 16)), RNG.normal(size=(200, 5)))
    given = {"rankers": ["magicpig"], "budgets": [0, 20, 100], "planes": 4, "mask": np.arange(200) % 2 == 0}
    all_keys = sl.choose(*arrays, sink=200, **given)
    # No density takes no tables, half of the keys takes more bits than the keys have.
    assert all_keys.queries["keys"] == [0, 100, 0] * 4
    assert [bits is None for bits in all_keys.table["bits_per_key"][::3]] == [True, False, True]
    assert max(all_keys.queries["relative_error"][1::3]) <= rounding(200)
    assert all(0 < keys < 50 for keys in sl.choose(*arrays, **given).queries["keys"][1::3])


def intervals_of(chosen):
    """(budget, metric, first, second): paired differences of three queries by NumPy, with Student's intervals."""
    share = 0.1 / (3 * 2 * 3)  # of pairs, budgets and metrics
    p = 1 - share / 2
    t = (2 * p - 1) / math.sqrt(2 * p * (1 - p))  # of two degrees of freedom
    numbers = {}
    for row in rows(chosen.queries):
        for metric in ("relative_error", "mass", "recall"):
            numbers.setdefault((row["budget"], metric, row["ranker"]), []).append(row[metric])
    for row in rows(chosen.differences):
        at = row["budget"], row["metric"]
        paired = np.subtract(numbers[(*at, row["first"])], numbers[(*at, row["second"])])
        half = t * paired.std(ddof=1) / math.sqrt(3)
        yield row, (paired.mean(), paired.mean() - half, paired.mean() + half)


def test_differences_have_student_s_intervals_at_a_share_of_the_error():
    rankers = ["oracle-top-k", "quest", "loki"]
    chosen = sl.choose(Q[0], K[0], V[0], rankers=rankers, budgets=[4, 9], family_error=0.1)
    expected = list(intervals_of(chosen))
    assert len(expected) == 18
    for row, numbers in expected:
        assert (row["mean_difference"], row["low"], row["high"]) == pytest.approx(numbers, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("queries", "told_apart"), [(2, False), (200, True)])
def test_the_conclusion_names_those_that_the_intervals_do_not_tell_apart_and_no_oracle(queries, told_apart):
    q, k = 3 * RNG.normal(size=(queries, 8)), K[0]
    chosen = sl.choose(q, k, V[0], rankers=["own", "hamming", "oracle-top-k"], budgets=[20], scores=-q @ k.T)
    hamming, own = (
        next(row["mean"] for row in rows(chosen.table) if row["ranker"] == name and row["metric"] == "relative_error")
        for name in ("hamming", "own")
    )
    low = next(row["low"] for row in rows(chosen.differences) if row["second"] == "hamming")
    assert hamming < own
    assert (low > 0) == told_apart
    rest = "every other ranker loses more" if told_apart else "not told apart from it by these queries: own"
    assert f"hamming loses least: mean relative error {hamming:.3g}; {rest}." in repr(chosen)
    assert chosen.table["ranker"][0] == "oracle-top-k"


def test_double_sparsity_learns_from_other_queries():
    learned = sl.choose(Q, K, V, rankers=["double-sparsity"], calibration=RNG.normal(size=(7, 8)))
    assert learned.table["ranker"] == ["double-sparsity"] * 3


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rankers": ["nobody"]}, "^rankers: nobody given; the nearest that are allowed are "),
        ({"budgets": [-0.5]}, "^budgets"),
        ({"budgets": [6, 61]}, "^budgets: 61 keys; allowed are at most 60"),
        ({"budgets": [0.1, 6]}, "^budgets: two of 0.1,6 are one number of keys"),
        ({"budgets": []}, "^rankers and budgets: allowed is one of each"),
        ({"rankers": ["own"]}, "^rankers: own needs an array of scores"),
        ({"rankers": ["double-sparsity"]}, "^calibration: missing, and double-sparsity learns"),
        ({"scores": np.ones(60)}, r"^scores: shape \[60\]; allowed is \[4, 3, 60\]"),
        ({"calibration": np.ones((2, 7))}, r"^calibration: dim is 7 in shape \[2, 7\]; k has 8"),
        ({"search": True, "search_tables": [9, 4]}, "^search: allowed are lists of planes, of rising tables"),
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
