"""How long does dense attention of one query to a head and sequence take in PyTorch, beside gpu-bench?

    python3 gpu/bench/dense_attention.py [--kv-heads 8 --keys 145408 ..]

Needs PyTorch and a GPU.

Decode shape: one query row for each head, bf16, head size 128. Each backend is captured in a CUDA graph of one call on
each of one or several key-value sets (together several times the L2) and replayed: the same method as gpu-bench. The floor
is the bytes of keys and values at the rate of a device copy in the same run, which reading alone can beat. What a backend does
not take, on stderr.
"""

import itertools
import statistics
import sys

import harness
import torch
from harness import BACKENDS, DIM, HEADS, LENGTHS, attend, drawn_cache, normal, timed

COPIED_BYTES = 1 << 30
COLUMNS = ("batch", "heads", "kv_heads", "keys", "backend", "median_us", "fastest_us", "slowest_us", "repetitions",
           "floor_bytes", "floor_us", "ratio")  # fmt: skip


def copy_us():
    """Of a kernel that reads and writes as much; copy_ becomes a memcpy node, which takes 1.4 times as long."""
    source, target = (torch.zeros(COPIED_BYTES // 4, device="cuda") for _ in range(2))
    return statistics.median(timed(lambda: torch.neg(source, out=target), [()]))


def measure(options, record):
    bytes_per_us = 2 * COPIED_BYTES / copy_us()
    for kv_heads, batch, keys in itertools.product(options.kv_heads, options.batch, options.keys):
        kv_bytes = 4 * batch * kv_heads * keys * DIM
        shape = {"batch": batch, "heads": options.heads, "kv_heads": kv_heads, "keys": keys}
        sets = [
            (normal(batch, options.heads, 1, DIM), *drawn_cache(kv_heads, keys, batch))
            for _ in range(harness.sets_beyond_l2(kv_bytes))
        ]
        for name in BACKENDS:
            try:
                times = timed(lambda *inputs: attend(name, *inputs), sets)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError as error:  # this backend does not take the shape
                print(f"{name}, {shape}: {str(error).splitlines()[0]}", file=sys.stderr)
                torch.cuda.synchronize()
                continue
            floor_us = kv_bytes / bytes_per_us
            ratio = f"{statistics.median(times) / floor_us:.3f}"
            record.add(times, backend=name, floor_bytes=kv_bytes, floor_us=f"{floor_us:.2f}", ratio=ratio, **shape)
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    parser = harness.parser(__doc__, library=False, keys=LENGTHS, kv_heads=[32])
    parser.add_argument("--heads", type=int, default=HEADS)
    parser.add_argument("--batch", type=int, nargs="+", default=[1])
    harness.run(measure, parser.parse_args(), COLUMNS)
