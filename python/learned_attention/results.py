"""Where do the numbers of an evaluation stand, and which cells are done?

Each shard appends to files of its own, evaluation-I-of-N.csv and likewise heads and statistics; readers take all
files of a folder together. A cell is done where all its examples are there; one that was cut off is run again, and
its last rows count. Wrong if a run that was cut and resumed gave other tables than one that was not.
"""

import csv
import json
from pathlib import Path

from learned_attention.refusals import Refused

CELL = ("kind", "length", "ranker", "sparsity", "sinks", "only")
WHOLE = ("length", "sparsity", "example", "answers", "right", "window", "layer", "head")
TEXTS = ("kind", "ranker", "sinks", "only")


def written(value):
    return format(value, ".8g") if isinstance(value, float) else str(value)


def append(folder, table, shard, rows):
    """Rows, in one write, behind those of table-I-of-N.csv; the names of the columns first."""
    path = Path(folder) / f"{table}-{shard[0]}-of-{shard[1]}.csv"
    begun = path.is_file() and path.stat().st_size > 0
    if begun and not path.read_bytes().endswith(b"\n"):
        cut = path.read_bytes()
        path.write_bytes(cut[: cut.rfind(b"\n") + 1])
    lines = [] if begun and path.stat().st_size else [",".join(rows[0])]
    lines += [",".join(written(value) for value in row.values()) for row in rows]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()


def value_of(name, text):
    if name in TEXTS:
        return text
    if name in WHOLE:
        return int(text)
    return float(text) if text else float("nan")


def read(folder, table):
    """Rows of all shards as dictionaries; a line that was cut off while it was written is left out."""
    rows = []
    for path in sorted(Path(folder).glob(f"{table}-*-of-*.csv")):
        text = path.read_text(encoding="utf-8")
        lines = list(csv.reader(text[: text.rfind("\n") + 1].splitlines()))
        for number, cells in enumerate(lines[1:], 2):
            try:
                rows.append({n: value_of(n, c) for n, c in zip(lines[0], cells, strict=True)})
            except ValueError as error:
                raise Refused(f"{path}, line {number}: {error}; allowed is a table that evaluate wrote") from error
    return rows


def evaluation(folder):
    """cell key -> {example: row}; of a repeated example the last row."""
    cells = {}
    for row in read(folder, "evaluation"):
        cells.setdefault(tuple(row[name] for name in CELL), {})[row["example"]] = row
    return cells


def done(folder, cells):
    """Keys of the cells whose examples are all there."""
    found = {key: len(rows) for key, rows in evaluation(folder).items()}
    for row in read(folder, "heads"):  # written at once, a window at a time
        found[("heads", row["length"], "all", 0, "forced", f"window {row['window']}")] = 1
    return {cell.key for cell in cells if found.get(cell.key, 0) >= cell.examples}


def require_same(folder, record):
    """Refuses a folder whose numbers depend on other settings."""
    for path in Path(folder).glob("evaluation-*-of-*.json"):
        old = json.loads(path.read_text(encoding="utf-8"))
        for part, settings in record.items():
            changed = [name for name, value in settings.items() if old.get(part, {}).get(name) != value]
            if changed:
                raise Refused(
                    f"{path}: made with another {', '.join(changed)}; allowed is an empty folder, or the same"
                )
