"""The notebook's cells run one after the other, draw two figures, and keep no outputs."""

import json
import os
import pathlib
import re

import pytest
import socketlab as sl

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))


def cells():
    text = (SOURCE / "python" / "examples" / "own_tensors.ipynb").read_text(encoding="utf-8")
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def test_its_cells_run_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, figures = {}, []
    for cell in cells():
        code, _, shown = "".join(cell["source"]).rpartition("\nsl.plots.")  # a last line that a notebook shows
        exec(code or shown, names)
        if code:
            figures.append(eval(f"sl.plots.{shown}", names))
    printed = capsys.readouterr().out
    assert len(figures) == 2
    assert "head 1: error / dense output" in printed
    assert "certified" in printed
    assert "bits per token" in printed


def test_no_outputs_are_kept():
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells())


def test_the_loader_of_safetensors_that_it_names_reads_bf16(heads_file, learned_heads):
    text = (SOURCE / "python" / "examples" / "own_tensors.ipynb").read_text(encoding="utf-8")
    (module,) = re.findall(r"`(safetensors\.\w+)\.load_file\(path\)`", text)
    own = pytest.importorskip(module, reason=f"{module} is not installed").load_file(heads_file)
    of_file, plain = (sl.attend(given["q"], given["k"], given["v"], budget=5) for given in (own, learned_heads))
    assert (of_file.output == plain.output).all()
