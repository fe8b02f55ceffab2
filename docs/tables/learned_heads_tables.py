"""What do the theorem and the bounds say on heads of a trained model? From docs/records/learned/kept_heads/*.csv.

docs/records/learned_heads.sh makes the records: one query of each of the heads that come with the program. The kinds of
the heads are those of the header of experiments/families/learned_heads.safetensors.
"""

import functools
import re

from records import markdown, one, read, where

FOLDER = "docs/records/learned/kept_heads"
HEADS = "experiments/families/learned_heads.safetensors"
SETTING = {"planes": 10, "temperature": 0.5}  # of what is shown at one setting


def header():
    return one(read(HEADS))


@functools.cache  # a test makes these tables a thousand times
def places_of_heads(names):
    """Of a header's names, in the order of the file: (that of a head's layer, where the head's own begin)."""
    found = []
    for name in names:
        group = re.fullmatch(r"(__metadata__\.heads\.\d+)\.layer", name)
        if not group:
            continue
        inside = sorted({int(k.split(".")[4]) for k in names if k.startswith(f"{group[1]}.heads.")})
        found += [(name, f"{group[1]}.heads.{place}") for place in inside]
    return found


def heads():
    """In the order of the file: (name in the model, kind, effective keys)."""
    said = header()
    return [
        (f"{said[layer]:.0f}.{said[f'{head}.head']:.0f}", said[f"{head}.kind"], said[f"{head}.effective_keys"])
        for layer, head in places_of_heads(tuple(said))
    ]


def kinds():
    """kind -> the numbers of its heads in the file."""
    numbers = {}
    for number, (_, kind, _) in enumerate(heads()):
        numbers.setdefault(kind, []).append(number)
    return numbers


def of_kind(table, kind, **wanted):
    """Rows of a record, of the heads of a kind; with `head` the number of the head."""
    numbers = kinds()[kind]
    found = []
    for row in where(read(f"{FOLDER}/{table}.csv"), **wanted):
        number = row["head"] if "head" in row else float(row["family"].split("-")[1])
        if number in numbers:
            found.append(row | {"head": number})
    return found


def short(value):
    return f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def span(values, shown=short):
    """Least and most, one number where they look the same."""
    least, most = shown(min(values)), shown(max(values))
    return least if least == most else f"{least} to {most}"


def settings():
    return sorted({(row["planes"], row["temperature"]) for row in read(f"{FOLDER}/audit.csv")})


def table(columns):
    """`columns`: head -> function of (kind, setting) that makes the cell; behind kind, P and tau."""
    lines = [
        [kind, f"{planes:.0f}", f"{temperature:g}"]
        + [cell(kind, {"planes": planes, "temperature": temperature}) for cell in columns.values()]
        for kind in kinds()
        for planes, temperature in settings()
    ]
    return markdown(["heads", "P", "tau", *columns], lines)


def kept():
    lines = [
        [f"`learned-{number}`", name, kind, f"{keys:,.{0 if keys > 99 else 2}f}"]
        for number, (name, kind, keys) in enumerate(heads())
    ]
    return markdown(["head of the file", "layer and head of the model", "kind", "effective keys"], lines)


TERMS = ("sampling", "finite_tables", "bias")


def error(row, term):
    """Over the longest value: exact, but for the total a mean over draws."""
    return row["total_error"] if term == "total" else row[f"{term}{'' if term == 'bias' else '_error'}_exact"]


def errors(term):
    return lambda kind, setting: span([error(row, term) for row in of_kind("audit", kind, **setting)])


def terms():
    columns = {"sampling": "sampling", "tables": "finite_tables", "bias": "bias", "total, measured": "total"}
    return table({name: errors(term) for name, term in columns.items()})


def place(row):
    return row["head"], row["planes"], row["temperature"]


def printed(kind, setting=None, reading="realised"):
    """(row of the errors, row of the printed bound) of each head; of all settings where none is given."""
    at = {place(row): row for row in of_kind("audit_bounds", kind, reading=reading, **(setting or {}))}
    return [(row, at[place(row)]) for row in of_kind("audit", kind, **(setting or {}))]


def over_error(term):
    def cell(kind, setting):
        return span([bound[f"{term}_bound"] / error(row, term) for row, bound in printed(kind, setting)])

    return cell


