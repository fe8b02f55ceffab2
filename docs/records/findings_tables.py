"""The tables of docs/findings.md: errata by severity, and readings that do not hold.

Usage: findings_tables.py verdicts.jsonl PAGE.md   (replaces what stands between the marks in the page)
"""

import json
import re
import sys
from pathlib import Path

SEVERITIES = {
    "wrong-result": "wrong result",
    "wrong-step": "wrong proof step",
    "imprecise": "imprecise",
    "misprint": "misprint",
}


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ").strip()


def errata(rows):
    found = [row for row in rows if row["wording"] == "printed" and row["expected"] == "refuted"]
    found.sort(key=lambda row: list(SEVERITIES).index(row["severity"].replace("_", "-")))
    lines = ["| severity | id | printed, and where | what is so |", "|---|---|---|---|"]
    for row in found:
        severity = SEVERITIES[row["severity"].replace("_", "-")]
        place = f'"{cell(row["quote"])}" ({cell(row["source"])})'
        lines.append(f"| {severity} | {row['id']} | {place} | {cell(row['remark'])} |")
    return "\n".join(lines)


def readings(rows):
    found = [row for row in rows if row["wording"] == "reading" and row["expected"] == "refuted"]
    lines = ["| id | reading, and of what | what is so |", "|---|---|---|"]
    lines += [
        f"| {row['id']} | {cell(row['title'])} ({cell(row['source'])}) | {cell(row['remark'])} |" for row in found
    ]
    return "\n".join(lines)


def counts(rows):
    lines = ["| whose words | statements | expected to hold | expected to be refuted |", "|---|---|---|---|"]
    for wording in ("printed", "reading", "ours"):
        here = [row for row in rows if row["wording"] == wording]
        refuted = sum(row["expected"] == "refuted" for row in here)
        lines.append(f"| {wording} | {len(here)} | {len(here) - refuted} | {refuted} |")
    return "\n".join(lines)


def main(record, page):
    rows = [json.loads(line) for line in Path(record).read_text(encoding="utf-8").splitlines() if line]
    text = Path(page).read_text(encoding="utf-8")
    for name, made in (("counts", counts(rows)), ("errata", errata(rows)), ("readings", readings(rows))):
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"{page}: one pair of marks {begin} .. {end} is needed")
        text = pattern.sub(lambda _, b=begin, m=made, e=end: f"{b}\n{m}\n{e}", text)
    Path(page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
