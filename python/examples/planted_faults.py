"""Are ten faults in the example kernels each caught, with the right row named, and nothing in the kernels as they are?

    python3 python/examples/planted_faults.py [--table FILE.md]

A fault is a passage of an example's source that is replaced. Inputs are such that it can show in one row alone, row 2; the
same check over the example as it is must pass. Needs PyTorch, Triton, the package socketlab and a GPU. Without a GPU,
TRITON_INTERPRET=1 runs the seven faults that a CPU can show, where NumPy is older than 2.4.
"""

import argparse
import dataclasses
import importlib.util
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

try:
    import numpy as np
    import torch
    import triton
    from socketlab import check
except ModuleNotFoundError as missing:
    print(
        f"planted_faults.py: needs PyTorch, Triton and the package socketlab (docs/python.md): {missing}",
        file=sys.stderr,
    )
    sys.exit(3)

FOLDER = Path(__file__).resolve().parent
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROW, ROWS, KEYS, BUDGET = 2, 5, 3000, 500


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    example: str
    check: Callable[[ModuleType], object]
    edits: tuple[tuple[str, str], ...]  # passage, replacement; the passage may stand several times
    needs_gpu: bool = False


def rows_of(special, others):
    """float32 [ROWS, KEYS]: the case of this name in row ROW, the other in the others."""
    names = [special if row == ROW else others for row in range(ROWS)]
    cases = [check.selection_case(name, keys=KEYS, budget=BUDGET, seed=row + 1) for row, name in enumerate(names)]
    return np.stack([case.scores for case in cases])


def selects(special, others="gaussian"):
    def run(example):
        scores = rows_of(special, others)
        return check.selection(scores, lambda given: example.topk(given, BUDGET), budget=BUDGET, device=DEVICE)

    return run


def replays(scores):
    return lambda example: check.replays(lambda given: example.topk(given, BUDGET), (scores,), device=DEVICE)


def best_in_the_first_tile():
    """Falling scores, none twice; in row ROW in an order that spreads the best over all tiles."""
    scores = np.tile(-np.arange(200 * KEYS, dtype=np.float32), (ROWS, 1))
    scores[ROW] = np.random.Generator(np.random.Philox(1)).permutation(scores[ROW])
    return scores


def constant_elsewhere():
    """Rows that reversing leaves as they are, but for row ROW."""
    scores = np.ones((ROWS, KEYS), np.float32)
    scores[ROW] = np.arange(KEYS, dtype=np.float32)
    return scores


