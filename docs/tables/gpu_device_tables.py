"""What do lengths on the device, pages, query rows, ranks and an H100 cost? docs/gpu/{lengths,pages,query_rows,ranks,h100}.md."""

from gpu_rows import ASKED, DENSE, HEADS, LENGTHS, times, us
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
            lines.append(
                [thousands(keys), kv_heads, us(dense), us(step["median_us"]), spread(step), ratio, times(other)]
            )
    columns = ["tokens", "KV heads", "dense, us", "step, us", "fastest to slowest", "speedup over dense", "on an H200"]
    return markdown(columns, lines)


def paged():
    """Steps and scores with an index in pages, beside one without."""
    rows = read("gpu/records/paged_index_h200.csv")
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
    columns = [
        "rule",
        "KV heads",
        "operation",
        "keys per page",
        "without pages, us",
        "in pages, us",
        "fastest to slowest",
        "difference",
    ]
    return markdown(columns, lines)


def query_rows():
    """A step of several query rows beside as many steps of one."""
    rows = read("gpu/records/query_rows_h200.csv")
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


GROWING = "gpu/records/growing_h200.csv"
COMPARED = {"rows": "rows of output and log-sum-exp", "indexed-keys": "indexed keys"}
LENGTHS_CALLED = {
    "equal": "all as long as the mean",
    "ragged": "drawn from 1 to 32,768",
    "equal-told": "all as long as the mean",
    "all-at-the-most": "all 32,768",
    "all-at-the-most-told": "all 32,768",
    "told": "one sequence",
    "lengths": "one sequence",
}


def rows_of(measurement, **wanted):
    return where(read(GROWING), measurement=measurement, **wanted)


def lengths_compared():
    """What was compared after 10,000 replays, and after as many as a planted fault had."""
    lines = []
    for row in rows_of("growing"):
        kind, _, fault = row["variant"].partition(", ")
        numbers = [thousands(row[name]) for name in ("steps", "compared", "mismatches")]
        lines.append([f"`{fault}`" if fault else "none", numbers[0], COMPARED[kind], *numbers[1:]])
    return markdown(["planted fault", "replays", "compared", "count", "different"], lines)


def lengths_cost():
    lines = []
    for row in rows_of("ragged") + rows_of("long"):
        lines.append(
            [
                f"{row['batch']:.0f}", f"{row['kv_heads']:.0f}", LENGTHS_CALLED[row["variant"]], thousands(row["tokens"]),
                row["lengths"], us(row["median_us"]), f"{us(row['fastest_us'])} to {us(row['slowest_us'])}",
                f"{row['ratio']:.3f}",
            ]
        )  # fmt: skip
    columns = ["sequences", "KV heads", "lengths", "total tokens", "lengths known to the", "us", "fastest to slowest"]
    return markdown([*columns, "ratio to the first row of its kind"], lines)


def rank_settings(device="h200"):
    """How many GPUs, tokens, KV heads, and the times of each variant."""
    rows = read(f"gpu/records/ranks_{device}.csv")
    for ranks in sorted({row["ranks"] for row in rows}):
        for kv_heads in HEADS:
            for keys in sorted({row["keys"] for row in rows}):
                own = where(rows, ranks=ranks, kv_heads=kv_heads, keys=keys)
                yield (round(ranks), keys, kv_heads), {row["variant"]: row for row in own}


def of_setting(setting):
    ranks, keys, kv_heads = setting
    return [ranks, thousands(keys), kv_heads]


def ranks():
    """A step over several GPUs, by keys and by heads, beside one GPU."""
    lines = []
    for setting, variants in rank_settings():
        alone = variants["one"]["median_us"]
        cells = [*of_setting(setting), us(alone)]
        for variant in ("keys", "heads"):
            row = variants[variant]
            cells += [us(row["median_us"]), spread(row), times(alone / row["median_us"])]
        lines.append(cells)
    columns = ["GPUs", "tokens", "KV heads", "one GPU, us"]
    for split in ("keys", "heads"):
        columns += [f"split by {split}, us", "fastest to slowest", "speedup"]
    return markdown(columns, lines)


STAGES = {
    "scores": "half-tables and scores",
    "counts": "two counts",
    "lists": "list",
    "attention": "attention",
    "exchanges": "four exchanges",
}


def exchanges():
    times = [variants["exchanges"]["median_us"] for _, variants in rank_settings()]
    return {"least": us(min(times)), "most": us(max(times))}


def rank_stages():
    """The stages of a step whose keys are on several GPUs, each by itself."""
    lines = []
    for setting, variants in rank_settings():
        stages = [variants[name]["median_us"] for name in STAGES]
        lines.append([*of_setting(setting), *map(us, stages), us(sum(stages)), us(variants["keys"]["median_us"])])
    return markdown(["GPUs", "tokens", "KV heads", *STAGES.values(), "sum", "step"], lines)


AIMS = (  # tokens, bits, what, aimed at
    (294912, 320, "scores", 40),
    (294912, 608, "scores", 60),
    (294912, 320, "step", 2.6),
    (294912, 608, "step", 2.2),
    (145408, 320, "step", 2.2),
    (145408, 608, "step", 1.9),
)


