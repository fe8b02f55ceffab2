"""Do limits of the rest hold, and are its samples what a kernel would draw?"""

import dataclasses
import math
import statistics

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
from socketlab.models import residual, rest, rules, texts  # noqa: E402
from socketlab.models.attention import Seen  # noqa: E402
from socketlab.models.rules import draws, hashes  # noqa: E402
from socketlab.models.settings import Sparse  # noqa: E402

DIM, KEYS, ROWS = 64, 300, 400
SETTINGS = Sparse(rule="signed-orthogonal-norm", bits=320, sink=4, window=8, budget=20)


def chance_of(failures, count, share):
    """P(X >= failures) of a binomial."""
    below = [math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * math.log(share)
             + (count - k) * math.log1p(-share) for k in range(failures)]  # fmt: skip
    return 1 - math.fsum(map(math.exp, below))


def seen_of(query, key, value=None, **more):
    """A layer that attends densely: query [heads, rows, dim], key [kv heads, keys, dim], all keys seen by every row."""
    query, key = (torch.as_tensor(part, dtype=torch.float32)[None] for part in (query, key))
    value = key if value is None else torch.as_tensor(value, dtype=torch.float32)[None]
    positions = torch.arange(query.shape[2]) + key.shape[2]
    logits = rules.logits_of(query, key, DIM**-0.5, positions)
    whole = {"layer": 1, "scaling": DIM**-0.5, "positions": positions, "logits": logits}
    return Seen(query=query, key=key, value=value, selected=torch.ones_like(logits, dtype=torch.bool), **whole | more)


@pytest.fixture(scope="module")
def hostile():
    """400 rows of one query, keys with a mean in common; key 30 has most of the weight that is not listed."""
    random = np.random.default_rng(3)
    query, key = random.standard_normal(DIM), random.standard_normal((KEYS, DIM)) + 0.8 * random.standard_normal(DIM)
    key[30] = key[30] + 0.6 * query
    seen = seen_of(np.tile(1.5 * query, (1, ROWS, 1)), key[None])
    selected = torch.zeros_like(seen.selected)
    selected[..., :4] = selected[..., 290:] = True
    return seen, selected


def test_the_radius_of_the_estimated_cosine():
    cosine, refuted = rest.refuting(512, 64, math.log(4096 / 0.005))
    assert float((cosine - refuted)[512]) == pytest.approx(0.18, abs=0.005)  # docs/bounds/residual.md, at cosine 0
    # Against 20,000 draws of one block at cosine 0: the radius is exceeded with probability e^-2 at most.
    random = np.random.default_rng(4)
    rotated = random.standard_normal((20000, 2, 64))
    u, h = rotated[:, 0], rotated[:, 1]
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    h -= (h * u).sum(-1, keepdims=True) * u
    h /= np.linalg.norm(h, axis=-1, keepdims=True)
    found = (np.sign(u) * 8 * h).sum(-1) / (64 * hashes.orthogonal_gain(64))
    cosine, refuted = rest.refuting(64, 64, 2.0)
    below = np.mean(found < float(refuted[512]))
    assert 0.01 < below < math.exp(-2)
    assert np.mean(found < float(refuted[512]) / 2) > math.exp(-2)  # the lie: half of it


