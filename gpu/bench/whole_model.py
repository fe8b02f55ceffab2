"""How many tokens a second does a whole model decode, by its shape, with SOCKET's step and with dense attention?

    python3 gpu/bench/whole_model.py build/gpu/libsocketlab_gpu.so [--shapes llama-3.1-8b --layers 32 --batch 1 --keys 145408 ..]

Needs PyTorch with Triton and a GPU.

A decoder of Llama's kind with random bf16 weights, which are distinct in every layer: RMSNorm, rotary positions, projections,
SwiGLU, lm_head and the greedy token, which the next step embeds. A token is one CUDA graph. In it the length of the sequences
grows on the device, key and value of the token are written to their place in each layer's own cache, and attention follows.
Norms, rotary positions and SwiGLU are single kernels by torch.compile. Lengths go round in the last 16 of --keys; dense arms
read all --keys, as their length is fixed when a graph is captured.

Arms, replayed in turn (the dense ones have the whole L2, of which others leave --kept-l2 MB to scores):

  none                  no attention at all: what the weights cost
  dense-flash, dense-cudnn, dense-fa3, dense-flashinfer (batch 1); the last two where their packages are installed
  dense-math            PyTorch's MATH with a mask over all keys, as the authors' first release had it; one layer only
  socket, signed-320    a list for each query head: SOCKET's rule with 600 bits a key, the signed projection with 320
  socket-one, signed-320-one, signed-160-one    one list for each KV head
  policy                signed-320-one, but dense attention by the step itself up to --dense-up-to keys

`append` says who indexes the new key: `step` the step itself, `call` a call of build_index before it, `none` nobody, which only
shows what appending costs. ms_a_token less that of `none` is attention with it. memory_gib is what weights, caches, the arm's
index and its outputs take, by their sizes.

output_error is |output - dense| / |dense| of one layer's attention, all heads together, dense in double; softmax_mass what
dense attention gives to the selected keys, mean of the heads. Both are over `clustered` keys (frontier.py: 256 centres to a
head, logits of deviation 3), not over the keys that are timed, which are independent Gaussian noise that no list can
summarise. Times do not depend on what keys hold. A setting that does not fit the GPU is left out with a line.
"""

import functools
import itertools
import os
import sys
from dataclasses import dataclass

import frontier
import harness
import torch
import torch.nn.functional as F
from gpu import ops  # as harness has found it
from harness import DIM, FAST_BACKENDS, SPARSITY, captured, gpu, keep_in_l2, spread, timed_in_turn

LENGTHS = [1024, 4096, 8192, 18432, 36864, 73728, harness.KEYS]
ROUND = 16  # lengths that come in turn
ROOM_GIB = 4  # for what is not counted: graphs, cuBLAS, activations
APPENDS = ("step", "call", "none")
COLUMNS = (
    *(
        "shape",
        "layers",
        "batch",
        "heads",
        "kv_heads",
        "keys",
        "arm",
        "append",
        "bits",
        "lists",
        "kept_l2_mb",
        "dense_up_to",
    ),
    *("ms_a_token", "fastest_ms", "slowest_ms", "repetitions", "tokens_a_second", "memory_gib"),
    *("output_error", "softmax_mass"),
)


@dataclass(frozen=True)
class Shape:
    kv_heads: int
    mlp: int
    vocabulary: int
    base: float  # of rotary positions
    dense_up_to: int  # where `policy` begins to select
    hidden: int = 4096
    heads: int = 32


SHAPES = {
    "llama-3.1-8b": Shape(kv_heads=8, mlp=14336, vocabulary=128256, base=500000, dense_up_to=32768),
    "llama-2-7b": Shape(kv_heads=32, mlp=11008, vocabulary=32000, base=10000, dense_up_to=4096),
}


@dataclass(frozen=True)
class Sparse:
    rule: str
    tables: int
    planes: int
    lists: str
    dense: bool = False

    @property
    def norms(self):
        return "key" if self.rule == "signed-projection" else "value"

    @property
    def index(self):
        """Arms with the same share one index."""
        return self.rule, self.tables, self.planes


SPARSE = {
    "socket": Sparse("soft-collision", 60, 10, "head"),
    "signed-320": Sparse("signed-projection", 40, 8, "head"),
    "socket-one": Sparse("soft-collision", 60, 10, "kv-head"),
    "signed-320-one": Sparse("signed-projection", 40, 8, "kv-head"),
    "signed-160-one": Sparse("signed-projection", 20, 8, "kv-head"),
    "policy": Sparse("signed-projection", 40, 8, "kv-head", dense=True),
}

# --- the model ------------------------------------------------------------------------------------------------------


def add_norm(hidden, update, weight):
    hidden = hidden + update
    wide = hidden.float()
    return hidden, (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)).bfloat16() * weight


