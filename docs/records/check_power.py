"""Which wrong scale do check.attention and check.decode_step see, with a list and without?

    python3 docs/records/check_power.py > docs/records/check_power.csv

The logits of an attention are multiplied by 1.001, 1.01 or 1.1. attention: Gaussian queries, keys and values of 128
coordinates, eight heads, over lists of all keys, computed in double. decode_step: the step of python/examples/torch_step.py
over the tiny and quick grids up to 2,000 keys, those cases alone where something can be selected. Columns: the check; what
it was given; keys of a list, empty for a grid; the scale; how many heads or cases there are and in how many it is caught.
"""

import sys
from pathlib import Path

import numpy as np
from runs import write_table
from socketlab import check

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "examples"))
import torch_step  # noqa: E402

SCALES = (1.001, 1.01, 1.1)
HEADS, DIM = 8, 128


def is_caught(call):
    try:
        call()
    except check.CheckFailure:
        return True
    return False


def attended(q, k, v, scale):
    logits = scale * (k @ q) / np.sqrt(len(q))
    weights = np.exp(logits - logits.max())
    return weights @ v / weights.sum()


def rows_of_attention():
    random = np.random.default_rng(1)
    for keys in (100, 1000, 10000, 100000):
        caught = dict.fromkeys(SCALES, 0)
        for _ in range(HEADS):
            q, k, v = (random.standard_normal(shape).astype(np.float32) for shape in ((DIM,), (keys, DIM), (keys, DIM)))
            doubles = [array.astype(float) for array in (q, k, v)]
            for scale in SCALES:
                output = attended(*doubles, scale)
                caught[scale] += is_caught(lambda: check.attention(q, k, v, np.arange(keys), output))
        yield from (("attention", "list", keys, scale, HEADS, caught[scale]) for scale in SCALES)


def rows_of_steps():
    right = torch_step.attention
    of_grids = {case.text: case for grid in ("tiny", "quick") for case in check.decode_cases(grid)}  # some are in both
    cases = [case for case in of_grids.values() if np.isfinite(case.high).any()]
    for scale in SCALES:
        torch_step.attention = lambda q, k, v, selected: right(scale * q, k, v, selected)
        made = [(case, torch_step.step(case)) for case in cases]
        for given, part in (("output and list", lambda step: step), ("output", lambda step: step[0])):
            caught = sum(is_caught(lambda: check.decode_step(lambda _: part(step), case=case)) for case, step in made)
            yield "decode_step", given, "", scale, len(cases), caught
    torch_step.attention = right


if __name__ == "__main__":
    columns = ["check", "given", "keys", "scale", "of", "caught"]
    write_table(sys.stdout, columns, [*rows_of_attention(), *rows_of_steps()])
