"""What do loss and answers become when the last positions of a window attend sparsely, for every ranker?

The positions before are dense and run once for all rankers; the last `rows` of a text, and the question and the answer of
a task, select by the ranker in every layer and head. "dense" runs the same arithmetic over all keys, so that differences
hold the selection alone. Rows of cells.csv are appended as they are done, and what is there is not run again. Wrong if a
budget of all keys gave another loss than dense, or a row saw a later token: python/tests/models/evaluate_test.py.
"""

import collections
import contextlib
import csv
import dataclasses
import inspect
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from . import rankers, rules, tasks
from .attention import use
from .settings import Sparse

ROWS = 64
TEXT, HEADS = "text", "heads"
CELL = ("kind", "length", "window", "ranker", "sparsity", "dense_layers")
MEASURES = ("text", "document", "loss", "found", "selected", "mass", "losses")
HEAD_COLUMNS = ("length", "window", "ranker", "sparsity", "layer", "head", "mass", "recall", "error")
STATISTICS = (
    "key_norm_variation", "mean_key_share", "value_norm_variation", "first_value_norm", "logit_deviation", "mean_cosine",
    "first_mass", "local_mass",
)  # fmt: skip
LOCAL = 64  # keys before a row
# Dense positions of one pass: where heads share keys, PyTorch's attention without a mask may hold all scores in float32 on a
# GPU, 4 GB for 4 heads, and 16 if 32,000 positions came at once.
AT_ONCE = 16384
NEVER = 1 << 62  # a column that no row reaches
EVERY_KEY = Sparse(rule="streaming-llm", budget=1 << 40)


@dataclasses.dataclass(frozen=True)
class Cell:
    kind: str
    length: int
    window: int
    ranker: str
    sparsity: float
    dense_layers: int = 0

    @property
    def key(self):
        return tuple(str(getattr(self, name)) for name in CELL)


class Kept:
    """Watches one pass: how many keys its rows attend to, and the share of dense attention that these have."""

    def __init__(self):
        self.selected, self.mass = [], []

    def __call__(self, seen):
        self.selected.append(seen.selected.sum(-1).float().mean())
        self.mass.append(rules.mass(seen.logits, seen.selected).mean())

    def means(self):
        return [torch.stack(part).mean().item() if part else None for part in (self.selected, self.mass)]


class Probe:
    """Watches a dense pass and measures, for each head, what every ranker would keep of it: all see the same queries."""

    def __init__(self, asked, draw):
        self.asked, self.draw, self.rows, self.statistics = asked, draw, [], []

    def __call__(self, seen):
        query, key, value, logits = seen.query, seen.key, seen.value, seen.logits
        exact = rules.attend(logits, value)
        fixed = rules.always(self.asked[0][2], seen.positions, key.shape[2])
        competing = logits.masked_fill(fixed, -torch.inf)
        ordered = competing.sort(-1, descending=True).values
        self.statistics += _by_head({"layer": seen.layer}, statistics(seen))
        for name, sparsity, settings in self.asked:
            found = rules.scores(
                settings, query, key, value, seen.scaling, layer=seen.layer, draw=self.draw, positions=seen.positions
            )
            chosen = rules.select(settings, found, seen.positions)
            # The true top keys: as many as the ranker took, so that a rule of another budget is held against its own.
            wanted = (chosen & ~fixed).sum(-1, keepdim=True)
            top = (competing >= ordered.gather(-1, (wanted - 1).clamp(min=0))) & (wanted > 0)
            error = (rules.attend(logits, value, chosen) - exact).norm(dim=-1) / exact.norm(dim=-1)
            measured = {"mass": rules.mass(logits, chosen), "error": error}
            measured["recall"] = (chosen & top).sum(-1) / top.sum(-1).clamp(min=1)
            self.rows += _by_head({"ranker": name, "sparsity": sparsity, "layer": seen.layer}, measured)


