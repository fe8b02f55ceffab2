"""The tables of the trained model: docs/records/learned/RUN/*.csv, which python/learned_attention writes."""

import math
import statistics as moments
import sys

from records import ROOT, markdown, one, read, thousands, where

sys.path.insert(0, str(ROOT / "plots"))
from learned_attention import LOOKS, LOSS_PANELS  # noqa: E402

FOLDER = "docs/records/learned"
RUNS = {"seed1": "seed 1", "seed2": "seed 2"}  # in the order of the tables
EARLIER = {"seed1-earlier": "seed 1, earlier"}  # with fewer cells, and eight draws of hyperplanes for all windows
FIRST = "seed1"
LENGTH, SPARSITY = 4096, 33
TEXT = (
    "kind", "claim", "words", "place", "ranker", "against", "verdict", "kind", "sinks", "only", "over", "measure", "worst_head",
    "statistic",
)  # fmt: skip
CORRELATED = ("oracle-top-k", "socket", "socket-value", "hard-lsh", "quest")
MAIN = {name for names in LOSS_PANELS.values() for name in names}
LABELS = {"dense": "all keys", "random": "random keys", "value-norm": "value norm alone"}
SINKS = {"forced": "always attended", "free": "compete", "barred": "never attended"}


def rows_of(run, table):
    return read(f"{FOLDER}/{run}/{table}.csv", text=TEXT)


def label(ranker):
    if ranker in LABELS:
        return LABELS[ranker]
    name = LOOKS[ranker][3]
    return f"{name}, τ = 0.5" if ranker in ("socket", "socket-value") else name


def interval(row):
    """Of Student's t, which is as wide on either side."""
    if not math.isclose(row["high"] - row["difference"], row["difference"] - row["low"], rel_tol=1e-4):
        raise ValueError(f"{row}: an interval that is not as wide on either side")
    return f"{row['difference']:.4f} ± {row['high'] - row['difference']:.4f}"


def over(run, base, length=LENGTH, sparsity=SPARSITY, sinks="forced"):
    """{ranker: its row} of text: the loss over that of `base`."""
    rows = where(rows_of(run, "losses"), kind="text", length=length, sparsity=sparsity, only="", over=base, sinks=sinks)
    return {row["ranker"]: row for row in rows}


def compared(rows):
    """Those that attend to as many keys as exact q.k does: what draws keys at random may attend to more."""
    most = rows["oracle-top-k"]["selected"]
    return [name for name, row in rows.items() if row["selected"] <= 1.01 * most]


def losses():
    """Every ranker of the first run, the least loss on top."""
    dense, exact = ({run: over(run, base) for run in RUNS} for base in ("dense", "oracle-top-k"))
    columns = ["ranked by"] + [f"{what}, {name}" for name in RUNS.values() for what in ("over dense", "over exact q.k")]
    lines = [
        [label(ranker)]
        + [interval(rows[ranker]) if ranker in rows else "-" for run in RUNS for rows in (dense[run], exact[run])]
        + [f"{dense[FIRST][ranker]['mass']:.3f}"]
        for ranker in sorted(compared(dense[FIRST]), key=lambda name: dense[FIRST][name]["difference"])
    ]
    return markdown([*columns, f"softmax mass, {RUNS[FIRST]}"], lines)


WHOSE = {"claim": "the paper's claim", "choice": "the paper's choice", "question": "our question"}


def verdict(rows):
    """One for both models where they agree; else of one and of the other."""
    said = [row["verdict"].replace("not told apart", "undecided") for row in rows]
    return f"{said[0]}, on both" if len(set(said)) == 1 else ", ".join(said)


def claims():
    runs = RUNS | EARLIER
    found = {run: {(row["ranker"], row["against"]): row for row in claims_of(run)} for run in runs}
    lines, before = [], None
    for row in claims_of(FIRST):
        quote = f" “{row['words']}” ({row['place']})" if row["words"] else ""
        said = f"{WHOSE[row['kind']]}: {row['claim']}.{quote}"
        pair = [found[run].get((row["ranker"], row["against"])) for run in runs]
        lines.append(
            ["" if said == before else said, label(row["ranker"]), label(row["against"])]
            + [interval(one) if one else "-" for one in pair]
            + [verdict([one for run, one in zip(runs, pair, strict=True) if one and run in RUNS])]
        )
        before = said
    return markdown(["claim or question", "loss of", "minus that of", *runs.values(), "on these models"], lines)


def claims_of(run, length=LENGTH, sparsity=SPARSITY):
    return where(rows_of(run, "claims"), length=length, sparsity=sparsity)


def sinks():
    ways = {way: over(FIRST, "dense", sinks=way) for way in SINKS}
    lines = [[label(name), *(interval(rows[name]) for rows in ways.values())] for name in ways["free"]]
    return markdown(["ranked by", *(f"first 4 keys {way}" for way in SINKS.values())], lines)


