"""The tables of the trained model: docs/records/learned/RUN/*.csv, which python/learned_attention writes."""

import sys

from records import ROOT, markdown, one, read, thousands, where

sys.path.insert(0, str(ROOT / "plots"))
from learned_attention import LOOKS  # noqa: E402

FOLDER = "docs/records/learned"
PAGE = "docs/learned-attention.md"
RUNS = ("seed1",)  # in the order of the tables
LENGTH, SPARSITY = 4096, 33
TEXT = (
    "kind", "claim", "words", "place", "ranker", "against", "verdict", "kind", "sinks", "only", "over", "measure", "worst_head",
    "statistic",
)  # fmt: skip
CORRELATED = ("oracle-top-k", "socket", "socket-value", "signed-orthogonal-norm", "hard-lsh", "quest")
LABELS = {"dense": "all keys", "random": "random keys", "value-norm": "value norm alone"}
SINKS = {"forced": "always attended", "free": "compete", "barred": "never attended"}


def rows_of(run, table):
    return read(f"{FOLDER}/{run}/{table}.csv", text=TEXT)


def label(ranker):
    if ranker in LABELS:
        return LABELS[ranker]
    name = LOOKS[ranker][3]
    return f"{name}, τ = 0.5" if ranker in ("socket", "socket-value") else name


def interval(row, digits=4):
    return f"{row['difference']:.{digits}f} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"


def whole_model(run):
    """Losses of text at the settings of the page, of every ranker with the sinks always attended."""
    rows = where(rows_of(run, "losses"), kind="text", length=LENGTH, sparsity=SPARSITY, only="")
    return sorted(where(rows, over="dense"), key=lambda row: row["difference"]), where(rows, over="oracle-top-k")


def compared(rows):
    """Those that attend to as many keys as exact q.k does: what draws keys at random may attend to more."""
    most = one(rows, ranker="oracle-top-k")["selected"]
    return [row for row in rows if row["selected"] <= 1.01 * most]


def losses(run=RUNS[0]):
    over_dense, over_exact = whole_model(run)
    lines = []
    for row in compared(where(over_dense, sinks="forced")):
        exact = where(over_exact, ranker=row["ranker"], sinks="forced")
        lines.append(
            [label(row["ranker"]), interval(row), interval(exact[0]) if exact else "-", f"{row['mass']:.3f}",
             f"{row['selected']:.0f}"]
        )  # fmt: skip
    columns = ["ranked by", "nats over dense", "nats over exact q.k", "softmax mass", "keys attended"]
    return markdown(columns, lines)


WHOSE = {"claim": "the paper's claim", "choice": "the paper's choice", "question": "our question"}


def claims(run=RUNS[0]):
    lines, before = [], None
    for row in where(rows_of(run, "claims"), length=LENGTH, sparsity=SPARSITY):
        quote = f" “{row['words']}” ({row['place']})" if row["words"] else ""
        said = f"{WHOSE[row['kind']]}: {row['claim']}.{quote}"
        lines.append(
            ["" if said == before else said, label(row["ranker"]), label(row["against"]), interval(row), row["verdict"]]
        )
        before = said
    return markdown(["asked", "said to lose less", "than", "difference of loss", "on this model"], lines)


def sinks(run=RUNS[0]):
    over_dense, _ = whole_model(run)
    names = dict.fromkeys(row["ranker"] for row in over_dense if row["sinks"] == "free")
    lines = [
        [label(name)] + [interval(one(over_dense, ranker=name, sinks=way)) for way in SINKS]
        for name in names
    ]  # fmt: skip
    return markdown(["ranked by", *(f"first 4 keys {way}" for way in SINKS.values())], lines)


def tasks(run=RUNS[0]):
    """Whole examples right; a dash where the evaluation did not come to it."""
    rows = where(rows_of(run, "accuracies"), length=LENGTH, sparsity=SPARSITY)
    names = list(dict.fromkeys(row["kind"] for row in rows))
    dense = {row["kind"]: row["dense_accuracy"] for row in rows}
    lines = [[label("dense"), *(f"{dense[name]:.2f}" for name in names)]]
    for ranker in dict.fromkeys(row["ranker"] for row in rows):
        own = {row["kind"]: f"{row['accuracy']:.2f}" for row in where(rows, ranker=ranker)}
        if len(own) == len(names):
            lines.append([label(ranker), *(own[name] for name in names)])
    return markdown(["ranked by", *(name.replace("_", " ") for name in names)], lines)


def agreement(run=RUNS[0]):
    """Predicted recall against measured, over the heads; of random keys the prediction is one number."""
    rows = where(rows_of(run, "agreement"), length=LENGTH, sparsity=SPARSITY, measure="recall")
    lines = [
        [label(row["ranker"]), f"{row['heads']:.0f}", f"{row['slope']:.2f}", f"{row['mean_difference']:+.3f}",
         f"{row['rms_difference']:.3f}", row["worst_head"], f"{row['worst_measured']:.2f}",
         f"{row['worst_predicted']:.2f}"]
        for row in rows
        if row["ranker"] != "random"
    ]  # fmt: skip
    return markdown(["ranker", "heads", "slope", "mean, measured less predicted", "root mean square", "worst head",
                     "measured there", "predicted there"], lines)  # fmt: skip


