"""What does Theorem 3 say at production settings, beside the errors there? Every term of its bound and the exact error of
that term, over the longest value.

Usage: audit_terms.py RESULTS_FOLDER   (reads audit.csv and audit_bounds.csv there, writes audit_terms.png and .svg; of
several families or lengths audit_terms_FAMILY_N for each)
"""

from pathlib import Path

import style  # first: it finds matplotlib
from figures.audit_terms import draw
from figures.settings import named_groups
from results import given_folder, read_csv
from script import run
from style import plt


def main(folder):
    folder = Path(folder)
    bounds = read_csv(folder / "audit_bounds.csv")
    for name, rows in named_groups(read_csv(folder / "audit.csv"), "audit_terms"):
        figure = draw(
            rows, [row for row in bounds if (row["family"], row["keys"]) == (rows[0]["family"], rows[0]["keys"])]
        )
        style.save(figure, folder / name)
        plt.close(figure)


if __name__ == "__main__":
    run(main, given_folder(__doc__, "audit.csv"))
