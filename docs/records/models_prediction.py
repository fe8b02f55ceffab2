"""Do the laws of drawn keys predict recall and output error in the heads of a pretrained model? Writes prediction.csv.

Usage: models_prediction.py HEADS OUT   (HEADS: of `python -m socketlab.models capture smollm2 --text debian --out HEADS`)

A row for each query head and rule, over QUERIES of its queries and DRAWS draws of hyperplanes or rows each, which
socketlab.models.rules makes; sink, window and sparsity are those of docs/models.md.

predicted   Approximation 12 (docs/rankings/prediction.md), before anything is drawn: the law of each key's score from its
            angle to the query and its norms (estimators/metrics/predicted_recall.hpp), threshold and scores taken as
            independent. Keys that are always attended to have probability 1.
gaussian    recall where logits and scores are jointly Gaussian, of the correlation that the head's have as measured.
measured    mean recall of the true top keys among those that compete, and root mean square of the relative output error.

Ten minutes on two cores.
"""

import json
import math

import safetensors
import torch
from runs import arguments, write_table
from socketlab.models import rankers, rules
from socketlab.models.rules import hashes

RANKERS = ("socket", "socket-value", "socket-centred", "hamming", "hamming-centred", "signed-norm-320")
SPARSITY, QUERIES, DRAWS = 33, 8, 8
COLUMNS = ("layer", "head", "ranker", "correlation", "recall_gaussian", "recall_predicted", "recall", "error_predicted", "error")  # fmt: skip
NODES, ANGLES = 256, 512


def soft_moments(norm, cosines, dim, settings):
    """Mean, variance and third central moment of a table's score, [keys]: a product over independent planes.

    A plane projects the query to norm * z, and key and query lie on one side of it with probability Phi(|z| cot(angle)).
    """
    z = torch.special.ndtri((torch.arange(NODES, dtype=torch.float64) + 0.5) / NODES).abs()  # nodes of equal weight
    signal = 2 * torch.tanh(norm * z) / (math.sqrt(dim) * settings.temperature)
    angles = torch.linspace(0, math.pi, ANGLES, dtype=torch.float64)
    same = torch.special.ndtr(z / torch.tan(angles.clamp(1e-9, math.pi - 1e-9))[:, None])
    raw = []
    for power in (1, 2, 3):
        plus, minus = torch.sigmoid(signal) ** power, torch.sigmoid(-signal) ** power
        raw.append((same * plus + (1 - same) * minus).mean(-1) ** settings.planes)
    place = torch.acos(cosines) * (ANGLES - 1) / math.pi
    low = place.long().clamp(max=ANGLES - 2)
    first, second, third = (part[low] + (place - low) * (part[low + 1] - part[low]) for part in raw)
    return first, second - first**2, third - 3 * first * second + 2 * first**3


def laws(settings, query, key, value):
    """Mean, deviation and skewness [keys] of the scores that a rule gives keys [keys, dim] before it is drawn."""
    norm, lengths, dim = query.norm(), key.norm(dim=-1), key.shape[-1]
    cosines = (key @ query / (norm * lengths)).clamp(-1, 1)
    factor = value.norm(dim=-1) if settings.value == "norm" else torch.ones_like(lengths)
    if settings.rule == "socket":
        mean, variance, third = soft_moments(norm, cosines, dim, settings)
        skewness = third / variance**1.5 / math.sqrt(settings.tables)
        return mean * factor, (variance / settings.tables).sqrt() * factor, skewness
    if settings.rule == "hamming":
        bits, agree = settings.tables * settings.planes, 1 - torch.acos(cosines) / math.pi
        variance = bits * agree * (1 - agree)
        return bits * agree, variance.sqrt(), (1 - 2 * agree) / variance.sqrt()
    # Whole orthogonal blocks, times the key's norm (signed_projection_laws).
    blocks, rest = divmod(settings.bits, dim)
    assert settings.rule == "signed-orthogonal-norm" and rest == 0, settings
    gain, square = hashes.orthogonal_gain(dim), dim + dim * (dim - 1) * 2 / math.pi
    c0 = (dim * dim - square) / (dim - 1)
    c2 = square - (dim * gain) ** 2 - c0
    deviation = (blocks * (c0 + c2 * cosines**2)).sqrt()
    return settings.bits * gain * cosines * lengths, deviation * lengths, torch.zeros_like(cosines)


def skewed_tail(x, skewness):
    """P(X > x) of mean 0 and deviation 1 by the cube root of Wilson and Hilferty (skewed_tail of the library)."""
    turn = torch.where(skewness < 0, -1.0, 1.0)
    s, x = skewness.abs().clamp(min=1e-6), x * turn
    base = 1 + s * x / 2
    root = 6 / s * (base.clamp(min=0) ** (1 / 3) - 1) + s / 6
    tail = torch.where(s <= 1e-6, torch.special.ndtr(-x), torch.special.ndtr(-root))
    tail = torch.where(base <= 0, 1.0, tail)
    return torch.where(turn < 0, 1 - tail, tail)


