"""Ends a script that needs a module or a GPU and has none: one line and exit code 3, as of `socketlab gpu-check`.

`import needs` stands before what may be missing: any module that is missed behind it is named. needs.gpu() asks for a GPU.
"""

import sys
from pathlib import Path


def leave(what):
    print(f"{Path(sys.argv[0]).name}: needs {what}", file=sys.stderr)
    sys.exit(3)


def _missing_module(kind, error, trace):
    if issubclass(kind, ModuleNotFoundError):
        leave(f"the Python module {error.name}, which is not installed")
    sys.__excepthook__(kind, error, trace)


def gpu():
    import torch

    if not torch.cuda.is_available():
        leave("a GPU, and PyTorch finds none")


sys.excepthook = _missing_module
