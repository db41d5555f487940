# SPDX-License-Identifier: Apache-2.0
"""The guard around LLVM's fatal errors, and the linker's only-needed mode (guard_shim.cpp) for the other modules."""
from libc.stdlib cimport free

cdef extern from "guard_shim.h" nogil:
    char *clpy_guarded(void (*)(void *) noexcept nogil, void *) noexcept
    char *clpy_guarded_here(void (*)(void *) noexcept nogil, void *) noexcept
    char *clpy_link_needed(void *, const char *, size_t) noexcept


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
