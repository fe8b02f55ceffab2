"""check.selection: what each contract accepts, and which faults of a top-k it names."""

import numpy as np
import pytest
from conftest import failure, refused
from socketlab import check

KEYS, BUDGET = 832, 204
SMALL = np.array([5.0, 1.0, 3.0, 3.0, 3.0, 9.0])


def stable_top(scores, budget, ties="lower"):
    """In order, by NumPy: falling score, ties to the lower index; -1 behind the last."""
    ranked = np.where(np.isnan(scores), -np.inf, scores).astype(float)
    index = np.arange(len(ranked))
    order = np.lexsort((index if ties == "lower" else -index, -ranked))
    keys = [key for key in order if ranked[key] > -np.inf][:budget]
    return np.array(keys + [-1] * (budget - len(keys)), dtype=np.int64)


CASES = list(check.selection_cases(keys=KEYS, budget=BUDGET))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stable_sort_keeps_every_contract(case):
    for contract in ("any", "lower-index", "ordered"):
        assert check.selection(case, stable_top(case.scores, BUDGET), contract=contract).compared == BUDGET


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_ties_to_the_higher_index_keep_any_alone(case):
    listed = stable_top(case.scores, BUDGET, ties="higher")
    check.selection(case, listed, contract="any")
    if set(listed) == set(stable_top(case.scores, BUDGET)):
        check.selection(case, listed, contract="lower-index")
    else:
        failure(lambda: check.selection(case, listed, contract="lower-index"), match="has the lower index")


@pytest.mark.parametrize(
    ("contract", "listed", "key", "what"),
    [
        ("any", [5, 0, 2], None, None),
        ("any", [4, 5, 0], None, None),
        ("lower-index", [0, 2, 5], None, None),
        ("ordered", [5, 0, 2], None, None),
        ("any", [5, 0, 1], 1, "score 1 is selected, and key 2 of score 3 is not"),
        ("any", [5, 0, -1], None, "2 keys are selected; allowed are 3"),
        ("any", [5, 5, 0], 5, "more than once"),
        ("any", [5, 0, 6], 6, "6 is selected, which is no key of 6"),
        ("any", [5, 0, -2], -2, "-2 is selected, which is no key"),
        ("lower-index", [4, 5, 0], 4, "of keys that tie at score 3, 2 has the lower index"),
        ("ordered", [0, 5, 2], 5, "place 0 has key 0; in order it is 5"),
        ("ordered", [5, 2, 0], 0, "place 1 has key 2; in order it is 0"),
    ],
)
def test_contracts_by_hand(contract, listed, key, what):
    if what is None:
        check.selection(SMALL, listed, budget=3, contract=contract)
        return
    failed = failure(lambda: check.selection(SMALL, listed, budget=3, contract=contract), match=what)
    assert failed.row == 0
    assert failed.key == key


def test_the_score_that_was_lost_is_told():
    failed = failure(lambda: check.selection(SMALL, [5, 0, 1], budget=3))
    assert failed.excess == 2  # 3 was left out for 1


def test_sink_and_window_come_on_top():
    check.selection(SMALL, [0, 4, 5, 2], budget=1, sink=1, window=2, contract="ordered")
    with pytest.raises(check.CheckFailure, match="a key of sink or window") as failed:
        check.selection(SMALL, [0, 5, 2, 3], budget=1, sink=1, window=2, contract="any")
    assert failed.value.key == 4


def test_nan_and_minus_infinity_are_never_selected_and_infinity_is():
    scores = np.array([np.nan, -np.inf, np.inf, 1.0])
    check.selection(scores, [2, 3, -1], budget=3, contract="ordered")
    check.selection(scores, [-1, 3, 2], budget=3, contract="lower-index")
    for key, word in ((0, "nan"), (1, "-inf")):
        with pytest.raises(check.CheckFailure, match=f"selected with score {word}") as failed:
            check.selection(scores, [2, 3, key], budget=3, contract="any")
        assert failed.value.key == key
    failure(lambda: check.selection(scores, [2, -1, 3], budget=3, contract="ordered"), match="place 1 has key -1")


def test_the_row_is_named_and_the_replay_line_replays_it():
    import socketlab

    scores = np.stack([SMALL, SMALL[::-1], SMALL])
    lists = np.array([[5, 0, 2], [0, 5, 4], [5, 0, 2]])
    failed = failure(lambda: check.selection(scores, lists, budget=3, contract="ordered"))
    assert failed.row == 1
    assert failed.replay.startswith("socketlab.check.selection(scores[1:2], fn, budget=3")
    again = failure(lambda: eval(failed.replay, {"socketlab": socketlab, "scores": scores, "fn": lists[1:2]}))
    assert again.key == failed.key


def test_a_case_replays_itself():
    import socketlab

    case = check.selection_case("plateau", keys=KEYS, budget=BUDGET, seed=7)
    again = eval(repr(case), {"socketlab": socketlab})
    assert (again.scores == case.scores).all()
    failed = failure(lambda: check.selection(case, np.full(BUDGET, -1)))
    with pytest.raises(check.CheckFailure, match="0 keys are selected"):
        eval(failed.replay, {"socketlab": socketlab, "fn": lambda scores: np.full(BUDGET, -1)})
    fewer = failure(lambda: check.selection(case, np.full(3, -1), budget=3))
    with pytest.raises(check.CheckFailure, match="0 keys are selected; allowed are 3"):
        eval(fewer.replay, {"socketlab": socketlab, "fn": lambda scores: np.full(3, -1)})


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: check.selection(SMALL, [1], budget=1, contract="stable"), "contract stable: allowed are any"),
        (lambda: check.selection(SMALL, [1]), "budget: missing"),
        (lambda: check.selection(SMALL, [1], budget=-1), "allowed are 0 and more"),
        (lambda: check.selection(SMALL, [1.5], budget=1), "selected: float64"),
        (lambda: check.selection(SMALL, [[1], [2]], budget=1), "selected: shape"),
        (lambda: check.selection(["a"], [1], budget=1), "scores: .*; allowed are real numbers"),
        (lambda: check.selection_case("odd"), "selection case odd: allowed are gaussian"),
        (lambda: check.selection_case("rising", keys=0), "allowed are 1 and more keys"),
    ],
)
def test_bad_input_is_one_line(call, line):
    refused(ValueError, line, call)
