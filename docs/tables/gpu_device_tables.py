"""What do pages, query rows and an H100 cost? The tables of docs/gpu/{pages,query_rows,h100}.md."""

from gpu_rows import DENSE, HEADS, LENGTHS, times, us
from records import markdown, one, read, thousands, where

SPARSITY = 33
RULES = {"soft-collision": "SOCKET", "signed-projection": "signed"}


def spread(row, least="fastest_us", largest="slowest_us"):
    return f"{us(row[least])} to {us(row[largest])}"


def dense_us(device, keys, kv_heads):
    rows = where(read(f"gpu/records/dense_{device}.csv"), keys=keys, kv_heads=kv_heads, batch=1)
    return min(row["median_us"] for row in rows if row["backend"] in DENSE)


def step_of(device, keys, kv_heads):
    rows = read(f"gpu/records/decode_{device}.csv")
    sizes = {"batch": 1, "tables": 60, "planes": 10, "budget": keys // SPARSITY}
    return one(rows, stage="decode-step", keys=keys, kv_heads=kv_heads, **sizes)


def steps_on_both():
    """Dense attention and the step on an H100, and both ratios."""
    lines = []
    for kv_heads in HEADS:
        for keys in LENGTHS:
            step, dense = step_of("h100", keys, kv_heads), dense_us("h100", keys, kv_heads)
            other = dense_us("h200", keys, kv_heads) / step_of("h200", keys, kv_heads)["median_us"]
            ratio = times(dense / step["median_us"])
            lines.append([thousands(keys), kv_heads, us(dense), us(step["median_us"]), spread(step), ratio, times(other)])
    columns = ["tokens", "KV heads", "dense, us", "step, us", "fastest to slowest", "step against dense", "on an H200"]
    return markdown(columns, lines)


def paged():
    """Steps and scores with an index in pages, beside one without."""
    rows = read("gpu/records/paged_index_h100.csv")
    lines = []
    for row in rows:
        if row["page_size"] == 0:
            continue
        sizes = {name: row[name] for name in ("rule", "kv_heads", "what")}
        without = one(rows, **sizes, page_size=0)
        more = f"{100 * (row['median_us'] / without['median_us'] - 1):+.1f}%"
        lines.append(
            [
                RULES[row["rule"]], f"{row['kv_heads']:.0f}", row["what"], f"{row['page_size']:.0f}",
                us(without["median_us"]), us(row["median_us"]), spread(row, "least_us", "largest_us"), more,
            ]
        )  # fmt: skip
    columns = ["rule", "KV heads", "what", "keys a page", "without pages, us", "in pages, us", "least to largest", "more"]
    return markdown(columns, lines)


def query_rows():
    """A step of several query rows beside as many steps of one."""
    rows = read("gpu/records/query_rows_h100.csv")
    lines = []
    for row in rows:
        if row["query_rows"] == 1 or row["steps"] != 1:
            continue
        sizes = {name: row[name] for name in ("rule", "kv_heads", "query_rows")}
        single = one(rows, **sizes, steps=row["query_rows"])
        lines.append(
            [
                RULES[row["rule"]], f"{row['kv_heads']:.0f}", f"{row['query_rows']:.0f}", us(row["median_us"]),
                spread(row), us(single["median_us"]), times(row["gain"]), f"{row['different']:.0f} of {row['compared']:.0f}",
            ]
        )  # fmt: skip
    columns = ["rule", "KV heads", "query rows", "one step, us", "fastest to slowest", "steps of one row, us", "gain"]
    return markdown([*columns, "heads that differ"], lines)


TABLES = {"gpu h100 steps": steps_on_both, "gpu index in pages": paged, "gpu query rows": query_rows}
SENTENCES = []
