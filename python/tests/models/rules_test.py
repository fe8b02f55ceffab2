"""Do the rules in PyTorch score as their definitions, by hand, and select the lists of the C++ core?"""

import math

import numpy as np
import pytest
import socketlab as sl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
from socketlab.models import rankers, rules  # noqa: E402
from socketlab.models.rules import draws, hashes, peers  # noqa: E402
from socketlab.models.settings import Sparse  # noqa: E402

DIM, KEYS, ROWS, BUDGET, SINK, WINDOW = 64, 300, 5, 20, 4, 9
TABLES, PLANES = 20, 6


@pytest.fixture(scope="module")
def arrays():
    """q [2, 5, 64], k and v [1, 300, 64] float32: two query heads on one KV head, keys with a mean."""
    random = np.random.default_rng(8)
    q, k, v = (random.standard_normal(shape) for shape in ((2, ROWS, DIM), (1, KEYS, DIM), (1, KEYS, DIM)))
    k = k + 2 * random.standard_normal(DIM)
    v = v * random.exponential(size=(1, KEYS, 1))
    return [part.astype(np.float32) for part in (q, k, v)]


def given(**more):
    return Sparse(**{"tables": TABLES, "planes": PLANES, "sink": SINK, "window": WINDOW, "budget": BUDGET} | more)


def ours(settings, arrays, **more):
    """(scores, mask) [2, 5, 300]."""
    q, k, v = (torch.from_numpy(part)[None] for part in arrays)
    found = rules.scores(settings, q, k, v, **more)
    return found[0], rules.select(settings, found)[0]


def lists(mask):
    return [sorted(row.nonzero().flatten().tolist()) for row in mask.flatten(0, 1)]


NAMED = {
    "socket": ({"rule": "socket"}, {"value_norm": False}),
    "socket, tau 0.1": ({"rule": "socket", "temperature": 0.1}, {"temperature": 0.1, "value_norm": False}),
    "socket, unscaled": ({"rule": "socket", "scaled": False}, {"scaling": "none", "value_norm": False}),
    "socket-value": ({"rule": "socket", "value": "norm"}, {}),
    "hamming": ({"rule": "hamming"}, {"ranker": "hamming", "value_norm": False}),
    "hamming-value": ({"rule": "hamming", "value": "norm"}, {"ranker": "hamming"}),
    "hard-lsh": ({"rule": "hard-lsh"}, {"ranker": "hard-lsh", "value_norm": False}),
    "hard-lsh-value": ({"rule": "hard-lsh", "value": "norm"}, {"ranker": "hard-lsh"}),
    "quest": ({"rule": "quest", "page": 4}, {"ranker": "quest"}),  # 512 bits a key, where dim is 64
    "quest-value": ({"rule": "quest", "page": 4, "value": "norm"}, {"ranker": "quest-value"}),
    "loki": ({"rule": "loki"}, {"ranker": "loki"}),
    "oracle-top-k": ({"rule": "oracle-top-k"}, {"ranker": "oracle-top-k"}),
    "oracle-top-k-value": ({"rule": "oracle-top-k", "value": "norm"}, {"ranker": "oracle-top-k-value"}),
    "cosine-oracle": ({"rule": "cosine-oracle"}, {"ranker": "cosine-oracle"}),
    "value-norm": ({"rule": "value-norm"}, {"ranker": "value-norm"}),
}


@pytest.mark.parametrize("name", NAMED)
def test_lists_are_those_of_the_core(name, arrays):
    settings, options = NAMED[name]
    settings = given(**settings)
    hashed = settings.rule in ("socket", "hamming", "hard-lsh")
    planes = draws.projections(settings, 0, DIM).reshape(TABLES, PLANES, DIM).double().numpy()
    more = {"hyperplanes": planes} if hashed else {}

    q, k, v = (part.astype(np.float64) for part in arrays)
    theirs = sl.attend(q, k, v, budget=BUDGET, sink=SINK, window=WINDOW, **more, **options)
    positions = torch.full((ROWS,), KEYS - 1)
    scores, mask = ours(settings, arrays, positions=positions, indexed=KEYS)
    mask = rules.select(settings, scores[None], positions)[0]

    expected = [sorted(row[row >= 0].tolist()) for row in theirs.selected.reshape(2 * ROWS, -1)]
    assert lists(mask) == expected
    lie = rules.select(
        settings, scores[None] + torch.rand(scores.shape, generator=torch.manual_seed(1)) * 1e3, positions
    )
    assert lists(lie[0]) != expected


