"""Is what a kernel computes right? Scores, selections, attention, whole steps, replays and claims of no bias.

A check takes a callable or its results, compares them with a reference in double precision within a derived bound, and
returns a Report, or raises CheckFailure, which names row, key, the excess over the bound and a line that replays it.
Results may lie on a GPU: what is there is copied to the CPU, where references are computed. Wrong arguments raise
ValueError, those of a wrong kind TypeError. Nothing here is a tolerance that somebody guessed: each function names the source of its bound.
"""

from ._attention import attention
from ._attention_cases import AttentionCase, attention_case, attention_cases
from ._bias import Judgement, bias, bias_of_summary
from ._failure import CheckFailure, Report
from ._replays import replays
from ._scores import ScoringCase, scores, scoring_case, scoring_cases
from ._selection import selection
from ._selection_cases import SelectionCase, selection_case, selection_cases
from ._step_cases import DecodeCase, decode_case, decode_cases
from ._steps import decode_step

__all__ = [
    "AttentionCase",
    "CheckFailure",
    "DecodeCase",
    "Judgement",
    "Report",
    "ScoringCase",
    "SelectionCase",
    "attention",
    "attention_case",
    "attention_cases",
    "bias",
    "bias_of_summary",
    "decode_case",
    "decode_cases",
    "decode_step",
    "replays",
    "scores",
    "scoring_case",
    "scoring_cases",
    "selection",
    "selection_case",
    "selection_cases",
]