def bound_of(term):
    return lambda kind, setting: span([bound[f"{term}_bound"] for _, bound in printed(kind, setting)])


def over_quantile(rows, bound):
    """rows: of bound_ratios.csv by kind."""

    def cell(kind, setting):
        return span([row["bound_over_quantile"] for row in where(rows[kind], bound=bound, **setting)])

    return cell


def bounds():
    columns = {"printed bound on sampling": bound_of("sampling"), "on tables": bound_of("finite_tables")}
    columns |= {"on bias": bound_of("bias"), "total, over the error": over_error("total")}
    ours = {"tables": "Theorem 1(b)", "sampling": "Theorem 7(a)", "bias": "Theorem 8(i)", "total": "Theorem 9(b)"}
    rows = {kind: of_kind("bound_ratios", kind) for kind in kinds()}
    return table(columns | {f"{bound} ({name})": over_quantile(rows, bound) for name, bound in ours.items()})


def needs():
    """Thresholds of L, M and tau together do not depend on the tau of a row; the hypothesis does."""
    taus = sorted({tau for _, tau in settings()})

    def cells(kind, planes):
        pairs = {tau: printed(kind, {"planes": planes, "temperature": tau}) for tau in taus}

        def of(name, tau=taus[0], row_of=lambda pair: pair[1]):
            return span([row_of(pair)[name] for pair in pairs[tau]])

        bound = [of(f"together_needs_{name}") for name in ("tables", "samples", "temperature")]
        of_error = [
            of(f"error_together_needs_{name}", row_of=lambda pair: pair[0])
            for name in ("tables", "samples", "temperature")
        ]
        return [*(of("required_tables", tau) for tau in taus), *bound, *of_error]

    lines = [
        [kind, f"{planes:.0f}", *cells(kind, planes)]
        for kind in kinds()
        for planes in sorted({planes for planes, _ in settings()})
    ]
    hypothesis = [f"hypothesis on L, tau = {tau:g}" for tau in taus]
    return markdown(["heads", "P", *hypothesis, "bound < 1: L", "M", "tau", "error < 0.01: L", "M", "tau"], lines)


def of_dense(kind, term, setting=None):
    """Of each head: a length over that of the dense output, or a fraction as it is."""
    rows = of_kind("certificate", kind, term=term, basis="measured", **(setting or SETTING))
    return [row["value"] / (1 if term.startswith("missed") else row["dense_norm_value_units"]) for row in rows]


def percent(value):
    return f"{100 * value:.1f}%" if value >= 5e-4 or value == 0 else "< 0.1%"


def dense():
    columns = {"angular attention": "angular-to-dense", "the sampled output, distance from y*": "total"}
    columns |= {
        "the selection": "top-m",
        "softmax mass left out": "missed-mass",
        "true top keys left out": "missed-top",
    }
    lines = [[kind, *(span(of_dense(kind, term), percent) for term in columns.values())] for kind in kinds()]
    return markdown(["heads", *columns], lines)


def sweep(kind, tables, name, term="finite-tables"):
    rows = of_kind("sweep", kind, axis_value=tables, term=term)
    return [row[name] / row["trivial_bound_value_units"] for row in rows]


def along_tables():
    counts = sorted({row["axis_value"] for row in read(f"{FOLDER}/sweep.csv")})
    columns = {"measured": "error_value_units", "predicted": "predicted_value_units"}
    columns["printed bound"] = "bound_drawn_occupancy_value_units"
    lines = [
        [kind, f"{tables:.0f}", *(span(sweep(kind, tables, name)) for name in columns.values())]
        for kind in kinds()
        for tables in counts
    ]
    return markdown(["heads", "L", *columns], lines)


def every(table, **wanted):
    return [row for kind in kinds() for row in of_kind(table, kind, **wanted)]


def all_pairs():
    return [pair for kind in kinds() for pair in printed(kind)]


def whole(value):
    """Three digits of a count."""
    return f"{float(f'{value:.3g}'):,.0f}"


