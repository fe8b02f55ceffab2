"""check.attention: types, bounds by hand, and where it finds a wrong number. The mistakes of kernels: mistakes.py."""

import math

import numpy as np
import pytest
from conftest import failure, refused
from plain_kernels import NUMPY, kernels
from socketlab import check

HEADS, KEY_HEADS, KEYS, DIM, WIDTH = 4, 2, 100, 32, 24


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(8)
    q = rng.standard_normal((HEADS, DIM)).astype(np.float32)
    k = rng.standard_normal((KEY_HEADS, KEYS, DIM)).astype(np.float32)
    v = rng.standard_normal((KEY_HEADS, KEYS, DIM)).astype(np.float32)
    selected = np.stack([rng.permutation(KEYS)[:WIDTH] for _ in range(HEADS)])
    selected[1, 20:] = -1
    return q, k, v, selected


KERNEL = kernels(NUMPY, np=np)["attention"]


def kernel(q, k, v, selected, fault=None):
    """Outputs and log-sum-exps of the page's kernel; with a fault in one row."""
    if fault == "a key of one row":
        selected = selected.copy()
        selected[2, 0] = -1
    out, lse = KERNEL(q, k, v, selected)
    if fault == "base 2":
        lse = lse / np.float32(math.log(2))
    if fault == "NaN":
        out[3, 7] = np.nan
    return out, lse


def rounded(x, unit_bits):
    """To so many bits of significand, as bf16 has 8."""
    scale = 2.0 ** (np.floor(np.log2(np.abs(x))) + 1 - unit_bits)
    return np.round(x / scale) * scale


def test_a_kernel_in_single_precision_passes(problem):
    report = check.attention(*problem, *kernel(*problem))
    assert report.compared == HEADS * DIM + HEADS
    assert 0 < report.worst < 1


def test_other_bases_and_types_pass_as_what_they_are(problem):
    out, lse = kernel(*problem)
    check.attention(*problem, out, lse / math.log(2), base="2")
    half = out.astype(np.float16)
    check.attention(*problem, half, dtype="f16")
    coarse = rounded(out.astype(float), 8)
    check.attention(*problem, coarse, dtype="bf16")
    for wrong in (half, coarse):
        failure(lambda: check.attention(*problem, wrong, dtype="f32"))
    failure(lambda: check.attention(*problem, coarse, dtype="f16"))


def test_weights_of_bf16_need_their_own_bound(problem):
    q, k, v = (x.astype(float) for x in problem[:3])
    out = np.zeros((HEADS, DIM))
    for row in range(HEADS):
        own, listed = row // 2, problem[3][row][problem[3][row] >= 0]
        logits = k[own][listed] @ q[row] / math.sqrt(DIM)
        exact = np.exp(logits - logits.max())
        out[row] = rounded(exact, 8) @ v[own][listed] / exact.sum()
    assert check.attention(*problem, out, weights="bf16").worst <= 1
    failure(lambda: check.attention(*problem, out))


@pytest.mark.parametrize(
    ("fault", "rows"),
    [
        ("a key of one row", {2}),
        ("base 2", range(HEADS)),
        ("NaN", {3}),
    ],
)
def test_a_fault_is_caught_in_its_row(problem, fault, rows):
    failed = failure(lambda: check.attention(*problem, *kernel(*problem, fault=fault)))
    assert failed.row in rows
    assert failed.excess > 1
    assert (failed.key is None) == (fault == "base 2")
    if fault == "NaN":
        assert failed.key == 7 and failed.axis == "coordinate"
        assert ", coordinate 7: output nan" in str(failed)


def test_the_replay_line_fails_again(problem):
    import socketlab

    q, k, v, selected = problem
    output, lse = kernel(*problem, fault="a key of one row")
    failed = failure(lambda: check.attention(q, k, v, selected, output, lse))
    names = {"socketlab": socketlab, "q": q, "k": k, "v": v, "selected": selected, "output": output, "lse": lse}
    again = failure(lambda: eval(failed.replay, names))
    assert again.excess == pytest.approx(failed.excess)


