"""The oracle against closed values, another quadrature and the command line."""

import json
import math

import numpy as np
import pytest
import socketlab as sl
from conftest import refused

SETTING = {"planes": 3, "temperature": 0.5, "dim": 16, "query_norm": 2.0}


def test_a_key_at_a_right_angle_has_the_weight_of_chance():
    assert sl.oracle.angular_weight(planes=3, cosine=0.0).value == pytest.approx(1 / 8, abs=1e-15)
    weight = sl.oracle.weight(**SETTING, cosine=0.0)
    assert abs(weight.value - 1 / 8) <= weight.error + 2**-53


def test_keys_at_right_angles_to_all_are_independent():
    moment = sl.oracle.pair_moment(**SETTING, cosine_i=0.0, cosine_j=0.0, cosine_ij=0.0)
    assert abs(moment.value - 1 / 64) <= moment.error + 2**-53


def test_epsilon_is_what_a_sum_over_a_grid_gives():
    # 1 - (E sigma(2 |tanh(|q| z)| s / tau))^P; the integrand is analytic, and the trapezium rule on a line converges
    # beyond any power of its step.
    z = np.linspace(-12, 12, 40001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    folded = 1 / (1 + np.exp(-2 * np.tanh(2.0 * np.abs(z)) / 4 / 0.5))  # a kink at 0, on a node: error of order step^2
    agreement = np.sum(density * folded) * (z[1] - z[0])
    step_error = (z[1] - z[0]) ** 2

    estimate = sl.oracle.epsilon(**SETTING)

    assert abs(estimate.value - (1 - agreement**3)) <= 3 * step_error
    assert 0 < estimate.error < 1e-12


def test_the_second_moment_is_the_variance_and_the_mean_together():
    mean = sl.oracle.weight(**SETTING, cosine=0.7)
    variance = sl.oracle.weight_variance(**SETTING, cosine=0.7)
    moment = sl.oracle.pair_moment(**SETTING, cosine_i=0.7, cosine_j=0.7, cosine_ij=1.0)
    bound = moment.error + variance.error + 2 * mean.error + 4 * 2**-53
    assert abs(moment.value - (variance.value + mean.value**2)) <= bound


@pytest.mark.parametrize("quantity", ["epsilon", "weight", "weight_variance", "pair_moment", "angular_weight"])
def test_the_command_line_gives_the_same(command, quantity):
    given = {} if quantity == "angular_weight" else dict(SETTING)
    if quantity == "pair_moment":
        given |= {"cosine_i": 0.3, "cosine_j": -0.2, "cosine_ij": 0.5}
    elif quantity == "angular_weight":
        given |= {"planes": 3, "cosine": 0.3}
    elif quantity != "epsilon":
        given |= {"cosine": 0.3}
    flags = [text for name, value in given.items() for text in ("--" + name.replace("_", "-"), value)]

    done = command("oracle", quantity.replace("_", "-"), *flags)

    told = json.loads(done.stdout)
    estimate = getattr(sl.oracle, quantity)(**given)
    assert abs(estimate.value - told["value"]) <= estimate.error + told["error"]


def test_what_is_out_of_range_is_refused_in_one_line(command):
    refused(
        ValueError,
        "cosine: 1.5 given; allowed are numbers from -1 to 1",
        lambda: sl.oracle.angular_weight(planes=3, cosine=1.5),
    )
    with pytest.raises(ValueError, match="allowed") as raised:
        sl.oracle.epsilon(planes=3, temperature=-1.0, dim=4, query_norm=1.0)
    done = command("oracle", "epsilon", "--planes", 3, "--temperature=-1.0", "--dim", 4, "--query-norm", 1)
    assert done.returncode == 2
    assert str(raised.value) in done.stderr
