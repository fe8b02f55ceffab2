"""How long do others take for the selection, and for attention over the whole cache, on the same tensors and in the same run?

    python3 gpu/bench/peers/peers.py build/gpu/libsocketlab_gpu.so [--cub libcub_topk.so] > peers.csv

Needs PyTorch and a GPU.

select: skt_select_keys (no sink, no window, so that all promise the same) beside torch.topk, torch.sort, FlashInfer's top_k and
cub::DeviceTopK (cub_topk.cu). Scores are those of skt_score_packed; with 8 KV heads four rows share their codes. attend:
PyTorch's flash and cuDNN attention, which divide the keys among blocks, FlashInfer's decode, and skt_sparse_attention over a list
of all keys. compiled: PyTorch's flex_attention, compiled by Triton first, with and without a block mask: PyTorch 2.11 takes all
keys for one block of 2^30 where it gets none, and divides that. What is not installed is left out with a line on stderr. peer_checks.py
names the columns.

Each is captured in a CUDA graph of several calls and replayed. What the graph leaves after the last repetition is checked
(harness.py): each row's set against a threshold that is counted out, by the peer's rule for ties; each number
of attention against double, within a derived bound. A miss ends with exit code 1.
"""

import math
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))
# ruff: noqa: E402
import harness
import torch
from harness import DIM, FAST_BACKENDS, HEADS, SCALE, SPARSITY, attend, drawn_cache, gpu, normal, timed_and_left
from peer_checks import COLUMNS, by_lower_index, disagreement, output_bound, weight_error
from selection_peers import installed, interface_version, left_out, selections

QUERY_DEVIATION = 3  # as gpu-bench has it
PAST_CACHE_BYTES = 128 << 20  # of scores in all sets together: the L2 of an H200 has 60 MB
MOST_SETS = 64
BLOCK = 128  # keys of a block mask, as create_block_mask has it
CALLS = 4  # of one graph where a set is past L2 by itself, and where it is to be kept


class Miss(Exception):
    """What a peer left is not what it promises."""


def missed(miss):
    print(f"wrong: {miss}", file=sys.stderr)
    return 1


class Cache:
    """Queries [1, 32, 1, 128], keys and values [1, kv_heads, keys, 128], bf16."""

    def __init__(self, kv_heads, keys):
        self.kv_heads, self.keys, self.grouped = kv_heads, keys, kv_heads != HEADS
        self.q = (QUERY_DEVIATION * normal(1, HEADS, 1, DIM)).contiguous()
        self.k, self.v = drawn_cache(kv_heads, keys)
        self.cells = dict(rows=HEADS, kv_heads=kv_heads, keys=keys)

    def scores(self, library):
        """By skt_score_packed, fp32 [32, keys]."""
        index = gpu.Index(self.k, self.v, hyperplanes=harness.drawn_hyperplanes(), library=library)
        scores = harness.scores_of(self.q[:, :, 0].contiguous(), index)
        torch.cuda.synchronize()
        return scores[0]


# Selection


def thresholds(scores, budget):
    """(better, tied) of each row, lists of keys; exits unless the counts make it the threshold."""
    least = torch.kthvalue(scores, scores.shape[1] - budget + 1, dim=1).values[:, None]
    better, tied = scores > least, scores == least
    if not ((better.sum(1) < budget) & (better.sum(1) + tied.sum(1) >= budget)).all():
        sys.exit("the reference has no threshold: are scores NaN?")
    return [tuple(torch.nonzero(of)[:, 0].tolist() for of in (better[row], tied[row])) for row in range(len(scores))]


def check_selection(peer, left, reference, budget):
    """Miss unless every call left the best of every row; how many rows have the lower index in all calls."""
    lower = [True] * len(reference)
    checked = []
    for indices, *_ in left:
        in_order = indices.long().sort(dim=1).values
        if any(torch.equal(in_order, other) for other in checked):
            continue
        checked.append(in_order)
        for row, (chosen, (better, tied)) in enumerate(zip(indices.tolist(), reference, strict=True)):
            wrong = disagreement(chosen, better, tied, budget, peer.ties)
            if wrong:
                raise Miss(f"{peer.name}, row {row}: {wrong}")
            lower[row] = lower[row] and by_lower_index(chosen, better, tied, budget)
    return sum(lower)


