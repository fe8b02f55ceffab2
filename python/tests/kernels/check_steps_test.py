"""check.decode_step names faults of lists and outputs, with its lists and without. The mistakes of a step: mistakes.py."""

import dataclasses

import numpy as np
import pytest
import socketlab as sl
from conftest import failure
from plain_kernels import NUMPY, kernels
from socketlab import check

TEXT = "operation=decode-step,batch=2,heads=4,kv_heads=2,keys=300,dim=64,tables=20,planes=8,budget=30,sink=4,window=6,seed={}"
CASE = check.decode_case(TEXT.format(1))
MASKED = check.decode_case(TEXT.format(2) + ",mask=random")


def bits_of(keys, hyperplanes):
    with np.errstate(invalid="ignore"):
        return np.einsum("nd,lpd->lnp", keys.astype(float), hyperplanes.astype(float)) >= 0


def soft_scores(query, hyperplanes, bits, values, temperature):
    """By the product over planes of sigmoid(+-2 u / temperature), as the C header defines a probability."""
    u = np.tanh(np.einsum("d,lpd->lp", query.astype(float), hyperplanes.astype(float))) / np.sqrt(len(query))
    up = 1 / (1 + np.exp(-2 * u / temperature))
    p = np.where(bits, up[:, None, :], 1 - up[:, None, :]).prod(axis=2)
    return np.linalg.norm(values.astype(float), axis=1) * p.sum(axis=0)


KERNELS = kernels(NUMPY, np=np)
step = KERNELS["step"]


def changed(case, row, edit):
    """The step with the list of a row edited, and attended to as it then is."""
    outputs, lists = step(case)
    b, head = divmod(row, case.queries.shape[1])
    own = slice(head // 2, head // 2 + 1)
    edit(lists[b, head], case.low[row])
    listed = np.maximum(lists[b, head], -1)[None]
    outputs[b, head] = KERNELS["attention"](
        case.queries[b, head][None], case.keys[b, own], case.values[b, own], listed
    )[0]
    return outputs, lists


def test_a_mask_of_everything_passes():
    nothing = TEXT.format(1) + ",mask=nothing"
    assert check.decode_step(step, case=nothing).worst == 0
    assert check.decode_step(lambda case: step(case)[0], case=nothing).worst == 0
    zeros = lambda case: np.zeros(case.queries.shape)  # noqa: E731
    assert check.decode_step(zeros, case=nothing, empty="zero").worst == 0
    failure(lambda: check.decode_step(zeros, case=nothing), match="no key can be selected: allowed is an output of nan")


def test_the_twins_codes_and_norms_are_those_of_the_arrays():
    bits = bits_of(CASE.keys[1, 0], CASE.hyperplanes)
    codes = (bits << np.arange(7, -1, -1)).sum(axis=2)
    assert (codes != CASE.codes[1, 0]).mean() < 1e-3  # but for projections within rounding
    norms = np.linalg.norm(CASE.values[1, 0].astype(float), axis=1)
    np.testing.assert_allclose(CASE.norms[1, 0], norms, rtol=2.0**-11)


def test_the_bounds_hold_exact_scores_and_are_narrow():
    scores = soft_scores(
        CASE.queries[1, 2], CASE.hyperplanes, bits_of(CASE.keys[1, 1], CASE.hyperplanes), CASE.values[1, 1], 0.5
    )
    assert (CASE.low[6] <= scores).all() and (scores <= CASE.high[6]).all()
    assert np.median((CASE.high[6] - CASE.low[6]) / scores) < 0.02  # two of fp16: the norm and the sums


def at_row_5(edit):
    return lambda case: changed(case, 5, edit)


def drop_the_best(listed, scores):
    best = np.argmax(np.where(np.isin(np.arange(300), listed[:10]), -1, scores))
    left = np.setdiff1d(np.arange(300), listed)
    listed[listed == best] = left[np.argmin(scores[left])]


def no_sink(listed, scores):
    listed[0] = np.setdiff1d(np.arange(300), listed)[0]


def too_few(listed, scores):
    listed[-1] = -1


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (drop_the_best, "is selected, and key .* is not"),
        (no_sink, "a key of sink or window is not selected"),
        (too_few, "29 keys beside sink and window; allowed are 30"),
    ],
)
def test_faults_of_a_list_name_its_row(edit, what):
    raised = failure(lambda: check.decode_step(at_row_5(edit), case=CASE), match=what)
    assert raised.row == 5
    assert f'check.decode_step(fn, case="{CASE.text}"' in raised.replay


def test_a_forbidden_key_is_named():
    forbidden = int(np.flatnonzero(~MASKED.allowed[1, 1])[0])

    def select_it(listed, scores):
        listed[-1] = forbidden

    with pytest.raises(check.CheckFailure, match="the mask forbids it") as raised:
        check.decode_step(at_row_5(select_it), case=MASKED)
    assert (raised.value.row, raised.value.key) == (5, forbidden)


def test_an_output_without_its_list_is_seen_to_miss_the_best_key():
    with pytest.raises(check.CheckFailure, match="times its bound") as raised:
        check.decode_step(lambda case: at_row_5(drop_the_best)(case)[0], case=CASE)
    assert raised.value.row == 5


def test_a_wrong_output_is_named_by_row_and_coordinate():
    def off(by):
        def fn(case):
            outputs, lists = step(case)
            outputs[1, 3, 17] += by
            return outputs, lists

        return fn

    raised = failure(lambda: check.decode_step(off(1e-3), case=CASE), match="^row 7, coordinate 17: output")
    assert raised.excess > 1
    # Without the list, what keys in doubt may change counts as right: here 2 of 40 weights, of values of about 1.
    failure(lambda: check.decode_step(lambda case: off(0.3)(case)[0], case=CASE), match="^row 7, coordinate 17: output")


def test_cases_are_data_and_refuse_other_operations():
    texts = [case.text for case in check.decode_cases("tiny")]
    assert len(texts) > 10 and all(text.startswith("operation=decode-step") for text in texts)
    assert repr(CASE) == f'socketlab.check.decode_case("{CASE.text}")'
    assert eval(repr(CASE), {"socketlab": sl}).text == CASE.text
    assert dataclasses.replace(CASE, budget=3).budget == 3
    with pytest.raises(ValueError, match="operation=select-keys"):
        check.decode_case("operation=select-keys")
    with pytest.raises(ValueError, match="inputs=huge: steps are checked for finite sums only"):
        check.decode_case("operation=decode-step,inputs=huge")
    with pytest.raises(ValueError, match="grid tinier: allowed are tiny, quick, full"):
        list(check.decode_cases("tinier"))
    with pytest.raises(ValueError, match="no decode step of at most 1 keys"):
        check.decode_step(step, "tiny", most_keys=1)
    with pytest.raises(ValueError, match=r"output: shape \[3\]; allowed is \[2, 4, 64\]"):
        check.decode_step(lambda case: np.zeros(3), case=CASE)
