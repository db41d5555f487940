# SPDX-License-Identifier: Apache-2.0
"""Steps of a build in processes of their own (clpy/compiler/served.py)."""
import os
import signal
import subprocess
import sys
import time

import pytest

from clpy.compiler import served

LIMIT, PATIENCE = 1, 60         # seconds
FOR_EVER = "all(n == 0 for n in iter(int, 1))"      # for eval
HOST = f"""
from clpy.compiler import served
served.ask(eval, {FOR_EVER!r}, {LIMIT}, 1 << 30)
"""


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def wait_for(what):
    """Its value, once there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it takes too long")


def test_it_ends_where_its_host_was_killed():
    """Nobody is left to say that its time is over."""
    host = subprocess.Popen([sys.executable, "-c", HOST], stderr=subprocess.DEVNULL)
    child, = wait_for(lambda: children_of(host.pid))
    time.sleep(0.5)             # it has its limits by then
    host.send_signal(signal.SIGKILL)
    host.wait()
    wait_for(lambda: not os.path.exists(f"/proc/{child}"))


def test_what_takes_too_long_is_said():
    with pytest.raises(served.Ended, match="longer than 1 s"):
        served.ask(eval, FOR_EVER, LIMIT, 1 << 30)
