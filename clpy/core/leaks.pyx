# SPDX-License-Identifier: Apache-2.0
"""CLPY_LEAKS=1: at exit, the objects that are still there. Imported for that alone; needs no interpreter by then."""
from libc.stdint cimport int64_t
from libc.stdio cimport snprintf
from clpy.core.object cimport (KIND_CONTEXT, KIND_EVENT, KIND_KERNEL, KIND_MEM, KIND_PROGRAM, KIND_QUEUE,
                               KIND_SAMPLER, live_count)
from clpy.trace cimport trace_text

cdef extern from "<stdlib.h>" nogil:
    int atexit(void (*fn)() noexcept nogil)

cdef struct Kind:
    int kind
    const char *name

cdef Kind[7] KINDS = [
    Kind(KIND_CONTEXT, "contexts"), Kind(KIND_QUEUE, "queues"), Kind(KIND_MEM, "memory objects"),
    Kind(KIND_SAMPLER, "samplers"), Kind(KIND_PROGRAM, "programs"), Kind(KIND_KERNEL, "kernels"),
    Kind(KIND_EVENT, "events"),
]


cdef void report_leaks() noexcept nogil:
    cdef char text[400]
    cdef size_t used = snprintf(text, sizeof(text), "not released:"), start = used
    cdef int64_t count
    cdef int i
    for i in range(7):
        count = live_count(KINDS[i].kind)
        if count and used < sizeof(text):
            used += snprintf(text + used, sizeof(text) - used, " %lld %s,", <long long>count, KINDS[i].name)
    text[used - 1 if used < sizeof(text) else sizeof(text) - 1] = 0          # the last comma
    if used > start:
        trace_text(0, text)
    else:
        trace_text(0, "every object was released")


atexit(report_leaks)
