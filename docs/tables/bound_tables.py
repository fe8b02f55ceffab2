"""Of docs/bounds.md: each bound over the error that it bounds, from docs/records/bound_ratios.csv."""

from records import markdown, read

COLUMNS = (
    ("finite-tables", "Theorem 1(b)"),
    ("finite-tables", "Theorem 2"),
    ("finite-tables", "Corollary 3"),
    ("finite-tables", "Corollary 4"),
    ("sampling", "Theorem 7(a)"),
    ("bias", "Theorem 8(i)"),
    ("total", "Theorem 9(b)"),
    ("total", "Theorem 9(a)"),
    ("total", "printed, B drawn"),
    ("total", "printed, B sure"),
)


def ratio(row):
    value = row["bound_over_quantile"]
    return f"{value:.2f}" if value < 100 else f"{value:.1e}".replace("e+0", "e")


def bound_ratios():
    settings = {}
    for row in read("docs/records/bound_ratios.csv"):
        key = (row["family"], row["keys"], row["planes"], row["temperature"])
        settings.setdefault(key, {})[row["term"], row["bound"]] = row
    lines = []
    for (family, keys, planes, temperature), bounds in sorted(settings.items(), key=lambda one: (one[0][1], one[0])):
        quantile = bounds["finite-tables", "Theorem 1(b)"]["error_quantile_value_units"]
        proved = [row for row in bounds.values() if row["guarantee"] == "proved" and row["term"] != "bias"]
        most = max(proved, key=lambda row: row["misses"])
        cells = [ratio(bounds[column]) for column in COLUMNS]
        misses = f"{most['misses']:.0f} of {most['draws']:.0f}"
        lines.append([f"{family}, {keys:.0f}", f"{planes:.0f}, {temperature:g}", f"{quantile:.4f}", *cells, misses])
    columns = ["keys, N", "P, tau", "finite tables, 95%", "1(b)", "2", "3", "4(ii)", "sampling: 7(a)", "bias: 8(i)"]
    columns += ["total: 9(b)", "9(a)", "paper, B drawn", "paper, B sure", "most misses"]
    return markdown(columns, lines)


TABLES = {"bound ratios": bound_ratios}
SENTENCES = []
