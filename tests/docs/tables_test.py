"""Do the pages say what the records say, and would a record that changed be noticed?"""

import contextlib
import functools
import io
import sys
import unittest
from unittest import mock

import fill
import jinja2
import readme_tables
import records

records_read = records.read
READ = functools.cache(records.read)


def altered(column):
    """`read` with every number of one column larger and one more, in each row by another factor: so ratios change, too."""

    def read(name, **more):
        rows = READ(name, **more)
        if rows and column not in rows[0]:
            return rows
        return [
            {
                key: (3 + i) * cell + 1 if key == column and isinstance(cell, float) else cell
                for key, cell in row.items()
            }
            for i, row in enumerate(rows)
        ]

    return read


def every_second(first):
    """`read` that leaves out every second row of a record."""
    return lambda name, **more: READ(name, **more)[first::2]


def what_it_reads(make):
    """The columns of numbers that a table or number might be made of."""
    columns = set()

    def read(name, **more):
        rows = READ(name, **more)
        columns.update(key for row in rows for key, cell in row.items() if isinstance(cell, float))
        return rows

    with with_read(read):
        make()
    return sorted(columns)


@functools.cache
def modules_that_read():
    return [module for module in list(sys.modules.values()) if getattr(module, "read", None) is records_read]


@contextlib.contextmanager
def with_read(read):
    """Modules took the function by its name, so it is replaced in each of them."""
    with contextlib.ExitStack() as stack:
        for module in modules_that_read():
            stack.enter_context(mock.patch.object(module, "read", read))
        yield


def differing(said, now):
    return {place for place in said if place not in now or now[place] != said[place]}


def noticed(make):
    """The places of what is made that change with some column that is altered; all, where nothing could be made."""
    with with_read(READ):
        said = make()
    found = set()
    for column in what_it_reads(make):
        with with_read(altered(column)):
            try:
                found |= differing(said, make())
            except (LookupError, ValueError, ZeroDivisionError, TypeError):
                return set(said)
        if len(found) == len(said):
            break
    return found


def noticed_rows(make):
    """The places of what is made that change with rows that are missing: of what only counts or shows rows."""
    with with_read(READ):
        said = make()
    found = set()
    for first in (0, 1):
        with with_read(every_second(first)), contextlib.suppress(LookupError, ValueError):
            found |= differing(said, make())
    return found


def of_rows():
    return {name for module in fill.MODULES for name in getattr(module, "OF_ROWS", ())}


class Tables(unittest.TestCase):
    def test_every_table_and_number_is_as_its_record_has_it(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), with_read(READ):
            self.assertEqual(fill.main(["--check"]), 0, printed.getvalue())

    def test_a_changed_record_changes_every_table_made_of_it(self):
        for name, make in fill.tables().items():
            with self.subTest(name):
                by = noticed_rows if name in of_rows() else noticed
                self.assertTrue(by(lambda make=make: {"table": make()}))

    def test_a_changed_record_changes_every_number_of_a_page(self):
        for page, query in dict.fromkeys(fill.queries()):
            with self.subTest(f"{page.name}: {query}"):

                def made(query=query):
                    return {"number": fill.answer(query)}

                self.assertTrue(noticed(made) or noticed_rows(made))

    def test_no_record_of_the_kernels_names_a_folder_of_one_machine(self):
        for path in sorted((records.ROOT / "gpu/records").glob("*.csv")):
            with self.subTest(path.name):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"[ ,=\"']/\w")

    def test_a_number_between_its_comments_is_replaced_and_nothing_else(self):
        page = "takes <!--= slow(3) -->5<!--/--> us, <!--= x -->1<!--/-->."
        self.assertEqual(
            fill.with_numbers(page, {"slow(3)": "7", "x": "2"}.get),
            "takes <!--= slow(3) -->7<!--/--> us, <!--= x -->2<!--/-->.",
        )
        self.assertTrue(fill.AT_LINE_START.search(f"a line\n{page[6:]}"))
        self.assertFalse(fill.AT_LINE_START.search(page))

    def test_a_query_is_answered_and_one_of_what_is_not_there_fails(self):
        self.assertEqual(
            fill.answer('minutes("./test.sh --all", "all", machine=3)'), readme_tables.test_times()["most"]
        )
        for query in ("no_such()", "test_times().middle", "counts()"):  # the last stands in two modules
            with self.assertRaises(jinja2.UndefinedError):
                fill.answer(query)

    def test_a_table_between_its_comments_is_replaced_and_nothing_else(self):
        page = "a\n<!-- table: x -->\nold\n<!-- end of table -->\nb\n"
        text = fill.with_tables(page, {"x": lambda: "| new |", "y": None})
        self.assertEqual(text, "a\n<!-- table: x -->\n\n| new |\n\n<!-- end of table -->\nb\n")
        with self.assertRaises(KeyError):
            fill.with_tables(page, {})


if __name__ == "__main__":
    unittest.main()
