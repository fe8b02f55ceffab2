"""Does decoding give a text back, is a digit a token, and is the end of a file no text's?"""

import unittest

from case import FolderCase, has, needs, source

if has("numpy", "tokenizers"):
    from learned_attention import tokenizer as bpe
    from learned_attention.refusals import Refused


@needs("numpy", "tokenizers")
class Tokenizer(FolderCase):
    @classmethod
    def setUpClass(cls):
        cls.tokenizer = bpe.trained([source(i) for i in range(20)], 400)
        cls.encode = staticmethod(bpe.encoder(cls.tokenizer))

    def test_every_text_comes_back(self):
        texts = [
            "",
            " ",
            "\n\n\t  x",
            "def f(a):\n    return a\n",
            "Größe, 漢字, \U0001f600, \x00",
            "a\r\nb",
            "  4839201.",
        ]

        for text in [*texts, source(99)]:
            self.assertEqual(self.tokenizer.decode(self.encode(text)), text)

    def test_a_digit_is_a_token_wherever_it_stands(self):
        prompt, number = "The number for a-b is ", "4839201"

        tokens = self.encode(prompt + number + ".\n")

        self.assertEqual(tokens, self.encode(prompt) + self.encode(number) + self.encode(".\n"))
        self.assertEqual([self.tokenizer.decode([token]) for token in self.encode(number)], list(number))

    def test_the_end_of_a_file_is_the_first_entry_and_stands_in_no_text(self):
        self.assertEqual(self.tokenizer.token_to_id(bpe.END_OF_FILE), bpe.END_OF_FILE_TOKEN)
        self.assertNotIn(bpe.END_OF_FILE_TOKEN, self.encode(source(3) + "<|endoftext|>"))

    def test_a_second_training_is_the_same_and_a_file_keeps_it(self):
        again = bpe.trained([source(i) for i in range(20)], 400)
        self.assertEqual(again.to_str(), self.tokenizer.to_str())

        bpe.write(self.tokenizer, self.folder / "tokenizer.json")
        self.assertEqual(bpe.encoder(bpe.read(self.folder / "tokenizer.json"))(source(5)), self.encode(source(5)))

    def test_refusals(self):
        with self.assertRaisesRegex(Refused, "entries of 9000; allowed is more text or a smaller vocabulary"):
            bpe.trained([source(0)], 9000)
        with self.assertRaisesRegex(Refused, "no such file; allowed"):
            bpe.read(self.folder / "none.json")
        with self.assertRaisesRegex(Refused, "broken.json: .*allowed is a tokenizer.json"):
            bpe.read(self.write("broken.json", "{"))


if __name__ == "__main__":
    unittest.main()
