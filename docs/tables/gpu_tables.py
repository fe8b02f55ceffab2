"""What did the GPU runs give? The tables of gpu/ and docs/gpu, from gpu/records."""

from functools import partial

from gpu_rows import (
    ASKED,
    DENSE,
    FAMILIES,
    HEADS,
    LENGTHS,
    dense,
    frontier,
    index,
    published,
    score_ratios,
    speedup,
    stage,
    step_us,
    times,
    us,
)
from records import markdown, one, read, thousands, where

# Speed


def main_result():
    lines = [
        [thousands(keys), *(cell for kv in HEADS for cell in (us(step_us(keys, kv)), times(speedup(keys, kv))))]
        for keys in LENGTHS
    ]
    columns = ["tokens"]
    for kv_heads in HEADS:
        columns += [f"{kv_heads} KV heads, us", "speedup over dense"]
    return markdown(columns, lines)


def steps_by_length():
    lines = []
    for kv_heads in HEADS:
        for keys in LENGTHS:
            row = stage("decode-step", keys, kv_heads)
            lines.append(
                [
                    kv_heads, thousands(keys), us(row["median_us"]),
                    f"{us(row['fastest_us'])} to {us(row['slowest_us'])}",
                    us(dense("dense-flash", keys, kv_heads)), us(dense("dense-cudnn", keys, kv_heads)),
                    times(speedup(keys, kv_heads)), us(row["floor_us"]), f"{row['ratio']:.2f}",
                ]
            )  # fmt: skip
    columns = ["KV heads", "tokens", "step", "fastest to slowest", "flash", "cuDNN", "speedup"]
    return markdown([*columns, "floor", "step / floor"], lines)


STAGES = {
    "read-codes": "read codes only",
    "half-tables": "half-tables",
    "score-packed": "packed scores",
    "select-keys": "selection",
    "sparse-attention": "attention",
}


def stages_by_length():
    lines = []
    for kv_heads in HEADS:
        for keys in LENGTHS:
            medians = [stage(name, keys, kv_heads)["median_us"] for name in STAGES]
            whole = [sum(medians[1:]), step_us(keys, kv_heads), stage("replica-score", keys, kv_heads)["median_us"]]
            lines.append([kv_heads, thousands(keys), *map(us, medians + whole)])
    columns = ["sum of the four", "whole step", "published scoring kernel"]
    return markdown(["KV heads", "tokens", *STAGES.values(), *columns], lines)


def steps_by_batch():
    def cell(*shape):
        return f"{us(step_us(*shape))}, {times(speedup(*shape))}"

    lines = [
        [thousands(keys), kv_heads, *(cell(keys, kv_heads, batch) for batch in (1, 2, 4, 8))]
        for keys in (36864, ASKED)
        for kv_heads in HEADS
    ]
    return markdown(["tokens", "KV heads", "batch 1", "batch 2", "batch 4", "batch 8"], lines)


def floors():
    names = STAGES | {
        "decode-step": "whole step",
        "build-index": "index building",
        "append-token": "one token appended",
    }
    lines = []
    for name, words in names.items():
        cells = []
        for kv_heads in HEADS:
            row = stage(name, kv_heads=kv_heads)
            cells += [us(row["floor_bytes"] / 1e6), us(row["floor_us"]), us(row["median_us"]), f"{row['ratio']:.2f}"]
        lines.append([words, *cells])
    columns = [f"{kv} KV heads: {what}" for kv in HEADS for what in ("MB", "floor", "time", "time / floor")]
    return markdown(["stage", *columns], lines)


def settings():
    """The rows of gpu-bench at 145,408 tokens and 32 KV heads, as (what is varied, rows by stage)."""
    rows = where(read("gpu/records/decode_h200.csv"), batch=1, kv_heads=32, keys=ASKED)
    found = {}
    for row in rows:
        found.setdefault((row["tables"], row["planes"], row["budget"]), {})[row["stage"]] = row
    return sorted(found.items())


def setting_words(tables, planes, budget):
    return [f"{tables:.0f}", f"{planes:.0f}", thousands(budget)]


def steps_by_setting():
    names = ("read-codes", "score-packed", "sparse-attention", "decode-step")
    lines = [[*setting_words(*key), *(us(stages[name]["median_us"]) for name in names)] for key, stages in settings()]
    return markdown(["L", "P", "budget", "read codes only", "packed scores", "attention", "whole step"], lines)


