"""Instances, codes, scores and selections against NumPy and by hand."""

import math

import numpy as np
import pytest
import socketlab as sl
from conftest import HEADS, LEARNED_KEYS, QUERIES, refused, rounding

TABLES, PLANES, DIM, KEYS = 5, 3, 7, 70


@pytest.fixture(scope="module")
def problem():
    made = sl.instance("gaussian", keys=KEYS, dim=DIM, seed=3)
    return sl.hyperplanes(tables=TABLES, planes=PLANES, dim=DIM, seed=3), made.query, made.keys


def codes_by_numpy(hyperplanes, keys):
    bits = np.einsum("lpd,nd->lnp", hyperplanes, keys) >= 0
    return bits @ (2 ** np.arange(PLANES)[::-1])


def test_codes_have_plane_0_first(problem):
    hyperplanes, _, keys = problem
    assert (sl.hash_keys(hyperplanes, keys) == codes_by_numpy(hyperplanes, keys)).all()


def test_soft_scores_are_a_softmax_over_the_corners(problem):
    hyperplanes, query, keys = problem
    corners = np.array(
        [[1 if code >> (PLANES - 1 - p) & 1 else -1 for p in range(PLANES)] for code in range(2**PLANES)]
    )
    signal = np.tanh(hyperplanes @ query) / math.sqrt(DIM)
    weight = np.exp(signal @ corners.T / 0.3)
    probability = weight / weight.sum(axis=1, keepdims=True)
    expected = np.take_along_axis(probability, codes_by_numpy(hyperplanes, keys), axis=1).sum(axis=0)

    got = sl.soft_scores(hyperplanes, query, keys, temperature=0.3)

    # A logit is off by gamma of its projection over tau sqrt(dim), and there are 2 planes of them to a ratio.
    steepness = 2 * PLANES / (0.3 * math.sqrt(DIM)) * np.abs(hyperplanes * query).sum(axis=2).max()
    tolerance = rounding(DIM + 8) * (1 + steepness) + rounding(2**PLANES + TABLES + 8)
    assert np.abs(got - expected).max() <= tolerance * expected.max()


def test_hard_and_hamming_scores_count(problem):
    hyperplanes, query, keys = problem
    own, codes = codes_by_numpy(hyperplanes, query[None]), codes_by_numpy(hyperplanes, keys)
    equal_bits = TABLES * PLANES - np.bitwise_count(own ^ codes).sum(axis=0)
    assert (sl.hard_scores(hyperplanes, query, keys) == (own == codes).sum(axis=0)).all()
    assert (sl.hamming_scores(hyperplanes, query, keys) == equal_bits).all()


def test_rows_of_queries_are_scored_one_by_one(problem):
    hyperplanes, query, keys = problem
    both = sl.soft_scores(hyperplanes, np.stack([query, -query]), keys)
    assert (both[0] == sl.soft_scores(hyperplanes, query, keys)).all()
    assert (both[1] == sl.soft_scores(hyperplanes, -query, keys)).all()


def test_any_number_of_threads_gives_the_same_bits(problem):
    hyperplanes, query, keys = problem
    assert (
        sl.soft_scores(hyperplanes, query, keys, threads=1) == sl.soft_scores(hyperplanes, query, keys, threads=2)
    ).all()


def test_a_selection_by_hand():
    scores = [3.0, 9.0, 3.0, 1.0, 9.0, 0.0]
    assert sl.select(scores, budget=3).tolist() == [1, 4, 0]  # ties to the lower index
    assert sl.select(scores, budget=1, sink=1, window=1).tolist() == [0, 5, 1]
    assert sl.select(scores, budget=9, mask=[True, False, True, False, False, False]).tolist() == [0, 2]
    assert sl.select(scores, budget=0).tolist() == []


def test_the_first_tables_of_a_larger_draw_are_those_of_a_smaller():
    large, small = (sl.hyperplanes(tables=n, planes=2, dim=5, seed=9) for n in (8, 3))
    assert (large[:3] == small).all()
    assert not (sl.hyperplanes(tables=3, planes=2, dim=5, seed=10) == small).any()


def test_an_instance_has_its_parameters():
    made = sl.instance("I-COPY", copies=4, dim=3, angle=math.pi / 3)
    assert made.keys.shape == (4, 3)
    cosine = made.keys @ made.query / np.linalg.norm(made.keys, axis=1) / np.linalg.norm(made.query)
    assert np.abs(cosine - 0.5).max() <= rounding(8)
    assert (sl.families()[0], sl.families()[-1]) == ("gaussian", "learned")


