"""Where is SOCKET above or below a rival? By the side on which the whole simultaneous interval of its paired lead lies."""

from figures.sweeps import where
from ranking_curves import METRIC_LABELS

RIVALS = ["hard-lsh", "hamming", "bucket-attention", "cosine-oracle"]


def word(row):
    """Of SOCKET against the ranker of the row; "level" is not shown to differ."""
    if row["socket_lead_lo"] > 0:
        return "above"
    return "below" if row["socket_lead_hi"] < 0 else "level"


def order_cell(rows):
    words = [word(row) for row in rows]
    return f"{words.count('above')} above, {words.count('below')} below, {words.count('level')} level"


def counted(rows):
    """(setting, rival, a cell to each metric) over the values of k."""
    for setting in dict.fromkeys(row["setting"] for row in rows):
        for rival in RIVALS:
            mine = where(rows, setting=setting, ranker=rival)
            if mine:
                yield setting, rival, [order_cell(where(mine, metric=metric)) for metric in METRIC_LABELS]
