"""check.scores: which sums it allows, where it finds a wrong score, its bound by hand. The mistakes of kernels: mistakes.py."""

import dataclasses

import numpy as np
import pytest
import socketlab as sl
from conftest import failure, refused
from plain_kernels import NUMPY, kernels
from socketlab import check
from socketlab.check import _scores

PACKED = "operation=score-packed,heads=4,kv_heads=2,keys=70,tables=9,planes=6"
SINGLE = {"case": PACKED, "sums": "f32"}  # query heads that share codes may add in fp16 otherwise


KERNEL = kernels(NUMPY, np=np)["scores"]


def kernel(fault=None):
    """The page's kernel; with a fault in one place."""

    def scores(case):
        out = KERNEL(case).astype(np.float32)
        if fault == "a key of one row":
            out[2, 17] *= np.float32(1 + 2.0**-10)
        if fault == "NaN":
            out[1, 5] = np.nan
        if fault == "infinite":
            out[1, 5] = np.inf
        if fault == "half precision":
            out = out.astype(np.float16)
        return out

    return scores


def test_a_kernel_in_single_precision_passes():
    report = check.scores(kernel(), **SINGLE)
    assert report.compared == 4 * 70
    assert 0 < report.worst <= 1


def test_sums_in_half_precision_pass_where_they_are_allowed():
    def chained(case):
        return KERNEL(case) * np.float32(1 + 2.0**-11)  # half a unit of fp16

    assert check.scores(chained, case=PACKED).worst <= 1
    failure(lambda: check.scores(chained, **SINGLE))


def test_a_report_names_the_sums_and_those_of_fp32_see_a_thousandth():
    def off(case):
        scores = kernel()(case)
        scores[2, 17] *= np.float32(1.001)
        return scores

    assert "sums='f16'" in repr(check.scores(off, case=PACKED))
    failure(lambda: check.scores(off, **SINGLE), match="row 2, key 17: .* 1 of 280 scores are out")
    assert "sums='f32'" in repr(check.scores(kernel(), **SINGLE))
    assert "sums" not in repr(check.selection([1.0, 2.0], [1], budget=1))


def test_a_case_s_sums_are_those_that_give_its_bounds():
    seen = set()
    shared = "operation=score-packed,heads=4,kv_heads=2,keys=70"
    texts = [f"{shared},tables={tables},planes={planes}" for tables, planes in ((60, 10), (65, 12), (60, 16), (9, 16))]
    for case in [*check.scoring_cases("tiny"), *map(check.scoring_case, texts)]:
        again = _scores._bounded(case, case.sums, 1)
        # Sums in double, which two builds may round apart; fp16's bounds lie a thousandth of the score off fp32's.
        assert np.allclose(again.low[case.allowed], case.low[case.allowed], rtol=1e-12, atol=1e-15), case
        seen.add(case.sums)
    assert seen == {"f32", "f16"}


def test_any_order_of_the_tables_passes():
    def backwards(case):
        return kernel()(dataclasses.replace(case, tables=case.tables[:, ::-1], codes=case.codes[:, ::-1]))

    assert check.scores(backwards, **SINGLE).worst <= 1


@pytest.mark.parametrize(
    ("fault", "row", "keys"),
    [
        ("a key of one row", {2}, {17}),
        ("NaN", {1}, {5}),
        ("infinite", {1}, {5}),
        ("half precision", range(4), range(70)),
    ],
)
def test_a_fault_is_caught_where_it_is(fault, row, keys):
    failed = failure(lambda: check.scores(kernel(fault), **SINGLE))
    assert failed.row in row
    assert failed.key in keys
    assert failed.excess > 1
    assert f"row {failed.row}, key {failed.key}" in str(failed)


def test_the_replay_line_fails_again_and_names_the_same_place():
    fn = kernel("a key of one row")
    failed = failure(lambda: check.scores(fn, **SINGLE))
    import socketlab

    again = failure(lambda: eval(failed.replay, {"socketlab": socketlab, "fn": fn}))
    assert (again.row, again.key) == (failed.row, failed.key)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int64])
