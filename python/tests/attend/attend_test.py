"""attend against the command line on the same arrays, and what it prints."""

import csv
import json
import math

import numpy as np
import pytest
import socketlab as sl
from conftest import refused, rounding

NUMBERS = (
    "absolute_error", "relative_error", "residual_weight", "snr", "context_divergence", "recall", "recall_failure",
)  # fmt: skip


def four_keys():
    """Softmax masses 1/10 to 4/10; the values are 5, 1, -2 and 3, so that dense attention gives 1.3."""
    k = 1 + np.log([[1.0], [2.0], [3.0], [4.0]])
    return np.ones(1), k, np.array([[5.0], [1.0], [-2.0], [3.0]])


def test_without_the_value_norm_the_lower_of_two_equal_keys_is_selected():
    q, k, v = four_keys()
    given = {"budget": 2, "hyperplanes": np.ones((1, 1, 1)), "ranker": "hard-lsh"}
    got = sl.attend(q, k, v, value_norm=False, **given)
    assert got.scores.tolist() == [1, 1, 1, 1]  # every key collides
    assert got.selected.tolist() == [0, 1]
    refused(
        ValueError,
        "^no_value_norm is given, which ranker quest",
        lambda: sl.attend(q, k, v, budget=2, ranker="quest", value_norm=False),
    )


def test_the_rankers_of_choose_by_a_second_route():
    """Quest by NumPy, with 4 keys a page (two corners of 64 half-precision numbers are 512 bits a key), dot products, and
    SOCKET from its own codes.
    """
    random = np.random.default_rng(5)
    q, k, v = (random.standard_normal(shape) for shape in ((4, 3, 64), (2, 50, 64), (2, 50, 4)))
    given = {"budget": 7, "sink": 2, "causal": True}
    seen = 50 - 3 + 1 + np.tile(np.arange(3), 4).reshape(4, 3, 1) > np.arange(50)
    norms = np.repeat(np.linalg.norm(v, axis=2), 2, axis=0)[:, None]
    corners = [[k[:, at : at + 4].min(1), k[:, at : at + 4].max(1)] for at in range(0, 50, 4)]
    low, high = np.repeat(np.moveaxis(corners, 0, 2), 2, axis=1)[:, :, None]  # [4, 1, pages, 64]
    bound = np.maximum(low * q[:, :, None], high * q[:, :, None]).sum(-1)
    quest = np.repeat(bound, 4, axis=2)[..., :50]
    dots = q @ np.repeat(k, 2, axis=0).transpose(0, 2, 1)
    for ranker, wanted in (
        ("quest", quest),
        ("oracle-top-k", dots),
        ("oracle-top-k-value", dots / 8 + np.log(norms)),
        ("value-norm", np.broadcast_to(norms, dots.shape)),
    ):
        got = sl.attend(q, k, v, ranker=ranker, **given)
        near = rounding(200) * np.abs(wanted).max()
        np.testing.assert_allclose(got.scores[seen], wanted[seen], rtol=0, atol=near, err_msg=ranker)
        assert np.isneginf(got.scores[~seen]).all()
        best = np.argsort(-np.where(seen, got.scores, -np.inf)[..., 2:], axis=2, kind="stable")[..., :7] + 2
        assert (got.selected == np.concatenate([np.broadcast_to([0, 1], (4, 3, 2)), best], axis=2)).all(), ranker
    socket = {"tables": 5, "planes": 3, **given}
    assert (sl.attend(q, k, v, **socket).scores == sl.attend(q, k, v, ranker="socket-value", **socket).scores).all()
    chosen = sl.choose(q, k, v, rankers=["pqcache"], budgets=[7], sink=2, causal=True)
    mass = 1 - sl.attend(q, k, v, ranker="pqcache", **given).residual_weight
    np.testing.assert_allclose(chosen.queries["mass"], mass.ravel(), rtol=rounding(200))
    refused(
        ValueError,
        "^tables, planes, .*: not used by ranker quest",
        lambda: sl.attend(q, k, v, ranker="quest", **socket),
    )


def test_print_shows_the_means_and_a_row_for_each_query():
    q, k, v = four_keys()
    given = {"budget": 2, "hyperplanes": np.ones((1, 1, 1)), "ranker": "hard-lsh"}
    lines = repr(sl.attend(q, k, v, **given)).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["query", "head", "allowed", "selected", "residual", "weight", "relative", "error", "recall"],
        ["0", "0", "4", "2", "0.5", "1.615", "0.5"],  # 2.1 of 1.3
    ]
    many = sl.attend(np.ones((40, 1)), k, v, **given)
    assert len(repr(many).splitlines()) == 25
    assert repr(many).splitlines()[-1] == "  .. and 18 more rows"
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = many.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["relative_error"].tolist() == many.relative_error.tolist()
    assert frame["selected"].tolist() == [2] * 40


