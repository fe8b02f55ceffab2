"""What do the cells of an evaluation say? The planned contrasts, and every ranker's loss over dense attention.

All contrasts of a run have one set of simultaneous intervals; so have the losses over dense of one kind and length, which
are a description. Wrong if windows of two cells were paired by their order instead of their number.
"""

import csv
import math

import numpy as np

from .._tables import readable
from . import contrasts, evaluate, intervals, rankers

CONTRAST = ("contrast", "ranker", "against", "length", "sparsity", "windows", "difference", "low", "high")
LOSS = (
    "kind", "length", "ranker", "sparsity", "dense_layers", "windows", "dense_loss", "excess", "low", "high", "found",
    "selected", "mass",
)  # fmt: skip
ENDS = {"low": "from", "high": "to"}
SHOWN = {
    "kind": "task", "length": "tokens", "ranker": "ranker", "sparsity": "1 key in", "dense_layers": "dense layers",
    "windows": "windows", "excess": "over dense", **ENDS, "found": "found", "mass": "mass",
}  # fmt: skip
CLUSTERS = {"window": ("text", "document", "window"), "document": ("text", "document"), "text": ("text",)}


def _paired(pairs, cluster):
    """(differences [windows, pairs] with NaN where one is missing, the cluster of each window)"""
    windows = sorted({(place, window) for _, place, one, other in pairs for window in one.keys() & other.keys()})
    found = np.full((len(windows), len(pairs)), math.nan)
    names = [""] * len(windows)
    for column, (_, place, one, other) in enumerate(pairs):
        for line, (where, window) in enumerate(windows):
            if where == place and window in one and window in other:
                found[line, column] = float(one[window]["loss"]) - float(other[window]["loss"])
                names[line] = "/".join(one[window][part] for part in CLUSTERS[cluster])
    return found, names


def _limits(found, names, level, cluster, notes):
    """intervals.of_means; notes, a set, gets a line where the intervals have no end."""
    result = intervals.of_means(found, names, level)
    if math.isinf(result.half_width) and notes is not None:
        needed = intervals.fewest(level)
        more = f"at least {needed}" if result.clusters < needed else "more"
        notes.add(f"intervals need {more} {cluster}s; here {result.clusters}")
    return result


def planned(cells, cluster="document", level=0.95, notes=None):
    """Rows of CONTRAST, of the contrasts that the cells have."""
    pairs = []
    for name, ranker, against, _ in contrasts.PLANNED:
        for length in sorted({key[1] for key in cells}):
            for sparsity in contrasts.SPARSITIES:
                one, other = (cells.get((evaluate.TEXT, length, each, sparsity, 0)) for each in (ranker, against))
                if one and other:
                    pairs.append(((name, ranker, against, length, sparsity), length, one, other))
    if not pairs:
        return []
    found, names = _paired(pairs, cluster)
    result = _limits(found, names, level, cluster, notes)
    counts = np.isfinite(found).sum(0)
    numbers = zip(counts.tolist(), *(part.tolist() for part in (result.mean, result.low, result.high)), strict=True)
    return [dict(zip(CONTRAST, (*pair[0], *number), strict=True)) for pair, number in zip(pairs, numbers, strict=True)]


def losses(cells, cluster="document", level=0.95, notes=None):
    """Rows of LOSS: of each cell the mean loss over dense."""
    rows = []
    for kind, length in sorted({key[:2] for key in cells}, key=lambda key: (key[0] != evaluate.TEXT, key)):
        dense = cells.get((kind, length, rankers.DENSE, 0.0, 0), {})
        keys = [key for key in cells if key[:2] == (kind, length) and cells[key].keys() & dense.keys()]
        pairs = [(key, length, cells[key], dense) for key in keys if key[2] != rankers.DENSE]
        low = high = None
        if pairs:
            unit = cluster if kind == evaluate.TEXT else "window"
            found, names = _paired(pairs, unit)
            if len(set(names)) > 1:
                result = _limits(found, names, level, unit, notes)
                low, high = result.low, result.high
        for key in keys:
            own = [cells[key][window] for window in sorted(cells[key].keys() & dense.keys())]
            base = np.mean([float(dense[int(row["window"])]["loss"]) for row in own])
            row = dict(zip(LOSS, (*key, len(own), base, _mean(own, "loss") - base), strict=False))
            column = next((i for i, pair in enumerate(pairs) if pair[0] == key), None)
            row |= {"low": math.nan, "high": math.nan}
            if low is not None and column is not None:
                row |= {"low": low[column], "high": high[column]}
            rows.append(row | {name: _mean(own, name) for name in ("found", "selected", "mass")})
    return rows


