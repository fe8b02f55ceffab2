"""What does Theorem 3 say at production settings, beside the errors there? Every term of its bound and the exact error of
that term, over the longest value.

Usage: audit_terms.py RESULTS_FOLDER   (reads audit.csv and audit_bounds.csv there, writes audit_terms.png and .svg; of
several families or lengths audit_terms_FAMILY_N for each)
"""

import style  # first: it finds matplotlib
from figures.audit_terms import draw
from figures.settings import group_of, named_groups
from results import given_folders, read_csv
from script import run


def figures(folder):
    bounds = read_csv(folder / "audit_bounds.csv")
    groups = named_groups(read_csv(folder / "audit.csv"), "audit_terms")
    return [
        (folder / name, draw, rows, [row for row in bounds if group_of(row) == group_of(rows[0])])
        for name, rows in groups
    ]


main = style.main_of(figures)

if __name__ == "__main__":
    run(main, *given_folders(__doc__, ["audit.csv"]))
