"""What the tests of `socketlab attend` share: the file of tensors with heads that they write, and the run that reads it.

Imported by scripts that run as SCRIPT SOCKETLAB.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOCKETLAB = sys.argv.pop(1)
F32 = 2.0**-24  # half a unit in the last place of 1
STEP = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": F32}


def to_bf16(x):
    """Bits of the nearest bfloat16, ties to even; x finite."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def rounded(x, kind):
    if kind == "bf16":
        return (to_bf16(x).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float32).astype(np.float16 if kind == "f16" else np.float32).astype(np.float64)


def save_safetensors(path, tensors):
    """tensors: name -> (kind, array); the layout of the format's description."""
    dtypes = {"bf16": "BF16", "f16": "F16", "f32": "F32", "f64": "F64", "bool": "BOOL"}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (kind, array) in tensors.items():
        raw = (
            to_bf16(array)
            if kind == "bf16"
            else np.asarray(array, dtype={"f16": "<f2", "f32": "<f4", "f64": "<f8", "bool": "?"}[kind])
        )
        header[name] = {
            "dtype": dtypes[kind],
            "shape": list(raw.shape),
            "data_offsets": [len(data), len(data) + raw.nbytes],
        }
        data += raw.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def attention(query, keys, values, selected):
    logits = keys[selected] @ query / np.sqrt(len(query))
    weights = np.exp(logits - logits.max())
    return weights / weights.sum() @ values[selected]


class AttendCase(unittest.TestCase):
    """A folder, and runs of `socketlab attend` on the files that file_of() names."""

    FILES = ("queries", "keys", "values", "hyperplanes")

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="attend test ")))
        self.out = self.path / "out"

    def attend(self, *options, files=FILES):
        command = [SOCKETLAB, "attend", "--force", "--out", str(self.out)]
        for name in files:
            command += [f"--{name}", str(self.file_of(name))]
        return subprocess.run(command + [str(o) for o in options], capture_output=True, text=True, timeout=300)

    def results(self, *options, suffix="", **more):
        done = self.attend(*options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.table = done.stdout
        return self.load(suffix)

    def load(self, suffix=""):
        self.summary = json.loads((self.out / f"summary{suffix}.json").read_text())
        return [np.load(self.out / f"{name}{suffix}.npy") for name in ("scores", "selected", "output")]

    def refused(self, *options, about, **more):
        done = self.attend(*options, **more)
        self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (2, 1, ""), done.stderr)
        self.assertIn(about, done.stderr)
        self.assertFalse(self.out.exists())


class OnTensors(AttendCase):
    def setUp(self):
        super().setUp()
        self.file = self.path / "qkv.safetensors"

    def file_of(self, _name):
        return self.file

    def draw(self, kind="f32", heads=4, key_heads=2, queries=3, keys=300, dim=16, tables=9, planes=6, seed=1, scale=1):
        rng = np.random.default_rng(seed)

        def draw(*shape):
            return rounded(rng.standard_normal(shape), kind)

        self.kind = kind
        self.q, self.k, self.v = (
            draw(heads, queries, dim),
            draw(key_heads, keys, dim),
            draw(key_heads, keys, dim) * scale,
        )
        self.w, self.c = rng.standard_normal((tables, planes, dim)), rng.standard_normal((1 << planes, planes))
        self.save()

    def save(self, **more):
        kinds = {
            "queries": (self.kind, self.q),
            "keys": (self.kind, self.k),
            "values": (self.kind, self.v),
            "hyperplanes": ("f64", self.w),
            "corners": ("f64", self.c),
            **more,
        }
        save_safetensors(self.file, kinds)

    def heads(self):
        """(head, query, q, keys, values) of every query."""
        group = len(self.q) // len(self.k)
        for h in range(len(self.q)):
            for i in range(self.q.shape[1]):
                yield h, i, self.q[h, i], self.k[h // group], self.v[h // group]
