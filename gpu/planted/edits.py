"""The planted edits: a passage of a kernel, what stands there instead, and which operations of gpu-check run that kernel.

    gpu/planted/edits.py apply NAME OUTPUT      the edited file, to OUTPUT; left alone where it is that already
    gpu/planted/edits.py operations NAME..      a line for each: the operations, the cheapest first
    gpu/planted/edits.py check [LIST.cmake ..]  whether each finds its passage once, edits something, and has a name of its own

The lists are gpu/planted/*edits.cmake; those given stand in their place. Exit 1 with a line for each edit that is wrong.
"""

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

GPU = Path(__file__).resolve().parents[1]
LISTS = (
    *("edits", "signed_edits", "list_edits", "append_edits", "page_edits", "row_edits", "rank_edits", "rest_edits"),
    "sync_edits",
)
EDIT = re.compile(
    r"^edit\((\S+) (\S+) (\S+)\s+\[\[\n?(.*?)\]\]\s+\[\[\n?(.*?)\]\]\)", re.DOTALL | re.MULTILINE
)  # of CMake: a newline behind [[ is not part of the text
STEPS = "decode-step decode-signed decode-lengths decode-rows"
OF_LIST = {
    "append_edits": "append-step",
    "page_edits": "paged-writes paged-index decode-rows",
    "row_edits": "decode-rows",
    "rest_edits": "decode-rest",
}
OF_UNIT = {  # by the beginning of its path, the first that fits
    "attention/merge_parts": "sharded-step select-shards",
    "selection/shards": "sharded-step select-shards",
    "attention/merge_rows": f"sparse-attention {STEPS} append-step sharded-step decode-rest",
    "attention/": f"sparse-attention {STEPS} sharded-step",
    "packed_scores/grouped": "score-signed decode-signed decode-lengths decode-rows paged-index sharded-step",
    "packed_scores/signed": "score-signed decode-signed decode-lengths decode-rows paged-index sharded-step",
    "packed_scores/": f"score-packed {STEPS} paged-index append-step sharded-step",
    "scores/collision": "bad-codes score-buckets pipeline",
    "scores/": f"soft-buckets {STEPS} append-step sharded-step",
    "selection/published": "published-list pipeline",
    "selection/": f"select-keys {STEPS} append-step select-shards sharded-step",
    "index/": "rewritten-index hash-keys build-index value-norms append-lengths paged-writes append-step refusals",
}
ALL = list(dict.fromkeys(" ".join([*OF_UNIT.values(), *OF_LIST.values()]).split()))


class Wrong(Exception):
    """An edit that cannot be made."""


@dataclass(frozen=True)
class Edit:
    name: str
    unit: str
    file: str
    passage: str
    replacement: str
    of_list: str

    def operations(self):
        where = next(operations for begin, operations in OF_UNIT.items() if self.unit.startswith(begin))
        return OF_LIST.get(self.of_list, where).split()

    def text(self):
        """The file with the passage replaced."""
        if not self.unit.endswith(".cu") or not (GPU / self.unit).is_file():
            raise Wrong(f"{self.name}: {self.unit} is no kernel file of gpu/")
        text = (GPU / self.file).read_text(encoding="utf-8")
        if (times := text.count(self.passage)) != 1:
            raise Wrong(f"{self.name}: {self.file} must hold this passage once, not {times} times:\n{self.passage}")
        if self.passage == self.replacement:
            raise Wrong(f"{self.name}: nothing is edited")
        return text.replace(self.passage, self.replacement)


def listed(paths=None):
    """Of all lists, in their order; or of those at these paths."""
    paths = paths or [GPU / "planted" / f"{name}.cmake" for name in LISTS]
    return [Edit(*edit, path.stem) for path in paths for edit in EDIT.findall(path.read_text(encoding="utf-8"))]


def edit_of(name):
    found = [edit for edit in listed() if edit.name == name]
    if not found:
        raise Wrong(f"{name}: no planted edit of this name")
    return found[0]


def check(paths):
    edits = listed(paths)
    wrong = [f"{name}: the name stands twice" for name, times in Counter(e.name for e in edits).items() if times > 1]
    for edit in edits:
        try:
            edit.text()
        except Wrong as error:
            wrong.append(str(error))
    if wrong or not edits:
        raise Wrong("\n".join(wrong) or "no edits")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["apply", "operations", "check"])
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    try:
        if given.verb == "apply":
            name, output = given.words
            text, output = edit_of(name).text(), Path(output)
            if not output.exists() or output.read_text(encoding="utf-8") != text:
                output.parent.mkdir(parents=True, exist_ok=True)
                output.write_text(text, encoding="utf-8")
        elif given.verb == "operations":
            print("\n".join(" ".join(edit_of(name).operations()) for name in given.words))
        else:
            check([Path(word) for word in given.words])
    except Wrong as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
