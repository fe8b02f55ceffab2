"""Error against tables, samples, temperature and other axes: measured points with intervals, the exact prediction, the
bound; for two axes a heat map of the total error.

Usage: error_curves.py RESULTS_FOLDER   (reads sweep.csv and sweep_slopes.csv there, writes PNG and SVG beside them)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.error_curves import draw, draw_grid
from results import given_folder, read_grids, read_sweeps
from script import run
from style import plt


def main(folder):
    figures = [(sweep.name, draw, sweep) for sweep in read_sweeps(folder)]
    figures += [(grid.name, draw_grid, grid) for grid in read_grids(folder)]
    for name, make, data in figures:
        figure = make(data)
        style.save(figure, Path(folder) / name)
        plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, "sweep.csv"))
