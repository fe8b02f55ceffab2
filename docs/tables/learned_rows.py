"""Which rows of docs/records/learned do several pages quote? python/learned_attention and learned_heads.sh make them."""

import functools
import json
import math
import statistics
import sys

import records
from records import ROOT, Rows, record, rows

sys.path.insert(0, str(ROOT / "plots"))
from learned_attention import LOOKS, LOSS_PANELS  # noqa: E402

RUNS = {"seed1": "seed 1", "seed2": "seed 2"}  # in the order of the tables
EARLIER = {"seed1-earlier": "seed 1, earlier"}  # with fewer cells, and eight draws of hyperplanes for all windows
FIRST, WIDE = "seed1", "seed3"  # the evaluation of the last had the time for all budgets and lengths
LENGTH, SPARSITY = 4096, 33
MAIN = {name for names in LOSS_PANELS.values() for name in names}
LABELS = {"dense": "all keys", "random": "random keys", "value-norm": "value norm alone"}
ABLATED = ("oracle-top-k", "socket", "socket-value", "hard-lsh")


def rows_of(run, table, length=LENGTH, sparsity=SPARSITY, **wanted):
    return rows(f"learned/{run}/{table}").where(length=length, sparsity=sparsity, **wanted)


def run_record(run):
    return record(f"learned/{run}/run.json")


def label(ranker):
    if ranker in LABELS:
        return LABELS[ranker]
    name = LOOKS[ranker][3]
    return f"{name}, τ = 0.5" if ranker in ("socket", "socket-value") else name


def interval(row):
    """Of Student's t, which is as wide on either side; a dash for no row."""
    if row is None:
        return "-"
    if not math.isclose(row.high - row.difference, row.difference - row.low, rel_tol=1e-4):
        raise ValueError(f"{row}: an interval that is not as wide on either side")
    return f"{row.difference:.4f} ± {row.high - row.difference:.4f}"


@functools.cache
def over(run, base="dense", length=LENGTH, sparsity=SPARSITY, sinks="forced"):
    """{ranker: its row} of text: the loss over that of `base`."""
    found = rows_of(run, "losses", length, sparsity, kind="text", only="", over=base, sinks=sinks)
    return {row.ranker: row for row in found}


def times_loss(run, ranker, base, *place):
    """How many times the loss over dense of `base` a ranker has."""
    found = over(run, "dense", *place)
    return found[ranker].difference / found[base].difference


def value_ratios(*temperatures):
    """How many times the loss of SOCKET its product with the value norm has, of both runs."""
    taus = temperatures or ("", "-tau-0.3", "-tau-0.1")
    return [times_loss(run, f"socket-value{tau}", f"socket{tau}") for tau in taus for run in RUNS]


def compared(found):
    """Rankers that attend to as many keys as exact q.k does, the least loss first."""
    most = 1.01 * found["oracle-top-k"].selected
    return sorted((name for name in found if found[name].selected <= most), key=lambda name: found[name].difference)


@functools.cache
def claims_of(run, *place):
    """{(ranker, the one it is against): row}"""
    return {(row.ranker, row.against): row for row in rows_of(run, "claims", *place)}


def paired(run, one_cell, other):
    """ "0.0120 ± 0.0042": mean difference over the windows of two (ranker, sinks), and 1.985 standard errors (Student's,
    95 degrees). windows.csv has the rows of these cells of tables/evaluation.csv in tables.tar.gz.
    """
    a, b = (
        rows(f"learned/{run}/windows").where(ranker=ranker, sinks=sinks).loss for ranker, sinks in (one_cell, other)
    )
    differences = [x - y for x, y in zip(a, b, strict=True)]
    half = 1.985 * statistics.stdev(differences) / math.sqrt(len(differences))
    return f"{statistics.mean(differences):.4f} ± {half:.4f}"


def solved(run):
    """{(place, length, task): share of answers that the dense model gives}"""
    head, found = "final_validation.", vars(run_record(run))
    places = {
        tuple(name.removeprefix(head).split(".")): value for name, value in found.items() if name.startswith(head)
    }
    return {place: value for place, value in places.items() if len(place) == 3 and place[0].startswith("accuracy")}


def task_lines(run, length=LENGTH):
    """[(label, {task: share of whole examples right})]; a ranker that was not reached with all tasks is left out. A star
    marks a difference to dense outside chance."""
    found = rows_of(run, "accuracies", length)
    lines = [(label("dense"), {row.kind: f"{row.dense_accuracy:.2f}" for row in found})]
    for ranker in found.distinct("ranker"):
        own = found.where(ranker=ranker)
        shares = {row.kind: f"{row.accuracy:.2f}" + "*" * (row.high < 0 or row.low > 0) for row in own}
        lines += [(label(ranker), shares)] * (len(own) == len(lines[0][1]))
    return lines


