"""Are the predictions of docs/records/models_prediction.py those of the library, and its laws those of drawn rules?"""

import csv
import importlib
import math
import pathlib
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
pytest.importorskip("safetensors", reason="safetensors is not installed")

from socketlab.models import Sparse, rules  # noqa: E402

KEYS, DIM, BUDGET, DRAWS = 256, 64, 30, 400
SETTINGS = {
    "socket": Sparse(rule="socket", budget=BUDGET),
    "socket-value": Sparse(rule="socket", budget=BUDGET, value="norm"),
    "hamming": Sparse(rule="hamming", budget=BUDGET),
    "signed-norm-320": Sparse(rule="signed-orthogonal-norm", bits=320, budget=BUDGET),
}


@pytest.fixture(scope="module")
def predictor():
    sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "docs/records"))
    return importlib.import_module("models_prediction")


@pytest.fixture(scope="module")
def arrays():
    """q [DIM], k, v [KEYS, DIM]; every fourth key leans to the query, and values have several lengths."""
    random = np.random.default_rng(5)
    q, k, v = (random.standard_normal(shape) for shape in ((DIM,), (KEYS, DIM), (KEYS, DIM)))
    k[::4] += 0.4 * q
    return 1.5 * q, k, v * random.uniform(0.5, 1.5, (KEYS, 1))


def test_approximation_12_is_that_of_certify(predictor, arrays, command, saved, tmp_path):
    q, k, v = arrays
    given = [part for name, array in (("queries", q[None]), ("keys", k), ("values", v)) for part in (f"--{name}", saved(name, array))]  # fmt: skip
    done = command("certify", *given, "--budget", BUDGET, "--pairs", "none", "--out", tmp_path / "certified")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "certified/certificate.csv", newline="", encoding="utf-8") as file:
        said = {row["term"]: float(row["value"]) for row in csv.DictReader(file) if row["basis"] == "predicted"}
        file.seek(0)
        length = float(next(csv.DictReader(file))["dense_norm_value_units"])

    q, k, v = map(torch.from_numpy, arrays)
    chance = predictor.inclusion(*predictor.laws(SETTINGS["socket-value"], q, k, v), BUDGET)
    share = (k @ q / math.sqrt(DIM)).softmax(0)

    # Angles are interpolated, and signals averaged over 256 nodes: 1e-3 in a probability.
    assert float(1 - chance[share.topk(BUDGET).indices].mean()) == pytest.approx(said["missed-top"], abs=1e-3)
    assert float(((1 - chance) * share).sum()) == pytest.approx(said["missed-mass"], abs=1e-3)
    assert float(predictor.error_of(chance, share, v)) * length == pytest.approx(said["top-m"], rel=5e-3)
    other = predictor.inclusion(*predictor.laws(SETTINGS["socket"], q, k, v), BUDGET)
    assert (
        abs(float(1 - other[share.topk(BUDGET).indices].mean()) - said["missed-top"]) > 5e-3
    )  # without |v|: told apart


@pytest.mark.parametrize("name", SETTINGS)
def test_mean_and_deviation_of_a_score_are_those_of_draws(name, predictor, arrays):
    q, k, v = (torch.from_numpy(part) for part in arrays)
    given = [part.float()[None, None] for part in (q[None], k, v)]
    drawn = torch.stack(
        [rules.scores(SETTINGS[name], *given, 1.0, draw=draw)[0, 0, 0] for draw in range(DRAWS)]
    ).double()

    mean, deviation, skewness = predictor.laws(SETTINGS[name], q, k, v)
    if name == "signed-norm-320":  # the rule divides, so that its mean is q.k
        mean, deviation = k @ q, deviation * (k @ q / mean)
    elif name != "hamming":  # the rule adds up the tables, the law is of their mean
        mean, deviation = 60 * mean, 60 * deviation

    # 256 keys share their draws; five deviations of a mean, and of a deviation, which for a normal law is 1/sqrt(2 n).
    assert ((drawn.mean(0) - mean).abs() < 5 * deviation / math.sqrt(DRAWS)).all()
    assert ((drawn.std(0) / deviation - 1).abs() < 5 / math.sqrt(2 * DRAWS)).all()
    assert abs(float((drawn.std(0) / deviation).mean()) - 1) < 2 / math.sqrt(2 * DRAWS)
    assert (skewness.abs() < 0.5).all()  # beyond it three moments do not tell the law


def test_recall_of_a_gaussian_pair(predictor):
    for correlation in (0.0, 0.5, 0.9):
        wanted = 0.5 + math.asin(correlation) / math.pi  # Sheppard: of the upper half, as P(both) / (1/2)
        assert float(predictor.gaussian_recall(correlation, 0.5)) == pytest.approx(wanted, abs=1e-4)
    assert float(predictor.gaussian_recall(0.0, 0.03)) == pytest.approx(0.03)
    assert 0.5 < float(predictor.gaussian_recall(0.9, 0.03)) < 0.65 < float(predictor.gaussian_recall(0.95, 0.03))


def test_the_error_of_a_selection_that_is_sure_is_its_own(predictor):
    share, value = torch.tensor([0.5, 0.25, 0.25]).double(), torch.tensor([[1.0, 0], [0, 2], [0, -2]]).double()
    # y = (1/2, 0); of the first two keys it is (2/3, 2/3).
    found = predictor.error_of(torch.tensor([1.0, 1, 0]).double(), share, value)
    assert float(found) == pytest.approx(math.hypot(1 / 6, 2 / 3) / 0.5)
    assert float(predictor.error_of(torch.ones(3).double(), share, value)) == 0


def test_where_every_key_fits_nothing_is_lost(predictor, monkeypatch):
    monkeypatch.setattr(predictor, "SPARSITY", 1)
    monkeypatch.setattr(predictor, "RANKERS", ("socket", "hamming-centred"))
    monkeypatch.setattr(predictor, "DRAWS", 2)
    random = torch.Generator().manual_seed(2)
    q, k, v = (torch.randn(shape, generator=random) for shape in ((2, 2, DIM), (1, 300, DIM), (1, 300, DIM)))

    rows = predictor.of_layer(0, q, k, v, torch.tensor([290, 299]))

    named = [dict(zip(predictor.COLUMNS, row, strict=True)) for row in rows]
    assert [(row["ranker"], row["head"]) for row in named] == [
        ("socket", 0), ("socket", 1), ("hamming-centred", 0), ("hamming-centred", 1)
    ]  # fmt: skip
    for row in named:
        assert (float(row["recall"]), float(row["recall_predicted"])) == (1, pytest.approx(1, abs=1e-6)), row
        assert float(row["error"]) < 1e-5 > float(row["error_predicted"]), row
