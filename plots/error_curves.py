"""Error against tables, samples, temperature and other axes: measured points with intervals, the exact prediction, the
bound; for two axes a heat map of the total error.

Usage: error_curves.py RESULTS_FOLDER   (reads sweep.csv and sweep_slopes.csv there, writes PNG and SVG beside them)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.error_curves import draw, draw_grid
from results import given_folders, read_grids, read_sweeps
from script import run


def figures(folder):
    """Jobs of style.draw_all."""
    drawn = [(Path(folder) / sweep.name, draw, sweep) for sweep in read_sweeps(folder)]
    return drawn + [(Path(folder) / grid.name, draw_grid, grid) for grid in read_grids(folder)]


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["sweep.csv"]))
