"""One call of a function of the library: its tensors and sizes by the names that they have in the function's struct.

The axes of a tensor are named when it is read, so that a size has one value in all tensors of a call: an axis that was
read before allows that size alone. What is written is allocated on the stream of the launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._interface import Library, load, names_of
from ._tensors import Tensor, address, checked, launching, made, on_one_device, torch_with_gpu

Axis = str | int | None  # a name, the only size that is allowed, or any


class Launch:
    """`sizes` by the names of axes, `fields` by those of the struct; sizes that the struct has are fields of it, too."""

    def __init__(self, operation: str, library: Library | None, stream: Any = None) -> None:
        self.torch, self.library = torch_with_gpu(), load(library)
        self.operation, self.stream = operation, stream
        self.sizes: dict[str, int] = {}
        self.fields: dict[str, Any] = {}
        self.scratch_bytes = 0  # of `work`
        self._read: list[Tensor] = []
        self._written: list[tuple[str, str, Tensor | None, str, tuple[Axis, ...]]] = []

    def reads(self, name: str, tensor: Tensor | None, types: str | Sequence[str], *axes: Axis) -> None:
        """A tensor of one of these types with these axes; None where the struct may have NULL."""
        self.fields[name] = None
        if tensor is None:
            return
        checked(tensor, name, (types,) if isinstance(types, str) else types, self._known(axes))
        for axis, size in zip(axes, tensor.shape, strict=True):
            if isinstance(axis, str):
                self.sizes[axis] = size
        self.fields[name] = address(tensor)
        self._read.append(tensor)

    def writes(self, name: str, given: Tensor | None, dtype: str, *axes: Axis, label: str = "out") -> None:
        """What the caller gave, called `label`, or a new tensor."""
        self._written.append((name, label, given, dtype, axes))

    def on(self, *tensors: Tensor | None) -> None:
        """Tensors that must be where the others are, and are checked elsewhere."""
        self._read += [tensor for tensor in tensors if tensor is not None]

    def workspace_bytes(self) -> int:
        return self.library.workspace_bytes(self.operation, **self._all())

    def __call__(self, **fields: Any) -> list[Tensor]:
        """What was written, in the order of writes()."""
        self.fields |= fields
        on_one_device(*self._read, *(given for _, _, given, *_ in self._written))
        with launching(self.torch, self._read[0], self.stream) as handle:
            results = []
            for name, label, given, dtype, axes in self._written:
                shape: Any = self._known(axes)
                results.append(made(given, label, self._read[0], dtype, shape))
                self.fields[name] = address(results[-1])
            if self.scratch_bytes > 0:
                scratch = self.torch.empty(self.scratch_bytes, dtype=self.torch.uint8, device=self._read[0].device)
                self.fields["work"] = address(scratch)
            self.library.call(self.operation, handle, **self._all())
        return results

    def _known(self, axes: Sequence[Axis]) -> tuple[int | None, ...]:
        return tuple([self.sizes.get(axis) if isinstance(axis, str) else axis for axis in axes])

    def _all(self) -> dict[str, Any]:
        return {name: self.sizes[name] for name in self.sizes.keys() & names_of(self.operation)} | self.fields
