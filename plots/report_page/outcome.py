"""What came out, in a sentence or two each? Counts of verdicts, Theorem 3 at settings of the paper's Table 6, our bound there, the
rankings, the kernels. Every number is counted in the files of the folder or read from them. Where a file
is missing, the sentence names the command that makes it.
"""

import csv
import math
import re
from pathlib import Path

import ranking_leads
from markupsafe import Markup
from results import read_csv

from report_page import digits, formulas
from report_page.errata import SEVERITIES
from report_page.verdict_notes import is_vacuous

VACUITY, HYPOTHESIS, IN_USE = "S002-T3-vacuity", "S002-T3-hypothesis", "OWN-in-use"
UNIVERSAL = "S002-T3-universal-bias"
ROOT = Path(__file__).resolve().parents[2]
RECORDED = "gpu/records/checks.csv"
SEEDS = "docs/records/theorem3_seeds.csv"
OWN_TOTAL, OWN_TABLES = "Theorem 9(b)", "Theorem 1(b)"


def strong(text):
    return Markup("<strong>{}</strong>").format(text)


def code(text):
    return Markup("<code>{}</code>").format(text)


def sentence(pattern, *parts):
    return Markup(pattern).format(*parts)


def not_run(what, command):
    return sentence("{}: not in this folder. Run {} to get it.", what, code(command))


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
    hold = sum(row["verdict"] == "not-refuted" for row in printed)
    listed = f": {by_source(wrong)}" if wrong else ""
    return sentence(
        "The paper and four short documents about it print {} claims that were checked. Of these, {} were not refuted and {} are "
        "refuted as printed{}.",
        f"{len(printed):,}",
        strong(hold),
        Markup('<a href="#errata">{}</a>').format(strong(len(wrong))),
        listed + open_count(printed),
    ) + vacuous_sentence(printed)