def test_a_sample_by_hand(hostile):
    seen, selected = hostile
    by = rest.estimated(SETTINGS, seen)
    own = rest.Rest(by, seen, selected, 40, draw=2, step=3)
    words = draws.words(1, seen.positions, KEYS, SETTINGS.seed, 1, 2, 3)
    row = 7
    weight = np.exp(by.scores[0, 0, row].double().numpy())
    outside = [j for j in range(KEYS) if 4 <= j < 290]
    unit = weight[outside].sum() / 40
    chance = {j: math.ceil(min(1.0, weight[j] / unit) * 2**32) / 2**32 for j in outside}
    drawn = [j for j in outside if int(words[0, row, j]) < chance[j] * 2**32]
    logit = seen.logits[0, 0, row].double().numpy()
    f = np.exp(logit - max(logit[j] for j in range(KEYS) if j not in outside))
    listed = sum(f[j] for j in range(KEYS) if j not in outside)
    estimate = sum(f[j] / chance[j] for j in drawn)
    assert own.drawn[0, 0, row].nonzero().flatten().tolist() == drawn
    assert float(own.estimate()[0, 0, row]) == pytest.approx(estimate / (listed + estimate), rel=1e-6)

    least = (by.scores.double() - own.log_unit).exp().clamp(max=1)
    assert (own.chance >= least)[own.rest].all()  # rounded up: none is below its range, and none is 0
    assert (own.chance < least + 2.0**-31)[own.rest].all()

    delta = 0.05
    ceiling = by.ceilings(0.1 * delta)[0, 0, row].numpy()
    largest = max(math.exp(ceiling[j] - logit[[k for k in range(KEYS) if k not in outside]].max()) / chance[j]
                  for j in outside if chance[j] < 1)  # fmt: skip
    random = [f[j] / chance[j] for j in drawn if chance[j] < 1]
    limit = min(
        (math.log(2 / (0.9 * delta)) - sum(math.log(1 - bet * x / largest) for x in random)) * largest / bet
        for bet in (0.8, 0.2)
    )
    limit += sum(f[j] for j in drawn if chance[j] == 1)
    assert float(own.limit("keys", delta)[0, 0, row]) == pytest.approx(limit / (listed + limit), rel=1e-6)
    spread = math.sqrt(sum((f[j] / chance[j]) ** 2 * (1 - chance[j]) for j in drawn))
    nominal = estimate + statistics.NormalDist().inv_cdf(1 - delta) * spread
    assert float(own.limit("nominal", delta)[0, 0, row]) == pytest.approx(nominal / (listed + nominal), rel=1e-6)

    value = seen.value[0, 0].double().numpy()
    kept = [j for j in range(KEYS) if j not in outside]
    moved = sum(f[j] * value[j] for j in kept) + sum(f[j] / chance[j] * value[j] for j in drawn)
    np.testing.assert_allclose(own.corrected(seen.value)[0, 0, row], moved / (listed + estimate), rtol=1e-4, atol=1e-5)


def test_ceilings_the_slack_and_the_limit_of_a_row_by_hand(hostile):
    seen, selected = hostile
    by, row, delta = rest.estimated(SETTINGS, seen), 7, 0.05
    query, key = seen.query[0, 0, row].double().numpy(), seen.key[0, 0].double().numpy()
    length = np.linalg.norm(query) * np.linalg.norm(key, axis=-1) / 8  # sqrt(64)
    score = by.scores[0, 0, row].double().numpy()  # log w_j: of a list for a head the estimated logit
    np.testing.assert_allclose(by.length[0, 0, row], length, rtol=1e-5)
    np.testing.assert_allclose(by.longest[0, 0, row], length, rtol=1e-5)  # no centre

    level = math.log(KEYS / (0.1 * delta))
    cosine, refuted = (part.numpy() for part in rest.refuting(320, 64, level))
    # The largest cosine of the grid that a key's estimate does not refute, or the next one.
    largest = np.array([max(c for c, r in zip(cosine, refuted, strict=True) if r <= estimate)
                        for estimate in score / length])  # fmt: skip
    ceiling, step = by.ceilings(0.1 * delta)[0, 0, row].numpy(), 2 / 1024
    assert (ceiling > np.minimum(length * largest, length) - 1e-4).all()
    assert (ceiling < np.minimum(length * (largest + step), length) + 1e-4).all()
    slack = length.max() * (cosine - refuted).max()
    assert float(by.slack(0.1 * delta)[0, 0, row]) == pytest.approx(slack, rel=1e-5)

    own = rest.Rest(by, seen, selected, 40, draw=2, step=3)
    outside = np.arange(4, 290)
    logit = seen.logits[0, 0, row].double().numpy()
    m, unit = np.delete(logit, outside).max(), np.exp(score[outside]).sum() / 40
    f, chance = np.exp(logit - m), own.chance[0, 0, row].numpy()
    drawn = own.drawn[0, 0, row].nonzero().flatten().numpy()
    bound = unit * math.exp(slack - m)  # f/pi <= e^(log w + slack - m) / (w / unit)
    shares = [f[j] / chance[j] / bound for j in drawn if chance[j] < 1]
    bets = [(math.log(2 / (0.9 * delta)) - sum(math.log1p(-bet * x) for x in shares)) / bet for bet in (0.8, 0.2)]
    limit = bound * min(bets) + sum(f[j] for j in drawn if chance[j] == 1)
    listed = np.delete(f, outside).sum()
    assert float(own.limit("row", delta)[0, 0, row]) == pytest.approx(limit / (listed + limit), rel=1e-4)


