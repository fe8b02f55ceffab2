"""Which importance of a key loses least on the heads of a trained model? Cuts importance.csv of a run of choose.

Usage: importance.py FOLDER   (of `socketlab choose --queries q.npy --keys k.npy --values v.npy --causal --sink 16
--window 128 --budgets 0.05,0.1 --rankers socket,socket-value,signed-orthogonal-norm,signed-orthogonal-norm-value,
oracle-top-k,oracle-top-k-value,value-distance-oracle`, on the arrays that docs/howto/choose.md makes)
"""

from pathlib import Path

from runs import arguments, read_table, write_table

COLUMNS = ["ranker", "budget", "bits_per_key", "metric", "queries", "mean", "median"]


def main(folder):
    rows = read_table(Path(folder) / "choose.csv")
    write_table(Path(__file__).with_name("importance.csv"), COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


if __name__ == "__main__":
    main(*arguments(__doc__, 1))
