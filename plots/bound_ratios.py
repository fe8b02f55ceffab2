"""How far above the true quantile do the bounds lie? Printed, repaired and our bounds beside the true quantile of each
error, over the longest value, at every setting.

Usage: bound_ratios.py RESULTS_FOLDER   (reads bound_ratios.csv there, writes bound_ratios.png and .svg; of several families
or lengths bound_ratios_FAMILY_N for each)
"""

import style  # first: it finds matplotlib
from figures.bound_ratios import draw
from figures.settings import named_groups
from results import given_folders, read_csv
from script import run


def figures(folder):
    groups = named_groups(read_csv(folder / "bound_ratios.csv"), "bound_ratios")
    return [(folder / name, draw, rows) for name, rows in groups]


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["bound_ratios.csv"]))
