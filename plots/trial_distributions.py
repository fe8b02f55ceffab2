"""What do the trials of a statement look like beside the law that is claimed? The empirical distribution with its band, the
claimed law and a planted lie's, a panel to each statement that kept its trials.

Usage: trial_distributions.py RESULTS_FOLDER   (reads trials.csv and laws.csv of `socketlab verify --keep-trials` there,
writes trial_distributions.png and .svg)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.trial_distributions import draw
from results import given_folder, read_csv
from script import run
from style import plt

NAME = "trial_distributions"


def main(folder):
    folder = Path(folder)
    figure = draw(read_csv(folder / "trials.csv"), read_csv(folder / "laws.csv"))
    style.save(figure, folder / NAME)
    plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, "laws.csv"))
