"""What the tests of `socketlab attend` on .npy files share: the files they write, and the run that reads them.

Imported by scripts that run as SCRIPT SOCKETLAB.
"""

import os

import numpy as np
from attend_tensors import AttendCase


class OnArrays(AttendCase):
    def file_of(self, name):
        return self.path / f"{name}.npy"

    def save(self, name, array):
        np.save(self.file_of(name), array)

    def attend(self, *options, mask=False, hyperplanes=True):
        return super().attend(*options, files=self.FILES[: 3 + hyperplanes] + ("mask",) * mask)

    def results(self, *options, **more):
        arrays = super().results(*options, **more)
        self.assertEqual(
            sorted(os.listdir(self.out)),
            ["attend_curves.csv", "output.npy", "provenance.json", "scores.npy", "selected.npy", "summary.json"],
        )
        return arrays

    def draw(self, queries=3, keys=200, dim=24, value_dim=5, tables=7, planes=6, dtype=np.float64, seed=1):
        rng = np.random.default_rng(seed)
        self.q, self.k, self.v, self.w = (
            rng.standard_normal(shape).astype(dtype)
            for shape in ((queries, dim), (keys, dim), (keys, value_dim), (tables, planes, dim))
        )
        self.save_all()

    def save_all(self):
        for name, array in zip(self.FILES, (self.q, self.k, self.v, self.w), strict=True):
            self.save(name, array)
