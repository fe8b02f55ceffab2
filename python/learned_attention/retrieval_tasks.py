"""What is asked of a model that must find something in a long text, and where do the right answers stand?

Six tasks in the forms of RULER (Hsieh et al., 2024), each a text of exactly `length` tokens whose end asks and answers:
needle              one number for one key, in noise
multi_key           the number of one key among 16
multi_value         all four numbers of one key, in order, beside other keys
variable_tracking   the five variables of one chain of assignments, in order, beside other chains
common_word         the most common word of a list, three times as frequent as the next
key_value_recall    the number of one key of a table that fills the text
An example is a function of (task, length, seed) and the tokenizer. Short lengths have fewer keys beside the asked one.
If this were wrong: what is marked as the answer would not be what the text says
(tests/learned_attention/retrieval_tasks_test.py solves each decoded text by itself).
"""

import dataclasses

import numpy as np

from learned_attention.retrieval_words import WORDS

TASKS = ("needle", "multi_key", "multi_value", "variable_tracking", "common_word", "key_value_recall")
# A haystack of given text may stand in for the noise of these.
IN_TEXT = ("needle", "multi_key", "multi_value", "variable_tracking")
KEYS, VALUES, CHAIN = 16, 4, 5
SENTENCES = 32  # of the noise of one example
# Of a list: the share of its most common word, and how many words have a third of that.
COMMON_SHARE, RUNNERS_UP = 1 / 12, 3
FEWEST_LISTED = 24


class TooShort(ValueError):
    """A length that does not hold what the task needs."""


@dataclasses.dataclass(frozen=True)
class Example:
    tokens: np.ndarray  # int32 [length]
    answers: list[tuple[int, int]]  # (first, end) of each answer's tokens, in order


class Draws:
    """What an example is made of, drawn from its seed."""

    def __init__(self, task, length, seed, encode):
        self.random = np.random.default_rng(np.random.SeedSequence([seed, TASKS.index(task), length]))
        self.encode = lambda text: np.array(encode(text), dtype=np.int32)

    def keys(self, number, joint="-"):
        """Distinct pairs of different words."""
        others = len(WORDS) - 1
        if number > len(WORDS) * others:
            raise TooShort(f"{number} keys: allowed are {len(WORDS) * others}")
        pairs = self.random.choice(len(WORDS) * others, number, replace=False)
        return [
            f"{WORDS[pair // others]}{joint}{WORDS[(pair // others + 1 + pair % others) % len(WORDS)]}"
            for pair in pairs.tolist()
        ]

    def numbers(self, number, digits):
        """Distinct numbers of so many digits."""
        low = 10 ** (digits - 1)
        return [str(low + drawn) for drawn in self.random.choice(9 * low, number, replace=False).tolist()]

    def words(self, number):
        return [WORDS[i] for i in self.random.choice(len(WORDS), number, replace=False).tolist()]

    def some(self, items, number):
        """So many of the items, in random order."""
        return [items[i] for i in self.random.permutation(len(items))[:number].tolist()]


