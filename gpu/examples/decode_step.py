"""One decode step from PyTorch through ctypes, checked against a re-statement in PyTorch.

    python3 gpu/examples/decode_step.py build/gpu/libsocketlab_gpu.so

Nothing is built against PyTorch: tensors give their pointers, PyTorch gives its stream. The budget is put where the scores
of neighbouring ranks differ most, so that rounding cannot change the selection and the outputs are comparable.
"""

import ctypes
import math
import sys

import torch

F32, F16, BF16 = 0, 1, 2
BATCH, HEADS, KV_HEADS, KEYS, CAPACITY, DIM = 1, 4, 2, 4000, 4096, 128
TABLES, PLANES, TEMPERATURE, SINK, WINDOW = 60, 10, 0.5, 8, 8


def struct(name, pointers, integers, floats, flags):
    fields = [(f, ctypes.c_void_p) for f in pointers.split()] + [(f, ctypes.c_int64) for f in integers.split()]
    fields += [(f, ctypes.c_float) for f in floats.split()] + [(f, ctypes.c_int32) for f in flags.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


HashKeys = struct("HashKeys", "keys hyperplanes codes", "batch kv_heads capacity first count dim tables planes", "", "key_type")
ValueNorms = struct("ValueNorms", "values norms", "batch kv_heads capacity first count dim", "", "value_type form")
PackCodes = struct("PackCodes", "codes packed", "batch kv_heads capacity first count tables planes", "", "")


class DecodeStep(ctypes.Structure):
    _fields_ = (
        [(f, ctypes.c_void_p) for f in "queries keys values hyperplanes packed norms allowed output workspace".split()]
        + [(f, ctypes.c_int64) for f in ("workspace_bytes batch heads kv_heads capacity used dim tables planes budget sink "
                                         "window").split()]
        + [(f, ctypes.c_float) for f in "scale temperature logit_scale".split()]
        + [(f, ctypes.c_int32) for f in "allowed_per_head type rule".split()]
        + [("block_table", ctypes.c_void_p)]  # none here: no pages
        + [(f, ctypes.c_int64) for f in "blocks pages page_size page_stride head_stride token_stride".split()]
    )


def call(function, arguments, *rest):
    message = ctypes.create_string_buffer(256)
    if function(ctypes.byref(arguments), *rest, message) != 0:
        sys.exit("refused: " + message.value.decode())


def reference_scores(q, k, v, w):
    """[heads, keys] in double; norms rounded to fp16 as the index keeps them."""
    k, v = (x[0, :, :KEYS].double().repeat_interleave(HEADS // KV_HEADS, 0) for x in (k, v))
    bits = torch.einsum("lpd,hkd->hlkp", w.double(), k) >= 0
    u = torch.tanh(torch.einsum("lpd,hd->hlp", w.double(), q[0].double())) / math.sqrt(DIM)
    plane = torch.nn.functional.logsigmoid(2 * u[:, :, None, :] / TEMPERATURE * torch.where(bits, 1.0, -1.0))
    return plane.sum(-1).exp().sum(1) * v.norm(dim=-1).half().double()


def budget_at_widest_gap(scores):
    ranked = scores[:, SINK:KEYS - WINDOW].sort(descending=True).values
    gaps = ((ranked[:, :-1] - ranked[:, 1:]) / ranked[:, 1:]).min(0).values
    best = 300 + int(gaps[300:600].argmax())
    return best + 1, float(gaps[best])


def reference_output(q, k, v, scores, budget):
    scores = scores.clone()
    scores[:, :SINK] = scores[:, KEYS - WINDOW:] = math.inf
    chosen = scores.topk(budget + SINK + WINDOW).indices
    rows = torch.arange(HEADS, device="cuda")[:, None] // (HEADS // KV_HEADS)
    keys, values = k[0].double()[rows, chosen], v[0].double()[rows, chosen]
    logits = torch.einsum("hd,hkd->hk", q[0].double(), keys) / math.sqrt(DIM)
    return torch.einsum("hk,hkd->hd", logits.softmax(-1), values)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    library = ctypes.CDLL(sys.argv[1])
    torch.manual_seed(1)
    make = lambda *shape, dtype=torch.bfloat16: torch.randn(shape, device="cuda").to(dtype)
    q, w = make(BATCH, HEADS, DIM), make(TABLES, PLANES, DIM, dtype=torch.float32)
    k, v = make(BATCH, KV_HEADS, CAPACITY, DIM), make(BATCH, KV_HEADS, CAPACITY, DIM)
    words = ((TABLES + 3) // 4 * PLANES + 7) // 8
    codes = torch.empty(BATCH, KV_HEADS, TABLES, CAPACITY, device="cuda", dtype=torch.int16)
    packed = torch.empty(BATCH, KV_HEADS, CAPACITY * words, device="cuda", dtype=torch.int32)
    norms = torch.empty(BATCH, KV_HEADS, CAPACITY, device="cuda", dtype=torch.float16)
    output = torch.full((BATCH, HEADS, DIM), math.nan, device="cuda")
    scores = reference_scores(q, k, v, w)
    budget, gap = budget_at_widest_gap(scores)

    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    cache = (BATCH, KV_HEADS, CAPACITY, 0, KEYS)
    call(library.skt_hash_keys, HashKeys(k.data_ptr(), w.data_ptr(), codes.data_ptr(), *cache, DIM, TABLES, PLANES, BF16), stream)
    call(library.skt_value_norms, ValueNorms(v.data_ptr(), norms.data_ptr(), *cache, DIM, BF16, 0), stream)
    call(library.skt_pack_codes, PackCodes(codes.data_ptr(), packed.data_ptr(), *cache, TABLES, PLANES), stream)
    scale = 1 / math.sqrt(DIM)
    step = DecodeStep(q.data_ptr(), k.data_ptr(), v.data_ptr(), w.data_ptr(), packed.data_ptr(), norms.data_ptr(), None,
                      output.data_ptr(), None, 0, BATCH, HEADS, KV_HEADS, CAPACITY, KEYS, DIM, TABLES, PLANES, budget, SINK,
                      WINDOW, scale, TEMPERATURE, scale, 0, BF16, 0)
    needed = ctypes.c_int64()
    call(library.skt_decode_step_workspace_bytes, step, ctypes.byref(needed))
    workspace = torch.empty(needed.value, device="cuda", dtype=torch.uint8)
    step.workspace, step.workspace_bytes = workspace.data_ptr(), needed.value
    call(library.skt_decode_step, step, stream)

    expected = reference_output(q, k, v, scores, budget)
    error = float((output[0].double() - expected).abs().max())
    # The bound of gpu/attention.cu with |q||k| for sum |q_d k_d|, u = 2^-24.
    logit = (DIM + 8) * 2**-24 * float(q.double().norm(dim=-1).max() * k.double().norm(dim=-1).max()) * scale
    tolerance = 1.01 * (2 * logit + (budget + SINK + WINDOW + 40) * 2**-24) * float(v.abs().max())
    print(f"budget {budget} (relative score gap {gap:.1e}): largest error {error:.3g}, tolerance {tolerance:.3g}")
    if not error <= tolerance:
        sys.exit("the outputs differ")


if __name__ == "__main__":
    main()