def index_building():
    lines = []
    for operation, words in (
        ("build-index", "hashing and packing"),
        ("build-index-and-norms", "the same with value norms"),
        ("matmul-same", "PyTorch: product of the same keys and hyperplanes, writing every projection"),
        ("matmul-square", "PyTorch: product of two 8192 x 8192 matrices"),
        ("append-one-token", "one token appended to every head, norms included"),
    ):
        row = index(operation)
        rate = "" if row["tflops"] == "" else f"{row['tflops']:.0f}"
        lines.append([words, f"{row['median_us'] / 1000:.3g}", rate])
    for setting, words in (
        ("2x6", "2 groups of 6 bits"),
        ("32x4", "32 groups of 4 bits"),
        ("32x8", "32 groups of 8 bits"),
    ):
        milliseconds = thousands(index("product-quantisation", setting)["median_us"] / 1000)
        lines.append([f"k-means product quantisation on 16 CPU cores, {words}", milliseconds, ""])
    return markdown(["operation", "ms", "TFLOP/s"], lines)


PUBLISHED = {
    "replica-hash": "soft hash",
    "replica-inputs": "mask and norms",
    "replica-score": "scores",
    "replica-topk": "top-k",
    "replica-list": "checks and list",
    "replica-attention": "attention",
}


def published_steps():
    lines = []
    for keys in LENGTHS:
        stages = [published(name, keys) for name in PUBLISHED]
        whole = [
            published(name, keys) for name in ("replica-graph", "replica-eager", "replica-copy-eager", "decode-step")
        ]
        lines.append([thousands(keys), *map(us, [*stages, sum(stages), *whole])])
    columns = ["sum", "step as a graph", "from the host", "from the host, with the copy", "`skt_decode_step`, same run"]
    return markdown(["tokens", *PUBLISHED.values(), *columns], lines)


def published_kernel_blocks():
    rows = read("gpu/records/replica_h200.csv")
    spread = [f"{us(row['fastest_us'])} to {us(row['slowest_us'])}" for row in rows]
    lines = [
        [f"{row['threads']:.0f}", f"{row['tables_at_once']:.0f}", us(row["median_us"]), range_]
        for row, range_ in zip(rows, spread, strict=True)
    ]
    return markdown(["threads per block", "look-ups in flight", "us", "fastest to slowest"], lines)


def kernels_in_parts():
    rows = read("gpu/records/parts_h200.csv")

    def cell(kernels, kv_heads):
        return ", ".join(f"{row['median_us']:.2f}" for row in where(rows, kernels=kernels, kv_heads=kv_heads))

    return markdown(
        ["KV heads", "before, three runs", "after, three runs"],
        [[kv_heads, cell("before", kv_heads), cell("after", kv_heads)] for kv_heads in HEADS],
    )


def matrix_share():
    """The rate of hashing over that of a matrix product of the same run."""
    hashing, square = index("build-index"), index("matmul-square")
    operations = hashing["heads"] * hashing["keys"] * hashing["tables"] * hashing["planes"] * hashing["dim"]
    return operations / hashing["median_us"] / (square["setting"] ** 3 / square["median_us"])