def test_codes_may_be_other_whole_numbers(dtype):
    case = check.scoring_case(PACKED)
    arrays = {"tables": case.tables, "norms": case.norms, "planes": case.planes}
    got = check.scores(kernel(), codes=case.codes.astype(dtype), **arrays)
    assert got == check.scores(kernel(), codes=case.codes, **arrays)
    with pytest.raises(ValueError, match="^codes: 0 to 64; of 6 planes allowed are 0 to 63$"):
        check.scores(kernel(), codes=np.where(case.codes == 5, 64, case.codes * 0).astype(dtype), **arrays)


def test_the_codes_of_hash_keys_are_codes():
    # The last bucket of 16 planes is -1 in int16: all projections of (1) on ones are positive, those of (-1) negative.
    tables = np.zeros((1, 1, 2**16), np.float32)
    tables[0, 0, [0, 2**16 - 1]] = 3, 7
    codes = sl.hash_keys(np.ones((1, 16, 1)), np.array([[1.0], [-1.0]]))
    assert codes.dtype == np.uint32
    arrays = {"tables": tables, "norms": np.ones((1, 2), np.float32), "planes": 16, "halves": False}
    assert check.scores([[7, 3]], codes=codes[None], **arrays).compared == 2
    seen = []
    check.scores(lambda given: seen.append(given.codes) or [[7, 3]], codes=codes[None], **arrays)
    assert seen[0].dtype == np.int16 and seen[0].tolist() == [[[-1, 0]]]


def test_own_arrays_have_the_bounds_of_the_case_they_came_from():
    case = check.scoring_case(PACKED)
    arrays = {"tables": case.tables, "codes": case.codes, "norms": case.norms, "planes": case.planes}
    assert check.scores(kernel(), **arrays) == check.scores(kernel(), **SINGLE)
    assert check.scores(kernel(), **arrays, sums="f16") == check.scores(kernel(), case=case)
    failed = failure(lambda: check.scores(kernel("NaN"), **arrays))
    assert "tables=tables[1:2], codes=codes[0:1]" in failed.replay


def test_a_score_by_hand_lies_in_its_interval():
    # One table of two planes: half-tables of two entries each. Code 2 is high entry 1, low entry 0.
    tables = np.array([[[0.5, 0.25, 0.125, 1.0]]], np.float32)
    codes = np.array([[[2, 1]]], np.int16)
    norms = np.array([[4.0, 2.0]], np.float32)
    given = {"tables": tables, "codes": codes, "norms": norms, "planes": 2}
    assert check.scores(np.array([[0.125, 1.0]]), **given).worst == 0  # 4 * .25 * .125 and 2 * .5 * 1
    n = 2  # roundings of one table: the product of entries and the norm
    bound = n * 2.0**-24 / (1 - n * 2.0**-24)
    assert check.scores(np.array([[0.125, 1 + 0.999 * bound]]), **given).worst == pytest.approx(0.999, abs=1e-6)
    failed = failure(lambda: check.scores(np.array([[0.125, 1 + 1.001 * bound]]), **given))
    assert failed.key == 1
    assert failed.excess == pytest.approx(1.001, abs=1e-6)


def masked(factor=1.0, value=-np.inf):
    """The kernel, times a factor; forbidden keys score `value`."""
    return lambda case: np.where(case.allowed, KERNEL(case) * np.float32(factor), value)


