# SPDX-License-Identifier: Apache-2.0
"""The sinks of what happens, in the order in which they were added."""


cdef void sink_add(Sink *sink) noexcept nogil:
    cdef Sink **last = &sinks
    while last[0] != NULL:
        last = &last[0].next
    sink.next = NULL
    last[0] = sink


cdef void tell_sinks(uint32_t what, const void *of, int32_t status, const void *with_it,
                     uint64_t since_ns) noexcept nogil:
    cdef Happening it = Happening(what, status, <const clpy_object *>of, with_it, now_ns(), since_ns)
    cdef Sink *sink = sinks
    while sink != NULL:
        if sink.wants & what:
            sink.tell(&it)
        sink = sink.next