def rotate(qkv, cosine, sine, heads, kv_heads):
    """Queries [batch, heads, dim], and keys and values [2, batch, kv_heads, 1, dim]."""
    parts = qkv.view(qkv.shape[0], -1, DIM)
    turned, values = parts[:, : heads + kv_heads].float(), parts[:, heads + kv_heads :]
    first, second = turned.chunk(2, -1)
    turned = torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1).bfloat16()
    return turned[:, :heads].contiguous(), torch.stack([turned[:, heads:], values])[:, :, :, None]


def gated(both):
    gate, up = both.chunk(2, -1)
    return F.silu(gate.float()).bfloat16() * up


def drawn(rows, columns):
    return torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16).normal_(std=columns**-0.5)


class Weights:
    """Of so many layers, and the kernels between them."""

    def __init__(self, shape, layers, compiled):
        self.shape, width = shape, shape.heads + 2 * shape.kv_heads
        sizes = [(width * DIM, shape.hidden), (shape.hidden, shape.hidden)]
        sizes += [(2 * shape.mlp, shape.hidden), (shape.hidden, shape.mlp)]
        self.layers = [[drawn(*size) for size in sizes] for _ in range(layers)]
        self.norm = torch.ones(shape.hidden, device="cuda", dtype=torch.bfloat16)
        self.embedding, self.head = (drawn(shape.vocabulary, shape.hidden) for _ in range(2))
        compile_ = torch.compile(dynamic=False) if compiled else (lambda function: function)
        self.add_norm, self.rotate, self.gated = (compile_(each) for each in (add_norm, rotate, gated))

    def bytes(self):
        return sum(part.nbytes for layer in self.layers for part in layer) + self.embedding.nbytes + self.head.nbytes