@functools.cache
def alone(ranker):
    """Rows of loss where one head alone is sparse, the largest first."""
    found = rows_of(WIDE, "ablations", ranker=ranker, over="dense")
    return Rows(sorted(found, key=lambda row: -row.difference))


def first_layer(ranker):
    """What the heads of the first layer add up to, each alone."""
    return sum(alone(ranker).where(only=lambda head: head.startswith("0.")).difference)


def told_apart(ranker):
    """How many heads cost more than 0; a head without bounds is none of them."""
    return sum(isinstance(low, float) and low > 0 for low in alone(ranker).low)


def at_once(ranker):
    """Mean loss over dense of the windows of the single heads, all heads being sparse."""
    found = rows(f"learned/{WIDE}/windows")
    dense = {row.example: row.loss for row in found.where(ranker="dense")}
    differences = [row.loss - dense[row.example] for row in found.where(ranker=ranker)]
    if len(differences) != alone(ranker)[0].windows:
        raise ValueError(f"{ranker}: {len(differences)} windows; allowed are those of the single heads")
    return statistics.mean(differences)


def ranks(numbers):
    """Twice the place of each, equal ones sharing theirs."""
    return [sum(other < number for other in numbers) + sum(other <= number for other in numbers) for number in numbers]


def loss_and_error(ranker):
    """Spearman's correlation over the heads of the loss of one with the error of its output."""
    losses = {row.only: row.difference for row in alone(ranker)}
    pairs = [
        (losses[f"{row.layer:.0f}.{row.head:.0f}"], row.relative_error) for row in rows_of(WIDE, "heads", ranker=ranker)
    ]
    return statistics.correlation(*map(ranks, zip(*pairs, strict=True)))


# One query of each of the heads that come with the program.


@functools.cache
def kept_heads():
    """(name in the model, kind, effective keys) of each in the order of the file, whose first eight bytes say how long
    its JSON is."""
    with open(records.path_of("experiments/families/learned_heads.safetensors"), "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return [
        (f"{layer['layer']}.{head['head']}", head["kind"], head["effective_keys"])
        for layer in json.loads(header["__metadata__"]["heads"])
        for head in layer["heads"]
    ]


def kinds():
    return list(dict.fromkeys(kind for _, kind, _ in kept_heads()))


def of_kind(table, kind=None, **wanted):
    """Rows of the heads of a kind, or of all, kind after kind."""
    found = rows(f"learned/kept_heads/{table}").where(**wanted)
    if kind is None:
        return Rows(row for each in kinds() for row in of_kind(table, each, **wanted))
    return Rows(row for row in found if kept_heads()[head_of(row)][1] == kind)


def head_of(row):
    """The number of a head, which a table has as it is or as learned-3."""
    return round(row.head) if "head" in vars(row) else int(row.family.split("-")[1])


def error(row, term):
    """Over the longest value: exact, but for the total a mean over draws."""
    return row["total_error" if term == "total" else "bias_exact" if term == "bias" else f"{term}_error_exact"]


def printed(kind=None, **setting):
    """(row of the errors, row of the printed bound with B of the drawn tables) of each head and setting."""

    def place(row):
        return head_of(row), row.planes, row.temperature

    at = {place(row): row for row in of_kind("audit_bounds", kind, reading="realised", **setting)}
    return [(row, at[place(row)]) for row in of_kind("audit", kind, **setting)]


def share_of_bias(found):
    """Of the squared error, over the rows."""
    squares = {term: sum(error(row, term) ** 2 for row in found) for term in ("sampling", "finite_tables", "bias")}
    return squares["bias"] / sum(squares.values())


def of_dense(kind, term):
    """Of each head at P = 10 and tau = 0.5: a length over that of the dense output, or a missed share as it is."""
    found = of_kind("certificate", kind, term=term, basis="measured", planes=10, temperature=0.5)
    return [row.value / (1 if term.startswith("missed") else row.dense_norm_value_units) for row in found]


def along_tables(column, tables, kind=None, term="finite-tables"):
    """A column of the sweep over the longest value, of each head."""
    return [row[column] / row.trivial_bound_value_units for row in of_kind("sweep", kind, axis_value=tables, term=term)]
