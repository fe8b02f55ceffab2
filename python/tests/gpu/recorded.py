"""A library that only writes down its arguments, and what the tests of socketlab.gpu without a GPU share with it."""

import pytest
import socketlab as sl
from socketlab.gpu import _interface

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

PLANES = torch.randn(5, 7, 64)  # hyperplanes of 5 tables: two words to a key


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

    def saw(self, operation=None, /, **expected):
        """The last call is of this operation and has() these arguments."""
        assert operation in (None, self.calls[-1][0])
        has(self.last, **expected)

    def of(self, operation):
        """The arguments of each call of the operation."""
        return [arguments for name, _, arguments in self.calls if name == operation]


def has(arguments, **expected):
    """These are among the arguments; a tensor stands for its address."""
    wanted = {name: one.data_ptr() if torch.is_tensor(one) else one for name, one in expected.items()}
    assert {name: getattr(arguments, name) for name in wanted} == wanted


def sizes(*tensors):
    return [tuple(tensor.shape) for tensor in tensors]


def int32(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


def cache(keys=128, batch=2, dim=64):
    """Keys or values."""
    return torch.randn(batch, 3, keys, dim).bfloat16()


def queries(*shape):
    return torch.randn(*(shape or (2, 6, 64))).bfloat16()


def an_index(library, **more):
    return sl.gpu.Index(cache(), cache(), tables=6, planes=8, library=library, **more)


def parts(**changed):
    """The tensors of an index of 5 tables with 7 planes; nothing has been checked of them."""
    packed, norms = torch.zeros(2, 3, 2, 2, 64, dtype=torch.int32), torch.ones(2, 3, 128).half()
    made = {"keys": cache(), "values": cache(), "packed": packed, "norms": norms, "hyperplanes": PLANES.clone()}
    return made | changed


def parts_of_bytes(**changed):
    keys, values = (cache().to(torch.float8_e4m3fn) for _ in "kv")
    return parts(keys=keys, values=values) | changed


def by(function, *given, **named):
    """The call for a library that comes later."""
    return lambda library: function(*given, library=library, **named)
