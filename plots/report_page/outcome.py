"""What came out, in a sentence or two each? Counts of verdicts, Theorem 3 at settings of the paper's Table 6, our bound there, the
rankings, the kernels. Every number is counted in the files of the folder or read from them. Where a file
is missing, the sentence names the command that makes it.
"""

import csv
import math
import re
from pathlib import Path

import ranking_leads
from results import read_csv

from report_page import digits
from report_page.errata import SEVERITIES
from report_page.shell import sentence
from report_page.verdict_notes import is_vacuous

VACUITY, HYPOTHESIS, IN_USE = "S002-T3-vacuity", "S002-T3-hypothesis", "OWN-in-use"
UNIVERSAL = "S002-T3-universal-bias"
ROOT = Path(__file__).resolve().parents[2]
RECORDED = "gpu/records/checks.csv"
SEEDS = "docs/records/theorem3_seeds.csv"
OWN_TOTAL = "Theorem 9(b)"


def not_run(what, command):
    return sentence("not_run", what=what, command=command)


# --- verdicts -------------------------------------------------------------------------------------------------------


def severities(wrong):
    counts = [(sum(row["severity"] == key for row in wrong), name) for key, name in SEVERITIES.items()]
    return ", ".join(digits.count(count, *name) for count, name in counts if count)


DOCUMENT = re.compile(r"^(?:derived from )?document (\d+)")


def by_source(wrong):
    """Counted apart for the paper and for each of the other documents: none answers for another."""
    found = {}
    for row in wrong:
        document = DOCUMENT.match(row["source"])
        found.setdefault(f"document {document[1]}" if document else "the paper", []).append(row)
    parts = [f"{len(found[name])} in {name} ({severities(found[name])})" for name in sorted(found, reverse=True)]
    return "; ".join(parts)


def verdict_sentence(rows):
    if not rows:
        return not_run("Verdicts", "socketlab verify")
    printed = [row for row in rows if row["wording"] == "printed"]
    wrong = [row for row in printed if row["verdict"] == "refuted"]
    return sentence(
        "claims",
        printed=len(printed),
        hold=sum(row["verdict"] == "not-refuted" for row in printed),
        wrong=len(wrong),
        listed=(f": {by_source(wrong)}" if wrong else "") + open_count(printed),
        # Bounds no smaller than the trivial one hold as well; they are counted apart.
        vacuous=[row["id"] for row in printed if is_vacuous(row)],
    )


def open_count(rows):
    left = sum(row["verdict"] not in ("refuted", "not-refuted") for row in rows)
    return f"; {left} remain open" if left else ""


def beside_sentence(rows):
    """The verdicts on what is not printed; for a smaller line below."""
    readings = [row for row in rows if row["wording"] == "reading"]
    ours = [row for row in rows if row["wording"] == "ours"]
    failed = sum(row["verdict"] == "refuted" for row in readings)
    parts = [
        f"{failed} of {digits.count(len(readings), 'stronger reading')} {'fails' if len(readings) == 1 else 'fail'}",
        f"{sum(row['verdict'] == 'not-refuted' for row in ours)} of {len(ours)} corrected or sharper forms and own bounds were not refuted",
    ]
    return "; ".join(part for part, of in zip(parts, (readings, ours), strict=True) if of)


def certainty(rows):
    """How sure: the lies that were caught, the controls that passed, the error probability that was shared out."""
    lies = [lie for row in rows for lie in row["mutants"]]
    controls = [control for row in rows for control in row["controls"]]
    held = [row for row in rows if row["verdict"] == "not-refuted"]
    without = [row for row in held if not row["near_mutant"]]
    return {
        "caught": sum(lie["verdict"] == "refuted" for lie in lies),
        "lies": len(lies),
        "passed": sum(control["verdict"] == "not-refuted" for control in controls),
        "controls": len(controls),
        "near": len(held) - len(without),
        "others": sentence("others", rows=without, impossible=sum(bool(row["no_near_mutant"]) for row in without)),
        "held": len(held),
        "as_expected": sum(row["as_expected"] for row in rows),
        "error": sum(
            piece.get("error_share") or 0
            for row in rows
            for measured in (row, *row["mutants"], *row["controls"])
            for piece in measured.get("evidence", [])
        ),
    }


# --- Theorem 3 ------------------------------------------------------------------------------------------------------


def by_id(rows, identifier):
    return next((row for row in rows if row["id"] == identifier), None)


def observed_range(row):
    ends = [end for piece in row["evidence"] for end in piece["observed"]]
    return min(ends), max(ends)


def universal(rows):
    """The infimum over all inputs, of the settings where it is claimed to be attained; rounded down to a tenth."""
    row = by_id(rows, UNIVERSAL)
    infima = [min(piece["observed"]) for piece in (row or {}).get("evidence", []) if piece["relation"] == "="]
    return math.floor(10 * min(infima)) / 10 if infima else None


