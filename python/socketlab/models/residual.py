"""Would a step know what its lists leave out, in every layer and head of a real model? Widths, rules, flags and needles.

Text: the last rows of a window run densely once, and every kind of list, sample and range is held against the residual
weights of its heads ("all see the same queries"); then they run sparsely, once for each rule, and loss, keys read and flags
are compared. Needles: the answer's rows run with the lists as they are, with short ones, and with the needle's keys barred
from every list. Wrong if the dense pass saw a list, or a barred key came back: python/tests/models/residual_test.py.
"""

import collections
import dataclasses
import time

import numpy as np
import torch
from torch.nn import functional

from . import compare, intervals, rest, rules, tasks, texts
from .settings import Sparse

SAMPLES, DELTAS, TARGET = (64, 256, 1024), (0.05, 0.01), 0.05
MAIN = 256
CODES = {"plain": False, "centred": True}  # what is hashed: keys, or keys less their mean
# Budgets of a list that grows. It begins with the first that has enough by estimated weights, tries TRIES, then has all keys.
STAGES, TRIES, STAGE_SAMPLES = (32, 64, 128, 256, 512, 1024, 2048), 4, 128
KINDS = ("fixed", "corrected", "grown", "top-p")  # of rules
LISTED = 33  # keys to one that a list has by its score, where limits are measured
EVERY = ("residual", "estimate", *rest.LIMITS)
TARGETS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99)  # of the curves
SHORT = (LISTED, 300, 1500)  # keys to one that is listed by its score, in the needle's windows
HARM = 0.1  # nats over dense at which a token counts as harmed
MISSED, KEPT = 0.1, 0.01  # mass of a needle's keys outside the list: missed above the first, kept below the second
WIDTHS = (
    "length", "codes", "lists", "bits", "samples", "delta", "limit", "rows", "residual_median", "over_median", "over_p90",
    "above", "within_target", "certified",
)  # fmt: skip
HEADS = (
    "length", "codes", "layer", "head", "residual_median", *(f"{by}_median" for by in rest.LIMITS), "within_target",
    "certified", "nominally_certified", "corrected_over_uncorrected",
)  # fmt: skip
RULES = (
    "length", "rule", "codes", "lists", "bits", "parameter", "windows", "read", "residual", "target_met", "excess", "low", "high",
)  # fmt: skip
FLAGS = (
    "length", "codes", "lists", "limit", "case", "name", "count", "hits", "flagged", "residual", "excess", "low", "high", "area",
)  # fmt: skip


