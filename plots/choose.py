"""Which rule loses least on one's own q, K, V? Error, mass and recall against the budget; with --search the frontier.

Usage: choose.py RESULTS_FOLDER   (reads choose.csv or choose_search.csv of socketlab choose there, writes PNG and SVG
beside)
"""

import sys
from pathlib import Path

import style  # first: it finds matplotlib
from figures.choose import draw
from results import given_folders, read_csv
from script import run


def tables_in(folder):
    return [name for name in ("choose", "choose_search") if Path(folder, f"{name}.csv").is_file()]


main = style.main_of(
    lambda folder: [(folder / name, draw, read_csv(folder / f"{name}.csv")) for name in tables_in(folder)]
)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, [f"{(tables_in(sys.argv[-1]) or ['choose'])[0]}.csv"]))
