"""What a step says of the keys that its lists leave out: skt_rest of gpu/socketlab_gpu.h."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

from ._tensors import Tensor, address, checked, made, on_one_device

CEILING_SHARE = 0.1  # of delta, what the ceilings of the logits get; the draws get the rest
MOST_SAMPLES = 1024  # of the C interface, where 0 asks for no rest
_ROWS = {"weight": "float32", "limit": "float32", "nominal": "float32", "flags": "int32"}


@dataclass(frozen=True)
class RestResult:
    """Of each query head, what the rest of its list weighs in the softmax over list and rest.

    weight     float32 [batch, heads], 0 to 1: the estimate
    limit      float32 [batch, heads]: exceeded with probability at most delta; 1 where nothing is proved
    nominal    float32 [batch, heads]: by the normal distribution at 0.9 delta, which proves nothing
    flags      int32 [batch, heads], a sum of ABOVE (the limit is above the target), NOMINAL_ABOVE (so is the nominal one)
               and UNKNOWN (nothing is proved)
    output     float32, the shape of q: attention over the list with the rest as the sample estimates it; None: not asked for
    """

    weight: Tensor
    limit: Tensor
    nominal: Tensor
    flags: Tensor
    output: Tensor | None = None

    ABOVE, NOMINAL_ABOVE, UNKNOWN = 1, 2, 4


@dataclass(frozen=True)
class Rest:
    """What a decode_step is to estimate of the keys that its lists leave out. For rule "signed-projection" over an index with
    norms of keys, one query row, a cache that is not float8_e4m3fn.

    samples    1 to 1024: about so many keys at most are expected to be read for a list
    delta      above 0, below 1: that a limit is exceeded. A tenth goes to the ceilings of the logits
    target     0 to 1: a residual weight that is still good, for the flags
    corrected  also the output with the rest as the sample estimates it
    seed, step which keys are drawn: the same seed and step draw the same. step int32 [1], read on the GPU; None: 0. An engine
               counts it up within its graph
    radius     by how much a cosine may exceed what the signs say; None: of independent hyperplanes, at a tenth of delta
               for as many keys as the index can have
    flagged    int32 [3], to which the number of heads with each flag is added; None: not counted
    out        a RestResult to write to; needed while a stream is captured
    """

    samples: int = 256
    delta: float = 0.05
    target: float = 0.05
    corrected: bool = False
    seed: int = 0
    step: Tensor | None = None
    radius: float | None = None
    flagged: Tensor | None = None
    out: RestResult | None = None

    def results(self, q: Tensor) -> RestResult:
        """Those given, checked, or new ones."""
        heads = (1, *q.shape[:-1])[-2:]
        given: Any = self.out or RestResult(None, None, None, None)
        rows = {name: made(getattr(given, name), f"rest.{name}", q, kind, heads) for name, kind in _ROWS.items()}
        output = made(given.output, "rest.output", q, "float32", q.shape) if self.corrected else None
        return RestResult(**rows, output=output)

    def fill(self, arguments: ctypes.Structure, q: Tensor, capacity: int, results: RestResult | None) -> None:
        """The members of the step's arguments; without results those that sizes depend on."""
        if not isinstance(self.samples, int) or isinstance(self.samples, bool):
            raise TypeError(f"rest.samples: {type(self.samples).__name__}; allowed is a whole number")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise ValueError(f"rest.samples {self.samples}: allowed are 1 to {MOST_SAMPLES}")
        arguments.rest_samples = self.samples
        if results is None:
            return
        on_one_device(q, self.step, self.flagged, *(getattr(results, name) for name in (*_ROWS, "output")))
        for name, tensor, size in (("step", self.step, 1), ("flagged", self.flagged, 3)):
            if tensor is not None:
                checked(tensor, f"rest.{name}", ("int32",), (size,))
        if not 0 < self.delta < 1:
            raise ValueError(f"rest.delta {self.delta}: allowed is above 0 and below 1")
        bits = arguments.tables * arguments.planes
        level = math.log(max(1, capacity) / (CEILING_SHARE * self.delta))
        arguments.rest_radius = math.sqrt(math.pi * level / bits) if self.radius is None else self.radius
        arguments.rest_delta = (1 - CEILING_SHARE) * self.delta
        arguments.rest_target, arguments.rest_seed = self.target, self.seed
        arguments.rest_step, arguments.rest_flagged = address(self.step), address(self.flagged)
        for name in (*_ROWS, "output"):
            setattr(arguments, f"rest_{name}", address(getattr(results, name)))