@dataclasses.dataclass
class Step:
    """Watches a sparse pass: keys read, residual weights and limits; grows, bars or corrects where it is asked to.

    limits: of EVERY. target: the list grows until the first of them is at most it.
    needle: columns whose mass outside the list is kept; barred from the list if `bar`.
    """

    settings: Sparse
    draw: int
    limits: tuple = ()
    target: float | None = None
    corrected: bool = False
    samples: int = MAIN
    needle: torch.Tensor | None = None
    bar: bool = False
    found: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))

    def __call__(self, seen):
        selected = seen.selected
        if self.bar:
            selected = selected.index_fill(-1, self.needle, False)
        if self.needle is not None:
            mass = seen.logits.softmax(-1)[..., self.needle]
            self._keep("missed", (mass * ~selected[..., self.needle]).sum(-1))
        read = selected.sum(-1)
        if self.target is not None:
            selected, read = self._grown(seen)
        elif self.limits or self.corrected:
            estimated = rest.estimated(self.settings, seen, self.draw)
            own = rest.Rest(estimated, seen, selected, self.samples, draw=self.draw)
            for by in self.limits:
                if by == rest.CEILINGS:
                    other = rest.Rest(estimated, seen, selected, self.samples, draw=self.draw, delta=DELTAS[0])
                    self._keep(by, other.limit(by, DELTAS[0]))
                else:
                    known = {"residual": own.residual, "estimate": own.estimate}
                    self._keep(by, known[by]() if by in known else own.limit(by, DELTAS[0]))
            read = read + own.count() if self.corrected else read
        self._keep("read", read.float())
        self._keep("left", 1 - rules.mass(seen.logits, selected).clamp(max=1))
        if self.corrected:
            return own.corrected(seen.value)
        return None if selected is seen.selected else rules.attend(seen.logits, seen.value, selected)

    def _grown(self, seen):
        by = rest.estimated(self.settings, seen, self.draw)
        chosen = seen.logits > -torch.inf
        read, tries = chosen.sum(-1), torch.zeros_like(chosen[..., 0], dtype=torch.int64)
        weights = by.scores.softmax(-1)  # estimated: what they say does not depend on what is drawn
        group = seen.query.shape[1] // seen.key.shape[1] if self.settings.lists == "kv-head" else 1
        sampled = torch.zeros_like(read)
        for stage, budget in enumerate(STAGES):
            listed = rules.select(dataclasses.replace(self.settings, budget=budget), by.scores, seen.positions)
            enough = ((weights * ~listed).sum(-1) <= self.target) | (tries > 0) | (stage == len(STAGES) - 1)
            open_ = enough & (tries < TRIES)
            if not open_.any():
                continue
            delta = DELTAS[0] if self.limits[0] == rest.CEILINGS else None
            own = rest.Rest(by, seen, listed, STAGE_SAMPLES, draw=self.draw, step=stage, delta=delta)
            limit = own.limit(self.limits[0], DELTAS[0], TRIES)
            limit = limit.unflatten(1, (-1, group)).amax(2).repeat_interleave(group, dim=1)  # of one list, every head's
            sampled = torch.where(open_, sampled + own.count(), sampled)
            ends = open_ & (limit <= self.target)
            chosen = torch.where(ends.unsqueeze(-1), listed, chosen)
            read = torch.where(ends, listed.sum(-1), read)
            tries = torch.where(ends, TRIES, tries + open_)
        return chosen, read + sampled

    def _keep(self, name, numbers):
        self.found[name].append(numbers[0].float())

    def stacked(self, name):
        """[layers, heads, rows]"""
        return torch.stack(self.found[name]).cpu().numpy()


class Widths:
    """Watches a dense pass: residual weights of lists, and the limits of every kind of sample, [heads, rows] a layer."""

    def __init__(self, asked):
        self.asked, self.draw, self.layers = asked, 0, []
        self.found = collections.defaultdict(list)

    def __call__(self, seen):
        self.layers.append(seen.layer)
        dense = rules.attend(seen.logits, seen.value)
        for codes, settings in self.asked:
            by = rest.estimated(settings, seen, self.draw)
            selected = rules.select(settings, by.scores, seen.positions)
            kind = (codes, settings.lists, settings.bits)
            for samples in SAMPLES:
                own = rest.Rest(by, seen, selected, samples, draw=self.draw)
                if samples == MAIN:
                    self._keep((*kind, "residual"), own.residual())
                    for name, output in (
                        ("uncorrected", rules.attend(seen.logits, seen.value, selected)),
                        ("corrected", own.corrected(seen.value)),
                    ):
                        self._keep((*kind, name), (output - dense).square().sum(-1))
                for delta in DELTAS if samples == MAIN else DELTAS[:1]:
                    by_ceilings = rest.Rest(by, seen, selected, samples, draw=self.draw, delta=delta)
                    for limit in rest.LIMITS:
                        drawn = by_ceilings if limit == rest.CEILINGS else own
                        self._keep((*kind, samples, delta, limit), drawn.limit(limit, delta))

    def _keep(self, key, numbers):
        self.found[key].append(numbers[0].float())

    def arrays(self):
        """{key: [windows, layers, heads, rows]}"""
        self.layers = list(dict.fromkeys(self.layers))
        stacked = {key: torch.stack(found).cpu().numpy() for key, found in self.found.items()}
        return {key: part.reshape(-1, len(self.layers), *part.shape[1:]) for key, part in stacked.items()}


