"""Queries, keys and values of a few heads of the model at one window of validation text, as `socketlab` reads them.

    python -m learned_attention.capture --model trained --out learned.safetensors [--cuda-check]

The file holds q [heads, queries, dim], k and v [key_heads, keys, dim] in bf16; query head h attends to key head h /
(heads / key_heads), whatever layer each comes from. The queries are the last positions, for --causal. KV heads are
taken so that as many kinds of head_statistics.py (local, sink, induction, diffuse) are among their query heads as
their number allows. The metadata say which layer and head each is, its kind and statistics, and the model, window and
command. Wrong if attention over the file's own tensors were not that of the model at its place:
tests/learned_attention/capture_test.py.
"""

import dataclasses
import hashlib
import json
import sys
from pathlib import Path

import safetensors.torch
import torch
from torch.nn import functional

from learned_attention import cuda_check, evaluate
from learned_attention.ranking import head_statistics
from learned_attention.ranking.problem import problem_of
from learned_attention.ranking.sparse_attention import by_head
from learned_attention.refusals import Parser, Refused, run, whole

PROGRAM = "learned_attention.capture"
KINDS = ("local", "sink", "induction", "diffuse")
HEADER_BYTES = 65_536  # kept free for the names and the metadata
ROWS = 64  # positions over which a head's kind is judged


class Recorder:
    """A hook that attends densely and keeps q, k, v in bf16, and the statistics of each head."""

    def __init__(self, tokens, settings):
        self.tokens, self.settings, self.layers, self.statistics = tokens, settings, [], []

    def __call__(self, layer, q, k, v):
        dense = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        with torch.autocast(q.device.type, enabled=False):
            parts = [part.bfloat16() for part in (q, k, v)]
            length, heads = q.shape[2], q.shape[1]
            rows = min(ROWS, length)
            positions = torch.arange(length - rows, length, device=q.device)
            problem = problem_of(layer, *parts, positions, max(1, length - rows), [0], self.settings)
            found = head_statistics.of_rows(problem, self.tokens, lambda numbers: by_head(numbers, heads))
        self.layers.append([part[0].cpu() for part in parts])
        table = {name: numbers[0].double().cpu().tolist() for name, numbers in found.items()}
        self.statistics.append([{name: values[h] for name, values in table.items()} for h in range(heads)])
        return dense


