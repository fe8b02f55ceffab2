"""Which text does the model learn from? The Python sources that are on the machine: the standard library and the
installed packages of the running Python, without repetitions, split by file into training and validation.

Left out: files that are not UTF-8, short ones, long ones (tables), ones with encoded data, the second of two files
whose code is the same once blank lines, comment lines and white space at line ends are gone, and validation files whose
lines stand in training files.
What was taken is written down with its hash, for another machine has other packages.
If this were wrong: the validation loss would be of text that was learned by heart
(tests/learned_attention/corpus_test.py).
"""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import sysconfig
import time
from pathlib import Path

import numpy as np

from learned_attention import tokenizer as bpe
from learned_attention.refusals import Refused, write_whole

SHORTEST_BYTES = 200
LONGEST_BYTES = 1_000_000
# Characters without white space: encoded data, on which training a BPE takes minutes.
LONGEST_WORD = 1_000
VALIDATION_PERCENT = 2
# A validation file is a near repetition if this share of its distinct lines of at least LINE_BYTES characters stands in
# training files.
NEAR_SHARE, LINE_BYTES = 0.8, 20
# Text that the tokenizer is trained on: a fixed part of the training files, chosen by their hash.
TOKENIZER_BYTES = 32_000_000
PARTS = ("train", "validation")


def default_sources():
    """The folders of the standard library and of installed packages."""
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def found(sources):
    """(name, path) of every .py below the folders, in order of name: the path below the deepest of the folders."""
    names = {}
    for source in sorted({Path(source).resolve() for source in sources}, key=lambda folder: len(folder.parts)):
        if not source.is_dir():
            raise Refused(f"{source}: not a folder; allowed are folders that hold .py files")
        for folder, below, files in os.walk(source):
            below[:] = sorted(name for name in below if name != "__pycache__")
            for file in sorted(files):
                if file.endswith(".py"):
                    path = Path(folder, file)
                    names[path] = path.relative_to(source).as_posix()
    return sorted(((name, path) for path, name in names.items()), key=lambda pair: (pair[0], str(pair[1])))


def digest(contents):
    return hashlib.sha256(contents).hexdigest()


def part_of(name):
    """By the hash of the name, so that a file stays where it is when another comes or goes."""
    return "validation" if int(digest(name.encode())[:8], 16) % 100 < VALIDATION_PERCENT else "train"


def code_lines(text):
    """Lines that are not blank and not comments, without white space at their end."""
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def line_hashes(lines):
    """uint64 of each distinct line that is long enough to be told from chance."""
    long = {line.strip() for line in lines if len(line.strip()) >= LINE_BYTES}
    hashes = [hashlib.blake2b(line.encode(), digest_size=8).digest() for line in long]
    return np.sort(np.frombuffer(b"".join(hashes), dtype=np.uint64))


def looked_at(path):
    """(why it is left out or "", digest, digest of its code, hashes of its lines, bytes) of a file."""
    try:
        contents = path.read_bytes()
        text = contents.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8", "", "", None, 0
    except OSError:
        return "cannot be read", "", "", None, 0
    if len(contents) < SHORTEST_BYTES:
        return "shorter", "", "", None, 0
    if len(contents) > LONGEST_BYTES:
        return "longer", "", "", None, 0
    if max(map(len, text.split()), default=0) > LONGEST_WORD:
        return "data", "", "", None, 0
    lines = code_lines(text)
    return "", digest(contents), digest("\n".join(lines).encode()), line_hashes(lines), len(contents)


def distinct(names, looks):
    """{part: indices of the files taken}, {why: number left out}; names in order, the first of equals is kept."""
    left_out, seen, parts = {}, set(), {part: [] for part in PARTS}
    for i, (name, (why, whole, code, _, _)) in enumerate(zip(names, looks, strict=True)):
        if not why:
            why = "repeated" if whole in seen else "repeated code" if code in seen else ""
        if why:
            left_out[why] = left_out.get(why, 0) + 1
            continue
        seen |= {whole, code}
        parts[part_of(name)].append(i)
    known = [looks[i][3] for i in parts["train"]]
    known = np.unique(np.concatenate(known)) if known else np.empty(0, np.uint64)
    kept = [i for i in parts["validation"] if not is_near(looks[i][3], known)]
    left_out["validation near training"] = len(parts["validation"]) - len(kept)
    return parts | {"validation": kept}, left_out


def is_near(lines, known):
    """Both sorted; known of millions of lines, each looked up by bisection."""
    if not len(lines) or not len(known):
        return False
    places = np.minimum(np.searchsorted(known, lines), len(known) - 1)
    return np.mean(known[places] == lines) >= NEAR_SHARE