class Model:
    """Weights with caches [2, batch, kv_heads, keys, dim], full of Gaussian keys and values, and indexes over them."""

    def __init__(self, library, weights, batch, keys, indexes):
        self.weights, self.shape, self.batch, self.keys = weights, weights.shape, batch, keys
        capacity = -(-keys // 64) * 64
        size = (2, batch, self.shape.kv_heads, capacity, DIM)
        self.caches = [torch.empty(size, device="cuda", dtype=torch.bfloat16).normal_() for _ in weights.layers]
        self.step = torch.zeros(1, device="cuda", dtype=torch.int64)
        self.lengths = torch.full((batch,), keys, device="cuda", dtype=torch.int32)
        self.tokens = torch.zeros(batch, device="cuda", dtype=torch.int64)
        turns = self.shape.base ** -(torch.arange(0, DIM, 2, device="cuda") / DIM)
        self.angles = torch.arange(capacity, device="cuda")[:, None] * turns
        self.nothing = torch.zeros(batch, self.shape.hidden, device="cuda", dtype=torch.bfloat16)
        self.indexes = {key: [indexed(library, key, cache) for cache in self.caches] for key in indexes}

    def token(self, attend):
        """One step of decoding; attend(layer, q, its cache) gives [batch, heads, dim]."""
        weights, shape = self.weights, self.shape
        self.step.add_(1).remainder_(ROUND)
        position = self.step + (self.keys - ROUND)
        self.lengths.copy_(position + 1)
        angles = self.angles.index_select(0, position)
        cosine, sine = angles.cos(), angles.sin()
        hidden, update = weights.embedding.index_select(0, self.tokens), self.nothing
        for number, (qkv, out, gate_up, down) in enumerate(weights.layers):
            hidden, normed = weights.add_norm(hidden, update, weights.norm)
            q, written = weights.rotate(F.linear(normed, qkv), cosine, sine, shape.heads, shape.kv_heads)
            cache = self.caches[number]
            cache.index_copy_(3, position, written)
            attended = attend(number, q, cache).reshape(self.batch, shape.hidden)
            hidden, normed = weights.add_norm(hidden, F.linear(attended, out), weights.norm)
            update = F.linear(weights.gated(F.linear(normed, gate_up)), down)
        _, normed = weights.add_norm(hidden, update, weights.norm)
        torch.argmax(F.linear(normed, weights.head), -1, out=self.tokens)


@functools.cache
def hyperplanes_of(rule, tables, planes):
    """Gaussian for SOCKET, orthogonal in blocks for the signed projection; rounded to bf16."""
    bits = tables * planes
    rows = frontier.orthogonal_rows(bits) if rule == "signed-projection" else torch.randn(bits, DIM, device="cuda")
    return rows.float().view(tables, planes, DIM).bfloat16().float()


def indexed(library, key, cache):
    """Packed codes, norms and hyperplanes: norms of keys for the signed projection, of values for SOCKET."""
    planes, normed = hyperplanes_of(*key), cache[0 if key[0] == "signed-projection" else 1]
    return *gpu.build_index(cache[0], planes, normed, library=library), planes


# --- attention ------------------------------------------------------------------------------------------------------


def dense_arms(keys, batch, layers):
    """Name to attend(number, q, cache), over the first `keys` keys."""

    def pytorch(backend):
        return lambda _, q, cache: harness.attend(backend, q[:, :, None], cache[0, :, :, :keys], cache[1, :, :, :keys])

    arms = {"none": lambda _, q, cache: q} | {name: pytorch(name) for name in FAST_BACKENDS}
    if layers == 1:
        mask = torch.ones(1, 1, 1, keys, device="cuda", dtype=torch.bool)
        arms["dense-math"] = lambda _, q, cache: math_attention(q[:, :, None], *cache[:, :, :, :keys], mask)
    try:
        from flash_attn_interface import flash_attn_with_kvcache  # FlashAttention-3

        arms["dense-fa3"] = lambda _, q, cache: flash_attn_with_kvcache(
            q[:, None], *(part[:, :, :keys].transpose(1, 2) for part in cache)
        )
    except ImportError:
        pass
    try:
        from flashinfer import single_decode_with_kv_cache

        if batch == 1:
            arms["dense-flashinfer"] = lambda _, q, cache: single_decode_with_kv_cache(
                q[0], *(part[0, :, :keys] for part in cache), kv_layout="HND", use_tensor_cores=True
            )
    except ImportError:
        pass
    return arms


def math_attention(q, k, v, mask):
    with harness.sdpa_kernel(harness.SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=q.shape[1] != k.shape[1])


def step_of(arm, keys, dense_up_to, append="none"):
    """The arguments of decode_step that an arm has."""
    return {
        **dict(rule=arm.rule, lists=arm.lists, sparsity=SPARSITY, dense_up_to=dense_up_to if arm.dense else 0),
        **dict(append_count=int(append == "step"), append_norms=arm.norms, **harness.selection(keys)),
    }


def sparse_arm(model, arm, append, dense_up_to):
    """attend(number, q, cache) by the step, all layers in one workspace."""
    named, indexes = step_of(arm, model.keys, dense_up_to, append), model.indexes[arm.index]
    q = torch.empty(model.batch, model.shape.heads, DIM, device="cuda", dtype=torch.bfloat16)
    workspace = ops.step_workspace(q, *model.caches[0], *indexes[0], None, model.lengths, **named)

    def attend(number, q, cache):
        if append == "call":
            ops.append(*cache, *indexes[number], model.lengths, append_norms=arm.norms)
        output_type = "bfloat16"
        return ops.decode_step(q, *cache, *indexes[number], workspace, model.lengths, output_type=output_type, **named)[
            0
        ]

    return attend


@functools.cache
def qualities(library, shape, keys, arms, dense_up_to):
    """Of each arm (output error, softmax mass) over one draw of clustered keys."""
    q, k, v = frontier.instance("clustered", shape.heads, shape.kv_heads, keys)
    exact, cache = frontier.Dense(q, k, v), torch.stack([F.pad(part, (0, 0, 0, -keys % 64)) for part in (k, v)])
    q, whole, found = q[:, :, 0].contiguous(), exact.logits.logsumexp(-1), {}
    lengths = torch.tensor([keys], device="cuda", dtype=torch.int32)
    for name in arms:
        mass = torch.ones_like(whole)
        if name in SPARSE:
            arm = SPARSE[name]
            index = indexed(library, arm.index, cache)
            output, log_sums, *_ = ops.decode_step(q, *cache, *index, None, lengths, **step_of(arm, keys, dense_up_to))
            mass = (log_sums[0].double() - whole).exp()
        else:
            output = dense_arms(keys, 1, 1)[name](0, q, cache)
        error = (output.reshape(shape.heads, DIM).double() - exact.output).norm() / exact.output.norm()
        found[name] = {"output_error": f"{error:.6g}", "softmax_mass": f"{mass.mean():.6g}"}
    return found


# --- measurement ----------------------------------------------------------------------------------------------------


def gib(weights, batch, keys, arms):
    """What a setting takes with the indexes of these arms: codes of a key in whole words, and its norm."""
    keys_in_all = len(weights.layers) * batch * weights.shape.kv_heads * -(-keys // 64) * 64
    of_key = sum(4 * gpu._prefill.words_of_a_key(*key[1:]) + 2 for key in {arm.index for arm in arms})
    return (weights.bytes() + keys_in_all * (4 * DIM + of_key)) / 2**30


def graphs_of(model, arms, where):
    """A replay of a token by each arm; those that a backend refuses are left out with a line."""
    runs = {}
    for (name, append), arm in arms.items():
        try:
            runs[name, append] = captured(model.token, [(arm,)])
        except RuntimeError as error:
            if name in SPARSE or isinstance(error, torch.OutOfMemoryError):
                raise
            print(f"{where}, {name}: {str(error).splitlines()[0]}", file=sys.stderr)
    return runs


def setting(options, record, name_of_shape, weights, batch, keys):
    shape, layers = weights.shape, len(weights.layers)
    where = f"{name_of_shape}, {layers} layers, batch {batch}, {keys} keys"
    chosen = {name: arm for name, arm in SPARSE.items() if name in options.arms}
    need, there = gib(weights, batch, keys, chosen.values()) + ROOM_GIB, torch.cuda.mem_get_info()[1] / 2**30
    if need > there:
        print(f"{where}: left out, needs {need:.0f} GiB of {there:.0f}", file=sys.stderr, flush=True)
        return
    dense_up_to = shape.dense_up_to if options.dense_up_to is None else options.dense_up_to
    model = Model(options.library, weights, batch, keys, {arm.index for arm in chosen.values()})
    dense = {(name, ""): arm for name, arm in dense_arms(keys, batch, layers).items() if name in options.arms}
    sparse = {
        (name, append): sparse_arm(model, arm, append, dense_up_to)
        for (name, arm), append in itertools.product(chosen.items(), options.appends)
        if append == "step" or not arm.dense
    }
    runs = graphs_of(model, dense | sparse, where)
    kept = [options.kept_l2 if run in sparse else 0 for run in runs]
    times = timed_in_turn(list(runs.values()), 1, lambda number: keep_in_l2(kept[number])) if runs else []
    rows = [(*run, *measured) for run, *measured in zip(runs, kept, times, strict=True)]
    del model, dense, sparse, runs
    torch.cuda.empty_cache()
    asked = tuple(dict.fromkeys(name for name, *_ in rows if name != "none"))
    known = qualities(options.library, shape, keys, asked, dense_up_to)
    for name, append, kept, times in rows:
        arm, cells = SPARSE.get(name), spread(times)
        ms = {word: float(cells[f"{word}_us"]) / 1e3 for word in ("median", "fastest", "slowest")}
        record.add(
            shape=name_of_shape, layers=layers, batch=batch, heads=shape.heads, kv_heads=shape.kv_heads, keys=keys, arm=name,
            append=append, bits=arm.tables * arm.planes if arm else 0, lists=arm.lists if arm else "", kept_l2_mb=kept,
            dense_up_to=dense_up_to if arm and arm.dense else 0, ms_a_token=f"{ms['median']:.4f}",
            fastest_ms=f"{ms['fastest']:.4f}", slowest_ms=f"{ms['slowest']:.4f}", repetitions=cells["repetitions"],
            tokens_a_second=f"{1e3 * batch / ms['median']:.2f}",
            memory_gib=f"{gib(weights, batch, keys, [arm] if arm else []):.3f}", **known.get(name, {}),
        )  # fmt: skip
    print(f"{where}: done", file=sys.stderr, flush=True)


def measure(options, record):
    if least := [keys for keys in options.keys if keys < 1024]:
        raise ValueError(f"--keys {least[0]}: allowed are 1024 and more")
    os.environ["SOCKETLAB_GPU_LIBRARY"] = str(options.library.path)  # what operators load
    for shape, layers in itertools.product(options.shapes, options.layers):
        torch.manual_seed(options.seed)
        weights = Weights(SHAPES[shape], layers, not options.eager)
        for batch, keys in itertools.product(options.batch, options.keys):
            setting(options, record, shape, weights, batch, keys)
        del weights
        torch.cuda.empty_cache()


def parse():
    dense = ("none", *FAST_BACKENDS, "dense-fa3", "dense-flashinfer", "dense-math")
    parser = harness.parser(__doc__, keys=LENGTHS)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--layers", type=int, nargs="+", choices=range(1, 129), metavar="1..128", default=[32])
    parser.add_argument("--batch", type=int, nargs="+", choices=range(1, 257), metavar="1..256", default=[1])
    parser.add_argument("--arms", nargs="+", choices=(*dense, *SPARSE), default=[*dense, *SPARSE])
    parser.add_argument("--appends", nargs="+", choices=APPENDS, default=list(APPENDS))
    parser.add_argument("--dense-up-to", type=int, help="of `policy`; default: 32768 with 8 KV heads, 4096 with 32")
    parser.add_argument(
        "--kept-l2", type=int, default=24, help="MB for scores of the sparse arms, 0 to leave L2 as it is"
    )
    parser.add_argument(
        "--eager", action="store_true", help="without torch.compile: norms and rotary positions in parts"
    )
    return parser.parse_args()


if __name__ == "__main__":
    harness.run(measure, parse(), COLUMNS)
