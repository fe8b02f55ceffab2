"""Which importance of a key loses least, on the heads of a trained model and on drawn keys? Cuts importance.csv of two runs.

Usage: importance.py CHOSEN RANKED   (CHOSEN of `socketlab choose --queries q.npy --keys k.npy --values v.npy --causal
--sink 16 --window 128 --budgets 0.05,0.1 --rankers socket,socket-value,signed-orthogonal-norm,signed-orthogonal-norm-value,
oracle-top-k,oracle-top-k-value,value-distance-oracle`, on the arrays that docs/howto/choose.md makes; RANKED of `socketlab
rank --part rankers --families gaussian,gaussian-large-query,needles,clustered,anisotropic,rotary-low-rank,attention-sink,
sink-mean --densities 0.05 --sizes 64 --seed 1`)
"""

from pathlib import Path

from runs import arguments, read_table, write_table

COLUMNS = ["ranker", "budget", "bits_per_key", "metric", "queries", "mean", "median"]
DRAWN = ["socket", "socket-value", "signed-orthogonal-norm", "oracle-top-k", "value-distance-oracle"]


def drawn_rows(folder):
    """Without sink and window; a query to each instance, and no median."""
    for row in read_table(Path(folder) / "rankers.csv"):
        if row["size"] == "published" and row["ranker"] in DRAWN:
            for metric, column in (("mass", "mass"), ("relative_error", "relative_error")):
                mean = f"{float(row[column]):.6g}"
                yield [row["family"], row["ranker"], "0.05", row["bits_per_token"], metric, row["instances"], mean, ""]


def main(chosen, ranked):
    kept = (["kept heads", *(row[name] for name in COLUMNS)] for row in read_table(Path(chosen) / "choose.csv"))
    write_table(Path(__file__).with_name("importance.csv"), ["family", *COLUMNS], [*kept, *drawn_rows(ranked)])


if __name__ == "__main__":
    main(*arguments(__doc__, 2))
