"""What does a trained model say about the paper's claims? From the recorded evaluation: no run makes it.

Reads run.json, losses.csv and claims.csv of docs/records/learned/seed1, and claims.csv of a second model beside it;
every number in the text is read from them.
"""

from pathlib import Path

import learned_attention
from results import read_csv, read_json

from report_page import digits
from report_page.shell import Cell, figure

ROOT = Path(__file__).resolve().parents[2]
RECORDED = "docs/records/learned/seed1"
SECOND = "docs/records/learned/seed2"
NAME = "learned_ranking"  # of the figure
SPARSITY = learned_attention.SHOWN_SPARSITY
WHOSE = {"claim": "The paper's claim", "choice": "The paper's choice", "question": "Our question"}
COLUMNS = ["claim or question", "should lose less", "than", "difference in loss", "interval", "first model",
           "interval, second model", "second model"]  # fmt: skip
SIGNS = {"holds": "✓ holds", "does not hold": "✗ does not hold", "not told apart": "? not significantly different"}


def read_claims(folder):
    """Of the shortest length and the one sparsity; [] if there are none."""
    rows = read_csv(folder / "claims.csv")
    if not rows:
        return []
    length = min(row["length"] for row in rows)
    return [row for row in rows if row["length"] == length and row["sparsity"] == SPARSITY]


def label(ranker):
    return learned_attention.LOOKS[ranker][3]


def over_dense(losses):
    """{ranker: mean loss over dense} at the shortest length, the sinks always attended."""
    length = min(row["length"] for row in losses)
    return {
        row["ranker"]: row["difference"]
        for row in losses
        if row["length"] == length
        and row["over"] == "dense"
        and row["sinks"] == "forced"
        and row["sparsity"] == SPARSITY
    }


def evidence(root=ROOT):
    """The record, or None where there is none."""
    folder = root / RECORDED
    facts = read_json(folder / "run.json")
    losses = read_csv(folder / "losses.csv")
    if not facts or not losses:
        return None
    claims = read_claims(folder)
    return {
        "parameters": facts["parameters"], "seconds": facts["seconds"], "device": facts["device"],
        "length": claims[0]["length"], "windows": float(claims[0]["windows"]),
        "made_by": {"command": facts["command"], "seed": facts["seed"]}, "losses": losses, "means": over_dense(losses),
        "claims": claims, "second": {(row["ranker"], row["against"]): row for row in read_claims(root / SECOND)},
    }  # fmt: skip


def span(row):
    return f"[{digits.show(row['low'], 2)}, {digits.show(row['high'], 2)}]"


def claim_rows(claims, second):
    rows = []
    for row in claims:
        other = second.get((row["ranker"], row["against"]))
        said = f"{WHOSE[row['kind']]}: {row['claim']}" + (f": “{row['words']}”, {row['place']}" if row["words"] else "")
        beside = [span(other), SIGNS[other["verdict"]]] if other else ["", ""]
        rows.append([said, label(row["ranker"]), label(row["against"]), Cell(row["difference"], 3), span(row),
                     SIGNS[row["verdict"]], *beside])  # fmt: skip
    return rows


def figures(folder, root=ROOT):
    """Jobs of style.draw_all; none without a record."""
    found = evidence(root)
    return [] if found is None else [(folder / NAME, learned_attention.ranked, found["losses"])]


def learned(folder, root=ROOT):
    """What the template of the section needs, beside the figure drawn into the folder; None without a record."""
    found = evidence(root)
    if found is None:
        return None
    caption = (
        f"Mean increase in loss over dense attention when every head selects 1/{SPARSITY} of the keys in addition to the first "
        "4 and the last 64, for each ranker. All intervals hold simultaneously. Dotted: the true top keys by q.k. MagicPIG "
        "samples its keys and attends to more of them."
    )
    shown = figure(
        folder / f"{NAME}.svg", "What each ranker costs a trained model",
        f"Dots with intervals, the smallest loss on top. {caption}", caption, found["made_by"],
    )  # fmt: skip
    return found | {
        "figure": shown, "columns": COLUMNS, "rows": claim_rows(found["claims"], found["second"]), "recorded": RECORDED,
        "recorded_second": SECOND, "sparsity": SPARSITY,
    }  # fmt: skip