def described(statistics, group):
    """Each KV head: {"layer", "kv_head", "heads": [{"head", "kind", statistics}]}."""
    found = []
    for layer, heads in enumerate(statistics):
        for kv in range(len(heads) // group):
            own = range(kv * group, (kv + 1) * group)
            kinds = [{"head": h, "kind": head_statistics.kind(heads[h]), **heads[h]} for h in own]
            found.append({"layer": layer, "kv_head": kv, "heads": kinds})
    return found


def strength(one, kind):
    """How much of its kind the strongest query head of a KV head is; the diffuse ones by their number of keys."""
    mass = {"diffuse": "effective_keys"}.get(kind, f"{kind}_mass")
    return max((head[mass] for head in one["heads"] if head["kind"] == kind), default=float("-inf"))


def kinds_of(one):
    return frozenset(head["kind"] for head in one["heads"])


def reach(sets, missing, count):
    """How many of the missing kinds `count` KV heads have among them at most; sets: of the kinds of each KV head."""
    if count == 0:
        return 0
    return max((len(own & missing) + reach(sets, missing - own, count - 1) for own in sets if own & missing), default=0)


def chosen(described_heads, count):
    """Up to `count` KV heads: as many kinds as so many can have; for each kind in turn the one that is most of it."""
    sets = set(map(kinds_of, described_heads))
    taken, missing = [], frozenset().union(*sets)

    def take(candidates, kind):
        taken.append(max(candidates, key=lambda one: strength(one, kind)))

    for kind in KINDS:
        left, goal = count - len(taken), reach(sets, missing, count - len(taken))
        # Those that leave the others reachable: the strongest of a kind may be one too many.
        fit = [one for one in described_heads if kind in kinds_of(one) & missing]
        fit = [one for one in fit if len(own := kinds_of(one) & missing) + reach(sets, missing - own, left - 1) == goal]
        if left and fit:
            take(fit, kind)
            missing -= kinds_of(taken[-1])
    for kind in KINDS * count:
        more = [one for one in described_heads if one not in taken and kind in kinds_of(one)]
        if len(taken) < count and more:
            take(more, kind)
    return sorted(taken, key=lambda one: (one["layer"], one["kv_head"]))


def counted(described_heads):
    """How many query heads of each kind: "local 3, sink 0, ..."."""
    kinds = [head["kind"] for one in described_heads for head in one["heads"]]
    return ", ".join(f"{kind} {kinds.count(kind)}" for kind in KINDS)


def bytes_of_kv_head(length, queries, group, dim):
    return 2 * dim * (2 * length + group * queries)


def tensors_of(layers, taken, queries, group):
    """q, k, v of the file."""
    q = [layers[one["layer"]][0][head["head"], -queries:] for one in taken for head in one["heads"]]
    k, v = ([layers[one["layer"]][part][one["kv_head"]] for one in taken] for part in (1, 2))
    return {"q": torch.stack(q).contiguous(), "k": torch.stack(k).contiguous(), "v": torch.stack(v).contiguous()}


def parser():
    p = Parser(prog=PROGRAM, description=__doc__.split("\n\n")[0])
    p.add_argument("--model", required=True, help="folder that train wrote")
    p.add_argument("--out", required=True, help="the .safetensors file")
    p.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu", help="cpu, or a GPU as cuda:0")
    p.add_argument("--length", type=whole(64, 2**20), default=4096, help="keys [4096]")
    p.add_argument("--queries", type=whole(1, 4096), default=64, help="last positions whose queries are kept [64]")
    p.add_argument("--number", type=whole(0, 10**5), default=0, help="of the window, as in evaluate [0]")
    p.add_argument("--seed", type=whole(0, 10**6), default=1, help="of the windows, as in evaluate [1]")
    p.add_argument("--bytes", type=whole(10**5, 10**10), default=8_000_000, help="of the file at most [8000000]")
    p.add_argument(
        "--cuda-check", action="store_true", help="compares SOCKET's rule in the CUDA library with PyTorch's"
    )
    p.add_argument("--library", help="libsocketlab_gpu.so; else SOCKETLAB_GPU_LIBRARY")
    return p


def main(arguments):
    given = parser().parse_args(arguments)
    if given.queries > given.length:
        raise Refused(f"queries {given.queries}: allowed are up to the {given.length} keys")
    given.rows, given.sink, given.window, given.batch_tokens, given.prefix_gigabytes = ROWS, 4, 64, given.length, 0
    evaluator, _ = evaluate.evaluator_of(given)
    tokens = evaluator.examples.text(given.length, given.number + 1)[given.number : given.number + 1, :-1]
    recorder = Recorder(torch.from_numpy(tokens.copy()).to(given.device), evaluator.settings)
    evaluator.logits(tokens, recorder, last=1)
    shape = evaluator.model.shape
    group = shape.query_heads // shape.kv_heads
    count = (given.bytes - HEADER_BYTES) // bytes_of_kv_head(given.length, given.queries, group, shape.head_dim)
    if count < 1:
        raise Refused(
            f"bytes {given.bytes}: too few for one KV head of {given.length} keys; allowed are more, or fewer keys"
        )
    every = described(recorder.statistics, group)
    taken = chosen(every, count)
    checkpoint = Path(given.model, "model.safetensors").read_bytes()
    metadata = {
        "heads": json.dumps(taken),
        "window": json.dumps(
            {"length": given.length, "number": given.number, "seed": given.seed, "queries": given.queries}
        ),
        "model": json.dumps({"sha256": hashlib.sha256(checkpoint).hexdigest(), "shape": dataclasses.asdict(shape)}),
        "command": " ".join(["python -m", PROGRAM, *(Path(word).name for word in arguments)]),  # no place of a machine
        "torch": torch.__version__,
    }
    tensors = tensors_of(recorder.layers, taken, given.queries, group)
    try:
        safetensors.torch.save_file(tensors, given.out, metadata=metadata)
    except safetensors.SafetensorError as error:
        raise Refused(f"{given.out}: {error}; allowed is a place with the right to write and free space") from error
    kinds = ", ".join(f"{one['layer']}.{head['head']} {head['kind']}" for one in taken for head in one["heads"])
    print(f"heads of the model: {counted(every)}", flush=True)
    print(f"{given.out}: {len(taken)} KV heads of {given.length} keys; {kinds}", flush=True)
    if given.cuda_check:
        cuda_check.report(tensors, evaluator.settings, given.library)


if __name__ == "__main__":
    run(PROGRAM, main, sys.argv[1:])
