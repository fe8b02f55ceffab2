"""Which rows of gpu/records hold what the pages of the GPU quote?"""

from records import one, read, thousands, where

HEADS = (32, 8)  # KV heads
LENGTHS = (8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576)
ASKED = 145408  # tokens of the published setting
DENSE = ("dense-flash", "dense-cudnn")
FAMILIES = ("gaussian", "sharp", "needles", "clustered")


def us(value):
    return thousands(value) if value >= 100 else f"{value:.1f}"


def times(value):
    return f"{value:.2f}x"


# The rows of a record


def step_rows(**wanted):
    """Of gpu-bench at 33 times fewer keys; batch, L and P as published where they are not named."""
    rows = where(read("gpu/records/decode_h200.csv"), **{"batch": 1, "tables": 60, "planes": 10, **wanted})
    return [row for row in rows if row["budget"] == row["keys"] // 33]


def stage(name, keys=ASKED, kv_heads=32, **more):
    return one(step_rows(keys=keys, kv_heads=kv_heads, **more), stage=name)


def dense(backend, keys=ASKED, kv_heads=32, batch=1):
    rows = read("gpu/records/dense_h200.csv")
    return one(rows, backend=backend, keys=keys, kv_heads=kv_heads, batch=batch)["median_us"]


def faster_dense(keys=ASKED, kv_heads=32, batch=1):
    return min(dense(backend, keys, kv_heads, batch) for backend in DENSE)


def step_us(keys=ASKED, kv_heads=32, batch=1):
    return stage("decode-step", keys, kv_heads, batch=batch)["median_us"]


def speedup(keys=ASKED, kv_heads=32, batch=1):
    return faster_dense(keys, kv_heads, batch) / step_us(keys, kv_heads, batch)


def published(name, keys=ASKED):
    return one(read("gpu/records/published_h200.csv"), stage=name, keys=keys)["median_us"]


def frontier(kv_heads=32, keys=ASKED, **wanted):
    return where(read("gpu/records/frontier_h200.csv"), kv_heads=kv_heads, keys=keys, **wanted)


def index(operation, setting=None):
    rows = where(read("gpu/records/index_h200.csv"), operation=operation)
    return one(rows) if setting is None else one(rows, setting=setting)


def score_ratios(keys):
    """Packed scores over reading their codes, of every budget that was timed."""
    rows = where(read("gpu/records/decode_h200.csv"), batch=1, kv_heads=32, tables=60, planes=10, keys=keys)
    budgets = sorted({row["budget"] for row in rows})
    medians = [{row["stage"]: row["median_us"] for row in where(rows, budget=budget)} for budget in budgets]
    return [of["score-packed"] / of["read-codes"] for of in medians]