def targets():
    host, graph, copies = (
        published(name) / published("decode-step") for name in ("replica-eager", "replica-graph", "replica-copy-eager")
    )
    rate = matrix_share()
    quantisation = min(index("product-quantisation", setting)["median_us"] for setting in ("2x6", "32x4", "32x8"))
    faster_index = quantisation / index("build-index")["median_us"]
    kernel = stage("replica-score")["median_us"]
    at = "145,408 tokens"
    wanted = [
        (f"{at}: a step in 150 us", us(step_us()), step_us() <= 150),
        (f"{at}: 3.5 times as fast as the faster dense attention", times(speedup()), speedup() >= 3.5),
        (f"{at}: 8 times as fast as the published step from the host", times(host), host >= 8),
        (f"{at}: 8 times as fast as the published step as a graph", times(graph), graph >= 8),
        (f"{at}: 8 times as fast as the published step with its copy", times(copies), copies >= 8),
        ("294,912 tokens: 4 times as fast as dense", times(speedup(294912)), speedup(294912) >= 4),
        ("18,432 tokens: faster than dense", times(speedup(18432)), speedup(18432) > 1),
        (f"{at}, 8 KV heads: 1.5 times as fast as dense", times(speedup(kv_heads=8)), speedup(kv_heads=8) >= 1.5),
        ("294,912 tokens, 8 KV heads: twice as fast as dense", times(speedup(294912, 8)), speedup(294912, 8) >= 2),
        (f"{at}: the published scoring kernel within 10% of its 402 us", us(kernel), kernel <= 1.1 * 402),
        ("hashing at 0.4 of the matrix rate of the same run", f"{rate:.2f}", rate >= 0.4),
        ("index building 50 times as fast as product quantisation", f"{faster_index:,.0f}x", faster_index >= 50),
    ]
    for keys in (73728, ASKED, 294912, 589824, 1048576):
        ratios = score_ratios(keys)
        reached = sum(ratio <= 1.2 for ratio in ratios)
        words = ", ".join(f"{ratio:.3f}" for ratio in ratios)
        verdict = {0: "no", len(ratios): "yes"}.get(reached, f"in {reached} rows of {len(ratios)}")
        wanted.append(
            (f"{thousands(keys)} tokens: packed scores in at most 1.2x the time to read codes", words, verdict)
        )
    words = {True: "yes", False: "**no**", "no": "**no**"}
    lines = [[asked, measured, words.get(reached, reached)] for asked, measured, reached in wanted]
    return markdown(["target", "measured", "reached"], lines)


def clocks():
    rows = [row for row in read("gpu/records/clock_counts.csv") if row["sm_mhz"] > 0]
    samples = sum(row["samples"] for row in rows)
    high = sum(row["samples"] for row in rows if row["sm_mhz"] >= 1965)
    return {
        "limited": f"{100 * sum(row['limited_by_power'] for row in rows) / samples:.0f}",
        "high": f"{100 * high / samples:.0f}",
        "least": thousands(min(row["sm_mhz"] for row in rows)),
    }


# Accuracy


def accuracy_by_length():
    lines = []
    for keys in LENGTHS:
        rows = [stage("decode-step", keys, kv_heads) for kv_heads in HEADS]
        cells = [f"{row[what]:.2f}" for row in rows for what in ("softmax_mass", "output_error")]
        lines.append([thousands(keys), thousands(rows[0]["budget"]), *cells])
    columns = [f"{kv} KV heads: {what}" for kv in HEADS for what in ("mass kept", "output error")]
    return markdown(["tokens", "budget", *columns], lines)


def accuracy_by_setting():
    lines = []
    for key, stages in settings():
        row = stages["decode-step"]
        accuracy = [f"{row[what]:.2f}" for what in ("softmax_mass", "output_error")]
        lines.append([*setting_words(*key), *accuracy, us(row["median_us"])])
    return markdown(["L", "P", "budget", "mass kept", "output error", "step, us"], lines)


FRONTIER = (("socket", 600), ("signed-orthogonal-norm", 320), ("true-top-k", 0))
FRONTIER_OF_SHARED_HEADS = (*FRONTIER[:2], ("signed-orthogonal-norm", 608), FRONTIER[2])
SHARED = {"kv_heads": 8, "keys": 294912}
RULE_WORDS = {"socket": "SOCKET", "signed-orthogonal-norm": "signed projection", "true-top-k": "exact ranking"}


def frontier_by_budget(settings, **wanted):
    rows = frontier(**wanted)
    lines = []
    for family in FAMILIES:
        of_family = where(rows, family=family)
        for budget in sorted({row["budget"] for row in where(of_family, rule="true-top-k")}):
            cells = []
            for rule, bits in settings:
                row = one(of_family, rule=rule, bits=bits, budget=budget)
                cells.append(f"{row['softmax_mass']:.2f} / {row['output_error']:.2f}")
                cells += [] if rule == "true-top-k" else [us(row["median_us"])]
            lines.append([family, f"{thousands(budget)} ({100 * budget / row['keys']:.0f}%)", *cells])
    columns = []
    for rule, bits in settings:
        columns += [f"{RULE_WORDS[rule]}, {bits} bits", "us"] if bits else [RULE_WORDS[rule]]
    return markdown(["keys", "budget", *columns], lines)


