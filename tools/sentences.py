"""Can the pages be read? Names sentences of more than 40 words and pages of more than 1,500 words of prose, except the changelog.

Usage: sentences.py [FOLDER]     all pages of the checkout, or below FOLDER; exit code 1 and a line for each that is longer

Prose is what is left of a page without tables, headings, code, comments and pictures. A sentence ends at a full stop, a
colon, a question or exclamation mark before a capital letter, at an empty line and before an item of a list.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = re.compile(r"\.|build|results|shared$|__pycache__$")  # folders at the root that hold no page of ours
LONGEST_SENTENCE = 40
LONGEST_PAGE = 1500
NOT_PROSE = re.compile(r"```.*?```|<!--.*?-->", re.DOTALL)
NOT_PROSE_LINE = re.compile(r" *\||    |#|!")
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ")
BETWEEN = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`\[(])|\n\s*\n")


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


def objections(name, text):
    words = len(prose(text).split())
    too_long = words > LONGEST_PAGE and str(name) != "CHANGELOG.md"
    found = [f"{name}: {words:,} words of prose, more than {LONGEST_PAGE:,}"] if too_long else []
    for sentence in sentences(text):
        length = len(sentence.split())
        if length > LONGEST_SENTENCE:
            found.append(f"{name}: a sentence of {length} words: {sentence[:100]}..")
    return found


def main(arguments):
    root = Path(arguments[0]).resolve() if arguments else ROOT
    found = [line for path in pages(root) for line in objections(path.relative_to(root), path.read_text("utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
