"""The version of the installed package; from a build folder that of the compiled module."""

from ._core import version as _version

__version__: str = _version()