def for_tokenizer(paths, sizes):
    """Paths of the training files whose text trains the tokenizer: in order of their hash, up to TOKENIZER_BYTES."""
    order = sorted(range(len(paths)), key=lambda i: digest(str(i).encode()))
    total, chosen = 0, []
    for i in order:
        if total >= TOKENIZER_BYTES:
            break
        total += sizes[i]
        chosen.append(i)
    return [paths[i] for i in sorted(chosen)]


_tokenizer = None


def start_encoding(path):
    global _tokenizer
    _tokenizer = bpe.read(path)


def encoded(path):
    """Tokens of a file and the one that ends it."""
    ids = bpe.encoder(_tokenizer)(path.read_bytes().decode("utf-8"))
    return np.array([*ids, bpe.END_OF_FILE_TOKEN], dtype=np.uint16)


def pool(processes, initializer=None, *given):
    """Worker processes that start anew instead of copying this one, whose threads a copy would lack."""
    return concurrent.futures.ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), initializer=initializer, initargs=given
    )


def write_part(folder, part, tokens):
    """{tokens, sha256} of a part's file, the files' tokens one behind the other."""
    contents = np.concatenate(tokens).tobytes()
    write_whole(folder / f"{part}.bin", contents)
    return {"tokens": len(contents) // 2, "tokens_sha256": digest(contents)}


def prepare(folder, sources, vocabulary, processes):
    """Writes train.bin, validation.bin (uint16 tokens), tokenizer.json and, last, corpus.json; the latter's record."""
    folder, begun = Path(folder), time.monotonic()
    pairs = found(sources)
    names, paths = [name for name, _ in pairs], [path for _, path in pairs]
    with pool(processes) as workers:
        looks = list(workers.map(looked_at, paths, chunksize=32))
    parts, left_out = distinct(names, looks)
    for part in PARTS:
        if not parts[part]:
            raise Refused(
                f"{', '.join(map(str, sources))}: {len(paths)} .py files and none left for {part}; "
                "allowed are folders with more Python sources"
            )
    chosen = for_tokenizer([paths[i] for i in parts["train"]], [looks[i][4] for i in parts["train"]])
    bpe.write(bpe.trained((path.read_text(encoding="utf-8") for path in chosen), vocabulary), folder / "tokenizer.json")
    record = {"left_out": left_out, "vocabulary": vocabulary, "sources": [str(source) for source in sources]}
    record["tokenizer_sha256"] = digest((folder / "tokenizer.json").read_bytes())
    with pool(processes, start_encoding, folder / "tokenizer.json") as workers:
        for part, indices in parts.items():
            tokens = list(workers.map(encoded, [paths[i] for i in indices], chunksize=8))
            files = "".join(f"{looks[i][1]} {names[i]}\n" for i in indices)
            record[part] = {
                "files": len(indices),
                "bytes": sum(looks[i][4] for i in indices),
                "sha256": digest(files.encode()),  # of the lines "sha256-of-the-file name"
                **write_part(folder, part, tokens),
            }
    record["seconds"] = round(time.monotonic() - begun, 1)
    write_whole(folder / "corpus.json", (json.dumps(record, indent=2) + "\n").encode())
    return record


def prepared(folder, vocabulary):
    """The record of a folder that was prepared before, or None; its files must be those of the record."""
    folder = Path(folder)
    if not (folder / "corpus.json").is_file():
        return None
    try:
        record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        same = record["vocabulary"] == vocabulary and all(
            digest((folder / f"{part}.bin").read_bytes()) == record[part]["tokens_sha256"] for part in PARTS
        )
        same = same and digest((folder / "tokenizer.json").read_bytes()) == record["tokenizer_sha256"]
    except (ValueError, KeyError, TypeError, FileNotFoundError) as error:
        raise Refused(
            f"{folder}: corpus.json and its files do not go together ({error!r}); allowed is to remove it"
        ) from error
    if not same:
        raise Refused(f"{folder}: a corpus of other files or another vocabulary; allowed is to remove its corpus.json")
    return record


def tokens_of(folder, part):
    path = Path(folder) / f"{part}.bin"
    if not path.is_file() or path.stat().st_size < 2:
        raise Refused(f"{path}: no tokens; allowed is a folder that train has prepared")
    return np.memmap(path, dtype=np.uint16, mode="r")


def train_tokens(folder):
    return tokens_of(folder, "train")


def validation_tokens(folder):
    """uint16 tokens of the validation files, one behind the other, each ended by token 0."""
    return tokens_of(folder, "validation")
