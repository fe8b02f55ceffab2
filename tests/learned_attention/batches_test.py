"""Does a batch depend on seed, step, stage and rank alone, do processes see other rows, and are targets counted for
what they are?
"""

import unittest

from case import FolderCase, has, needs, source

if has("numpy", "tokenizers"):
    import numpy as np
    from learned_attention import batches
    from learned_attention import tokenizer as bpe
    from learned_attention.retrieval_words import WORDS


@needs("numpy", "tokenizers")
class Batches(FolderCase):
    def setUp(self):
        super().setUp()
        asked = "The special magic number for is. What variables are assigned the value, in the list of numbers? VAR "
        tokenizer = bpe.trained([source(i) for i in range(40)] + [asked + " ".join(WORDS)] * 40, 900)
        bpe.write(tokenizer, self.folder / "tokenizer.json")
        self.tokenizer = tokenizer
        # Tokens of text that tell their place: none twice within reach of a window.
        self.size = 40_000
        self.text = (np.arange(self.size) % 60_000 + 1).astype(np.uint16)
        self.text.tofile(self.folder / "train.bin")
        self.maker = batches.Maker(self.folder)

    def request(self, **more):
        plain = {"seed": 3, "step": 5, "rank": 0, "world": 2, "rows": 8, "window": 200, "retrieval": 0.25}
        return batches.Request(**(plain | more))

    def test_the_same_request_gives_the_same_batch_and_every_other_another(self):
        maker, once = batches.Maker(self.folder), self.maker.batch(self.request())

        again = maker.batch(self.request())

        self.assertTrue((once.tokens == again.tokens).all() and (once.kinds == again.kinds).all())
        for more in ({"seed": 4}, {"step": 6}, {"rank": 1}):
            other = maker.batch(self.request(**more))
            self.assertFalse((other.tokens == once.tokens).all(), more)

    def test_processes_and_steps_of_an_epoch_share_no_window_and_leave_none_out(self):
        # 199 windows of 200 in 40,000 tokens; three of four rows are text: 12 of a step of 2 x 8.
        firsts = [
            int(row[0])
            for step in range(16)
            for rank in range(2)
            for row, kinds in self.rows(self.request(step=step, rank=rank))
            if kinds.max() == kinds.min() == batches.TEXT
        ]

        self.assertEqual(len(firsts), 16 * 12)
        self.assertEqual(len(set(firsts)), len(firsts))
        self.assertEqual(len({first % 200 for first in firsts}), 1)

    def rows(self, request):
        batch = self.maker.batch(request)
        return zip(batch.tokens, batch.kinds, strict=True)

    def test_a_text_row_is_a_window_of_the_corpus(self):
        for row, kinds in self.rows(self.request(retrieval=0.0)):
            self.assertTrue((row == self.text[row[0] - 1 : row[0] + 200]).all())
            self.assertTrue((kinds == batches.TEXT).all())

    def test_the_next_epoch_has_another_order(self):
        orders = [batches.epoch_order(3, 200, epoch, self.size) for epoch in range(2)]
        self.assertFalse((orders[0] == orders[1]).all())
        self.assertEqual(batches.text_window(3, 199, 200, self.size), orders[1][0])

    def test_the_share_of_retrieval_rows(self):
        for share, rows, expected in ((0.25, 8, 4), (0.5, 2, 2), (0.5, 1, 1), (0.3, 64, 38), (0.0, 8, 0), (1.0, 8, 16)):
            found = sum(
                bool((kinds != batches.TEXT).any())
                for rank in range(2)
                for _, kinds in self.rows(self.request(rank=rank, rows=rows, retrieval=share))
            )
            self.assertEqual(found, expected, (share, rows))  # of both processes, rounded down

    def test_answers_are_the_targets_that_complete_a_statement(self):
        """The text before a stretch of answer targets asks for it: the number stands there already, with its key."""
        checked = 0
        for row, kinds in self.rows(self.request(rows=30, window=1200, retrieval=1.0)):
            targets = row[1:]
            for first, end in stretches(kinds == batches.ANSWER):
                answer = self.tokenizer.decode(targets[first:end].tolist())
                before = self.tokenizer.decode(row[: first + 1].tolist())
                asked = before.rpartition("\n")[2]
                if asked.startswith("What is the special magic number for "):
                    key = asked.split()[-2]
                    self.assertIn(f"\nThe special magic number for {key} is {answer}.\n", before)
                    checked += 1
                elif asked.startswith("What is the number of "):
                    key = asked.split('"')[1]
                    self.assertIn(f'"{key}": {answer},\n', before)
                    checked += 1
        self.assertGreater(checked, 50)

    def test_copies_are_foretold_by_what_stands_before(self):
        tokens, spans, kind = self.maker.copied(101, np.random.default_rng(1))
        self.assertEqual((len(tokens), spans, kind), (100, [(51, 100)], batches.COPY))
        self.assertTrue((tokens[50:] == tokens[:50]).all())
        # 20,000 draws among 900 entries miss one of them with probability 2e-10.
        self.assertNotIn(bpe.END_OF_FILE_TOKEN, self.maker.copied(40_000, np.random.default_rng(2))[0])

    def test_short_examples_come_beside_full_ones(self):
        full, packed = 0, 0
        for _, kinds in self.rows(self.request(rows=60, window=1200, retrieval=1.0, world=1)):
            places = np.flatnonzero(kinds)
            if len(places):
                full += places[0] > 600
                packed += places[0] < 300
        self.assertGreater(full, 5)
        self.assertGreater(packed, 5)

    def test_validation_seeds_are_distinct(self):
        seeds = {batches.validation_seed(task, 4096, i) for task in ("needle", "multi_key") for i in range(100)}
        self.assertEqual(len(seeds), 200)


def stretches(mask):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return zip(edges[::2], edges[1::2], strict=True)


if __name__ == "__main__":
    unittest.main()
