"""What does sparse attention cost two pretrained models? From the repository's records: no run of this program makes them."""

from markupsafe import Markup
from results import read_csv

from report_page.digits import show, span
from report_page.shell import Cell

MODELS = {"smollm2": "SmolLM2-135M", "gemma3-270m": "Gemma 3 270M"}
RECORD = "docs/records/models/{}/contrasts.csv"
SPARSITY = 33
VALUE_NORM = "value norm"


def of_models(root):
    """{model: rows of its contrasts at the sparsity}; models without a record are left out."""
    read = {name: read_csv(root / RECORD.format(model)) for model, name in MODELS.items()}
    return {name: [row for row in rows if row["sparsity"] == SPARSITY] for name, rows in read.items() if rows}


def decided(row):
    return row["low"] > 0 or row["high"] < 0


def interval(row):
    text = f"{show(row['difference'], 2)} ({span(row['low'], row['high'], 2)})"
    return Cell(row["difference"], text=Markup("<strong>{}</strong>").format(text) if decided(row) else text)


def pretrained(root):
    """None where no record is, as in an installation."""
    found = of_models(root)
    if not found:
        return None
    places = [(name, length) for name, rows in found.items() for length in sorted({row["length"] for row in rows})]
    at = {(name, row["length"], row["contrast"]): row for name, rows in found.items() for row in rows}
    contrasts = dict.fromkeys(row["contrast"] for rows in found.values() for row in rows)
    norms = [at[*place, VALUE_NORM] for place in places if (*place, VALUE_NORM) in at]
    return {
        "names": list(found),
        "sparsity": SPARSITY,
        "columns": ["contrast", *(f"{name}, {length:,.0f} tokens" for name, length in places)],
        "rows": [
            [name, *(interval(at[*place, name]) if (*place, name) in at else "" for place in places)]
            for name in contrasts
        ],
        "norm": span(min(row["difference"] for row in norms), max(row["difference"] for row in norms), 2),
        "norm_decided": sum(row["low"] > 0 for row in norms),
        "settings": len(norms),
    }
