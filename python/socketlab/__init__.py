"""SOCKET sparse attention from Python: the exact oracle, the estimators, certificates, and checks of kernels.

Every number comes from the C++ core that the command line runs, so both agree within the rounding of two compilations.
Arrays go in as NumPy arrays or whatever offers DLPack on the CPU; a C-contiguous float64 array is read where it lies.
Bad input raises ValueError with the one line that the command prints.
"""

from . import check, oracle
from ._version import __version__
from .attention import Attended, attend
from .certificates import Certificate, Certified, CertifiedNumber, certify
from .instances import Instance, derive_seed, families, hyperplanes, instance
from .rankings import RANKERS, rank
from .scores import hamming_scores, hard_scores, hash_keys, select, soft_scores

__all__ = [
    "RANKERS",
    "Attended",
    "Certificate",
    "Certified",
    "CertifiedNumber",
    "Instance",
    "__version__",
    "attend",
    "certify",
    "check",
    "derive_seed",
    "families",
    "hamming_scores",
    "hard_scores",
    "hash_keys",
    "hyperplanes",
    "instance",
    "oracle",
    "rank",
    "select",
    "soft_scores",
]
