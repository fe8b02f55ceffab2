"""How do the arrays of a call reach the core?

A C-contiguous float64 array is used in place. An object that offers only DLPack is viewed through it. A copy is made
only where the elements need another type or order.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_REALS = "float16, bfloat16, float32 or float64"
_READ = ("float16", "bfloat16", "float32", "float64")


def seen_by_dlpack(given: Any, name: str) -> Array:
    try:
        return np.from_dlpack(given)
    except (BufferError, RuntimeError) as error:  # a type that NumPy has no name for
        raise ValueError(f"{name}: NumPy cannot see the array: {error}") from None


def refuse_masked(given: Any, name: str) -> None:
    """What a masked array hides would be read like the rest."""
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError(
            f"{name}: a masked array {list(given.shape)}; allowed is one without a mask, as .filled() makes it"
        )


def dlpack_device(given: Any, name: str) -> int:
    """The number of the kind of device, 1 for the CPU."""
    try:
        return int(given.__dlpack_device__()[0])
    except (BufferError, RuntimeError, ValueError) as error:  # of PyTorch's meta device there is no memory
        raise ValueError(f"{name}: NumPy cannot see the array: {error}") from None


def _viewed(given: Any, name: str) -> Any:
    """An array of NumPy's, or what holds bfloat16, which NumPy has no name for, as it is."""
    if isinstance(given, np.ndarray):
        refuse_masked(given, name)
        return given.astype(np.float32) if _type_word(given.dtype) == "bfloat16" else given  # exact; of ml_dtypes
    if hasattr(given, "__dlpack_device__"):
        if dlpack_device(given, name) != 1:
            raise ValueError(f"{name}: the array is not on the CPU; allowed is the CPU, as .cpu() makes it")
        if getattr(given, "requires_grad", False):
            given = given.detach()
        word = _type_word(getattr(given, "dtype", ""))
        if word == "bfloat16":
            return given
        if word.startswith(("float8", "float4")):
            raise ValueError(
                f"{name}: {word} {list(given.shape)}; allowed is {_REALS}, as .to(torch.bfloat16) makes it"
            )
        return seen_by_dlpack(given, name)
    return np.asarray(given)


@functools.cache  # NumPy makes the text anew each time: 1 us
def _type_word(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _require_type(array: Any, name: str) -> None:
    word = _type_word(array.dtype)
    if word not in _READ and not (word == "bool" and name == "mask"):
        allowed = f"bool, {_REALS}" if name == "mask" else _REALS
        if word.startswith("float"):  # of less than 16 bits
            allowed += ", as .astype('float32') makes it"
        raise ValueError(f"{name}: {word} {list(array.shape)}; allowed is {allowed}")


def as_stored(given: Any, name: str) -> Any:
    """In its own type, C-contiguous: what the core reads block by block as it reads files."""
    array = _viewed(given, name)
    if isinstance(array, np.ndarray) and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    _require_type(array, name)
    if isinstance(array, np.ndarray):
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)
    return array.contiguous() if hasattr(array, "contiguous") else array


def stored(q: Any, k: Any, v: Any, **others: Any) -> dict[str, Any]:
    """The arrays of a call by their names, of the others those that are given."""
    given = {"q": q, "k": k, "v": v, **{name: array for name, array in others.items() if array is not None}}
    return {name: as_stored(array, name) for name, array in given.items()}


def reals(given: Any, name: str, dimensions: int) -> NDArray[np.float64]:
    """C-contiguous float64 of so many dimensions, finite: the same memory where it already is."""
    array = _viewed(given, name)
    if not isinstance(array, np.ndarray):
        array = np.asarray(array.float() if hasattr(array, "float") else array.astype("float32"))
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name}: {array.dtype} {list(array.shape)}; allowed are real numbers")
    if array.ndim != dimensions:
        raise ValueError(f"{name}: shape {list(array.shape)}; allowed are {dimensions} dimensions")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}: element {list(at)} is {array[at]}; allowed are finite numbers")
    return array


def count_text(given: float, name: str) -> str:
    """A count of keys, or a fraction of them as a float, in the words of the command line."""
    if isinstance(given, bool) or not isinstance(given, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {given!r}: allowed are a count such as 128 or a fraction such as 0.05")
    if isinstance(given, (int, np.integer)):
        return str(int(given))
    return np.format_float_positional(float(given), trim="0")
