"""Which sentences of the pages of the GPU quote gpu/records?"""

from gpu_rows import ASKED, HEADS, LENGTHS, dense, faster_dense, frontier, index, published, speedup, stage, step_us, us
from gpu_tables import PUBLISHED, clocks, dense_rounding, example, mass_ratios, matrix_share
from records import one, read, thousands, where

TABLES = {}


def copy_rates():
    """Of all rows of a length and a number of KV heads, TB/s."""
    rows = [stage("device-copy", keys, kv_heads) for keys in LENGTHS for kv_heads in HEADS]
    rates = [row["floor_bytes"] / row["median_us"] / 1e6 for row in rows]
    return {"least": f"{min(rates):.2f}", "most": f"{max(rates):.2f}"}


def headline():
    return {
        "step32": us(step_us()), "step8": us(step_us(kv_heads=8)),
        "x32": f"{speedup():.2f}", "x8": f"{speedup(kv_heads=8):.2f}",
    }  # fmt: skip


def faster_from(kv_heads):
    """The shortest length from which on a step is faster than dense attention."""
    slower = [keys for keys in LENGTHS if speedup(keys, kv_heads) < 1]
    return thousands(min(keys for keys in LENGTHS if keys > max(slower, default=0)))


def extremes(rows, digits=0):
    values = [row["median_us"] for row in rows]
    return {"least": f"{min(values):.{digits}f}", "most": f"{max(values):.{digits}f}"}


def growth():
    """Of a step with 8 KV heads and of dense attention: us to 1,000 further tokens, and what they take once."""
    fewer, more = 294912, 1048576

    def line(of):
        slope = (of(more, 8) - of(fewer, 8)) / (more - fewer)
        return 1000 * slope, of(fewer, 8) - slope * fewer

    (mine, once), (theirs, their_once) = line(step_us), line(faster_dense)
    return {"mine": f"{mine:.2f}", "theirs": f"{theirs:.2f}", "once": f"{once:.0f}", "their_once": f"{their_once:.0f}"}


def index_ratios():
    quantisation = min(index("product-quantisation", setting)["median_us"] for setting in ("2x6", "32x4", "32x8"))
    return {
        "rate": f"{matrix_share():.2f}",
        "faster": thousands(quantisation / index("build-index")["median_us"]),
    }


def published_ratios():
    step = published("decode-step")
    names = {"host": "replica-eager", "graph": "replica-graph", "copies": "replica-copy-eager"}
    return {name: f"{published(of) / step:.1f}" for name, of in names.items()}


def published_scores():
    rows = [row for row in read("gpu/records/decode_h200.csv") if row["stage"] == "replica-score"]
    rows = where(rows, batch=1, kv_heads=32, tables=60, planes=10, keys=ASKED)
    return {"here": us(published("replica-score"))} | extremes(rows)


def other_dense():
    """cuDNN in graphs of two calls, and how many times as fast a step then is."""
    of_two = published("dense-cudnn")
    return {"two": us(of_two), "one": us(dense("dense-cudnn")), "times": f"{of_two / step_us():.2f}"}


def undisturbed():
    return {f"t{keys}": us(published("decode-step", keys)) for keys in LENGTHS if keys >= ASKED}


def power_limited():
    row = stage("score-packed", LENGTHS[-1])
    return {"least": us(row["fastest_us"]), "most": us(row["slowest_us"])}


def accuracy(row):
    return {"mass": f"{row['softmax_mass']:.2f}", "error": f"{row['output_error']:.2f}"}


def accuracy_as_published():
    return accuracy(stage("decode-step"))


def accuracy_of_flat_logits():
    return accuracy(one(frontier(family="gaussian", rule="socket", tables=60, budget=4362)))


def step_from_pytorch():
    return {
        "bits": example("decode-step", "bits"),
        "within": example("decode-step", "bits within rounding"),
        "gap": f"{example('decode-step', 'most of the score gap'):g}",
        "error": f"{example('decode-step', 'largest output error'):.2e}",
        "share": f"{example('decode-step', 'of its tolerance'):.1e}",
    }