def widths(arrays, length):
    """Rows of WIDTHS; a limit below what it limits by more than the rounding of single precision is `above`."""
    for (*kind, last), limits in arrays.items():
        if len(kind) != 5:
            continue
        true = arrays[*kind[:3], "residual"].ravel()
        limits, least = limits.ravel(), np.finfo(np.float32).tiny
        over = limits / np.maximum(true, least)
        yield [
            length, *kind, last, true.size, np.median(true), np.median(over), np.quantile(over, 0.9),
            int((true > limits * (1 + 1e-5) + 1e-7).sum()), np.mean(true <= TARGET), np.mean(limits <= TARGET),
        ]  # fmt: skip


def heads(arrays, layers, length, bits):
    """Rows of HEADS, of lists by head at the main number of samples."""
    for codes in CODES:
        kind = (codes, "head", bits)
        true = np.maximum(arrays[*kind, "residual"], np.finfo(np.float32).tiny)
        limits = {by: arrays[*kind, MAIN, DELTAS[0], by] for by in rest.LIMITS}
        errors = [arrays[*kind, name].sum((0, 3)) for name in ("corrected", "uncorrected")]
        for place, layer in enumerate(layers):
            for head in range(true.shape[2]):
                own = true[:, place, head]
                shares = [np.mean(own <= TARGET)]
                shares += [np.mean(limits[by][:, place, head] <= TARGET) for by in (rest.CEILINGS, rest.NOMINAL)]
                medians = [np.median(limits[by][:, place, head]) for by in limits]
                yield [
                    length, codes, layer, head, np.median(own), *medians, *shares,
                    errors[0][place, head] / max(errors[1][place, head], 1e-30),
                ]  # fmt: skip


def area(score, positive):
    """P(score of a positive > that of a negative), ties half; NaN where there is none of one kind."""
    if not positive.any() or positive.all():
        return float("nan")
    order = np.unique(score, return_inverse=True)[1]
    negatives = np.bincount(order[~positive], minlength=order.max() + 1)
    below = np.cumsum(negatives) - negatives / 2
    return float(below[order[positive]].mean() / negatives.sum())


