"""The tables of the trained model: docs/records/learned/RUN/*.csv, which python/learned_attention writes."""

import json
import sys

from records import ROOT, markdown, one, read, thousands, where

sys.path.insert(0, str(ROOT / "plots"))
from learned_attention import LOOKS  # noqa: E402

FOLDER = "docs/records/learned"
RUNS = ("seed1",)  # in the order of the tables
LENGTH, SPARSITY = 4096, 33
TEXT = ("claim", "words", "place", "ranker", "against", "verdict", "kind", "sinks", "only", "over")
LABELS = {"dense": "all keys", "random": "random keys", "value-norm": "value norm alone"}
SINKS = {"forced": "always attended", "free": "compete", "barred": "never attended"}


def rows_of(run, table):
    return read(f"{FOLDER}/{run}/{table}.csv", TEXT)


def run_record(run):
    return json.loads((ROOT / FOLDER / run / "run.json").read_text(encoding="utf-8"))


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


def losses(run=RUNS[0]):
    over_dense, over_exact = whole_model(run)
    lines = []
    for row in where(over_dense, sinks="forced"):
        exact = where(over_exact, ranker=row["ranker"], sinks="forced")
        lines.append(
            [label(row["ranker"]), interval(row), interval(exact[0]) if exact else "-", f"{row['mass']:.3f}",
             f"{row['selected']:.0f}"]
        )  # fmt: skip
    columns = ["ranked by", "nats over dense", "nats over exact q.k", "softmax mass", "keys attended"]
    return markdown(columns, lines)


def claims(run=RUNS[0]):
    lines, before = [], None
    for row in where(rows_of(run, "claims"), length=LENGTH, sparsity=SPARSITY):
        words = f"{row['claim']}" + (f": “{row['words']}” ({row['place']})" if row["words"] else " (not the paper's)")
        lines.append(
            ["" if row["claim"] == before else words, label(row["ranker"]), label(row["against"]), interval(row),
             row["verdict"]]
        )  # fmt: skip
        before = row["claim"]
    return markdown(["claim", "said to lose less", "than", "difference of loss", "on this model"], lines)


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


def model():
    """What was trained, a column to each run."""
    records = [run_record(run) for run in RUNS]
    facts = {
        "parameters": lambda r: f"{r['parameters'] / 1e6:.1f} M",
        "GPUs": lambda r: f"{r['processes']} {r['device']}",
        "seconds of training": lambda r: f"{r['seconds']:.0f}",
        "tokens trained on": lambda r: f"{r['tokens'] / 1e6:.0f} M",
        "tokens of the training text": lambda r: f"{r['corpus']['train']['tokens'] / 1e6:.0f} M",
        "nats a token, windows of 1,024": lambda r: f"{nats(r, '1024'):.3f}",
        "nats a token, windows of 4,096": lambda r: f"{nats(r, '4096'):.3f}",
    }
    lines = [[name, *(shown(record) for record in records)] for name, shown in facts.items()]
    for kind, words in (("accuracy", "in noise"), ("accuracy_in_text", "in text")):
        for length, accuracies in records[0]["final_validation"][kind].items():
            for task in accuracies:
                shown = [share(record["final_validation"][kind][length][task]) for record in records]
                lines.append([f"{task.replace('_', ' ')} {words}, {thousands(int(length))} tokens", *shown])
    return markdown(["", *(f"seed {record['seed']}" for record in records)], lines)


def nats(record, window):
    return record["final_validation"]["text"][window]["nats_per_token"]


def share(value):
    return f"{100 * value:.0f}%"


TABLES = {
    "learned model": model,
    "learned losses": losses,
    "learned claims": claims,
    "learned sinks": sinks,
    "learned tasks": tasks,
}
SENTENCES = []
