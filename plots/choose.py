"""Which rule loses least on one's own q, K, V? Error, mass and recall against the budget; with --search the frontier.

Usage: choose.py RESULTS_FOLDER   (reads choose.csv or choose_search.csv of socketlab choose there, writes PNG and SVG
beside)
"""

import sys
from pathlib import Path

import style  # first: it finds matplotlib
from figures import choose, choose_search
from results import given_folder, read_csv
from script import run
from style import plt

DRAWN = {"choose": choose.draw, "choose_search": choose_search.draw}


def tables_in(folder):
    return [name for name in DRAWN if Path(folder, f"{name}.csv").is_file()]


def main(folder):
    for name in tables_in(folder):
        figure = DRAWN[name](read_csv(Path(folder, f"{name}.csv")))
        style.save(figure, Path(folder, name))
        plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, f"{(tables_in(sys.argv[-1]) or ['choose'])[0]}.csv"))
