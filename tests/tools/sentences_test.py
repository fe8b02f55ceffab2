"""Does tools/sentences.py count what it says, and are all pages short enough and their sentences too?"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import sentences  # noqa: E402

PAGE = """# A heading of five words

Four words stand here. Then 5 more: `x` is so.

| a table | is not prose |
|---|---|
<!-- table: x
nor is a comment -->
![nor a picture](x.png)

    nor --code

```
nor this
```

- One item
- another one of 2 lines
  and more.
"""


def said(*arguments):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        return sentences.main(list(map(str, arguments))), printed.getvalue()


class Sentences(unittest.TestCase):
    def test_only_prose_is_counted(self):
        self.assertEqual(
            sentences.sentences(PAGE),
            ["Four words stand here.", "Then 5 more:", "`x` is so.", "One item", "another one of 2 lines and more."],
        )

    def test_a_long_sentence_and_a_long_page_are_named(self):
        with tempfile.TemporaryDirectory(prefix="a checkout ") as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "build-x").mkdir()
            (root / "docs/fits.md").write_text("A word. " * 750)
            (root / "docs/long.md").write_text("A word. " * 750 + "More.")
            (root / "wide.md").write_text("It " + "goes on " * 20 + "here.")
            (root / "build-x/left_out.md").write_text("It " + "goes on " * 20 + "here.")
            code, text = said(root)
            self.assertEqual(code, 1)
            self.assertEqual([line.split(":")[0] for line in text.splitlines()], ["wide.md", "docs/long.md"])
            self.assertIn("a sentence of 42 words: It goes on", text)
            self.assertIn("1,501 words of prose", text)

    def test_every_page_can_be_read(self):
        code, text = said()
        self.assertEqual(code, 0, text)


if __name__ == "__main__":
    unittest.main()
