"""Which wrong scales do the checks of attention see? Of docs/checks.md, from docs/records/check_power.csv."""

from records import markdown, one, read, where

SCALES = (1.001, 1.01, 1.1)


def record():
    return read("docs/records/check_power.csv")


def lengths():
    keys = sorted({row["keys"] for row in where(record(), check="attention")})
    caught = [[one(record(), keys=count, scale=scale)["caught"] for scale in SCALES] for count in keys]
    lines = [[f"{count:,.0f}", *(f"{x:.0f}" for x in row)] for count, row in zip(keys, caught, strict=True)]
    return markdown(["keys of the list", "scale off by 0.1%", "by 1%", "by 10%"], lines)


def steps():
    whole, alone = (
        one(record(), check="decode_step", given=given, scale=1.01) for given in ("output and list", "output")
    )
    return {"of": f"{whole['of']:.0f}", "whole": f"{whole['caught']:.0f}", "alone": f"{alone['caught']:.0f}"}


TABLES = {"power of attention": lengths}