def inclusion(mean, deviation, skewness, budget):
    """Probability of each key to be among the `budget` highest: above the threshold at which these sum to it."""
    spread = 40 * deviation.max() + mean.max() - mean.min()
    low, high = mean.min() - spread, mean.max() + spread
    for _ in range(50):
        middle = (low + high) / 2
        found = skewed_tail((middle - mean) / deviation, skewness)
        low, high = (middle, high) if found.sum() > budget else (low, middle)
    return found


def error_of(chance, share, value):
    """Root mean square of |y_S - y| over |y|, to first order in the weights' quotient (selection_prediction.hpp)."""
    kept, dense = chance * share, share @ value
    mass = kept.sum()
    centre = kept @ value / mass
    variance = (kept * (1 - chance) * share) @ (value - centre).square().sum(-1)
    return (((centre - dense).square().sum() + variance / mass**2) / dense.square().sum()).sqrt()


def gaussian_recall(correlation, density):
    """P(Y > t | X > t) of a Gaussian pair, t the threshold that `density` of each exceed."""
    t = -torch.special.ndtri(torch.tensor(density, dtype=torch.float64))
    x = -torch.special.ndtri(density * (torch.arange(4096, dtype=torch.float64) + 0.5) / 4096)
    return torch.special.ndtr((correlation * x - t) / math.sqrt(1 - correlation**2)).mean()


def correlations(a, b):
    a, b = (part - part.mean(-1, keepdim=True) for part in (a, b))
    return (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))


def of_layer(layer, query, key, value, positions):
    """Rows of one layer: query [heads, rows, dim], key and value [kv heads, keys, dim], all in float32."""
    group, keys = len(query) // len(key), key.shape[1]
    scaling = key.shape[-1] ** -0.5
    logits = rules.logits_of(query[None], key[None], scaling, positions)[0]
    exact = rules.attend(logits[None], value[None])[0]
    rows = []
    for name in RANKERS:
        settings = rankers.settings_of(name, SPARSITY)
        fixed = rules.always(settings, positions, keys)
        competing = ~fixed & rules.visible(positions, keys)
        places = [settings.places(int(position) + 1) for position in positions]
        top = torch.stack([rules.best(logits[:, i].masked_fill(~competing[i], -torch.inf), n) for i, n in enumerate(places)], 1)  # fmt: skip
        recall, square, correlation = [], [], []
        for draw in range(DRAWS):
            found = rules.scores(settings, query[None], key[None], value[None], scaling, layer=layer, draw=draw, positions=positions)  # fmt: skip
            chosen = rules.select(settings, found, positions)
            output = rules.attend(logits[None], value[None], chosen)[0]
            recall.append((chosen[0] & top).sum(-1) / top.sum(-1))
            square.append(((output - exact).norm(dim=-1) / exact.norm(dim=-1)) ** 2)
            correlation.append(torch.stack([correlations(logits[:, i, competing[i]], found[0, :, i, competing[i]]) for i in range(len(positions))], 1))  # fmt: skip
        recall, square, correlation = (torch.stack(part).mean(0) for part in (recall, square, correlation))
        for head in range(len(query)):
            predicted, errors, gaussian = [], [], []
            for i, n in enumerate(places):
                q, k, v = query[head, i].double(), key[head // group].double(), value[head // group].double()
                hashed = k - k[: int(positions[0])].mean(0) if settings.centred else k
                chance = fixed[i].double()
                chance[competing[i]] = inclusion(*laws(settings, q, hashed[competing[i]], v[competing[i]]), n)
                predicted.append(chance[top[head, i]].mean())
                errors.append(error_of(chance, logits[head, i].double().softmax(-1), v) ** 2)
                gaussian.append(gaussian_recall(float(correlation[head, i]), n / int(competing[i].sum())))
            numbers = (correlation[head].mean(), *(torch.stack(part).mean() for part in (gaussian, predicted)))
            numbers += (recall[head].mean(), torch.stack(errors).mean().sqrt(), square[head].mean().sqrt())
            rows.append((layer, head, name, *(f"{float(number):.4g}" for number in numbers)))
    return rows


def main(path, out):
    with safetensors.safe_open(path, "pt") as file:
        groups = json.loads(file.metadata()["heads"])
        q, k, v = (file.get_tensor(name).float() for name in "qkv")
    each, per = len(q) // len(k), q.shape[1] // QUERIES
    positions = torch.arange(k.shape[1] - q.shape[1], k.shape[1])[per - 1 :: per]
    q = q[:, per - 1 :: per]
    rows = []
    for layer in sorted({group["layer"] for group in groups}):
        own = [i for i, group in enumerate(groups) if group["layer"] == layer]
        heads = [each * i + j for i in own for j in range(each)]
        rows += of_layer(layer, q[heads], k[own], v[own], positions)
        print(f"layer {layer}: {len(rows)} rows", flush=True)
    write_table(out, COLUMNS, rows)


if __name__ == "__main__":
    main(*arguments(__doc__, 2))
