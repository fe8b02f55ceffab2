"""What do published top-k functions promise, by socketlab's contracts?

    python3 python/examples/topk_contracts.py [--table FILE.md]

Needs PyTorch and the package socketlab; a GPU where there is one.
Each is called as it is published: nothing is filtered before or after it. A column is a check that passed or failed on
scores made for it (socketlab.check.selection_cases), not what a manual says. What is not installed is left out.
"""

import argparse
import importlib
import platform
import sys
import traceback
from pathlib import Path

try:
    import numpy as np
    import torch
    from socketlab import check
except ModuleNotFoundError as missing:
    print(
        f"topk_contracts.py: needs NumPy, PyTorch and the package socketlab (docs/python.md): {missing}",
        file=sys.stderr,
    )
    sys.exit(3)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KEYS, BUDGET = 8320, 2048
TIES = ("few-values", "all-equal", "plateau")


def by_kthvalue(scores, budget):
    """The threshold by torch.kthvalue, then every key at least so good in order of index."""
    keys = scores.shape[1]
    threshold = torch.kthvalue(scores, keys - budget + 1, dim=1).values
    return torch.stack([torch.nonzero(row >= least)[:budget, 0] for row, least in zip(scores, threshold, strict=True)])


def of_torch():
    version = f"PyTorch {torch.__version__}"
    # Of rows so long: sort_cuda_kernel in aten/src/ATen/native/cuda/Sort.cpp.
    by_cub = f"{version}, CUB's segmented sort" if DEVICE == "cuda" else version
    yield "torch.topk", version, lambda s, b: torch.topk(s, b, dim=1).indices, "auto"
    yield "torch.topk(sorted=False)", version, lambda s, b: torch.topk(s, b, dim=1, sorted=False).indices, "auto"
    yield "torch.sort", by_cub, lambda s, b: torch.sort(s, dim=1, descending=True).indices[:, :b], "auto"
    yield (
        "torch.sort(stable=True)",
        by_cub,
        lambda s, b: torch.sort(s, dim=1, descending=True, stable=True).indices[:, :b],
        "auto",
    )
    yield "torch.kthvalue, then >=", version, by_kthvalue, "never"


def of_jax():
    jax = importlib.import_module("jax")
    functions = importlib.import_module("jax.numpy")

    def topk(scores, budget):
        given = functions.asarray(scores.cpu().numpy())
        return torch.from_numpy(np.array(jax.lax.top_k(given, budget)[1]))

    yield "jax.lax.top_k", f"JAX {jax.__version__} on {jax.default_backend()}", topk, "never"


def of_cupy():
    cupy = importlib.import_module("cupy")

    def topk(scores, budget):
        return torch.from_dlpack(cupy.argsort(-cupy.from_dlpack(scores), axis=1)[:, :budget].copy())

    yield "cupy.argsort(-scores)", f"CuPy {cupy.__version__}", topk, "never"


def implementations():
    for of_library in (of_torch, of_jax, of_cupy):
        try:
            yield from of_library()
        except (ImportError, RuntimeError) as error:
            print(f"left out {of_library.__name__}: {str(error).splitlines()[0]}")


def held(run):
    """None, or the failure."""
    try:
        run()
    except check.CheckFailure as failure:
        return failure
    return None


def case_of(name):
    return check.selection_case(name, keys=KEYS, budget=BUDGET)


def keeps(topk, name, contract):
    return held(
        lambda: check.selection(case_of(name), lambda s: topk(s[None], BUDGET), contract=contract, device=DEVICE)
    )


def yes_if(topk, names, contract):
    wrong = [name for name in names if keeps(topk, name, contract) is not None]
    return "yes" if not wrong else f"no ({', '.join(wrong)})"


def replayed(topk, graph, same):
    """Whether ties and other scores give the same again, and where that was asked."""
    names = (*TIES, "gaussian")

    def all_same(graph):
        runs = (
            held(
                lambda: check.replays(
                    lambda s: topk(s[None], BUDGET), case_of(n), device=DEVICE, same=same, graph=graph
                )
            )
            for n in names
        )
        return "yes" if all(failure is None for failure in runs) else "no"

    if graph == "never" or DEVICE == "cpu":
        return f"{all_same('never')} (calls)"
    try:
        return all_same("always")
    except ValueError as error:  # it cannot be captured
        print(str(error))
        return f"{all_same('never')} (calls; not captured)"


def with_nan(topk):
    """How many of the selected keys score NaN."""
    case = case_of("nan")
    chosen = topk(torch.from_numpy(case.scores)[None].to(DEVICE), BUDGET).cpu().numpy()[0]
    of_nan = int(np.isnan(case.scores[chosen]).sum())
    there = int(np.isnan(case.scores).sum())
    return f"{of_nan} of {min(there, BUDGET)}"


def short_row(topk):
    """What stands where fewer keys are allowed than the budget."""
    case = case_of("short-row")
    chosen = topk(torch.from_numpy(case.scores)[None].to(DEVICE), BUDGET).cpu().numpy()[0]
    return "-1" if (chosen[chosen < 0] == -1).all() and (chosen < 0).any() else "keys that score -inf"


def row_of(name, version, topk, graph):
    return [
        f"`{name}`", version,
        yes_if(topk, ("gaussian", "clustered-maxima", "rising", "falling", "subnormals", *TIES), "any"),
        yes_if(topk, TIES, "lower-index"), yes_if(topk, ("signed-zeros",), "lower-index"),
        yes_if(topk, (*TIES, "gaussian"), "ordered"), with_nan(topk), short_row(topk), replayed(topk, graph, "set"),
        replayed(topk, graph, "list"),
    ]  # fmt: skip


HEAD = [
    "function", "version", "the best keys", "ties to the lower index", "-0 ties with +0 so", "in order, ties too",
    "NaN selected", "short row ends in", "same set, 25 calls and replays", "same order",
]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--table", help="also write a Markdown table here")
    arguments = parser.parse_args()
    where = torch.cuda.get_device_name() if DEVICE == "cuda" else platform.processor() or "the CPU"
    lines = [
        "# What top-k functions promise",
        "",
        f"Written by `python3 python/examples/topk_contracts.py --table FILE` on {where}: {KEYS} keys, budget {BUDGET}. Each is",
        "called as it is published; nothing is filtered before or after it. A cell is what checks found, not what a manual says.",
        "",
        "| " + " | ".join(HEAD) + " |",
        "| --- " * len(HEAD) + "|",
    ]
    for implementation in implementations():
        try:
            lines.append("| " + " | ".join(row_of(*implementation)) + " |")
        except Exception:
            print(f"left out {implementation[0]}:\n{traceback.format_exc()}")
            continue
        print(lines[-1], flush=True)
    if arguments.table:
        Path(arguments.table).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
