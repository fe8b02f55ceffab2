"""Fills every generated table of the pages from the records, and checks the sentences that quote one.

Usage: fill.py [--check]

A table stands in a page between `<!-- table: NAME -->` and `<!-- end of table -->`; nothing else of a page is written. A
sentence is only checked: its page is to hold its words with the numbers of the record. With --check nothing is written.
Exit code 1 and a line for each: a table that is not as its record has it, a sentence that its page lacks.

A module beside this file has TABLES, name -> function that returns the table, and SENTENCES, a list of (page, words with
places as str.format has them, function that returns the numbers by place).
"""

import re
import sys

import audit_tables
import bound_tables
import check_power_tables
import false_alarm_tables
import finding_tables
import gpu_bytes_tables
import gpu_check_tables
import gpu_device_tables
import gpu_sentences
import gpu_tables
import learned_budgets_tables
import learned_heads_tables
import learned_tables
import page_tables
import peer_tables
import profile_tables
import ranking_tables
import readme_tables
import records
import training_tables

MODULES = (
    audit_tables,
    bound_tables,
    check_power_tables,
    false_alarm_tables,
    finding_tables,
    gpu_bytes_tables,
    gpu_check_tables,
    gpu_device_tables,
    gpu_sentences,
    gpu_tables,
    learned_budgets_tables,
    learned_heads_tables,
    learned_tables,
    page_tables,
    peer_tables,
    profile_tables,
    ranking_tables,
    readme_tables,
    training_tables,
)
TABLE = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end of table -->)", re.DOTALL)
SKIPPED = {"build", "shared"}  # folders at the root that hold no page of ours


def pages():
    found = sorted(records.ROOT.glob("*.md"))
    for folder in sorted(records.ROOT.iterdir()):
        if folder.is_dir() and folder.name not in SKIPPED and not folder.name.startswith("."):
            found += sorted(folder.rglob("*.md"))
    return found


def tables():
    made = {}
    for module in MODULES:
        for name, make in module.TABLES.items():
            if name in made:
                raise ValueError(f"two tables are called {name}")
            made[name] = make
    return made


def sentences():
    return [sentence for module in MODULES for sentence in module.SENTENCES]


def with_tables(text, made):
    """The page with every table between its comments replaced; KeyError for a table that no one makes."""
    return TABLE.sub(lambda found: f"{found[1]}\n{made[found[2]]()}\n\n{found[3]}", text)


def on_one_line(text):
    return " ".join(text.split())


def lacking(page, words, numbers):
    """What the page ought to say and does not; None where it does."""
    wanted = words.format(**numbers())
    text = on_one_line((records.ROOT / page).read_text(encoding="utf-8"))
    return None if wanted in text else f"{page}: is to say: {wanted}"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found, used, made = [], set(), tables()
    for path in pages():
        text = path.read_text(encoding="utf-8")
        used |= {name for _, name, _ in TABLE.findall(text)}
        filled = with_tables(text, made)
        if filled != text and arguments:
            found.append(f"{path.relative_to(records.ROOT)}: a table is not as its record has it: docs/tables/fill.py")
        elif filled != text:
            path.write_text(filled, encoding="utf-8")
    found += [f"no page has the table {name}" for name in sorted(set(made) - used)]
    found += [line for line in (lacking(*sentence) for sentence in sentences()) if line]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
