"""Which rows of the main job do README.md, docs/findings.md and docs/commands.md quote?"""

import math

from records import rows


def verdicts(**wanted):
    """Those that are not as expected are refused: the pages say that there are none."""
    if wrong := [row.id for row in rows("verdicts") if row.verdict != row.expected]:
        raise ValueError(f"not as expected: {', '.join(wrong)}")
    return rows("verdicts").where(**wanted)


def errata(**wanted):
    return verdicts(wording="printed", verdict="refuted", **wanted)


def of_paper(source):
    return not source.startswith("document")


def of_documents(source):
    return source.startswith("document")


def failed_readings():
    return verdicts(wording=lambda wording: wording != "printed", verdict="refuted")


def vacuous(of):
    """Bounds that hold, and are the trivial one or above it wherever they were measured."""
    return [row for row in of if row.vacuous_settings == row.bound_settings > 0]


def evidence(statement):
    return rows("evidence").where(id=statement)


def least_universal(what):
    """Of Theorem 3, over all inputs and the settings of Table 6; rounded down to a tenth, so that "exceeds" holds."""
    infima = evidence(f"S002-T3-universal-{what}").where(relation="=").observed_lo
    return f"{math.floor(10 * min(infima)) / 10:.1f}"


def at_60_tables(family, term):
    return rows("error_curves").one(family=family, term=term, axis_value=60)


def upper_limit(count, runs):
    """The probability of an event below which `count` of `runs` or fewer have at most 5%: exact, one-sided (Clopper and
    Pearson)."""
    low, high = 0.0, 1.0
    while count < runs and high - low > 1e-12:
        middle = (low + high) / 2
        fewer = sum(math.comb(runs, k) * middle**k * (1 - middle) ** (runs - k) for k in range(count + 1))
        low, high = (middle, high) if fewer > 0.05 else (low, middle)
    return high
