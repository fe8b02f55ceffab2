"""Do sequences grow by one graph, and what do lengths on the device cost? The tables of docs/gpu/lengths.md."""

from gpu_rows import ASKED, HEADS, us
from records import markdown, one, read, thousands, where

RECORD = "gpu/records/growing_h200.csv"
COMPARED = {"rows": "rows of output and log-sum-exp", "indexed-keys": "indexed keys"}
CALLED = {
    "equal": "all as long as the mean",
    "ragged": "drawn from 1 to 32,768",
    "equal-told": "all as long as the mean",
    "all-at-the-most": "all of 32,768",
    "all-at-the-most-told": "all of 32,768",
    "told": "one sequence",
    "lengths": "one sequence",
}


def rows_of(measurement, **wanted):
    return where(read(RECORD), measurement=measurement, **wanted)


def compared():
    """What was compared after 10,000 replays, and after as many as a planted fault had."""
    lines = []
    for row in rows_of("growing"):
        kind, _, fault = row["variant"].partition(", ")
        numbers = [thousands(row[name]) for name in ("steps", "compared", "mismatches")]
        lines.append([f"`{fault}`" if fault else "none", numbers[0], COMPARED[kind], *numbers[1:]])
    return markdown(["planted fault", "replays", "what", "compared", "different"], lines)


def cost():
    lines = []
    for row in rows_of("ragged") + rows_of("long"):
        lines.append(
            [
                f"{row['batch']:.0f}", f"{row['kv_heads']:.0f}", CALLED[row["variant"]], thousands(row["tokens"]),
                row["lengths"], us(row["median_us"]), f"{us(row['fastest_us'])} to {us(row['slowest_us'])}",
                f"{row['ratio']:.3f}",
            ]
        )  # fmt: skip
    columns = ["sequences", "KV heads", "lengths", "tokens in all", "known to the", "us", "fastest to slowest"]
    return markdown([*columns, "times the first row of its kind"], lines)


TABLES = {"gpu lengths compared": compared, "gpu lengths cost": cost}


def ratios():
    """Of the ragged batch against the equal one, and of a long sequence against one that the host tells its length."""
    numbers = {"ragged": f"{one(rows_of('ragged'), variant='ragged')['ratio']:.3f}"}
    for kv_heads in HEADS:
        row = one(rows_of("long"), kv_heads=kv_heads, variant="lengths", tokens=ASKED)
        numbers[f"long{kv_heads}"] = f"{row['ratio']:.3f}"
    return numbers


def room():
    """Of grids and lists of the mean, as the host's number asks for, against those for the capacity."""
    return {"room": f"{one(rows_of('ragged'), variant='equal-told')['ratio']:.3f}"}


SENTENCES = [
    (
        "docs/gpu/lengths.md",
        "takes {ragged} times as long as 64 equal ones with as many tokens. A length on the device makes a step of one"
        " sequence of 145,408 tokens take {long32} times as long with 32 KV heads and {long8} times with 8",
        ratios,
    ),
    ("docs/gpu/lengths.md", "64 equal sequences take {room} times as long", room),
]
