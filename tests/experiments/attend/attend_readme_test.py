"""Do the examples of README.md, of docs/howto/choose.md and of docs/howto/own_data.md run as they stand?

Run as attend_readme_test.py SOCKETLAB. Packages that need not be installed have stand-ins.
"""

import os
import pathlib
import re
import subprocess
import sys
import types
import unittest
import unittest.mock

import numpy as np
from attend_tensors import SOCKETLAB, OnTensors, save_safetensors

ROOT = pathlib.Path(__file__).resolve().parents[3]
OWN_DATA = ROOT / "docs/howto/own_data.md"


def blocks_of(text):
    """Indented blocks and blocks between fences, without their indentation."""
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return [block.rstrip() for block in fenced] + [
        re.sub("^    ", "", block, flags=re.M).rstrip() for block in indented
    ]


def is_shell(block):
    return block.startswith(("build/", "python3 "))


def stand_ins():
    """torch and safetensors, as far as the examples use them."""
    rng = np.random.default_rng(1)
    torch = types.ModuleType("torch")
    torch.bfloat16 = "bf16"
    torch.Generator = lambda: types.SimpleNamespace(manual_seed=lambda seed: None)
    torch.randn = lambda *shape, dtype, generator=None: rng.standard_normal(shape)
    package, writer = types.ModuleType("safetensors"), types.ModuleType("safetensors.torch")
    writer.save_file = lambda tensors, path: save_safetensors(
        pathlib.Path(path), {name: ("bf16", array) for name, array in tensors.items()}
    )
    return {"torch": torch, "safetensors": package, "safetensors.torch": writer}


class Examples(OnTensors):
    def setUp(self):
        super().setUp()
        self.before = os.getcwd()
        self.addCleanup(os.chdir, self.before)
        os.chdir(self.path)

    def run_shell(self, block):
        for words in map(str.split, block.replace("\\\n", " ").splitlines()):
            place = pathlib.Path(self.before, SOCKETLAB) if words[0] != "python3" else sys.executable
            script = [ROOT / words[1]] if words[0] == "python3" else words[1:2]
            done = subprocess.run([place, *script, *words[2:]], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def run_block(self, block):
        if is_shell(block):
            self.run_shell(block)
        else:
            with unittest.mock.patch.dict(sys.modules, stand_ins()):
                exec(block, {})

    def assert_figure(self, script, folder, name):
        done = subprocess.run([sys.executable, "-B", ROOT / "plots" / script, folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in ("png", "svg"):
            self.assertGreater(os.path.getsize(f"{folder}/{name}.{kind}"), 10000)

    def test_the_examples_of_the_readme(self):
        section = (ROOT / "README.md").read_text().split("\n## Which ranker, ")[1].split("\n## ")[0]
        blocks = blocks_of(section)
        self.assertEqual([is_shell(block) for block in blocks], [False, True])
        for block in blocks:
            self.run_block(block)
        self.assert_figure("choose.py", "chosen", "choose")
        self.assert_figure("choose.py", "searched", "choose_search")
        self.assert_figure("certificate.py", "certified", "certificate")

    @unittest.skipUnless(OWN_DATA.exists(), "no such page")
    def test_the_layer_of_the_page_on_own_data(self):
        """From PyTorch, grouped heads and all: what writes the file, and the first command that reads it."""
        blocks = blocks_of(OWN_DATA.read_text())
        (made,) = [block for block in blocks if "save_file" in block]
        commands = [line for block in blocks if is_shell(block) for line in block.replace("\\\n", " ").splitlines()]
        command = next(line for line in commands if "layer.safetensors" in line)
        self.run_block(made)
        self.run_shell(command)
        self.assertEqual(np.load(pathlib.Path(command.split("--out ")[1].split()[0], "output.npy")).shape, (32, 4, 128))

    def test_what_an_implementation_computes_is_compared(self):
        np.save("q.npy", np.ones((1, 8)))
        for name in "kv":
            np.save(f"{name}.npy", np.random.default_rng(1).standard_normal((64, 8)))
        files = "--queries q.npy --keys k.npy --values v.npy --budget 0.1"
        self.run_shell(f"build/socketlab attend {files} --profile hub --compare gpt-fast --out compared")
        self.assertTrue(pathlib.Path("compared/comparison.json").exists())


if __name__ == "__main__":
    unittest.main()
