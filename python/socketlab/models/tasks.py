"""What is asked of a model that must find something in a long text, and where do the right answers stand?

Tasks in the forms of RULER (Hsieh et al., 2024), each a prompt of exactly `length` tokens less the answer:
needle              one number for one key, in noise
multi_key           the number of one key among 16
multi_value         all four numbers of one key
multi_query         the numbers of four keys
variable_tracking   the five variables of one chain of assignments, beside other chains
common_words        the ten most common words of a list
frequent_words      the three most frequent coded words of a text
An example is a function of (task, length, seed) and the tokenizer; it needs nothing downloaded. If this were wrong, what
is marked as the answer would not be what the text says: python/tests/models/tasks_test.py solves each text by itself.
"""

import dataclasses

import numpy as np

from .words import WORDS

TASKS = (
    "needle", "multi_key", "multi_value", "multi_query", "variable_tracking", "common_words", "frequent_words",
)  # fmt: skip
KEYS, VALUES, CHAIN, COMMON, FREQUENT = 16, 4, 5, 10, 3
NOISE = " The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again."  # RULER's
MARGIN = 8  # tokens that an answer may run longer than the references


@dataclasses.dataclass(frozen=True)
class Example:
    tokens: np.ndarray  # int64 [length]: text, question, and the answer as a model should give it
    question: int  # where the question begins
    answer: int  # where the answer begins
    references: tuple[str, ...]

    def score(self, text):
        """Share of the references that stand in a model's answer, RULER's string_match_all."""
        return sum(reference.lower() in text.lower() for reference in self.references) / len(self.references)

    def columns(self):
        """Where the answer's tokens stand in the text of a needle."""
        digits = self.tokens[self.answer :].tolist()
        for cut in range(len(digits)):  # white space before a number may join it otherwise
            part = digits[cut:]
            for place in range(self.question - len(part), -1, -1):
                if self.tokens[place : place + len(part)].tolist() == part:
                    return list(range(place, place + len(part)))
        raise ValueError(
            "task needle: its answer does not stand in the text; allowed are tokenizers that split it alike"
        )


