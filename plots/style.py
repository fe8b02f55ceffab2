"""What do the scripts draw with? Matplotlib without a display, in the look of figures/style.py; a figure becomes two files."""

import io
import sys

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


def save(figure, stem):
    """Writes stem.png and stem.svg, each whole or not at all."""
    for ending, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        drawn = io.BytesIO()
        figure.savefig(drawn, format=ending, metadata=metadata, bbox_inches="tight")
        write_whole(f"{stem}.{ending}", drawn.getvalue())
