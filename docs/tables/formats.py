"""How do numbers of records look in a page? A form is a format specification (".2f") or a function of the number."""


def text(value, form=""):
    """A whole number without a point, if no form says otherwise."""
    if callable(form):
        return str(form(value))
    if isinstance(value, float) and not form:
        return f"{value:.0f}" if value.is_integer() else f"{value:g}"
    return f"{value:{form}}"


def short(value, form=".3g"):
    """1.23e4 and 1e-5: exponents without signs and zeros that say nothing; a dash for an empty cell."""
    return f"{value:{form}}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-") if value != "" else "-"


def thousands(value):
    return f"{value:,.0f}"


def rounded(value):
    """Three digits of a count, with commas."""
    return thousands(float(f"{value:.3g}"))


def us(value):
    return thousands(value) if value >= 100 else f"{value:.1f}"


def times(value, form=".2f"):
    return f"{value:{form}}x"


def percent(value, form=".0f"):
    return f"{100 * value:{form}}%"


def dotted(value):
    """.83: two decimals, without the zero in front."""
    return f"{value:.2f}".removeprefix("0")


def ends(values, form=""):
    """ "1.2 to 3.4", the least and the most; one number where they look the same."""
    return " to ".join(dict.fromkeys(text(end, form) for end in (min(values), max(values))))


def joined(values, form="", between=", "):
    return between.join(text(value, form) for value in values)


def listed(values, form=""):
    """ "a, b and c" """
    *first, last = (text(value, form) for value in values)
    return f"{', '.join(first)} and {last}"


def escaped(words):
    """Words of a record as they may stand in a table."""
    return words.replace("|", "\\|").replace("\n", " ").strip()


def markdown(columns, lines):
    """A table; of a row and its columns."""
    made = [columns, *lines]
    drawn = ["| " + " | ".join(map(text, cells)) + " |" for cells in made]
    return "\n".join([drawn[0], "|" + "---|" * len(columns), *drawn[1:]])
