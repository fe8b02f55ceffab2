"""How do the tests ask for what must be refused, and for what a check must find?"""

import pytest
from socketlab import check


def refused(kind, line, call):
    """`call` raises this kind of error, whose text matches and is one line."""
    with pytest.raises(kind, match=line) as raised:
        call()
    assert "\n" not in str(raised.value)


def failure(call, match=None):
    """The CheckFailure that `call` raises."""
    with pytest.raises(check.CheckFailure, match=match) as raised:
        call()
    return raised.value
