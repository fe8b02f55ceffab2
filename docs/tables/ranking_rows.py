"""Which rows of the rankings do several pages quote? ranking_records.py cuts the records out of runs."""

import sys

from formats import percent
from records import ROOT, Rows, rows

sys.path.insert(0, str(ROOT / "plots"))
import ranking_leads  # noqa: E402
import style  # noqa: E402
from ranking_curves import METRIC_LABELS  # noqa: E402, F401

TAUS = (0.3, 0.5, 0.7)
HASHED = ("socket", "socket-value")  # of the rankers the ones that a temperature changes
FAMILY_COLUMNS = ("gaussian", "needles", "clustered", "anisotropic", "rotary-low-rank", "attention-sink")
QUERY_NORMS = {"gaussian-unit-query": "1", "gaussian": "√d", "gaussian-large-query": "4√d"}
TWINS = ("signed-orthogonal", "signed-independent", "rabitq", "oracle-top-p")  # near another row of the same table
AIMS = {"precision": "0.02", "missed-mass": "0.01", "output-error": "5%"}
SOCKET_LEVEL = ("above", "level", "below")


def rankings(**wanted):
    """At a tenth of the keys, at the published sizes and at equal ones."""
    found = rows("rankers_published_sizes") + rows("rankers_by_memory")
    return Rows(found).where(density=0.1, **wanted)


def label_at(row):
    name = style.RANKERS[row.ranker][3]
    return f"{name}, tau = {row.temperature:g}" if row.ranker in HASHED else name


def once(found, taus=(TAUS[0], TAUS[-1])):
    """Every ranker once, in the order of the record, and without twins: SOCKET at some temperatures, all others at the
    coldest."""
    order = found.distinct("ranker")
    kept = [
        row
        for row in found
        if row.ranker not in TWINS
        and (row.temperature == TAUS[0] or row.ranker == "socket" and row.temperature in taus)
    ]
    return Rows(sorted(kept, key=lambda row: (order.index(row.ranker), row.temperature)))


def word(row):
    return ranking_leads.word(vars(row))


def counts(found):
    """At how many SOCKET is above / level with / below."""
    words = [word(row) for row in found]
    return " / ".join(str(words.count(level)) for level in SOCKET_LEVEL)


def temperatures(**wanted):
    return rows("ranking_temperatures").where(**wanted)


# Of the answer: (temperature, ranker, size) of SOCKET, its own bits counted, and what reads about as much or less.
ANSWER = [
    (0.3, "socket", "published"), (0.7, "socket", "published"), (0.3, "hamming", "published"),
    (0.3, "signed-orthogonal-norm", "published"), (0.3, "signed-orthogonal-norm", "256"),
    (0.3, "signed-orthogonal-norm", "600"), (0.3, "pqcache", "published"), (0.3, "loki", "published"),
    (0.3, "cosine-oracle", "published"),
]  # fmt: skip


def answer(family):
    """Its rows, in the order of ANSWER."""
    return [rankings(family=family).one(temperature=t, ranker=ranker, size=size) for t, ranker, size in ANSWER]


def predictions(**wanted):
    return rows("ranking_prediction").where(**wanted)


def difference(row):
    if row.quantity == "output-error":
        return f"{percent(row.difference, '+.1f')[:-1]} ± {percent(row.difference_deviation, '.1f')}"
    return f"{row.difference:+.4f} ± {row.difference_deviation:.4f}"
