"""Does every script that docs/commands.md lists under Figures draw what the page says it draws?

Usage: figure_scripts_test.py SOCKETLAB
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `plots/(\w+\.py) FOLDER` \| (.+) \|$", re.MULTILINE)
COMMANDS = re.compile(r"`((?:sweep|rank|audit|attend|certify|choose)[^`]*)`")
SMALL = "--keys 32 --dim 4"
FILES = "--queries q.npy --keys k.npy --values v.npy --planes 2 --tables 4 --budget 4"
OPTIONS = {
    "sweep": f"{SMALL} --planes 2 --axis tables --values 4,8 --trials 4 --families gaussian",
    "rank": f"{SMALL} --planes 3 --tables 4 --trials 2",
    "audit": f"{SMALL} --planes 2 --temperatures 0.5 --trials 2 --bound-draws 80 --fresh-tables 50",
    "attend": FILES,
    "certify": FILES,
    "choose": FILES.replace("budget", "budgets"),
}


class FigureScripts(unittest.TestCase):
    socketlab = None

    def documented(self):
        page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
        found = [(script, COMMANDS.findall(cell)[0]) for script, cell in ROW.findall(page)]
        self.assertGreaterEqual(
            {script for script, _ in found}, {"error_curves.py", "ranking_curves.py", "frontier.py"}
        )
        return found

    def test_each_draws_the_first_of_its_commands(self):
        for script, command in self.documented():
            with self.subTest(script=script, command=command), tempfile.TemporaryDirectory() as folder:
                random = np.random.default_rng(1)
                for name in "qkv":
                    np.save(f"{folder}/{name}.npy", random.standard_normal((2 if name == "q" else 32, 4)))
                made = [self.socketlab, *command.split(), *OPTIONS[command.split()[0]].split(), "--out", "made"]
                subprocess.run(made, cwd=folder, capture_output=True, check=True, timeout=300)
                drawn = [sys.executable, "-B", str(ROOT / "plots" / script), "made"]
                done = subprocess.run(drawn, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(list(Path(folder, "made").glob("*.png")))


if __name__ == "__main__":
    FigureScripts.socketlab = str(Path(sys.argv.pop()).resolve())
    unittest.main()
