"""Sparse attention in pretrained models of Hugging Face transformers: pip install 'socketlab[models]'.

`load` gives a model, `use` makes rows of it sparse, `new_cache` makes what generate() keeps keys and codes in, and `generate`
joins the three. `Sparse` says by what rule and how many. Nothing of it is imported by `import socketlab`.
"""

from transformers import __version__ as _transformers

if tuple(map(int, _transformers.split(".")[:2])) < (5, 24):  # before, models called the cache past_key_values
    raise ImportError(
        f"socketlab.models needs transformers 5.24 or later, here is {_transformers}: pip install 'socketlab[models]'"
    )
from .attention import State, register, use
from .cache import new_cache
from .generation import Timed, generate, generate_timed
from .loading import NAMES, fetch, find, load
from .settings import Sparse

__all__ = [
    "NAMES",
    "Sparse",
    "State",
    "Timed",
    "fetch",
    "find",
    "generate",
    "generate_timed",
    "load",
    "new_cache",
    "register",
    "use",
]