def noise(draws, room):
    """(tokens [room], where a sentence may begin): sentences of a small pool in random order, the first one cut."""
    pool = []
    for _ in range(SENTENCES):
        a, b, c, d, e = draws.words(5)
        pool.append(draws.encode(f" The {a} {b} near the {c} is {d} and {e}."))
    shortest = min(map(len, pool))
    order = draws.random.integers(SENTENCES, size=room // shortest + 1).tolist()
    tokens = np.concatenate([pool[i] for i in order])
    starts = np.cumsum([0, *(len(pool[i]) for i in order)]) - (len(tokens) - room)
    return tokens[len(tokens) - room :], starts[starts >= 0]


def of_text(draws, haystack, room):
    """The same from given tokens: a stretch of them from a random place, to be opened anywhere."""
    first = int(draws.random.integers(len(haystack) - room + 1))
    return np.asarray(haystack[first : first + room], dtype=np.int32), np.arange(room + 1)


def room_in(length, *parts):
    """Tokens that are left beside the parts."""
    room = length - sum(map(len, parts))
    if room < 0:
        raise TooShort(f"{length} tokens: allowed are at least {length - room}")
    return room


def scattered(draws, length, facts, questions, haystack):
    """Tokens before the questions: the facts in their order, at random places of the noise or the haystack."""
    room = room_in(length, *facts, *(tokens for tokens, _ in questions))
    if haystack is None:
        hay, starts = noise(draws, room)
    elif len(haystack) < room:
        raise TooShort(f"a haystack of {len(haystack)} tokens: allowed are at least {room}")
    else:
        hay, starts = of_text(draws, haystack, room)
    places = np.sort(draws.random.choice(starts, len(facts))) if len(starts) else np.zeros(len(facts), int)
    pieces = []
    for before, place, fact in zip([0, *places[:-1]], places, facts, strict=True):
        pieces += [hay[before:place], fact]
    return [*pieces, hay[places[-1] :]]


def example(length, before, questions):
    """The pieces before and the questions, (tokens, is an answer) each, as one."""
    pieces = list(before)
    first = sum(map(len, pieces))
    answers = []
    for tokens, is_answer in questions:
        if is_answer:
            answers.append((first, first + len(tokens)))
        pieces.append(tokens)
        first += len(tokens)
    tokens = np.concatenate(pieces).astype(np.int32)
    assert len(tokens) == length, (len(tokens), length)
    return Example(tokens, answers)


def listed(draws, answers, separator):
    """The pieces of answers with a separator between them."""
    pieces = []
    for i, answer in enumerate(answers):
        if i:
            pieces.append((draws.encode(separator), False))
        pieces.append((draws.encode(answer), True))
    return pieces


def fact_of(draws, key, value):
    return draws.encode(f"\nThe special magic number for {key} is {value}.\n")


def numbers_of_keys(draws, length, queries, keys, haystack):
    """needle and multi_key: `keys` keys of one number each, `queries` of them asked."""
    pairs = list(zip(draws.keys(keys), draws.numbers(keys, 7), strict=True))
    questions = []
    for key, value in draws.some(pairs, queries):
        asked = f"\nWhat is the special magic number for {key}? The special magic number for {key} is "
        questions += [(draws.encode(asked), False), *listed(draws, [value], ""), (draws.encode(".\n"), False)]
    facts = [fact_of(draws, *pair) for pair in pairs]
    return example(length, scattered(draws, length, facts, questions, haystack), questions)


def multi_value(draws, length, queries, haystack):
    keys = draws.keys(queries + min(3, length // 512))
    values = draws.numbers(VALUES * len(keys), 7)
    pairs = draws.some([(keys[i // VALUES], value) for i, value in enumerate(values)], len(values))
    questions = []
    for key in draws.some(keys, queries):
        asked = f"\nWhat are all the special magic numbers for {key}? The special magic numbers for {key} are "
        mine = [value for other, value in pairs if other == key]
        questions += [(draws.encode(asked), False), *listed(draws, mine, ", "), (draws.encode(".\n"), False)]
    facts = [fact_of(draws, *pair) for pair in pairs]
    return example(length, scattered(draws, length, facts, questions, haystack), questions)


def variable_tracking(draws, length, queries, haystack):
    chains = queries + min(3, length // 512)
    names = np.array(draws.keys(CHAIN * chains, "_"), dtype=object).reshape(chains, CHAIN)
    starts = draws.numbers(chains, 5)
    # Each chain in its order, the chains shuffled into one another.
    turns = draws.random.permutation(np.repeat(np.arange(chains), CHAIN)).tolist()
    done, facts = [0] * chains, []
    for chain in turns:
        link = done[chain]
        value = f"VAR {names[chain, link - 1]}" if link else starts[chain]
        facts.append(draws.encode(f"\nVAR {names[chain, link]} = {value}\n"))
        done[chain] += 1
    questions = []
    for chain in draws.some(range(chains), queries):
        asked = (
            f"\nWhich variables are assigned the value {starts[chain]}? The variables of the value {starts[chain]} are"
        )
        mine = [f" {name}" for name in names[chain]]
        questions += [(draws.encode(asked), False), *listed(draws, mine, ","), (draws.encode(".\n"), False)]
    return example(length, scattered(draws, length, facts, questions, haystack), questions)


def common_word(draws, length, _queries, _haystack):
    words = draws.words(len(WORDS))
    encoded = {word: draws.encode(f" {word}") for word in words}
    intro = draws.encode("\nA list of words:")
    asked = draws.encode("\nWhat is the most common word in the list? The most common word in the list is")
    questions = [(asked, False), (encoded[words[0]], True), (draws.encode(".\n"), False)]
    room = room_in(length, intro, *(tokens for tokens, _ in questions))
    listed_words = int(room / np.mean([len(tokens) for tokens in encoded.values()]))
    if listed_words < FEWEST_LISTED:
        raise TooShort(f"a list of {listed_words} words: allowed are at least {FEWEST_LISTED}")
    common = max(3, int(listed_words * COMMON_SHARE))
    counted = [words[0]] * common + words[1 : 1 + RUNNERS_UP] * (common // 3)
    others = words[1 + RUNNERS_UP :]
    counted += (others * (listed_words // len(others) + 1))[: listed_words - len(counted)]
    # Words are of one to three tokens: rare ones are left out until the list fits, and blank lines fill what is left.
    room -= sum(len(encoded[word]) for word in counted)
    while room < 0:
        room += len(encoded[counted.pop()])
    pieces = [encoded[word] for word in draws.some(counted, len(counted))]
    return example(length, [*[draws.encode("\n")] * room, intro, *pieces], questions)


def key_value_recall(draws, length, queries, _haystack):
    intro = draws.encode("\nA table of numbers:\n")
    shortest = len(draws.encode('"a-b": 12345,\n'))
    keys = draws.keys(min(length // shortest + queries, 60_000))
    pairs = list(zip(keys, draws.numbers(len(keys), 5), strict=True))
    # Which rows are asked is settled before it is known how many fit, so that all that are asked stand in the table.
    questions = []
    for key, value in draws.some(pairs[:queries], queries):
        questions += [
            (draws.encode(f'\nWhat is the number of "{key}"? "{key}": '), False),
            (draws.encode(value), True),
            (draws.encode(".\n"), False),
        ]
    rows = []
    room = room_in(length, intro, *(tokens for tokens, _ in questions))
    for i, (key, value) in enumerate(pairs):
        row = draws.encode(f'"{key}": {value},\n')
        if len(row) > room:
            if i < queries:
                raise TooShort(f"{length} tokens: allowed are enough for {queries} rows and questions")
            break
        rows.append(row)
        room -= len(row)
    return example(length, [noise(draws, room)[0], intro, *draws.some(rows, len(rows))], questions)


def keys_beside(length):
    """Keys of multi_key: 16 from 1,024 tokens on, a quarter of the text where it is shorter."""
    return max(2, min(KEYS, length // 64))


def draw(task, length, seed, encode, *, haystack=None, queries=1) -> Example:
    """An example of exactly `length` tokens.

    encode(text) -> tokens; seed: a whole number from 0; haystack: tokens [many] that stand in for the noise of the
    tasks of IN_TEXT; queries: how many questions its end asks, one after the other (common_word: one), for training.
    Raises TooShort where `length` does not hold it.
    """
    if task not in TASKS:
        raise ValueError(f"task {task!r}: allowed are {', '.join(TASKS)}")
    draws = Draws(task, length, seed, encode)
    if task == "needle":
        return numbers_of_keys(draws, length, queries, queries, haystack)
    if task == "multi_key":
        return numbers_of_keys(draws, length, queries, max(queries, keys_beside(length)), haystack)
    return {
        "multi_value": multi_value,
        "variable_tracking": variable_tracking,
        "common_word": common_word,
        "key_value_recall": key_value_recall,
    }[task](draws, length, queries, haystack)
