"""How much softmax weight has the rest, the keys outside a row's list? An estimate and limits, by a sample of its keys.

Lists and samples are by signed projections times the key's norm, whose scores estimate logits, or weights over all heads of
a KV head. Key j of the rest is read with its own probability, w_j over T and at most 1: w_j is its estimated weight, T
their sum over the rest by `samples`. So a kernel needs no sums of chances, no search and no state: a 32-bit word for each
key decides. Weights w_j and ceilings come of the scores alone. docs/bounds/residual.md has the setting and the ceilings,
docs/bounds/apart.md the limit. Wrong if a limit failed more often than delta: python/tests/models/residual_test.py counts.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import statistics

import torch

from . import rules
from .rules import draws, hashes
from .settings import Sparse

Tensor = torch.Tensor
CEILING_SHARE = 0.1  # of delta: for the ceilings of keys that are not read, as in the library
BETS = (0.8, 0.2)  # of the range, each with the same share of what is left of delta
WORD = 2.0**32
# Where the range comes from: one slack for all keys of a row, as a kernel that keeps the longest key's norm has it; a
# ceiling for each key; or the logits themselves, so that only the sampling is left.
RANGES = ("row", "keys", "exact")
NOMINAL = "nominal"  # no range: a normal quantile of the estimate, without proof
CEILINGS = "ceilings"  # a ceiling for each key, in proportion to which it is drawn, too
LIMITS = (*RANGES, CEILINGS, NOMINAL)


def whole_blocks(bits: int, dim: int) -> int:
    """The bits rounded up to whole rotations, which the ceilings of orthogonal rows need."""
    return -(-bits // dim) * dim


@functools.lru_cache
def refuting(bits: int, dim: int, level: float) -> tuple[Tensor, Tensor]:
    """(cosines, the largest estimate that refutes each): docs/bounds/residual.md, Theorem 16(b), blocks of dim rows.

    An estimate of b = bits rows, a multiple of dim, falls so far below its cosine with probability e^-level at most.
    """
    cosine = torch.linspace(-1, 1, 1025, dtype=torch.float64)
    z = torch.logspace(-4, 0, 400, dtype=torch.float64).unsqueeze(-1) * (dim - 1) / 2
    gain = hashes.orthogonal_gain(dim)
    across, along = (1 - cosine**2) / gain**2, cosine.abs() / gain
    slope = along * z + across * z**2 / (2 * (dim - 1))
    moment = across * (1 - 2 / math.pi) * z**2 / (2 * dim) + slope**2 / (2 * (dim - 1))
    return cosine, cosine - ((level * dim / bits + moment) / z).amin(0)


@dataclasses.dataclass
class Estimated:
    """What codes and norms say of the logits of a layer's rows, [batch, heads, rows, keys] or 1 in place of keys."""

    settings: Sparse
    dim: int
    scores: Tensor  # log w_j: by these the list is chosen and the sample drawn
    offset: Tensor  # a key's estimated logit is at most log w_j + offset
    cosine: Tensor  # estimated, of query and key less the centre
    shared: Tensor  # logit of the centre
    length: Tensor  # of query and key less the centre, times the scaling
    longest: Tensor  # of query and key, times the scaling: no logit is larger
    _ceilings: dict[float, Tensor] = dataclasses.field(default_factory=dict)

    def slack(self, delta: float) -> Tensor:
        """How far a logit may lie above its estimate, for the longest key of a row."""
        cosine, refuted = self._refuting(delta)
        return self.length.amax(-1, keepdim=True).double() * (cosine - refuted).max()

    def ceilings(self, delta: float) -> Tensor:
        """Above the logits of all keys with probability 1 - delta over the projections."""
        if delta not in self._ceilings:
            cosine, refuted = self._refuting(delta)
            largest = cosine[torch.searchsorted(refuted, self.cosine.double(), right=True).clamp(max=len(cosine) - 1)]
            self._ceilings[delta] = torch.minimum(self.shared + self.length * largest, self.longest.double())
        return self._ceilings[delta]

    def _refuting(self, delta: float) -> tuple[Tensor, Tensor]:
        pair = refuting(self.settings.bits, self.dim, math.log(self.cosine.shape[-1] / delta))
        return pair[0].to(self.cosine.device), pair[1].to(self.cosine.device)


