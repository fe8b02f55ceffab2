"""Which numbers do candidate.txt and decode_step.txt report? examples.csv, for the tables of the pages.

Usage: example_rows.py FOLDER > FOLDER/examples.csv   (FOLDER holds what `gpu/check/record.sh .. examples` wrote)
"""

import pathlib
import re
import sys


def rows(candidate, step):
    failed, cases = re.search(r"(\d+) of (\d+) cases failed", candidate).groups()
    unsupported = sum(int(count) for count in re.findall(r"^unsupported \S+, (\d+) cases", candidate, re.MULTILINE))
    doubtful, bits = re.search(r"but (\d+) of (\d+) bits", step).groups()
    (gap,) = re.search(r"at most (\S+) of the score gap", step).groups()
    error, share = re.search(r"largest error (\S+), (\S+) of its tolerance", step).groups()
    yield from (("candidate", "cases", cases), ("candidate", "failed", failed))
    yield ("candidate", "unsupported", unsupported)
    yield from (("decode-step", "bits", bits), ("decode-step", "bits within rounding", doubtful))
    yield ("decode-step", "most of the score gap", gap)
    yield from (("decode-step", "largest output error", error), ("decode-step", "of its tolerance", share))


def main(folder):
    print("example,quantity,value")
    for row in rows(*((folder / name).read_text(encoding="utf-8") for name in ("candidate.txt", "decode_step.txt"))):
        print(*row, sep=",")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(pathlib.Path(sys.argv[1]))
