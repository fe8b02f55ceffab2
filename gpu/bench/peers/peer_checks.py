"""Is what a peer left after its last repetition right? Of a selection: the set. Of attention: each number.

Without PyTorch, for tests without a GPU: numbers are floats or whatever has their arithmetic, rows are lists. What was wrong
would show as a peer that is called right and is not: tests/gpu/bench/peers/peer_checks_test.py hands in lies near the truth.
"""

LOWER_INDEX = "lower index"  # of keys that tie with the last selected, those of lower index
OPEN = "open"  # any of them
TIES = (LOWER_INDEX, OPEN)

COLUMNS = (
    "operation",  # select or attend
    "peer",
    "version",
    "rows",  # query heads
    "kv_heads",
    "keys",
    "budget",  # of select; of attend all keys
    "scores",  # of select: packed, as skt_score_packed gives them, or rounded to bf16, which makes ties
    "memory",  # cold: from several sets, which L2 does not hold together; kept: one set, again and again
    "calls",  # of one graph
    "median_us",
    "fastest_us",
    "slowest_us",
    "repetitions",
    "ties",  # which of equal scores the peer promises: TIES
    "contested",  # rows where more keys tie with the last than have a place
    "by_lower_index",  # rows with the set of LOWER_INDEX, in all calls
    "of_bound",  # largest error over its bound
    "lie_of_bound",  # the same against an output without its heaviest key, in the row where it is least
)


def disagreement(chosen, better, tied, budget, ties):
    """What is wrong with the keys chosen in a row, in words; None where nothing is.

    `better`: keys that score more than the threshold, `tied`: those that score as much, rising. The threshold is the score of
    the last of the `budget` best, so len(better) < budget <= len(better) + len(tied).
    """
    if ties not in TIES:
        raise ValueError(f"ties {ties!r}: allowed are {', '.join(TIES)}")
    if not len(better) < budget <= len(better) + len(tied):
        raise ValueError(f"{len(better)} better and {len(tied)} tied keys do not make the {budget}th the threshold")
    found = set(chosen)
    if len(chosen) != budget:
        return f"{len(chosen)} keys, not {budget}"
    if len(found) != budget:
        return f"{budget - len(found)} keys stand twice"
    missing = set(better) - found
    if missing:
        return f"key {min(missing)} is better than the last and missing"
    worse = found - set(better) - set(tied)
    if worse:
        return f"key {min(worse)} is worse than the last"
    if ties == LOWER_INDEX and not by_lower_index(chosen, better, tied, budget):
        return "of keys that tie with the last it has not those of lower index"
    return None


def by_lower_index(chosen, better, tied, budget):
    """Whether of `tied`, which rises, the first are chosen and no other."""
    return set(chosen) == set(better) | set(tied[: budget - len(better)])


def weight_error(dim, keys, dot_size, spread, largest):
    """Bound on the relative error of a softmax weight times its value, and of the sum of weights, in split attention.

    Inputs and weights are bf16, whose products fp32 holds exactly; a sum in tensor cores may cut off, 2^-23 for each addition.
    A logit is a sum of `dim` products, scaled: (dim + 2) 2^-23 of `dot_size`, the largest scale * sum_d |q_d k_d|. Arguments of
    exponentials and of the merge of splits are at most `spread` (of the logits) and `largest` (of their sizes) plus log(keys),
    which is below 16, each off by 2^-22 of itself. The weight is rounded to bf16: 2^-8. Sums run over 16 keys at a time. A
    rising maximum rescales them: an exponential of 2^-22 and a product of 2^-24, as often as there are tiles of 64 keys.
    """
    logit = (dim + 2) * 2.0**-23 * dot_size
    exponential = (spread + largest + 16) * 2.0**-22
    sums = (keys / 16 + 16) * 2.0**-23
    rescaling = keys / 64 * (2.0**-22 + 2.0**-24)
    return logit + exponential + 2.0**-8 + sums + rescaling


def output_bound(exact, size, error):
    """Of one number of the output: `exact` is the average of values, `size` that of their sizes, `error` as above.

    Numerator and denominator are off by `error` of themselves each, the first of `size`; then the output is rounded to bf16.
    """
    before = 2 * error / (1 - error) * size
    return before + 2.0**-8 * (abs(exact) + before)
