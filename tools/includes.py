"""Do includes run one way between folders, and is every folder small enough to be read as a list?

Usage: includes.py < FILES   (all files, ended by zero bytes, by their paths from the root; exit code 1 with a finding)
"""

import collections
import re
import sys
from pathlib import Path

MOST_FILES = 25
SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh|h)$")
COUNTED = re.compile(r"\.(cpp|hpp|cu|cuh|h|py)$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# What each room may include beside itself.
KNOWS = {
    "sim": set(),
    "estimators": {"sim"},
    "gpu": {"sim", "estimators"},
    "proofs_check": {"sim", "estimators"},
    "experiments": {"sim", "estimators", "proofs_check", "gpu"},
    "python": {"sim", "estimators", "proofs_check", "gpu", "experiments"},
    "tests": {"sim", "estimators", "proofs_check", "gpu", "experiments"},
}


def folder_of(file):
    return file.rpartition("/")[0]


def reachable(graph, start):
    seen, front = set(), [start]
    while front:
        for target in graph[front.pop()]:
            if target not in seen:
                seen.add(target)
                front.append(target)
    return seen


def circles(graph, what):
    """One line a pair that reach each other."""
    reach = {node: reachable(graph, node) for node in list(graph)}
    return [
        f"{a}: its includes lead to {b} and back: {what} must have an order"
        for a in sorted(reach)
        for b in sorted(reach[a])
        if a < b and a in reach.get(b, ())
    ]


def findings(files):
    sources = [file for file in files if SOURCE.search(file)]
    known = set(sources)
    of_files, of_folders = collections.defaultdict(set), collections.defaultdict(set)
    wrong = []
    for file in sources:
        for target in INCLUDE.findall(Path(file).read_text(encoding="utf-8")):
            if target not in known:
                continue
            of_files[file].add(target)
            if folder_of(file) != folder_of(target) and not file.startswith("tests/"):
                of_folders[folder_of(file)].add(folder_of(target))
            room, other = file.split("/")[0], target.split("/")[0]
            if room != other and other not in KNOWS.get(room, ()):
                wrong.append(f"{file}: includes {target}: {room} may not know {other}")
    counts = collections.Counter(folder_of(file) for file in files if COUNTED.search(file))
    crowded = [
        f"{folder}: {count} source files: allowed are {MOST_FILES}; give a part of them a folder"
        for folder, count in sorted(counts.items())
        if count > MOST_FILES
    ]
    return wrong + circles(of_folders, "folders") + circles(of_files, "files") + crowded


if __name__ == "__main__":
    found = findings(sys.stdin.read().split("\0"))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
