"""At which SM clocks did the device run, and how often did its power limit hold it back? clock_counts.csv.

Usage: clock_rows.py FOLDER > FOLDER/clock_counts.csv   (FOLDER holds clocks_h200.csv, as nvidia-smi wrote it)

A line is one SM clock of the samples that are not idle; samples that are idle are the line of 0 MHz.
"""

import collections
import csv
import pathlib
import sys

IDLE, POWER_LIMIT = 1, 4  # bits of clocks_event_reasons.active


def main(folder):
    samples, limited = collections.Counter(), collections.Counter()
    with (folder / "clocks_h200.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            reasons = int(row["event_reasons"], 16)
            clock = 0 if reasons & IDLE else int(row["sm_clock"].removesuffix(" MHz"))
            samples[clock] += 1
            limited[clock] += bool(reasons & POWER_LIMIT)
    print("sm_mhz,samples,limited_by_power")
    for clock in sorted(samples):
        print(f"{clock},{samples[clock]},{limited[clock]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(pathlib.Path(sys.argv[1]))