def test_the_estimate_has_no_bias_and_its_exact_variance(hostile):
    seen, selected = hostile
    own = rest.Rest(rest.estimated(SETTINGS, seen), seen, selected, 40)
    weights = (seen.logits.double() - own.largest).exp()[0, 0, 0]
    chance = own.chance[0, 0, 0]
    outside = own.rest[0, 0, 0]
    variance = float((weights**2 * (1 - chance) / chance)[outside].sum())
    found = own._sum(own.read)[0, 0]
    error = math.sqrt(variance / ROWS)
    assert abs(float(found.mean() - own.true[0, 0, 0])) < 4 * error
    assert (
        abs(float(own._sum(own.read * own.share)[0, 0].mean() - own.true[0, 0, 0])) > 4 * error
    )  # the lie: pi left out


@pytest.mark.parametrize("centred", [False, True])
def test_limits_hold_and_others_do_not(hostile, centred):
    seen, selected = hostile
    failed, count, delta = dict.fromkeys((*rest.LIMITS, "estimate"), 0), 0, 0.05
    for draw in range(5):
        by = rest.estimated(dataclasses.replace(SETTINGS, centred=centred), seen, draw)
        own = rest.Rest(by, seen, selected, 16, draw=draw)
        drawn = rest.Rest(by, seen, selected, 16, draw=draw, delta=delta)
        true = own.residual()
        for name in rest.LIMITS:
            limit = (drawn if name == rest.CEILINGS else own).limit(name, delta)
            failed[name] += int((limit < true * (1 - 1e-9)).sum())
        failed["estimate"] += int((own.estimate() < true).sum())
        count += ROWS
    for name in (*rest.RANGES, rest.CEILINGS):  # at 1 - delta, by the exact binomial
        assert chance_of(failed[name], count, delta) > 1e-3, (name, failed)
    assert chance_of(failed["estimate"], count, delta) < 1e-6  # the lie: no margin at all
    assert 0 < float(own.limit("exact", delta).median()) < 1  # and the limit says something where the range is known


def test_ceilings_lie_above_logits_and_estimates_do_not(hostile):
    seen, _ = hostile
    above = {}
    for centred in (False, True):
        above[centred] = [0, 0, 0]
        for draw in range(40):
            by = rest.estimated(dataclasses.replace(SETTINGS, centred=centred), seen, draw)
            logits = seen.logits[0, 0, 0].double()
            scores = (by.scores.double() + by.offset)[0, 0, 0]
            above[centred][0] += bool((logits > by.ceilings(0.05)[0, 0, 0] + 1e-5).any())
            above[centred][1] += bool((logits > scores + by.slack(0.05)[0, 0, 0]).any())
            above[centred][2] += bool((logits > scores).any())
        assert chance_of(above[centred][0], 40, 0.05) > 1e-3 and above[centred][1] <= above[centred][0] + 2
        assert above[centred][2] == 40
    widths = [rest.estimated(dataclasses.replace(SETTINGS, centred=c), seen).slack(0.05).mean() for c in (False, True)]
    assert widths[1] < widths[0]


def test_the_heads_of_a_list_share_its_sample_within_their_ranges():
    random = np.random.default_rng(6)
    seen = seen_of(random.standard_normal((4, 8, DIM)), random.standard_normal((2, KEYS, DIM)) + 0.5)
    for centred in (False, True):
        settings = dataclasses.replace(SETTINGS, lists="kv-head", centred=centred)
        by, alone = (rest.estimated(s, seen) for s in (settings, dataclasses.replace(settings, lists="head")))
        selected = rules.select(settings, by.scores, seen.positions)
        assert (alone.scores + alone.shared <= by.scores + by.offset + 1e-5).all()
        assert not (alone.scores + alone.shared <= by.scores + by.offset - 0.05).all()
        for delta in (None, 0.05):
            own = rest.Rest(by, seen, selected, 60, delta=delta)
            pairs = own.drawn[0].unflatten(0, (2, 2))
            assert torch.equal(pairs[:, 0], pairs[:, 1]) and not torch.equal(pairs[0, 0], pairs[1, 0])
            assert (own.limit("keys", 0.05) >= own.residual()).all()


