"""On which text is a model evaluated? Files, or six kinds of text that Debian packages hold, and windows of it.

Windows do not overlap. They go round the kinds, then round a kind's documents, so that few windows are spread over all.
Every document's hash is recorded. Wrong if window i depended on how many windows are asked for.
"""

import csv
import dataclasses
import gzip
import hashlib
import html.parser
import itertools
from pathlib import Path

import numpy as np

_DOC, _POD = "/usr/share/doc", "/usr/share/perl/5.36.0/pod"
_CHANGES = (
    ("changes", "bash", f"{_DOC}/bash/{{}}.gz", "CHANGES"),
    ("changes", "gdb", f"{_DOC}/gdb/{{}}.gz", "NEWS"),
    *(
        ("changes", f"python3-{name}", f"{_DOC}/python3-{name}/{{}}.gz", "changelog")
        for name in ("pip", "pyparsing", "setuptools")
    ),
)
# Six kinds of text: kind, package of Debian 12, path and names of its files.
NAMED = {
    # Each file long enough for a window of 8,000 tokens. Written before any of it was evaluated.
    "debian": (
        ("prose", "anarchism", f"{_DOC}/anarchism/html/{{}}.html", "secB4 secD1 secE3 secF3 secG2 secI2 secJ6"),
        ("rules", "debian-policy", f"{_DOC}/debian-policy/policy.html/_sources/{{}}.rst.txt",
         "ch-controlfields ch-files ch-opersys ch-sharedlibs ch-source upgrading-checklist"),
        ("reference", "perl-doc", f"{_POD}/{{}}.pod", "perlfaq4 perlipc perlport perlsub perlunicode perlvar"),
        ("tutorial", "git-doc", f"{_DOC}/git-doc/{{}}.txt",
         "MyFirstContribution git-bisect-lk2009 git-fast-import gitattributes gitcore-tutorial user-manual"),
        ("source", "python3.11-examples", f"{_DOC}/python3.11/examples/{{}}.py",
         "c-analyzer/c_parser/info clinic/clinic gdb/libpython scripts/texi2html stringbench/stringbench unicode/makeunicodedata"),
        *_CHANGES,
    ),
    # Each file long enough for a window of 32,000 tokens of Gemma 3; written before that length was evaluated.
    "debian-long": (
        ("prose", "anarchism", f"{_DOC}/anarchism/html/{{}}.html", "secA2 secC2 secH3 secI4 secJ5"),
        ("rules", "debian-policy", f"{_DOC}/debian-policy/{{}}.txt.gz", "policy"),
        ("reference", "perl-doc", f"{_POD}/{{}}.pod", "perlebcdic perlfunc perlguts perlop perlre"),
        ("tutorial", "git-doc", f"{_DOC}/git-doc/{{}}.txt", "user-manual"),
        ("tutorial", "perl-doc", f"{_POD}/{{}}.pod", "perlretut"),
        ("source", "python3.11-examples", f"{_DOC}/python3.11/examples/{{}}.py",
         "clinic/clinic gdb/libpython scripts/texi2html"),
        *_CHANGES,
    ),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Document:
    kind: str  # of NAMED's, or the folder that was given
    name: str  # "package/file", or the path in the folder
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


def read(path, kind, name):
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8", errors="replace")
    if path.name.removesuffix(".gz").endswith((".html", ".htm")):
        page = _Plain()
        page.feed(text)
        text = "".join(page.parts)
    return Document(kind, name, hashlib.sha256(content).hexdigest(), text)


def held_out(name, root="/"):
    """(kind, "package/file", path) of one of NAMED. ValueError with the packages that are missing."""
    paths = [(kind, package, path.format(file)) for kind, package, path, files in NAMED[name] for file in files.split()]
    found = [(kind, f"{package}/{Path(path).name}", Path(root, path.lstrip("/"))) for kind, package, path in paths]
    missing = sorted({document.split("/")[0] for _, document, path in found if not path.is_file()})
    if missing:
        raise ValueError(f"text {name}: missing packages: apt-get install {' '.join(missing)}; or name files")
    return found


def documents(given, root="/"):
    """Of files and folders, or of a word of NAMED, by kind and name. ValueError for what is not there."""
    if len(given) == 1 and given[0] in NAMED:
        return _in_order(read(path, kind, name) for kind, name, path in held_out(given[0], root))
    found = []
    for place in map(Path, given):
        inside = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
        if not inside or not inside[0].is_file():
            raise ValueError(
                f"text {place}: not there, or empty; allowed are files, folders of files, {', '.join(NAMED)}"
            )
        folder = place.resolve() if place.is_dir() else place.resolve().parent
        found += [read(path, folder.name, path.resolve().relative_to(folder).as_posix()) for path in inside]
    return _in_order(found)


def _in_order(documents):
    return sorted(documents, key=lambda document: (document.kind, document.name))


@dataclasses.dataclass(frozen=True)
class Window:
    number: int
    text: str  # kind of the document
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
            kinds = {}
            for index, (document, tokens) in enumerate(self.documents):
                random = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, length, index])))
                starts = random.permutation(len(tokens) // (length + 1)) * (length + 1)
                kinds.setdefault(document.kind, []).append([(index, int(start)) for start in starts])
            order = [_turns(documents) for documents in kinds.values()]
            self._orders[length] = _turns(order)
        return self._orders[length]

    def of(self, length, number):
        places = self.places(length)
        if number >= len(places):
            raise ValueError(f"windows {number + 1} of {length} tokens: allowed are up to {len(places)} in these texts")
        index, start = places[number]
        document, tokens = self.documents[index]
        return Window(number, document.kind, document.name, start, tokens[start : start + length + 1])

    def write(self, path):
        """The list of documents with their hashes."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["text", "document", "sha256", "tokens"])
            rows.writerows([d.kind, d.name, d.sha256, len(tokens)] for d, tokens in self.documents)


def _turns(lists):
    """One of each list in turn, until all are used up."""
    end = object()
    rounds = itertools.zip_longest(*lists, fillvalue=end)
    return [item for row in rounds for item in row if item is not end]


def kind_of(token):
    """What a token is, by its text."""
    bare = token.strip()
    if not bare:
        return "white space"
    if bare.isdecimal():
        return "number"
    if bare.isalpha():
        return "beginning of a word" if token[0] in " \n\t" else "rest of a word"
    return "other"
