"""How is libsocketlab_gpu called? By the names and structs of socketlab_gpu.h, which is parsed: a change there takes
effect here.

In an installed package the header is beside this file, in the sources in gpu/. The library is that of the argument, of
the environment variable SOCKETLAB_GPU_LIBRARY, or the one beside this file, and must have the header's version. A
struct laid out differently from the compiler's would be wrong: python/tests/gpu_interface_test.py compares them.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from collections.abc import Callable
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_TYPES: dict[str, type] = {"int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32, "float": ctypes.c_float}
_VARIABLE = "SOCKETLAB_GPU_LIBRARY"
_NAME = "libsocketlab_gpu.so"

_Line = ctypes.c_char * 256  # skt_error


class Unavailable(RuntimeError):
    """The request cannot run here: no PyTorch, no GPU, no library, or a library not built for this GPU."""


def header_text() -> str:
    """The interface as it was compiled into the library of the same version."""
    for path in (_FOLDER / "socketlab_gpu.h", *(up / "gpu" / "socketlab_gpu.h" for up in _FOLDER.parents[1:3])):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise Unavailable(f"socketlab.gpu: no socketlab_gpu.h in {_FOLDER}; the package is incomplete")


def _fields_of(body: str, structs: dict[str, type[ctypes.Structure]]) -> list[tuple[str, type]]:
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    fields: list[tuple[str, type]] = []
    for declaration in filter(None, (" ".join(line.split()) for line in body.split(";"))):
        found = re.match(r"(?:const )?(\w+)(.*)", declaration)
        assert found is not None, declaration
        for name in (name.strip() for name in found[2].split(",")):
            kind = ctypes.c_void_p if name.startswith("*") else _TYPES.get(found[1]) or structs[found[1]]
            fields.append((name.lstrip("* "), kind))
    return fields


@functools.cache
def argument_structs() -> dict[str, type[ctypes.Structure]]:
    """The struct of each function's arguments, by the function's name. Members of the structs in it, such as skt_shape, are
    its own too: `heads` for `shape.heads`."""
    structs: dict[str, type[ctypes.Structure]] = {}
    found = re.findall(r"typedef struct (skt_\w+) \{(.*?)\} \1;", header_text(), flags=re.S)
    for name, body in ((name, body) for name, body in found if name != "skt_error"):
        fields = _fields_of(body, structs)
        members = {"_anonymous_": [field for field, kind in fields if kind in structs.values()], "_fields_": fields}
        structs[name] = type(name.removesuffix("_args"), (ctypes.Structure,), members)
    return {name.removesuffix("_args"): struct for name, struct in structs.items() if name.endswith("_args")}


def member_names(struct: type[ctypes.Structure]) -> list[str]:
    """Of what is no struct itself."""
    names: list[str] = []
    for field, kind, *_ in struct._fields_:  # a third: the bits of a field, which no struct here has
        names += member_names(kind) if issubclass(kind, ctypes.Structure) else [field]
    return names


@functools.cache
def _struct_and_names(operation: str) -> tuple[type[ctypes.Structure], frozenset[str]]:
    struct = argument_structs()[operation]
    return struct, frozenset(member_names(struct))


def names_of(operation: str) -> frozenset[str]:
    """Of the members of its struct."""
    return _struct_and_names(operation)[1]


@functools.cache
def constants() -> dict[str, int]:
    """Of every enumeration of the header, without the SKT_ of the names."""
    return {name: int(value) for name, value in re.findall(r"\bSKT_(\w+) = (\d+)", header_text())}


def header_version() -> int:
    found = re.search(r"#define SKT_ABI_VERSION (\d+)", header_text())
    assert found is not None
    return int(found[1])


class Library:
    """A loaded libsocketlab_gpu: functions by name, arguments by field name; fields not given are 0 or NULL."""

    def __init__(self, path: Path, functions: ctypes.CDLL) -> None:
        self.path, self._functions = path, functions

    def __repr__(self) -> str:
        return f'socketlab.gpu.load("{self.path}")'

    @staticmethod
    def arguments(operation: str, **named: int | float | None) -> ctypes.Structure:
        """The struct of the operation. It need only outlive the launch; the memory that it points to must outlive the
        work.
        """
        struct, names = _struct_and_names(operation)
        if not names.issuperset(named):
            raise TypeError(f"{operation} has no {', '.join(sorted(named.keys() - names))}")
        try:
            return struct(**named)
        except TypeError as error:
            raise TypeError(f"{operation}: {error}") from None

    def launch(self, operation: str, stream: int, arguments: ctypes.Structure) -> None:
        """Launches on the stream. ValueError with the library's own message, Unavailable, or RuntimeError from CUDA."""
        self._checked(getattr(self._functions, operation), arguments, ctypes.c_void_p(stream))

    def needed_bytes(self, operation: str, arguments: ctypes.Structure) -> int:
        """Of scratch memory."""
        needed = ctypes.c_int64()
        self._checked(getattr(self._functions, f"{operation}_workspace_bytes"), arguments, ctypes.byref(needed))
        return needed.value

    def call(self, operation: str, stream: int, **named: int | float | None) -> None:
        self.launch(operation, stream, self.arguments(operation, **named))

    def workspace_bytes(self, operation: str, **named: int | float | None) -> int:
        return self.needed_bytes(operation, self.arguments(operation, **named))

    @staticmethod
    def _checked(function: Callable[..., int], arguments: ctypes.Structure, last: object) -> None:
        message = _Line()
        code = function(ctypes.byref(arguments), last, message)
        known = constants()
        if code == known["OK"]:
            return
        line = message.value.decode(errors="replace")
        if code in (known["BAD_ARGUMENT"], known["BAD_CODES"]):
            raise ValueError(line)
        raise Unavailable(line) if code == known["UNSUPPORTED"] else RuntimeError(line)


def _candidates(path: str | os.PathLike[str] | None) -> list[Path]:
    if path is not None:
        return [Path(path)]
    named = os.environ.get(_VARIABLE)
    return [Path(named)] if named else [_FOLDER / _NAME]


@functools.cache
def _loaded(path: Path) -> Library:
    try:
        functions = ctypes.CDLL(str(path))
    except OSError as error:
        raise Unavailable(f"socketlab.gpu: {path} cannot be loaded as a library: {error}") from None
    if not hasattr(functions, "skt_abi_version"):
        raise Unavailable(f"socketlab.gpu: {path} has no skt_abi_version: it is not libsocketlab_gpu")
    version = functions.skt_abi_version()
    if version != header_version():
        raise Unavailable(
            f"socketlab.gpu: {path} has interface {version}; allowed is {header_version()}, the package's"
        )
    return Library(path, functions)


def load(path: str | os.PathLike[str] | Library | None = None) -> Library:
    """The library at this path, else of SOCKETLAB_GPU_LIBRARY, else the one in the package. Unavailable with one line
    otherwise.
    """
    if isinstance(path, Library):
        return path
    looked = _candidates(path)
    for candidate in looked:
        if candidate.is_file():
            return _loaded(candidate.resolve())
    raise Unavailable(
        f"socketlab.gpu: no library at {', '.join(map(str, looked))}: build one with `cmake --preset gpu && cmake --build "
        f"build-gpu --target socketlab_gpu` and name it in {_VARIABLE}, or `pip install . -C cmake.define.SKT_PYTHON_GPU=ON`"
    )
