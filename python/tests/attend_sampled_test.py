"""What a sample of the keys outside the list says: by hand, by a second route, and like the command line."""

import json

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding

COLUMNS = ("residual_weight", "residual_weight_limit", "residual_weight_nominal_limit", "error", "error_limit",
           "corrected_error", "read", "stages")  # fmt: skip


def four_keys(**options):
    """Softmax masses 1/10 to 4/10; the values are 5, 1, -2 and 3, so that dense attention gives 1.3; keys rank 0, 3, 2, 1."""
    k = 1 + np.log([[1.0], [2.0], [3.0], [4.0]])
    v = np.array([[5.0], [1.0], [-2.0], [3.0]])
    one = {"budget": 2, "hyperplanes": np.ones((1, 1, 1)), "ranker": "hard-lsh", "error_range": "norms"}
    return sl.attend(np.ones(1), k, v, **one | options)


def test_a_rest_of_two_keys_is_read_whole():
    sampled = four_keys(error_samples=2).sampled

    assert [float(getattr(sampled, name)) for name in COLUMNS[:3]] == pytest.approx([0.5] * 3, abs=rounding(20))
    assert float(sampled.corrected[0]) == pytest.approx(1.3, abs=rounding(100))
    assert float(sampled.error) == float(sampled.error_limit) == pytest.approx(2.1, abs=rounding(100))
    assert (sampled.read, sampled.stages) == (2, 1)
    q, k, v = grouped()
    assert sl.attend(q, k, v, budget=20, ranker="quest").sampled is None


def test_a_list_grows_until_it_is_certified():
    got = four_keys(error_samples=2, target_residual=0.25)
    assert got.selected.tolist() == [0, 3, 2, -1]  # a residual weight of .5, then of .2
    assert float(got.sampled.residual_weight_limit) == pytest.approx(0.2, abs=rounding(20))
    assert float(got.residual_weight) == pytest.approx(0.2, abs=rounding(20))
    assert (got.sampled.read, got.sampled.stages) == (3, 2)

    dense = four_keys(error_samples=2, target_residual=0.1)
    assert sorted(dense.selected.tolist()) == [0, 1, 2, 3]
    assert float(dense.sampled.residual_weight_limit) == 0


def test_a_query_without_a_key_has_no_sample():
    sampled = four_keys(budget=0, error_samples=2).sampled
    assert np.isnan(sampled.corrected).all()
    assert np.isnan(sampled.residual_weight_limit)
    assert sampled.read == sampled.stages == 0


def grouped():
    random = np.random.default_rng(7)
    return (random.standard_normal(shape) for shape in ((4, 5, 16), (2, 300, 16), (2, 300, 8)))


GROUPED = {"causal": True, "budget": 20, "sink": 2, "window": 3, "error_samples": 40, "tables": 12, "planes": 6}


@pytest.mark.parametrize("sampling", ["weighted", "uniform"])
def test_limits_lie_above_what_numpy_finds(sampling):
    q, k, v = grouped()
    planes = sl.hyperplanes(tables=12, planes=6, dim=16)  # so that lists do not depend on the seed
    given = GROUPED | {"error_sampling": sampling, "error_bits": 64, "hyperplanes": planes}
    estimates = [sl.attend(q, k, v, seed=seed, **given).sampled for seed in range(40)]

    got = sl.attend(q, k, v, **given)
    for h in range(4):
        for i in range(5):
            x = (k[h // 2] @ q[h, i])[: 296 + i] / 4
            weights = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
            listed = got.selected[h, i][got.selected[h, i] >= 0]
            rest = np.setdiff1d(np.arange(296 + i), listed)
            eps, dense = weights[rest].sum(), weights @ v[h // 2][: 296 + i]
            lost = np.linalg.norm(weights[listed] @ v[h // 2][listed] / weights[listed].sum() - dense)
            assert eps < got.sampled.residual_weight_limit[h, i] < 1
            assert lost < got.sampled.error_limit[h, i]
            of_seeds = np.array([one.residual_weight[h, i] for one in estimates])
            # The ratio of estimates has a bias of the order of its variance.
            assert abs(of_seeds.mean() - eps) < 5 * of_seeds.std() / np.sqrt(40) + of_seeds.var()
    assert (got.sampled.corrected_error**2).sum() < (got.absolute_error**2).sum()


def test_the_command_line_gives_the_same(command, saved, tmp_path):
    arrays = dict(zip(("queries", "keys", "values"), grouped(), strict=True))
    files = [text for name, array in arrays.items() for text in (f"--{name}", saved(name, array))]
    options = GROUPED | {"target_residual": 0.6, "error_bits": 64, "seed": 3}
    flags = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value) if text is not True]

    done = command("attend", *files, *flags, "--out", tmp_path / "out")
    got = sl.attend(*arrays.values(), **options)

    assert done.returncode == 0, done.stderr
    assert (np.load(tmp_path / "out" / "selected.npy") == got.selected).all()
    assert np.abs(np.load(tmp_path / "out" / "corrected.npy") - got.sampled.corrected).max() < rounding(3000)
    rows = [row["sampled"] for row in json.loads((tmp_path / "out" / "summary.json").read_text())["per_query"]]
    for name in COLUMNS:
        told = np.array([row[name] for row in rows])
        assert np.abs(told - getattr(got.sampled, name).ravel()).max() <= rounding(10000) * np.abs(told).max(), name
    assert (got.sampled.residual_weight_limit <= 0.6).all()


@pytest.mark.parametrize(("options", "line"), [
    ({"error_samples": 1}, "^error_samples: 1 given; allowed are whole numbers from 2"),
    ({"delta": 0.1}, "^delta is given"),
    ({"error_samples": 2, "delta": 0.5}, "^delta: 0.5 given; allowed are numbers above 0"),
    ({"target_residual": 0.1}, "^target_residual is given"),
    ({"error_samples": 2, "error_range": "norms", "error_bits": 8}, "^error_bits is given"),
    ({"error_samples": 2, "output_rule": "score-softmax"}, "error_samples: for output_rule exact-softmax"),
    ({"error_samples": 2, "profile": "hub"}, "error_samples: for profile paper"),
])  # fmt: skip
def test_bad_input_is_one_line(options, line):
    q, k, v = grouped()
    refused(ValueError, line, lambda: sl.attend(q, k, v, budget=20, **options))


def test_signs_of_one_dimension_are_refused():
    refused(ValueError, "dim 1: allowed are whole blocks", lambda: four_keys(error_samples=2, error_range="signs"))
