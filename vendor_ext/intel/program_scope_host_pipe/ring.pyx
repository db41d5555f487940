# SPDX-License-Identifier: Apache-2.0
"""One packet at a time, as the functions of the library do it for kernels: a place is owned by who moves a cursor past
it, and its number tells whether it may be written or read."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy
from clpy.atomics cimport atomic_cas_u64, atomic_load_i32, atomic_load_u64, atomic_store_i32

cdef enum:
    WRITES = 0
    READS = 1


cdef inline int32_t *state_of(clpy_pipe *pipe, uint32_t place) noexcept nogil:
    return <int32_t *>(pipe + 1) + place


cdef inline char *packet_of(clpy_pipe *pipe, uint32_t place) noexcept nogil:
    cdef size_t numbers = (<size_t>pipe.max_packets * 2 * sizeof(uint32_t) + CLPY_PIPE_ALIGN - 1) & ~<size_t>(
        CLPY_PIPE_ALIGN - 1)
    return <char *>(pipe + 1) + numbers + <size_t>place * pipe.packet_size


cdef inline uint64_t following(const clpy_pipe *pipe, uint64_t at) noexcept nogil:
    return at + 1 if <uint32_t>at + 1 < pipe.max_packets else ((at >> 32) + 1) << 32


cdef inline bint is_ready(clpy_pipe *pipe, uint64_t at, uint32_t use) noexcept nogil:
    return <uint32_t>atomic_load_i32(state_of(pipe, <uint32_t>at)) == 2 * <uint32_t>(at >> 32) + use


cdef bint take(clpy_pipe *pipe, uint64_t *cursor, uint32_t use, uint64_t *at) noexcept nogil:
    cdef uint64_t now
    at[0] = atomic_load_u64(cursor)
    while True:
        if not is_ready(pipe, at[0], use):
            now = atomic_load_u64(cursor)
            if now == at[0]:
                return False
            at[0] = now
        elif atomic_cas_u64(cursor, at, following(pipe, at[0])):
            return True


cdef inline void give(clpy_pipe *pipe, uint64_t at, uint32_t use) noexcept nogil:
    atomic_store_i32(state_of(pipe, <uint32_t>at), <int32_t>(2 * <uint32_t>(at >> 32) + use + 1))


cdef bint ring_read(clpy_pipe *pipe, void *to) noexcept nogil:
    cdef uint64_t at
    if not take(pipe, &pipe.taken, READS, &at):
        return False
    memcpy(to, packet_of(pipe, <uint32_t>at), pipe.packet_size)
    give(pipe, at, READS)
    return True


cdef bint ring_write(clpy_pipe *pipe, const void *data) noexcept nogil:
    cdef uint64_t at
    if not take(pipe, &pipe.written, WRITES, &at):
        return False
    memcpy(packet_of(pipe, <uint32_t>at), data, pipe.packet_size)
    give(pipe, at, WRITES)
    return True