def common(cells):
    """The cells with those windows alone that all cells of their kind and length have, so that their losses compare."""
    shared = {}
    for key, rows in cells.items():
        shared[key[:2]] = shared.get(key[:2], rows.keys()) & rows.keys()
    return {key: {window: rows[window] for window in sorted(shared[key[:2]])} for key, rows in cells.items()}


def _mean(rows, name):
    numbers = [float(row[name]) for row in rows if row[name] != ""]
    return float(np.mean(numbers)) if numbers else math.nan


def positions(cells):
    """Rows (length, ranker, sparsity, position from 0, loss over dense) of text, means over windows."""
    found = []
    for (kind, length, ranker, sparsity, layers), rows in cells.items():
        dense = cells.get((evaluate.TEXT, length, rankers.DENSE, 0.0, 0), {})
        if kind == evaluate.TEXT and not layers and ranker != rankers.DENSE and rows.keys() & dense.keys():
            own = [np.subtract(*(np.array(cell[window]["losses"].split(), float) for cell in (rows, dense)))
                   for window in rows.keys() & dense.keys()]  # fmt: skip
            for position, loss in enumerate(np.mean(own, axis=0).tolist()):
                names = ("length", "ranker", "sparsity", "position", "excess")
                found.append(dict(zip(names, (length, ranker, sparsity, position, loss), strict=True)))
    return found


def _means(rows, names, measures):
    """Of rows that have the same cells under `names` the mean of each measure."""
    groups = {}
    for row in rows:
        numbers = [float(row[name]) for name in measures]
        groups.setdefault(tuple(row[name] for name in names), []).append(numbers)
    means = ((*key, *np.mean(numbers, axis=0).tolist()) for key, numbers in groups.items())
    return [dict(zip((*names, *measures), mean, strict=True)) for mean in means]


def by_head(folder):
    """Rows of heads.csv and of statistics.csv, means over windows."""
    length, _, *places, mass, recall, error = evaluate.HEAD_COLUMNS
    return (
        _means(evaluate.read(folder / "heads.csv"), (length, *places), (mass, recall, error)),
        _means(evaluate.read(folder / "statistics.csv"), ("length", "layer", "head"), evaluate.STATISTICS),
    )


def write(path, rows):
    if rows:
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(rows[0])
            table.writerows([_text(value) for value in row.values()] for row in rows)


def _text(value):
    if isinstance(value, float | np.floating):
        return "" if math.isnan(value) else f"{value:.5g}"
    return value


def report(folder, cluster, level):
    """Writes contrasts.csv, losses.csv, common.csv (losses at the windows that all rankers have), positions.csv,
    head_means.csv and head_kinds.csv beside cells.csv and prints the first two. ValueError for a folder without cells.
    """
    cells = evaluate.cells_of(folder)
    if not cells:
        raise ValueError(f"{folder}: no cells.csv with a cell; allowed is a folder that eval wrote")
    notes = set()
    tables = {name: make(cells, cluster, level, notes) for name, make in (("losses", losses), ("contrasts", planned))}
    tables["common"] = losses(common(cells), cluster, level)
    tables["positions"] = positions(cells)
    tables["head_means"], tables["head_kinds"] = by_head(folder)
    for name, rows in tables.items():
        write(folder / f"{name}.csv", rows)
    _show(tables["losses"], SHOWN)
    if tables["contrasts"]:
        count = len(tables["contrasts"])
        print(f"\nplanned contrasts of loss, {level:.0%} for all {count} at once, clusters: {cluster}s")
        _show(tables["contrasts"], {name: name for name in CONTRAST} | ENDS)
    print(*sorted(notes), sep="\n", end="\n" if notes else "")


def _show(rows, headings):
    table = {name: [row[name] for row in rows] for name in rows[0]}
    print(*readable(table, headings, len(rows) + 1), sep="\n")
