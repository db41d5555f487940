# SPDX-License-Identifier: Apache-2.0
"""Long LLVM calls run through these: a fatal error of LLVM, which would end the process, ends the call only.

Both run fn(arg) and return NULL, or the error's text (to be freed): what fn worked on must not be touched any more.
"""

# On a stack of its own, deep enough for any source.
cdef char *guarded(void (*fn)(void *) noexcept nogil, void *arg) noexcept nogil

# On the caller's stack, or on one of its own where little is left of that.
cdef char *guarded_here(void (*fn)(void *) noexcept nogil, void *arg) noexcept nogil

# clpy_link_needed of guard_shim.h.
cdef char *link_only_needed(void *dest, const char *data, size_t size) noexcept nogil

# The text as a str; frees it.
cdef str take(char *text)
