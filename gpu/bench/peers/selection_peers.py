"""Who selects the best of each row of scores, and what does each promise where scores tie?

For peers.py. Each peer prepares a call on scores fp32 [rows, keys]; a call returns (indices [rows, budget], ..), all that it
writes, and allocates what its own interface allocates.
"""

import ctypes
import importlib
import sys

import torch
from harness import gpu
from peer_checks import LOWER_INDEX, OPEN

SORTED_SETS = 2  # of what writes three times the scores itself
LANES = 32  # streams of cub_topk.cu


def left_out(peer, why):
    print(f"{peer}: {why}, left out", file=sys.stderr)


def installed(name):
    """The module, or None and a line."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        left_out(name, f"not installed ({str(error).splitlines()[0]})")
        return None


class Selection:
    """A peer: `prepare(scores, budget)` gives a call that returns (indices [rows, budget], ..)."""

    def __init__(self, name, version, ties, prepare, most_sets=None):
        self.name, self.version, self.ties, self.prepare, self.most_sets = name, version, ties, prepare, most_sets


def by_socketlab(library):
    def prepare(scores, budget):
        named = {"budget": budget, "library": library}
        out = gpu.select_keys(scores, **named)
        return lambda: gpu.select_keys(scores, out=out, **named)

    return Selection("skt_select_keys", f"interface {interface_version(library)}", LOWER_INDEX, prepare)


def interface_version(library):
    """Of the C interface, as the loaded library says it."""
    return ctypes.CDLL(str(library.path)).skt_abi_version()


def by_torch():
    version = f"PyTorch {torch.__version__}"

    def topk(is_sorted):
        def prepare(scores, budget):
            def call():
                values, indices = torch.topk(scores, budget, dim=1, sorted=is_sorted)
                return indices, values

            return call

        return prepare

    def sort(scores, budget):
        def call():
            values, indices = torch.sort(scores, dim=1, descending=True, stable=True)
            return indices[:, :budget], values

        return call

    yield Selection("torch.topk", version, OPEN, topk(True))
    yield Selection("torch.topk(sorted=False)", version, OPEN, topk(False))
    yield Selection("torch.sort(stable=True)", version, LOWER_INDEX, sort, SORTED_SETS)


def by_flashinfer(module):
    def prepare(scores, budget):
        def call():
            values, indices = module.top_k(scores, budget)
            return indices, values

        return call

    return Selection("flashinfer.top_k", f"FlashInfer {module.__version__}", OPEN, prepare)


def by_cub(path):
    """cub::DeviceTopK on the rows one after the other, and side by side on 32 streams."""
    library = ctypes.CDLL(path)
    library.cub_topk_lane_bytes.restype = ctypes.c_int64

    def prepared(lanes):
        def prepare(scores, budget):
            rows, keys = scores.shape
            lane_bytes = library.cub_topk_lane_bytes(keys, budget)
            if lane_bytes < 0:
                raise RuntimeError(f"CUDA error {-lane_bytes}")
            best = torch.empty(rows, budget, device="cuda")
            selected = torch.empty(rows, budget, device="cuda", dtype=torch.int32)
            workspace = torch.empty(max(1, lanes * lane_bytes), device="cuda", dtype=torch.uint8)

            def call():
                pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (scores, best, selected)]
                status = library.cub_topk(
                    *pointers, rows, keys, budget, lanes, ctypes.c_void_p(workspace.data_ptr()),
                    ctypes.c_int64(lane_bytes), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
                )  # fmt: skip
                if status != 0:
                    raise RuntimeError(f"CUDA error {status}")
                return selected, best

            return call

        return prepare

    number = library.cub_topk_cccl_version()
    version = f"CCCL {number // 1000000}.{number // 1000 % 1000}.{number % 1000}"
    yield Selection("cub::DeviceTopK in turn", version, OPEN, prepared(1))
    yield Selection("cub::DeviceTopK side by side", version, OPEN, prepared(LANES))


def selections(library, cub):
    yield by_socketlab(library)
    yield from by_torch()
    if cub is None:
        left_out("cub::DeviceTopK", "no --cub")
    else:
        yield from by_cub(cub)
    flashinfer = installed("flashinfer")
    if flashinfer is not None and hasattr(flashinfer, "top_k"):
        yield by_flashinfer(flashinfer)
