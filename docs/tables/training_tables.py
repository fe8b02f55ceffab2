"""What do the learning rates do to a training? The table of docs/experiments/learned_training.md, from
docs/records/learned_training.csv.
"""

from records import markdown, one, read, where

# Peak rates of AdamW and of Muon.
BEFORE = {"learning_rate": 2e-3, "muon_rate": 3e-3}
AFTER = {"learning_rate": 7e-4, "muon_rate": 1e-3}


def record():
    return read("docs/records/learned_training.csv")


def cells(rates, step):
    """Seconds, loss and gradient norm of a run at a step; empty where the run has no such row."""
    if not where(record(), **rates, step=step):
        return ["", "", ""]
    row = one(record(), **rates, step=step)
    return [f"{row['seconds']:.1f}", f"{row['text_loss']:.3f}", f"{row['gradient_norm']:.3g}"]


def training():
    steps = sorted({row["step"] for row in record()})
    lines = [[f"{step:,.0f}", *cells(BEFORE, step), *cells(AFTER, step)] for step in steps]
    columns = ["step", "2e-3, 3e-3: seconds", "text loss", "gradient norm", "7e-4, 1e-3: seconds"]
    return markdown([*columns, "text loss", "gradient norm"], lines)


def runs():
    """The last steps of the two runs."""
    old, new = (where(record(), **rates)[-1] for rates in (BEFORE, AFTER))
    return {
        "step": f"{new['step']:,.0f}",
        "new": f"{new['text_loss']:.2f}",
        "old": f"{one(record(), **BEFORE, step=new['step'])['text_loss']:.2f}",
        "last": f"{old['step']:,.0f}",
        "last_loss": f"{old['text_loss']:.2f}",
    }


TABLES = {"learned training": training}