def select(record, peers, cells, scores, name, memory):
    """A row for each peer; how many missed."""
    misses = 0
    budget = scores.shape[1] // SPARSITY
    reference = thresholds(scores, budget)
    contested = sum(len(better) + len(tied) > budget for better, tied in reference)
    wanted = PAST_CACHE_BYTES // scores.nbytes + 1
    for peer in peers:
        sets = [scores] * CALLS
        if memory == "cold":
            sets = [scores.clone() for _ in range(min(wanted, peer.most_sets or MOST_SETS))]
        try:
            times, left = timed_and_left([peer.prepare(each, budget) for each in sets])
            by_lower = check_selection(peer, left, reference, budget)
        except Miss as miss:
            misses += missed(miss)
            continue
        except RuntimeError as error:
            left_out(peer.name, str(error).splitlines()[0])
            torch.cuda.synchronize()
            continue
        record.add(
            times, calls=len(sets), operation="select", peer=peer.name, version=peer.version, budget=budget, scores=name,
            memory=memory, ties=peer.ties, contested=contested, by_lower_index=by_lower, **cells,
        )  # fmt: skip
        del left, sets
    return misses


# Attention


class Exact:
    """Attention of each head in double: outputs, bounds, and outputs without the heaviest key, [heads, dim]."""

    def __init__(self, cache):
        group = HEADS // cache.kv_heads
        self.outputs, self.bounds, self.lies = [], [], []
        for head in range(HEADS):
            q, k, v = cache.q[0, head, 0].double(), cache.k[0, head // group].double(), cache.v[0, head // group]
            logits = k @ q * SCALE
            weights = torch.softmax(logits, dim=0)
            exact, size = weights @ v.double(), weights @ v.double().abs()
            dot_size = SCALE * (k.abs() @ q.abs()).max().item()
            spread, largest = (logits.max() - logits.min()).item(), logits.abs().max().item()
            error = weight_error(DIM, cache.keys, dot_size, spread, largest)
            weight, at = weights.max(dim=0)
            self.outputs.append(exact)
            self.bounds.append(output_bound(exact, size, error))
            self.lies.append((exact - weight * v[at].double()) / (1 - weight))
        self.outputs, self.bounds, self.lies = map(torch.stack, (self.outputs, self.bounds, self.lies))

    def check(self, peer, left):
        """Miss unless all calls are within the bound and the lie is not; the largest share, and the lie's least of a row."""
        worst, lie = 0.0, math.inf
        for output, *_ in left:
            output = output.reshape(HEADS, DIM).double()
            share = ((output - self.outputs).abs() / self.bounds).amax(dim=1)
            of_lie = ((output - self.lies).abs() / self.bounds).amax(dim=1)
            if not (share <= 1).all():
                row = share.nan_to_num(nan=math.inf).argmax().item()
                raise Miss(f"{peer}, row {row}: off by {share[row].item():.3g} times the bound")
            if not (of_lie > 1).all():
                raise Miss(f"{peer}: the check would take an output without its heaviest key")
            worst, lie = max(worst, share.max().item()), min(lie, of_lie.min().item())
        return dict(of_bound=f"{worst:.3f}", lie_of_bound=f"{lie:.2f}")


def over_all_keys(library, cache):
    """skt_sparse_attention over a list of all keys."""
    made = dict(device="cuda", dtype=torch.int32)
    listed = torch.arange(cache.keys, **made).expand(1, HEADS, -1).contiguous()
    given = (cache.q[:, :, 0].contiguous(), cache.k, cache.v, listed, torch.full((1, HEADS), cache.keys, **made))
    out = torch.empty(1, HEADS, DIM, device="cuda"), torch.empty(1, HEADS, device="cuda")
    workspace = gpu.attention_workspace(*given, library=library)

    def call():
        return (gpu.sparse_attention(*given, out=out, workspace=workspace, library=library)[0],)

    return call


def attentions(library, cache, flashinfer):
    """(peer, version, call) of what needs no compiling first."""
    yield "skt_sparse_attention", f"interface {interface_version(library)}", over_all_keys(library, cache)
    for name in FAST_BACKENDS:
        yield name, f"PyTorch {torch.__version__}", lambda name=name: (attend(name, cache.q, cache.k, cache.v),)
    if flashinfer is not None:

        def decode():
            named = dict(kv_layout="HND", use_tensor_cores=cache.grouped, sm_scale=SCALE)
            return (flashinfer.single_decode_with_kv_cache(cache.q[0, :, 0], cache.k[0], cache.v[0], **named),)

        yield "flashinfer.single_decode_with_kv_cache", f"FlashInfer {flashinfer.__version__}", decode


def compiled_attention(cache):
    """flex_attention as it is, and with a mask of blocks that leaves nothing out, by which it divides the keys."""
    from torch.nn.attention.flex_attention import BlockMask, flex_attention

    compiled = torch.compile(flex_attention, dynamic=False)
    made = dict(device="cuda", dtype=torch.int32)
    indices = torch.arange((cache.keys + BLOCK - 1) // BLOCK, **made)[None, None, None]
    number = torch.full((1, 1, 1), indices.shape[-1], **made)
    mask = BlockMask.from_kv_blocks(number, indices, BLOCK_SIZE=BLOCK, seq_lengths=(1, cache.keys))
    for name, given in (("flex_attention", None), ("flex_attention(block_mask)", mask)):

        def call(given=given):
            return (compiled(cache.q, cache.k, cache.v, block_mask=given, enable_gqa=cache.grouped),)

        yield name, f"PyTorch {torch.__version__}", call


def attend_all(record, cache, peers):
    """A row for each peer; how many missed."""
    exact, misses = Exact(cache), 0
    for name, version, call in peers:
        try:
            times, left = timed_and_left([call] * CALLS)
            checked = exact.check(name, left)
        except torch.OutOfMemoryError:
            raise
        except Miss as miss:
            misses += missed(f"{cache.kv_heads} KV heads, {cache.keys} keys: {miss}")
            continue
        except Exception as error:  # of a compiler too
            left_out(name, f"{cache.kv_heads} KV heads, {cache.keys} keys: {str(error).splitlines()[0]}")
            torch.cuda.synchronize()
            continue
        cells = dict(operation="attend", peer=name, version=version, budget=cache.keys, memory="cold")
        record.add(times, calls=CALLS, **cells, **checked, **cache.cells)
    return misses


def measure(options, record):
    if any(keys < 64 or keys % 64 for keys in options.keys):
        raise ValueError(f"--keys {options.keys}: allowed are multiples of 64, from 64")
    flashinfer = installed("flashinfer") if "attend" in options.parts else None
    scored, misses = [], 0
    for keys in options.keys:
        for kv_heads in options.kv_heads:
            cache = Cache(kv_heads, keys)
            if "attend" in options.parts:
                misses += attend_all(record, cache, attentions(options.library, cache, flashinfer))
            if "select" in options.parts:
                scored.append((cache.cells, cache.scores(options.library)))
            if "compiled" in options.parts:
                misses += attend_all(record, cache, compiled_attention(cache))
            del cache
            torch.cuda.empty_cache()
    peers = list(selections(options.library, options.cub)) if scored else []
    for name, memory in (("packed", "cold"), ("packed", "kept"), ("rounded", "cold")):
        for cells, scores in scored:
            of_name = scores if name == "packed" else scores.bfloat16().float()
            misses += select(record, peers, cells, of_name, name, memory)
            torch.cuda.empty_cache()
    return misses


if __name__ == "__main__":
    parser = harness.parser(__doc__, keys=[harness.KEYS, 294912], kv_heads=[32, 8])
    parser.add_argument("--cub", help="what cub_topk.cu became; without it cub::DeviceTopK is left out")
    parts = ["attend", "select", "compiled"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    harness.run(measure, parser.parse_args(), COLUMNS)