def test_a_learned_instance_is_a_query_its_keys_up_to_its_position_and_their_values(learned_heads, heads_file):
    for head in range(HEADS):
        for query in range(QUERIES):
            made = sl.instance(f"learned-{head}-{query}", learned=heads_file, seed=9, trial=4)
            seen = LEARNED_KEYS - QUERIES + 1 + query
            assert (made.query == learned_heads["q"][head, query]).all()
            assert (made.keys == learned_heads["k"][head // 2, :seen]).all()
            assert (made.values == learned_heads["v"][head // 2, :seen]).all()


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


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda file: sl.instance("gaussian", learned=file), "no family is learned: allowed is a file with the family"),
        (lambda file: sl.instance("learned", learned=file, keys=9), "keys is 9: allowed are the 38 of its file"),
        (lambda file: sl.instance("learned", learned=file, dim=4), "dim is 4: allowed are the 8 of its file"),
        (lambda file: sl.instance("learned-4", learned=file), "head is 4: allowed are 0 to 3"),
        (lambda file: sl.instance("learned-x", learned=file), "allowed are learned, learned-HEAD and"),
        (lambda file: sl.instance("learned", learned=file.with_name("none.safetensors")), "there is no such file"),
    ],
)
def test_what_no_file_of_heads_has_is_refused_in_one_line(heads_file, call, line):
    refused(ValueError, line, lambda: call(heads_file))


def test_without_a_file_the_instances_are_those_of_the_package_s_own_by_its_bytes(kept_heads):
    heads, group = len(kept_heads["q"]), len(kept_heads["q"]) // len(kept_heads["k"])
    queries, keys = kept_heads["q"].shape[1], kept_heads["k"].shape[1]
    assert (heads, group, queries, keys) == (9, 3, 64, 4096)
    for head in range(heads):
        for query in (0, queries - 1):
            made = sl.instance(f"learned-{head}-{query}")
            seen = keys - queries + 1 + query
            assert (made.query == kept_heads["q"][head, query]).all()
            assert (made.keys == kept_heads["k"][head // group, :seen]).all()
            assert (made.values == kept_heads["v"][head // group, :seen]).all()


def test_a_package_without_the_heads_says_so_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr("socketlab._learned._KEPT", tmp_path / "none.safetensors")
    line = "the package holds no file of heads: allowed is the path of one"
    refused(ValueError, line, lambda: sl.instance("learned"))


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: sl.hyperplanes(tables=0, planes=2, dim=3), "allowed are 1 to 16777216"),
        (lambda: sl.instance("nowhere"), "allowed are"),
        (lambda: sl.instance("gaussian", kees=3), "kees: no parameter"),
        (lambda: sl.soft_scores(np.ones((1, 1, 2)), np.ones(2), np.ones((3, 4))), "keys: dim is 4"),
        (lambda: sl.soft_scores(np.ones((1, 1, 2)), np.ones(3), np.ones((3, 2))), "queries: dim is 3"),
        (lambda: sl.soft_scores(np.ones((1, 1, 2)), np.ones(2), np.ones((3, 2)), temperature=0), "temperature"),
        (
            lambda: sl.soft_scores(np.ones((1, 1, 2)), np.ones(2), np.ones((3, 2)), scaling="x"),
            "allowed are inverse-sqrt-dim",
        ),
        (lambda: sl.soft_scores(np.ones((1, 1, 2)), [1, np.nan], np.ones((3, 2))), r"element \[1\] is nan"),
        (lambda: sl.hash_keys(np.ones((1, 1, 2)), np.ones((3, 2)), threads=-1), "threads is -1"),
        (lambda: sl.hash_keys(np.ones((1, 1, 2)), [["a", "b"]]), "allowed are real numbers"),
        (lambda: sl.select([1.0, np.nan], budget=1), "nan|NaN"),
        (lambda: sl.select([1.0], budget=-1), "allowed are 0 and more"),
        (lambda: sl.select([1.0], budget=1, mask=[True, True]), "mask: 2 keys"),
    ],
)
def test_bad_input_is_one_line(call, line):
    refused(ValueError, line, call)
