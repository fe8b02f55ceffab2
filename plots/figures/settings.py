"""Where along the axis do the figures of `audit` put each setting? A figure is of one family and number of keys."""

from .sweeps import groups

SYMBOLS = {
    "keys": "keys $N$", "dim": "dimension $d$", "planes": "planes $P$", "tables": "tables $L$",
    "samples": "samples $M$", "temperature": r"temperature $\tau$",
}  # fmt: skip
ALWAYS = ("planes", "temperature")  # told by a tick also where all settings have the same


class Settings:
    """Of rows of one figure, in their order: ticks tell what differs between them, the title what they have in common."""

    def __init__(self, rows):
        self.first = rows[0]
        self.told = [name for name in SYMBOLS if name in ALWAYS or len({row[name] for row in rows}) > 1]
        self.all = list(dict.fromkeys(self.of(row) for row in rows))

    def of(self, row):
        return tuple(row[name] for name in self.told)

    def place(self, row):
        return self.all.index(self.of(row))

    @property
    def ticks(self):
        return ["\n".join(f"{value:g}" for value in setting) for setting in self.all]

    @property
    def label(self):
        if self.told == list(ALWAYS):
            return f"{SYMBOLS['planes']} (above), {SYMBOLS['temperature']} (below)"
        return ", ".join(SYMBOLS[name] for name in self.told) + " (from above)"

    @property
    def title(self):
        same = (name for name in SYMBOLS if name not in self.told)
        return f"{self.first['family']}: " + ", ".join(f"{SYMBOLS[n].split()[-1]}={self.first[n]:g}" for n in same)


def group_of(row):
    """Of the figure that shows the row."""
    return row["family"], row["keys"]


def named_groups(rows, name):
    """Name and rows of each figure; family and number of keys are in the name where there are several."""
    grouped = groups(rows, group_of)
    families, sizes = ({key[i] for key, _ in grouped} for i in (0, 1))
    return [
        (name + (f"_{family}" if len(families) > 1 else "") + (f"_N{keys:.0f}" if len(sizes) > 1 else ""), group)
        for (family, keys), group in grouped
    ]