def printed_far():
    pairs = all_pairs()
    ratios = [bound["total_bound"] / error(row, "total") for row, bound in pairs]
    return {
        "least": whole(min(ratios)),
        "most": whole(max(ratios)),
        "lowest": whole(min(bound["total_bound"] for _, bound in pairs)),
        "sampling": f"{min(bound['sampling_bound'] for _, bound in pairs):.1f}",
    }


def required():
    pairs = all_pairs()
    return {
        "hypothesis": whole(min(bound["required_tables"] for _, bound in pairs)),
        "tables": whole(min(bound["together_needs_tables"] for _, bound in pairs)),
        "samples": whole(min(bound["together_needs_samples"] for _, bound in pairs)),
        "temperature": f"{max(bound['together_needs_temperature'] for _, bound in pairs):.4f}",
    }


def share_of_squares(kind):
    """Of the squared error of the total, by term, over the heads of a kind and all settings: exact errors."""
    rows = of_kind("audit", kind)
    sums = {term: sum(error(row, term) ** 2 for row in rows) for term in TERMS}
    return {term: f"{100 * part / sum(sums.values()):.0f}" for term, part in sums.items()}


def span_of_bias():
    """The same share of the bias, of each head and setting by itself."""
    found = {}
    for kind in kinds():
        shares_of_cells = [100 * error(row, "bias") ** 2 / sum(error(row, term) ** 2 for term in TERMS)
                           for row in of_kind("audit", kind)]  # fmt: skip
        found[kind] = f"{min(shares_of_cells):.0f} to {max(shares_of_cells):.0f}"
    return found


def shares():
    return {f"{kind}_{term}": share for kind in kinds() for term, share in share_of_squares(kind).items()}


def ours(*bounds):
    ratios = [row["bound_over_quantile"] for bound in bounds for row in every("bound_ratios", bound=bound)]
    return {"least": f"{min(ratios):.2f}", "most": f"{max(ratios):.2f}"}


def ours_of_bias():
    return {name: f"{float(value):.1f}" for name, value in ours("Theorem 8(i)").items()}


def ours_of_total():
    """Over the longest value, where 1 would say nothing."""
    rows = every("bound_ratios", bound="Theorem 9(b)")
    return {"most": f"{max(row['bound_value_units'] / row['trivial_bound_value_units'] for row in rows):.2f}"}


def beyond():
    """Rows of proved bounds, none of them refuted."""
    rows = [row for row in every("bound_ratios") if row["guarantee"] == "proved"]
    if any(row["verdict"] == "refuted" for row in rows):
        raise ValueError("a proved bound is refuted: the sentence that none is does not hold")
    return {"rows": f"{len(rows)}", "misses": f"{max(row['misses'] for row in rows):.0f}",
            "draws": f"{rows[0]['draws']:.0f}"}  # fmt: skip


def infinite():
    """How often Corollary 4 says nothing."""
    rows = every("bound_ratios", bound="Corollary 4")
    return {"nothing": f"{sum(row['bound_value_units'] == float('inf') for row in rows)}", "rows": f"{len(rows)}"}


def far_from_dense(term="angular-to-dense"):
    spans = {kind: of_dense(kind, term) for kind in kinds()}
    return {f"{kind}_{end}": f"{100 * pick(values):.0f}" for kind, values in spans.items()
            for end, pick in (("least", min), ("most", max))}  # fmt: skip


def fall():
    """How many times the measured error falls from the fewest tables to the most, and what the total does."""
    counts = sorted({row["axis_value"] for row in read(f"{FOLDER}/sweep.csv")})
    falls = {}
    for term in ("finite-tables", "total"):
        few, many = ([x for kind in kinds() for x in sweep(kind, count, "error_value_units", term)]
                     for count in (counts[0], counts[-1]))  # fmt: skip
        falls[term] = [a / b for a, b in zip(few, many, strict=True)]
    return {
        "fewest": f"{counts[0]:.0f}",
        "most": f"{counts[-1]:.0f}",
        "least_fall": f"{min(falls['finite-tables']):.1f}",
        "most_fall": f"{max(falls['finite-tables']):.1f}",
        "total": f"{100 * (max(falls['total']) - 1):.1f}",
    }


TABLES = {
    "kept heads": kept,
    "learned terms": terms,
    "learned bounds": bounds,
    "learned needs": needs,
    "learned dense": dense,
    "learned tables": along_tables,
}