def aims_of_signed_heads():
    """Scores in us, and a step as a multiple of the faster dense attention, beside what was aimed at."""
    rows = read("gpu/records/shared_heads_h200.csv")
    lines = []
    for keys, bits, what, aim in AIMS:
        taken = one(rows, keys=keys, bits=bits, what=what)["median_us"]
        if what == "scores":
            read_us = one(rows, keys=keys, bits=bits, what="read")["median_us"]
            cells = [f"{aim} us", f"{us(taken)} us, {times(taken / read_us)} the read time", taken <= aim]
        else:
            ratio = min(row["median_us"] for row in where(rows, keys=keys) if row["what"] in DENSE) / taken
            cells = [f"{aim}x dense", f"{ratio:.3f}x", ratio >= aim]
        lines.append([thousands(keys), bits, what, *cells[:2], "yes" if cells[2] else "**no**"])
    return markdown(["tokens", "bits", "operation", "target", "measured", "reached"], lines)


CALLED = {"score-packed": "scores", "decode-step": "step", "scores": "scores", "step": "step"}


def usual_launches():
    """Two builds in turn: each median of both runs."""
    rows = read("gpu/records/usual_h200.csv", text=("library",))
    lines = []
    for row in where(rows, library="d0add49", run=1):
        sizes = {name: row[name] for name in ("kv_heads", "keys", "rule", "bits", "what")}
        medians = [
            ", ".join(us(one(rows, library=library, run=run, **sizes)["median_us"]) for run in (1, 2))
            for library in ("d0add49", "a9d686d")
        ]
        rule = f"{RULES[row['rule']]}, {row['bits']:.0f} bits"
        lines.append([thousands(row["keys"]), f"{row['kv_heads']:.0f}", rule, CALLED[row["what"]], *medians])
    return markdown(["tokens", "KV heads", "rule", "operation", "before", "with the instances"], lines)


TABLES = {
    "gpu usual launches": usual_launches,
    "gpu signed shared heads, aims": aims_of_signed_heads,
    "gpu lengths compared": lengths_compared,
    "gpu lengths cost": lengths_cost,
    "gpu h100 steps": steps_on_both,
    "gpu index in pages": paged,
    "gpu query rows": query_rows,
    "gpu ranks": ranks,
    "gpu rank stages": rank_stages,
}


def cost_of_lengths():
    rows = where(read("gpu/records/growing_h100.csv"), measurement="long", variant="lengths")
    return {f"of{kv_heads}": f"{one(rows, kv_heads=kv_heads)['ratio']:.3f}" for kv_heads in HEADS}


def over_ranks(device, ranks):
    """The rows of 1,048,576 tokens and 32 KV heads: a step over keys and one on one GPU."""
    variants = dict(rank_settings(device))[ranks, 1048576, 32]
    return variants["keys"], variants["one"]


def times_one(device, ranks, time="median_us"):
    """The same, how many times as fast as one GPU at its median or its fastest."""
    keys, one_gpu = over_ranks(device, ranks)
    return one_gpu[time] / keys["median_us"]


def over_two():
    return {"step": us(over_ranks("h100", 2)[0]["median_us"]), "times": f"{times_one('h100', 2):.2f}"}


def aims_of_ranks():
    """By the medians of the run, and against the fastest step of one GPU in any record."""
    numbers = {"two_h100": f"{times_one('h100', 2):.3f}"}
    of_one = [over_ranks("h200", ranks)[1] for ranks in (2, 4)]
    least = min(row["fastest_us"] for row in (step_of("h200", 1048576, 32), *of_one))
    for name, ranks in (("four", 4), ("two", 2)):
        numbers[name] = f"{times_one('h200', ranks):.3f}"
        numbers[f"least_{name}"] = f"{least / over_ranks('h200', ranks)[0]['median_us']:.2f}"
    return numbers | {"least_one": us(least), "most_one": us(max(row["slowest_us"] for row in of_one))}


def length_ratios():
    """Of the ragged batch against the equal one, and of a long sequence against one that the host tells its length."""
    numbers = {"ragged": f"{one(rows_of('ragged'), variant='ragged')['ratio']:.3f}"}
    for kv_heads in HEADS:
        row = one(rows_of("long"), kv_heads=kv_heads, variant="lengths", tokens=ASKED)
        numbers[f"long{kv_heads}"] = f"{row['ratio']:.3f}"
    return numbers


def room_for_lengths():
    """Of grids and lists of the mean, as the host's number asks for, against those for the capacity."""
    return {"room": f"{one(rows_of('ragged'), variant='equal-told')['ratio']:.3f}"}


def signed_one_head(device):
    """Signed rule, 320 bits, 3%, one query head to a KV head: the ends over the families."""
    rows = where(read(f"gpu/records/frontier_{device}.csv"), kv_heads=32)
    steps = where(rows, rule="signed-orthogonal-norm", bits=320, budget=4362)
    dense = [row for row in rows if row["rule"] == "dense-cudnn"]
    numbers = {}
    for name, some in (("step", steps), ("dense", dense)):
        found = [row["median_us"] for row in some]
        numbers |= {f"{name}_least": f"{min(found):.0f}", f"{name}_most": f"{max(found):.0f}"}
    ratios = [one(dense, family=row["family"])["median_us"] / row["median_us"] for row in steps]
    return numbers | {"times_least": f"{min(ratios):.2f}", "times_most": f"{max(ratios):.2f}"}
