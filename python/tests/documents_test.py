"""The README's code runs, and the documents name what there is."""

import importlib.util
import inspect
import os
import pathlib
import re

import pytest
import socketlab as sl
from socketlab import _core

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))


def blocks_of(text):
    """The indented blocks of a section, without those of the shell."""
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", text, re.MULTILINE)
    return [block for block in blocks if block.strip() and not block.strip().startswith("pip ")]


def test_every_block_of_the_readme_runs(capsys):
    section = (SOURCE / "README.md").read_text().split("\n## From Python\n")[1].split("\n## ")[0]
    blocks = blocks_of(section)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(inspect.cleandoc(block), names)
    printed = capsys.readouterr().out
    assert "Estimate(value=0.99176" in printed
    assert "has the lower index" in printed
    assert printed.strip().endswith("refuted")


def test_the_page_on_choosing_prints_from_python_what_its_commands_print(capsys, tmp_path, monkeypatch):
    page = (SOURCE / "docs/howto/choose.md").read_text()
    saved, called = [block for block in blocks_of(page) if block.strip().startswith(("import json", "import numpy"))]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").symlink_to(SOURCE / "experiments")
    exec(inspect.cleandoc(saved), {})
    if importlib.util.find_spec("matplotlib") is None:
        called = "\n".join(line for line in called.splitlines() if "plots" not in line)
    exec(inspect.cleandoc(called), {})
    printed = " ".join(capsys.readouterr().out.split())
    rows = re.findall(r"^    (?:\S+ +[\d.-]+ .*|socket .*\.|At 8 other .*)$", page, re.MULTILINE)
    assert len(rows) >= 12
    for row in rows:
        assert " ".join(row.split()) in printed


@pytest.mark.parametrize("module", [sl, sl.check, sl.gpu, sl.oracle, sl.plots], ids=lambda module: module.__name__)
def test_what_is_public_is_described(module):
    document = (SOURCE / "docs" / "python.md").read_text()
    for name in module.__all__:
        thing = getattr(module, name)
        if (
            name.startswith("__")
            or inspect.ismodule(thing)
            or getattr(thing, "__module__", "").startswith(("__future", "dataclasses"))
        ):
            continue
        assert f"`{name}" in document or f".{name}`" in document or f"{name}`" in document or f"`{name}s" in document, (
            name
        )
        if callable(thing):
            assert inspect.getdoc(thing), name


def test_the_version_is_that_of_the_project():
    project = (SOURCE / "CMakeLists.txt").read_text()
    assert f"project(socketlab VERSION {sl.__version__} " in project


def test_type_hints_are_offered_for_what_is_compiled():
    package = pathlib.Path(sl.__file__).parent
    assert (package / "py.typed").is_file()
    hinted = set(re.findall(r"^(?:def|class) (\w+)", (package / "_core.pyi").read_text(), re.MULTILINE))
    assert hinted == {name for name in vars(_core) if not name.startswith("_")}
