"""SOCKET sparse attention from Python: the exact oracle, the estimators, certificates, and checks of kernels.

Every number comes from the C++ core that the command line runs, so both agree within the rounding of two compilations.
Arrays go in as NumPy arrays or whatever offers DLPack on the CPU; a C-contiguous float64 array is read where it lies.
Bad input raises ValueError with the one line that the command prints.
"""

import atexit

from . import _core, check, gpu, oracle, plots
from ._version import __version__
from .attention import Attended, SampledError, attend
from .certificates import Certificate, Certified, CertifiedNumber, certify
from .choosing import RANKERS, Chosen, choose
from .error_curves import AXES, Audited, Swept, audit, sweep
from .instances import Instance, derive_seed, families, hyperplanes, instance
from .scores import hamming_scores, hard_scores, hash_keys, select, soft_scores
from .verdicts import Verified, verify

# What an interrupted call left behind ends before what it uses does.
atexit.register(_core.wait_for_left_behind)

__all__ = [
    "AXES",
    "RANKERS",
    "Attended",
    "Audited",
    "Certificate",
    "Certified",
    "CertifiedNumber",
    "Chosen",
    "Instance",
    "SampledError",
    "Swept",
    "Verified",
    "__version__",
    "attend",
    "audit",
    "certify",
    "check",
    "choose",
    "derive_seed",
    "families",
    "gpu",
    "hamming_scores",
    "hard_scores",
    "hash_keys",
    "hyperplanes",
    "instance",
    "oracle",
    "plots",
    "select",
    "soft_scores",
    "sweep",
    "verify",
]
