"""choose against the command line and NumPy, on arrays like a model's; its intervals by a second route."""

import csv
import itertools
import math

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding
from socketlab._tables import rows

RNG = np.random.default_rng(5)
Q, K, V = RNG.normal(size=(4, 3, 8)), RNG.normal(size=(2, 60, 8)), RNG.normal(size=(2, 60, 5))
SIZE = {"tables": 6, "planes": 3}
HEADS, KEY_HEADS, QUERIES, KEYS, DIM = 9, 3, 8, 8192, 64
SINK, WINDOW, BUDGETS = 16, 128, (0, 410)
PLANES, TABLES, TAU = 8, 60, 0.5
METRICS = ("relative_error", "mass", "recall")
# What scoring reads of a key: codes, a norm, the bounds of a page, the whole key.
BITS = {"socket": 480, "socket-value": 496, "hard-lsh": 480, "hard-lsh-value": 496, "hamming": 480, "quest": 512}
BITS |= {"quest-value": 528, "oracle-top-k": 1024, "own": None}


def arrays_like_a_models(rng):
    """Anisotropic keys with a common part, a sink with a large norm and a short value, queries that share a direction; a
    mask that lets the first query see nothing.
    """
    keys = rng.normal(size=(KEY_HEADS, KEYS, DIM)) * np.exp(rng.normal(size=(KEY_HEADS, 1, DIM)))
    keys += 3 * rng.normal(size=(KEY_HEADS, 1, DIM))
    keys[:, 0] = 4 * rng.normal(size=(KEY_HEADS, DIM))
    values = rng.normal(size=(KEY_HEADS, KEYS, DIM)) * np.exp(0.3 * rng.normal(size=(KEY_HEADS, KEYS, 1)))
    values[:, 0] *= 0.05
    queries = rng.normal(size=(HEADS, QUERIES, DIM)) + np.repeat(rng.normal(size=(KEY_HEADS, 1, DIM)), 3, axis=0)
    mask = rng.random((QUERIES, KEYS)) < 0.9
    mask[0] = False
    return queries, keys, values, rng.normal(size=(TABLES, PLANES, DIM)), mask


def scores_of(q, keys, values, planes):
    """Of every ranker, [keys]."""
    projected, signs = planes @ q, np.einsum("lpd,nd->nlp", planes, keys, optimize=True) >= 0
    corner = np.where(signs, 1.0, -1.0)
    u = np.tanh(projected) / math.sqrt(DIM) / TAU
    soft = np.exp(np.einsum("nlp,lp->nl", corner, u) - np.log(2 * np.cosh(u)).sum(axis=1)).sum(axis=1)
    equal = signs == (projected >= 0)
    pages, norms = keys.reshape(-1, 4, DIM), np.linalg.norm(values, axis=1)
    bound = np.repeat(np.maximum(q * pages.max(axis=1), q * pages.min(axis=1)).sum(axis=1), 4)
    return {
        "socket": soft,
        "socket-value": soft * norms,
        "hard-lsh": equal.all(axis=2).sum(axis=1).astype(float),
        "hard-lsh-value": equal.all(axis=2).sum(axis=1) * norms,
        "hamming": equal.sum(axis=(1, 2)).astype(float),
        "quest": bound,
        "quest-value": bound / math.sqrt(DIM) + np.log(norms),
        "oracle-top-k": keys @ q,
        "own": -np.abs(keys @ q),
    }


def kept(scores, budget, visible, mask, q, keys, values):
    """Of a query that sees the first `visible` keys but for those that the mask forbids."""
    allowed = np.flatnonzero(mask[:visible])
    if not len(allowed):
        return {"keys": 0} | dict.fromkeys(METRICS, math.nan)
    is_always = (allowed < SINK) | (allowed >= visible - WINDOW)
    always, rest = allowed[is_always], allowed[~is_always]
    chosen = np.r_[always, rest[np.argsort(-scores[rest], kind="stable")[:budget]]]
    logits = keys @ q / math.sqrt(DIM)
    weights = np.exp(logits - logits[allowed].max())
    dense = weights[allowed] @ values[allowed] / weights[allowed].sum()
    output = weights[chosen] @ values[chosen] / weights[chosen].sum()
    best = allowed[np.argsort(-logits[allowed], kind="stable")[: len(chosen)]]
    return {
        "keys": len(chosen),
        "mass": weights[chosen].sum() / weights[allowed].sum(),
        "recall": np.isin(chosen, best).mean(),
        "relative_error": np.linalg.norm(output - dense) / np.linalg.norm(dense),
    }


