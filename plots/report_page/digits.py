"""How does a reader want a number? In three or four digits, with a real minus sign and powers of ten; what a program
writes for "there is none", such as 1.8e308, in words.
"""

import math

# The largest double and what is near it stand for a bound that does not exist or a value that overflowed.
BEYOND = 1e300
# Past these a power of ten tells a reader no more than "far".
FAR, NEARLY_NOTHING = 1e100, 1e-100
LARGEST_PLAIN, SMALLEST_PLAIN = 1e7, 1e-4
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "−"


def missing(x):
    return x is None or (isinstance(x, float) and math.isnan(x))


def show(x, digits=4, beyond="beyond any number"):
    """The number in so many digits; nothing where there is none."""
    if missing(x):
        return ""
    if abs(x) >= BEYOND:
        return beyond
    if x == 0:
        return "0"
    if x >= FAR or 0 < x < NEARLY_NOTHING:
        return "above 10¹⁰⁰" if x >= FAR else "below 10⁻¹⁰⁰"
    power = int(f"{abs(x):.{digits - 1}e}".split("e")[1])  # of ten, after rounding
    sign = MINUS if x < 0 else ""
    if SMALLEST_PLAIN <= 10.0**power < LARGEST_PLAIN:
        return sign + plain(abs(x), digits, power)
    mantissa = trimmed(f"{abs(x):.{digits - 1}e}".split("e")[0])
    of_ten = f"10{str(power).translate(SUPERSCRIPTS)}"
    return sign + (of_ten if mantissa == "1" else f"{mantissa}×{of_ten}")


def trimmed(text):
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain(x, digits, power):
    decimals = digits - 1 - power
    return trimmed(f"{round(x, decimals):,.{max(0, decimals)}f}")


def bound(x, digits=4):
    return show(x, digits, beyond="no bound")


def claim(relation, x, digits=4):
    """What is claimed of a quantity, such as ≤ 3.5; in words where the number has no digits."""
    text = bound(x, digits)
    in_words = relation and text.startswith(("above", "below"))
    return f"{relation} {'some number ' if in_words else ''}{text}".strip()


def span(low, high, digits=4):
    """An interval; one number where its ends are the same."""
    if missing(low):
        return ""
    return show(low, digits) if low == high else f"{show(low, digits)} to {show(high, digits)}"


def count(n, noun, plural=None):
    """3 statements, 1 statement, no statement."""
    return f"{f'{n:,.0f}' if n else 'no'} {noun if n <= 1 else plural or noun + 's'}"


def times(x):
    return f"{show(x, 3)} times"
