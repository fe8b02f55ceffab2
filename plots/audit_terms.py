"""What does Theorem 3 say at production settings, beside the errors there? Every term of its bound and the exact error of
that term, over the longest value.

Usage: audit_terms.py RESULTS_FOLDER   (reads audit.csv and audit_bounds.csv there, writes audit_terms.png and .svg)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.audit_terms import draw
from results import given_folder, read_csv
from script import run
from style import plt


def main(folder):
    folder = Path(folder)
    settings, bounds = read_csv(folder / "audit.csv"), read_csv(folder / "audit_bounds.csv")
    figure = draw(settings, bounds)
    style.save(figure, folder / "audit_terms")
    plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, "audit.csv"))
