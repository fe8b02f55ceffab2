"""How far apart are the published profiles? The table of docs/profiles.md, from docs/records/profiles.csv."""

from records import markdown, one, read


def record():
    return read("docs/records/profiles.csv")


def cell(value):
    return f"{value:.3f}" if value != "" else ""


def profiles():
    rows = record()
    lines = [
        [
            f"`{row['profile']}`",
            f"{row['temperature']:g}",
            *(cell(row[name]) for name in ("recall", "residual_weight", "jaccard_paper_05", "jaccard_paper_03")),
        ]
        for row in rows
    ]
    columns = ["profile", "tau", "recall of the true top keys", "softmax mass left out"]
    return markdown([*columns, "Jaccard index against `paper`, tau = 0.5", "tau = 0.3"], lines)


def rounding():
    return {"share": f"{100 * (1 - one(record(), profile='hub')['jaccard_paper_05']):.0f}"}


def by_norm():
    row = one(record(), profile="gpt-fast")
    return {"share": f"{100 * row['largest_norms']:.1f}", "recall": f"{row['recall']:.2f}"}


TABLES = {"profiles": profiles}
