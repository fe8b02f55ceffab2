"""How fast is skt_build_index beside the matrix rate of the same GPU, and beside k-means product quantisation on the CPU?

    python3 gpu/bench/index_building.py build/gpu/libsocketlab_gpu.so

Needs PyTorch, scikit-learn and a GPU.

Prints CSV. The rates count 2 * keys * bits * dim operations. `matmul-square` is PyTorch's product of two bf16 matrices of
8192 x 8192, `matmul-same` that of the keys with the hyperplanes, which must write every projection. Product quantisation is
scikit-learn's k-means (Lloyd) on every core, by threads inside one k-means or by one process to a core, whichever is faster;
a sample of heads is timed and its time scaled linearly to all heads, which share no work.
"""

import argparse
import os
import statistics
import sys
import time

import needs
import torch
from graph_timing import timed
from interface import BF16, Library

COLUMNS = "operation,setting,heads,keys,dim,tables,planes,median_us,fastest_us,slowest_us,repetitions,tflops,note"
SQUARE = 8192


def row(options, operation, setting, times, operations=0.0, note=""):
    median = statistics.median(times)
    rate = f"{operations / median / 1e6:.1f}" if operations else ""
    print(
        f"{operation},{setting},{options.heads},{options.keys},{options.dim},{options.tables},{options.planes},{median:.2f},"
        f"{min(times):.2f},{max(times):.2f},{len(times)},{rate},{note}",
        flush=True,
    )
    return median


def build_index(library, options, inputs, first, count, with_norms):
    def call(keys, values, hyperplanes, packed, norms):
        second = dict(values=values, norms=norms) if with_norms else {}
        library.call(
            "skt_build_index",
            library.arguments(
                "skt_build_index",
                keys=keys,
                hyperplanes=hyperplanes,
                packed=packed,
                **second,
                batch=1,
                kv_heads=options.heads,
                capacity=options.keys,
                first=first,
                count=count,
                dim=options.dim,
                tables=options.tables,
                planes=options.planes,
                type=BF16,
            ),
        )

    return timed(call, inputs)


def on_device(library, options):
    bits = options.tables * options.planes

    def make(*shape, dtype=torch.bfloat16):
        return torch.randn(shape, device="cuda", dtype=dtype)

    shape = (options.heads, options.keys, options.dim)
    packed = torch.empty(
        options.heads,
        options.keys,
        ((options.tables + 3) // 4 * options.planes + 7) // 8,
        device="cuda",
        dtype=torch.int32,
    )
    norms = torch.empty(shape[:2], device="cuda", dtype=torch.float16)
    inputs = [(make(*shape), make(*shape), make(bits, options.dim, dtype=torch.float32), packed, norms)]
    operations = 2.0 * options.heads * options.keys * bits * options.dim
    built = row(options, "build-index", "", build_index(library, options, inputs, 0, options.keys, False), operations)
    row(options, "build-index-and-norms", "", build_index(library, options, inputs, 0, options.keys, True), operations)
    row(options, "append-one-token", "", build_index(library, options, inputs, options.keys - 1, 1, True))
    keys, _, hyperplanes, _, _ = inputs[0]
    flat, planes = keys.view(-1, options.dim), hyperplanes.bfloat16().t()
    product = torch.empty(flat.shape[0], bits, device="cuda", dtype=torch.bfloat16)
    row(options, "matmul-same", "", timed(lambda: torch.matmul(flat, planes, out=product), [()]), operations)
    square = [make(SQUARE, SQUARE) for _ in range(3)]
    rate = row(
        options,
        "matmul-square",
        SQUARE,
        timed(lambda: torch.matmul(square[0], square[1], out=square[2]), [()]),
        2.0 * SQUARE**3,
    )
    share = operations / built / (2.0 * SQUARE**3 / rate)
    print(f"build-index: {share:.3f} of the rate of matmul-square", file=sys.stderr)
    return keys[: options.sample_heads].float().cpu().numpy(), built


def cluster(points, centroids):
    from sklearn.cluster import KMeans

    KMeans(centroids, init="random", n_init=1, max_iter=10, tol=0, algorithm="lloyd", random_state=1).fit(points)


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def product_quantisation(options, keys, groups, bits):
    """Seconds for the sampled heads, by the faster of both ways to use the cores."""
    import warnings

    from joblib import Parallel, delayed

    warnings.filterwarnings("ignore")  # it does not converge in 10 rounds, as intended
    parts = [part.copy() for head in keys for part in head.reshape(options.keys, groups, -1).transpose(1, 0, 2)]
    cores = os.cpu_count()
    with Parallel(n_jobs=cores) as pool:
        pool(delayed(len)(part[:1]) for part in parts[:cores])  # start the processes
        processes = seconds_of(lambda: pool(delayed(cluster)(part, 2**bits) for part in parts))
    threads = seconds_of(lambda: [cluster(part, 2**bits) for part in parts])
    return min(processes, threads), f"{cores} cores; processes {processes:.2f} s; threads {threads:.2f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    for name, default in (
        ("heads", 32),
        ("keys", 145408),
        ("dim", 128),
        ("tables", 60),
        ("planes", 10),
        ("sample-heads", 8),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--settings", nargs="*", default=["2x6", "32x4", "32x8"], help="groups x bits of product quantisation"
    )
    options = parser.parse_args()
    torch.manual_seed(1)
    print(COLUMNS)
    needs.gpu()
    keys, built = on_device(Library(options.library), options)
    for setting in options.settings:
        groups, bits = map(int, setting.split("x"))
        seconds, note = product_quantisation(options, keys, groups, bits)
        scaled = 1e6 * seconds * options.heads / len(keys)
        row(
            options,
            "product-quantisation",
            setting,
            [scaled],
            note=f"{len(keys)} heads scaled to {options.heads}; {note}",
        )
        print(f"build-index is {scaled / built:.0f} times faster than product quantisation {setting}", file=sys.stderr)


if __name__ == "__main__":
    main()
