"""A library that only writes down its arguments, and what the tests of socketlab.gpu without a GPU share with it."""

import ctypes
import math

import numpy as np
import pytest
import socketlab as sl
from socketlab.gpu import _interface

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

PLANES = torch.randn(5, 7, 64)  # hyperplanes of 5 tables


class Recorded(_interface.Library):
    """Takes every call, as (operation, stream, arguments); refuses: by operation, the line of the ValueError instead. Its
    scratch memory is 1,000 bytes for each of the batch."""

    def __init__(self):
        self.calls, self.refuses = [], {}

    def launch(self, operation, stream, arguments):
        if operation in self.refuses:
            raise ValueError(self.refuses[operation])
        self.calls.append((operation, stream, arguments))

    def needed_bytes(self, operation, arguments):
        return 1000 * arguments.batch

    @property
    def last(self):
        return self.calls[-1][2]


def seen(address, shape, kind=ctypes.c_int32):
    """The numbers at an address."""
    count = math.prod(shape)
    return np.ctypeslib.as_array((kind * count).from_address(address)).reshape(shape)


def cache(keys=128, dtype=torch.bfloat16, batch=2, kv_heads=3, dim=64):
    """Keys or values."""
    return torch.randn(batch, kv_heads, keys, dim).to(dtype)


def an_index(library, **more):
    return sl.gpu.Index(cache(), cache(), tables=6, planes=8, library=library, **more)


def queries(*shape):
    return torch.randn(*(shape or (2, 6, 64))).bfloat16()


def by(function, *given, **named):
    """The call for a library that comes later."""
    return lambda library: function(*given, library=library, **named)


def a_step(q=None, budget=1, **given):
    """A step over some index, for a library that comes later."""
    q = torch.zeros(2, 6, 64).bfloat16() if q is None else q
    return lambda library: sl.gpu.decode_step(
        q, sl.gpu.Index(cache(), cache(), library=library), budget=budget, **given
    )
