"""How does a script call libsocketlab_gpu? By the names in socketlab_gpu.h, which is read for the argument structs: a struct
that changes there changes here. Tensors stand for their pointers; fields that are not named are 0.
"""

import ctypes
import re
import sys
from pathlib import Path

import torch

HEADER = Path(__file__).resolve().parent.parent / "socketlab_gpu.h"
TYPES = {"int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32, "float": ctypes.c_float}
F32, F16, BF16 = 0, 1, 2


def fields_of(body):
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    fields = []
    for declaration in filter(None, (" ".join(line.split()) for line in body.split(";"))):
        kind, names = re.match(r"(?:const )?(\w+)(.*)", declaration).groups()
        for name in (name.strip() for name in names.split(",")):
            fields.append((name.lstrip("* "), ctypes.c_void_p if name.startswith("*") else TYPES[kind]))
    return fields


def argument_structs(text):
    found = re.findall(r"typedef struct (skt_\w+)_args \{(.*?)\} \1_args;", text, flags=re.S)
    return {name: type(name, (ctypes.Structure,), {"_fields_": fields_of(body)}) for name, body in found}


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(Path(path).resolve()))
        self.structs = argument_structs(HEADER.read_text(encoding="utf-8"))

    def arguments(self, operation, **named):
        known = {name for name, _ in self.structs[operation]._fields_}
        if not named.keys() <= known:
            sys.exit(f"{operation} has no {', '.join(named.keys() - known)}")
        return self.structs[operation](
            **{name: value.data_ptr() if isinstance(value, torch.Tensor) else value for name, value in named.items()}
        )

    def call(self, operation, arguments):
        """On PyTorch's current stream; exits with the library's own line if it is refused."""
        self._checked(
            getattr(self.library, operation), arguments, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        )

    def give_workspace(self, operation, arguments):
        """Allocates what the operation needs; keep the tensor as long as the arguments."""
        needed = ctypes.c_int64()
        self._checked(getattr(self.library, f"{operation}_workspace_bytes"), arguments, ctypes.byref(needed))
        workspace = torch.empty(max(1, needed.value), device="cuda", dtype=torch.uint8)
        arguments.workspace, arguments.workspace_bytes = workspace.data_ptr(), needed.value
        return workspace

    @staticmethod
    def _checked(function, arguments, last):
        message = ctypes.create_string_buffer(256)
        if function(ctypes.byref(arguments), last, message) != 0:
            sys.exit("refused: " + message.value.decode())
