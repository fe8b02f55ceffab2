"""Which rows of a sweep make a curve, and which a map of two axes?"""


class Sweep:
    """One curve family: the rows of one axis on one family of instances, and its fitted slope if there is one."""

    def __init__(self, family, axis, planes, rows, slope):
        self.family, self.axis, self.planes, self.rows, self.slope = family, axis, planes, rows, slope

    @property
    def name(self):
        return f"error_{self.axis}_{self.family}" + ("" if self.axis == "planes" else f"_P{self.planes:.0f}")

    @property
    def values(self):
        return sorted({row["axis_value"] for row in self.rows})

    @property
    def terms(self):
        return list(dict.fromkeys(row["term"] for row in self.rows))

    @property
    def command(self):
        """As in provenance.json: what makes these rows again; nothing where no column says it."""
        command = self.rows[0].get("command")
        return {"command": command} if command else {}

    def term(self, term):
        return sorted(where(self.rows, term=term), key=lambda row: row["axis_value"])

    def at(self, term, value):
        return next(iter(where(self.rows, term=term, axis_value=value)))


class Grid:
    """Two axes on one family of instances."""

    def __init__(self, family, axis, axis2, rows):
        self.family, self.axis, self.axis2, self.rows = family, axis, axis2, rows
        self.name = f"grid_{axis}_{axis2}_{family}"

    def values(self, column):
        return sorted({row[column] for row in self.rows})

    def at(self, term, value, value2):
        return next(iter(where(self.rows, term=term, axis_value=value, axis2_value=value2)))


def where(rows, **wanted):
    """Those with these cells."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def groups(rows, key):
    """(key, its rows), in the order of the first ones."""
    grouped = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    return grouped.items()


def curve_key(row):
    """Curves of one setting; along the planes there is no number of planes to tell them apart."""
    return row["family"], row["axis"], None if row["axis"] == "planes" else row["planes"]


def sweeps_of(rows, slopes):
    """The sweeps of one axis, in the order of their first rows; slopes: rows of sweep_slopes.csv."""
    own = {curve_key(row): row for row in slopes if not row["axis2"]}
    return [
        Sweep(members[0]["family"], members[0]["axis"], members[0]["planes"], members, own.get(key))
        for key, members in groups([row for row in rows if not row["axis2"]], curve_key)
    ]


def grids_of(rows):
    """Those of two axes."""
    members = groups([row for row in rows if row["axis2"]], lambda row: (row["family"], row["axis"], row["axis2"]))
    return [Grid(*key, of_key) for key, of_key in members]