def test_soft_scores_by_hand():
    # Query (1, .5), planes x and y: p = sigma(+-2 tanh(1)/(sqrt(2) tau)) sigma(+-2 tanh(.5)/(sqrt(2) tau)); 0 counts as +.
    a, b = (4 * math.tanh(x) / math.sqrt(2) for x in (1, 0.5))
    sigma = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731
    keys, query = torch.tensor([[[2.0, 1], [-1, 3], [1, -1], [0, 0]]]), torch.tensor([[[1, 0.5]]])
    settings = given(tables=1, planes=2)
    hashed = hashes.kept(settings, torch.eye(2), keys)

    found = hashes.scores(settings, torch.eye(2), query, hashed)[0, 0].tolist()

    expected = [sigma(a) * sigma(b), sigma(-a) * sigma(b), sigma(a) * sigma(-b), sigma(a) * sigma(b)]
    assert found == pytest.approx(expected, rel=1e-6)
    unscaled = hashes.scores(given(tables=1, planes=2, scaled=False), torch.eye(2), query, hashed)[0, 0, 0].item()
    assert unscaled == pytest.approx(sigma(math.sqrt(2) * a) * sigma(math.sqrt(2) * b), rel=1e-6)
    assert hashes.scores(given(rule="hard-lsh-latest", tables=1, planes=2), torch.eye(2), query, hashed)[0, 0].tolist() == [
        1, 0.25, 0.5, 1.75,
    ]  # fmt: skip


def test_signed_scores_by_hand():
    # Rows (1, 1), (1, -1): of the query (2, -1) 1 and 3, of the keys (3, 4), (-1, 0), (0, 0) signs +-, --, ++.
    rows, query = torch.tensor([[1.0, 1], [1, -1]]), torch.tensor([[[2.0, -1]]])
    keys = torch.tensor([[[3.0, 4], [-1, 0], [0, 0]]])
    kept = hashes.kept(given(rule="signed-orthogonal", bits=2), rows, keys)

    assert hashes.signed_scores(rows, query, keys, kept, norm=False)[0, 0].tolist() == [-2, -4, 4]
    gain = 2 * math.sqrt(2) / math.pi  # sqrt(2) times the mean |cos| in the plane
    found = hashes.signed_scores(rows, query, keys, kept, norm=True)[0, 0].tolist()
    assert found == pytest.approx([-2 * 5 / (2 * gain), -4 / (2 * gain), 0])


def test_many_signed_bits_estimate_the_logits(arrays):
    settings = given(rule="signed-orthogonal-norm", bits=20000)
    q, k, _ = (torch.from_numpy(part) for part in arrays)
    exact = q @ k[0].T / 8
    # Deviation of the mean of 20,000 projections: below |q| |k| sqrt(pi/2/20000) / 8; five of them, and bf16 of the rows.
    bound = (5 * math.sqrt(math.pi / 40000) + 2**-8) * q.norm(dim=-1, keepdim=True) * k[0].norm(dim=-1) / 8
    found = ours(settings, arrays)[0]
    seen = found > -torch.inf
    assert ((found - exact).abs() <= bound)[seen].all()
    assert not ((1.2 * found - exact).abs() <= bound)[seen].all()


