# SPDX-License-Identifier: Apache-2.0
"""Python's collector of cycles, which waits while much is made that stays: it would go over all of it again and again,
an eighth of the time for that."""
import gc
from _thread import allocate_lock
from contextlib import contextmanager

_lock = allocate_lock()
_waits = 0          # of how many it waits for the end
_was_on = False


@contextmanager
def paused():
    global _waits, _was_on
    with _lock:
        if not _waits:
            _was_on = gc.isenabled()
            gc.disable()
        _waits += 1
    try:
        yield
    finally:
        with _lock:
            _waits -= 1
            if not _waits and _was_on:
                gc.enable()
