"""Fills every generated table and every quoted number of the pages from the records.

Usage: fill.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`; NAME is a key of TABLES of a module beside
this file. A number stands between `<!--= QUERY -->` and `<!--/-->`; QUERY is a Jinja expression over the functions of
these modules. Nothing else of a page is written. With --check nothing is written, and exit code 1 and a line tell of
each page that is not as the records have it.
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
import gpu_rows
import gpu_sentences
import gpu_tables
import jinja2
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
NUMBER = re.compile(r"(?<!`)(<!--= (.+?) -->)(.*?)(<!--/-->)", re.DOTALL)
AT_LINE_START = re.compile(r"^\s*<!--= .*", re.MULTILINE)  # Markdown would end the paragraph there
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
        for name, make in getattr(module, "TABLES", {}).items():
            if name in made:
                raise ValueError(f"two tables are called {name}")
            made[name] = make
    return made


def functions():
    """What a query may call: the functions of the modules, by name, and as `module.name` where two have one name."""
    found, twice = {}, set()
    for module in (*MODULES, gpu_rows):
        own = {
            name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        }
        twice |= set(own) & set(found)
        found |= own
    return {name: value for name, value in found.items() if name not in twice} | {of.__name__: of for of in MODULES}


def answer(query):
    """The text that stands for a query; an exception where it asks for what is not there."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    return str(environment.compile_expression(query, undefined_to_none=False)(**functions()))


def queries():
    """(page, query) of every number that a page quotes."""
    return [(page, found[2]) for page in pages() for found in NUMBER.finditer(page.read_text(encoding="utf-8"))]


def with_tables(text, made):
    """The page with every table between its comments replaced; KeyError for a table that no one makes."""
    return TABLE.sub(lambda found: f"{found[1]}\n{made[found[2]]()}\n\n{found[3]}", text)


def with_numbers(text, answered=answer):
    return NUMBER.sub(lambda found: f"{found[1]}{answered(found[2])}{found[4]}", text)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found, used, made = [], set(), tables()
    for path in pages():
        text, name = path.read_text(encoding="utf-8"), path.relative_to(records.ROOT)
        used |= {table for _, table, _ in TABLE.findall(text)}
        found += [f"{name}: a line may not begin with a quoted number: {line}" for line in AT_LINE_START.findall(text)]
        filled = with_numbers(with_tables(text, made))
        if filled != text and arguments:
            found.append(f"{name}: a table or number is not as its record has it: docs/tables/fill.py")
        elif filled != text:
            path.write_text(filled, encoding="utf-8")
    found += [f"no page has the table {name}" for name in sorted(set(made) - used)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
