"""Do includes run one way between folders, and is every folder small enough to be read as a list?"""

import collections
import re

MOST_FILES = 25
SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh|h)$")
COUNTED = re.compile(r"\.(cpp|hpp|cu|cuh|h|py)$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Who may include whom, from the ground up; tests may include everything. gpu/check is a part of gpu.
ORDER = ("sim", "estimators", "gpu", "proofs_check", "experiments", "tests")


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


def findings(root, files):
    sources = [file for file in files if SOURCE.search(file)]
    known = set(sources)
    of_files, of_folders = collections.defaultdict(set), collections.defaultdict(set)
    wrong = []
    for file in sources:
        for target in INCLUDE.findall((root / file).read_text(encoding="utf-8")):
            if target not in known:
                continue
            of_files[file].add(target)
            if folder_of(file) != folder_of(target) and not file.startswith("tests/"):
                of_folders[folder_of(file)].add(folder_of(target))
            rooms = file.split("/")[0], target.split("/")[0]
            if all(room in ORDER for room in rooms) and ORDER.index(rooms[0]) < ORDER.index(rooms[1]):
                wrong.append(f"{file}: includes {target}: {rooms[0]} may not know {rooms[1]}")
    counts = collections.Counter(folder_of(file) for file in files if COUNTED.search(file))
    crowded = [
        f"{folder}: {count} source files: allowed are {MOST_FILES}; give a part of them a folder"
        for folder, count in sorted(counts.items())
        if count > MOST_FILES
    ]
    return wrong + circles(of_folders, "folders") + circles(of_files, "files") + crowded
