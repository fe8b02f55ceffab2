"""Does docs/tutorial.md show what its commands print? usage: tutorial_test.py SOCKETLAB"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOCKETLAB = Path(sys.argv[1]).resolve()
TUTORIAL = Path(__file__).resolve().parents[2] / "docs/tutorial.md"


def blocks(text):
    """Paragraphs that are indented, without their indentation."""
    found = re.findall(r"(?:^    .*\n)+", text, flags=re.M)
    return [re.sub(r"^    ", "", block, flags=re.M).rstrip() for block in found]


def plain(text):
    """Without what differs between terminals and processors: spaces, and digits past the tenth."""
    return re.sub(r"(\d\.\d{9})\d+", r"\1", " ".join(text.split()))


class Tutorial(unittest.TestCase):
    def test_every_block_behind_a_command_is_what_it_prints(self):
        compared, printed = 0, None
        with tempfile.TemporaryDirectory(prefix="a tutorial ") as folder:
            for block in blocks(TUTORIAL.read_text(encoding="utf-8")):
                if block.startswith("build/socketlab"):
                    command = [SOCKETLAB, *block.splitlines()[0].split()[1:]]
                    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    printed = plain(done.stdout)
                elif "np.save" in block:
                    subprocess.run([sys.executable, "-c", block], cwd=folder, check=True)
                elif printed and not block.startswith("import"):
                    for line in block.splitlines():
                        self.assertIn(plain(line), printed)
                        compared += 1
                    printed = None
        self.assertGreaterEqual(compared, 9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
