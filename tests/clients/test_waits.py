# SPDX-License-Identifier: Apache-2.0
"""A Python program that waits for kernels minds its signals: a handler runs, and what it raises ends the wait."""
import signal
import sys

import pytest
from host_build import HOSTS, LIBRARY, run, run_ok, vendors

SCRIPT = HOSTS / "waits.py"
WAITS = ["finish", "finish-out-of-order", "wait", "wait-for-several", "read", "map", "holding-the-lock", "user-event",
         "kinds-of-kernels",
         "what-comes-after", "once-short"]
HANDLERS = ["handler-that-returns", "handler-that-uses-the-queue", "handler-that-raises", "other-thread", "no-signal"]


@pytest.fixture(scope="module")
def only_clpy(tmp_path_factory):
    return vendors(tmp_path_factory.mktemp("waits") / "clpy_only", LIBRARY)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("mode", WAITS)
def test_an_interrupt_ends_a_wait(mode, threads, only_clpy):
    """And the kernel, for which no time would be enough; the context works afterwards."""
    assert run_ok(sys.executable, SCRIPT, mode, vendors=only_clpy, timeout=60,
                  env={"CLPY_NUM_THREADS": threads})[0] == "ok\n"


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("mode", HANDLERS)
def test_other_handlers(mode, threads, only_clpy):
    assert run_ok(sys.executable, SCRIPT, mode, vendors=only_clpy, timeout=60,
                  env={"CLPY_NUM_THREADS": threads})[0] == "ok\n"


def test_an_interrupt_that_nobody_catches_ends_the_program(only_clpy):
    code, out, err = run(sys.executable, SCRIPT, "uncaught", vendors=only_clpy, timeout=60)
    assert (code, out) == (-signal.SIGINT, "")
    assert err.rstrip().endswith("KeyboardInterrupt")