def agreement_of(measure):
    """Predicted against measured over the heads; of random keys the prediction is one number."""
    found = {
        run: {
            row["ranker"]: row
            for row in where(rows_of(run, "agreement"), length=LENGTH, sparsity=SPARSITY, measure=measure)
        }
        for run in RUNS
    }
    lines = []
    for ranker in (name for name in found[FIRST] if name != "random"):
        rows, worst = [of[ranker] for of in found.values()], found[FIRST][ranker]
        lines.append(
            [label(ranker)]
            + [", ".join(f"{row[name]:{form}}" for row in rows)
               for name, form in (("slope", ".2f"), ("mean_difference", "+.3f"), ("rms_difference", ".3f"))]
            + [worst["worst_head"], f"{worst['worst_measured']:.2f}", f"{worst['worst_predicted']:.2f}"]
        )  # fmt: skip
    return markdown(["ranker", "slope", "mean of measured minus predicted", "root mean square",
                     f"worst head, {RUNS[FIRST]}", "measured there", "predicted there"], lines)  # fmt: skip


def statistics():
    """Spearman's correlation over the heads of each statistic with the error of the output, relative to its length."""
    rows = {
        run: where(rows_of(run, "correlations"), length=LENGTH, sparsity=SPARSITY, measure="relative_error")
        for run in RUNS
    }

    def cell(ranker, name):
        return ", ".join(f"{one(of, ranker=ranker, statistic=name)['spearman']:+.2f}" for of in rows.values())

    names = dict.fromkeys(row["statistic"] for row in rows[FIRST])
    lines = [[name.replace("_", " "), *(cell(ranker, name) for ranker in CORRELATED)] for name in names]
    return markdown(["statistic of the head", *map(label, CORRELATED)], lines)


def value_norms():
    """What the value norms of attended keys are, and what is found with them; a line to each captured head."""
    lines = [
        [name, f"{row['layer']:.0f}.{row['head']:.0f}", row["kind"], f"{row['correlation']:+.2f}",
         f"{row['length_ratio']:.2f}", f"{row['score_variation']:.2f}", f"{row['norm_variation']:.2f}",
         *(f"{row[recall]:.2f}" for recall in ("recall", "value_recall", "dealt_recall"))]
        for run, name in RUNS.items()
        for row in rows_of(run, "value_norms")
    ]  # fmt: skip
    return markdown(["model", "head", "kind", "correlation", "length of top keys' values over the mean", "variation of scores",
                     "variation of norms", "recall of SOCKET", "recall, × ‖v‖", "recall, × ‖v‖ of another key"], lines)  # fmt: skip


FACTS = {
    "parameters": lambda run: f"{run['parameters'] / 1e6:.1f} M",
    "GPUs": lambda run: f"{run['processes']:.0f} {run['device']}",
    "seconds of training": lambda run: f"{run['seconds']:.0f}",
    "tokens trained on": lambda run: f"{run['tokens'] / 1e6:.0f} M",
    "tokens of the training text": lambda run: f"{run['corpus.train.tokens'] / 1e6:.0f} M",
    "validation loss (nats a token), windows of 1,024": lambda run: (
        f"{run['final_validation.text.1024.nats_per_token']:.3f}"
    ),
    "validation loss (nats a token), windows of 4,096": lambda run: (
        f"{run['final_validation.text.4096.nats_per_token']:.3f}"
    ),
}
PLACES = {"accuracy": "in noise", "accuracy_in_text": "in text"}


def run_records():
    return [one(read(f"{FOLDER}/{run}/run.json")) for run in RUNS | EARLIER]


def model():
    """What was trained, a column to each run."""
    runs = run_records()
    lines = [[name, *(shown(run) for run in runs)] for name, shown in FACTS.items()]
    return markdown(["", *(RUNS | EARLIER).values()], lines)


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


def listed(words):
    """ "a, b and c" """
    *first, last = words
    return f"{', '.join(first)} and {last}"


def times(run, ranker, base):
    means = over(run, "dense")
    return means[ranker]["difference"] / means[base]["difference"]


def value_norm():
    """How many times the loss of ranking without it: over temperatures and runs, and in each."""
    ratios = [[times(run, f"socket-value{t}", f"socket{t}") for t in ("", "-tau-0.3", "-tau-0.1")] for run in RUNS]
    found = {"least": f"{min(map(min, ratios)):.1f}", "most": f"{max(map(max, ratios)):.1f}"}
    for name, values in zip(("half", "third", "tenth"), zip(*ratios, strict=True), strict=True):
        found[name] = listed(f"{value:.1f}" for value in values)
    found["exact"] = listed(f"{times(run, 'softmax-times-value', 'oracle-top-k'):.1f}" for run in RUNS)
    rows = [where(claims_of(run), ranker="socket-value", against="socket")[0] for run in RUNS]
    found["added"] = listed(map(interval, rows))
    return found


