"""What do the scripts draw with? Matplotlib without a display, in the look of figures/style.py; a figure becomes two files."""

import concurrent.futures
import io
import multiprocessing
import os
import sys
from pathlib import Path

from script import refuse, write_whole

try:
    import matplotlib

    matplotlib.use("Agg")  # files only, no display
    from figures.style import *  # noqa: F403  for the scripts
    from figures.style import LOOK
except ModuleNotFoundError as missing:
    refuse(
        f"{sys.executable}: no {missing.name}; allowed is a Python with matplotlib and numpy, often /usr/bin/python3"
    )

matplotlib.rcParams.update(LOOK)


def main_of(figures):
    """The main of a script whose figures(folder) are jobs of draw_all."""
    return lambda folder: draw_all(figures(Path(folder)))


def draw_all(jobs):
    """Draws and saves figures, side by side on the cores there are. A job is the stem as save takes it, what makes the
    figure, and the arguments of that.
    """
    workers = min(len(jobs), len(os.sched_getaffinity(0)))
    if workers < 2:
        for job in jobs:
            draw_one(job)
        return
    forks = multiprocessing.get_context("fork")  # with matplotlib, which takes a second to import
    try:
        with concurrent.futures.ProcessPoolExecutor(workers, forks) as pool:
            list(pool.map(draw_one, jobs))  # also raises what one of them did
    except concurrent.futures.process.BrokenProcessPool:
        refuse("a drawing process was killed, probably for lack of memory; allowed is room for one figure per core")


def draw_one(job):
    stem, make, *given = job
    figure = make(*given)
    save(figure, stem)
    plt.close(figure)  # noqa: F405  of figures/style.py


def save(figure, stem):
    """Writes stem.png and stem.svg, each whole or not at all."""
    for ending, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        drawn = io.BytesIO()
        figure.savefig(drawn, format=ending, metadata=metadata, bbox_inches="tight")
        write_whole(f"{stem}.{ending}", drawn.getvalue())
