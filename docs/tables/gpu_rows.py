"""Which rows of gpu/records do several pages of the GPU quote?"""

import re

import records
from formats import us
from records import ROOT, rows

HEADS = (32, 8)  # KV heads
LENGTHS = (8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576)
ASKED = 145408  # tokens of the published setting
DENSE = ("dense-flash", "dense-cudnn")
FAMILIES = ("gaussian", "sharp", "needles", "clustered")
RULES = {"soft-collision": "SOCKET", "signed-projection": "signed"}
PUBLISHED = {
    "replica-hash": "soft hash", "replica-inputs": "mask and norms", "replica-score": "scores", "replica-topk": "top-k",
    "replica-list": "checks and list", "replica-attention": "attention",
}  # fmt: skip


def spread(row, least="fastest_us", largest="slowest_us"):
    return f"{us(row[least])} to {us(row[largest])}"


def stage(name, keys=ASKED, kv_heads=32, batch=1, device="h200"):
    """Of gpu-bench at L = 60, P = 10 and 33 times fewer keys."""
    sizes = {"batch": batch, "tables": 60, "planes": 10, "budget": keys // 33}
    return rows(f"decode_{device}").one(stage=name, keys=keys, kv_heads=kv_heads, **sizes)


def step_us(keys=ASKED, kv_heads=32, batch=1, device="h200"):
    return stage("decode-step", keys, kv_heads, batch, device).median_us


def dense(keys=ASKED, kv_heads=32, batch=1, device="h200", backend=DENSE):
    """The faster of the backends."""
    return min(rows(f"dense_{device}").where(backend=backend, keys=keys, kv_heads=kv_heads, batch=batch).median_us)


def speedup(keys=ASKED, kv_heads=32, batch=1, device="h200"):
    """Of a step over dense attention."""
    return dense(keys, kv_heads, batch, device) / step_us(keys, kv_heads, batch, device)


def published(name, keys=ASKED):
    return rows("published_h200").one(stage=name, keys=keys).median_us


def published_sum(keys=ASKED):
    return sum(published(name, keys) for name in PUBLISHED)


def frontier(kv_heads=32, keys=ASKED, device="h200", **wanted):
    return rows(f"frontier_{device}").where(kv_heads=kv_heads, keys=keys, **wanted)


def index(operation, **setting):
    return rows("index_h200").one(operation=operation, **setting)


def quantisation():
    """The fastest of product quantisation on 16 cores, us."""
    return min(rows("index_h200").where(operation="product-quantisation", setting=("2x6", "32x4", "32x8")).median_us)


def candidate():
    """Of the template of a user's library: cases that failed, of how many, and that it does not support."""
    text = records.path_of("candidate.txt").read_text(encoding="utf-8")
    failed, cases = re.search(r"(\d+) of (\d+) cases failed", text).groups()
    return failed, cases, sum(map(int, re.findall(r"^unsupported \S+, (\d+) cases", text, re.MULTILINE)))


def edits_of(name):
    """The edits of a list of gpu/planted, as the kill matrix names them."""
    lines = (ROOT / f"gpu/planted/{name}.cmake").read_text(encoding="utf-8").splitlines()
    return [f"edit-{line[5:].split()[0]}" for line in lines if line.startswith("edit(")]


def caught(name, operation=None):
    """How many edits of a list a GPU caught, which are all that ran; with an operation those that its cases noticed."""
    ran = rows("kill_matrix").where(fault=tuple(edits_of(name)))
    if ran.where(verdict="caught") != ran:
        raise ValueError(f"gpu/planted/{name}.cmake: not all edits are caught")
    return len(ran) if operation is None else sum(count not in ("", 0) for count in getattr(ran, operation))


def signed_one_head(device):
    """(signed steps of 320 bits and 3%, cuDNN) of one query head to a KV head, by family."""
    of = frontier(device=device)
    return of.where(rule="signed-orthogonal-norm", bits=320, budget=4362), of.where(rule="dense-cudnn")


def times_dense(device):
    steps, dense_rows = signed_one_head(device)
    return [dense_rows.one(family=row.family).median_us / row.median_us for row in steps]


def kept(row):
    return f"{row.softmax_mass:.2f} / {row.output_error:.2f}"


def by_budget(settings, **wanted):
    """(family, budget, cells) of rankers with so many bits, each beside its time, and of the exact ranking."""
    for family in FAMILIES:
        exact = frontier(family=family, rule="true-top-k", **wanted)
        for budget in sorted(exact.budget):
            of = frontier(family=family, budget=budget, **wanted)
            cells = [
                cell
                for rule, bits in settings
                for row in [of.one(rule=rule, bits=bits)]
                for cell in (kept(row), us(row.median_us))
            ]
            yield family, budget, [*cells, kept(exact.one(budget=budget))]


def signed_shared_heads(device):
    """(tokens, bits, scores, step, us of the faster dense attention) of 32 query heads on 8 KV heads by the signed rule."""
    of = rows(f"shared_heads_{device}")
    for keys, bits in sorted({(row.keys, row.bits) for row in of if row.bits > 0}):
        scores, step = (of.one(keys=keys, bits=bits, what=what) for what in ("scores", "step"))
        yield keys, bits, scores, step, min(of.where(keys=keys, what=DENSE).median_us)


def rank_settings(device="h200"):
    """(GPUs, tokens, KV heads, {variant: row}) of steps over several GPUs."""
    of = rows(f"ranks_{device}")
    for ranks in sorted(set(of.ranks)):
        for kv_heads in HEADS:
            for keys in sorted(set(of.keys)):
                own = of.where(ranks=ranks, kv_heads=kv_heads, keys=keys)
                yield ranks, keys, kv_heads, {row.variant: row for row in own}


def over_ranks(device, ranks):
    """{variant: row} of 1,048,576 tokens and 32 KV heads."""
    return next(of for n, keys, kv_heads, of in rank_settings(device) if (n, keys, kv_heads) == (ranks, 1048576, 32))


def times_one(device, ranks):
    """How many times as fast as one GPU a step over the keys is."""
    of = over_ranks(device, ranks)
    return of["one"].median_us / of["keys"].median_us