def test_a_mask_that_allows_nothing_leaves_no_error():
    q, k, v = four_keys()
    got = sl.attend(q, k, v, budget=2, planes=1, tables=1, mask=np.zeros(4, bool))
    assert got.selected.tolist() == [-1, -1]
    assert got.output.tolist() == [0]
    assert np.isnan(got.absolute_error)
    assert got.allowed == 0


def made(kind):
    rng = np.random.default_rng(5)
    shapes = {"q": (4, 3, 16), "k": (2, 300, 16), "v": (2, 300, 8)}
    return {name: rng.standard_normal(shape).astype(kind) for name, shape in shapes.items()}


CASES = {
    "paper": ({"budget": 0.1, "sink": 4, "window": 16}, np.float64),
    "causal, half": ({"budget": 20, "causal": True}, np.float16),
    "single precision": ({"budget": 20, "precision": "f32", "output_rule": "score-softmax"}, np.float32),
    "hamming, none": ({"budget": 20, "ranker": "hamming", "scaling": "none", "temperature": 0.3}, np.float32),
    "gpt-fast": ({"budget": 30, "profile": "gpt-fast", "sink": 4, "window": 8}, np.float32),
    "hub": ({"budget": 30, "profile": "hub", "sink": 4, "window": 8}, np.float32),
}


@pytest.mark.parametrize("case", CASES)
def test_the_command_line_gives_the_same(command, saved, tmp_path, case):
    options, kind = CASES[case]
    arrays = made(kind)
    mask = np.arange(300) % 7 != 3 if case == "paper" else None
    flags = []
    for name, value in options.items():
        flags += [f"--{name.replace('_', '-')}"] if value is True else [f"--{name.replace('_', '-')}", value]
    if mask is not None:
        flags += ["--mask", saved("m", mask)]
    files = [text for name, flag in zip("qkv", ("queries", "keys", "values"), strict=True)
             for text in (f"--{flag}", saved(name, arrays[name]))]  # fmt: skip

    done = command("attend", *files, *flags, "--tables", 12, "--planes", 6, "--seed", 7, "--out", tmp_path / "out")
    got = sl.attend(arrays["q"], arrays["k"], arrays["v"], mask=mask, tables=12, planes=6, seed=7, **options)

    assert done.returncode == 0, done.stderr
    told = {name: np.load(tmp_path / "out" / f"{name}.npy") for name in ("scores", "selected", "output")}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())["per_query"]
    assert (got.selected == told["selected"]).all()
    # Scores: 12 tables of 6 planes over projections of 16 terms, whose logits are at most 2/tau = 7 times as steep.
    # Profiles of single precision round the same doubles, once more or less by half a unit of their type.
    unit = 2**-7 if case in ("gpt-fast", "hub") else 2**-23 if "precision" in options else rounding(100)
    finite = np.isfinite(told["scores"])
    assert (finite == np.isfinite(got.scores)).all()
    assert np.abs(got.scores[finite] - told["scores"][finite]).max() <= 8 * unit * np.abs(told["scores"][finite]).max()
    size = np.abs(arrays["v"].astype(float)).max()
    assert np.abs(got.output - told["output"]).max() <= 8 * max(unit, rounding(400)) * size
    for name in NUMBERS:
        of_command = np.array([math.nan if row[name] is None else row[name] for row in summary])
        mine = getattr(got, name).reshape(-1)
        assert (np.isnan(of_command) == np.isnan(mine)).all(), name
        with np.errstate(invalid="ignore"):
            gap = np.nan_to_num(np.abs(mine - of_command) / np.maximum(1, np.abs(of_command)))
        assert gap.max() <= 64 * max(unit, rounding(400)) * size, name
    assert got.head.reshape(-1).tolist() == [row["head"] for row in summary]
    assert got.count.reshape(-1).tolist() == [row["selected"] for row in summary]


def test_the_curves_are_those_of_the_file(command, saved, tmp_path):
    arrays = made(np.float64)
    flags = [
        "--queries", saved("q", arrays["q"]), "--keys", saved("k", arrays["k"]), "--values", saved("v", arrays["v"]),
    ]  # fmt: skip
    command("attend", *flags, "--tables", 12, "--planes", 6, "--budget", 20, "--out", tmp_path / "out")
    got = sl.attend(arrays["q"], arrays["k"], arrays["v"], tables=12, planes=6, budget=20).curves
    rows = list(csv.DictReader((tmp_path / "out" / "attend_curves.csv").open()))
    assert list(got) == list(rows[0])
    assert got["ranking"] == [row["ranking"] for row in rows]
    for name in ("keys_mean", "residual_weight_mean", "relative_error_mean"):
        of_command = np.array([float(row[name]) for row in rows])
        assert np.abs(np.array(got[name]) - of_command).max() <= rounding(3000) * np.abs(of_command).max()


