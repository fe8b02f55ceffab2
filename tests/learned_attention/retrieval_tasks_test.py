"""Is what is marked as the answer what the text says? Each decoded text is solved by itself, without the marks, and
compared; a text that was changed gets another solution.
"""

import collections
import re
import unittest

from case import has, needs, source

if has("numpy", "tokenizers"):
    import numpy as np
    from learned_attention import retrieval_tasks as tasks
    from learned_attention import tokenizer as bpe
    from learned_attention.retrieval_words import WORDS


def numbers_of(text):
    """{key: numbers, in order} of the facts, which stand on lines of their own."""
    found = collections.defaultdict(list)
    for key, value in re.findall(r"^The special magic number for (\S+) is (\d+)\.$", text, re.MULTILINE):
        found[key].append(value)
    return found


def solve_numbers(text):
    return [
        value
        for key in re.findall(r"^What (?:is|are all) the special magic numbers? for (\S+)\?", text, re.MULTILINE)
        for value in numbers_of(text)[key]
    ]


def solve_variables(text):
    said = dict(re.findall(r"^VAR (\S+) = (?:VAR )?(\S+)$", text, re.MULTILINE))
    found = []
    for value in re.findall(r"^Which variables are assigned the value (\d+)\?", text, re.MULTILINE):
        held, grown = {value}, True
        mine = []
        while grown:
            grown = [name for name, other in said.items() if other in held and name not in mine]
            mine += grown
            held |= set(grown)
        found += mine
    return found


def solve_common(text):
    words = text.split("A list of words:")[1].split("\n")[0].split()
    (first, most), (_, second) = collections.Counter(words).most_common(2)
    assert most >= 2 * second, (most, second)
    return [first]


def solve_table(text):
    table = re.findall(r'^"(\S+)": (\d+),$', text, re.MULTILINE)
    assert len(table) == len(dict(table))
    return [dict(table)[key] for key in re.findall(r'^What is the number of "(\S+)"\?', text, re.MULTILINE)]


SOLVERS = {
    "needle": solve_numbers, "multi_key": solve_numbers, "multi_value": solve_numbers,
    "variable_tracking": solve_variables, "common_word": solve_common, "key_value_recall": solve_table,
}  # fmt: skip