def paired(run, one_cell, other):
    """ "0.0120 ± 0.0042": mean difference over the windows, and 1.985 standard errors (Student's, 95 degrees).

    windows.csv has the rows of four cells of tables/evaluation.csv in tables.tar.gz.
    """
    rows = rows_of(run, "windows")
    a, b = (where(rows, ranker=ranker, sinks=sinks) for ranker, sinks in (one_cell, other))
    differences = [x["loss"] - y["loss"] for x, y in zip(a, b, strict=True)]
    half = 1.985 * moments.stdev(differences) / math.sqrt(len(differences))
    return f"{moments.mean(differences):.4f} ± {half:.4f}"


def free_sinks():
    """What the first keys that compete cost SOCKET times the value norm."""
    cells = ("socket-value", "free"), ("socket-value", "forced")
    return {name.replace(" ", "_"): paired(run, *cells) for run, name in RUNS.items()}


def dealt_alone():
    cells = ("socket-dealt-value", "forced"), ("socket", "forced")
    return {name.replace(" ", "_"): paired(run, *cells) for run, name in RUNS.items()}


def count_of_bits():
    """The largest end of the intervals of SOCKET less the count of its equal bits."""
    rows = [where(claims_of(run), ranker="socket", against="hamming")[0] for run in RUNS]
    return {"most": f"{max(max(abs(row['low']), abs(row['high'])) for row in rows):.4f}"}


def without_norm():
    """By how much signed projections lead SOCKET where neither has the key's norm."""
    rows = [where(claims_of(run), ranker="signed-orthogonal", against="socket")[0] for run in RUNS]
    return {"lead": listed(f"{-row['difference']:.4f}" for row in rows)}


def dealt():
    """How much of the excess of SOCKET times the value norm stays where the norm is another key's, in percent by run."""
    found = {}
    for run, name in RUNS.items():
        means = {ranker: row["difference"] for ranker, row in over(run, "dense").items()}
        plain = means["socket"]
        found[name.replace(" ", "_")] = (
            f"{100 * (means['socket-dealt-value'] - plain) / (means['socket-value'] - plain):.0f}"
        )
    return found


def samplers():
    """The ranker that draws keys, and the dense loss that every difference is over."""
    rows = over(FIRST, "dense")
    drawn, exact = rows["magicpig"], rows["oracle-top-k"]
    return {
        "keys": f"{drawn['selected']:.0f}",
        "loss": listed(f"{over(run, 'dense')['magicpig']['difference']:.4f}" for run in RUNS),
        "exact": f"{exact['selected']:.0f}",
        "dense": listed(f"{over(run, 'dense')['oracle-top-k']['base_loss']:.3f}" for run in RUNS),
    }


def sinkless():
    """The largest share of a head's softmax mass on its first keys."""
    most = 0
    for run in RUNS:
        heads = {}
        for row in read(f"{FOLDER}/{run}/statistics-0-of-1.csv"):
            heads.setdefault((row["layer"], row["head"]), []).append(row["sink_mass"])
        most = max(most, *(sum(masses) / len(masses) for masses in heads.values()))
    return {"most": f"{100 * most:.1f}"}


def diffuse():
    """What the recall of the captured heads of the first layer is with the value norm and without."""
    rows = [row for run in RUNS for row in rows_of(run, "value_norms") if row["layer"] == 0]
    found = {"heads": f"{len(rows)}"}
    for name in ("length_ratio", "recall", "value_recall", "dealt_recall"):
        values = [row[name] for row in rows]
        found[name] = f"{min(values):.2f} to {max(values):.2f}"
    return found


def variations():
    """In percent, over the captured heads that are diffuse, and the others."""
    rows = [row for run in RUNS for row in rows_of(run, "value_norms")]

    def ends(name, diffuse_ones):
        values = [100 * row[name] for row in rows if (row["kind"] == "diffuse") == diffuse_ones]
        return f"{min(values):.0f} to {max(values):.0f}"

    return {
        "norms": ends("norm_variation", True), "scores": ends("score_variation", True),
        "other_norms": ends("norm_variation", False), "other_scores": ends("score_variation", False),
    }  # fmt: skip


TABLES = {
    "learned model": model,
    "learned retrieval": solved,
    "learned losses": losses,
    "learned claims": claims,
    "learned sinks": sinks,
    "learned value norms": value_norms,
    "learned agreement": lambda: agreement_of("recall"),
    "learned error agreement": lambda: agreement_of("relative_error"),
    "learned statistics": statistics,
}