def statistics(seen):
    """{name: [1, H, T] or [1, Hkv, 1]}: what kind of head it is; norms over the keys that every row sees."""
    logits, positions = seen.logits, seen.positions
    key, value = (part[:, :, : int(positions.min()) + 1].float() for part in (seen.key, seen.value))
    norms, lengths = (part.norm(dim=-1) for part in (key, value))
    share = logits.softmax(-1)
    visible = logits > -torch.inf
    count = visible.sum(-1)
    finite = logits.masked_fill(~visible, 0.0)
    mean = finite.sum(-1) / count
    square = ((finite - mean.unsqueeze(-1)) * visible).square().sum(-1) / count
    cosine = rules.scores(
        rankers.settings_of("cosine-oracle", 2), seen.query, seen.key, seen.value, positions=positions
    )
    near = positions.unsqueeze(-1) - torch.arange(share.shape[-1], device=share.device) < LOCAL
    return {
        "key_norm_variation": (norms.std(-1) / norms.mean(-1)).unsqueeze(-1),
        "mean_key_share": (key.mean(2).norm(dim=-1) / norms.mean(-1)).unsqueeze(-1),
        "value_norm_variation": (lengths.std(-1) / lengths.mean(-1)).unsqueeze(-1),
        "first_value_norm": (lengths[..., 0] / lengths.mean(-1)).unsqueeze(-1),
        "logit_deviation": square.sqrt(),
        "mean_cosine": cosine.masked_fill(~visible, 0.0).sum(-1) / count,
        "first_mass": share[..., 0],
        "local_mass": (share * near).sum(-1),
    }