@pytest.fixture(scope="module")
def arrays():
    return arrays_like_a_models(np.random.default_rng(7))


@pytest.fixture(scope="module")
def chosen(arrays):
    queries, keys, values, planes, mask = arrays
    own = -np.abs(queries @ np.repeat(keys, 3, axis=0).transpose(0, 2, 1))
    given = {"hyperplanes": planes, "mask": mask, "scores": own, "causal": True, "sink": SINK, "window": WINDOW}
    return sl.choose(queries, keys, values, budgets=BUDGETS, rankers=list(BITS), **given)


def test_every_query_has_numpys_numbers(arrays, chosen):
    queries, keys, values, planes, mask = arrays
    of = {(row["ranker"], row["query"], row["budget"]): row for row in rows(chosen.queries)}
    assert len(of) == len(BITS) * HEADS * QUERIES * len(BUDGETS)
    for i in range(0, HEADS * QUERIES, 5):
        head, at = divmod(i, QUERIES)
        q, k, v = queries[head, at], keys[head // 3], values[head // 3]
        for (rule, scores), budget in itertools.product(scores_of(q, k, v, planes).items(), BUDGETS):
            expected = kept(scores, budget, KEYS - QUERIES + at + 1, mask[at], q, k, v)
            found = {name: np.nan if (x := of[rule, i, budget][name]) is None else x for name in expected}
            # Sums of 8,192 terms; a pair of scores that rounding turns would move one key of 554.
            assert found == pytest.approx(expected, rel=0, abs=1e-9, nan_ok=True), (rule, i, budget)


def test_the_spreads_and_the_conclusion_follow_from_the_queries(chosen):
    of_queries, errors = {}, {}
    for row in rows(chosen.queries):
        for name in (*METRICS, "keys"):
            of_queries.setdefault((row["ranker"], row["budget"], name), []).append(row[name])
    for row in rows(chosen.table):
        known = [x for x in of_queries[row["ranker"], row["budget"], row["metric"]] if x is not None]
        assert row["queries"] == HEADS * (QUERIES - 1)
        expected = [np.mean(known), np.std(known, ddof=1), *np.quantile(known, (0.1, 0.5, 0.9))]
        expected.append(np.mean(of_queries[row["ranker"], row["budget"], "keys"]))
        columns = ("mean", "deviation", "quantile_10", "median", "quantile_90", "keys_mean")
        assert [row[name] for name in columns] == pytest.approx(expected, rel=0, abs=1e-12)
        assert row["bits_per_key"] == BITS[row["ranker"]]
        if row["metric"] == "relative_error" and row["budget"] == BUDGETS[-1] and row["ranker"] != "oracle-top-k":
            errors[row["ranker"]] = np.mean(known)
    best = min(errors, key=errors.get)
    assert f"9 of 72 queries have no key that {best} selects" in repr(chosen)
    assert f"{best} loses least" in repr(chosen)


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
    # At this dim the pages of quest and the coordinates of loki hold whole keys: they would rank as the oracle does.
    rankers = ["oracle-top-k", "hamming", "hard-lsh"]
    chosen = sl.choose(Q[0], K[0], V[0], rankers=rankers, budgets=[4, 9], family_error=0.1, **SIZE)
    expected = list(intervals_of(chosen))
    assert len(expected) == 18
    assert sum(row["low"] < row["high"] for row, _ in expected) >= 12
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
    pandas = pytest.importorskip("pandas")
    assert isinstance(chosen.to_pandas(), pandas.DataFrame)
