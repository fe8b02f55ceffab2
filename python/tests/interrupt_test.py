"""Ctrl-C in the middle of every long call is heard within half a second, and what computes ends soon after."""

import signal
import subprocess
import sys
import time

import pytest
import socketlab

# Each would take minutes, in one piece or in many.
CALLS = {
    "attend, one query": "sl.attend(np.ones(128), big, big, budget=10, tables=600)",
    "attend, many queries": "sl.attend(np.ones((100000, 16)), keys, keys, budget=10, tables=10)",
    "certify": "sl.certify(keys[:1] + 1, keys, keys, tables=60, pairs='exact')",
    "choose": "sl.choose(many, many, many)",
    "sweep": "sl.sweep('tables', [400], keys=60000, trials=2)",
    "audit": "sl.audit(keys=60000)",
    "verify": "sl.verify(profile='standard')",
}
# Seconds; elsewhere one. An instance of 60,000 keys is made in one piece.
ENDS_WITHIN = {"sweep": 5, "audit": 5}
SCRIPT = """
import signal, sys, time, numpy as np, socketlab as sl
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
rng = np.random.default_rng(1)
keys, many = rng.standard_normal((20000, 16)), rng.standard_normal((20000, 64))
big = rng.standard_normal((100000, 128)) if "big" in sys.argv[1] else None
print("begun", flush=True)
try:
    eval(sys.argv[1])
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
    sl._core.wait_for_left_behind()
    print(time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_is_heard_within_half_a_second(name):
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, CALLS[name]], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    heard = float(child.stdout.readline()) - sent
    stopped = float(child.stdout.readline()) - sent
    child.wait()
    print(f"{name}: heard after {heard:.3f} s, stopped after {stopped:.3f} s")
    assert 0 <= heard < 0.5
    assert stopped < ENDS_WITHIN.get(name, 1)


def test_a_part_of_minutes_ends_within_seconds_and_the_next_call_gives_the_same_rows():
    def verified(profile):
        return socketlab._core.verify({"only": ["S002-SRP"], "profile": [profile]}, 1, 0, None)[0]

    def stop(*_):
        raise RuntimeError("enough")

    before = verified("smoke")
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(RuntimeError, match="enough"):
        verified("deep")
    stopped = time.monotonic()
    socketlab._core.wait_for_left_behind()
    assert time.monotonic() - stopped < 5  # much less on a machine that does nothing else

    assert verified("smoke") == before


def test_what_is_left_behind_is_waited_for_at_the_end():
    script = """
import signal, numpy as np, socketlab as sl
signal.signal(signal.SIGINT, signal.default_int_handler)
keys = np.random.default_rng(1).standard_normal((20000, 16))
def stop(done, total): raise RuntimeError("enough")
for _ in range(3):
    try:
        sl.attend(np.ones((1000, 16)), keys, keys, budget=10, tables=100, progress=stop)
    except RuntimeError as error:
        print(error)
print(sl.attend(keys[0], keys, keys, budget=10, tables=1).count)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["enough", "enough", "enough", "10"]
