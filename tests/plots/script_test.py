"""Does a script say in one line what is wrong, and leave no half of a file?"""

import os
import pathlib
import subprocess
import sys
import unittest.mock

import certificate
import script
from certificate_test import rows
from plot_case import PlotCase

SCRIPTS = pathlib.Path(script.__file__).parent
FOLDER_SCRIPTS = {
    "attend_curves": "attend_curves.csv", "audit_terms": "audit.csv", "bound_ratios": "bound_ratios.csv",
    "certificate": "certificate.csv", "error_curves": "sweep.csv", "frontier": "rankers.csv",
    "ranking_curves": "ranking_curves.csv",
}  # fmt: skip


class Script(PlotCase):
    def run_script(self, name, *arguments, python=(sys.executable, "-B"), **more):
        command = [*python, str(SCRIPTS / f"{name}.py"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **more)

    def check_refused(self, done, name, about):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"plots/{name}.py: "), done.stderr)
        self.assertIn(about, done.stderr)

    def test_every_script_refuses_a_table_of_no_rows_a_cut_one_and_one_of_other_columns(self):
        for name, file in FOLDER_SCRIPTS.items():
            for text, about in (
                ("x\n", "no row below"),
                ("x\n1", "cut within"),
                # The audit looks for rows before it asks for a column.
                ("x\n1\n", "no column") if name != "audit_terms" else ("x\n1\n", ""),
            ):
                with self.subTest(script=name, text=text):
                    (self.folder / file).write_text(text, encoding="utf-8")
                    self.check_refused(
                        self.run_script(name, self.folder), name, f"{file}: {about}" if about else "allowed"
                    )
            (self.folder / file).unlink()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_takes_nothing_is_refused_and_left_as_it_was(self):
        self.write_csv("certificate.csv", rows())
        path = self.folder / "certificate.svg"
        path.mkdir()  # no file can take this place, for root neither
        self.check_refused(self.run_script("certificate", self.folder), "certificate", f"{path}: ")
        self.assertEqual(sorted(os.listdir(self.folder)), ["certificate.csv", "certificate.svg"])

    def test_a_python_without_matplotlib_is_named(self):
        self.write_csv("certificate.csv", rows())
        done = self.run_script("certificate", self.folder, python=(sys.executable, "-B", "-S", "-E"))
        if done.returncode == 0:
            self.skipTest("this Python finds matplotlib without its site packages")
        self.check_refused(done, "certificate", f"{sys.executable}: no matplotlib; allowed is a Python with matplotlib")

    def test_files_that_do_not_go_together_end_in_a_line(self):
        for error in (KeyError("x"), ValueError("y"), ZeroDivisionError("z"), StopIteration()):
            with unittest.mock.patch.object(certificate, "draw", side_effect=error):
                self.write_csv("certificate.csv", rows())
                with (
                    self.assertRaises(SystemExit) as end,
                    unittest.mock.patch("sys.stderr"),
                ):
                    script.run(certificate.main, self.folder)
                self.assertEqual(end.exception.code, 2)

    def test_a_file_is_replaced_whole(self):
        path = self.folder / "a.bin"
        script.write_whole(path, b"one")
        with (
            unittest.mock.patch("os.replace", side_effect=OSError(28, "No space left on device")),
            self.assertRaisesRegex(script.Refused, "a.bin: No space left on device"),
        ):
            script.write_whole(path, b"another")
        self.assertEqual(path.read_bytes(), b"one")
        self.assertEqual(os.listdir(self.folder), ["a.bin"])
