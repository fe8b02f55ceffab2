"""How often is a verdict wrong? Of docs/commands.md, from docs/records/false_alarms.csv."""

import math

from records import markdown, read

CONFIDENCE = 0.95


def upper_limit(count, runs):
    """The probability of an event below which `count` of `runs` or fewer have at most 1 - CONFIDENCE: exact, one-sided
    (Clopper and Pearson)."""
    low, high = 0.0, 1.0
    while count < runs and high - low > 1e-12:
        middle = (low + high) / 2
        fewer = sum(math.comb(runs, k) * middle**k * (1 - middle) ** (runs - k) for k in range(count + 1))
        low, high = (middle, high) if fewer > 1 - CONFIDENCE else (low, middle)
    return high


def record():
    return read("docs/records/false_alarms.csv", text=("names",))


def total(rows, column):
    return int(sum(row[column] for row in rows))


def limit(count, runs):
    return f"{100 * upper_limit(count, runs):.2g}%"


def runs():
    with_lies = [row for row in record() if row["mutants"] != ""]
    lines = []
    for name, rows in (("with the planted lies", with_lies), ("all, most without lies", record())):
        alarms = sum(row["false_alarms"] > 0 for row in rows)
        lies = [total(with_lies, "mutants"), total(with_lies, "mutants_not_refuted")] if rows == with_lies else ["", ""]
        lines.append(
            [
                name,
                f"{len(rows):,}",
                f"{total(rows, 'statements'):,}",
                alarms,
                limit(alarms, len(rows)),
                total(rows, "inconclusive"),
                *(f"{count:,}" if count != "" else "" for count in lies),
            ]
        )
    return markdown(
        [
            "seeds",
            "runs",
            "statements judged",
            "runs with a false alarm",
            "95% upper limit on its probability",
            "inconclusive",
            "planted lies",
            "lies not refuted",
        ],
        lines,
    )


TABLES = {"false alarms": runs}
