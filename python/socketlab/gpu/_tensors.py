"""Which tensors may a kernel read, and on which stream does it run?

PyTorch is imported when a function is called, not before. A tensor is used in place: on a GPU, contiguous, with the
type and shape that the interface requires; nothing is converted silently. While PyTorch captures the stream in a CUDA
graph nothing is allocated: whatever a call would allocate must then be given.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ._interface import Unavailable, constants

Tensor = Any  # torch.Tensor; the package does not need PyTorch to be imported
DEVICE = "cuda"


def _imported() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise Unavailable("socketlab.gpu: PyTorch is missing: pip install torch") from None


@functools.cache  # keeps what is returned, not what is raised: a GPU once seen stays, one that is missing is looked for again
def _require_gpu(torch: Any) -> None:
    if not torch.cuda.is_available():
        raise Unavailable("socketlab.gpu: PyTorch sees no GPU: the library's kernels need one of NVIDIA's")


def torch_with_gpu() -> Any:
    """PyTorch. Unavailable without it, and where it sees no GPU."""
    torch = sys.modules.get("torch") or _imported()
    if DEVICE == "cuda":
        _require_gpu(torch)
    return torch


def type_word(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


_CODES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}


def lengths_address(lengths: Tensor | None, sequences: int) -> int | None:
    """Of int32 [sequences]; None: all sequences have as many keys."""
    return None if lengths is None else address(checked(lengths, "lengths", ("int32",), (sequences,)))


_LISTS = {"head": "LIST_OF_HEAD", "kv-head": "LIST_OF_KV_HEAD"}


def lists_number(lists: str) -> int:
    """enum skt_lists"""
    if lists not in _LISTS:
        raise ValueError(f"lists {lists}: allowed are {', '.join(_LISTS)}")
    return constants()[_LISTS[lists]]


def heads_with_lists(lists: str, heads: int, kv_heads: int) -> int:
    """Of so many query heads, how many lists there are."""
    return heads if lists_number(lists) == constants()[_LISTS["head"]] else kv_heads


def type_number(name: str) -> int:
    """enum skt_type"""
    if name not in _CODES:
        raise ValueError(f"output_type {name}: allowed are {', '.join(_CODES)}")
    return constants()[_CODES[name]]


def type_code(tensor: Tensor) -> int:
    """enum skt_type"""
    return type_number(type_word(tensor))


FLOATS = tuple(_CODES)
BYTES = "float8_e4m3fn"  # of keys and values in a cache


def cache_fields(
    keys: Tensor, heads: int, key_scales: Tensor | None, value_scales: Tensor | None
) -> dict[str, int | float | None]:
    """Of a cache of `heads` kv heads in bytes with its scales, or in a type of its own, which has none."""
    scales = {"key_scales": key_scales, "value_scales": value_scales}
    for name, given in scales.items():
        if given is not None:
            checked(given, name, ("float32",), (heads,))
    if type_word(keys) == BYTES:
        return {"cache_form": constants()["CACHE_E4M3"]} | {name: address(given) for name, given in scales.items()}
    if key_scales is not None or value_scales is not None:
        raise ValueError(f"scales of {type_word(keys)} keys; allowed are those of {BYTES}")
    return {}


def types_beside(cache: Tensor) -> tuple[str, ...]:
    """Of queries over such keys."""
    return FLOATS if type_word(cache) == BYTES else (type_word(cache),)


def checked(tensor: Tensor, name: str, types: Sequence[str], shape: Sequence[int | None]) -> Tensor:
    """The tensor itself. TypeError for what is no tensor or of another type, ValueError for place, order and shape.

    Each call asks the tensor anew, or look()s at it, so that one that was resized or moved since the last is refused.
    """
    if not hasattr(tensor, "data_ptr"):
        raise TypeError(f"{name}: {type(tensor).__name__}; allowed are tensors of PyTorch")
    sizes = tensor.shape
    if not getattr(tensor, f"is_{DEVICE}"):  # tensor.device.type makes a new text each time: 0.4 us
        raise ValueError(f"{name}: the tensor is on {tensor.device}; allowed is a GPU, as .cuda() makes it")
    if type_word(tensor) not in types:
        raise TypeError(f"{name}: {type_word(tensor)} {list(sizes)}; allowed is {' or '.join(types)}")
    if sizes != shape and not _fits(sizes, shape):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(f"{name}: shape {list(sizes)}; allowed is [{wanted}]")
    if not tensor.is_contiguous():
        raise ValueError(f"{name}: strides {list(tensor.stride())} of {list(sizes)}; allowed is contiguous")
    return tensor


def _fits(sizes: Sequence[int], shape: Sequence[int | None]) -> bool:
    return len(sizes) == len(shape) and all(map(_allows, shape, sizes))


def _allows(want: int | None, size: int) -> bool:
    return want is None or want == size


def look(tensor: Tensor) -> tuple[Any, ...]:
    """All that checked() and on_one_device() ask of a tensor; of what is none an AttributeError."""
    return tensor.shape, tensor.dtype, tensor.device, tensor.is_contiguous()


def on_one_device(tensor: Tensor, *others: Tensor | None) -> None:
    """Of the tensors among them; of what is none, checked() speaks."""
    device = tensor.device
    for other in others:
        if other is not None and getattr(other, "device", device) != device:
            devices = sorted({str(device), str(other.device)})
            raise ValueError(f"tensors on {', '.join(devices)}; allowed is one GPU")


def address(tensor: Tensor | None) -> int | None:
    return None if tensor is None else int(tensor.data_ptr())


@functools.cache
def _current_stream(torch: Any) -> Callable[[int], int]:
    """The handle of PyTorch's current stream of a device. What its compiler's own launches ask makes no Stream, which takes
    microseconds of every step; a PyTorch without it is asked by the public function."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw or (lambda device: int(torch.cuda.current_stream(device).cuda_stream))


def launching(torch: Any, tensor: Tensor, stream: Any) -> AbstractContextManager[int]:
    """The handle of the stream, which is PyTorch's current one of the tensor's device in between."""
    if stream is None and (device := tensor.get_device()) == torch.cuda.current_device():
        return nullcontext(_current_stream(torch)(device))  # all is set already
    return _switched(torch, tensor, stream)


@contextmanager
def _switched(torch: Any, tensor: Tensor, stream: Any) -> Iterator[int]:
    with torch.cuda.device(tensor.device):
        if stream is None:
            yield int(torch.cuda.current_stream().cuda_stream)
            return
        own = stream if hasattr(stream, "cuda_stream") else torch.cuda.ExternalStream(int(stream))
        with torch.cuda.stream(own):
            yield int(own.cuda_stream)


def capturing(torch: Any) -> bool:
    return DEVICE == "cuda" and bool(torch.cuda.is_current_stream_capturing())


def made(out: Tensor | None, name: str, like: Tensor, dtype: str, shape: Sequence[int]) -> Tensor:
    """`out`, checked, or a new tensor, which a stream that is captured must not make."""
    if out is not None:
        return checked(out, name, (dtype,), shape)
    torch = torch_with_gpu()
    if capturing(torch):
        raise ValueError(f"{name}: missing; while a stream is captured allowed is a tensor that was made before")
    return torch.empty(tuple(shape), dtype=getattr(torch, dtype), device=like.device)
