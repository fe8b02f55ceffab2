"""On which tokens is a cell evaluated? Windows of validation text that do not overlap, and examples of the retrieval
tasks.

Window i and example i are the same for every ranker, sparsity and shard: results are paired by i. A few windows are
spread over the text as many are. Wrong if an answer lay before the positions that attend sparsely: such a task is
refused.
"""

import concurrent.futures
import functools

import numpy as np

from learned_attention.refusals import Refused

FIRST_SEED = 1_000_000_000  # of the evaluation's examples: beyond those of training


class Examples:
    """draw: as retrieval_tasks.draw; encode: text to token numbers; tokens: of the validation text; rows: sparse
    positions.
    """

    def __init__(self, tokens, draw, encode, seed, rows):
        self.tokens, self.draw, self.encode, self.seed, self.rows = tokens, draw, encode, seed, rows
        self.text = functools.lru_cache(maxsize=8)(self._text)
        self.task = functools.lru_cache(maxsize=64)(self._task)

    def places(self, length):
        """Windows of the validation text that do not overlap."""
        return len(self.tokens) // (length + 1)

    def _text(self, length, count):
        """[count, length + 1]: the last `rows` tokens are predicted."""
        places = self.places(length)
        if count > places:
            raise Refused(
                f"windows {count} of {length} tokens: allowed are up to {places} in {len(self.tokens)} tokens"
            )
        order = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, length]))).permutation(places)
        starts = order[:count] * (length + 1)
        return np.stack([np.asarray(self.tokens[s : s + length + 1], dtype=np.int64) for s in starts])

    def _task(self, name, length, count):
        """Examples whose answers all lie in the last `rows` positions."""
        seeds = [FIRST_SEED + 1_000_000 * self.seed + i for i in range(count)]
        with concurrent.futures.ThreadPoolExecutor() as pool:  # the tokenizer works without the interpreter's lock
            try:
                drawn = list(pool.map(lambda seed: self.draw(name, length, seed, self.encode), seeds))
            except ValueError as error:  # a length that does not hold the task
                raise Refused(f"task {name} of {length} tokens: {error}") from error
        for example, seed in zip(drawn, seeds, strict=True):
            if len(example.tokens) != length or not example.answers:
                found = f"{len(example.tokens)} tokens, {len(example.answers)} answers"
                raise Refused(f"task {name}, seed {seed}: {found}; allowed are {length} tokens and 1 answer or more")
            first = min(first for first, _ in example.answers)
            if first - 1 < length - self.rows:
                raise Refused(
                    f"task {name}, seed {seed}: an answer at {first} of {length}; allowed are the last {self.rows}"
                )
        return drawn
