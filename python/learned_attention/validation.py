"""How good is the model on what it has not seen? Nats a token on fixed windows of the validation files, and for each
retrieval task the share of answers that it gives, on examples that are the same for every training.

An answer is right if the likeliest token at each position before it is the next of the answer (teacher-forced).
Processes share the windows and examples out; every one returns the same numbers.
"""

import numpy as np
import torch
import torch.distributed as dist

from learned_attention import batches, retrieval_tasks

# Tokens of one forward pass without gradients.
TOKENS_AT_ONCE = 65_536


def windows_of(tokens, window, number):
    """int64 [up to number, window + 1] of tokens, spread evenly, without overlap."""
    number = min(number, (len(tokens) - 1) // window)
    if not number:
        return np.empty((0, window + 1), np.int64)
    firsts = np.linspace(0, len(tokens) - 1 - window, number).astype(int)
    return np.stack([tokens[first : first + window + 1].astype(np.int64) for first in firsts])


class Validator:
    """Validates on one of `world` processes; `group` sums numbers on the CPU and is None for one process."""

    def __init__(self, encode, tokens, device, rank=0, world=1, group=None, precision=None):
        self.encode, self.tokens, self.device, self.precision = encode, tokens, device, precision
        self.rank, self.world, self.group = rank, world, group

    def summed(self, numbers):
        total = torch.tensor(numbers, dtype=torch.float64)
        if self.world > 1:
            dist.all_reduce(total, group=self.group)
        return total.tolist()

    def run(self, function, *given, **more):
        with torch.no_grad(), torch.autocast(self.device.type, self.precision, enabled=self.precision is not None):
            return function(*given, **more)

    def text_loss(self, model, window, number):
        """(nats a token, windows) of up to `number` windows; None where the validation text is shorter than one."""
        mine = windows_of(self.tokens, window, number)[self.rank :: self.world]
        total, at_once = 0.0, max(1, TOKENS_AT_ONCE // window)
        for first in range(0, len(mine), at_once):
            rows = torch.from_numpy(mine[first : first + at_once]).to(self.device)
            total += self.run(model.losses, rows[:, :-1], rows[:, 1:]).double().sum().item()
        total, windows = self.summed([total, len(mine)])
        return (total / (windows * window), int(windows)) if windows else None

    def accuracy(self, model, task, length, number, in_text=False):
        """Mean share of right answers over `number` examples; None where the length does not hold the task."""
        try:
            examples = [self.example(task, length, i, in_text) for i in range(self.rank, number, self.world)]
        except retrieval_tasks.TooShort:
            examples = []
        right, at_once = 0.0, max(1, TOKENS_AT_ONCE // length)
        for first in range(0, len(examples), at_once):
            right += sum(self.run(right_shares, model, examples[first : first + at_once], self.device))
        right, count = self.summed([right, len(examples)])
        return right / count if count else None

    def example(self, task, length, number, in_text):
        haystack = self.tokens if in_text else None
        seed = batches.validation_seed(task, length, number)
        return retrieval_tasks.draw(task, length, seed, self.encode, haystack=haystack)


def right_shares(model, examples, device):
    """Of each example of one length the share of answers that the model gives."""
    rows = torch.from_numpy(np.stack([example.tokens for example in examples]).astype(np.int64)).to(device)
    length = rows.shape[1]
    # The prediction of token i stands at i - 1.
    earliest = min(first for example in examples for first, _ in example.answers) - 1
    guesses = model(rows[:, :-1], last=length - 1 - earliest).argmax(-1)
    hits = (guesses == rows[:, earliest + 1 :]).cpu().numpy()
    return [
        np.mean([hits[i, first - 1 - earliest : end - 1 - earliest].all() for first, end in example.answers])
        for i, example in enumerate(examples)
    ]


def during(validator, model, window, windows, examples):
    """Rows (quantity, length, value) for a look at a training: text and each task at the window of its stage."""
    found = [("text_loss", window, (validator.text_loss(model, window, windows) or [None])[0])]
    found += [(task, window, validator.accuracy(model, task, window, examples)) for task in retrieval_tasks.TASKS]
    return [row for row in found if row[2] is not None]


def final(validator, model, longest, tokens, examples):
    """{"text", "accuracy", "accuracy_in_text"} by length, on about `tokens` tokens of text and `examples` draws."""
    record = {"examples": examples, "text": {}, "accuracy": {}, "accuracy_in_text": {}}
    for window in [window for window in (1024, 4096) if window <= longest] or [longest]:
        loss = validator.text_loss(model, window, max(1, tokens // window))
        if loss is not None:
            record["text"][window] = {"nats_per_token": loss[0], "windows": loss[1]}
    for length in [length for length in (4096, 16384, 32768) if length <= longest] or [longest]:
        for kind, in_text in (("accuracy", False), ("accuracy_in_text", True)):
            tasks = retrieval_tasks.IN_TEXT[:2] if in_text else retrieval_tasks.TASKS
            record[kind][length] = {
                task: validator.accuracy(model, task, length, examples, in_text=in_text) for task in tasks
            }
    return record
