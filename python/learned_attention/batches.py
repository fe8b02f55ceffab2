"""Which tokens does process `rank` of `world` see at a step? A function of seed, step, stage and rank: no state, no
order of drawing, so that worker processes may make them ahead, and the same seed and steps give the same batches.

A batch mixes rows of text with rows of retrieval examples. Text rows are windows of the corpus without overlap, each
once in an epoch, in an order of that epoch; processes share them out. A retrieval row is one example of the full window
or several short ones with as many questions as fit, which are where retrieval is learned first. Some examples are
random tokens said twice, the densest lesson in looking back. A target counts as text, as answer, as copy, or not at all
(what surrounds the answers cannot be foretold).
If this were wrong: two processes would learn the same rows, or a step could not be repeated
(tests/learned_attention/batches_test.py).
"""

import dataclasses
import functools
import multiprocessing.connection
import os
import threading
from pathlib import Path

import numpy as np

from learned_attention import corpus, retrieval_tasks
from learned_attention import tokenizer as bpe

IGNORED, TEXT, ANSWER, COPY = 0, 1, 2, 3
# What is drawn from a seed, each with a stream of its own.
TEXT_ORDER, RETRIEVAL, VALIDATION = 1, 2, 3
# Of the examples of retrieval rows; COPYING is for training alone.
COPYING = "copying"
SHARES = {
    "needle": 0.10, "multi_key": 0.25, "multi_value": 0.10, "variable_tracking": 0.15, "common_word": 0.05,
    "key_value_recall": 0.20, COPYING: 0.15,
}  # fmt: skip
# What a question and what it asks for take together, rounded up; common_word has one question.
TOKENS_PER_QUESTION = {
    "needle": 64, "multi_key": 64, "multi_value": 200, "variable_tracking": 150, "key_value_recall": 36,
}  # fmt: skip
MOST_QUESTIONS = 96
SHORTEST_EXAMPLE = 64
# Of the retrieval rows one example of the full window; of the examples in a haystack of text instead of noise.
FULL_SHARE, IN_TEXT_SHARE = 0.5, 0.5
TRIES = 4


@dataclasses.dataclass(frozen=True)
class Request:
    """One process's part of one step."""

    seed: int
    step: int
    rank: int
    world: int
    rows: int  # of one process
    window: int
    retrieval: float


@dataclasses.dataclass(frozen=True)
class Batch:
    tokens: np.ndarray  # int32 [rows, window + 1]
    kinds: np.ndarray  # uint8 [rows, window], of the targets tokens[:, 1:]


def stream(*address):
    """A generator that belongs to the address alone."""
    return np.random.default_rng(np.random.SeedSequence(address))


def retrieval_before(row, share):
    """Retrieval rows among the first `row` of a step: spread evenly, as many as the share says, rounded down."""
    return int(row * share + 1e-9)


@functools.lru_cache(maxsize=4)
def epoch_order(seed, window, epoch, size):
    """First tokens of the windows of an epoch, in its order; each epoch shifts them within what they leave over."""
    windows = (size - 1) // window
    random = stream(seed, TEXT_ORDER, window, epoch)
    return random.integers(size - windows * window) + random.permutation(windows) * window


def text_window(seed, number, window, size):
    """First token of the text row `number` of a training."""
    epoch, place = divmod(number, (size - 1) // window)
    return int(epoch_order(seed, window, epoch, size)[place])


class Maker:
    """Makes batches from a prepared folder."""

    def __init__(self, folder):
        tokenizer = bpe.read(Path(folder) / "tokenizer.json")
        self.encode, self.vocabulary = bpe.encoder(tokenizer), tokenizer.get_vocab_size()
        self.text = corpus.train_tokens(folder)

    def batch(self, request):
        tokens = np.full((request.rows, request.window + 1), bpe.END_OF_FILE_TOKEN, dtype=np.int32)
        kinds = np.full((request.rows, request.window), IGNORED, dtype=np.uint8)
        of_step = request.rows * request.world
        text_of_step = of_step - retrieval_before(of_step, request.retrieval)
        for row in range(request.rows):
            place = request.rank * request.rows + row
            before = retrieval_before(place, request.retrieval)
            if retrieval_before(place + 1, request.retrieval) > before:
                self.fill_retrieval(tokens[row], kinds[row], stream(request.seed, RETRIEVAL, request.step, place))
            else:
                number = request.step * text_of_step + place - before
                first = text_window(request.seed, number, request.window, len(self.text))
                tokens[row] = self.text[first : first + request.window + 1]
                kinds[row] = TEXT
        return Batch(tokens, kinds)

    def fill_retrieval(self, tokens, kinds, random):
        """Examples one behind the other; what no example fits into stays empty."""
        size, filled = len(tokens), 0
        full = random.random() < FULL_SHARE
        while size - filled >= SHORTEST_EXAMPLE:
            left = size - filled
            length = left if full else int(np.exp(random.uniform(np.log(SHORTEST_EXAMPLE), np.log(left + 1))))
            drawn = self.drawn(min(length, left), random)
            if drawn is None:
                # Too short for what was drawn: the rest is tried once as a whole.
                if full:
                    return
                full = True
                continue
            mine, spans, kind = drawn
            tokens[filled : filled + len(mine)] = mine
            for first, end in spans:
                # The target of position i is token i + 1; a row's first token is no target.
                kinds[filled + first - 1 : filled + end - 1] = kind
            filled += len(mine)

    def drawn(self, length, random):
        """(tokens, spans of targets, their kind) of an example that fits, or None after some tries."""
        for attempt in range(TRIES):
            task = str(random.choice(list(SHARES), p=list(SHARES.values())))
            if task == COPYING:
                return self.copied(length, random)
            most = 1 if task == "common_word" else length // TOKENS_PER_QUESTION[task]
            # Another tokenizer may need more tokens to a question: what did not fit is tried with fewer.
            most = int(np.clip(most, 1, MOST_QUESTIONS)) >> attempt or 1
            queries = int(random.integers((most + 1) // 2, most + 1))
            in_text = task in retrieval_tasks.IN_TEXT and random.random() < IN_TEXT_SHARE
            haystack = self.text if in_text else None
            seed = int(random.integers(2**62))
            try:
                drawn = retrieval_tasks.draw(task, length, seed, self.encode, haystack=haystack, queries=queries)
            except retrieval_tasks.TooShort:
                continue
            return drawn.tokens, drawn.answers, ANSWER
        return None

    def copied(self, length, random):
        """Random tokens, twice; the first of the second time cannot be foretold."""
        half = length // 2
        once = random.integers(bpe.END_OF_FILE_TOKEN + 1, self.vocabulary, half)
        return np.concatenate([once, once]).astype(np.int32), [(half + 1, 2 * half)], COPY


def validation_seed(task, length, number):
    """Seed of the validation example `number`: the same for every training."""
    address = [VALIDATION, retrieval_tasks.TASKS.index(task), length, number]
    return int(np.random.SeedSequence(address).generate_state(1, np.uint64)[0] >> 2)


_maker = None


def start_making(folder):
    """In a worker process: opens the folder, and ends with the process that started it, however that ends."""
    global _maker
    _maker = Maker(folder)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=(parent.sentinel,), daemon=True).start()


def end_with(sentinel):
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def make(request):
    """In a worker process: the batch of a request."""
    return _maker.batch(request)


def pool(workers, folder):
    """Worker processes that run `make`."""
    return corpus.pool(workers, start_making, folder)