class Run:
    """model: of evaluate; settings: of the lists, sparsity and all; say: takes a line."""

    def __init__(self, model, windows, asked, settings):
        self.model, self.windows, self.asked, self.settings = model, windows, asked, settings
        self.widths = Widths(
            [
                (codes, dataclasses.replace(settings, centred=centred, lists=lists, bits=bits))
                for codes, centred in CODES.items()
                for place, bits in enumerate(asked.bits)
                for lists in (("head", "kv-head") if place == 0 else ("head",))
            ]
        )
        self.rules, self.tokens, self.usual = (collections.defaultdict(list) for _ in range(3))
        self.needles = []
        self.documents, self.classes = [], []

    def arms(self):
        """Of the rules asked for; of those of a list with the usual sparsity flags come too."""
        return (arm for arm in self._arms() if any(kind in arm[0] for kind in self.asked.rules))

    def _arms(self):
        """(rule, codes, lists, parameter, settings, options of Step)"""
        base = self.settings
        for lists in ("head", "kv-head"):
            own = dataclasses.replace(base, lists=lists)
            for sparsity in (50, 33, 20, 10, 5, 3):
                seen = {"limits": EVERY} if sparsity == LISTED else {}
                yield "fixed", "plain", lists, sparsity, dataclasses.replace(own, sparsity=sparsity), seen
            for sparsity, samples in ((50, 64), (33, 64), (33, 256), (10, 256)):
                kind = (f"corrected by {samples}", "plain", lists, sparsity)
                yield *kind, dataclasses.replace(own, sparsity=sparsity), {"corrected": True, "samples": samples}
        centred = dataclasses.replace(base, centred=True, sparsity=LISTED)
        yield "fixed", "centred", "head", LISTED, centred, {"limits": EVERY}
        long = self.asked.bits[-1]
        for codes, lists, bits, by, targets in (
            ("plain", "head", base.bits, rest.CEILINGS, (0.2,)),
            ("centred", "head", base.bits, rest.CEILINGS, (0.2,) if long != base.bits else ()),
            ("centred", "head", long, rest.CEILINGS, (0.05, 0.1, 0.2, 0.4)),
            ("plain", "head", base.bits, rest.NOMINAL, (0.05, 0.1, 0.2, 0.4)),
            ("plain", "kv-head", base.bits, rest.NOMINAL, (0.1, 0.2)),
        ):
            chosen = {"centred": CODES[codes], "lists": lists, "bits": bits}
            own = dataclasses.replace(base, sparsity=None, budget=STAGES[0], **chosen)
            for target in targets:
                yield f"grown by {by}", codes, lists, target, own, {"limits": (by,), "target": target}
        for top_p in (0.6, 0.8, 0.9, 0.95):
            own = dataclasses.replace(base, sparsity=None, top_p=top_p)
            yield "top-p", "plain", "head", top_p, own, {}
            yield "oracle top-p", "plain", "head", top_p, dataclasses.replace(own, rule="oracle-top-k"), {}

    def text(self, window):
        cache, rows, target = self.model.of_text(window, self.asked.rows)

        def losses(settings, watch):
            logits = self.model.rows(rows, cache, settings, window.number, watch)
            return functional.cross_entropy(logits, target, reduction="none").cpu().numpy()

        self.widths.draw = window.number
        dense = losses(None, self.widths)
        self.documents.append(f"{window.text}/{window.document}")
        self.classes += [texts.kind_of(self.model.tokenizer.decode([token])) for token in rows.tolist()]
        for rule, codes, lists, parameter, settings, options in self.arms():
            step = Step(settings, window.number, **options)
            more = losses(settings, step) - dense
            residual = step.stacked("left")
            met = np.mean(residual <= (options.get("target") or TARGET) * (1 + 1e-5))
            self.rules[rule, codes, lists, settings.bits, parameter].append(
                (step.stacked("read").mean(), residual.mean(), met, more.mean())
            )
            for by in options.get("limits", ()) if "target" not in options else ():
                limit = step.stacked(by)
                self.usual[codes, lists, by].append(limit)
                own = (limit.mean((0, 1)), (limit > TARGET).mean((0, 1)), residual.mean((0, 1)), more)
                self.tokens[codes, lists, by].append(np.stack(own))

    def needle(self, number):
        example = tasks.draw("needle", self.asked.length, 1_000_000 * self.asked.seed + number, self.model.encode)
        cache, behind, target = self.model.of_task(example)
        needle = torch.as_tensor(example.columns(), device=self.model.device)

        def right(settings, watch):
            logits = self.model.rows(behind[:-1], cache, settings, number, watch, len(target))
            return torch.equal(logits.argmax(-1), target)

        found = right(None, None)
        for codes, centred in CODES.items():
            for sparsity in SHORT:
                for bar in (False, True) if sparsity == SHORT[0] else (False,):
                    settings = dataclasses.replace(self.settings, centred=centred, sparsity=sparsity)
                    step = Step(settings, number, EVERY, needle=needle, bar=bar)
                    answered = right(settings, step)
                    scores = {name: step.stacked(name)[..., -len(target) :] for name in (*EVERY, "missed")}
                    self.needles.append((codes, "barred" if bar else sparsity, found, answered, scores))

    def run(self, seconds, say):
        begun = time.monotonic()
        every = [(self.text, lambda n: self.windows.of(self.asked.length, n), n) for n in range(self.asked.windows)]
        every += [(self.needle, lambda n: n, n) for n in range(self.asked.examples)]
        # In turn, so that a run that is cut has both.
        every.sort(key=lambda one: one[2] / max(self.asked.windows if one[0] == self.text else self.asked.examples, 1))
        for number, (do, of, n) in enumerate(every):
            spent = time.monotonic() - begun
            if number and spent + spent / number > seconds:
                say(f"{len(every) - number} of {len(every)} windows and examples left out: {seconds} s are over")
                break
            do(of(n))
            say(f"{do.__name__} {n}: {time.monotonic() - begun:.0f} s")

    def write(self, folder):
        length = self.asked.length
        tables = {"residual_rules": (RULES, self._rules(length)), "residual_flags": (FLAGS, self._flags(length))}
        if self.documents:
            arrays = self.widths.arrays()
            tables["residual_widths"] = (WIDTHS, widths(arrays, length))
            tables["residual_heads"] = (HEADS, heads(arrays, self.widths.layers, length, self.asked.bits[0]))
        for name, (columns, rows) in tables.items():
            compare.write(folder / f"{name}.csv", [dict(zip(columns, row, strict=True)) for row in rows])

    def _rules(self, length):
        if not self.documents:
            return
        more = np.array([[one[-1] for one in own] for own in self.rules.values()]).T
        low = high = [float("nan")] * more.shape[1]
        if len(set(self.documents)) > 1:
            limits = intervals.of_means(more, self.documents)
            low, high = limits.low, limits.high
        for place, (kind, own) in enumerate(self.rules.items()):
            read, residual, met, excess = np.mean(own, axis=0)
            yield [length, *kind, len(own), read, residual, met, excess, low[place], high[place]]

    def _flags(self, length):
        """Of quarters of the tokens by their limit, and of kinds of tokens: hits are those that are harmed, flagged the share
        of heads above the target, and the area tells the harmed by their limits.
        """
        classes = np.array(self.classes)
        for (codes, lists, by), windows in self.tokens.items():
            score, flagged, residual, more = np.concatenate(windows, axis=1)
            about = [length, codes, lists, by]
            quarter = np.searchsorted(np.quantile(score, (0.25, 0.5, 0.75)), score)
            groups = [("quarter", q + 1, quarter == q) for q in range(4)]
            groups += [("token", name, classes == name) for name in sorted(set(self.classes))]
            groups = [group for group in groups if group[2].any()]
            of_window = [
                [more[one][there[one]] for *_, there in groups] for one in np.split(np.arange(len(more)), len(windows))
            ]
            means = np.array([[part.mean() if len(part) else np.nan for part in parts] for parts in of_window])
            limits = intervals.of_means(means, self.documents) if len(set(self.documents)) > 1 else None
            for place, (of, name, there) in enumerate(groups):
                ends = (limits.low[place], limits.high[place]) if limits else (np.nan, np.nan)
                cells = [there.sum(), (more[there] > HARM).sum()]
                cells += [part[there].mean() for part in (flagged, residual, more)]
                yield [*about, of, name, *cells, *ends, np.nan if of == "token" else area(score, more > HARM)]
        yield from self._curves(length)

    def _curves(self, length):
        """hits: of the cases where the list missed, the share whose score is above `name`; flagged: of the other cases.

        A case is an answer that dense attention has right: "barred", at the lists of 1/33, with and without the needle's
        keys; "short", of lists so short that some miss it by themselves. Or it is a head at a row of the former.
        """
        for codes in CODES:
            cases = {"barred": ("barred", LISTED), "short": SHORT[1:]}
            own = {
                of: [one for one in self.needles if one[0] == codes and one[1] in kinds and one[2]]
                for of, kinds in cases.items()
            }
            for by in EVERY:
                found = {}
                before = self.usual[codes, "head", by]  # limits of the same heads in texts
                usual = np.median(np.stack(before), axis=(0, 3))[..., None] if before else None
                for of, passes in own.items():
                    missed = np.array([not one[3] for one in passes], bool)
                    for name, score in (
                        ("some head", np.max),
                        ("mean of heads", np.mean),
                        ("share of heads above 0.05", lambda x: np.mean(x > TARGET)),
                        *([("some head above its median", lambda x: np.max(x - usual))] if before else []),
                    ):
                        found[f"{of}, {name}"] = np.array([score(one[4][by]) for one in passes]), missed
                left, limit = (
                    np.concatenate([one[4][name].ravel() for one in own["barred"]] or [[]]) for name in ("missed", by)
                )
                clear = (left > MISSED) | (left < KEPT)
                found["head at a row"] = limit[clear], left[clear] > MISSED
                for of, (score, positive) in found.items():
                    if len(score):
                        whole = area(score, positive)
                        for target in TARGETS:
                            parts = (positive, ~positive)
                            shares = [np.mean(score[part] > target) if part.any() else np.nan for part in parts]
                            yield [length, codes, "head", by, of, target, len(score), *shares, *[np.nan] * 4, whole]
