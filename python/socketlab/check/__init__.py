"""Is what a kernel computes right? Scores, selections, attention and claims of no bias, on the CPU.

A check takes a callable or its results, compares them with a reference in double precision within a derived bound, and
returns a Report, or raises CheckFailure, which names row, key, the excess over the bound and a line that replays it.
Wrong arguments raise ValueError. Nothing here is a tolerance that somebody guessed: each function names the source of its
bound.
"""

from ._attention import attention
from ._bias import Judgement, bias, bias_of_summary
from ._failure import CheckFailure, Report
from ._scores import ScoringCase, scores, scoring_case
from ._selection import selection
from ._selection_cases import SelectionCase, selection_case, selection_cases

__all__ = [
    "CheckFailure",
    "Judgement",
    "Report",
    "ScoringCase",
    "SelectionCase",
    "attention",
    "bias",
    "bias_of_summary",
    "scores",
    "scoring_case",
    "selection",
    "selection_case",
    "selection_cases",
]
