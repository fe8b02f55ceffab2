"""The oracle against the command line, whose numbers tests/estimators/population compares with proven ones."""

import json

import pytest
import socketlab as sl
from conftest import refused

SETTING = {"planes": 3, "temperature": 0.5, "dim": 16, "query_norm": 2.0}


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
