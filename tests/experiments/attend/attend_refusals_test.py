"""Does `socketlab attend` refuse what it cannot read, compute or write, with one line and status 2, and leave no file?

Run as attend_refusals_test.py SOCKETLAB.
"""

import os
import unittest

import numpy as np
from attend_arrays import OnArrays


class Refusals(OnArrays):
    def test_broken_files(self):
        def cut(path):
            path.write_bytes(path.read_bytes()[:-8])

        def longer(path):
            path.write_bytes(path.read_bytes() + b"\0")

        def poison(value):
            def apply(path):
                array = np.load(path)
                array.reshape(-1)[-1] = value
                np.save(path, array)

            return apply

        def big_endian(path):
            array = np.load(path)
            np.save(path, array.astype(array.dtype.newbyteorder(">")))

        def directory(path):
            path.unlink()
            path.mkdir()

        changes = {
            "truncated": cut,
            "more than the array": longer,
            "truncated within its .npy header": lambda p: p.write_bytes(p.read_bytes()[:50]),
            "an empty file": lambda p: p.write_bytes(b""),
            "not a .npy file": lambda p: p.write_bytes(b"q,k,v\n1,2,3\n"),
            "big-endian": big_endian,
            "Python objects": lambda p: np.save(p, np.array([[None, 1]], dtype=object), allow_pickle=True),
            "structured": lambda p: np.save(p, np.zeros(3, dtype=[("a", "f8")])),
            "int64": lambda p: np.save(p, np.ones((200, 24), dtype=np.int64)),
            "complex": lambda p: np.save(p, np.ones((200, 24), dtype=np.complex128)),
            "is nan": poison(np.nan),
            "is inf": poison(np.inf),
            "is -inf": poison(-np.inf),
            "empty, its shape": lambda p: np.save(p, np.empty((0, 24))),
            "[200]": lambda p: np.save(p, np.ones(200)),
            "[5, 2, 3, 4]": lambda p: np.save(p, np.ones((5, 2, 3, 4))),
            "no such file": lambda p: p.unlink(),
            "not a regular file": directory,
        }
        for name in ("queries", "keys", "values", "hyperplanes"):
            for about, change in changes.items():
                if name == "queries" and about == "[200]":
                    continue  # one query of another dimension, in test_mismatched_shapes
                with self.subTest(file=name, about=about):
                    self.draw()
                    path = self.path / f"{name}.npy"
                    change(path)
                    self.refused("--budget", 5, about={"complex": "'<c16'"}.get(about, about))
                    self.refused("--budget", 5, about=f"{name}.npy")
                    if path.is_dir():
                        path.rmdir()

    def test_mismatched_shapes(self):
        for name, array in (
            ("queries", np.ones((3, 23))),
            ("queries", np.ones(200)),
            ("values", np.ones((199, 5))),
            ("keys", np.ones((201, 24))),
            ("hyperplanes", np.ones((7, 6, 25))),
            ("hyperplanes", np.ones((7, 31, 24))),
        ):
            with self.subTest(file=name):
                self.draw()
                self.save(name, array)
                self.refused("--budget", 5, about="" if name == "hyperplanes" and array.shape[1] == 31 else ".npy")
        self.draw()
        self.refused("--budget", 5, "--tables", 8, about="hyperplanes.npy")
        self.refused("--budget", 5, "--planes", 5, about="hyperplanes.npy")
        for mask in (
            np.full(199, True),
            np.full((2, 200), True),
            np.full((1, 1, 200), True),
            np.ones(200, dtype=np.int64),
        ):
            self.save("mask", mask)
            self.refused("--budget", 5, mask=True, about="mask.npy")
        self.save("mask", np.full(200, True))
        data = bytearray((self.path / "mask.npy").read_bytes())
        data[-1] = 7
        (self.path / "mask.npy").write_bytes(data)
        self.refused("--budget", 5, mask=True, about="[199] is the byte 7")

    def test_bad_options(self):
        self.draw()
        for options in (
            ["--budget", -1],
            ["--budget", "many"],
            ["--budget", "1.5"],
            ["--budget", "-0.1"],
            ["--budget", "nan."],
            ["--budget", "5x"],
            ["--budget", "0.5.5"],
            ["--budget", ""],
            ["--budget", "0.001"],
            [],
        ):
            with self.subTest(options=options):
                self.refused(*options, about="--budget")
        for value in (0, -1, "nan", "inf"):
            self.refused("--budget", 5, "--temperature", value, about="--temperature")
        for flag in ("--sink", "--window"):
            self.refused("--budget", 5, flag, -1, about=flag)
        for flag in ("--ranker", "--scaling", "--output-rule", "--precision"):
            self.refused("--budget", 5, flag, "else", about=flag)
        for planes in (0, 31):
            self.refused("--budget", 5, "--planes", planes, about="planes", hyperplanes=False)
        self.refused("--budget", 5, "--tables", 0, about="tables", hyperplanes=False)

    def test_overflow_is_refused(self):
        for name in ("q", "k", "v"):
            with self.subTest(file=name):
                self.draw()
                setattr(self, name, np.copysign(1.7e308, getattr(self, name)))
                self.save_all()
                self.refused_after_start("--budget", 5)

    def refused_after_start(self, *options):
        """As refused(), but lines of progress may come before the error."""
        done = self.run_attend(*options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("finite", done.stderr.splitlines()[-1])
        self.assertFalse(self.out.exists())

    def test_unwritable_out(self):
        self.draw()
        (self.path / "file").write_text("x")
        for out in (self.path / "file", self.path / "file" / "below"):
            self.out = out
            done = self.run_attend("--budget", 5)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.out = self.path / "kept"
        (self.out / "output.npy").mkdir(parents=True)
        done = self.run_attend("--budget", 5)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertEqual(os.listdir(self.out), ["output.npy"])


if __name__ == "__main__":
    unittest.main()
