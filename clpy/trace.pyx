# SPDX-License-Identifier: Apache-2.0
"""The log: what CLPY_DEBUG asks for, on stderr. Nothing else in clpy prints.

Levels add up (see config.TABLE). Each call is one write, so that lines of several threads do not mix; the
descriptor is written, not sys.stderr, which belongs to the host program and may be anything.
"""
import os

from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc
from libc.string cimport strchr, strlen
from posix.unistd cimport write

from clpy import config

cdef int c_level = config.get("DEBUG")
cdef set said = set()            # by report_once


def trace(level, text):
    """Write `text`, its lines marked as ours, if CLPY_DEBUG is at least `level`."""
    if config.get("DEBUG") >= level:
        report(text)


def report(text):
    """Write `text` whatever the level: for what the user must know."""
    lines = text.rstrip("\n").split("\n")
    out = "".join(["clpy: " + line + "\n" for line in lines])
    try:
        os.write(2, out.encode("utf-8", "replace"))
    except OSError:
        pass


def report_once(text):
    """The same, unless this process has said it before."""
    if text not in said:
        said.add(text)
        report(text)


def fault_text(error):
    """An exception that is an error of ours, in one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


def report_fault(where, error):
    """Tell the user of an error of ours, in one line; CLPY_DEBUG=1 adds where in clpy it came from."""
    try:
        report(f"{where}: {fault_text(error)} (an error in clpy; CLPY_DEBUG=1 shows where)")
        if config.get("DEBUG") >= 1:
            import traceback
            report("".join(traceback.format_exception(error)))
    except BaseException:
        pass                        # nothing to say it with


cdef bint traces(int level) noexcept nogil:
    return c_level >= level


cdef void trace_text(int level, const char *text) noexcept nogil:
    if c_level >= level:
        report_text(text)


cdef void report_text(const char *text) noexcept nogil:
    """All lines in one write."""
    cdef size_t size = strlen(text), lines = 2, used = 0, here, i
    cdef const char *end
    cdef char *out
    for i in range(size):
        lines += text[i] == c'\n'
    out = <char *>malloc(size + lines * 8)
    if out == NULL:
        return
    while True:
        end = strchr(text, c'\n')
        here = strlen(text) if end == NULL else <size_t>(end - text)
        used += snprintf(out + used, here + 8, "clpy: %.*s\n", <int>here, text)
        if end == NULL:
            break
        text = end + 1
    if write(2, out, used) < 0:
        pass                        # nowhere to say so
    free(out)