def draw(task, length, seed, encode):
    """An example of exactly `length` tokens; encode(text) -> tokens. ValueError where `length` does not hold it."""
    if task not in TASKS:
        raise ValueError(f"task {task}: allowed are {', '.join(TASKS)}")
    random = np.random.default_rng(np.random.SeedSequence([seed, TASKS.index(task), length]))
    if task in ("common_words", "frequent_words"):
        return _of_list(task, length, random, encode)
    facts, instruction, question, references = _facts(task, length, random)
    answer = encode(" " + ", ".join(references))
    head, question = encode(instruction), encode(question)
    facts = [encode(f" {fact}") for fact in facts]
    room = length - sum(map(len, [head, question, answer, *facts]))
    unit = encode(NOISE)
    if room < len(unit):
        raise ValueError(f"task {task} of {length} tokens: allowed are at least {length - room + len(unit)}")
    # Facts stand between sentences of noise; the last one is cut to the length.
    noise = unit * (room // len(unit)) + unit[: room % len(unit)]
    places = np.sort(random.integers(room // len(unit) + 1, size=len(facts))) * len(unit)
    pieces, before = [head], 0
    for place, fact in zip(places.tolist(), facts, strict=True):
        pieces += [noise[before:place], fact]
        before = place
    return _example([*pieces, noise[before:]], question, answer, references)


def _example(pieces, question, answer, references):
    start = sum(map(len, pieces))
    tokens = np.array([token for piece in [*pieces, question, answer] for token in piece], dtype=np.int64)
    return Example(tokens, start, start + len(question), tuple(references))


def _keys(random, number, joint="-"):
    """Distinct pairs of different words."""
    others = len(WORDS) - 1
    pairs = random.choice(len(WORDS) * others, number, replace=False).tolist()
    return [f"{WORDS[p // others]}{joint}{WORDS[(p // others + 1 + p % others) % len(WORDS)]}" for p in pairs]


def _numbers(random, number, digits=7):
    low = 10 ** (digits - 1)
    return [str(low + drawn) for drawn in random.choice(9 * low, number, replace=False).tolist()]


def _facts(task, length, random):
    """(facts, instruction, question, references) of the tasks whose facts are scattered in noise."""
    if task == "variable_tracking":
        return _chains(length, random)
    keys = _keys(random, KEYS if task == "multi_key" else VALUES if task == "multi_query" else 1)
    values = _numbers(random, VALUES if task == "multi_value" else len(keys))
    pairs = [(keys[i % len(keys)], value) for i, value in enumerate(values)]
    facts = [f"One of the special magic numbers for {key} is: {value}." for key, value in pairs]
    asked = keys if task == "multi_query" else keys[:1]
    references = [value for key in asked for other, value in pairs if other == key]
    facts = [facts[i] for i in random.permutation(len(facts))] if task != "multi_value" else facts
    many = len(references) > 1
    what = "Some special magic numbers are" if many or len(keys) > 1 else "A special magic number is"
    instruction = (
        f"{what} hidden within the following text. Make sure to memorize it. I will quiz you about it afterwards.\n"
    )
    named = ", ".join(asked[:-1]) + f", and {asked[-1]}" if len(asked) > 1 else asked[0]
    verb, noun = ("are all", "numbers") if many else ("is", "number")
    about = f"for {named} mentioned in the provided text"
    question = f"\nWhat {verb} the special magic {noun} {about}? The special magic {noun} {about} {verb.split()[0]}"
    return facts, instruction, question, references


def _chains(length, random):
    chains = 1 + min(3, length // 512)
    names = np.array(_keys(random, CHAIN * chains, "_"), dtype=object).reshape(chains, CHAIN)
    names = [[name.upper() for name in chain] for chain in names]
    starts = _numbers(random, chains, 5)
    done, facts = [0] * chains, []
    for chain in random.permutation(np.repeat(np.arange(chains), CHAIN)).tolist():
        link = done[chain]
        facts.append(f"VAR {names[chain][link]} = {f'VAR {names[chain][link - 1]}' if link else starts[chain]}.")
        done[chain] += 1
    instruction = "Memorize and track the chain(s) of variable assignment hidden in the following text.\n"
    question = (
        f"\nQuestion: Find all variables that are assigned the value {starts[0]} in the text above. Answer: According to "
        f"the chain(s) of variable assignment in the text above, {CHAIN} variables are assigned the value {starts[0]}, "
        "they are:"
    )
    return facts, instruction, question, names[0]


def _of_list(task, length, random, encode):
    """common_words: ten words, ten times as frequent as the others. frequent_words: coded words of a Zipf law."""
    if task == "common_words":
        words = [WORDS[i] for i in random.permutation(len(WORDS))]
        share = np.array([10.0] * COMMON + [1.0] * (len(words) - COMMON))
        number, instruction = COMMON, "Below is a list of words. Memorize the ones that appear most often.\n"
        question = f"\nQuestion: What are the {COMMON} most common words in the above list? Answer: The top {COMMON} words that appear most often in the list are:"
    else:
        words = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), 6)) for _ in range(60)]
        share = np.arange(1.0, 61.0) ** -2.0
        number, instruction = FREQUENT, "Read the following coded text and track the frequency of each coded word.\n"
        question = f"\nQuestion: What are the {FREQUENT} most frequently appeared words in the above coded text? Answer: According to the coded text above, the {FREQUENT} most frequently appeared words are:"
    references = words[:number]
    encoded = [encode(f" {word}") for word in words]
    head, question, answer = encode(instruction), encode(question), encode(" " + ", ".join(references))
    room = length - len(head) - len(question) - len(answer)
    mean = float(share / share.sum() @ [len(tokens) for tokens in encoded])
    counts = np.floor(share / share.sum() * room / mean).astype(int)
    if counts[number - 1] <= counts[number] + 1:
        raise ValueError(f"task {task} of {length} tokens: allowed are enough for each answer to stand out")
    listed = np.repeat(np.arange(len(words)), counts).tolist()
    room -= sum(len(encoded[i]) for i in listed)
    # Once more each of the words that are not asked for, as far as there is room; blank lines make up the length.
    for i in range(number + 1, len(words)):
        if len(encoded[i]) <= room:
            listed.append(i)
            room -= len(encoded[i])
    body = [token for i in random.permutation(listed).tolist() for token in encoded[i]]
    return _example([head, (encode("\n") * room)[:room], body], question, answer, references)
