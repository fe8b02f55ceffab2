"""On which text is a model evaluated? Files, or six kinds of documentation that Debian packages hold, and windows of it.

Windows do not overlap. They go round the packages, then round a package's documents, so that few windows are spread over
all kinds. Every document's hash is recorded. Wrong if window i depended on how many windows are asked for.
"""

import csv
import dataclasses
import gzip
import hashlib
import html.parser
import itertools
from pathlib import Path

import numpy as np

# Prose, rules, a reference, a tutorial, source code, a list of changes; Debian 12. Written before any of it was evaluated.
HELD_OUT = {
    "anarchism": [f"/usr/share/doc/anarchism/html/{section}.html" for section in ("secC2", "secI4", "secJ5")],
    "debian-policy": [
        f"/usr/share/doc/debian-policy/{name}"
        for name in ("policy.txt.gz", "policy.html/_sources/upgrading-checklist.rst.txt")
    ],
    "perl-doc": [f"/usr/share/perl/5.36.0/pod/{name}.pod" for name in ("perlop", "perlre", "perlretut")],
    "git-doc": [
        f"/usr/share/doc/git-doc/{name}.txt" for name in ("user-manual", "gitcore-tutorial", "MyFirstContribution")
    ],
    "python3.11-examples": [
        f"/usr/share/doc/python3.11/examples/{name}.py"
        for name in ("clinic/clinic", "gdb/libpython", "scripts/texi2html")
    ],
    "python3.11": ["/usr/share/doc/python3.11/NEWS.gz"],
}


@dataclasses.dataclass(frozen=True)
class Document:
    package: str  # of Debian, or the folder that holds the file
    name: str
    sha256: str
    text: str


class _Plain(html.parser.HTMLParser):
    """The text of a page without its marks."""

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def read(path, package):
    path = Path(path)
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8", errors="replace")
    if path.name.removesuffix(".gz").endswith((".html", ".htm")):
        page = _Plain()
        page.feed(text)
        text = "".join(page.parts)
    return Document(package, path.name, hashlib.sha256(content).hexdigest(), text)


def documents(given, root="/"):
    """Of files and folders, or of the word `debian` for HELD_OUT. ValueError for what is not there."""
    if list(given) == ["debian"]:
        places = {package: [Path(root, path.lstrip("/")) for path in paths] for package, paths in HELD_OUT.items()}
        missing = [package for package, paths in places.items() if not all(path.is_file() for path in paths)]
        if missing:
            raise ValueError(f"text debian: missing packages {' '.join(missing)}; allowed are installed ones, or files")
        return [read(path, package) for package, paths in places.items() for path in paths]
    found = []
    for name in map(Path, given):
        inside = sorted(path for path in name.rglob("*") if path.is_file()) if name.is_dir() else [name]
        if not inside or not inside[0].is_file():
            raise ValueError(f"text {name}: not there, or empty; allowed are files, folders of files, and debian")
        found += [read(path, path.resolve().parent.name) for path in inside]
    return found


@dataclasses.dataclass(frozen=True)
class Window:
    number: int
    package: str
    document: str
    start: int  # token of the document
    tokens: np.ndarray  # int64 [length + 1]


class Windows:
    """encode: text to token numbers. `of(length, number)` gives window `number`, the same however many are asked for."""

    def __init__(self, documents, encode, seed):
        self.documents = [(document, np.asarray(encode(document.text), dtype=np.int64)) for document in documents]
        self.seed, self._orders = seed, {}

    def places(self, length):
        """(document, start) in the order of the windows."""
        if length not in self._orders:
            packages = {}
            for index, (document, tokens) in enumerate(self.documents):
                random = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, length, index])))
                starts = random.permutation(len(tokens) // (length + 1)) * (length + 1)
                packages.setdefault(document.package, []).append([(index, int(start)) for start in starts])
            order = [_turns(documents) for documents in packages.values()]
            self._orders[length] = _turns(order)
        return self._orders[length]

    def of(self, length, number):
        places = self.places(length)
        if number >= len(places):
            raise ValueError(f"windows {number + 1} of {length} tokens: allowed are up to {len(places)} in these texts")
        index, start = places[number]
        document, tokens = self.documents[index]
        return Window(number, document.package, document.name, start, tokens[start : start + length + 1])

    def write(self, path):
        """The list of documents with their hashes."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["package", "document", "sha256", "tokens"])
            rows.writerows([d.package, d.name, d.sha256, len(tokens)] for d, tokens in self.documents)


def _turns(lists):
    """One of each list in turn, until all are used up."""
    end = object()
    rounds = itertools.zip_longest(*lists, fillvalue=end)
    return [item for row in rounds for item in row if item is not end]
