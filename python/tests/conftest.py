"""What the tests share: the command line to compare with, and a formula for how far two compilations may differ."""

import contextlib
import json
import os
import pathlib
import subprocess
import timeit

import numpy as np
import pytest
import socketlab
from socketlab import check, gpu

pytest.register_assert_rewrite("recorded")  # a failure shows what differs
UNIT = 2.0**-53
HEADS, KEY_HEADS, QUERIES, LEARNED_KEYS, LEARNED_DIM = 4, 2, 3, 40, 8


def torch_with_library():
    """PyTorch, where it sees a GPU and the library of socketlab.gpu loads; else the file that asks is skipped."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU", allow_module_level=True)
    try:
        gpu.load()
    except gpu.Unavailable as missing:
        pytest.skip(str(missing), allow_module_level=True)
    return torch


@pytest.fixture(scope="session")
def command():
    """Runs the program of SOCKETLAB_COMMAND; a test that needs it is skipped without."""
    program = os.environ.get("SOCKETLAB_COMMAND", "")
    if not pathlib.Path(program).is_file():
        pytest.skip("SOCKETLAB_COMMAND does not name the program socketlab")

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def saved(tmp_path):
    """Saves an array as NAME.npy and gives the path."""

    def save(name, array):
        np.save(tmp_path / f"{name}.npy", array)
        return tmp_path / f"{name}.npy"

    return save


@pytest.fixture
def learned_heads():
    """q [heads, queries, dim], k and v [key_heads, keys, ..] of odd halves, which bf16 holds."""
    random = np.random.default_rng(3)
    shapes = {"q": (HEADS, QUERIES, LEARNED_DIM), "k": (KEY_HEADS, LEARNED_KEYS, LEARNED_DIM)}
    shapes["v"] = (KEY_HEADS, LEARNED_KEYS, 2)
    return {name: random.integers(1, 20, shape).astype(np.float32) - 10.5 for name, shape in shapes.items()}


@pytest.fixture
def heads_file(learned_heads, tmp_path):
    """The same as a .safetensors file by the description of the format; bf16 is the upper half of float32."""
    header, data = {}, b""
    for name, array in learned_heads.items():
        elements = (array.view(np.uint32) >> 16).astype("<u2").tobytes()
        header[name] = {"dtype": "BF16", "shape": array.shape, "data_offsets": [len(data), len(data) + len(elements)]}
        data += elements
    head = json.dumps(header).encode()
    path = tmp_path / "heads.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)
    return path


@pytest.fixture(scope="session")
def kept_heads():
    """q, k, v of the heads that come with the package, float32, decoded by the description of the format."""
    path = pathlib.Path(socketlab.__file__).with_name("learned_heads.safetensors")
    if not path.exists():
        pytest.skip("the package holds no file of heads")
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    arrays = {}
    for name in ("q", "k", "v"):
        first, last = header[name]["data_offsets"]
        upper = np.frombuffer(content[start + first : start + last], "<u2").astype(np.uint32)
        arrays[name] = (upper << 16).view(np.float32).reshape(header[name]["shape"])
    return arrays


def rounding(operations):
    """Twice gamma_n of n operations in double: what two orders of summation, with and without fma, may differ by."""
    return 2 * operations * UNIT / (1 - operations * UNIT)


@pytest.fixture
def library(monkeypatch):
    """A library that writes down its arguments, where the CPU counts as a GPU."""

    @contextlib.contextmanager
    def launching(_torch, _tensor, stream):
        yield 77 if stream is None else stream

    from recorded import Recorded  # beside the tests that use it; needs PyTorch
    from socketlab.gpu import _tensors

    monkeypatch.setattr(_tensors, "DEVICE", "cpu")
    for module in ("_launch", "_index", "_step"):
        monkeypatch.setattr(getattr(socketlab.gpu, module), "launching", launching)
    return Recorded()


def refused(kind, line, call):
    """`call` raises this kind of error, whose text matches and is one line."""
    with pytest.raises(kind, match=line) as raised:
        call()
    assert "\n" not in str(raised.value)


def failure(call, match=None):
    """The CheckFailure that `call` raises."""
    with pytest.raises(check.CheckFailure, match=match) as raised:
        call()
    return raised.value


def least(call):
    """In seconds, of many batches: what runs beside a call is not its own."""
    each = [seconds / 100 for seconds in timeit.repeat(call, number=100, repeat=25)]
    print(f"{1e6 * min(each):.1f} us at best, {1e6 * np.median(each):.1f} as a rule")
    return min(each)
