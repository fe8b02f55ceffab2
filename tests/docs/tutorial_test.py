"""Do docs/tutorial.md and docs/howto/choose.md show what their commands print? usage: tutorial_test.py SOCKETLAB"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOCKETLAB = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]


def blocks(text):
    """Paragraphs that are indented, without their indentation."""
    found = re.findall(r"(?:^    .*\n)+", text, flags=re.M)
    return [re.sub(r"^    ", "", block, flags=re.M).rstrip() for block in found]


def plain(text):
    """Without what differs between terminals and processors: spaces, and digits past the tenth."""
    return re.sub(r"(\d\.\d{9})\d+", r"\1", " ".join(text.split()))


class Pages(unittest.TestCase):
    def run_page(self, page):
        """How many lines of the page are what the command above them prints. Commands start in the root of the checkout."""
        compared, printed = 0, None
        with tempfile.TemporaryDirectory(prefix="a page ") as folder:
            for name in ("experiments", "plots"):
                Path(folder, name).symlink_to(ROOT / name)
            for block in blocks((ROOT / page).read_text(encoding="utf-8")):
                if block.startswith("build/socketlab"):
                    command = [SOCKETLAB, *block.replace("\\\n", " ").splitlines()[0].split()[1:]]
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
        return compared

    def test_every_block_behind_a_command_of_the_tutorial_is_what_it_prints(self):
        self.assertGreaterEqual(self.run_page("docs/tutorial.md"), 9)

    def test_every_block_behind_a_command_of_the_page_on_choosing_is_what_it_prints(self):
        self.assertGreaterEqual(self.run_page("docs/howto/choose.md"), 18)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
