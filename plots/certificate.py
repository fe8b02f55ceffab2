"""What is certified for a query, beside what was measured, predicted and printed? The error terms as bars, one panel for
each query.

Usage: certificate.py RESULTS_FOLDER   (reads certificate.csv there, writes certificate.png and .svg)
"""

import style  # first: it finds matplotlib
from figures.certificate import draw
from results import given_folders, read_csv
from script import run

main = style.main_of(lambda folder: [(folder / "certificate", draw, read_csv(folder / "certificate.csv"))])

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["certificate.csv"]))
