"""Does SOCKET's rule in the CUDA library give the scores, selections and outputs that the PyTorch one here gives?

On captured q, k, v: scores of every key for every query, times the value norm as the library ranks, and the output of
a whole decode step. Both hash with the same bf16 hyperplanes. Scores may differ by rounding (score_tolerance), and
beyond that only for a key whose code differs, which takes a projection within its rounding of 0. Wrong keys or an
order of bits other than ours would show in most scores. Where the library or a GPU is missing it says so and checks
nothing.
"""

import sys
import types
from pathlib import Path

import torch

from learned_attention.ranking import draws, hash_scores, problem, selection
from learned_attention.refusals import Refused

U = 2.0**-24  # unit roundoff of fp32
SPARSITY = 33


def library(path):
    """(socketlab.gpu, the loaded library), or a text that says what is missing."""
    if not torch.cuda.is_available():
        return "PyTorch sees no GPU"
    try:
        import socketlab.gpu as gpu
    except ImportError:  # from the sources the package has no compiled part; its GPU half needs none
        for name in [name for name in sys.modules if name.split(".")[0] == "socketlab"]:
            del sys.modules[name]
        package = types.ModuleType("socketlab")
        package.__path__ = [str(Path(__file__).resolve().parents[1] / "socketlab")]
        sys.modules["socketlab"] = package
        import socketlab.gpu as gpu
    try:
        return gpu, gpu.load(path)
    except (gpu.Unavailable, OSError) as missing:
        return str(missing)


def score_tolerance(queries, hyperplanes, settings):
    """Largest relative difference of two fp32 scores of one code, [rows].

    Sums over tables and products of planes: (tables + 8 planes + 8) u, where a sigmoid may be off by 8 u. A
    projection may be off by dim u sum |w_i q_i| in either, and the logarithm of a sigmoid moves by at most 2 /
    (sqrt(dim) tau) of that.
    """
    dim = queries.shape[-1]
    off = 2 * dim * U * (queries.abs() @ hyperplanes.abs().T).amax(dim=-1)
    planes = settings.planes
    return (settings.tables + 8 * planes + 8) * U + planes * 2 * off / (dim**0.5 * settings.temperature)


def doubtful(keys, hyperplanes):
    """bool [kv_heads, keys]: some projection is within its rounding of 0, so that the code may differ."""
    bound = keys.shape[-1] * U * (keys.abs() @ hyperplanes.abs().T)
    return ((keys @ hyperplanes.T).abs() <= 2 * bound).any(dim=-1)


def compared(scores, reference, tolerance, may_differ):
    """(largest error over its tolerance among sure keys, share of unsure keys); [.., rows, keys] with tolerance [..,
    rows, 1].
    """
    error = (scores - reference).abs() / (tolerance * reference.abs()).clamp(min=torch.finfo(torch.float32).tiny)
    sure = ~may_differ.expand_as(error)
    worst = error.nan_to_num(nan=torch.inf)[sure].max().item()
    return worst, may_differ.float().mean().item()


def torch_side(tensors, settings):
    """The problem of all queries over all keys, as a decode step has it, and the hyperplanes [tables, planes, dim]."""
    q, k, v = (tensors[name].float() for name in "qkv")
    heads, queries, dim = q.shape
    kv_heads, keys = k.shape[:2]
    rows = q.reshape(1, kv_heads, -1, dim)
    last = torch.full((rows.shape[2],), keys - 1, device=q.device)
    visible = torch.ones(rows.shape[2], keys, dtype=torch.bool, device=q.device)
    unused = torch.zeros(1, kv_heads, dim, device=q.device)
    made = problem.Problem(rows, k[None], v[None], visible, last, keys, unused, (0,), 0, settings)
    planes = draws.rows_of(made, "hyperplanes", settings.tables * settings.planes)[0]
    return made, planes.reshape(settings.tables, settings.planes, dim)


def report(tensors, settings, path=None):
    """Prints what agrees; Refused where something does not. tensors: q, k, v of a captured file."""
    found = library(path)
    if isinstance(found, str):
        print(f"cuda check: skipped, {found}", flush=True)
        return
    gpu, loaded = found
    tensors = {name: tensor.cuda() for name, tensor in tensors.items()}
    made, hyperplanes = torch_side(tensors, settings)
    heads, queries, dim = tensors["q"].shape
    index = gpu.Index(tensors["k"], tensors["v"], hyperplanes=hyperplanes, library=loaded)
    keys, kv_heads = tensors["k"].shape[1], tensors["k"].shape[0]
    rule = selection.Rule(max(1, keys // SPARSITY))
    scores, outputs = [], []
    for row in range(queries):
        q = tensors["q"][:, row].unsqueeze(0).contiguous()
        half = gpu.soft_buckets(q, index.hyperplanes, temperature=settings.temperature, library=loaded)
        scored = gpu.score_packed(half, index.packed, index.norms, planes=settings.planes, used=keys, library=loaded)
        scores.append(scored[0, :, :keys])
        step = {"budget": rule.budget, "sink": rule.sink, "window": rule.window, "temperature": settings.temperature}
        outputs.append(gpu.decode_step(q, index, **step)[0])
    scores = torch.stack(scores, dim=1).reshape(1, kv_heads, -1, keys)
    outputs = torch.stack(outputs, dim=1).reshape(1, kv_heads, -1, dim)
    reference = hash_scores.soft_scores(made) * index.norms[:, :, :keys].float().unsqueeze(2)
    flat = hyperplanes.flatten(0, 1)
    tolerance = score_tolerance(made.queries, flat, settings).unsqueeze(-1)
    worst, unsure = compared(scores, reference, tolerance, doubtful(made.keys, flat).unsqueeze(2))
    expected = selection.attend(made, selection.select(made, reference, rule))
    error = (outputs - expected).norm(dim=-1) / expected.norm(dim=-1)
    close = (error <= 1e-3).float().mean().item()
    print(
        f"cuda check: {scores.numel()} scores, largest error over its tolerance {worst:.3g}; "
        f"{unsure:.2%} of the keys lie within rounding of a hyperplane;\n"
        f"  decode steps: {close:.2%} of {error.numel()} outputs within 1e-3, median error {error.median().item():.2g}",
        flush=True,
    )
    if not worst <= 1:
        raise Refused(f"cuda check: a score is off by {worst:.3g} times its tolerance; allowed is 1")
    # Lists may differ where two scores tie to within rounding, one key in a list: some outputs, not many.
    if not close >= 0.9:
        raise Refused(f"cuda check: {close:.2%} of the outputs agree; allowed are 90% and more")