def theorem_sentence(rows, seeds=()):
    vacuity, hypothesis = by_id(rows, VACUITY), by_id(rows, HYPOTHESIS)
    if not vacuity or not hypothesis:
        return not_run(
            "Theorem 3 at settings of the paper's Table 6", f"socketlab verify --only {VACUITY},{HYPOTHESIS}"
        )
    low, high = observed_range(vacuity)
    fewest, most = observed_range(hypothesis)
    return sentence(
        "theorem",
        infimum=universal(rows),
        low=low,
        high=high,
        fewest=math.ceil(fewest),
        most=most,
        used=hypothesis["claimed"],
        seeds=seeds,
        record=SEEDS,
    )


def own_row(bounds, name):
    """The row of one of our bounds at the largest number of keys, then at the number of tables nearest to the paper's."""
    mine = [row for row in bounds if row["bound"] == name]
    return max(mine, key=lambda row: (row["keys"], -abs(row["tables"] - 60)), default=None)


def own_sentence(rows, bounds):
    total = own_row(bounds, OWN_TOTAL)
    if total:
        return sentence("own_total", row=total)
    row = by_id(rows, IN_USE)
    ratios = [piece["bound_over_quantile"] for piece in (row or {}).get("evidence", []) if piece["bound_over_quantile"]]
    if not ratios:
        return not_run("Our own bound", "socketlab audit --part bounds")
    return sentence("own_tables", row=row, ratios=ratios)


# --- rankings and kernels -------------------------------------------------------------------------------------------


LEADS = {"above": "higher", "level": "not significantly different", "below": "lower"}


def lead_words(rows, rival):
    """higher at 5 and lower at 3 of 8, higher at all 8; nothing where the rival is not there."""
    words = [ranking_leads.word(row) for row in rows if row["ranker"] == rival]
    counted = [f"{name} at {words.count(word)}" for word, name in LEADS.items() if word in words]
    if len(counted) == 1:
        return f"{LEADS[words[0]]} at all {len(words)}"
    return f"{' and '.join(counted)} of {len(words)}" if words else ""


def ranking_sentence(curves, rivals):
    """rivals: name -> label, of those whose leads are reported; of the last one in the further settings too."""
    if not curves:
        return not_run("Rankings", "socketlab rank")
    rows = [row for row in curves if row["metric"] == "precision" and row["truth"] == "dot-product"]
    first = [row for row in rows if row["setting"] == curves[0]["setting"]]
    others = [row for row in rows if row["setting"] != curves[0]["setting"]]
    told = [(label, lead_words(first, rival)) for rival, label in rivals.items()]
    told = [(label, words) for label, words in told if words]
    rival, label = list(rivals.items())[-1]
    return sentence(
        "ranking",
        keys=curves[0]["keys"],
        told=told,
        further=len({row["setting"] for row in others}),
        rival=label,
        words=lead_words(others, rival),
        undecided=all(words.startswith(f"{LEADS['level']} at all") for _, words in told),
    )


def largest_grid(checks):
    """Its row, by comparisons; None where no grid ran."""
    grids = [row for row in checks if re.fullmatch(r"quick|full", row["part"])]
    return max(grids, key=lambda row: row["comparisons"], default=None)


def kernel_sentence(checks, recorded=()):
    """checks: rows of checks.csv, which gpu/check/record.sh writes; recorded: those that the repository keeps, with GPU and commit."""
    return sentence(
        "kernels", grid=largest_grid(checks or recorded), record=RECORDED if recorded and not checks else None
    )


def read_checks(path):
    """Its columns hold words that the tables of a run do not have."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        {
            **{name: row[name] for name in ("part", "kernels", "gpu") if name in row},
            **{name: float(row[name] or 0) for name in ("cases", "failed", "comparisons")},
        }
        for row in rows
    ]


RIVALS = {"hard-lsh": "hard LSH", "hamming": "the count of equal bits of the same codes"}


def outcome(folder, verdicts):
    bounds = read_csv(folder / "bound_ratios.csv")
    return {
        "sentences": [
            ("Claims", verdict_sentence(verdicts)),
            ("Theorem 3", theorem_sentence(verdicts, read_csv(ROOT / SEEDS))),
            ("Our bound", own_sentence(verdicts, bounds)),
            ("Rankings", ranking_sentence(read_csv(folder / "ranking_curves.csv"), RIVALS)),
            ("Kernels", kernel_sentence(read_checks(folder / "checks.csv"), read_checks(ROOT / RECORDED))),
        ],
        "beside": beside_sentence(verdicts),
        "certainty": certainty(verdicts),
        "statements": len(verdicts),
    }