def estimated(settings: Sparse, seen, draw: int = 0) -> Estimated:
    """Of what a layer saw (attention.Seen). ValueError for settings whose scores are no estimates."""
    dim, group = seen.key.shape[-1], seen.query.shape[1] // seen.key.shape[1]
    whole = settings.bits % dim == 0
    grouped = settings.lists == "kv-head"
    plain = settings.value == "none" and (not grouped or (settings.group, settings.normaliser) == ("sum", "all-keys"))
    if settings.rule != "signed-orthogonal-norm" or not whole or not plain:
        raise ValueError(
            f"rule {settings.rule} of {settings.bits} bits: allowed are signed-orthogonal-norm of a multiple of {dim} bits, "
            "without a value factor, and for KV heads the sum of weights over all keys"
        )
    query, key = seen.query.float(), seen.key.float()
    given = {"layer": seen.layer, "draw": draw, "positions": seen.positions}
    of_heads = dataclasses.replace(settings, lists="head")
    logits = rules.scores(of_heads, query, key, seen.value, seen.scaling, **given)
    scores = rules.scores(settings, query, key, seen.value, seen.scaling, **given) if grouped else logits
    normaliser = logits.logsumexp(-1, keepdim=True) if grouped else torch.zeros_like(logits[..., :1])
    centre = torch.zeros_like(key[:, :, :1])
    if settings.centred:
        centre = key[:, :, : max(1, int(seen.positions.min()))].mean(2, keepdim=True)
    heads = [part.repeat_interleave(group, dim=1) for part in (key - centre, key, centre)]
    lengths = query.norm(dim=-1, keepdim=True) * seen.scaling
    length, longest = (lengths * part.norm(dim=-1).unsqueeze(-2) for part in heads[:2])
    shared = (query @ heads[2].mT * seen.scaling).double()
    cosine = (logits / length).masked_fill((length == 0) | logits.isinf(), 0.0)
    return Estimated(settings, dim, scores, normaliser + shared, cosine, shared, length, longest)


