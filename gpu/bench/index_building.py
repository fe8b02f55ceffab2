"""How fast is skt_build_index beside the matrix rate of the same GPU, and beside k-means product quantisation on the CPU?

    python3 gpu/bench/index_building.py build/gpu/libsocketlab_gpu.so

Needs PyTorch, scikit-learn and a GPU.

The rates count 2 * keys * bits * dim operations. `matmul-square` is PyTorch's product of two bf16 matrices of
8192 x 8192, `matmul-same` that of the keys with the hyperplanes, which must write every projection. Product quantisation is
scikit-learn's k-means (Lloyd) on every core, by threads inside one k-means or by one process to a core, whichever is faster;
a sample of heads is timed and its time scaled linearly to all heads, which share no work.
"""

import os
import statistics
import sys
import time

import harness
import torch
from harness import gpu, normal, timed

SIZES = {"heads": 32, "keys": harness.KEYS, "dim": 128, "tables": 60, "planes": 10}
COLUMNS = ("operation", "setting", *SIZES, "median_us", "fastest_us", "slowest_us", "repetitions", "tflops", "note")
SQUARE = 8192


def on_device(options, report):
    """Some heads' keys, and the time of an index over all."""
    shape, bits = (1, options.heads, options.keys, options.dim), options.tables * options.planes
    keys, values = normal(*shape), normal(*shape)
    hyperplanes = normal(options.tables, options.planes, options.dim, dtype=torch.float32)
    out = gpu.build_index(keys, hyperplanes, values, library=options.library)
    operations = 2.0 * options.heads * options.keys * bits * options.dim

    def built(operation, operations, norms, **places):
        given = (keys, hyperplanes, values if norms else None)
        named = {"out": out if norms else (out[0], None), "library": options.library, **places}
        return report(operation, "", timed(lambda: gpu.build_index(*given, **named), [()]), operations)

    index_us = built("build-index", operations, False)
    built("build-index-and-norms", operations, True)
    built("append-one-token", 0, True, first=options.keys - 1, count=1)
    flat, planes = keys.view(-1, options.dim), hyperplanes.view(bits, -1).bfloat16().t()
    product = torch.empty(flat.shape[0], bits, device="cuda", dtype=torch.bfloat16)
    report("matmul-same", "", timed(lambda: torch.matmul(flat, planes, out=product), [()]), operations)
    square = [normal(SQUARE, SQUARE) for _ in range(3)]
    times = timed(lambda: torch.matmul(square[0], square[1], out=square[2]), [()])
    rate = report("matmul-square", SQUARE, times, 2.0 * SQUARE**3)
    share = operations / index_us / (2.0 * SQUARE**3 / rate)
    print(f"build-index: {share:.3f} of the rate of matmul-square", file=sys.stderr)
    return keys[0, : options.sample_heads].float().cpu().numpy(), index_us


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


def measure(options, record):
    sizes = {name: getattr(options, name) for name in SIZES}

    def report(operation, setting, times, operations=0.0, note=""):
        median = statistics.median(times)
        rate = f"{operations / median / 1e6:.1f}" if operations else ""
        record.add(times, operation=operation, setting=setting, tflops=rate, note=note, **sizes)
        return median

    keys, built = on_device(options, report)
    for setting in options.settings:
        groups, bits = map(int, setting.split("x"))
        seconds, note = product_quantisation(options, keys, groups, bits)
        scaled = 1e6 * seconds * options.heads / len(keys)
        note = f"{len(keys)} heads scaled to {options.heads}; {note}"
        report("product-quantisation", setting, [scaled], note=note)
        print(f"build-index is {scaled / built:.0f} times faster than product quantisation {setting}", file=sys.stderr)


if __name__ == "__main__":
    parser = harness.parser(__doc__)
    for name, default in (SIZES | {"sample_heads": 8}).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    settings = ["2x6", "32x4", "32x8"]
    parser.add_argument("--settings", nargs="*", default=settings, help="groups x bits of product quantisation")
    harness.run(measure, parser.parse_args(), COLUMNS)
