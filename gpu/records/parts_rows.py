"""Which lines of gpu-bench are in parts_h200.csv? The whole step, its times rounded to 0.01 us.

Usage: parts_rows.py KERNELS=FOLDER..   (prints the table; KERNELS is `before` or `after`, FOLDER the --out of a run of
gpu-bench; the runs of the same kernels and heads are counted in the order given)
"""

import csv
import pathlib
import sys


def main(arguments):
    print("kernels,kv_heads,run,median_us,fastest_us,slowest_us")
    runs = {}
    for argument in arguments:
        kernels, _, folder = argument.partition("=")
        with (pathlib.Path(folder) / "gpu_bench.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["stage"] != "decode-step":
                    continue
                place = (kernels, row["kv_heads"])
                runs[place] = runs.get(place, 0) + 1
                times = (f"{float(row[name]):.2f}" for name in ("median_us", "fastest_us", "slowest_us"))
                print(",".join([*place, str(runs[place]), *times]))


if __name__ == "__main__":
    if len(sys.argv) < 2 or not all("=" in argument for argument in sys.argv[1:]):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1:])
