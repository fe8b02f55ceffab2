"""What do loss and task accuracy become when the last positions of a window attend sparsely, for every ranker?

Every query row of every layer and head selects its own keys among those before it: sink, window, and the N/s of
highest score. Positions before the last `rows` are dense. Numbers of each window are appended to
evaluation-I-of-N.csv, a whole cell at a time; cells that stand in a file of the folder are not run again. Run with
PYTHONPATH=python, one process to a GPU:

    python -m learned_attention.evaluate --model trained --out evaluated --shard 0/2 --device cuda:0 --seconds 600

Wrong if a budget of all keys gave another loss than dense, or a token changed what stands before it
(tests/learned_attention/evaluate_test.py).
"""

import collections
import contextlib
import dataclasses
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from learned_attention import head_probe, plan, results
from learned_attention.examples import Examples
from learned_attention.ranking import selection
from learned_attention.ranking.problem import Settings
from learned_attention.ranking.sparse_attention import Prefix, SparseAttention
from learned_attention.refusals import Parser, Refused, real, run, whole, write_whole

PROGRAM = "learned_attention.evaluate"


class Prefixes:
    """The dense positions before the sparse rows, of as many batches as fit: the latest ones used."""

    def __init__(self, most_bytes):
        self.most_bytes, self.bytes, self._kept = most_bytes, 0, collections.OrderedDict()

    def of(self, name, make):
        """That of a batch by name; make() where it is not kept."""
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        made = self._kept[name] = make()
        self.bytes += made.bytes
        while self.bytes > self.most_bytes:
            self.bytes -= self._kept.popitem(last=False)[1].bytes
        return made


