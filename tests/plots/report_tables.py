"""Does report.html hold what the result files hold, every row and in its column?

Usage: report_tables.py FOLDER   (report.html, verdicts.jsonl, sweep.csv, kill_matrix.csv and faults.csv there)
"""

import csv
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

TERMS = {"sampling": "sampling", "finite tables": "finite-tables", "bias": "bias", "total": "total"}
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Tables(HTMLParser):
    """(id of the section or statement, caption) -> rows -> texts of the cells, heads left out; and the texts of each id."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.texts, self.place, self.cell, self.caption = {}, {}, None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("section", "article"):
            self.place = given["id"]
        elif tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.row = []
        elif tag == "td" or (tag == "th" and given.get("scope") == "row"):
            self.cell = []
        elif self.cell is not None and tag == "br":
            self.cell.append(" ")

    def handle_endtag(self, tag):
        if tag == "caption":
            self.rows = self.tables.setdefault((self.place, self.caption), [])
            self.caption = None
        elif tag in ("td", "th") and self.cell is not None:
            self.row.append(" ".join("".join(self.cell).split()))
            self.cell = None
        elif tag == "tr" and self.row:
            self.rows.append(self.row)

    def handle_data(self, data):
        self.texts[self.place] = self.texts.get(self.place, "") + data
        if self.caption is not None:
            self.caption += data
        elif self.cell is not None:
            self.cell.append(data)


def number(text):
    """What was shown, as a number: 233,100, −1.5 and 2.5×10⁻⁵."""
    text = text.replace(",", "").replace("−", "-").strip()
    found = re.fullmatch(r"(?:([-\d.]+)×|(-?))10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if found:
        return float(found[1] or f"{found[2]}1") * 10.0 ** int(found[3].translate(POWERS))
    return float(text)


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: the report has {found!r:.200}, the file {expected!r:.200}")


def check_number(what, text, expected):
    """To the report's digits: three at least."""
    if text in ("beyond any number", "no bound", "above 10¹⁰⁰", "below 10⁻¹⁰⁰"):
        check(what, abs(expected) >= 1e100 or abs(expected) <= 1e-100, True)
    else:
        check(f"{what}, {text} for {expected}", abs(number(text) - expected) <= 5.1e-3 * abs(expected), True)


def check_ends(what, text, low, high):
    ends = text.split(" to ")
    check(f"{what}, ends", len(ends), 1 if low == high else 2)
    for end, expected in zip(ends, (low, high), strict=False):
        check_number(what, end, expected)


def check_verdicts(page, folder):
    rows = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    shown = [place for place in page.texts if place and place.startswith("statement-")]
    check("statements", shown, [f"statement-{row['id']}" for row in rows])
    for row in rows:
        place, name = f"statement-{row['id']}", row["id"]
        text = " ".join(page.texts[place].split())
        refuted = sum(mutant["verdict"] == "refuted" for mutant in row["mutants"])
        check(f"{name}, verdict", row["verdict"].replace("-", " ") in text, True)
        if row["mutants"]:
            check(f"{name}, lies", f"{refuted} of {len(row['mutants'])} refuted" in text, True)
        check(f"{name}, command", row["command"] in text, True)
        told = [piece["bound_over_trivial"] for piece in row["evidence"] if "bound_over_trivial" in piece]
        vacuous = row["verdict"] == "not-refuted" and bool(told) and min(told) >= 1
        check(f"{name}, says nothing", "holds, says nothing at these settings" in text, vacuous)
        evidence = page.tables[place, f"Evidence of {name}"]
        check(f"{name}, evidence", len(evidence), len(row["evidence"]))
        for cells, piece in zip(evidence, row["evidence"], strict=True):
            check_ends(f"{name}, observed", cells[2], *piece["observed"])
            check_number(f"{name}, claimed", cells[3].split(" ", 1)[1].removeprefix("some number "), piece["claimed"])


def check_theorem(page, folder):
    swept = {
        (row["family"], f"{float(row['axis_value']):g}", row["term"]): row
        for row in csv_rows(folder / "sweep.csv")
        if row["axis"] == "tables"
    }
    ((_, shown),) = [(key, rows) for key, rows in page.tables.items() if key[0] == "theorem-3"]
    check("rows of Theorem 3", len(shown), len({key[0] for key in swept}) * len(TERMS))
    for setting, term, measured, exact, drawn, sure, repaired, _, longest, *_ in shown:
        family, _, value = setting.replace("L=", "").split(", ")
        row = swept[family, value, TERMS[term.split(",")[0]]]
        for text, column in (
            (measured, "error"),
            (exact, "predicted"),
            (drawn, "bound_drawn_occupancy"),
            (sure, "bound_sure_occupancy"),
            (repaired, "bound_repaired"),
            (longest, "trivial_bound"),
        ):
            expected = row[f"{column}_value_units"]
            trivial = max(float(row["trivial_bound_value_units"]), float(row["error_value_units"]))
            nothing = column.startswith("bound") and bool(expected) and float(expected) >= trivial
            check(f"{setting}, {term}, {column} says nothing", "says nothing" in text, nothing)
            if expected:
                check_number(f"{setting}, {term}, {column}", text.split()[0], float(expected))
            else:
                check(f"{setting}, {term}, {column}", text, "–")


def check_lies(page, folder):
    for row in csv_rows(folder / "kill_matrix.csv"):
        if row["measured"] != "statement":
            name = row["id"]
            cells = page.tables[f"statement-{name}", f"Planted lies and controls of {name}"].pop(0)
            check(f"{name}, {row['mutant']}", cells[0].startswith("control: "), row["measured"] == "control")
            check(f"{name}, {row['mutant']}, verdict", row["verdict"].replace("-", " ") in cells[1], True)
            check_ends(f"{name}, {row['mutant']}", cells[4], float(row["observed_lo"]), float(row["observed_hi"]))
    left = [key for key, rows in page.tables.items() if key[1].startswith("Planted lies and controls") and rows]
    check("lies that no file has", left, [])
    heat = sum(
        text.count("✓ ")
        for key, rows in page.tables.items()
        if key[1].startswith("Lies of")
        for r in rows
        for text in r
    )
    lies = [row for row in csv_rows(folder / "kill_matrix.csv") if row["measured"] == "mutant"]
    check("lies caught in the matrix", heat, sum(row["verdict"] == "refuted" for row in lies))


def check_faults(page, folder):
    shown = [(cells[0], cells[1]) for cells in page.tables["faults", "What each planted fault changes"]]
    check("faults", shown, [(row["fault"], row["id"]) for row in csv_rows(folder / "faults.csv") if row["id"]])


SECTIONS = (
    "outcome", "verdicts", "errata", "readings", "theorem-3", "figures", "distributions", "rankings", "kill-matrix",
    "faults", "provenance",
)  # fmt: skip


def main(folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Tables(text)
    check("sections that are left out", [name for name in SECTIONS if name not in page.texts], [])
    check("figures", text.count('src="data:image/svg+xml,'), len(list(folder.glob("*.svg"))))
    check_verdicts(page, folder)
    check_theorem(page, folder)
    check_lies(page, folder)
    check_faults(page, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