def vacuous_sentence(rows):
    """Bounds no smaller than the trivial one hold as well; they are counted apart."""
    ids = [row["id"] for row in rows if is_vacuous(row)]
    if not ids:
        return ""
    links = Markup(", ").join(Markup('<a href="#statement-{}">{}</a>').format(name, name) for name in ids)
    return sentence(
        " {} of those not refuted {} but {} nothing at the settings tried, because the bound is no smaller than the "
        "trivial one: {}.",
        strong(len(ids)),
        "holds" if len(ids) == 1 else "hold",
        "says" if len(ids) == 1 else "say",
        links,
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


def others_sentence(rows):
    """Of the statements that held without a near lie: how many cannot have one, and for how many the nearest is farther off."""
    impossible = sum(bool(row["no_near_mutant"]) for row in rows)
    farther = len(rows) - impossible
    link = Markup('<a href="#kill-matrix">the other {}</a>').format(len(rows))
    patterns = {
        (True, True): "Of {}, no near lie exists for {}, as each says; for {} the distance of the nearest is given.",
        (True, False): "For {} no near lie exists, as each says.",
        (False, True): "For {} the distance of the nearest lie is given.",
        (False, False): "",
    }
    return sentence(patterns[impossible > 0, farther > 0], link, impossible, farther)


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
        "others": others_sentence(without),
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


def spread_sentence(seeds):
    """How the numbers of one draw move from seed to seed, of those that the repository keeps."""
    if not seeds:
        return ""
    return sentence(
        " Keys and tables are one draw: over the {} seeds of {} the least factor is {} to {}, the largest {} to {}.",
        len(seeds),
        code(SEEDS),
        *(
            digits.show(end(row[column] for row in seeds), 3)
            for column in ("bound_least_drawn", "bound_most_sure")
            for end in (min, max)
        ),
    )


def universal_sentence(rows):
    """The infimum over all inputs, of the settings where it is claimed to be attained."""
    row = by_id(rows, UNIVERSAL)
    infima = [min(piece["observed"]) for piece in (row or {}).get("evidence", []) if piece["relation"] == "="]
    if not infima:
        return ""
    return sentence(
        "Whatever the queries, keys and values: at every P and τ of the paper's Table 6, for heads of 64 to 256 dimensions, one "
        "term of the paper's error bound (Theorem 3) alone exceeds {} times the longest value vector. No error exceeds twice it. ",
        strong(digits.show(math.floor(10 * min(infima)) / 10, 3)),
    )


def theorem_sentence(rows, seeds=()):
    vacuity, hypothesis = by_id(rows, VACUITY), by_id(rows, HYPOTHESIS)
    if not vacuity or not hypothesis:
        return not_run(
            "Theorem 3 at settings of the paper's Table 6", f"socketlab verify --only {VACUITY},{HYPOTHESIS}"
        )
    low, high = observed_range(vacuity)
    fewest, most = observed_range(hypothesis)
    says = "says nothing: always answering 0 would satisfy it" if low > 1 else "says something in its best reading"
    return (
        universal_sentence(rows)
        + sentence(
            "With the fewest planes of the paper's Table 6 (P = 8, L = 60, τ from 0.3 to 0.7), on 4,096 Gaussian keys in place of "
            "a model's, the paper's error bound (Theorem 3) allows an error of {} to {} times the longest value vector, depending on "
            "how its constant B, the number of keys in the fullest bucket, is read. Such a bound {}. The theorem "
            "requires {} to {} tables; the paper uses {}.",
            strong(digits.show(low, 3)),
            strong(digits.show(high, 3)),
            says,
            f"{math.ceil(fewest):,}",
            digits.show(most, 3),
            digits.show(hypothesis["claimed"]),
        )
        + spread_sentence(seeds)
    )


def settings_text(row):
    return f"N = {row['keys']:,.0f}, P = {row['planes']:g}, τ = {row['temperature']:g}, L = {row['tables']:g}"


def own_row(bounds, name):
    """The row of one of our bounds at the largest number of keys, then at the number of tables nearest to the paper's."""
    mine = [row for row in bounds if row["bound"] == name]
    return max(mine, key=lambda row: (row["keys"], -abs(row["tables"] - 60)), default=None)


def own_sentence(rows, bounds):
    total = own_row(bounds, OWN_TOTAL)
    if total:
        of_longest = total["bound_value_units"] / total["trivial_bound_value_units"]
        return sentence(
            "Our own bound on the total error, for {} keys ({}), is {} of the longest value and {} times the true {}% quantile.",
            total["family"],
            settings_text(total),
            strong(f"{digits.show(100 * of_longest, 3)}%"),
            strong(digits.show(total["bound_over_quantile"], 3)),
            digits.show(100 * (1 - total["delta"])),
        )
    row = by_id(rows, IN_USE)
    ratios = [piece["bound_over_quantile"] for piece in (row or {}).get("evidence", []) if piece["bound_over_quantile"]]
    if not ratios:
        return not_run("Our own bound", "socketlab audit --part bounds")
    return sentence(
        "Our own bounds on the finite-table error ({}) are {} to {} times its true quantile.",
        formulas.html(row["instance"]),
        strong(digits.show(min(ratios), 3)),
        strong(digits.show(max(ratios), 3)),
    )


# --- rankings and kernels -------------------------------------------------------------------------------------------


LEADS = {"above": "higher", "level": "not significantly different", "below": "lower"}


def lead_words(rows, rival):
    """higher at 5 and lower at 3 of 8, higher at all 8; nothing where the rival is not there."""
    words = [ranking_leads.word(row) for row in rows if row["ranker"] == rival]
    counted = [f"{name} at {words.count(word)}" for word, name in LEADS.items() if word in words]
    if len(counted) == 1:
        return f"{LEADS[words[0]]} at all {len(words)}"
    return f"{' and '.join(counted)} of {len(words)}" if words else ""


def other_settings(curves, rival, label):
    """Against one rival in all settings except the first: who leads there is reported too."""
    rows = [
        row
        for row in curves
        if row["setting"] != curves[0]["setting"] and row["metric"] == "precision" and row["truth"] == "dot-product"
    ]
    words = lead_words(rows, rival)
    count = len({row["setting"] for row in rows})
    if not words:
        return ""
    return sentence(" In {}, against {}, it is {}.", digits.count(count, "further setting"), label, strong(words))


def ranking_sentence(curves, rivals):
    """rivals: name -> label, of those whose leads are reported; of the last one in the further settings too."""
    if not curves:
        return not_run("Rankings", "socketlab rank")
    wanted = {"setting": curves[0]["setting"], "metric": "precision", "truth": "dot-product"}
    rows = [row for row in curves if all(row[key] == value for key, value in wanted.items())]
    told = [(label, lead_words(rows, rival)) for rival, label in rivals.items()]
    parts = [sentence("against {} it is {}", label, strong(words)) for label, words in told if words]
    undecided = all(words.startswith(f"{LEADS['level']} at all") for _, words in told if words)
    return sentence(
        "SOCKET's precision in the paper's ranking setting ({} keys), compared at several numbers of selected keys: {}.{}{}",
        f"{curves[0]['keys']:,.0f}",
        Markup("; ").join(parts),
        other_settings(curves, *list(rivals.items())[-1]),
        " This run has too few instances to tell them apart; docs/rankings.md has one of more." if undecided else "",
    )


def largest_grid(checks):
    """Its row, by comparisons; None where no grid ran."""
    grids = [row for row in checks if re.fullmatch(r"quick|full", row["part"])]
    return max(grids, key=lambda row: row["comparisons"], default=None)


def kernel_sentence(checks, recorded=()):
    """checks: rows of checks.csv, which gpu/check/record.sh writes; recorded: those that the repository keeps, with GPU and commit."""
    if not checks and recorded:
        told, grid = kernel_sentence(recorded), largest_grid(recorded)
        return sentence(
            "{} This run had no GPU; the numbers come from the record {}, made on an {} with the kernels of {}.",
            told,
            code(RECORDED),
            grid["gpu"],
            code(grid["kernels"]),
        )
    largest = largest_grid(checks)
    if not largest:
        return sentence(
            "This run did not check the GPU kernels. On a machine with a GPU, {} makes checks.csv.",
            code("gpu/check/record.sh"),
        )
    failed = largest["failed"]
    agree = "agree with the reference in all" if not failed else f"differ from the reference in {failed:,.0f} of"
    return sentence(
        "The GPU kernels {} {} cases ({} comparisons).",
        agree,
        strong(f"{largest['cases']:,.0f}"),
        strong(f"{largest['comparisons']:,.0f}"),
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
