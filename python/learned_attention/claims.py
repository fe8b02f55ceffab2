"""Do the paper's empirical claims and choices hold on this model? Verdicts on one model say nothing of another's numbers.

    python -m learned_attention.claims evaluated        (a folder of evaluate; writes claims.csv there)

A claim says that one ranker loses less than another at equal sparsity. Its evidence is the mean difference of the
loss, paired by window, with intervals that hold at once for all rows of a length. "holds": the whole interval is
below 0; "does not hold": above 0; "not told apart": neither. Wrong if the two rankers of a claim were exchanged, or
differences of other windows were taken: tests/learned_attention/claims_test.py.
"""

import dataclasses
import sys

import numpy as np

from learned_attention import contrasts, intervals, plan, results
from learned_attention.refusals import Refused, run

PROGRAM = "learned_attention.claims"


@dataclasses.dataclass(frozen=True)
class Claim:
    kind: str  # "claim" or "choice" of the paper, or "question" of ours
    name: str
    words: str  # of the paper, without a comma; empty for a question
    place: str  # in the paper, without a comma
    pairs: tuple[tuple[str, str], ...]  # (the one that is said to lose less, the other)


BASELINES = ("quest", "pqcache", "double-sparsity")
CLAIMS = (
    Claim(
        "choice",
        "multiplying the score by the value norm loses less",
        "weighted by the corresponding value vector norms",
        "Section 1; Algorithms 3 and 4",
        (
            ("socket-value", "socket"),
            ("socket-value-tau-0.3", "socket-tau-0.3"),
            ("socket-value-tau-0.1", "socket-tau-0.1"),
            ("softmax-times-value", "oracle-top-k"),
        ),
    ),
    Claim(
        "claim",
        "soft collisions lose less than hard ones with the same number of tables",
        "a substantially more effective ranking function than traditional hard LSH",
        "Section 1 (contribution I)",
        (("socket", "hard-lsh"), ("socket", "hard-lsh-latest"), ("socket-value", "hard-lsh-value")),
    ),
    Claim(
        "claim",
        "SOCKET loses less than three of its baselines (stricter than the paper's words)",
        "matches or surpasses established sparse attention baselines across multiple long-context benchmarks",
        "Abstract",
        (
            *(("socket-value", other) for other in BASELINES),
            *(("socket", other) for other in BASELINES),
        ),
    ),
    Claim(
        "question",
        "direction alone ranks better than q.k",
        "",
        "",
        (("cosine-oracle", "oracle-top-k"), ("signed-orthogonal", "signed-orthogonal-norm")),
    ),
    Claim(
        "question",
        "a key's own value norm loses less than that of another key",
        "",
        "",
        (("socket-value", "socket-dealt-value"),),
    ),
    Claim(
        "question",
        "SOCKET loses less without value norms than with those of other keys",
        "",
        "",
        (("socket", "socket-dealt-value"),),
    ),
    Claim(
        "question", "SOCKET loses less than the count of equal bits of its own codes", "", "", (("socket", "hamming"),)
    ),
    Claim(
        "question",
        "signed projections lose less than SOCKET",
        "",
        "",
        (
            ("signed-orthogonal-norm", "socket"),
            ("signed-orthogonal", "socket"),
            ("signed-orthogonal-norm-600", "socket"),
            ("signed-orthogonal-600", "socket"),
        ),
    ),
)


def verdict(low, high):
    """Of the interval of (loss of the first - loss of the second)."""
    if high < 0:
        return "holds"
    return "does not hold" if low > 0 else "not told apart"


def asked(cells, length):
    """(claim, sparsity, the two cells' rows) of every pair that was evaluated at this length."""
    for claim in CLAIMS:
        for pair in claim.pairs:
            for sparsity in sorted({key[3] for key in cells} - {0}):
                keys = [(plan.TEXT, length, ranker, sparsity, "forced", "") for ranker in pair]
                if all(key in cells for key in keys):
                    yield claim, pair, sparsity, [cells[key] for key in keys]


def rows_of(cells, length, level, resamples, seed):
    found = list(asked(cells, length))
    if not found:
        return []
    windows = sorted(set.intersection(*(set(rows) for *_, both in found for rows in both)))
    if len(windows) < 2:
        raise Refused(f"{length} tokens: {len(windows)} windows that all rankers share; allowed are 2 and more")
    differences = [[first[i]["loss"] - second[i]["loss"] for i in windows] for *_, (first, second) in found]
    bounds = intervals.of_means(np.array(differences).T, level, resamples, seed)
    return [
        {
            "kind": claim.kind, "claim": claim.name, "words": claim.words, "place": claim.place, "length": length, "sparsity": sparsity,
            "ranker": pair[0], "against": pair[1], "windows": len(windows), "contrasts": len(found),
            "difference": bounds.mean[c], "low": bounds.low[c], "high": bounds.high[c],
            "verdict": verdict(bounds.low[c], bounds.high[c]),
        }
        for c, (claim, pair, sparsity, _) in enumerate(found)
    ]  # fmt: skip


def tables(folder, level=intervals.LEVEL, resamples=intervals.RESAMPLES, seed=1):
    """The rows of all lengths."""
    cells = results.evaluation(folder)
    lengths = sorted({key[1] for key in cells if key[0] == plan.TEXT})
    return [row for length in lengths for row in rows_of(cells, length, level, resamples, seed)]


def main(arguments):
    given = contrasts.asked(PROGRAM, __doc__.split("\n\n")[0], arguments)
    rows = tables(given.folder, given.level, given.resamples, given.seed)
    if not rows:
        raise Refused(f"{given.folder}: no pair of rankers of a claim; allowed is a folder that evaluate wrote to")
    contrasts.write(given.folder, "claims.csv", rows)


if __name__ == "__main__":
    run(PROGRAM, main, sys.argv[1:])
