"""What the tests of learned_attention share: a tokenizer and a folder of sources that need no machine's packages, and a
skip, with its reason, where a package is missing.
"""

import importlib.util
import pathlib
import random
import sys
import tempfile
import unittest

MISSING = [name for name in ("numpy", "tokenizers", "torch", "safetensors") if importlib.util.find_spec(name) is None]


def has(*packages):
    """Whether this Python has the packages."""
    return not any(name in MISSING for name in packages)


def needs(*packages):
    """A decorator that skips a case without the packages."""
    lacking = [name for name in packages if name in MISSING]
    reason = f"this Python has no {' and no '.join(lacking)}"
    if lacking:
        print(f"skipped: {reason}", file=sys.stderr)
    return unittest.skipIf(lacking, reason)


def source(number):
    """A module of 30 long lines with words of its own, so that no two modules have a line in common."""
    draw = random.Random(number)

    def word():
        return "".join(draw.choice(("ba", "ko", "mi", "ter", "sal", "nu", "ve", "dor")) for _ in range(4))

    names = [word() for _ in range(15)]
    return "".join(
        f"def {name}_{number}({word()}, argument):\n    return argument + {number}{i:02d}  # {word()}\n"
        for i, name in enumerate(names)
    )


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder of a training ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path
