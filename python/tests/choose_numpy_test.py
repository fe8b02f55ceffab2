"""Are the numbers of choose those of a plain NumPy computation, on arrays like a model's?"""

import itertools
import math

import numpy as np
import pytest
import socketlab as sl
from socketlab._tables import rows

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
