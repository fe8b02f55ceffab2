"""On one's own q, K, V: how do error and lost softmax mass fall with the density, head by head?

Usage: attend_curves.py RESULTS_FOLDER   (reads attend_curves*.csv of socketlab attend there, writes PNG and SVG beside)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.attend_curves import draw
from results import given_folders, read_csv
from script import run


def read_curves(folder):
    """(ranking, head) -> rows by density. A second profile's file, which sorts first, has true top keys of its own."""
    curves = {}
    for path in sorted(Path(folder).glob("attend_curves*.csv")):
        own = {}
        for row in read_csv(path):
            own.setdefault((row["ranking"], row["head"]), []).append(row)
        curves.update(own)
    return curves


main = style.main_of(lambda folder: [(folder / "attend_curves", draw, read_curves(folder))])

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["attend_curves.csv"]))
