"""certify against the command line on the same arrays, and against attend."""

import json

import numpy as np
import pytest
import socketlab as sl
from conftest import rounding

KEYS = 60


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(11)
    return {name: rng.standard_normal(shape) for name, shape in (("q", (2, 8)), ("k", (KEYS, 8)), ("v", (KEYS, 4)))}


OPTIONS = {"tables": 8, "planes": 4, "budget": 9, "redraws": 20, "target_error": 0.5, "seed": 5}


def test_the_command_line_gives_the_same(command, saved, tmp_path, arrays):
    flags = [text for name, value in OPTIONS.items() for text in (f"--{name.replace('_', '-')}", value)]
    files = [
        "--queries", saved("q", arrays["q"]), "--keys", saved("k", arrays["k"]), "--values", saved("v", arrays["v"]),
    ]  # fmt: skip

    done = command("certify", *files, *flags, "--out", tmp_path / "out")
    got = sl.certify(arrays["q"], arrays["k"], arrays["v"], **OPTIONS)

    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert got.plan == told["plan"]
    assert len(got.queries) == len(told["queries"]) == 2
    for mine, of_command in zip(got.queries, told["queries"], strict=True):
        assert [n.name for n in mine.numbers] == [n["name"] for n in of_command["numbers"]]
        assert mine.smallest_counts == of_command["smallest_counts"]
        assert mine.occupancy_drawn == of_command["occupancy_drawn_keys"]
        assert mine.occupancy_sure == of_command["occupancy_sure_keys"]
        assert mine.occupancy_drawn <= mine.occupancy_sure <= KEYS
        for number, row in zip(mine.numbers, of_command["numbers"], strict=True):
            value = np.inf if row["value"] is None else row["value"]
            # Sums over all pairs of keys, a root of them, and a covariance that is known to some 1e-12 of its signal.
            assert number.value == pytest.approx(value, rel=rounding(KEYS**2) + 1e-9), number.name


def test_what_was_measured_is_what_attend_makes(arrays):
    certified = sl.certify(arrays["q"], arrays["k"], arrays["v"], **OPTIONS)
    attended = sl.attend(arrays["q"], arrays["k"], arrays["v"], tables=8, planes=4, budget=9, seed=5)
    for i, certificate in enumerate(certified.queries):
        assert certificate.value("top-m", "measured") == pytest.approx(
            float(attended.absolute_error[i]), rel=rounding(500)
        )
        missed = certificate.value("missed-mass", "measured")
        assert missed == pytest.approx(float(attended.residual_weight[i]), rel=rounding(500))
    assert "Theorem 1(b)" in repr(certified.queries[0])
    with pytest.raises(KeyError):
        certified.queries[0].value("top-m", "nowhere")


def test_a_print_is_a_short_table_and_pandas_gets_every_number(arrays):
    got = sl.certify(arrays["q"], arrays["k"], arrays["v"], **OPTIONS)
    text = str(got)
    assert len(text.splitlines()) <= 25
    assert "delta = 0.05" in text
    assert "The theorems bound the distance to angular attention" in text
    largest = max(certificate.value("bias", "measured") for certificate in got.queries)
    assert f"{largest:.4g}" in next(line for line in text.splitlines() if line.startswith("  bias"))
    pandas = pytest.importorskip("pandas")
    frame = got.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == sum(len(certificate.numbers) for certificate in got.queries)


def test_a_time_limit_leaves_queries_out(arrays):
    whole = sl.certify(arrays["q"], arrays["k"], arrays["v"], **OPTIONS)
    some = sl.certify(arrays["q"], arrays["k"], arrays["v"], **OPTIONS, time_limit=1e-6)
    assert some.queries == whole.queries[:1]
    assert some.summary.startswith("1 of 2 queries in ")
    assert "time_limit" in some.summary.splitlines()[0]
    assert "--" not in some.summary
