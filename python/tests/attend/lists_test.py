"""One list for a KV head, of attend and choose, against NumPy."""

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding

HEADS, KV_HEADS, QUERIES, KEYS, DIM = 6, 2, 3, 1300, 16
GROUP = HEADS // KV_HEADS
SINK, WINDOW, BUDGET = 4, 8, 40
RNG = np.random.default_rng(11)
Q, K, V = (3 * RNG.normal(size=(HEADS, QUERIES, DIM)), RNG.normal(size=(KV_HEADS, KEYS, DIM)),
           RNG.normal(size=(KV_HEADS, KEYS, 5)))  # fmt: skip
GIVEN = {"sink": SINK, "window": WINDOW, "causal": True, "lists": "kv-head"}
SEEN = KEYS - QUERIES + 1 + np.arange(QUERIES)  # keys that a query sees


def softmax(x):
    weights = np.exp(x - x.max())
    return weights / weights.sum()


def tile_sums(weights):
    """Sums of the 16 tiles that are read of more than 1,024 weights, and how many tiles there are."""
    tiles = -(-len(weights) // 64)
    read = [0, *(1 + (2 * i + 1) * (tiles - 2) // 28 for i in range(14)), tiles - 1]
    return np.array([weights[64 * t : 64 * (t + 1)].sum() for t in read]), tiles


def normaliser(weights, name):
    if name in ("sampled-tiles", "tile-logs"):
        sums, tiles = tile_sums(weights)
        between = sums[1:-1].mean() if name == "sampled-tiles" else np.exp(np.log(sums[1:-1]).mean())
        return sums[0] + sums[-1] + (tiles - 2) * between
    return {"all-keys": weights.sum(), "largest": weights.max(), "none": 1.0}[name]


def group_score(weights, group, name):
    shares = np.array([own / normaliser(own, name) for own in weights])
    return shares.sum(axis=0) if group == "sum" else shares.max(axis=0)


def numpys_list(score):
    n = len(score)
    always = np.r_[:SINK, n - WINDOW : n]
    rest = np.setdiff1d(np.arange(n), always)
    return np.sort(np.r_[always, rest[np.argsort(-score[rest], kind="stable")[:BUDGET]]])


@pytest.mark.parametrize("group", ["sum", "largest"])
@pytest.mark.parametrize("name", ["all-keys", "sampled-tiles", "tile-logs", "largest", "none"])
def test_lists_and_attention_are_numpys(group, name):
    got = sl.attend(Q, K, V, ranker="oracle-top-k", budget=BUDGET, group=group, normaliser=name, **GIVEN)

    assert got.lists.shape == (QUERIES, KV_HEADS, BUDGET + SINK + WINDOW)
    assert got.lists.dtype == got.list_counts.dtype == np.int32
    assert (got.list_counts == BUDGET + SINK + WINDOW).all()
    for kv in range(KV_HEADS):
        for t, seen in enumerate(SEEN):
            heads = range(kv * GROUP, (kv + 1) * GROUP)
            logits = [K[kv, :seen] @ Q[h, t] / np.sqrt(DIM) for h in heads]
            score = group_score(np.exp(logits), group, name)
            keys = numpys_list(score)
            assert got.lists[t, kv].tolist() == keys.tolist()
            for h, own in zip(heads, logits, strict=True):
                assert sorted(got.selected[h, t]) == keys.tolist()
                np.testing.assert_allclose(got.output[h, t], softmax(own[keys]) @ V[kv, keys], atol=1e-12)
                assert got.log_sum_exp[h, t] == pytest.approx(np.log(np.exp(own[keys]).sum()), abs=1e-12)
                np.testing.assert_allclose(got.scores[h, t, :seen], np.log2(score), atol=1e-12)
                assert np.isneginf(got.scores[h, t, seen:]).all()


def test_socket_s_scores_are_weights_and_a_list_of_one_head_is_its_own():
    given = {"tables": 20, "planes": 6, "budget": BUDGET, "value_norm": False}
    alone = sl.attend(Q, K, V, **given, **{**GIVEN, "lists": "head"})
    shared = sl.attend(Q, K, V, group="largest", normaliser="none", **given, **GIVEN)
    assert alone.lists is None
    assert alone.list_counts is None
    for kv in range(KV_HEADS):
        for t, seen in enumerate(SEEN):
            largest = alone.scores[kv * GROUP : (kv + 1) * GROUP, t, :seen].max(axis=0)
            assert shared.lists[t, kv].tolist() == numpys_list(largest).tolist()
    one = sl.attend(Q[::GROUP], K, V, **given, **GIVEN)
    np.testing.assert_array_equal(one.selected, alone.selected[::GROUP])


def test_choose_measures_the_same_lists_and_bits_are_those_of_the_ranker():
    ranker = "signed-orthogonal-norm"
    given = {"bits": 160, "normaliser": "tile-logs", "seed": 4, **GIVEN}
    chosen = sl.choose(Q, K, V, rankers=[ranker], budgets=[BUDGET], **given)
    attended = sl.attend(Q, K, V, ranker=ranker, budget=BUDGET, **given)
    np.testing.assert_allclose(chosen.queries["mass"], 1 - attended.residual_weight.ravel(), atol=rounding(2000))
    assert set(chosen.table["bits_per_key"]) == {176.0}
    own = {name: given[name] for name in ("bits", "seed", "sink", "window", "causal")}
    fewer = sl.choose(Q, K, V, rankers=[ranker], budgets=[BUDGET], **own)
    assert fewer.queries["mass"] != chosen.queries["mass"]


def test_what_is_refused():
    mask = np.ones((HEADS, QUERIES, KEYS), bool)
    mask[1, 0, 7] = False
    refused(
        ValueError,
        "lists kv-head: query 0 is masked otherwise in head 1 than in head 0; allowed is one mask",
        lambda: sl.attend(Q, K, V, mask=mask, budget=4, lists="kv-head"),
    )
    refused(ValueError, "magicpig draws its keys", lambda: sl.choose(Q, K, V, rankers=["magicpig"], lists="kv-head"))
    refused(ValueError, "lists", lambda: sl.attend(Q, K, V, budget=4, lists="kv-head", profile="hub"))
    refused(ValueError, "normaliser is given", lambda: sl.attend(Q, K, V, budget=4, normaliser="none"))
    refused(ValueError, "bits is given", lambda: sl.attend(Q, K, V, budget=4, bits=160))
