"""Which rule loses least on one's own q, K, V? Error, mass and recall against the budget; with --search the frontier.

Usage: choose.py RESULTS_FOLDER   (reads choose.csv and choose_search.csv of socketlab choose there, writes PNG and SVG
beside)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures import choose, choose_search
from results import given_folder, read_csv
from script import run
from style import plt


def main(folder):
    folder = Path(folder)
    for name, draw in (("choose", choose.draw), ("choose_search", choose_search.draw)):
        if not (folder / f"{name}.csv").exists():
            continue
        figure = draw(read_csv(folder / f"{name}.csv"))
        style.save(figure, folder / name)
        plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, "choose.csv"))
