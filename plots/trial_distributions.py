"""What do the trials of a statement look like beside the law that is claimed? The empirical distribution with its band, the
claimed law and a planted lie's, a panel to each statement that kept its trials.

Usage: trial_distributions.py RESULTS_FOLDER   (reads trials.csv and laws.csv of `socketlab verify --keep-trials` there,
writes trial_distributions.png and .svg)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.trial_distributions import draw
from results import given_folders, read_csv
from script import run

NAME = "trial_distributions"


def figures(folder):
    """Jobs of style.draw_all; none where the run kept no trials."""
    folder = Path(folder)
    laws = read_csv(folder / "laws.csv")
    return [(folder / NAME, draw, read_csv(folder / "trials.csv"), laws)] if laws else []


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["laws.csv"]))
