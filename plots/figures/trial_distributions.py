"""What do the trials of a statement look like beside the law that is claimed? The empirical distribution with its band, the
claimed law, and the law of the planted lie that leaves the band furthest.

Where a tail alone is claimed the law is one point: the distribution has to pass above it.
"""

from . import style
from .style import plt
from .sweeps import groups, where

COLOURS = {"trials": "#000000", "claim": "#0072B2", "lie": "#D55E00"}
CLAIM = "claim"
COLUMNS = 2
PANEL_INCHES = 2.5
LEAST_SHARE = 0.005  # below it a log axis would show single trials
MOST_STEPS = 120  # of a curve: more are not seen


def steps(rows):
    """(values, share of the trials at or below each) of the rows of one measurement; infinite ones count, and lie nowhere."""
    total = sum(row["count"] for row in rows)
    below, values, shares = 0, [], []
    for row in rows:
        below += row["count"]
        if row["value"] < float("inf"):
            values.append(row["value"])
            shares.append(below / total)
    return values, shares


def thinned(values, shares):
    """At most MOST_STEPS of the steps, the last among them."""
    stride = -(-len(values) // MOST_STEPS)
    kept = sorted({*range(0, len(values), stride), len(values) - 1}) if values else []
    return [values[i] for i in kept], [shares[i] for i in kept]


def share_at(values, shares, value):
    """The share of the trials that are at most `value`."""
    below = [share for at, share in zip(values, shares, strict=True) if at <= value]
    return below[-1] if below else 0.0


def outside(law, values, shares):
    """How far a law lies outside what the trials allow, in shares: of an equality either way, of a tail below it."""
    apart = [point["probability"] - share_at(values, shares, point["value"]) for point in law]
    if law[0]["relation"] == ">=":
        return max(apart)
    return max(abs(distance) for distance in apart)


def telling(laws, values, shares):
    """The planted lie whose law is furthest from the trials, and how far; None without one."""
    lies = dict(groups([row for row in laws if row["measured"] != CLAIM], lambda row: row["measured"]))
    distances = {name: outside(law, values, shares) for name, law in lies.items()}
    nearest = [(distance, name) for name, distance in distances.items() if distance > laws[0]["band"]]
    if not nearest:
        return None
    # The nearest that still leaves the band: it says how fine the check is.
    distance, name = min(nearest)
    return name, lies[name], distance


def draw_law(axes, law, colour, label):
    values = [row["value"] for row in law]
    probabilities = [row["probability"] for row in law]
    if len(law) == 1:
        axes.plot(values, probabilities, "D", color=colour, markersize=6, label=f"{label}: at least so many", clip_on=False,
                  zorder=5)  # fmt: skip
    else:
        axes.step(values, probabilities, where="post", color=colour, label=label, linestyle="--", linewidth=1.6)


def beyond(law, values, shares):
    """Of a tail: how many trials lie beyond the bound, and how many may."""
    last = law[-1]
    return f"beyond the bound: {1 - share_at(values, shares, last['value']):.2g} of them, {1 - last['probability']:.2g} allowed"


def draw_panel(axes, identifier, trials, laws):
    claim, own = where(laws, measured=CLAIM), where(trials, measured=CLAIM)
    values, shares = steps(own)
    band = claim[0]["band"]
    seen = thinned(values, shares)
    low = [max(0.0, share - band) for share in seen[1]]
    high = [min(1.0, share + band) for share in seen[1]]
    axes.fill_between(seen[0], low, high, step="post", color=COLOURS["trials"], alpha=0.2, linewidth=0)
    axes.step(*seen, where="post", color=COLOURS["trials"], label="trials, with band", linewidth=1.0)
    draw_law(axes, claim, COLOURS["claim"], "claimed")
    lie = telling(laws, values, shares)
    if lie:
        draw_law(axes, lie[1], COLOURS["lie"], "a planted lie that leaves the band")
    total = sum(row["count"] for row in own)
    note = f"planted lie: {lie[0]}" if lie else beyond(claim, values, shares)
    axes.set_title(f"{identifier}, {total:,.0f} trials\n{note}", loc="left", fontsize=7.5)
    if claim[0]["relation"] == ">=" and values and values[0] > 0:  # the bound may lie far beyond the trials
        style.log_axis(axes.xaxis, steps=(1,))
        axes.minorticks_off()
        lowest = next(value for value, share in zip(values, shares, strict=True) if share >= LEAST_SHARE)
        axes.set_xlim(lowest / 2, 2 * max(values[-1], claim[-1]["value"]))
    axes.set_xlabel(f"{claim[0]['quantity']}\n{claim[0]['instance']}", fontsize=7)
    axes.set_ylim(0, 1.02)


def which(row):
    """The statement and what of it a row is of."""
    return row["id"], row["instance"], row["quantity"]


def draw(trials, laws):
    shown = groups(laws, which)
    lines = -(-len(shown) // COLUMNS)
    figure, grid = plt.subplots(lines, COLUMNS, figsize=(style.GRID_INCHES, PANEL_INCHES * lines), squeeze=False)
    own = dict(groups(trials, which))
    for axes, (key, of_key) in zip(grid.flat, shown, strict=False):
        draw_panel(axes, key[0], own.get(key, []), of_key)
    for axes in grid.flat[len(shown) :]:
        axes.remove()
    for line in grid:
        line[0].set_ylabel("share of the trials at or below", fontsize=8)
    style.legend(figure, figure.axes, 2, (0.5, 1.0), "lower center")
    figure.tight_layout()
    return figure
