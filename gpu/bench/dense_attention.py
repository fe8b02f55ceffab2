"""How long does dense attention of one query to a head and sequence take in PyTorch, beside gpu-bench?

    python3 gpu/bench/dense_attention.py [--kv-heads 8 --keys 145408 ..]

Needs PyTorch and a GPU.

Decode shape: one query row for each head, bf16, head size 128. Each backend is captured in a CUDA graph of one call on
each of one or several key-value sets (together several times the L2) and replayed: the same method as gpu-bench. The floor
is the bytes of keys and values at the rate of a device copy in the same run, which reading alone can beat. Prints CSV; what
a backend does not take, on stderr.
"""

import argparse
import statistics
import sys

import needs
import torch
from graph_timing import timed
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {
    "dense-flash": SDPBackend.FLASH_ATTENTION,
    "dense-cudnn": SDPBackend.CUDNN_ATTENTION,
    "dense-memory-efficient": SDPBackend.EFFICIENT_ATTENTION,
}
DIM = 128
PAST_CACHE_BYTES = 512 << 20
COPIED_BYTES = 1 << 30


def attend(backend, q, k, v, grouped):
    with sdpa_kernel(backend):
        return scaled_dot_product_attention(q, k, v, enable_gqa=grouped)


def copy_us():
    """Of a kernel that reads and writes as much; copy_ becomes a memcpy node, which takes 1.4 times as long."""
    source, target = (torch.zeros(COPIED_BYTES // 4, device="cuda") for _ in range(2))
    return statistics.median(timed(lambda: torch.neg(source, out=target), [()]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--keys", type=int, nargs="+", default=[8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576]
    )
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=32)
    parser.add_argument("--batch", type=int, default=1)
    options = parser.parse_args()
    needs.gpu()
    print("batch,heads,kv_heads,keys,backend,median_us,fastest_us,slowest_us,repetitions,floor_bytes,floor_us,ratio")
    torch.manual_seed(1)
    bytes_per_us = 2 * COPIED_BYTES / copy_us()
    for keys in options.keys:
        kv_bytes = 4 * options.batch * options.kv_heads * keys * DIM
        count = max(1, min(8, PAST_CACHE_BYTES // kv_bytes + 1))
        shape = (options.batch, options.kv_heads, keys, DIM)

        def make(s):
            return torch.randn(s, device="cuda", dtype=torch.bfloat16)

        sets = [(make((options.batch, options.heads, 1, DIM)), make(shape), make(shape)) for _ in range(count)]
        grouped = options.heads != options.kv_heads
        for name, backend in BACKENDS.items():
            try:
                times = timed(lambda *inputs: attend(backend, *inputs, grouped), sets)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError as error:  # this backend does not take the shape
                print(
                    f"{name}, batch {options.batch}, {options.kv_heads} KV heads, {keys} keys: {str(error).splitlines()[0]}",
                    file=sys.stderr,
                )
                torch.cuda.synchronize()
                continue
            median, floor_us = statistics.median(times), kv_bytes / bytes_per_us
            print(
                f"{options.batch},{options.heads},{options.kv_heads},{keys},{name},{median:.2f},{min(times):.2f},{max(times):.2f},"
                f"{len(times)},{kv_bytes},{floor_us:.2f},{median / floor_us:.3f}",
                flush=True,
            )
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
