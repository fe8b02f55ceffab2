"""check.bias: claims that are true, false, and that cannot be judged."""

import numpy as np
import pytest
import socketlab as sl
from conftest import refused
from socketlab import check


def test_a_published_error_is_no_noise():
    # A port of a one-bit quantiser reported this mean error as noise.
    judged = check.bias_of_summary(mean=-0.0354, deviation=0.1614, count=2000)
    assert judged.verdict == "refuted"
    assert judged.standard_errors == pytest.approx(-0.0354 / (0.1614 / 2000**0.5))
    assert judged.high < 0
    assert judged.nominal


def test_the_interval_is_student_s():
    # t of 9 degrees of freedom at 1 - .05/2 is 2.2622 (any table).
    judged = check.bias_of_summary(mean=1.0, deviation=2.0, count=10, error=0.05)
    half = 2.2622 * 2 / 10**0.5
    assert judged.low == pytest.approx(1 - half, abs=1e-4)
    assert judged.high == pytest.approx(1 + half, abs=1e-4)


def test_samples_are_summed_up_as_their_moments():
    samples = np.array([[1.0, 2.0], [3.0, 6.0]])
    judged = check.bias(samples, claimed_mean=2.0)
    assert (judged.mean, judged.count, judged.claimed_mean) == (3.0, 4, 2.0)
    assert judged.deviation == pytest.approx((14 / 3) ** 0.5)
    assert judged.verdict == "not-refuted"


def test_samples_without_a_bias_are_rarely_refuted_and_with_one_mostly():
    normal = sl.instance("gaussian", keys=20000, dim=1, value_dim=1, seed=12).keys.reshape(200, 100)
    verdicts = [check.bias(row, error=0.01).verdict for row in normal]
    # Of 200 at 1% each more than 9 come but once in 10,000 runs; the seed is fixed.
    assert verdicts.count("refuted") <= 9
    shifted = [check.bias(row + 0.8, error=0.01).verdict for row in normal]  # eight standard errors
    assert shifted.count("refuted") == 200


def test_a_known_range_needs_no_normal_samples():
    rare = np.zeros(50)
    rare[0] = 1.0
    assert check.bias(rare, claimed_mean=0.02, value_range=1.0).verdict == "not-refuted"
    judged = check.bias(np.full(1000, 0.5), claimed_mean=0.0, value_range=1.0)
    assert judged.verdict == "refuted"
    assert not judged.nominal
    ends = np.repeat([0.0, 1.0], 500)
    assert check.bias(ends, claimed_mean=0.5, value_range=1.0).verdict == "not-refuted"


def test_what_is_not_finite_is_inconclusive():
    assert check.bias([1.0, np.nan]).verdict == "inconclusive"
    assert check.bias([1.0, np.inf]).verdict == "inconclusive"
    assert check.bias([1.0, 2.0], claimed_mean=np.nan).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: check.bias([1.0]), "samples: there are 1; allowed are 2 and more"),
        (lambda: check.bias([1.0, 2.0], error=1.0), "allowed"),
        (lambda: check.bias([1.0, 2.0], value_range=-1.0), "range"),
        (lambda: check.bias([1.0, 2.0], value_range=0.999), "value_range is 0.999: the spread of the samples allows"),
        # In an interval of length 1 the largest deviation is that of halves at both ends: sqrt(n/(n - 1))/2.
        (lambda: check.bias_of_summary(mean=0, deviation=0.51, count=1000, value_range=1), "the deviation allows"),
        (lambda: check.bias_of_summary(mean=0, deviation=-1.0, count=3), "deviation is -1"),
        (lambda: check.bias_of_summary(mean=0, deviation=1.0, count=1), "count is 1"),
    ],
)
def test_bad_input_is_one_line(call, line):
    refused(ValueError, line, call)
