"""How much does what Theorem 3 says at one draw of keys, query and tables move from draw to draw?

    python3 docs/records/theorem3_seeds.py build/socketlab 20 > docs/records/theorem3_seeds.csv

A row for each seed from 1 on, of the statements S002-T3-vacuity and S002-T3-hypothesis: 4,096 Gaussian keys, d = 128,
P = 8, L = 60, M = 409, delta = 0.1, tau = 0.3, 0.5 and 0.7. Columns: the fullest bucket of the drawn tables and the most
keys found on one side of a plane (sure), of the statement on the bound; the least and the largest bound of the three
temperatures over the longest value, with either for B; the least and the largest number of tables that is asked for.
"""

import re
import sys

from runs import arguments, verified, write_table

BOUND, TABLES = "S002-T3-vacuity", "S002-T3-hypothesis"
READINGS = {"drawn": "of the drawn tables", "sure": "almost surely"}
COLUMNS = ["occupancy_keys", "bound_least", "bound_most", "tables_least", "tables_most"]


def read_as(words, evidence):
    """(B, observed) of the pieces whose B is read in these words."""
    matches = ((re.fullmatch(rf"tau=[\d.]+, B >?= (\d+) {words}", piece["instance"]), piece) for piece in evidence)
    return [(int(found[1]), piece["observed"][0]) for found, piece in matches if found]


def row_of(seed, socketlab):
    rows = {row["id"]: row["evidence"] for row in verified(socketlab, seed, "--only", f"{BOUND},{TABLES}", "--no-lies")}
    cells = [seed]
    for words in READINGS.values():
        (occupancies, bounds), (_, tables) = (zip(*read_as(words, rows[name]), strict=True) for name in (BOUND, TABLES))
        cells += [occupancies[-1], min(bounds), max(bounds), min(tables), max(tables)]
    return cells


def main(socketlab, seeds):
    columns = ["seed", *(f"{column}_{reading}" for reading in READINGS for column in COLUMNS)]
    write_table(sys.stdout, columns, (row_of(seed, socketlab) for seed in range(1, int(seeds) + 1)))


if __name__ == "__main__":
    main(*arguments(__doc__, 2))