class Rest:
    """The sample of one list: selected [batch, heads, rows, keys], of what a layer saw (attention.Seen).

    Numbers are [batch, heads, rows], in double. draw, step: of the random words. delta: that of limits, where keys are drawn
    in proportion to their ceilings instead of their estimated weights.
    """

    def __init__(
        self,
        by: Estimated,
        seen,
        selected: Tensor,
        samples: int,
        *,
        draw: int = 0,
        step: int = 0,
        delta: float | None = None,
    ):
        self.by, self.logits, self.selected = by, seen.logits, selected
        visible = seen.logits > -torch.inf
        self.rest = visible & ~selected
        logits = seen.logits.double()
        self.largest = logits.masked_fill(~selected, -torch.inf).amax(-1, keepdim=True)
        weights = (logits - self.largest).exp()
        self.listed = (weights * selected).sum(-1)  # D_S
        self.true = (weights * self.rest).sum(-1)  # D_R, which a kernel does not know
        grouped = by.settings.lists == "kv-head"
        lists = seen.key.shape[1] if grouped else logits.shape[1]
        scores = by.scores.double() if delta is None else by.ceilings(CEILING_SHARE * delta)
        if grouped and delta is not None:
            scores = scores.masked_fill(~visible, -torch.inf)
            scores = (scores - scores.logsumexp(-1, keepdim=True)).unflatten(1, (lists, -1)).logsumexp(2)
            scores = scores.repeat_interleave(logits.shape[1] // lists, dim=1)
        scores = scores.masked_fill(~self.rest, -torch.inf)
        self.log_unit = scores.logsumexp(-1, keepdim=True) - math.log(samples)  # log T
        few = self.rest.sum(-1, keepdim=True) <= samples  # read whole
        whole = ((scores - self.log_unit).exp() * WORD).ceil().clamp(min=1, max=WORD).masked_fill(few, WORD)
        # Rounded up: a key of probability 0 would be in no estimate, and one below w_j/T above its range.
        self.chance = torch.where(self.rest, whole, 0.0) / WORD
        words = draws.words(lists, seen.positions, logits.shape[-1], by.settings.seed, seen.layer, draw, step)
        words = words.repeat_interleave(logits.shape[1] // lists, dim=0)
        self.drawn = (words < self.chance * WORD) & self.rest
        self.place = self.drawn.nonzero(as_tuple=True)
        self.share = self.chance[self.place]
        self.read = weights[self.place] / self.share  # f/pi of the keys that were drawn

    def _sum(self, numbers: Tensor) -> Tensor:
        """Of numbers of the keys that were drawn, by row."""
        shape = self.listed.shape
        row = (self.place[0] * shape[1] + self.place[1]) * shape[2] + self.place[2]
        return torch.zeros_like(self.listed).flatten().index_add_(0, row, numbers).reshape(shape)

    def _weight(self, outside: Tensor) -> Tensor:
        """Residual weight, where the keys outside the list weigh so much."""
        return (outside / (self.listed + outside)).nan_to_num(nan=1.0)

    def residual(self) -> Tensor:
        return self._weight(self.true)

    def count(self) -> Tensor:
        """Keys that were drawn."""
        return self.drawn.sum(-1)

    def estimate(self) -> Tensor:
        return self._weight(self._sum(self.read))

    def limit(self, by: str, delta: float, stages: int = 1) -> Tensor:
        """Above the residual weight with probability 1 - delta, but for NOMINAL; any of so many samples may be the last."""
        by = "keys" if by == CEILINGS else by
        if by == NOMINAL:
            quantile = statistics.NormalDist().inv_cdf(1 - delta / stages)
            deviation = self._sum(self.read**2 * (1 - self.share)).sqrt()
            return self._weight(self._sum(self.read) + quantile * deviation)
        level = math.log(len(BETS) * stages / ((1 - CEILING_SHARE) * delta))
        largest = self._range(by, CEILING_SHARE * delta)
        chance = self.share < 1
        share = torch.where(chance, self.read / largest[self.place[:3]], 0.0)
        # A key above its ceiling refutes the ceilings. Rounding alone reaches 1 where the range is exact.
        refuted = self._sum((share > 1 + 1e-9).double()) > 0
        found = [(level - self._sum(torch.log1p(-bet * share.clamp(max=1)))) / bet for bet in BETS]
        outside = torch.stack(found).amin(0) * largest + self._sum(torch.where(chance, 0.0, self.read))
        return self._weight(outside.masked_fill(refuted, torch.inf))

    def _range(self, by: str, delta: float) -> Tensor:
        """A number above f/pi of all keys that are left to chance, [batch, heads, rows]; 0 where there are none."""
        chance = self.rest & (self.chance < 1)
        if by == "row":
            found = (self.log_unit + self.by.offset - self.largest + self.by.slack(delta)).squeeze(-1)
        else:
            ceilings = self.logits.double() if by == "exact" else self.by.ceilings(delta)
            found = (ceilings - self.largest - self.chance.log()).masked_fill(~chance, -torch.inf).amax(-1)
        return found.exp().masked_fill(~chance.any(-1), 0.0)

    def corrected(self, value: Tensor) -> Tensor:
        """(D_S y_S + sum f v/pi) / (D_S + sum f/pi): attention whose drawn keys have logits higher by -log pi."""
        raised = torch.where(self.drawn, self.logits - self.chance.log(), self.logits).float()
        return rules.attend(raised, value, self.selected | self.drawn)
