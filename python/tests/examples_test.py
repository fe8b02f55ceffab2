"""The examples run: Triton's through its interpreter where it is installed (that in PyTorch: kernels/kernels_test.py).

The notebook's cells run one after the other. They and the benchmarks say in one line what they need and do not find."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import socketlab as sl

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))
EXAMPLES = SOURCE / "python" / "examples"


def installed(*names):
    for name in names:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")


def interpreter():
    installed("torch", "triton")
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        pytest.skip("Triton's interpreter takes the number of an array of one: NumPy refuses that from 2.4 on")


def ran(*command, cwd=None, without="", **variables):
    """A finished process, in this environment but for one variable, with others."""
    kept = {word: said for word, said in os.environ.items() if word != without}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=kept | variables)


def printed(code, **variables):
    """What Python prints when it runs this in the folder of the examples."""
    done = ran(sys.executable, "-B", "-c", code, cwd=EXAMPLES, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_triton_kernels_pass_in_the_interpreter():
    interpreter()
    text = printed(
        "import runpy; [runpy.run_path(f'triton_{name}.py', run_name='__main__') for name in ('topk', 'scores')]",
        TRITON_INTERPRET="1",
    )
    assert len(re.findall("^.*: lower-index; 24 further", text, re.MULTILINE)) == 13
    assert len(re.findall("of the bound over", text)) == 18


SCRIPTS = [
    path.relative_to(SOURCE)
    for folder in ("python/examples", "gpu/examples", "gpu/bench")
    for path in sorted((SOURCE / folder).rglob("*.py"))
    if "__main__" in path.read_text()
]


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_missing_module_is_one_line(script):
    head = (SOURCE / script).read_text().split('"""')[1]
    assert re.search(r"Needs (NumPy|PyTorch)", head)
    # -S: the standard library alone
    done = ran(sys.executable, "-S", "-B", SOURCE / script, without="PYTHONPATH")
    assert done.returncode == 3, done.stderr
    assert re.fullmatch(rf"{script.name}: needs [^\n]*(torch|numpy)[^\n]*\n", done.stderr), done.stderr


@pytest.mark.parametrize("script", ["gpu/check/record.sh", "gpu/planted/kill_matrix.sh", "gpu/records/renew.sh"])
def test_a_script_that_finds_no_gpu_says_so_in_one_line(script, tmp_path):
    nvidia_smi = tmp_path / "nvidia-smi"
    nvidia_smi.write_text("#!/bin/sh\nexit 9\n")
    nvidia_smi.chmod(0o755)
    out = tmp_path / "out"
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = ran("bash", SOURCE / script, tmp_path, out, "quick", PATH=path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"{pathlib.Path(script).name}: needs a GPU, and nvidia-smi names none\n"
    assert not out.exists()


@pytest.mark.parametrize("name", ["triton_scores", "triton_topk"])
def test_a_missing_gpu_is_one_line(name):
    installed("torch", "triton")
    given = {"cwd": EXAMPLES, "without": "TRITON_INTERPRET", "CUDA_VISIBLE_DEVICES": ""}
    done = ran(sys.executable, "-B", f"{name}.py", **given)
    assert (done.returncode, done.stdout) == (3, "")
    assert re.fullmatch(rf"{name}\.py: needs a GPU, and PyTorch finds none; TRITON_INTERPRET=1 runs .*\n", done.stderr)


def cells():
    text = (SOURCE / "python" / "examples" / "own_tensors.ipynb").read_text(encoding="utf-8")
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_s_cells_run_in_order(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("Agg")
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
    assert "loses least" in printed


def test_the_notebook_keeps_no_outputs():
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells())


def test_the_loader_of_safetensors_that_it_names_reads_bf16(heads_file, learned_heads):
    text = (SOURCE / "python" / "examples" / "own_tensors.ipynb").read_text(encoding="utf-8")
    (module,) = re.findall(r"`(safetensors\.\w+)\.load_file\(path\)`", text)
    own = pytest.importorskip(module, reason=f"{module} is not installed").load_file(heads_file)
    of_file, plain = (sl.attend(given["q"], given["k"], given["v"], budget=5) for given in (own, learned_heads))
    assert (of_file.output == plain.output).all()