def test_other_rules_are_refused():
    seen = seen_of(np.ones((1, 1, DIM)), np.ones((1, 9, DIM)))
    for more in ({"bits": 300}, {"rule": "signed-orthogonal"}, {"lists": "kv-head", "normaliser": "none"}):
        with pytest.raises(ValueError, match="allowed are signed-orthogonal-norm of a multiple of 64 bits"):
            rest.estimated(dataclasses.replace(SETTINGS, **more), seen)


def test_growth_ends_at_its_target_and_barred_keys_stay_out():
    random = np.random.default_rng(7)
    seen = seen_of(random.standard_normal((2, 6, DIM)), random.standard_normal((1, KEYS, DIM)))
    seen = dataclasses.replace(
        seen, selected=rules.select(SETTINGS, rest.estimated(SETTINGS, seen).scores, seen.positions)
    )
    dense = rules.attend(seen.logits, seen.value)
    least, most, between = (residual.Step(SETTINGS, 0, ("exact",), target=target) for target in (1.0, 0.0, 0.3))
    short, whole = least(seen), most(seen)
    between(seen)
    assert least.stacked("left").min() > 0.05
    assert least.stacked("read").min() > 32 and least.stacked("read").max() < 32 + 12 + 128 + 45
    torch.testing.assert_close(whole, dense)
    assert not torch.allclose(short, dense, atol=0.01)
    assert most.stacked("left").max() < 1e-6 and most.stacked("read").max() == KEYS
    assert 0 < between.stacked("left").max() <= 0.3
    # No list is shorter than the first budget whose keys have 0.7 by estimated weights, beside the 12 that are always there.
    weights = rest.estimated(SETTINGS, seen).scores[0].softmax(-1).numpy()
    chosen = rules.always(SETTINGS, seen.positions, KEYS).numpy()
    best = np.sort(np.where(chosen, 0, weights))[..., ::-1].cumsum(-1) + (weights * chosen).sum(-1, keepdims=True)
    least_budget = [
        [next((n for n in residual.STAGES if n <= KEYS and row[n - 1] >= 0.7), KEYS) for row in head] for head in best
    ]
    assert (between.stacked("read")[0] >= np.minimum(np.array(least_budget) + 12, KEYS)).all()
    assert np.min(least_budget) > residual.STAGES[0]

    needle = torch.tensor([0, 5])  # key 0 is always listed
    kept, barred = (residual.Step(SETTINGS, 0, ("nominal",), needle=needle, bar=bar) for bar in (False, True))
    assert kept(seen) is None
    without = seen.selected.clone()
    without[..., needle] = False
    torch.testing.assert_close(barred(seen), rules.attend(seen.logits, seen.value, without))
    mass = seen.logits.softmax(-1)[0][..., needle]
    np.testing.assert_allclose(barred.stacked("missed")[0], mass.sum(-1), rtol=1e-5)
    np.testing.assert_allclose(
        kept.stacked("missed")[0], (mass * ~seen.selected[0][..., needle]).sum(-1), rtol=1e-5, atol=1e-9
    )


def test_growth_gives_up_after_its_tries_each_at_its_share_of_delta(monkeypatch):
    random = np.random.default_rng(8)
    seen = seen_of(random.standard_normal((2, 6, DIM)), random.standard_normal((1, KEYS, DIM)))
    tried = []
    monkeypatch.setattr(
        rest.Rest,
        "limit",
        lambda self, by, delta, stages=1: tried.append((delta, stages)) or torch.ones_like(self.listed),
    )
    step = residual.Step(SETTINGS, 0, ("exact",), target=0.999)  # 32 keys are enough by estimated weights, no limit is
    torch.testing.assert_close(step(seen), rules.attend(seen.logits, seen.value))
    assert tried == [(0.05, 4)] * 4  # of 7 budgets


def test_area_place_and_kind():
    assert residual.area(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True])) == pytest.approx(3.5 / 4)
    assert math.isnan(residual.area(np.array([1.0]), np.array([True])))
    tokens = np.array([3, 7, 8, 9, 4, 5, 2, 7, 8, 9])
    example = residual.tasks.Example(tokens, question=6, answer=7, references=())
    assert example.columns() == [1, 2, 3]
    assert [texts.kind_of(t) for t in (" of", "ing", " 12", "\n", " (")] == [
        "beginning of a word", "rest of a word", "number", "white space", "other",
    ]  # fmt: skip
