"""What happens at each step of a training, in every process? Batches come from worker processes some steps ahead; the
share of the time that is used, which process 0 measures and tells, decides stage, learning rate and end, so that all
stop together.
"""

import collections
import concurrent.futures
import contextlib
import csv
import math
import time

import torch
import torch.distributed as dist

from learned_attention import batches, model, schedule, validation
from learned_attention.refusals import Refused

# Steps whose batches are in the making: their stage is settled that much earlier.
AHEAD = 6
# Steps that the host may be ahead of the GPU, so that the clock is that of the work done.
QUEUED = 2
# Weight of a kind of target: of the mean over the targets of that kind in a batch.
LOSS_WEIGHTS = {batches.TEXT: 1.0, batches.ANSWER: 1.0, batches.COPY: 0.25}
LOSS_NAMES = {batches.TEXT: "text_loss", batches.ANSWER: "answer_loss", batches.COPY: "copy_loss"}
TRAINING_COLUMNS = ["step", "seconds", "tokens", "window", "learning_rate", *LOSS_NAMES.values(), "gradient_norm"]
VALIDATION_COLUMNS = ["step", "seconds", "quantity", "length", "value"]
# Of text, in a validation between steps.
VALIDATION_TOKENS = 262_144
# Looks at the loss in a row that find no finite number, after which a training is given up.
MOST_NOT_FINITE = 3


