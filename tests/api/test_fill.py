# SPDX-License-Identifier: Apache-2.0
"""clEnqueueFillBuffer."""
import random
from ctypes import byref, c_void_p, create_string_buffer

import pytest
from clapi import E, handles

pytestmark = pytest.mark.usefixtures("no_leak")

PATTERNS = [1, 2, 4, 8, 16, 32, 64, 128]
BIG = 6 << 20                    # more than one part
HUGE = 66 << 20                  # and past the caches


@pytest.mark.parametrize("size", PATTERNS)
def test_patterns(api, queue, buffer, contents, size):
    """Of each length, at offsets and for lengths that are multiples of it."""
    pattern = random.Random(size).randbytes(size)
    for offset, repeats in ((0, 1), (0, 33), (3, 1), (5, 100), (1, 4096 // size)):
        before = random.Random(1).randbytes(size * (offset + repeats + 2))
        mem = buffer(contents=before)
        api.ok("clEnqueueFillBuffer", queue, mem, pattern, size, offset * size, size * repeats, 0, None, None)
        after = before[:offset * size] + pattern * repeats + before[size * (offset + repeats):]
        assert contents(mem, len(before)) == after, (offset, repeats)


@pytest.mark.parametrize("size", PATTERNS)
def test_large(api, queue, buffer, contents, size):
    pattern, offset = random.Random(size).randbytes(size), size
    repeats = BIG // size - 3
    mem = buffer(contents=b"." * BIG)
    api.ok("clEnqueueFillBuffer", queue, mem, pattern, size, offset, size * repeats, 0, None, None)
    assert contents(mem, BIG) == b"." * size + pattern * repeats + b"." * (2 * size)


@pytest.mark.parametrize("size", [16])
def test_past_the_caches(api, queue, buffer, contents, size):
    """The fill, the copy of it to a place that is not aligned, and the read."""
    pattern, many = random.Random(size).randbytes(size), HUGE // size
    mem, other = buffer(contents=b"." * HUGE), buffer(contents=b"." * (HUGE + 16))
    api.ok("clEnqueueFillBuffer", queue, mem, pattern, size, size, HUGE - 2 * size, 0, None, None)
    api.ok("clEnqueueCopyBuffer", queue, mem, other, 0, 5, HUGE, 0, None, None)
    expected = b"." * size + pattern * (many - 2) + b"." * size
    assert contents(other, HUGE + 16) == b"." * 5 + expected + b"." * 11


def test_the_pattern_is_taken_at_the_call(api, queue, buffer, contents, user_event):
    mem, pattern, gate, event = buffer(contents=bytes(8)), create_string_buffer(b"ab", 2), user_event(), c_void_p()
    api.ok("clEnqueueFillBuffer", queue, mem, pattern, 2, 0, 8, 1, handles(gate), byref(event))
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_FILL_BUFFER
    pattern.raw = b"zz"
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    assert contents(mem, 8) == b"abababab"
    api.ok("clReleaseEvent", event)


def test_errors(api, queue, context, other_context, buffer, user_event):
    mem = buffer(256)

    def error(q=queue, m=mem, pattern=b"x" * 256, size=4, offset=0, length=64, n=0, events=None):
        return api.error("clEnqueueFillBuffer", q, m, pattern, size, offset, length, n, events, None)

    assert error() == "CL_SUCCESS"
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(m=buffer(64, within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(m=None) == error(m=queue) == "CL_INVALID_MEM_OBJECT"
    assert error(offset=256) == error(length=260) == error(offset=2**64 - 4, length=8) == "CL_INVALID_VALUE"
    assert error(pattern=None) == "CL_INVALID_VALUE"
    for size in (0, 3, 12, 256):
        assert error(size=size, length=size * 12) == "CL_INVALID_VALUE", size
    assert error(offset=2) == error(length=63) == "CL_INVALID_VALUE"
    assert error(n=1) == error(events=handles(user_event())) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(m=buffer(64, E.MEM_HOST_NO_ACCESS)) == "CL_SUCCESS", "a fill is no access by the host"