def test_an_output_by_hand():
    # Logits log 1 .. log 4 by q = 2, dim 4: weights 1/10 to 4/10 over 5, 1, -2, 3; a key twice counts twice. Rounded to
    # float32, a logit moves by 2^-25 of itself and the mean by that times the spread of the values, 7.
    k = np.zeros((4, 4), np.float32)
    k[:, 0] = np.log([1, 2, 3, 4])
    v = np.array([[5.0], [1.0], [-2.0], [3.0]])
    q = np.array([2.0, 0, 0, 0])
    moved = 7 * 2 * 2.0**-25 * math.log(4)
    assert check.attention(q, k, v, [0, 1, 2, 3], [1.3], [math.log(10)]).worst < 1
    assert check.attention(q, k, v, [0, 3], [3.4], [math.log(5)]).worst < 1
    assert check.attention(q, k, v, [3, 3, 0, -1], [29 / 9]).worst < 1
    for far in (1.3 + 1e-4, 1.3 - 1e-4):
        failed = failure(lambda: check.attention(q, k, v, [0, 1, 2, 3], [far]))
        assert moved < 1e-4 / failed.excess < 1e-4


@pytest.mark.parametrize(("word", "unit"), [("f16", 2.0**-11), ("bf16", 2.0**-8)])
def test_types_have_half_a_unit_of_their_last_place(word, unit):
    # One key of logit 0 and value 1: fp32 may be off by 1.01 (1 + 40) 2^-24 alone, and a rounded output by its unit;
    # a rounded weight by two units, as its sum may be rounded too.
    single = 1.01 * 41 * 2.0**-24
    row = (np.zeros(2), np.zeros((1, 2)), np.ones((1, 1)), [0])
    for option, far in (("dtype", unit), ("weights", 2.02 * unit)):
        check.attention(*row, [1 + 0.999 * far], **{option: word})
        check.attention(*row, [1 - 0.999 * far], **{option: word})
        failure(lambda: check.attention(*row, [1 + 1.01 * far + 2 * single], **{option: word}))


def test_a_log_sum_exp_of_its_own_is_caught():
    # Two keys of logit 0: log 2, or 1 to base 2.
    row = (np.zeros(2), np.zeros((2, 2)), np.ones((2, 1)), [0, 1], [1.0])
    for lse, base in ((math.log(2), "e"), (1.0, "2")):
        assert check.attention(*row, [lse], base=base).worst <= 1
        for wrong in (lse + 1e-5, lse - 1e-5, np.nan, np.inf):
            failed = failure(lambda: check.attention(*row, [wrong], base=base))
            assert failed.key is None


def test_a_row_without_keys_has_no_output():
    q, k, v = np.ones(2), np.ones((3, 2)), np.ones((3, 2))
    check.attention(q, k, v, [-1, -1], [np.nan, np.nan], [-np.inf])
    check.attention(q, k, v, [-1, -1], [0.0, 0.0], empty="zero")
    for output, lse, empty in (
        ([0, 0], [-np.inf], "nan"),
        ([np.nan] * 2, [-np.inf], "zero"),
        ([np.nan] * 2, [0.0], "nan"),
    ):
        failure(lambda: check.attention(q, k, v, [-1, -1], output, lse, empty=empty))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"dtype": "f64"}, "dtype f64: allowed are f32, f16, bf16"),
        ({"base": "10"}, "base 10: allowed are e, 2"),
        ({"weights": "int8"}, "weights int8: allowed are"),
        ({"empty": "one"}, "empty one: allowed are nan, zero"),
        ({"q": np.full(2, 0.1)}, r"q: element \[0\] is .*numbers of float32"),
        ({"v": np.ones((4, 2))}, "do not fit"),
        ({"selected": [3]}, "selected: allowed are 0 to 2"),
        ({"selected": [-2]}, "selected: allowed are 0 to 2"),
        ({"selected": [0.0]}, "allowed are whole numbers"),
        ({"output": [1.0]}, "output: shape"),
        ({"lse": [1.0, 2.0]}, "lse: 2 numbers"),
        ({"k": np.full((3, 2), np.nan)}, "allowed are finite numbers"),
    ],
)
def test_bad_input_is_one_line(change, line):
    plain = {"q": np.ones(2), "k": np.ones((3, 2)), "v": np.ones((3, 2)), "selected": [0], "output": [1.0, 1.0]}
    refused(ValueError, line, lambda: check.attention(**{**plain, **change}))