def statistics(run=RUNS[0]):
    """Spearman's correlation over the heads of each statistic with the error of the output, relative to its length."""
    rows = where(rows_of(run, "correlations"), length=LENGTH, sparsity=SPARSITY, measure="relative_error")
    names = dict.fromkeys(row["statistic"] for row in rows)
    lines = [
        [
            name.replace("_", " "),
            *(f"{one(rows, ranker=ranker, statistic=name)['spearman']:+.2f}" for ranker in CORRELATED),
        ]
        for name in names
    ]
    return markdown(["statistic of the head", *map(label, CORRELATED)], lines)


FACTS = {
    "parameters": lambda run: f"{run['parameters'] / 1e6:.1f} M",
    "GPUs": lambda run: f"{run['processes']:.0f} {run['device']}",
    "seconds of training": lambda run: f"{run['seconds']:.0f}",
    "tokens trained on": lambda run: f"{run['tokens'] / 1e6:.0f} M",
    "tokens of the training text": lambda run: f"{run['corpus.train.tokens'] / 1e6:.0f} M",
    "nats a token, windows of 1,024": lambda run: f"{run['final_validation.text.1024.nats_per_token']:.3f}",
    "nats a token, windows of 4,096": lambda run: f"{run['final_validation.text.4096.nats_per_token']:.3f}",
}
PLACES = {"accuracy": "in noise", "accuracy_in_text": "in text"}


def run_records():
    return [one(read(f"{FOLDER}/{run}/run.json")) for run in RUNS]


def model():
    """What was trained, a column to each run."""
    runs = run_records()
    lines = [[name, *(shown(run) for run in runs)] for name, shown in FACTS.items()]
    return markdown(["", *(f"seed {run['seed']:.0f}" for run in runs)], lines)


def solved():
    """Share of answers that the dense model gives, a column to each length; of several runs one behind the other."""
    runs, head = run_records(), "final_validation."
    places = [key.removeprefix(head).split(".") for key in runs[0] if key.startswith(head) and key.count(".") == 3]
    kinds = dict.fromkeys((place, task) for place, _, task in places if place in PLACES)
    lengths = list(dict.fromkeys(length for place, length, _ in places if place in PLACES))
    lines = [
        [f"{task.replace('_', ' ')} {PLACES[place]}"]
        + [", ".join(f"{100 * run[f'{head}{place}.{length}.{task}']:.0f}%" for run in runs) for length in lengths]
        for place, task in kinds
    ]
    return markdown(["", *(f"{thousands(int(length))} tokens" for length in lengths)], lines)


def over_dense():
    return {row["ranker"]: row["difference"] for row in where(whole_model(RUNS[0])[0], sinks="forced")}


def value_norm():
    """How many times the loss of ranking without it, by temperature and with exact weights; and of both the loss."""
    means = over_dense()
    ratios = [means[f"socket-value{t}"] / means[f"socket{t}"] for t in ("", "-tau-0.3", "-tau-0.1")]
    return {
        "least": f"{min(ratios):.1f}",
        "middle": f"{sorted(ratios)[1]:.1f}",
        "most": f"{max(ratios):.1f}",
        "exact": f"{means['softmax-times-value'] / means['oracle-top-k']:.1f}",
    }


def samplers():
    """The ranker that draws keys, and the dense loss that every difference is over."""
    rows = where(whole_model(RUNS[0])[0], sinks="forced")
    drawn, exact = one(rows, ranker="magicpig"), one(rows, ranker="oracle-top-k")
    return {
        "keys": f"{drawn['selected']:.0f}",
        "loss": f"{drawn['difference']:.4f}",
        "exact": f"{exact['selected']:.0f}",
        "dense": f"{exact['base_loss']:.3f}",
    }


def sinkless():
    """The largest share of a head's softmax mass on its first keys, and the budget."""
    rows = read(f"{FOLDER}/{RUNS[0]}/statistics-0-of-1.csv")
    heads = {}
    for row in rows:
        heads.setdefault((row["layer"], row["head"]), []).append(row["sink_mass"])
    return {"most": f"{100 * max(sum(masses) / len(masses) for masses in heads.values()):.1f}"}


TABLES = {
    "learned model": model,
    "learned retrieval": solved,
    "learned losses": losses,
    "learned claims": claims,
    "learned sinks": sinks,
    "learned tasks": tasks,
    "learned agreement": agreement,
    "learned statistics": statistics,
}
SENTENCES = [
    ("README.md", "value norm costs {least} to {most} times the loss, by temperature", value_norm),
    (PAGE, "{most} times the loss at τ = 0.5, {middle} at 0.3, {least} at 0.1", value_norm),
    (PAGE, "With exact softmax weights it is {exact} times", value_norm),
    (PAGE, "{exact} keys attend in all, 21 times fewer than are visible", samplers),
    (PAGE, "Dense attention loses {dense} nats a token on the same positions", samplers),
    (PAGE, "attends to {keys} keys and loses {loss} nats", samplers),
    (PAGE, "at most {most}% of a head's softmax mass", sinkless),
]