def test_a_group_s_list_sums_the_weights_of_its_heads(arrays):
    """By its definition in NumPy, every normaliser; a list for each head is another."""
    q, k, _ = (part.astype(np.float64) for part in arrays)
    logits = q @ k[0].T / 8  # [2, 5, 300]
    seen = np.arange(KEYS) <= np.arange(KEYS - ROWS, KEYS)[:, None]
    weights = np.where(seen, np.exp(logits), 0)
    sums, most = weights.sum(-1, keepdims=True), weights.max(-1, keepdims=True)
    before = np.concatenate([sums[:, :1], sums[:, :-1]], axis=1)
    for normaliser, divisor in {"all-keys": sums, "largest": most, "none": 1, "step-before": before}.items():
        settings = given(rule="oracle-top-k", lists="kv-head", normaliser=normaliser)
        found = ours(settings, arrays)[0].double().numpy()
        assert (found[0] == found[1]).all()
        np.testing.assert_allclose(np.exp(found[0])[seen], (weights / divisor).sum(0)[seen], rtol=1e-4)
    largest = ours(given(rule="oracle-top-k", lists="kv-head", group="largest"), arrays)[0].double().numpy()
    np.testing.assert_allclose(np.exp(largest[0])[seen], (weights / sums).max(0)[seen], rtol=1e-4)
    mean = ours(given(rule="cosine-oracle", lists="kv-head", group="mean-query"), arrays)[0][0, -1].numpy()
    direction = q.mean(0)[-1]
    cosine = k[0] @ direction / np.linalg.norm(direction) / np.linalg.norm(k[0], axis=-1)
    np.testing.assert_allclose(mean, cosine, atol=1e-5)


def test_the_factor_of_the_value_by_its_definition(arrays):
    q, k, v = (part.astype(np.float64) for part in arrays)
    logits = (q @ k[0].T / 8)[:, -1]
    weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    output = weights @ v[0]
    away = np.linalg.norm(v[0] - output[:, None], axis=-1)
    found = ours(given(rule="oracle-top-k", value="distance"), arrays)[0][:, -1].numpy()
    np.testing.assert_allclose(found, logits + np.log(away), rtol=1e-4, atol=1e-4)
    estimated = ours(given(rule="oracle-top-k", value="estimated-distance"), arrays)[0][:, -1].numpy()
    np.testing.assert_allclose(estimated, found, atol=1e-4)  # the rule's own weights are the true ones
    by_norm = ours(given(rule="oracle-top-k", value="norm"), arrays)[0][:, -1].numpy()
    assert np.abs(by_norm - found).max() > 0.1


def test_a_calibrated_score_of_powers_of_the_weights_gives_the_weights(arrays):
    """Scores that are the weights to the power 0.1 are calibrated by the power 10."""
    q, k, v = (torch.from_numpy(part)[None] for part in arrays)
    seen = rules.visible(torch.arange(KEYS - ROWS, KEYS), KEYS)
    logits = q[0] @ k[0, 0].T / 8
    settings = given(value="calibrated")
    found = rules._with_value(settings, (0.1 * logits).exp()[None], q, k[0], v[0], seen, 0.125)[0]
    expected = logits + v[0, 0].norm(dim=-1).log()
    off = (found - expected).masked_fill(~seen, 0)
    torch.testing.assert_close(
        off, (off.sum(-1, keepdim=True) / seen.sum(-1, keepdim=True)).expand_as(off) * seen, atol=1e-3, rtol=0
    )


def test_top_p_takes_the_fewest_keys_that_hold_the_weight(arrays):
    settings = Sparse(rule="oracle-top-k", top_p=0.9, sink=SINK, window=WINDOW)
    scores, mask = ours(settings, arrays)
    weights = scores.softmax(-1)
    held = (weights * mask).sum(-1)
    chosen = mask & ~rules.always(settings, torch.arange(KEYS - ROWS, KEYS), KEYS)
    least = weights.masked_fill(~chosen, math.inf).amin(-1)
    assert (held >= 0.9 - 1e-6).all()
    assert (held - least < 0.9).all()


def test_ties_go_to_the_lower_index_and_a_later_key_is_never_taken():
    scores = torch.tensor([[[[1.0, 5, 5, 5, 2, 9]]]])
    assert rules.best(scores, 2)[0, 0, 0].tolist() == [False, True, False, False, False, True]
    settings = given(budget=2, sink=1, window=1)
    positions = torch.tensor([4])
    masked = scores.masked_fill(~rules.visible(positions, 6), -math.inf)
    assert lists(rules.select(settings, masked, positions)[0]) == [[0, 1, 2, 4]]


