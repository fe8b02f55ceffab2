"""Does the corpus hold each file once, on one side of the split, and is what it leaves out counted?"""

import hashlib
import json
import sys
import unittest

from case import FolderCase, has, needs, source

if has("numpy", "tokenizers"):
    import numpy as np
    from learned_attention import corpus
    from learned_attention import tokenizer as bpe
    from learned_attention.refusals import Refused


def names_of(part, number):
    """So many file names whose hash sends them to the part: sha256, eight hexadecimal digits, modulo 100."""
    found, i = [], 0
    while len(found) < number:
        name = f"package/module_{i}.py"
        held_out = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 100 < 2
        if held_out == (part == "validation"):
            found.append(name)
        i += 1
    return found


@needs("numpy", "tokenizers")
class Corpus(FolderCase):
    def looks(self, texts):
        """names, looks of files with these texts, in order."""
        names = sorted(texts)
        return names, [corpus.looked_at(self.write(name, texts[name])) for name in names]

    def test_each_reason_to_leave_a_file_out(self):
        plain = source(1)
        cases = {
            "": plain,
            "shorter": plain[:199],
            "longer": plain * (1_000_001 // len(plain) + 1),
            "not UTF-8": plain.encode() + b"\xff",
            "data": plain + "x" * 1001,
        }

        for why, text in cases.items():
            with self.subTest(why=why):
                self.assertEqual(corpus.looked_at(self.write("a.py", text))[0], why)
        self.assertEqual(corpus.looked_at(self.write("a.py", plain[:200]))[0], "")
        self.assertEqual(corpus.looked_at(self.write("a.py", plain + "x" * 1000))[0], "")
        self.assertEqual(corpus.looked_at(self.folder / "none.py")[0], "cannot be read")

    def test_a_second_copy_is_left_out_whatever_its_comments_and_blank_lines(self):
        first, second, third, fourth = names_of("train", 4)
        texts = {
            first: source(1),
            second: source(1),
            third: "# a licence\n\n" + source(1).replace("\n", "  \n"),
            fourth: source(1).replace("argument +", "argument -", 1),  # other code
        }

        names, looks = self.looks(texts)
        parts, left_out = corpus.distinct(names, looks)

        self.assertEqual(len(parts["train"]), 2)
        self.assertEqual(sorted(names[i] for i in parts["train"])[0], names[0])
        self.assertEqual((left_out["repeated"] + left_out["repeated code"], parts["validation"]), (2, []))

    def test_the_split_goes_by_the_name(self):
        texts = {name: source(i) for i, name in enumerate(names_of("train", 3) + names_of("validation", 2))}

        names, looks = self.looks(texts)
        parts, left_out = corpus.distinct(names, looks)

        self.assertEqual({names[i] for i in parts["train"]}, set(names_of("train", 3)))
        self.assertEqual({names[i] for i in parts["validation"]}, set(names_of("validation", 2)))
        self.assertEqual(left_out, {"validation near training": 0})

    def test_a_validation_file_goes_when_four_fifths_of_its_lines_are_known(self):
        # 30 long lines: 24 of the training file and 6 of its own are four fifths; 23 and 7 are less.
        known, own = source(1).splitlines(), source(2).splitlines()
        train, held_out = names_of("train", 1)[0], names_of("validation", 1)[0]

        for shared, taken in ((24, 0), (23, 1)):
            text = "\n".join(known[:shared] + own[shared:]) + "\n"
            self.assertGreaterEqual(min(len(line.strip()) for line in text.splitlines()), 20)
            names, looks = self.looks({train: source(1), held_out: text})
            parts, left_out = corpus.distinct(names, looks)
            self.assertEqual((len(parts["validation"]), left_out["validation near training"]), (taken, 1 - taken))

    def test_a_file_below_two_folders_is_found_once_under_the_deeper(self):
        self.write("library/packages/one/a.py", source(1))
        self.write("library/b.py", source(2))
        self.write("library/__pycache__/c.py", source(3))
        self.write("library/d.txt", source(4))

        pairs = corpus.found([self.folder / "library", self.folder / "library/packages"])

        self.assertEqual([name for name, _ in pairs], ["b.py", "one/a.py"])

    def test_a_prepared_folder_holds_the_text_and_is_known_again(self):
        texts = {name: source(i) for i, name in enumerate(names_of("train", 40) + names_of("validation", 2))}
        for name, text in texts.items():
            self.write(f"sources/{name}", text)

        record = corpus.prepare(self.folder, [self.folder / "sources"], 400, 1)

        decode = bpe.read(self.folder / "tokenizer.json").decode
        for part, number in (("train", 40), ("validation", 2)):
            tokens = np.fromfile(self.folder / f"{part}.bin", np.uint16)
            ends = np.flatnonzero(tokens == bpe.END_OF_FILE_TOKEN)
            starts = [0, *(ends[:-1] + 1)]
            read = [decode(tokens[a:b].tolist()) for a, b in zip(starts, ends, strict=True)]
            self.assertEqual(read, [texts[name] for name in sorted(names_of(part, number))])
            self.assertEqual((record[part]["files"], record[part]["tokens"]), (number, len(tokens)))
            self.assertEqual(record[part]["bytes"], sum(len(texts[name]) for name in names_of(part, number)))
        listed = "".join(
            f"{hashlib.sha256(texts[name].encode()).hexdigest()} {name}\n" for name in sorted(names_of("train", 40))
        )
        self.assertEqual(record["train"]["sha256"], hashlib.sha256(listed.encode()).hexdigest())
        self.assertEqual(corpus.prepared(self.folder, 400), json.loads((self.folder / "corpus.json").read_text()))
        self.assertEqual(len(corpus.validation_tokens(self.folder)), record["validation"]["tokens"])
        with self.assertRaisesRegex(Refused, "another vocabulary; allowed"):
            corpus.prepared(self.folder, 401)
        with (self.folder / "train.bin").open("r+b") as file:
            file.write(b"\x01")
        with self.assertRaisesRegex(Refused, "other files or another vocabulary"):
            corpus.prepared(self.folder, 400)

    def test_sources_without_text_are_refused(self):
        (self.folder / "empty").mkdir()
        with self.assertRaisesRegex(Refused, "0 .py files and none left for train; allowed"):
            corpus.prepare(self.folder, [self.folder / "empty"], 400, 1)
        with self.assertRaisesRegex(Refused, "nowhere: not a folder"):
            corpus.found([self.folder / "nowhere"])
        with self.assertRaisesRegex(Refused, "validation.bin: no tokens"):
            corpus.validation_tokens(self.folder)


if __name__ == "__main__":
    sys.exit(unittest.main())
