"""socketlab.gpu without a GPU: the structs are those of the C compiler, and each thing that is missing is named in a line."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import socketlab as sl
from socketlab.gpu import _interface


def compiler():
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("c++")
    if found is None:
        pytest.skip("no C compiler")
    return found


def members(struct):
    """Where C finds each member, and its name here: of a struct within, `shape.batch` is `batch`."""
    for field, kind in struct._fields_:
        if issubclass(kind, ctypes.Structure):
            yield from ((f"{field}.{path}", name) for path, name in members(kind))
        else:
            yield field, field


def test_every_struct_has_the_layout_of_the_compiler(tmp_path):
    structs = _interface.argument_structs()
    assert len(structs) == 14
    lines = ['#include "socketlab_gpu.h"', "#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for name, struct in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}_args));')
        lines += [f'printf("{name}.{path} %zu\\n", offsetof({name}_args, {path}));' for path, _ in members(struct)]
    (tmp_path / "layout.c").write_text("\n".join([*lines, "return 0; }"]))
    (tmp_path / "socketlab_gpu.h").write_text(_interface.header_text())
    plain_c = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    language = ["-x", "c++"] if pathlib.Path(compiler()).name.endswith("++") else plain_c
    subprocess.run(
        [compiler(), *language, "-o", tmp_path / "layout", tmp_path / "layout.c", "-I", tmp_path], check=True
    )

    printed = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout

    expected = dict(line.split() for line in printed.splitlines())
    for name, struct in structs.items():
        assert ctypes.sizeof(struct) == int(expected[name]), name
        for path, member in members(struct):
            assert getattr(struct, member).offset == int(expected[f"{name}.{path}"]), f"{name}.{path}"
    assert expected["skt_select_keys.shape.heads"] == "32"  # behind three pointers and the batch


def test_the_constants_are_those_of_the_header():
    constants = _interface.constants()
    assert (constants["F32"], constants["F16"], constants["BF16"]) == (0, 1, 2)
    assert (constants["BUCKETS"], constants["HALF_TABLES"], constants["HALF_SUMS"]) == (0, 1, 2)


def test_the_package_holds_the_header_of_the_sources():
    source = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))
    assert _interface.header_text() == (source / "gpu" / "socketlab_gpu.h").read_text()


def test_every_function_of_the_header_is_offered():
    offered = set(sl.gpu.__all__)
    assert {name.removeprefix("skt_") for name in _interface.argument_structs()} <= offered


def test_a_library_that_is_not_there_is_named_with_what_to_do(tmp_path, monkeypatch):
    with pytest.raises(sl.gpu.Unavailable, match=f"no library at {tmp_path}/a.so: build one with") as raised:
        sl.gpu.load(tmp_path / "a.so")
    assert len(str(raised.value).splitlines()) == 1
    assert "SOCKETLAB_GPU_LIBRARY" in str(raised.value) and "SKT_PYTHON_GPU=ON" in str(raised.value)
    monkeypatch.setenv("SOCKETLAB_GPU_LIBRARY", str(tmp_path / "b.so"))
    with pytest.raises(RuntimeError, match=r"no library at .*b\.so"):
        sl.gpu.load()


def test_what_is_no_library_is_refused(tmp_path):
    (tmp_path / "text.so").write_text("nothing")
    with pytest.raises(sl.gpu.Unavailable, match="cannot be loaded as a library"):
        sl.gpu.load(tmp_path / "text.so")


def shared(tmp_path, source):
    (tmp_path / "made.c").write_text(source)
    library = tmp_path / "made.so"
    subprocess.run([compiler(), "-shared", "-fPIC", "-o", library, tmp_path / "made.c"], check=True)
    return library


def test_another_version_and_another_library_are_refused(tmp_path):
    older = shared(tmp_path, "int skt_abi_version(void) { return 3; }")
    with pytest.raises(sl.gpu.Unavailable, match="has interface 3; allowed is 13, the package's"):
        sl.gpu.load(older)
    (tmp_path / "other").mkdir()
    other = shared(tmp_path / "other", "int nothing(void) { return 3; }")
    with pytest.raises(sl.gpu.Unavailable, match="it is not libsocketlab_gpu"):
        sl.gpu.load(other)


REFUSING = """
#include "%s"
#include <string.h>
int skt_abi_version(void) { return SKT_ABI_VERSION; }
int skt_select_keys(const skt_select_keys_args* args, struct CUstream_st* stream, skt_error* error) {
  strcpy(error->message, "batch is 0: allowed are 1 .. 65535");
  return (int)args->list.budget;
}
int skt_sparse_attention_workspace_bytes(const skt_sparse_attention_args* args, int64_t* bytes, skt_error* error) {
  *bytes = args->shape.batch * 1000 + (args->logit_scale == 0.25f) * 100 + args->type * 10 + (args->counts == (void*)8);
  return 0;
}
"""


def test_codes_become_exceptions_with_the_librarys_own_line(tmp_path):
    (tmp_path / "header.h").write_text(_interface.header_text())
    library = sl.gpu.load(shared(tmp_path, REFUSING % (tmp_path / "header.h")))
    for code, kind in ((1, ValueError), (2, sl.gpu.Unavailable), (3, RuntimeError), (4, ValueError)):
        with pytest.raises(kind, match="^batch is 0: allowed are 1 .. 65535$") as raised:
            library.call("skt_select_keys", 0, budget=code)
        assert raised.type is kind
    assert library.call("skt_select_keys", 0, budget=0) is None
    asked = library.workspace_bytes("skt_sparse_attention", batch=7, logit_scale=0.25, type=2, counts=8)
    assert asked == 7121
    with pytest.raises(TypeError, match="skt_select_keys"):
        library.call("skt_select_keys", 0, budget="many")


def test_without_pytorch_a_call_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for call in (
        lambda: sl.gpu.Index(None, None),
        lambda: sl.gpu.select_keys(None, budget=1),
        lambda: sl.gpu.decode_step(None, None, budget=1),
    ):
        with pytest.raises(sl.gpu.Unavailable, match="PyTorch is missing"):
            call()


def test_without_a_gpu_a_call_says_so():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(sl.gpu.Unavailable, match="PyTorch sees no GPU"):
        sl.gpu.select_keys(torch.zeros(1, 4), budget=1)


def test_importing_the_package_imports_neither_pytorch_nor_a_library():
    code = "import sys, socketlab; sys.exit('torch' in sys.modules or socketlab.gpu._interface._loaded.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_header_is_read_in_the_sources_too(monkeypatch):
    source = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))
    monkeypatch.setattr(_interface, "_FOLDER", source / "python" / "socketlab" / "gpu")
    assert "SKT_ABI_VERSION" in _interface.header_text()
    monkeypatch.setattr(_interface, "_FOLDER", pathlib.Path("/nowhere/a/b/c"))
    with pytest.raises(sl.gpu.Unavailable, match="the package is incomplete"):
        _interface.header_text()