def mass_ratios():
    """Mass kept by the signed rule over that of 600 bits of SOCKET, 8 KV heads at 294,912 tokens: the ends over families and
    budgets. Of medians over the heads, and `worst` of the heads that keep least."""
    rows = frontier(**SHARED)

    def ratios(bits, quantity):
        signed = where(rows, rule="signed-orthogonal-norm", bits=bits)
        socket = {(row["family"], row["budget"]): row for row in where(rows, rule="socket", bits=600)}
        return [row[quantity] / socket[row["family"], row["budget"]][quantity] for row in signed]

    numbers = {}
    for bits in (320, 608):
        medians = ratios(bits, "softmax_mass")
        numbers |= {f"least{bits}": f"{min(medians):.2f}", f"most{bits}": f"{max(medians):.2f}"}
    return numbers | {"worst": f"{min(ratios(320, 'least_softmax_mass')):.2f}"}


def best_within(family, rule, limit, kv_heads):
    """The row of a family and rule that keeps most of the mass in so many microseconds."""
    rows = frontier(kv_heads, family=family, rule=rule)
    return max((row for row in rows if row["median_us"] <= limit), key=lambda row: row["softmax_mass"])


def frontier_in_time(limit, kv_heads=32):
    def cells(family, rule):
        row = best_within(family, rule, limit, kv_heads)
        setting = f"{row['bits']:.0f} bits, {thousands(row['budget'])} keys"
        return [f"{row['softmax_mass']:.2f} / {row['output_error']:.2f}", setting]

    lines = [[family, *cells(family, "socket"), *cells(family, "signed-orthogonal-norm")] for family in FAMILIES]
    return markdown(["keys", "SOCKET", "setting", "signed projection", "setting"], lines)


def signed_shared_heads(device):
    """Scores and steps of 32 query heads on 8 KV heads by the signed rule, and the faster dense attention."""
    rows = read(f"gpu/records/shared_heads_{device}.csv")
    lines = []
    for keys, bits in sorted({(row["keys"], row["bits"]) for row in rows if row["bits"] > 0}):
        scores, step = (one(rows, keys=keys, bits=bits, what=what) for what in ("scores", "step"))
        fastest = min(row["median_us"] for row in where(rows, keys=keys) if row["what"] in DENSE)
        spread = f"{us(step['fastest_us'])} to {us(step['slowest_us'])}"
        ratio = times(fastest / step["median_us"])
        lines.append(
            [thousands(keys), round(bits), us(scores["median_us"]), us(step["median_us"]), spread, us(fastest), ratio]
        )
    columns = ["tokens", "bits", "scores, us", "step, us", "fastest to slowest", "dense, us", "speedup over dense"]
    return markdown(columns, lines)


def dense_rounding():
    """The error of dense attention itself, in bf16, over the families."""
    rows = [row for row in frontier() if row["rule"] in DENSE]
    errors = [row["output_error"] for row in rows]
    return {
        "least": f"{min(errors):.4f}",
        "most": f"{max(errors):.4f}",
        "worst": f"{max(row['worst_output_error'] for row in rows):.4f}",
    }


def example(example, quantity):
    return one(read("gpu/records/examples.csv"), example=example, quantity=quantity)["value"]


TABLES = {
    "gpu main result": main_result,
    "gpu steps by length": steps_by_length,
    "gpu stages by length": stages_by_length,
    "gpu steps by batch": steps_by_batch,
    "gpu floors": floors,
    "gpu steps by setting": steps_by_setting,
    "gpu index building": index_building,
    "gpu published steps": published_steps,
    "gpu targets": targets,
    "gpu published kernel blocks": published_kernel_blocks,
    "gpu kernels in parts": kernels_in_parts,
    "gpu accuracy by length": accuracy_by_length,
    "gpu accuracy by setting": accuracy_by_setting,
    "gpu frontier by budget": partial(frontier_by_budget, FRONTIER),
    "gpu frontier by budget, 8 kv heads": partial(frontier_by_budget, FRONTIER_OF_SHARED_HEADS, **SHARED),
    "gpu signed shared heads": partial(signed_shared_heads, "h200"),
    "gpu signed shared heads, h100": partial(signed_shared_heads, "h100"),
    "gpu frontier in 150 us": partial(frontier_in_time, 150),
    "gpu frontier in 90 us, 8 kv heads": partial(frontier_in_time, 90, 8),
}
