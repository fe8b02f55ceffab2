"""What does a training do at which share of its time? One table of stages, and the learning rate over time.

Windows begin short, where a step has many sequences and retrieval has few keys, and end at 32,768 tokens, which is what
the evaluation asks for. Every stage has about as many tokens a step, so that one compilation serves them all.
Everything here is a function of the share of the time (or of the steps) that is used.
"""

import dataclasses

from learned_attention.refusals import Refused

WARM_UP_SHARE = 0.02
# Constant until here, then in a line down to LAST_RATE of the peak at the end.
DECAY_FROM, LAST_RATE = 0.4, 0.02


@dataclasses.dataclass(frozen=True)
class Stage:
    ends: float  # at this share of the time
    window: int  # tokens of a sequence
    retrieval: float  # share of the sequences that are retrieval, the rest being text


STAGES = (
    Stage(0.08, 512, 0.30),
    Stage(0.42, 1024, 0.30),
    Stage(0.68, 4096, 0.30),
    Stage(0.84, 16384, 0.50),
    Stage(1.00, 32768, 0.50),
)


def stages_up_to(longest):
    """The table with no window above `longest`: what would be longer has that window."""
    return tuple(dataclasses.replace(stage, window=min(stage.window, longest)) for stage in STAGES)


def stage_at(stages, share):
    """Number of the stage at a share of the time."""
    for number, stage in enumerate(stages):
        if share < stage.ends:
            return number
    return len(stages) - 1


def rows_of(stage, tokens):
    """Sequences of a process in a step of about `tokens` tokens."""
    if tokens < stage.window:
        raise Refused(
            f"--tokens {tokens}: allowed are at least the longest window, {stage.window}; see --longest-window"
        )
    return tokens // stage.window


def rate_at(share):
    """Of the peak learning rate."""
    if share < WARM_UP_SHARE:
        return share / WARM_UP_SHARE
    if share < DECAY_FROM:
        return 1.0
    return 1.0 - (1.0 - LAST_RATE) * (min(share, 1.0) - DECAY_FROM) / (1.0 - DECAY_FROM)
