"""How does a script call libsocketlab_gpu? As the Python package does, without the package: by python/socketlab/gpu/_interface.py,
which reads the structs from socketlab_gpu.h. Tensors stand for their pointers; fields that are not named are 0.
"""

import ctypes
import shlex
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "socketlab" / "gpu"))
from _interface import constants, load  # noqa: E402

F32, F16, BF16 = (constants()[name] for name in ("F32", "F16", "BF16"))


def command_line():
    """Of the script that runs, every path by its last name: a record is not to name folders of one machine."""
    script, *arguments = sys.argv
    return shlex.join(
        ["python3", f"gpu/bench/{Path(script).name}", *(Path(a).name if "/" in a else a for a in arguments)]
    )


def or_exit(function, *given, **named):
    """Exits with the one line of what is wrong."""
    try:
        return function(*given, **named)
    except (TypeError, ValueError, RuntimeError) as error:
        sys.exit(f"refused: {error}")


def keep_in_l2(megabytes):
    """How much of L2 may hold what is marked to stay, scores above all (skt_score_packed); of this process."""
    torch.cuda.synchronize()
    driver, persisting_l2_cache_size = ctypes.CDLL("libcuda.so.1"), 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE
    driver.cuCtxResetPersistingL2Cache()
    code = driver.cuCtxSetLimit(persisting_l2_cache_size, ctypes.c_size_t(megabytes << 20))
    if code != 0:
        sys.exit(f"refused: cuCtxSetLimit of {megabytes} MB of L2: CUresult {code}")


class Library:
    def __init__(self, path):
        self.library = or_exit(load, path)

    def arguments(self, operation, **named):
        pointers = {
            name: value.data_ptr() if isinstance(value, torch.Tensor) else value for name, value in named.items()
        }
        return or_exit(self.library.arguments, operation, **pointers)

    def call(self, operation, arguments):
        """On PyTorch's current stream; exits with the library's own line if it is refused."""
        or_exit(self.library.launch, operation, torch.cuda.current_stream().cuda_stream, arguments)

    def give_workspace(self, operation, arguments):
        """Allocates what the operation needs; keep the tensor as long as the arguments."""
        needed = or_exit(self.library.needed_bytes, operation, arguments)
        workspace = torch.empty(max(1, needed), device="cuda", dtype=torch.uint8)
        arguments.workspace, arguments.workspace_bytes = workspace.data_ptr(), needed
        return workspace