def _by_head(names, numbers):
    """A row for each query head, means over its positions."""
    heads = max(part.shape[1] for part in numbers.values())
    means = {name: part.float().mean((0, 2)) for name, part in numbers.items()}
    means = {name: part.repeat_interleave(heads // len(part)).tolist() for name, part in means.items()}
    return [names | {"head": head} | {name: part[head] for name, part in means.items()} for head in range(heads)]


class Model:
    """A causal model of transformers, whose dense positions run once and whose last ones run by settings."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer
        config = model.config.get_text_config()
        self.group = config.num_attention_heads // config.num_key_value_heads
        self.dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.device = next(model.parameters()).device
        # transformers renames it.
        names = inspect.signature(model.forward).parameters
        self.cache_name = "cache" if "cache" in names else "past_key_values"
        self.state = use(model, EVERY_KEY, first=NEVER)

    def encode(self, text):
        return self.tokenizer(text, add_special_tokens=False).input_ids

    def _run(self, tokens, cache, last):
        tokens = torch.as_tensor(tokens, device=self.device).reshape(1, -1)
        with torch.inference_mode():
            given = {self.cache_name: cache, "use_cache": True, "logits_to_keep": last}
            found = self.model(input_ids=tokens, **given)
        return found.logits[0].float()

    def prefix(self, tokens):
        """The cache of the dense positions."""
        from transformers import DynamicCache

        cache = DynamicCache()
        self.state.first, self.state.watch = NEVER, None
        for start in range(0, len(tokens), AT_ONCE):
            self._run(tokens[start : start + AT_ONCE], cache, 1)
        return cache

    @contextlib.contextmanager
    def behind(self, cache, settings, draw, watch=None):
        """Positions behind the cache attend by settings, None for densely; the cache is then as it was."""
        length = cache.get_seq_length()
        self.state.settings, self.state.first = settings or EVERY_KEY, length
        self.state.watch, self.state.draw = watch, draw
        try:
            yield
        finally:
            behind = cache.get_seq_length() - length
            if behind:
                cache.crop(-behind)

    def of_text(self, window, rows):
        """The cache of a window's dense positions, its last `rows` tokens, and those that follow each of them."""
        first = len(window.tokens) - 1 - rows
        target = torch.as_tensor(window.tokens[first + 1 :], device=self.device)
        return self.prefix(window.tokens[:first]), window.tokens[first:-1], target

    def of_task(self, example):
        """The cache of its text, the tokens of question and answer, and those of the answer."""
        target = torch.as_tensor(example.tokens[example.answer :], device=self.device)
        return self.prefix(example.tokens[: example.question]), example.tokens[example.question :], target

    def rows(self, tokens, cache, settings, draw, watch=None, last=0):
        """Logits [last or all, vocabulary] of tokens behind the cache."""
        with self.behind(cache, settings, draw, watch):
            return self._run(tokens, cache, last)

    def answer(self, question, count, cache, settings, draw):
        """Text of `count` tokens by greedy decoding behind the cache and the question."""
        tokens, new = question, []
        with self.behind(cache, settings, draw):
            while len(new) < count:
                new.append(int(self._run(tokens, cache, 1)[-1].argmax()))
                tokens = new[-1:]
        return self.tokenizer.decode(new)


def plan(asked):
    """[(kind, length, window, cells)] in the order in which they run; tasks have the first sparsity alone."""
    found = []
    for kind in (TEXT, *asked.tasks):
        for length, count in asked.windows if kind == TEXT else asked.examples:
            for window in range(count):
                cells = [Cell(kind, length, window, rankers.DENSE, 0)]
                names = asked.rankers if kind == TEXT else asked.task_rankers
                for layers in asked.dense_layers if kind == TEXT else asked.dense_layers[:1]:
                    cells += _at(kind, length, window, names, asked.sparsities[0], layers)
                for sparsity in asked.sparsities[1:] if kind == TEXT else ():
                    further = [name for name in asked.rankers if name in asked.further and rankers.takes_sparsity(name)]
                    cells += _at(kind, length, window, further, sparsity, asked.dense_layers[0])
                if kind == TEXT and window < asked.head_windows and set(names) != {rankers.DENSE}:
                    cells.append(Cell(HEADS, length, window, "all", 0))
                found.append((kind, length, window, cells))
    return found


def _at(kind, length, window, names, sparsity, layers):
    return [
        Cell(kind, length, window, name, sparsity if rankers.takes_sparsity(name) else 0, layers)
        for name in names
        if name != rankers.DENSE
    ]


class Evaluation:
    """asked: what the command line says (__main__.py); windows: of the texts; folder: where the tables stand."""

    def __init__(self, model, windows, asked, folder):
        self.model, self.windows, self.asked, self.folder = model, windows, asked, Path(folder)

    def settings(self, cell):
        common = {"sink": self.asked.sink, "window": self.asked.window, "seed": self.asked.seed}
        return rankers.settings_of(
            cell.ranker, cell.sparsity, self.model.group, dense_layers=cell.dense_layers, **common
        )

    def run(self, seconds=float("inf"), say=print):
        """Whether all cells are done; a window that was begun is ended."""
        begun, every = time.monotonic(), plan(self.asked)
        done = set(map(tuple, done_keys(self.folder)))
        left = [(*place, [cell for cell in cells if cell.key not in done]) for *place, cells in every]
        left = [window for window in left if window[-1]]
        weights = [length * (len(cells) + 4) for _, length, _, cells in left]
        say(f"{sum(len(cells) for *_, cells in every)} cells, {len(done)} of them done before")
        for i, (kind, length, window, cells) in enumerate(left):
            spent = time.monotonic() - begun
            if spent > seconds:
                say(f"{len(left) - i} windows left; the same command goes on")
                return False
            self.one(kind, length, window, cells)
            spent = time.monotonic() - begun
            rest = spent / sum(weights[: i + 1]) * sum(weights[i + 1 :])
            say(f"{kind} {length}, window {window}: {len(cells)} cells; {spent:.0f} s, {rest:.0f} s left")
        return True

    def one(self, kind, length, window, cells):
        """The dense positions, then every cell behind them."""
        if kind == TEXT:
            self._text(self.windows.of(length, window), cells)
        else:
            self._task(tasks.draw(kind, length, 1_000_000 * self.asked.seed + window, self.model.encode), window, cells)

    def _text(self, window, cells):
        cache, rows, target = self.model.of_text(window, self.asked.rows)
        for cell in cells:
            if cell.kind == HEADS:
                self._heads(cell, cache, rows)
                continue
            kept = Kept()
            logits = self.model.rows(rows, cache, self.settings(cell), window.number, kept)
            losses = functional.cross_entropy(logits, target, reduction="none").tolist()
            self._append(cell, kept, window.text, window.document, np.mean(losses), "", losses)

    def _task(self, example, window, cells):
        cache, question, target = self.model.of_task(example)
        for cell in cells:
            kept, settings = Kept(), self.settings(cell)
            logits = self.model.rows(question[:-1], cache, settings, window, kept, len(target))
            losses = functional.cross_entropy(logits, target, reduction="none").tolist()
            if torch.equal(logits.argmax(-1), target):  # greedy decoding would begin with just this answer
                text = self.model.tokenizer.decode(target)
            else:
                asked = question[: example.answer - example.question]
                text = self.model.answer(asked, len(target) + tasks.MARGIN, cache, settings, window)
            self._append(cell, kept, cell.kind, str(window), np.mean(losses), example.score(text), [])

    def _append(self, cell, kept, text, document, loss, found, losses):
        selected, mass = kept.means()
        numbers = (f"{loss:.6g}", found if found == "" else f"{found:.4g}")
        shares = ("" if part is None else f"{part:.6g}" for part in (selected, mass))
        row = (*cell.key, text, document, *numbers, *shares, " ".join(f"{x:.4g}" for x in losses))
        append(self.folder / "cells.csv", (*CELL, *MEASURES), [row])

    def _heads(self, cell, cache, rows):
        sparsity = self.asked.sparsities[0]
        asked = [
            (one.ranker, one.sparsity, self.settings(dataclasses.replace(one, sparsity=sparsity)))
            for one in _at(TEXT, cell.length, 0, self.asked.rankers, sparsity, 0)
        ]
        probe = Probe(asked, cell.window)
        self.model.rows(rows, cache, None, cell.window, probe, 1)
        place = {"length": cell.length, "window": cell.window}
        for path, columns, found in (
            ("statistics.csv", ("length", "window", "layer", "head", *STATISTICS), probe.statistics),
            ("heads.csv", HEAD_COLUMNS, probe.rows),
        ):
            lines = [[_short((place | row)[name]) for name in columns] for row in found]
            append(self.folder / path, columns, lines)
        append(self.folder / "cells.csv", (*CELL, *MEASURES), [(*cell.key, *[""] * len(MEASURES))])


def _short(value):
    return f"{value:.5g}" if isinstance(value, float) else value


def append(path, columns, rows):
    """Rows behind those of the file, in one write; a line that was cut off is taken out first."""
    content = path.read_bytes() if path.is_file() else b""
    if content and not content.endswith(b"\n"):
        path.write_bytes(content[: content.rfind(b"\n") + 1])
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not content:
            writer.writerow(columns)
        writer.writerows(rows)


def read(path):
    """Rows of a table of a folder as dictionaries; a line that was cut off is left out, of a repeated one the last counts."""
    if not Path(path).is_file():
        return []
    text = Path(path).read_text(encoding="utf-8")
    return list(csv.DictReader(text[: text.rfind("\n") + 1].splitlines()))


def done_keys(folder):
    return [[row[name] for name in CELL] for row in read(Path(folder) / "cells.csv")]


def require_same(folder, record):
    """Writes run.json, or refuses a folder whose numbers depend on other settings, by ValueError."""
    path = Path(folder) / "run.json"
    if path.is_file():
        old = json.loads(path.read_text(encoding="utf-8"))
        changed = [name for name, value in json.loads(json.dumps(record)).items() if old.get(name) != value]
        if changed:
            raise ValueError(f"{path}: made with another {', '.join(changed)}; allowed is an empty folder, or the same")
    else:
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def cells_of(folder):
    """{(kind, length, ranker, sparsity, dense layers): {window: row}}"""
    found = collections.defaultdict(dict)
    for row in read(Path(folder) / "cells.csv"):
        if row["kind"] != HEADS:
            key = (row["kind"], int(row["length"]), row["ranker"], float(row["sparsity"]), int(row["dense_layers"]))
            found[key][int(row["window"])] = row
    return dict(found)