def test_a_refusal_is_the_command_s_line(command, saved, tmp_path):
    q, k, v = four_keys()
    files = ["--queries", saved("q", q), "--keys", saved("k", k), "--values", saved("v", v)]
    for options in ({"profile": "nowhere"}, {}, {"budget": 2, "temperature": -1.0}, {"budget": 1.5}):
        flags = [text for name, value in options.items() for text in (f"--{name}", value)]
        done = command("attend", *files, *flags, "--out", tmp_path / "out")
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            sl.attend(q, k, v, **options)
        assert str(refused.value) in done.stderr.replace("--", "")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"k": np.full((4, 1), np.inf)}, r"^k: element \[0, 0\] is inf"),
        ({"corners": np.ones((2, 1))}, "^corners: for profile gpt-fast"),
    ],
)
def test_bad_input_is_one_line(change, line):
    q, k, v = four_keys()
    given = {"q": q, "k": k, "v": v, "budget": 2, **change}
    refused(ValueError, line, lambda: sl.attend(**given))


def test_a_budget_is_a_count_or_as_a_float_a_fraction():
    q, k, v = four_keys()
    for budget, selected in ((1, 1), (np.int64(3), 3), (0.5, 2), (np.float32(0.75), 3), (1.0, 4), (0, 0), (0.0, 0)):
        assert sl.attend(q, k, v, budget=budget, tables=1, planes=1).count == selected
    with pytest.raises(ValueError, match=r"^budget 0.00001: less than one of 4 keys"):
        sl.attend(q, k, v, budget=1e-5)


# What a sample of the keys outside the list says.
SAMPLED = ("residual_weight", "residual_weight_limit", "residual_weight_nominal_limit", "error", "error_limit",
           "corrected_error", "read", "stages")  # fmt: skip


def of_four_keys(**options):
    """The keys rank 0, 3, 2, 1."""
    q, k, v = four_keys()
    one = {"budget": 2, "hyperplanes": np.ones((1, 1, 1)), "ranker": "hard-lsh", "error_range": "norms"}
    return sl.attend(q, k, v, **one | options)


def test_a_rest_of_two_keys_is_read_whole():
    sampled = of_four_keys(error_samples=2).sampled

    assert [float(getattr(sampled, name)) for name in SAMPLED[:3]] == pytest.approx([0.5] * 3, abs=rounding(20))
    assert float(sampled.corrected[0]) == pytest.approx(1.3, abs=rounding(100))
    assert float(sampled.error) == float(sampled.error_limit) == pytest.approx(2.1, abs=rounding(100))
    assert (sampled.read, sampled.stages) == (2, 1)
    q, k, v = grouped()
    assert sl.attend(q, k, v, budget=20, ranker="quest").sampled is None


def test_a_list_grows_until_it_is_certified():
    got = of_four_keys(error_samples=2, target_residual=0.25)
    assert got.selected.tolist() == [0, 3, 2, -1]  # a residual weight of .5, then of .2
    assert float(got.sampled.residual_weight_limit) == pytest.approx(0.2, abs=rounding(20))
    assert float(got.residual_weight) == pytest.approx(0.2, abs=rounding(20))
    assert (got.sampled.read, got.sampled.stages) == (3, 2)

    dense = of_four_keys(error_samples=2, target_residual=0.1)
    assert sorted(dense.selected.tolist()) == [0, 1, 2, 3]
    assert float(dense.sampled.residual_weight_limit) == 0


def test_a_query_without_a_key_has_no_sample():
    sampled = of_four_keys(budget=0, error_samples=2).sampled
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


def test_the_command_line_samples_the_same(command, saved, tmp_path):
    arrays = dict(zip(("queries", "keys", "values"), grouped(), strict=True))
    files = [text for name, array in arrays.items() for text in (f"--{name}", saved(name, array))]
    options = GROUPED | {"target_residual": 0.6, "error_bits": 64, "seed": 3}
    flags = [
        text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value) if text is not True
    ]

    done = command("attend", *files, *flags, "--out", tmp_path / "out")
    got = sl.attend(*arrays.values(), **options)

    assert done.returncode == 0, done.stderr
    assert (np.load(tmp_path / "out" / "selected.npy") == got.selected).all()
    assert np.abs(np.load(tmp_path / "out" / "corrected.npy") - got.sampled.corrected).max() < rounding(3000)
    rows = [row["sampled"] for row in json.loads((tmp_path / "out" / "summary.json").read_text())["per_query"]]
    for name in SAMPLED:
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
def test_a_sample_that_cannot_be_is_refused(options, line):
    q, k, v = grouped()
    refused(ValueError, line, lambda: sl.attend(q, k, v, budget=20, **options))


def test_signs_of_one_dimension_are_refused():
    refused(ValueError, "dim 1: allowed are whole blocks", lambda: of_four_keys(error_samples=2, error_range="signs"))
