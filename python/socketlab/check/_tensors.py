"""Where is what a check reads, and where is what a kernel is given?

Results on a GPU are copied to the CPU, where every reference is computed. A callable gets NumPy arrays, or tensors of PyTorch
on the device that was asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .._arrays import dlpack_device, refuse_masked

_TORCH_NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


def on_host(given: Any, name: str) -> Any:
    """The same where it is on the CPU; of PyTorch, CuPy and JAX a copy that is."""
    refuse_masked(given, name)
    if not hasattr(given, "__dlpack_device__"):
        return given
    if getattr(given, "requires_grad", False):
        given = given.detach()
    if dlpack_device(given, name) == 1:
        return given
    if hasattr(given, "cpu"):
        return given.cpu()
    return given.get() if hasattr(given, "get") else np.asarray(given)


def torch_or_none() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def on_device(array: Any, device: str | None, dtype: str | None = None) -> Any:
    """A NumPy array as it is without a device; else a tensor there, of this type where numbers are of one."""
    if device is None:
        return array
    torch = torch_or_none()
    if torch is None:
        raise ValueError(f"device {device}: PyTorch is missing; allowed is none")
    try:
        tensor = torch.from_numpy(np.array(array, order="C", copy=True)).to(device)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        said = str(error).splitlines()[0].partition(". ")[0]
        raise ValueError(f"device {device}: PyTorch says: {said}; allowed is one that is here, or none") from None
    return tensor if dtype is None else tensor.to(getattr(torch, _TORCH_NAMES[dtype]))