@pytest.mark.parametrize("mask", ["random", "padding", "causal", "nothing"])
def test_a_case_s_mask_is_all_that_says_which_keys_score_minus_infinity(mask):
    case = check.scoring_case(f"{PACKED},batch=2,mask={mask}")
    assert case.allowed.dtype == np.bool_ and case.allowed.shape == (8, 70)
    assert np.array_equal(case.allowed, case.low != -np.inf)
    read = case.allowed.reshape(4, 2, 70).any(axis=1)  # by one of the two query heads of a KV head
    assert np.isfinite(case.norms[read]).all()
    for sums in (None, "f32"):
        assert check.scores(masked(), case=case, sums=sums).worst <= 1
        for wrong in (0.0, np.nan, np.inf, -3e38):
            failed = failure(lambda: check.scores(masked(value=wrong), case=case, sums=sums))
            assert not case.allowed[failed.row, failed.key]
    if mask != "nothing":
        failure(lambda: check.scores(masked(1 + 2.0**-16), case=case, sums="f32"))


def test_the_causal_mask_by_hand():
    # Of 4 heads over 8 keys, head h sees the keys up to 8 (h + 1) / 4: 2, 4, 6 and all.
    case = check.scoring_case("operation=score-packed,heads=4,kv_heads=2,keys=8,mask=causal")
    assert case.allowed.sum(axis=1).tolist() == [3, 5, 7, 8]
    assert case.allowed[0].tolist() == [True] * 3 + [False] * 5


def test_own_arrays_may_have_a_mask_and_no_norm_where_no_head_may_read():
    case = check.scoring_case(f"{PACKED},mask=causal")
    arrays = {"tables": case.tables, "codes": case.codes, "planes": case.planes, "allowed": case.allowed}
    unread = ~case.allowed.reshape(2, 2, 70).any(axis=1)
    norms = np.where(unread, np.float32(np.nan), case.norms)
    assert unread.any()
    assert check.scores(masked(), norms=norms, **arrays) == check.scores(masked(), case=case, sums="f32")
    failed = failure(lambda: check.scores(masked(value=0.0), norms=norms, **arrays))
    assert "allowed=allowed[" in failed.replay
    norms[~unread] = np.nan
    with pytest.raises(ValueError, match="norms: allowed are numbers, 0 and more"):
        check.scores(masked(), norms=norms, **arrays)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"codes": np.array([[[9]]], np.int16)}, "codes: 9 stands there; of 2 planes allowed are 0 to 3"),
        ({"codes": np.array([[[-1]]], np.int16)}, "codes: -1 stands there"),
        ({"codes": np.array([[[1.0]]])}, "codes: float64"),
        ({"codes": np.array([[[-1]]])}, "codes: -1 to -1; of 2 planes allowed are 0 to 3"),
        ({"planes": 3}, "tables: 4 entries to a table"),
        ({"planes": 17}, "planes is 17: allowed are 1 to 16"),
        ({"norms": np.ones((1, 2), np.float32)}, "norms: shape"),
        ({"norms": np.array([[np.nan]], np.float32)}, "norms: allowed are"),
        ({"tables": np.full((1, 1, 4), np.nan, np.float32)}, "tables: allowed are finite"),
        ({"allowed": np.ones((1, 1))}, "allowed: float64 .*; allowed is bool of rows and keys"),
        ({"allowed": np.ones((2, 1), bool)}, r"allowed: shape \[2, 1\]; allowed are the \[1, 1\] of rows and keys"),
        ({"sums": "f8"}, "sums f8: allowed are f32, f16"),
        ({"planes": None}, "needed is a case"),
        ({"given": np.ones(3)}, "scores: shape"),
        ({"given": "x"}, "allowed are real numbers"),
    ],
)
def test_bad_input_is_one_line(change, line):
    plain = {
        "given": np.zeros((1, 1)),
        "tables": np.ones((1, 1, 4), np.float32),
        "codes": np.zeros((1, 1, 1), np.int16),
        "norms": np.ones((1, 1), np.float32),
        "planes": 2,
    }
    refused(ValueError, line, lambda: check.scores(**{**plain, **change}))


def test_a_case_that_is_none_is_refused():
    with pytest.raises(ValueError, match="allowed"):
        check.scoring_case("operation=score-packed,planes=99")
    with pytest.raises(ValueError, match="inputs=huge"):
        check.scoring_case("operation=score-packed,inputs=huge")
