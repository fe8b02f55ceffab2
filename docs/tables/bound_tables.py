"""How far above the error does each bound lie? Of docs/bounds, from docs/records/bound_ratios.csv."""

from records import markdown, read, where

COLUMNS = {
    "1(b)": ("finite-tables", "Theorem 1(b)"),
    "2": ("finite-tables", "Theorem 2"),
    "3": ("finite-tables", "Corollary 3"),
    "4(ii)": ("finite-tables", "Corollary 4"),
    "sampling: 7(a)": ("sampling", "Theorem 7(a)"),
    "bias: 8(i)": ("bias", "Theorem 8(i)"),
    "total: 9(b)": ("total", "Theorem 9(b)"),
    "9(a)": ("total", "Theorem 9(a)"),
    "paper, B drawn": ("total", "printed, B drawn"),
    "paper, B sure": ("total", "printed, B sure"),
}


def record():
    return read("docs/records/bound_ratios.csv")


def ratio(value):
    return f"{value:.2f}" if value < 100 else f"{value:.1e}".replace("e+0", "e")


def ratios(rows, term, bound):
    return [row["bound_over_quantile"] for row in where(rows, term=term, bound=bound)]


def proved(rows):
    """Those whose misses have a probability: of the bias nothing is random."""
    return [row for row in rows if row["guarantee"] == "proved" and row["term"] != "bias"]


def bound_ratios():
    rows = record()
    lines = []
    for family, keys in sorted({(row["family"], row["keys"]) for row in rows}, key=lambda one: (one[1], one[0])):
        mine = where(rows, family=family, keys=keys)
        cells = [ratio(max(ratios(mine, term, bound))) for term, bound in COLUMNS.values()]
        most = max(proved(mine), key=lambda row: row["misses"])
        lines.append([family, f"{keys:.0f}", *cells, f"{most['misses']:.0f} of {most['draws']:.0f}"])
    return markdown(["keys", "N", *COLUMNS, "most misses"], lines)


def largest(term, bound):
    return f"{max(ratios(record(), term, bound)):.2f}"


def hundreds_and_millions():
    total = [value for row in COLUMNS if row.startswith("paper") for value in ratios(record(), *COLUMNS[row])]
    sampling = ratios(record(), "sampling", "printed")
    tight = [row["bound_over_quantile"] for row in record() if row["guarantee"] in ("proved", "estimated")
             and row["term"] != "bias" and row["bound"] not in ("Theorem 2", "repaired")]  # fmt: skip
    return {
        "least": f"{min(total):.0f}",
        "most": f"{max(total) / 1e6:.1f}",
        "low": f"{min(sampling):.0f}",
        "high": f"{max(sampling):.0f}",
        "ours": f"{max(tight):.2f}",
    }


def beyond_corollary_3():
    """How much larger Corollary 4 is on clustered values at P = 10, tau = 0.3, by the number of fresh tables."""
    mine = where(record(), family="clustered-values", planes=10, temperature=0.3)
    by_tables = {}
    for fresh in sorted({row["fresh_tables"] for row in mine}):
        of = where(mine, fresh_tables=fresh)
        (third,), (fourth,) = ratios(of, *COLUMNS["3"]), ratios(of, *COLUMNS["4(ii)"])
        by_tables[fresh] = fourth - third
    few, many = by_tables
    return {
        "fewer": f"{by_tables[few]:.2f}",
        "few": f"{few:,.0f}",
        "more": f"{by_tables[many]:.2f}",
        "many": f"{many:,.0f}",
    }


def gaussian_bias():
    least, *_, most = sorted(ratios(where(record(), family="gaussian", keys=4096), *COLUMNS["bias: 8(i)"]))
    return {"least": f"{least:.1f}", "most": f"{most:.1f}"}


TABLES = {"bound ratios": bound_ratios}


def sharpest():
    return max(largest(*COLUMNS[name]) for name in ("1(b)", "sampling: 7(a)", "total: 9(b)"))


def largest_of(column):
    return largest(*COLUMNS[column])


def highest_miss_rate():
    return f"{100 * max(row['miss_rate_hi'] for row in proved(record())):.1f}"
