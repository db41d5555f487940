# SPDX-License-Identifier: Apache-2.0
"""The guard around LLVM's fatal errors, and the linker's only-needed mode (guard_shim.cpp) for the other modules."""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free

from clpy import llvm

cdef extern from "guard_shim.h" nogil:
    char *clpy_guarded(void (*)(void *) noexcept nogil, void *) noexcept
    char *clpy_guarded_here(void (*)(void *) noexcept nogil, void *) noexcept
    char *clpy_link_needed(void *, const char *, size_t) noexcept
    ctypedef bint (*clpy_crash_guard)(void (*)(void *) noexcept nogil, void *) noexcept nogil
    void clpy_guard_crashes(clpy_crash_guard guard) noexcept


cdef char *guarded(void (*fn)(void *) noexcept nogil, void *arg) noexcept nogil:
    return clpy_guarded(fn, arg)


cdef char *guarded_here(void (*fn)(void *) noexcept nogil, void *arg) noexcept nogil:
    return clpy_guarded_here(fn, arg)


cdef char *link_only_needed(void *dest, const char *data, size_t size) noexcept nogil:
    return clpy_link_needed(dest, data, size)


cdef str take(char *text):
    if text == NULL:
        return ""
    answer = text.decode("utf-8", "replace")
    free(text)
    return answer


def read_crash_guard():
    clpy_guard_crashes(<clpy_crash_guard><uintptr_t>llvm.crash_guard)


read_crash_guard()
