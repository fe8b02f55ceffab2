"""What did a cache of bytes give beside one of bf16? The table of docs/gpu/cached_bytes.md, from gpu/records."""

import math

from gpu_rows import HEADS, us
from records import markdown, one, read

FAMILIES = ("gaussian", "sharp")


def cached_bytes():
    rows = read("gpu/records/cached_bytes_h200.csv")
    lines = []
    for kv_heads in HEADS:
        for keys in FAMILIES:

            def of(measurement, cache, keys=keys, kv_heads=kv_heads):
                return one(rows, keys=keys, kv_heads=kv_heads, cache=cache, measurement=measurement)["median"]

            times = [us(of(f"{stage} us", cache)) for stage in ("step", "attention") for cache in ("bf16", "e4m3")]
            cast = f"{of('cast', 'e4m3'):.3f} ({of('keys', 'e4m3'):.3f}, {of('values', 'e4m3'):.3f})"
            dense = [f"{of('dense', cache):.2f}" for cache in ("bf16", "e4m3")]
            lines.append([kv_heads, keys, *times, cast, *dense])
    columns = ["step, bf16", "step, fp8", "attention, bf16", "attention, fp8", "error of the cast (keys, values)"]
    return markdown(["KV heads", "keys", *columns, "error against dense, bf16", "error against dense, fp8"], lines)


def worst_ratio():
    rows = read("gpu/records/cached_bytes_h200.csv")
    largest = max(row["largest"] for row in rows if row["measurement"] == "bound")
    return {"ratio": f"{math.ceil(1000 * largest) / 1000:.3f}"}


def saved():
    """In % of the time over bf16: of attention and of the step, over KV heads and families."""
    rows = read("gpu/records/cached_bytes_h200.csv")
    percent = {}
    for stage in ("attention", "step"):
        saved = []
        for kv_heads in HEADS:
            for keys in FAMILIES:
                bf16, e4m3 = (
                    one(rows, keys=keys, kv_heads=kv_heads, cache=cache, measurement=f"{stage} us")["median"]
                    for cache in ("bf16", "e4m3")
                )
                saved.append(100 * (1 - e4m3 / bf16))
        percent |= {f"{stage}_least": f"{min(saved):.1f}", f"{stage}_most": f"{max(saved):.1f}"}
    return percent


TABLES = {"gpu cached bytes": cached_bytes}
