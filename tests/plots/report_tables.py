"""Do the tables of report.html hold what the result files hold, every row and in its column?

Usage: report_tables.py FOLDER   (report.html, verdicts.jsonl, sweep.csv, kill_matrix.csv and faults.csv there)
"""

import csv
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

TERMS = {"sampling": "sampling", "finite tables": "finite-tables", "bias": "bias", "total": "total"}


class Tables(HTMLParser):
    """section id -> tables -> rows -> texts of the cells, heads left out."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.section, self.cell = {}, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            self.section = self.sections.setdefault(dict(attributes)["id"], [])
        elif tag == "table":
            self.section.append([])
        elif tag == "tr":
            self.section[-1].append([])
        elif tag == "td":
            self.cell = []
        elif self.cell is not None:
            self.cell.append(" ")

    def handle_endtag(self, tag):
        if tag == "td":
            self.section[-1][-1].append("".join(self.cell).strip())
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell.append(data)


def rows_of(tables):
    return [row for row in tables if row]


def four_digits(x):
    return "" if x is None else f"{x:.4g}"


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: the report has {found!r:.200}, the file {expected!r:.200}")


def check_verdicts(tables, folder):
    shown = rows_of(tables["verdicts"][0])
    rows = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    check("statements", [cells[0] for cells in shown], [row["id"] for row in rows])
    for cells, row in zip(shown, rows, strict=True):
        _, words, title, claim, observed, factors, verdict, mutants = cells
        low, high = row["observed"]
        refuted = sum(mutant["verdict"] == "refuted" for mutant in row["mutants"])
        check(f"{row['id']}, words", words.split()[-1], row["wording"])
        check(f"{row['id']}, quote", row["quote"] in title, True)
        factor = row["refuted_factors"].get("below", row["refuted_factors"].get("above"))
        check(f"{row['id']}, factor", factors.split()[1:2], [] if factor is None else [four_digits(factor)])
        check(f"{row['id']}, title", title.startswith(row["title"]), True)
        check(f"{row['id']}, claim", claim.split()[-2:], [row["relation"], four_digits(row["claimed"])])
        check(
            f"{row['id']}, observed",
            observed.split("  ")[0].strip(),
            four_digits(low) if low == high else f"[{four_digits(low)}, {four_digits(high)}]",
        )
        check(f"{row['id']}, verdict", verdict.split()[0], row["verdict"])
        check(f"{row['id']}, mutants", mutants.split("list")[0].split(), [str(refuted), "of", str(len(row["mutants"]))])


def check_theorem(tables, folder):
    swept = {
        (row["family"], f"{float(row['axis_value']):g}", row["term"]): row
        for row in csv_rows(folder / "sweep.csv")
        if row["axis"] == "tables"
    }
    shown = rows_of(tables["theorem-3"][0])
    check("rows of Theorem 3", len(shown), len({key[0] for key in swept}) * len(TERMS))
    for setting, term, measured, exact, drawn, sure, trivial, *_ in shown:
        family, _, value = setting.replace("L=", "").split(", ")
        row = swept[family, value, TERMS[term.split(",")[0]]]
        for name, text, column in (
            ("measured", measured, "error"),
            ("exact", exact, "predicted"),
            ("drawn B", drawn, "bound_drawn_occupancy"),
            ("sure B", sure, "bound_sure_occupancy"),
            ("trivial", trivial, "trivial_bound"),
        ):
            found, expected = float(text.split()[0]), float(row[f"{column}_value_units"])
            # The report's digits: four, five for the exact value.
            check(f"{setting}, {term}, {name}", abs(found - expected) <= 5e-4 * abs(expected), True)


def check_counts(tables, folder):
    kill, faults = csv_rows(folder / "kill_matrix.csv"), csv_rows(folder / "faults.csv")
    shown = [(cells[0], cells[2].split()[0]) for cells in rows_of(tables["kill-matrix"][0])]
    check("kill matrix", shown, [(row["id"], row["verdict"]) for row in kill])
    noticed = [(cells[0], cells[1]) for cells in rows_of(tables["faults"][1])]
    check("faults", noticed, [(row["fault"], row["id"]) for row in faults if row["id"]])


def main(folder):
    tables = Tables((folder / "report.html").read_text(encoding="utf-8")).sections
    check_verdicts(tables, folder)
    check_theorem(tables, folder)
    check_counts(tables, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
