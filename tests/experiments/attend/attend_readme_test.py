"""Do the examples of README.md run as they stand? With stand-ins for the two packages that need not be installed.

Run as attend_readme_test.py SOCKETLAB.
"""

import os
import pathlib
import subprocess
import sys
import types
import unittest
import unittest.mock

import numpy as np
from attend_tensors import SOCKETLAB, OnTensors, save_safetensors

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Readme(OnTensors):
    def test_the_examples_of_the_readme(self):
        section = (ROOT / "README.md").read_text().split("## On your own q, K, V")[1].split("\n## ")[0]
        blocks = [[]]
        for line in section.splitlines():
            blocks[-1].append(line[4:]) if line.startswith("    ") else blocks.append([])
        blocks = ["\n".join(block) for block in blocks if block]
        kinds = ["bash" if block.startswith("build/") else "python" for block in blocks]
        self.assertEqual(kinds, ["python", "bash"] * 2 + ["bash"])

        rng = np.random.default_rng(1)
        torch = types.ModuleType("torch")
        torch.bfloat16 = "bf16"
        torch.Generator = lambda: types.SimpleNamespace(manual_seed=lambda seed: None)
        torch.randn = lambda *shape, generator, dtype: rng.standard_normal(shape)
        package, writer = types.ModuleType("safetensors"), types.ModuleType("safetensors.torch")
        writer.save_file = lambda tensors, path: save_safetensors(
            pathlib.Path(path), {name: ("bf16", array) for name, array in tensors.items()}
        )
        stand_ins = {"torch": torch, "safetensors": package, "safetensors.torch": writer}
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.path)
        for block, kind in zip(blocks, kinds, strict=True):
            if kind == "python":
                with unittest.mock.patch.dict(sys.modules, stand_ins):
                    exec(block, {})
                continue
            for words in map(str.split, block.splitlines()):
                place = pathlib.Path(before, SOCKETLAB) if words[0] != "python3" else sys.executable
                script = [ROOT / words[1]] if words[0] == "python3" else words[1:2]
                done = subprocess.run([place, *script, *words[2:]], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                if "layer.safetensors" in words:
                    self.assertEqual(np.load("layer-results/output.npy").shape, (32, 4, 128))
        self.assertTrue(pathlib.Path("mine/comparison.json").exists())
        done = subprocess.run(
            [sys.executable, "-B", ROOT / "plots" / "attend_curves.py", "mine"], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        for figure in ("mine/attend_curves", "certified/certificate"):
            for kind in ("png", "svg"):
                self.assertGreater(os.path.getsize(f"{figure}.{kind}"), 10000)


if __name__ == "__main__":
    unittest.main()