@dataclasses.dataclass(frozen=True)
class Evaluator:
    model: torch.nn.Module
    examples: Examples
    settings: Settings
    device: str = "cpu"
    rows: int = 256
    sink: int = 4
    window: int = 64
    batch_tokens: int = 32768
    prefixes: Prefixes = dataclasses.field(default_factory=lambda: Prefixes(0))

    def hook(self, cell, draws, prefix):
        budget = cell.length if cell.sparsity == 0 else max(1, cell.length // cell.sparsity)
        rule = selection.Rule(budget, self.sink, self.window, cell.sinks)
        only = tuple(int(part) for part in cell.only.split(".")) if cell.only else None
        aim = max(1.0, float(cell.sparsity))
        return SparseAttention(cell.ranker, rule, self.rows, draws, self.settings, aim, only, prefix)

    def batches(self, cell):
        """Numbers of the examples that run together; the memory for scores is the same at every length."""
        size = max(1, self.batch_tokens // cell.length)
        return [range(i, min(i + size, cell.examples)) for i in range(0, cell.examples, size)]

    def logits(self, tokens, hook, first=0, last=None):
        """float32 [batch, last or length, vocabulary] of tokens [batch, length] at positions from `first`."""
        on_gpu = self.device.startswith("cuda")
        autocast = torch.autocast("cuda", torch.bfloat16) if on_gpu else contextlib.nullcontext()
        tokens = torch.from_numpy(np.ascontiguousarray(tokens, dtype=np.int64)).to(self.device)
        with torch.inference_mode(), autocast:
            return self.model(tokens, attention=hook, last=last, first=first).float()

    def sparse_logits(self, cell, numbers, tokens):
        """Logits of the sparse rows, and the hook that knows what they selected."""
        first = max(1, cell.length - self.rows)

        def prefix():
            made = Prefix()
            self.logits(tokens[:, :first], made, last=1)
            return made

        before = self.prefixes.of((cell.kind, cell.length, numbers), prefix)
        hook = self.hook(cell, list(numbers), before)
        return self.logits(tokens[:, first:], hook, first=first), hook

    def text(self, cell, numbers):
        tokens = self.examples.text(cell.length, cell.examples)[list(numbers)]
        logits, hook = self.sparse_logits(cell, numbers, tokens[:, :-1])
        targets = torch.from_numpy(tokens[:, -logits.shape[1] :]).to(self.device)
        loss = functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none").mean(dim=1)
        return [{"loss": value, "answers": 0, "right": 0} for value in loss.tolist()], hook

    def task(self, cell, numbers):
        drawn = self.examples.task(cell.kind, cell.length, cell.examples)
        chosen = [drawn[i] for i in numbers]
        logits, hook = self.sparse_logits(cell, numbers, np.stack([example.tokens for example in chosen]))
        before = cell.length - logits.shape[1]
        found, losses = logits.argmax(dim=-1).cpu().numpy(), -functional.log_softmax(logits, dim=-1)
        rows = []
        for i, example in enumerate(chosen):
            places = [np.arange(first, end) for first, end in example.answers]
            right = sum(bool((found[i, at - 1 - before] == example.tokens[at]).all()) for at in places)
            at = np.concatenate(places)
            target = np.asarray(example.tokens)[at].astype(np.int64)
            row, token = (torch.from_numpy(index).to(losses.device) for index in (at - 1 - before, target))
            nats = losses[i, row, token].mean().item()
            rows.append({"loss": nats, "answers": len(places), "right": right})
        return rows, hook

    def cell(self, cell, deadline):
        """A row for each example, or None where the deadline passed between two batches."""
        rows = []
        for numbers in self.batches(cell):
            if time.monotonic() > deadline:
                return None
            measured, hook = (self.text if cell.kind == plan.TEXT else self.task)(cell, numbers)
            kept = zip(numbers, measured, hook.selected.tolist(), hook.mass.tolist(), strict=True)
            rows += [{"example": i, **row, "selected": keys, "mass": share} for i, row, keys, share in kept]
        return rows

    def heads(self, cell):
        """Rows of heads and of statistics of one window, attending densely."""
        number = int(cell.only.split()[1])
        tokens = self.examples.text(cell.length, number + 1)[number : number + 1, :-1]
        probe = head_probe.HeadProbe(self, tokens, [number])
        self.logits(tokens, probe, last=1)
        return probe.metrics, probe.statistics


def run_cell(evaluator, cell, folder, shard, deadline):
    """Whether the cell was done before the deadline; its rows are written."""
    if cell.kind == plan.HEADS:
        metrics, statistics = evaluator.heads(cell)
        place = {"length": cell.length, "window": int(cell.only.split()[1])}
        results.append(folder, "statistics", shard, [{**place, **row} for row in statistics])
        results.append(folder, "heads", shard, [{**place, **row} for row in metrics])
        return True
    rows = evaluator.cell(cell, deadline)
    if rows is not None:
        names = dict(zip(results.CELL, cell.key, strict=True))
        results.append(folder, "evaluation", shard, [{**names, **row} for row in rows])
    return rows is not None


def evaluated(evaluator, cells, folder, shard, seconds):
    """Runs what is not done; (the cells that are left, those that failed). One that fails does not end the others."""
    deadline = time.monotonic() + seconds
    done = results.done(folder, cells)
    left, failed = [cell for cell in cells if cell.key not in done], []
    print(f"{len(cells)} cells, {len(cells) - len(left)} of them done before", flush=True)
    while left and time.monotonic() < deadline:
        begun, cell = time.monotonic(), left[0]
        try:
            if not run_cell(evaluator, cell, folder, shard, deadline):
                break
            print(f"{cell}: {time.monotonic() - begun:.1f} s", flush=True)
        except (Refused, RuntimeError) as error:  # what PyTorch reports, memory that is short among it
            failed.append(cell)
            print(f"{cell}: failed, {' '.join(str(error).split())}", flush=True)
            if evaluator.device.startswith("cuda"):
                torch.cuda.empty_cache()
        left = left[1:]
    return left, failed


def fitting(sizes, examples):
    """The sizes, with no more windows than the validation text has; says so where it has fewer."""
    short, *long = sizes.lengths
    most = examples.places(short)
    most_long = min((examples.places(length) for length in long), default=sizes.long_windows)
    if min(most, most_long) < 1:
        raise Refused(f"lengths {sizes.lengths}: allowed are up to {len(examples.tokens) - 1}, the validation text")
    fewer = {"windows": min(sizes.windows, most), "long_windows": min(sizes.long_windows, most_long)}
    fewer["head_windows"] = min(sizes.head_windows, most, most_long)
    for name, count in fewer.items():
        if count < getattr(sizes, name):
            print(f"{name}: {count}, as many as the validation text has", flush=True)
    return dataclasses.replace(sizes, **fewer)


def names_of(text):
    return tuple(int(part) for part in text.split(","))


def shard_of(text):
    number, of = (int(part) for part in text.split("/"))
    if not 0 <= number < of:
        raise ValueError
    return number, of


def parser():
    p = Parser(prog=PROGRAM, description=__doc__.split("\n\n")[0])
    p.add_argument(
        "--model", required=True, help="folder that train wrote: model.safetensors, tokenizer.json, validation.bin"
    )
    p.add_argument("--out", required=True, help="folder for the tables; made where it is missing")
    p.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu", help="cpu, or a GPU as cuda:0")
    p.add_argument("--shard", type=shard_of, default=(0, 1), help="I/N: cells I, I + N, .. of the plan, I from 0 [0/1]")
    p.add_argument("--seconds", type=real(0, 1e6), default=600, help="after which no cell is begun [600]")
    p.add_argument("--seed", type=whole(0, 10**6), default=1, help="of windows, examples and rankers [1]")
    p.add_argument("--lengths", type=names_of, default=plan.Sizes.lengths, help="tokens, by commas [4096,16384,32768]")
    p.add_argument("--windows", type=whole(1, 10**5), default=plan.Sizes.windows, help="of text, first length [96]")
    p.add_argument("--long-windows", type=whole(1, 10**5), default=plan.Sizes.long_windows, help="other lengths [32]")
    p.add_argument(
        "--examples", type=whole(1, 10**5), default=plan.Sizes.examples, help="of each task, first length [64]"
    )
    p.add_argument("--long-examples", type=whole(1, 10**5), default=plan.Sizes.long_examples, help="other lengths [32]")
    p.add_argument("--head-windows", type=whole(0, 1000), default=plan.Sizes.head_windows, help="probed by head [4]")
    p.add_argument("--ablation-windows", type=whole(1, 1000), default=plan.Sizes.ablation_windows, help="a head [16]")
    p.add_argument("--rows", type=whole(1, 4096), default=256, help="last positions, which attend sparsely [256]")
    p.add_argument("--sink", type=whole(0, 4096), default=4, help="first keys, always selected [4]")
    p.add_argument("--window", type=whole(1, 4096), default=64, help="last keys, always selected [64]")
    p.add_argument("--batch-tokens", type=whole(1, 10**7), default=32768, help="tokens that run together [32768]")
    p.add_argument(
        "--prefix-gigabytes", type=real(0, 1e4), help="of dense positions kept [0.4 of a GPU's memory, else 1]"
    )
    p.add_argument(
        "--first-table", action="store_true", help="text at the first length and sparsity alone, all rankers"
    )
    p.add_argument("--list", action="store_true", help="prints the cells of the shard in order, and runs none")
    return p


def prefix_bytes(given):
    if given.prefix_gigabytes is not None:
        return 1e9 * given.prefix_gigabytes
    return 0.4 * torch.cuda.mem_get_info(given.device)[1] if given.device.startswith("cuda") else 1e9


def evaluator_of(given, model=None):
    """What the command line asks for, and the tasks that it knows."""
    from learned_attention import corpus, retrieval_tasks, tokenizer
    from learned_attention import model as models

    folder = Path(given.model)
    encode = tokenizer.encoder(tokenizer.read(folder / "tokenizer.json"))
    examples = Examples(corpus.validation_tokens(folder), retrieval_tasks.draw, encode, given.seed, given.rows)
    model = model or models.load(folder / "model.safetensors", given.device)
    sizes = {"rows": given.rows, "sink": given.sink, "window": given.window, "batch_tokens": given.batch_tokens}
    prefixes = Prefixes(prefix_bytes(given))
    evaluator = Evaluator(model, examples, Settings(seed=given.seed), given.device, **sizes, prefixes=prefixes)
    return evaluator, tuple(retrieval_tasks.TASKS)


def provenance(given, evaluator):
    """What the numbers depend on; two runs into one folder must agree in it."""
    free = ("shard", "seconds", "list", "first_table", "out", "device", "prefix_gigabytes")
    asked = {name: value for name, value in vars(given).items() if name not in free}
    asked |= {"model": str(Path(given.model).name), "lengths": list(given.lengths)}
    return {"settings": dataclasses.asdict(evaluator.settings), "asked": asked}


def main(arguments):
    given = parser().parse_args(arguments)
    torch.set_float32_matmul_precision("highest")  # scores of keys that nearly tie are told apart in fp32, not in TF32
    if min(given.lengths) <= given.rows:
        raise Refused(f"lengths {given.lengths}: allowed are more tokens than the {given.rows} sparse rows")
    evaluator, tasks = evaluator_of(given)
    shape = evaluator.model.shape
    taken = {field.name for field in dataclasses.fields(plan.Sizes)} - {"tasks", "layers", "heads"}
    sizes = {name: value for name, value in vars(given).items() if name in taken}
    sizes = plan.Sizes(**sizes, tasks=tasks, layers=shape.layers, heads=shape.query_heads)
    sizes = fitting(sizes, evaluator.examples)
    every = plan.first_table(sizes) if given.first_table else plan.cells(sizes)
    mine = plan.shard(every, *given.shard)
    if given.list:
        print("\n".join(str(cell) for cell in mine))
        return
    folder = Path(given.out)
    folder.mkdir(parents=True, exist_ok=True)
    record = provenance(given, evaluator)
    results.require_same(folder, record)
    device = torch.cuda.get_device_name(given.device) if given.device.startswith("cuda") else "cpu"
    made = {**record, "versions": {"torch": torch.__version__, "numpy": np.__version__}, "device": device}
    stem = f"evaluation-{given.shard[0]}-of-{given.shard[1]}"
    write_whole(folder / f"{stem}.json", (json.dumps(made, indent=2) + "\n").encode())
    left, failed = evaluated(evaluator, mine, folder, given.shard, given.seconds)
    print(f"{len(left)} cells left" + "".join(f"\n  {cell}" for cell in left), flush=True)
    if failed:
        raise Refused(f"{len(failed)} cells failed: {', '.join(map(str, failed))}; allowed are cells that run")


if __name__ == "__main__":
    run(PROGRAM, main, sys.argv[1:])
