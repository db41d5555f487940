// SPDX-License-Identifier: Apache-2.0
// Pipes, under the names that Clang gives the functions on them. A ring without locks: a cursor is moved by compare and
// exchange, and a place tells in its state whether it may be written or read (clpy_pipe.h). Nobody waits for another: a
// packet that somebody is about to write is not there yet.
#include "builtins.h"
#include "clpy_pipe.h"

// The pass that makes pipes pointers knows these (clpy/compiler/passes/images.py).
__global clpy_pipe *__clpy_pipe_ro(read_only pipe int p);
__global clpy_pipe *__clpy_pipe_wo(write_only pipe int p);
ulong __clpy_reservation(reserve_id_t id);
reserve_id_t __clpy_reserve_id(ulong reservation);

#define PLAIN __attribute__((always_inline))
#define RELAXED __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE

INTERNAL __global uint *state_of(__global clpy_pipe *p, uint place) { return (__global uint *)(p + 1) + place; }
INTERNAL __global uint *count_of(__global clpy_pipe *p, uint place) { return state_of(p, p->max_packets + place); }
INTERNAL __global uchar *packet_of(__global clpy_pipe *p, uint place) {
    ulong numbers = ((ulong)p->max_packets * 2 * sizeof(uint) + (CLPY_PIPE_ALIGN - 1)) & ~(ulong)(CLPY_PIPE_ALIGN - 1);
    return (__global uchar *)(p + 1) + numbers + (ulong)place * p->packet_size;
}
// The cursor n places on: n is no more than there are.
INTERNAL ulong behind(__global clpy_pipe *p, ulong at, uint n) {
    ulong place = (ulong)(uint)at + n;
    return place < p->max_packets ? at + n : ((at >> 32) + 1) << 32 | (place - p->max_packets);
}
// How far a place is from what who comes at this cursor waits for: `reads` is 1 for those that read.
INTERNAL int missing(__global clpy_pipe *p, ulong at, uint reads) {
    uint state = __scoped_atomic_load_n(state_of(p, (uint)at), __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
    return (int)(state - (2 * (uint)(at >> 32) + reads));
}
// Take n places at a cursor; true with the first in *first. False when one of them is not ready.
INTERNAL bool take(__global clpy_pipe *p, __global ulong *cursor, uint n, uint reads, ulong *first) {
    ulong at = __scoped_atomic_load_n(cursor, RELAXED);
    if (n == 0 || n > p->max_packets)
        return false;
    while (true) {
        ulong now, here = at;
        uint ready = 0;
        while (ready < n && missing(p, here, reads) == 0) {
            ready++;
            here = behind(p, here, 1);
        }
        if (ready == n) {
            if (__scoped_atomic_compare_exchange_n(cursor, &at, behind(p, at, n), true, RELAXED,
                                                   __ATOMIC_RELAXED)) {
                *first = at;
                return true;
            }
            continue;
        }
        now = __scoped_atomic_load_n(cursor, RELAXED);
        if (now == at)
            return false;
        at = now;
    }
}
INTERNAL void done(__global clpy_pipe *p, ulong at, uint n, uint reads) {
    for (; n > 0; n--) {
        __scoped_atomic_store_n(state_of(p, (uint)at), 2 * (uint)(at >> 32) + reads + 1, __ATOMIC_RELEASE,
                                __MEMORY_SCOPE_DEVICE);
        at = behind(p, at, 1);
    }
}
INTERNAL uint size_in(__global clpy_pipe *p, uint size) { return min(size, p->packet_size); }

PLAIN int __read_pipe_2(read_only pipe int pipe_, __generic void *to, uint size, uint align) {
    __global clpy_pipe *p = __clpy_pipe_ro(pipe_);
    ulong at;
    if (!take(p, &p->taken, 1, 1, &at))
        return -1;
    __builtin_memcpy(to, packet_of(p, (uint)at), size_in(p, size));
    done(p, at, 1, 1);
    return 0;
}
PLAIN int __write_pipe_2(write_only pipe int pipe_, __generic const void *from, uint size, uint align) {
    __global clpy_pipe *p = __clpy_pipe_wo(pipe_);
    ulong at;
    if (!take(p, &p->written, 1, 0, &at))
        return -1;
    __builtin_memcpy(packet_of(p, (uint)at), from, size_in(p, size));
    done(p, at, 1, 0);
    return 0;
}

// A reservation is its first place plus one, 0 where there is none: 32 bits, as SPIR-V has pointers in place of
// reservations, which have no more on some chips. At its first place is how many packets it has, and in the state of
// that place the round.
INTERNAL ulong reserve(__global clpy_pipe *p, __global ulong *cursor, uint n, uint reads) {
    ulong at;
    if (!take(p, cursor, n, reads, &at))
        return 0;
    *count_of(p, (uint)at) = n;
    return (ulong)(uint)at + 1;
}
INTERNAL void commit(__global clpy_pipe *p, ulong reservation, uint reads) {
    uint place = (uint)reservation - 1;
    if (reservation != 0)
        done(p, ((ulong)(*state_of(p, place) >> 1) << 32) + place, *count_of(p, place), reads);
}
INTERNAL __global uchar *packet_in(__global clpy_pipe *p, ulong reservation, uint index) {
    if (reservation == 0 || index >= *count_of(p, (uint)(reservation - 1)))
        return 0;
    return packet_of(p, (uint)behind(p, reservation - 1, index));
}

PLAIN int __read_pipe_4(read_only pipe int pipe_, reserve_id_t id, uint index, __generic void *to, uint size,
                        uint align) {
    __global clpy_pipe *p = __clpy_pipe_ro(pipe_);
    __global uchar *packet = packet_in(p, __clpy_reservation(id), index);
    if (!packet)
        return -1;
    __builtin_memcpy(to, packet, size_in(p, size));
    return 0;
}
PLAIN int __write_pipe_4(write_only pipe int pipe_, reserve_id_t id, uint index, __generic const void *from, uint size,
                         uint align) {
    __global clpy_pipe *p = __clpy_pipe_wo(pipe_);
    __global uchar *packet = packet_in(p, __clpy_reservation(id), index);
    if (!packet)
        return -1;
    __builtin_memcpy(packet, from, size_in(p, size));
    return 0;
}

PLAIN reserve_id_t __reserve_read_pipe(read_only pipe int pipe_, uint n, uint size, uint align) {
    __global clpy_pipe *p = __clpy_pipe_ro(pipe_);
    return __clpy_reserve_id(reserve(p, &p->taken, n, 1));
}
PLAIN reserve_id_t __reserve_write_pipe(write_only pipe int pipe_, uint n, uint size, uint align) {
    __global clpy_pipe *p = __clpy_pipe_wo(pipe_);
    return __clpy_reserve_id(reserve(p, &p->written, n, 0));
}
PLAIN void __commit_read_pipe(read_only pipe int pipe_, reserve_id_t id, uint size, uint align) {
    commit(__clpy_pipe_ro(pipe_), __clpy_reservation(id), 1);
}
PLAIN void __commit_write_pipe(write_only pipe int pipe_, reserve_id_t id, uint size, uint align) {
    commit(__clpy_pipe_wo(pipe_), __clpy_reservation(id), 0);
}
OVERLOAD bool is_valid_reserve_id(reserve_id_t id) { return __clpy_reservation(id) != 0; }

INTERNAL uint packets(__global clpy_pipe *p) {
    ulong from = __scoped_atomic_load_n(&p->taken, RELAXED), to = __scoped_atomic_load_n(&p->written, RELAXED);
    return (uint)((to >> 32) - (from >> 32)) * p->max_packets + (uint)to - (uint)from;
}
PLAIN uint __get_pipe_num_packets_ro(read_only pipe int p, uint size, uint align) {
    return packets(__clpy_pipe_ro(p));
}
PLAIN uint __get_pipe_num_packets_wo(write_only pipe int p, uint size, uint align) {
    return packets(__clpy_pipe_wo(p));
}
PLAIN uint __get_pipe_max_packets_ro(read_only pipe int p, uint size, uint align) {
    return __clpy_pipe_ro(p)->max_packets;
}
PLAIN uint __get_pipe_max_packets_wo(write_only pipe int p, uint size, uint align) {
    return __clpy_pipe_wo(p)->max_packets;
}

// Of a whole group or sub-group: its first work-item does it, once all of them are here, and tells the others.
#define TOGETHER __attribute__((always_inline, convergent))
#define BY_THE_FIRST(scope, is_first, broadcast, wait) \
    TOGETHER reserve_id_t __##scope##_reserve_read_pipe(read_only pipe int pipe_, uint n, uint size, uint align) { \
        __global clpy_pipe *p = __clpy_pipe_ro(pipe_); \
        ulong reservation = is_first ? reserve(p, &p->taken, n, 1) : 0; \
        return __clpy_reserve_id(broadcast(reservation, 0)); \
    } \
    TOGETHER reserve_id_t __##scope##_reserve_write_pipe(write_only pipe int pipe_, uint n, uint size, uint align) { \
        __global clpy_pipe *p = __clpy_pipe_wo(pipe_); \
        ulong reservation = is_first ? reserve(p, &p->written, n, 0) : 0; \
        return __clpy_reserve_id(broadcast(reservation, 0)); \
    } \
    TOGETHER void __##scope##_commit_read_pipe(read_only pipe int p, reserve_id_t id, uint size, uint align) { \
        wait(CLK_GLOBAL_MEM_FENCE); \
        if (is_first) \
            commit(__clpy_pipe_ro(p), __clpy_reservation(id), 1); \
    } \
    TOGETHER void __##scope##_commit_write_pipe(write_only pipe int p, reserve_id_t id, uint size, uint align) { \
        wait(CLK_GLOBAL_MEM_FENCE); \
        if (is_first) \
            commit(__clpy_pipe_wo(p), __clpy_reservation(id), 0); \
    }
BY_THE_FIRST(work_group, (get_local_linear_id() == 0), work_group_broadcast, work_group_barrier)
BY_THE_FIRST(sub_group, (get_sub_group_local_id() == 0), sub_group_broadcast, sub_group_barrier)