@needs("numpy", "tokenizers")
class RetrievalTasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        texts = [source(i) for i in range(20)] + ["The special magic number for is, What VAR variables assigned"] * 20
        cls.tokenizer = bpe.trained(texts, 400)
        cls.encode = staticmethod(bpe.encoder(cls.tokenizer))

    def text(self, tokens):
        return self.tokenizer.decode(tokens.tolist())

    def marked(self, example):
        return [self.text(example.tokens[first:end]).strip() for first, end in example.answers]

    def check(self, task, length, seed, **more):
        example = tasks.draw(task, length, seed, self.encode, **more)
        self.assertEqual((example.tokens.shape, example.tokens.dtype), ((length,), np.int32))
        text = self.text(example.tokens)
        self.assertEqual(self.marked(example), SOLVERS[task](text), text)
        self.assertTrue(all(answer for answer in self.marked(example)))
        return example, text

    def test_every_answer_is_what_the_text_says(self):
        for task in tasks.TASKS:
            for length, seed in ((700, 1), (701, 2), (1500, 3), (5000, 4)):
                with self.subTest(task=task, length=length, seed=seed):
                    self.check(task, length, seed)

    def test_every_question_of_many_has_its_answer(self):
        answers = {"multi_value": 12, "variable_tracking": 15, "common_word": 1}
        for task in tasks.TASKS:
            example, _ = self.check(task, 3000, 5, queries=3)
            self.assertEqual(len(example.answers), answers.get(task, 3), task)

    def test_a_changed_text_has_another_solution(self):
        for task in tasks.TASKS:
            example, text = self.check(task, 1500, 6)
            first = self.marked(example)[0]
            if task == "common_word":
                lie = text.replace(f" {first} ", " other ")
            elif task == "variable_tracking":
                lie = text.replace(f"VAR {first} =", "VAR other =")
            else:
                lie = text.replace(f" {first}", " 1000001", 1)
            self.assertNotEqual(SOLVERS[task](lie), self.marked(example), task)

    def test_how_many_keys_and_values_there_are(self):
        _, text = self.check("needle", 2000, 1)
        self.assertEqual([len(values) for values in numbers_of(text).values()], [1])
        _, text = self.check("multi_key", 2000, 1)
        self.assertEqual([len(values) for values in numbers_of(text).values()], [1] * 16)
        _, text = self.check("multi_value", 2000, 1)
        self.assertEqual([len(values) for values in numbers_of(text).values()], [4] * 4)
        _, text = self.check("variable_tracking", 2000, 1)
        # Four chains of five: each variable but the last of a chain gives its value to one other.
        self.assertEqual(len(re.findall(r"^VAR ", text, re.MULTILINE)), 5 * 4)
        self.assertEqual(len(set(re.findall(r"^VAR \S+ = VAR (\S+)$", text, re.MULTILINE))), 4 * 4)
        _, text = self.check("key_value_recall", 2000, 1)
        self.assertGreater(len(self.encode("".join(re.findall(r'^".*,\n', text, re.MULTILINE)))), 1800)

    def test_the_answers_stand_at_the_end_and_facts_before_the_questions(self):
        for task in tasks.TASKS:
            example, text = self.check(task, 4096, 7)
            self.assertGreaterEqual(example.answers[0][0], 4096 - 256, task)
            self.assertEqual(len(re.findall(r"^Wh(?:at|ich) ", text, re.MULTILINE)), 1)

    def test_facts_stand_everywhere(self):
        depths = [
            self.text(tasks.draw("needle", 1000, seed, self.encode).tokens).index("\nThe special") for seed in range(60)
        ]
        # 60 uniform depths miss the first or the last quarter with probability 2 * 0.75^60 = 6e-8.
        size = len(self.text(tasks.draw("needle", 1000, 0, self.encode).tokens))
        self.assertLess(min(depths), 0.25 * size)
        self.assertGreater(max(depths), 0.6 * size)

    def test_a_haystack_stands_in_for_the_noise(self):
        hay = np.arange(10_000) % 7 + 300
        for task in tasks.IN_TEXT:
            example, text = self.check(task, 1500, 8, haystack=hay)
            self.assertNotIn(" near the ", text)
            self.assertGreater(np.isin(example.tokens, np.arange(300, 307)).mean(), 0.2)

    def test_an_example_depends_on_its_seed_task_and_length_alone(self):
        for task in tasks.TASKS:
            once, again, other = (tasks.draw(task, 900, seed, self.encode) for seed in (1, 1, 2))
            self.assertTrue((once.tokens == again.tokens).all() and once.answers == again.answers)
            self.assertFalse((once.tokens == other.tokens).all())

    def test_a_length_holds_what_the_task_needs_or_is_refused(self):
        for task in tasks.TASKS:
            for queries in (1, 4):
                fits = []
                for length in range(20, 1600, 7):
                    try:
                        self.check(task, length, 9, queries=queries)
                        fits.append(length)
                    except tasks.TooShort as error:
                        self.assertRegex(str(error), "allowed (is|are)")
                # Words are of unlike numbers of tokens, so that the shortest length is not the same for every seed.
                self.assertGreater(fits[0], 27, task)
                sure = [length for length in range(20, 1600, 7) if length >= 2 * fits[0]]
                self.assertLessEqual(set(sure), set(fits), task)

    def test_a_wrong_task_is_named(self):
        with self.assertRaisesRegex(ValueError, "task 'hay': allowed are needle, "):
            tasks.draw("hay", 500, 1, self.encode)
        with self.assertRaisesRegex(tasks.TooShort, "haystack of 10 tokens: allowed are at least"):
            tasks.draw("needle", 500, 1, self.encode, haystack=np.zeros(10))

    def test_words_are_distinct_and_keys_are_pairs_of_them(self):
        self.assertEqual((len(WORDS), len(set(WORDS))), (256, 256))
        keys = tasks.Draws("needle", 1, 1, self.encode).keys(60_000)
        self.assertEqual(len(set(keys)), 60_000)
        self.assertTrue(all(len(set(key.split("-"))) == 2 and set(key.split("-")) <= set(WORDS) for key in keys))


if __name__ == "__main__":
    unittest.main()
