"""What does Theorem 3 say at production settings? The tables of docs/audit.md, from docs/records/audit*.csv."""

from records import markdown, one, read


def settings():
    return read("docs/records/audit.csv")


def bounds(row, reading):
    """The bounds of a setting with B `realised`, of one draw of the tables, or `almost-sure`."""
    key = {name: row[name] for name in ("planes", "temperature")}
    return one(read("docs/records/audit_bounds.csv"), reading=reading, **key)


def short(value):
    return f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def both(row, name):
    """One number for the drawn and the almost-sure reading of B, or two with a stroke where they differ."""
    drawn, sure = (short(bounds(row, reading)[name]) for reading in ("realised", "almost-sure"))
    return drawn if drawn == sure else f"{drawn} / {sure}"


def table(columns):
    """`columns`: head -> function of a row of audit.csv that makes the cell; behind P and tau."""
    lines = [
        [f"{row['planes']:.0f}", f"{row['temperature']:g}", *(cell(row) for cell in columns.values())]
        for row in settings()
    ]
    return markdown(["P", "tau", *columns], lines)


def terms():
    return table(
        {
            "bound: of sampling": lambda row: both(row, "sampling_bound"),
            "of tables": lambda row: both(row, "finite_tables_bound"),
            "of bias": lambda row: both(row, "bias_bound"),
            "error: by sampling": lambda row: short(row["sampling_error_exact"]),
            "by tables": lambda row: short(row["finite_tables_error_exact"]),
            "by bias": lambda row: short(row["bias_exact"]),
            "total, measured": lambda row: short(row["total_error"]),
        }
    )


def constants():
    return table(
        {
            "epsilon": lambda row: f"{row['epsilon']:.4f}",
            "Z_tau": lambda row: f"{row['population_mass']:.4g}",
            "B": lambda row: " / ".join(f"{bounds(row, b)['occupancy_keys']:.0f}" for b in ("realised", "almost-sure")),
            "required L": lambda row: both(row, "required_tables"),
        }
    )


def needed(row):
    return ", ".join(short(row[f"together_needs_{name}"]) for name in ("tables", "samples", "temperature"))


def needs():
    return table(
        {
            "bound < 1, B drawn: L, M, tau": lambda row: needed(bounds(row, "realised")),
            "bound < 1, B sure: L, M, tau": lambda row: needed(bounds(row, "almost-sure")),
            "error < 0.01: L, M": lambda row: ", ".join(
                short(row[f"error_together_needs_{name}"]) for name in ("tables", "samples")
            ),
        }
    )


def hashes():
    return table(
        {
            "bits per token": lambda row: f"{row['bits_per_token']:.0f}",
            "keys that no table brings to the query": lambda row: f"{100 * row['keys_never_hit_exact']:.1f}%",
            "distinct scores, effective": lambda row: short(row["distinct_scores_effective"]),
            "way from the mean to y* that y_tau goes": lambda row: f"{100 * row['recovered_deviation']:.0f}%",
        }
    )


def far_from_the_mean():
    way = [row["recovered_deviation"] for row in settings()]
    return {
        "mean": f"{max(row['angular_deviation_from_mean'] for row in settings()):.3f}",
        "least": f"{100 * min(way):.0f}",
        "most": f"{100 * max(way):.0f}",
    }


TABLES = {"audit terms": terms, "audit constants": constants, "audit needs": needs, "audit hashes": hashes}


def fewest_required_tables():
    return f"{min(bounds(row, 'realised')['required_tables'] for row in settings()):.0f}"