def scoring_inputs(rows=ROWS, key_rows=ROWS, planes=10, tables=48):
    drawn = np.random.Generator(np.random.Philox(1))
    entries = 2 ** ((planes + 1) // 2) + 2 ** (planes // 2)
    return {
        "tables": drawn.random((rows, tables, entries), np.float32),
        "codes": drawn.integers(0, 2**planes, (key_rows, tables, 500)).astype(np.int16),
        "norms": np.ones((key_rows, 500), np.float32),
        "planes": planes,
    }


def scores_of(inputs):
    def run(example):
        return check.scores(lambda case: example.scores(case.tables, case.codes, case.norms), **inputs, device=DEVICE)

    return run


def large_norms():
    inputs = scoring_inputs()
    inputs["norms"][ROW, 7] = 70000.0
    return inputs


def one_row_of_a_group():
    """Of 4 rows on 2 key rows, row 1 scores 0 whatever it reads: row 2 alone shows whose codes are read."""
    inputs = scoring_inputs(rows=4, key_rows=2)
    inputs["tables"][1] = 0
    return inputs


def attends(lists_of, zero_queries=False):
    def run(example):
        drawn = np.random.Generator(np.random.Philox(2))
        q, k, v = (drawn.standard_normal(shape, np.float32) for shape in ((ROWS, 64), (ROWS, 300, 64), (ROWS, 300, 64)))
        if zero_queries:
            q[np.arange(ROWS) != ROW] = 0
        lists = lists_of()
        output, lse = example.attention(*(torch.from_numpy(a).to(DEVICE) for a in (q, k, v, lists)))
        return check.attention(q, k, v, lists, output, lse)

    return run


def lists_with_free_places():
    lists = np.tile(np.arange(100, dtype=np.int32), (ROWS, 1))
    lists[ROW, 60:] = -1
    return lists


def one_key_but_in_one_row():
    """A zero query over one key has a log-sum-exp of 0, whatever its base."""
    lists = np.full((ROWS, 50), -1, np.int32)
    lists[:, 0] = 3
    lists[ROW] = np.arange(50)
    return lists


STAGED = """
_STAGED = {}


def _staged(scores):
    buffer = _STAGED.setdefault(scores.shape, torch.empty_like(scores))
    if not (scores.is_cuda and torch.cuda.is_current_stream_capturing()):
        buffer.copy_(scores)
    return buffer


def topk("""
# Each eighth of the tables in a program of its own, all of which add to the same place.
SPLIT = (
    (
        "    for table in range(count):",
        "    part = tl.program_id(2)\n    for table in range(part * count // 8, (part + 1) * count // 8):",
    ),
    (
        "    tl.store(out + row * keys + key, norm * total, mask=there)",
        "    place = out + row * keys + key\n"
        "    if row == 2:\n"
        "        tl.store(place, tl.load(place, mask=there) + norm * total, mask=there)\n"
        "    else:\n"
        "        tl.atomic_add(place, norm * total, mask=there)",
    ),
    ("triton.cdiv(keys, BLOCK))", "triton.cdiv(keys, BLOCK), 8)"),
)
# Each tile in a program of its own, whose place in the list is whatever the counter says.
COUNTED = (
    ("def _write(scores, thresholds,", "def _write(counters, scores, thresholds,"),
    (
        "    base = 0\n    for start in range(0, keys, BLOCK):",
        "    first = tl.program_id(1) * BLOCK\n    for start in range(first, tl.minimum(keys, first + BLOCK), BLOCK):",
    ),
    (
        "        tl.store(selected",
        "        base = tl.atomic_add(counters + row, tl.sum(take, 0))\n        tl.store(selected",
    ),
    ("        base += tl.sum(take, 0)\n", ""),
    (
        "    _write[(rows,)](scores,",
        "    counters = torch.zeros_like(spares)\n    _write[(rows, triton.cdiv(keys, BLOCK))](counters, scores,",
    ),
)
DROPPED = ("range(0, keys, BLOCK)", "range(0, keys // BLOCK * BLOCK, BLOCK)")
FROM_THE_END = (
    "        key = start + tl.arange(0, BLOCK)\n        x = _ordered(tl.load(scores + row * keys + key, mask=(key >= 0)",
    "        key = keys - 1 - start - tl.arange(0, BLOCK)\n        x = _ordered(tl.load(scores + row * keys + key, mask=(key >= 0)",
)
NOT_NAN = ('(score == score) & (score > float("-inf"))', 'score != float("-inf")')
TO_HALF = (
    "    norm = tl.load(norms + own * keys + key, mask=there, other=0.0)",
    "    norm = tl.load(norms + own * keys + key, mask=there, other=0.0).to(tl.float16).to(tl.float32)",
)
WRONG_HEAD = ("own = row // group", "own = row % (tl.num_programs(0) // group)")
BASE_2 = ("return output, torch.logsumexp(logits, -1)", "return output, torch.logsumexp(logits, -1) / math.log(2)")
LAST_KEY = (
    ("place = selected.clamp(min=0).long()", "place = selected.long()"),
    ("free = selected < 0", "free = torch.zeros_like(selected, dtype=torch.bool)"),
)

FAULTS = (
    Fault("ties to the higher index", "triton_topk", selects("few-values"), (FROM_THE_END,)),
    Fault("last tile dropped", "triton_topk", selects("rising", others="falling"), (DROPPED,)),
    Fault("base 2 for the natural log-sum-exp", "torch_step", attends(one_key_but_in_one_row, True), (BASE_2,)),
    Fault("a race over one row", "triton_scores", scores_of(scoring_inputs()), SPLIT, needs_gpu=True),
    Fault(
        "stale buffer in a captured graph",
        "triton_topk",
        replays(constant_elsewhere()),
        (
            ("\ndef topk(", STAGED),
            ("    rows, keys = scores.shape", "    scores = _staged(scores)\n    rows, keys = scores.shape"),
        ),
        needs_gpu=True,
    ),
    Fault("NaN accepted", "triton_topk", selects("nan"), (NOT_NAN,)),
    Fault("norms overflow in fp16", "triton_scores", scores_of(large_norms()), (TO_HALF,)),
    Fault("-1 loaded", "torch_step", attends(lists_with_free_places), LAST_KEY),
    Fault("wrong head of a group", "triton_scores", scores_of(one_row_of_a_group()), (WRONG_HEAD,)),
    Fault("unstable order between replays", "triton_topk", replays(best_in_the_first_tile()), COUNTED, needs_gpu=True),
)


def loaded(example, edits, folder):
    """The example with these passages replaced, as a module of its own: Triton reads its source."""
    text = (FOLDER / f"{example}.py").read_text(encoding="utf-8")
    for passage, replacement in edits:
        if passage not in text:
            raise SystemExit(f"{example}.py: no passage {passage!r}")
        text = text.replace(passage, replacement)
    path = Path(folder) / f"{example}_{len(list(Path(folder).iterdir()))}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leave(needed):
    print(f"planted_faults.py: needs {needed}", file=sys.stderr)
    sys.exit(3)


def judged(fault, folder):
    """(what the check said of the fault, whether it is as it must be)."""
    try:
        fault.check(loaded(fault.example, (), folder))
    except Exception:
        return f"the example without the fault: {traceback.format_exc()}", False
    try:
        fault.check(loaded(fault.example, fault.edits, folder))
    except check.CheckFailure as failure:
        return str(failure).splitlines()[0], failure.row == ROW
    except Exception:
        return traceback.format_exc(), False
    return "not caught", False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--table", help="also write a Markdown table here")
    arguments = parser.parse_args()
    if DEVICE == "cpu" and os.environ.get("TRITON_INTERPRET") != "1":
        leave("a GPU, and PyTorch finds none; TRITON_INTERPRET=1 runs the faults that a CPU can show")
    if DEVICE == "cpu" and np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        leave(f"NumPy older than 2.4 for Triton's interpreter, and this is {np.__version__}")
    lines, wrong = ["| planted fault | example | message of the check |", "| --- | --- | --- |"], 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            if fault.needs_gpu and DEVICE == "cpu":
                print(f"skipped  {fault.name}: needs a GPU")
                continue
            line, right = judged(fault, folder)
            wrong += not right
            print(f"{'caught ' if right else 'MISSED '}  {fault.name}: {line}")
            lines.append(f"| {fault.name} | {fault.example}.py | {line} |")
    if arguments.table:
        where = torch.cuda.get_device_name() if DEVICE == "cuda" else "the CPU"
        head = [
            "# Faults planted in the example kernels",
            "",
            f"Written by `python3 python/examples/planted_faults.py --table FILE` on {where}: PyTorch {torch.__version__}, "
            f"Triton {triton.__version__}.",
            f"Each passes without its fault; {len(lines) - 2 - wrong} of {len(lines) - 2} are caught in the one row that can "
            f"show them, row {ROW}.",
            "",
        ]
        Path(arguments.table).write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
