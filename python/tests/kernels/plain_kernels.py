"""The kernels of docs/howto/check_a_kernel.md, the same in PyTorch, and how each check runs them over a grid."""

import ast
import math
import os
import pathlib
import re
import sys

from socketlab import _core, check
from socketlab.check._scores import scoring_texts

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[3]))
BLOCKS = re.findall(
    r"^```python\n(.*?)^```", (SOURCE / "docs/howto/check_a_kernel.md").read_text(), re.MULTILINE | re.DOTALL
)
sys.path.append(str(SOURCE / "python" / "examples"))
NAMES = ("scores", "top_k", "attention", "step")

# name of a function on the page -> its source
NUMPY = {
    node.name: ast.get_source_segment(block, node)
    for block in BLOCKS
    for node in ast.parse(block).body
    if isinstance(node, ast.FunctionDef) and node.name in NAMES
}

# Written from the text of the page: whole arrays instead of loops, sums in whatever order PyTorch takes. Attention and
# the step are those of python/examples/torch_step.py.
TORCH = {
    "scores": """
def scores(case):
    group = len(case.tables) // len(case.codes)
    codes = (case.codes.long() & 0xFFFF).repeat_interleave(group, 0)
    low = case.planes // 2
    if case.halves:
        upper, lower = case.tables.split([2 ** (case.planes - low), 2**low], dim=2)
        terms = upper.gather(2, codes >> low) * lower.gather(2, codes & (2**low - 1))
    else:
        terms = case.tables.gather(2, codes)
    found = terms.sum(1) * case.norms.repeat_interleave(group, 0)
    return found.masked_fill(~case.allowed, -math.inf)
""",
    "top_k": """
def top_k(scores, budget, sink, window):
    keys = scores.shape[-1]
    index = torch.arange(keys)
    allowed = scores > -math.inf
    always = allowed & ((index < sink) | (index >= keys - window))
    others = allowed & ~always
    order = torch.sort(scores.masked_fill(~others, -math.inf), stable=True, descending=True).indices
    best = order[: min(budget, int(others.sum()))]
    listed = torch.cat([index[always], best])
    return torch.nn.functional.pad(listed, (0, sink + budget + window - len(listed)), value=-1)
""",
}


def torch_kernels():
    import torch
    import torch_step

    return kernels(TORCH, torch=torch) | {"attention": torch_step.attention, "step": torch_step.step}


def kernels(sources, **modules):
    """The functions of these sources, by name."""
    names = {"math": math, **modules}
    for source in sources.values():
        exec(source, names)
    return {name: names[name] for name in sources}


def check_scores(case, kernel, device=None):
    return check.scores(kernel["scores"], case=case, sums="f32", device=device)


def check_selection(case, kernel, device=None):
    def listed(scores):
        return kernel["top_k"](scores, case.budget, case.sink, case.window)

    return check.selection(case, listed, contract="ordered", device=device)


def check_attention(case, kernel, device=None):
    return case.check(kernel["attention"], device=device)


def check_step(case, kernel, device=None):
    return check.decode_step(kernel["step"], case=case, device=device)


def check_step_without_list(case, kernel, device=None):
    return check.decode_step(lambda given: kernel["step"](given)[0], case=case, device=device)


# check -> how a kernel is run on a case
CHECKS = {"scores": check_scores, "selection": check_selection, "attention": check_attention, "step": check_step}

# Of gpu-check's grids, the texts of the cases and what makes one of them; of the others the cases.
_TEXTS = {
    "scores": (lambda grid: scoring_texts(grid, seed=1, most_keys=2000), check.scoring_case),
    "step": (lambda grid: _core.decode_cases(grid, 1, 2000), check.decode_case),
}
_CASES = {"selection": check.selection_cases, "attention": check.attention_cases}


def cases_of(name, grid):
    """Of a full grid of gpu-check what its quick grid, which it holds, does not have: making those takes longest."""
    if name in _CASES:
        return _CASES[name](grid)
    texts, made = _TEXTS[name]
    quick = set(texts("quick")) if grid == "full" else set()
    return (made(text) for text in texts(grid) if text not in quick)
