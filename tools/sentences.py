"""Can the pages be read: how many words of prose has each, how long are its sentences, how many words have digits?

Usage: sentences.py [--root FOLDER] [PAGE.md ..]            prints a line for each page
       sentences.py [--root FOLDER] --check [PAGE.md ..]    sentences past 40 words, pages past 1,500; exit code 1
       sentences.py [--root FOLDER] --record before|after   writes the lines into docs/records/pages.csv

Without pages: every page of the checkout, or of FOLDER. Prose is what is left of a page without tables, headings, code,
comments and pictures. A sentence ends at a full stop, a colon, a question or exclamation mark before a capital letter,
at an empty line and before an item of a list. A list that is not marked as one would show as a sentence of its length.
"""

import argparse
import csv
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path("docs/records/pages.csv")
SKIPPED = re.compile(r"\.|build|results|shared$|__pycache__$")  # folders at the root that hold no page of ours
LONGEST_SENTENCE = 40
LONGEST_PAGE = 1500
NOT_PROSE = re.compile(r"```.*?```|<!--.*?-->", re.DOTALL)
NOT_PROSE_LINE = re.compile(r" *\||    |#|!")
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ")
BETWEEN = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`\[(])|\n\s*\n")


class Page(NamedTuple):
    name: str
    words: int
    mean: float
    longest: int
    digits_percent: float


def pages(root):
    """Paths of all pages below the folder, those at its root first."""
    found = sorted(root.glob("*.md"))
    for folder in sorted(path for path in root.iterdir() if path.is_dir() and not SKIPPED.match(path.name)):
        found += sorted(folder.rglob("*.md"))
    return found


def prose(text):
    """The words of a page; an item of a list is a paragraph of its own."""
    lines = [line for line in NOT_PROSE.sub("", text).split("\n") if not NOT_PROSE_LINE.match(line)]
    return "\n".join(ITEM.sub("\n", line) for line in lines)


def sentences(text):
    return [" ".join(part.split()) for part in BETWEEN.split(prose(text)) if part.strip()]


def measured(name, text):
    words = prose(text).split()
    lengths = [len(sentence.split()) for sentence in sentences(text)] or [0]
    digits = sum(bool(re.search(r"\d", word)) for word in words)
    return Page(name, len(words), sum(lengths) / len(lengths), max(lengths), 100 * digits / max(1, len(words)))


def objections(name, text):
    words = len(prose(text).split())
    found = [f"{name}: {words:,} words of prose, more than {LONGEST_PAGE:,}"] if words > LONGEST_PAGE else []
    for sentence in sentences(text):
        length = len(sentence.split())
        if length > LONGEST_SENTENCE:
            found.append(f"{name}: a sentence of {length} words: {sentence[:100]}..")
    return found


def as_line(page):
    return (
        f"{page.name}: {page.words} words, sentences of {page.mean:.1f} in the mean and {page.longest} at most, "
        f"{page.digits_percent:.1f}% of the words with digits"
    )


def write_record(path, when, measurements):
    """The rows of one state of the pages; those of the other stay."""
    kept = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            kept = list(csv.reader(file))[1:]
    rows = [row for row in kept if row[0] != when]
    rows += [
        [when, page.name, page.words, f"{page.mean:.1f}", page.longest, f"{page.digits_percent:.1f}"]
        for page in measurements
    ]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["state", *Page._fields])
        writer.writerows(sorted(rows, key=lambda row: row[0], reverse=True))


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", choices=("before", "after"))
    given = parser.parse_args(arguments)
    root = given.root.resolve()
    texts = {}
    for path in given.pages or pages(root):
        name = path.resolve().relative_to(root) if path.resolve().is_relative_to(root) else path
        texts[name.as_posix()] = path.read_text(encoding="utf-8")
    if given.record:
        write_record(ROOT / RECORD, given.record, [measured(name, text) for name, text in texts.items()])
        return 0
    if given.check:
        found = [line for name, text in texts.items() for line in objections(name, text)]
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    for name, text in texts.items():
        print(as_line(measured(name, text)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
