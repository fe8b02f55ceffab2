"""Does `socketlab attend` refuse what it cannot read, compute or write, with one line and status 2, and leave no file?

Run as attend_refusals_test.py SOCKETLAB.
"""

import os
import unittest

import numpy as np
from attend_arrays import OnArrays


class Refusals(OnArrays):
    def test_each_file_is_refused_by_its_name(self):
        """What is wrong within a file, and how shapes and options must fit: tests of files/ and attend/ in C++."""

        def cut(path):
            path.write_bytes(path.read_bytes()[:-8])

        def poison(path):
            array = np.load(path)
            array.reshape(-1)[-1] = np.nan
            np.save(path, array)

        def directory(path):
            path.unlink()
            path.mkdir()

        changes = {"truncated": cut, "is nan": poison, "not a regular file": directory}
        for name in ("queries", "keys", "values", "hyperplanes"):
            for about, change in changes.items():
                with self.subTest(file=name, about=about):
                    self.draw()
                    path = self.path / f"{name}.npy"
                    change(path)
                    self.refused("--budget", 5, about=f"{name}.npy")
                    self.refused("--budget", 5, about=about)
                    if path.is_dir():
                        path.rmdir()

    def test_overflow_is_refused(self):
        for name in ("q", "k", "v"):
            with self.subTest(file=name):
                self.draw()
                setattr(self, name, np.copysign(1.7e308, getattr(self, name)))
                self.save_all()
                self.refused_after_start("--budget", 5)

    def refused_after_start(self, *options):
        """As refused(), but lines of progress may come before the error."""
        done = self.attend(*options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("finite", done.stderr.splitlines()[-1])
        self.assertFalse(self.out.exists())

    def test_unwritable_out(self):
        self.draw()
        (self.path / "file").write_text("x")
        for out in (self.path / "file", self.path / "file" / "below"):
            self.out = out
            done = self.attend("--budget", 5)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.out = self.path / "kept"
        (self.out / "output.npy").mkdir(parents=True)
        done = self.attend("--budget", 5)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertEqual(os.listdir(self.out), ["output.npy"])


if __name__ == "__main__":
    unittest.main()