def test_rows_of_one_pass_are_those_of_steps(arrays):
    """Each row alone, over its own keys, selects what it selects among others."""
    q, k, v = (torch.from_numpy(part)[None] for part in arrays)
    for name in ("socket-value", "hamming-centred", "quest-4", "loki", "pqcache", "random", "group-signed-160"):
        settings = rankers.settings_of(name, 12, sink=SINK, window=WINDOW)
        together = rules.select(settings, rules.scores(settings, q, k, v, indexed=KEYS - ROWS))
        for row in range(ROWS):
            last = KEYS - ROWS + row + 1
            own = (q[:, :, row : row + 1], k[:, :, :last], v[:, :, :last])
            alone = rules.select(settings, rules.scores(settings, *own, indexed=KEYS - ROWS))
            assert torch.equal(together[:, :, row, :last], alone[:, :, 0]), (name, row)
            assert not together[:, :, row, last:].any()


def test_quest_bounds_q_k_and_pages_of_one_key_are_q_k(arrays):
    q, k = (torch.from_numpy(part) for part in arrays[:2])
    q = q[:1]
    products = q @ k.mT
    assert (peers.quest(q, k, 7) >= products - 1e-4).all()
    torch.testing.assert_close(peers.quest(q, k, 1), products, rtol=1e-4, atol=1e-4)


def test_a_draw_depends_on_its_address_alone():
    first = draws.projections(given(), 3, DIM, draw=5)
    assert torch.equal(first, draws.projections(given(budget=7), 3, DIM, draw=5))
    for other in ((given(), 4, 5), (given(), 3, 6), (given(seed=2), 3, 5)):
        assert not torch.equal(first, draws.projections(other[0], other[1], DIM, draw=other[2]))
    rows = draws.rotations(np.random.default_rng(1), 100, DIM)
    np.testing.assert_allclose(rows[:DIM] @ rows[:DIM].T, DIM * np.eye(DIM), atol=1e-9)


def test_uniforms_are_uniform():
    found = draws.uniforms(4, torch.arange(500, 540), 500, 1, 0, 1).flatten().double().sort().values
    # 80,000 numbers: the largest distance to the uniform law is below 1.95/sqrt(n) with probability 0.999 (Kolmogorov).
    assert (found - (torch.arange(80000) + 0.5) / 80000).abs().max() < 1.95 / math.sqrt(80000) + 1 / 80000


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"rule": "sockets"}, "rule sockets: allowed are socket, hamming"),
        ({"sparsity": 3}, "budget, sparsity and top_p 2 given: allowed are exactly one"),
        ({"budget": None}, "0 given"),
        ({"planes": 17}, "planes 17: allowed are whole numbers from 1 to 16"),
        ({"temperature": math.nan}, "temperature nan: allowed are numbers above 0"),
        ({"rule": "quest", "page": 10, "window": 9}, "page 10: allowed are up to the window of 9 keys"),
        ({"rule": "cosine-oracle", "lists": "kv-head"}, "group sum: allowed are with rule cosine-oracle: largest"),
        ({"rule": "hamming", "scaled": False}, "scaled False"),
        ({"rule": "oracle-top-k", "value": "calibrated"}, "value calibrated: .* norm"),
    ],
)
def test_settings_refuse_in_one_line(fields, line):
    with pytest.raises(ValueError, match=line) as raised:
        given(**fields)
    assert "\n" not in str(raised.value)


def test_every_name_has_settings():
    for name in rankers.NAMES[1:]:
        settings = rankers.settings_of(name, 33, group=3)
        assert settings.places(3300) == (
            None if settings.top_p else 0 if settings.budget == 0 else 300 if name.endswith("-long") else 100
        )
    with pytest.raises(ValueError, match="ranker nobody: allowed are dense, socket"):
        rankers.settings_of("nobody", 33)