def published_kernel_between():
    names = {"graph": ASKED, "short": 18432}
    whole = {name: us(published("replica-graph", keys)) for name, keys in names.items()}
    return whole | {
        f"{name}_sum": us(sum(published(stage_name, keys) for stage_name in PUBLISHED)) for name, keys in names.items()
    }


PREFILL = "docs/experiments/gpu_prefill.md"
PERFORMANCE = "docs/gpu/performance.md"
ACCURACY = "docs/gpu/accuracy.md"
SENTENCES = [
    (ACCURACY, "a 33rd of the keys a step keeps {mass} of the mass and is off by {error}", accuracy_as_published),
    (ACCURACY, "a budget of 3% keeps {mass} and is off by {error}", accuracy_of_flat_logits),
    (
        "docs/gpu/signed_heads.md",
        "keep {least320} to {most320} times the mass of SOCKET's 600, and 608 bits {least608} to {most608} times:"
        " medians over the heads. Of the heads that keep least the ratio is {worst} or more with 320",
        mass_ratios,
    ),
    (
        ACCURACY,
        "differ from double by {least} to {most} of the output's norm, and by {worst} in the worst head",
        dense_rounding,
    ),
    (
        ACCURACY,
        "of {bits:,.0f} bits {within:,.0f} lie within fp32 rounding of 0, and the others are all signs of exact"
        " projections. Selected keys were at most {gap} of the allowed gap on the wrong side of the threshold. The"
        " largest output error was {error}, {share} of its tolerance",
        step_from_pytorch,
    ),
    (
        "docs/gpu/own_kernels.md",
        "{failed:.0f} of its {cases:.0f} cases fail, and {unsupported:.0f} need",
        lambda: {name: example("candidate", name) for name in ("failed", "cases", "unsupported")},
    ),
    (
        PERFORMANCE,
        "a step takes {step32} us with 32 KV heads and {step8} with 8. That is {x32} and {x8} times as fast",
        headline,
    ),
    (PERFORMANCE, "measured, from {all} tokens on", lambda: {"all": faster_from(32)}),
    (PERFORMANCE, "with 8 from about {some} on", lambda: {"some": faster_from(8)}),
    (
        PERFORMANCE,
        "at {least} to {most} TB/s",
        copy_rates,
    ),
    (PERFORMANCE, "the power limit was felt: scores took {least} to {most} us", power_limited),
    (
        PERFORMANCE,
        "each further 1,000 take {mine} us, and dense attention {theirs}. What both take once is about {once} and"
        " {their_once} us",
        growth,
    ),
    (PERFORMANCE, "at {rate} of the matrix rate of the same run, and {faster} times as fast", index_ratios),
    (
        PERFORMANCE,
        "it takes {host} times as long as a step from the host, {graph} times as a graph, and {copies} times with the"
        " copy",
        published_ratios,
    ),
    (PERFORMANCE, "its attention takes {us} us", lambda: {"us": us(published("replica-attention-eager"))}),
    (PERFORMANCE, "this one takes {here} there and {least} to {most} in `gpu-bench`", published_scores),
    (
        PERFORMANCE,
        "in graphs of two calls took {two} us, where the table has {one}. With it a step is {times} times as fast",
        other_dense,
    ),
    (PERFORMANCE, "steps took {t145408}, {t294912}, {t589824} and {t1048576} us from 145,408 tokens on", undisturbed),
    (
        PERFORMANCE,
        "held back {limited}%; {high}% of them were at 1,965 MHz or more, the least at {least}",
        clocks,
    ),
    (
        PREFILL,
        "the quickest takes {seconds} s",
        lambda: {"seconds": f"{index('product-quantisation', '32x4')['median_us'] / 1e6:.2f}"},
    ),
    (
        PREFILL,
        "takes {graph} as one graph, where its stages alone add up to {graph_sum}; at 18,432 tokens it takes {short},"
        " and they {short_sum}",
        published_kernel_between,
    ),
    (
        "docs/experiments/gpu_step.md",
        "at 294,912 tokens, where a step takes {us} us",
        lambda: {"us": us(step_us(294912, 8))},
    ),
]
