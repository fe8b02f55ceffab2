"""What the tests of `socketlab attend` on .npy files share: the files they write, and the run that reads them.

Imported by scripts that run as SCRIPT SOCKETLAB.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOCKETLAB = sys.argv.pop(1)


class OnArrays(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="attend test ")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.out = self.path / "out"

    def save(self, name, array):
        np.save(self.path / name, array)

    def run_attend(self, *options, mask=False, hyperplanes=True, threads=None):
        command = [SOCKETLAB, "attend", "--force", "--out", str(self.out)]
        names = ["queries", "keys", "values"] + ["hyperplanes"] * hyperplanes + ["mask"] * mask
        for name in names:
            command += [f"--{name}", str(self.path / f"{name}.npy")]
        return subprocess.run(command + [str(o) for o in options], capture_output=True, text=True, timeout=300)

    def results(self, *options, **more):
        done = self.run_attend(*options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            sorted(os.listdir(self.out)),
            ["attend_curves.csv", "output.npy", "provenance.json", "scores.npy", "selected.npy", "summary.json"],
        )
        self.summary = json.loads((self.out / "summary.json").read_text())
        self.table = done.stdout
        return [np.load(self.out / f"{name}.npy") for name in ("scores", "selected", "output")]

    def refused(self, *options, about, **more):
        done = self.run_attend(*options, **more)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(about, done.stderr)
        self.assertFalse(self.out.exists())

    def draw(self, queries=3, keys=200, dim=24, value_dim=5, tables=7, planes=6, dtype=np.float64, seed=1):
        rng = np.random.default_rng(seed)
        self.q, self.k, self.v, self.w = (
            rng.standard_normal(shape).astype(dtype)
            for shape in ((queries, dim), (keys, dim), (keys, value_dim), (tables, planes, dim))
        )
        self.save_all()

    def save_all(self):
        for name, array in zip(
            ("queries", "keys", "values", "hyperplanes"), (self.q, self.k, self.v, self.w), strict=True
        ):
            self.save(name, array)
