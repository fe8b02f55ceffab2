"""Which numbers do sentences of the pages of the GPU quote from gpu/records?"""

from gpu_rows import ASKED, HEADS, LENGTHS, dense, faster_dense, frontier, index, published, speedup, stage, step_us, us
from gpu_tables import PUBLISHED, example, matrix_share
from records import one, read, thousands, where


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
    """Over skt_decode_step; `adds`: us of the copy. The authors' own times are in no record."""
    step, host, copies = (published(of) for of in ("decode-step", "replica-eager", "replica-copy-eager"))
    took = {"host": host, "graph": published("replica-graph"), "copies": copies}
    authors = {"authors": 1306, "authors_copies": 1811}
    return {name: f"{us_of / step:.1f}" for name, us_of in (took | authors).items()} | {"adds": us(copies - host)}


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
