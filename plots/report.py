"""What did a run find? Draws the figures and writes report.html, one file that needs no network.

Usage: report.py RESULTS_FOLDER   (provenance.json there; of verdicts.jsonl, kill_matrix.csv, faults.csv, sweep.csv,
sweep_slopes.csv, bound_ratios.csv, trials.csv and laws.csv, the rankings' files and checks.csv of the GPU what there is)

Every number in the text is read from a result file, counts its rows, or is the ratio of two that are. What needs a GPU
or a pretrained model and is not in the folder comes from the records of the repository, and is said to.
"""

from pathlib import Path

import error_curves
import frontier
import ranking_curves
import style
import trial_distributions
from report_page import curves, errata, lies, outcome, outcome_figure, pretrained, rankings, shell, statements
from results import given_folders, read_csv, read_json, read_json_lines, read_sweeps
from script import run, write_whole


def draw_figures(folder):
    sweeps, bounds = read_sweeps(folder), read_csv(folder / "bound_ratios.csv")
    style.draw_all(
        error_curves.figures(folder)
        + outcome_figure.figures(folder, sweeps, bounds)
        + trial_distributions.figures(folder)
        + ranking_curves.figures(folder)
        + frontier.figures(folder)
    )


def first_figure(folder, sweeps, bounds, facts):
    sweep = outcome_figure.chosen(sweeps)
    if sweep is None:
        return None
    caption = outcome_figure.caption(sweep, bounds)
    heading = f"Error of finite tables, {sweep.family} instance: bounds, exact, measured"
    return shell.figure(
        folder / f"{outcome_figure.NAME}.svg", heading, f"Log plot. {caption}", caption, facts | sweep.command
    )


def distributions(folder, facts):
    """Trials beside the claimed laws, where the run kept them."""
    if not read_csv(folder / "laws.csv"):
        return None
    seen, heading = shell.caption("distributions"), "Trials against the claimed distribution"
    return shell.figure(folder / f"{trial_distributions.NAME}.svg", heading, seen, seen, facts, wide=True)


def contents(folder):
    """All that the templates show."""
    facts = read_json(folder / "provenance.json") or {}
    verdicts = read_json_lines(folder / "verdicts.jsonl")
    kills = read_csv(folder / "kill_matrix.csv")
    sweeps, bounds = read_sweeps(folder), read_csv(folder / "bound_ratios.csv")
    return {
        "facts": facts,
        "outcome": outcome.outcome(folder, verdicts),
        "first_figure": first_figure(folder, sweeps, bounds, facts),
        "errata": errata.errata(verdicts),
        "readings": errata.readings(verdicts),
        "meanings": errata.MEANINGS,
        "severities": errata.SEVERITIES,
        "distributions": distributions(folder, facts),
        "theorem": curves.theorem(sweeps, bounds),
        "curves": curves.figures(folder, sweeps, facts),
        "rankings": rankings.rankings(folder, facts),
        "pretrained": pretrained.pretrained(outcome.ROOT),
        "kill_matrix": lies.kill_matrix(kills, verdicts),
        "faults": lies.faults(read_csv(folder / "faults.csv"), facts.get("profile", "")),
        "statements": statements.statements(verdicts, kills),
    }


def main(folder):
    folder = Path(folder)
    draw_figures(folder)
    write_whole(folder / "report.html", shell.render(contents(folder)).encode("utf-8"))


if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["provenance.json"]))
