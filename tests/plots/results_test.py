"""Are result files read as they stand: text as text, numbers as numbers, an empty cell as unknown, and what is missing as
nothing? Are a script's arguments refused in one line?"""

import math
import unittest.mock

import results
import script
from plot_case import PlotCase, slope_row, sweep_of_tables, sweep_row


class Results(PlotCase):
    def test_cells(self):
        self.write_csv("a.csv", [{"family": "1e3", "value": "1e3", "unknown": ""}])

        (row,) = results.read_csv(self.folder / "a.csv")

        self.assertEqual((row["family"], row["value"]), ("1e3", 1000.0))
        self.assertTrue(math.isnan(row["unknown"]))

    def test_files_that_are_not_there(self):
        missing = self.folder / "none"

        self.assertEqual(
            (results.read_csv(missing), results.read_json(missing), results.read_json_lines(missing)), ([], None, [])
        )

    def test_a_line_of_json_each_and_empty_ones_left_out(self):
        (self.folder / "a.jsonl").write_text('{"a": 1}\n\n{"a": 2}\n', encoding="utf-8")

        self.assertEqual(results.read_json_lines(self.folder / "a.jsonl"), [{"a": 1}, {"a": 2}])

    def test_sweeps_by_family_axis_and_planes_with_their_slopes(self):
        other = [row | {"planes": 8} for row in sweep_of_tables()]
        self.write_csv("sweep.csv", sweep_of_tables() + other)
        self.write_csv("sweep_slopes.csv", [slope_row()])

        first, second = results.read_sweeps(self.folder)

        self.assertEqual((first.name, second.name), ("error_tables_gaussian_P4", "error_tables_gaussian_P8"))
        self.assertEqual(first.values, [4, 16])
        self.assertEqual(first.terms, ["sampling", "finite-tables", "bias", "total"])
        self.assertEqual([row["error_value_units"] for row in first.term("finite-tables")], [0.4, 0.2])
        self.assertEqual(first.at("finite-tables", 16)["error_value_units"], 0.2)
        self.assertEqual((first.slope["slope_lo"], second.slope), (-0.52, None))
        self.assertEqual(first.command, {})

    def test_a_sweep_over_planes_is_one_curve(self):
        self.write_csv("sweep.csv", [sweep_row("planes", p, "bias", 0.1, planes=p) for p in (4, 6)])

        (sweep,) = results.read_sweeps(self.folder)

        self.assertEqual((sweep.name, sweep.values), ("error_planes_gaussian", [4, 6]))

    def test_two_axes_are_a_grid_and_no_sweep(self):
        rows = [sweep_row("tables", x, "total", x / y, axis2="planes", axis2_value=y) for x in (8, 16) for y in (4, 5)]
        self.write_csv("sweep.csv", rows)

        (grid,) = results.read_grids(self.folder)

        self.assertEqual(results.read_sweeps(self.folder), [])
        self.assertEqual((grid.name, grid.values("axis2_value")), ("grid_tables_planes_gaussian", [4, 5]))
        self.assertEqual(grid.at("total", 16, 5)["error_value_units"], 3.2)

    def refused(self, call, *arguments):
        with (
            unittest.mock.patch("sys.argv", ["script", *map(str, arguments)]),
            unittest.mock.patch("sys.stderr") as stderr,
            self.assertRaises(SystemExit) as end,
        ):
            call()
        self.assertEqual(end.exception.code, 2)
        return "".join(written.args[0] for written in stderr.write.call_args_list)

    def test_arguments_of_a_script(self):
        (self.folder / "a.csv").write_text("x\n1\n", encoding="utf-8")
        one = lambda: results.given_folders("Usage: x", ["a.csv"])  # noqa: E731
        two = lambda: results.given_folders("Usage: y", ["a.csv", "b.csv"], 2)  # noqa: E731

        with unittest.mock.patch("sys.argv", ["script", str(self.folder)]):
            self.assertEqual(one(), [str(self.folder)])
        self.assertEqual(self.refused(one), "Usage: x\n")
        self.assertIn("allowed is a folder with a file a.csv", self.refused(one, self.folder / "none"))
        self.assertEqual(self.refused(two, self.folder), "Usage: y\n")
        self.assertIn("a folder with the files a.csv, b.csv", self.refused(two, self.folder, self.folder))
        (self.folder / "b.csv").write_text("x\n1\n", encoding="utf-8")
        self.assertIn("none: allowed is a folder", self.refused(two, self.folder, self.folder / "none"))

    def test_a_table_that_is_not_whole_is_refused_with_its_line(self):
        path = self.folder / "a.csv"
        for text, about in (
            ("", "a.csv: empty; allowed"),
            ("x,y\n", "a.csv: no row below the names"),
            ("x,y\n1,2", "a.csv: cut within its last line; allowed"),
            ("x,y\n1,2\n3\n", "a.csv, line 3: 1 cells; allowed are 2"),
            ("x,y\n1,2,3\n", "a.csv, line 2: 3 cells; allowed are 2"),
            ("x,y\n1,two\n", "a.csv, line 2: could not convert string to float: 'two'; allowed"),
        ):
            with self.subTest(text=text):
                path.write_text(text, encoding="utf-8")
                said = self.refused(lambda: results.given_folders("Usage: x", ["a.csv"]), self.folder)
                self.assertTrue(said.startswith(f"plots/script: {self.folder}/"), said)
                self.assertIn(about, said)
                self.assertEqual(said.count("\n"), 1)
        path.write_bytes(b"x,y\n\xff,2\n")
        self.assertIn("not UTF-8", self.refused(lambda: results.given_folders("Usage: x", ["a.csv"]), self.folder))

    def test_a_column_that_is_missing_is_named_with_its_file(self):
        self.write_csv("a.csv", [{"x": 1}])
        with self.assertRaisesRegex(script.Refused, "a.csv: no column y"):
            results.read_csv(self.folder / "a.csv")[0]["y"]

    def test_json_that_is_cut_is_refused(self):
        (self.folder / "a.json").write_text('{"a": 1', encoding="utf-8")
        (self.folder / "a.jsonl").write_text('{"a": 1}\n{"a', encoding="utf-8")
        with self.assertRaisesRegex(script.Refused, "a.json: not JSON"):
            results.read_json(self.folder / "a.json")
        with self.assertRaisesRegex(script.Refused, "a.jsonl, line 2: not JSON"):
            results.read_json_lines(self.folder / "a.jsonl")