class Table:
    """A CSV file of process 0 that is whole after every row."""

    def __init__(self, path, columns, wanted):
        self.path = path if wanted else None
        self.add(columns, "w")

    def add(self, row, mode="a"):
        if self.path is not None:
            with self.path.open(mode, newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(row)


class Clock:
    """The share of the training that is used, the same in every process."""

    def __init__(self, options, processes):
        self.options, self.processes, self.begun = options, processes, time.monotonic()

    def seconds(self):
        return time.monotonic() - self.begun

    def share(self, step):
        """(share, at which the batches of AHEAD steps later are settled) before step `step`."""
        if self.options.steps is not None:
            return step / self.options.steps, (step + AHEAD) / self.options.steps
        now = self.seconds() / self.options.seconds
        if self.processes.world > 1:
            told = torch.tensor([now], dtype=torch.float64)
            dist.broadcast(told, 0, group=self.processes.control)
            now = told.item()
        return now, now


class Feed:
    """The batches of one process, made ahead by its worker processes."""

    def __init__(self, options, stages, processes, folder):
        self.options, self.stages, self.processes = options, stages, processes
        self.workers = batches.pool(options.workers, folder)
        self.waiting = collections.deque()

    def ask(self, step, share):
        stage = self.stages[schedule.stage_at(self.stages, share)]
        request = batches.Request(
            self.options.seed, step, self.processes.rank, self.processes.world,
            schedule.rows_of(stage, self.options.tokens), stage.window, stage.retrieval,
        )  # fmt: skip
        self.waiting.append(self.workers.submit(batches.make, request))

    def next(self):
        try:
            return self.waiting.popleft().result()
        except concurrent.futures.process.BrokenProcessPool as error:
            raise Refused(
                "a worker process ended while it made batches; allowed are fewer --workers or more memory"
            ) from error

    def close(self):
        self.workers.shutdown(wait=False, cancel_futures=True)


def autocast(device):
    """bf16 on a GPU; float32 on the CPU, where tests compare numbers."""
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else contextlib.nullcontext()


def loss_of(network, batch, device):
    """(weighted loss, sum of nats of each kind, targets of each kind) of a batch."""
    tokens = torch.from_numpy(batch.tokens).to(device, non_blocking=True).long()
    kinds = torch.from_numpy(batch.kinds).to(device, non_blocking=True)
    counts = {kind: int((batch.kinds == kind).sum()) for kind in LOSS_WEIGHTS}
    with autocast(device):
        losses = network.losses(tokens[:, :-1], tokens[:, 1:], compiled=True)
    sums = torch.stack([losses.masked_fill(kinds != kind, 0).sum() for kind in LOSS_WEIGHTS])
    weights = [weight / max(1, counts[kind]) for kind, weight in LOSS_WEIGHTS.items()]
    return (sums * torch.tensor(weights, device=device)).sum(), sums.detach(), list(counts.values())


def warm_up(network, stages, options, device):
    """A forward and backward pass of every stage: nothing is compiled or found too large once the clock runs."""
    for stage in sorted(set(stages), key=lambda stage: stage.window):
        rows = schedule.rows_of(stage, options.tokens)
        tokens = torch.zeros(rows, stage.window, dtype=torch.long, device=device)
        try:
            with autocast(device):
                network.losses(tokens, tokens, compiled=True).mean().backward()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
        except torch.OutOfMemoryError as error:
            raise Refused(
                f"--tokens {options.tokens}: too many for the memory of {torch.cuda.get_device_name(device)} "
                f"at windows of {stage.window}; allowed are fewer"
            ) from error


def warmed_up(network, stages, options, device, say):
    """Whether the parts are compiled; where the compiler fails, they run as they are written."""
    if options.compile:
        network.compile_parts()
    try:
        warm_up(network, stages, options, device)
        return options.compile
    except Refused:
        raise
    except Exception as error:  # the compiler raises whatever it met
        if not options.compile:
            raise
        say(f"torch.compile failed, training goes on without it: {' '.join(str(error).split())[:300]}")
    network.interpret_parts()
    warm_up(network, stages, options, device)
    return False


class Training:
    """The loop over the steps, and what it writes."""

    def __init__(self, options, stages, processes, network, optimizer, feed, validator, say):
        self.options, self.stages, self.processes = options, stages, processes
        self.network, self.optimizer, self.feed = network, optimizer, feed
        self.validator, self.say = validator, say
        folder, first = options.folder, processes.rank == 0
        self.losses = Table(folder / "training.csv", TRAINING_COLUMNS, first)
        self.validations = Table(folder / "validation.csv", VALIDATION_COLUMNS, first)
        self.tokens, self.not_finite, self.queued = 0, 0, collections.deque()

    def run(self):
        """Trains; (steps, seconds, tokens of all processes)."""
        options, clock = self.options, Clock(self.options, self.processes)
        for step in range(min(AHEAD, options.steps or AHEAD)):
            self.feed.ask(step, step / options.steps if options.steps else 0.0)
        step, looked, saved = 0, 0.0, 0.0
        gathered, counts = torch.zeros(len(LOSS_WEIGHTS), device=self.processes.device), [0] * len(LOSS_WEIGHTS)
        while True:
            share, later = clock.share(step)
            if share >= 1:
                return step, clock.seconds(), self.tokens
            if options.steps is None or step + AHEAD < options.steps:
                self.feed.ask(step + AHEAD, later)
            batch = self.feed.next()
            loss, sums, found = loss_of(self.network, batch, self.processes.device)
            loss.backward()
            norm = self.optimizer.step(schedule.rate_at(share))
            gathered += sums
            counts = [old + new for old, new in zip(counts, found, strict=True)]
            self.tokens += batch.kinds.size * self.processes.world
            window, step = batch.kinds.shape[1], step + 1
            self.wait()
            if step % options.log_every == 0 or step == options.steps:
                self.log(step, clock.seconds(), window, schedule.rate_at(share), gathered, counts, norm)
                gathered.zero_()
                counts = [0] * len(LOSS_WEIGHTS)
            # The share is the same in every process, the seconds are not.
            used = share * (options.seconds if options.steps is None else options.steps)
            if used - looked >= options.validate_every:
                looked = used
                self.validate(step, clock, window)
            if used - saved >= options.save_every:
                saved = used
                self.save(step, clock.seconds())

    def wait(self):
        if self.processes.device.type == "cuda":
            done = torch.cuda.Event()
            done.record()
            self.queued.append(done)
            if len(self.queued) > QUEUED:
                self.queued.popleft().synchronize()

    def log(self, step, seconds, window, rate, gathered, counts, norm):
        means = [total / count if count else "" for total, count in zip(gathered.tolist(), counts, strict=True)]
        self.losses.add(
            [step, f"{seconds:.2f}", self.tokens, window, rate * self.options.learning_rate, *means, norm.item()]
        )
        finite = all(math.isfinite(mean) for mean in means if mean != "")
        self.not_finite = 0 if finite else self.not_finite + 1
        if self.not_finite >= MOST_NOT_FINITE:
            raise Refused(
                f"the loss is not finite up to step {step}; "
                f"allowed is a --learning-rate below {self.options.learning_rate}"
            )
        shown = ", ".join(
            f"{name} {mean:.3f}" for name, mean in zip(LOSS_NAMES.values(), means, strict=True) if mean != ""
        )
        self.say(f"step {step}, {seconds:.0f} s, {self.tokens / 1e6:.1f} M tokens, window {window}: {shown}")

    def validate(self, step, clock, window):
        tokens = min(VALIDATION_TOKENS, self.options.final_tokens)
        rows = validation.during(self.validator, self.network, window, max(1, tokens // window), self.options.examples)
        for quantity, length, value in rows:
            self.validations.add([step, f"{clock.seconds():.2f}", quantity, length, value])
        self.say(f"step {step}, validation at {window}: " + ", ".join(f"{name} {value:.3f}" for name, _, value in rows))

    def save(self, step, seconds):
        if self.processes.rank == 0:
            metadata = {"seed": self.options.seed, "step": step, "seconds": round(seconds, 1)}
            model.save(self.network, self.options.folder / "model.safetensors", metadata)
