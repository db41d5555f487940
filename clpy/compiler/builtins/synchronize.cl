// SPDX-License-Identifier: Apache-2.0
// Fences, and copies between __global and __local memory that the whole group makes together.
#include "builtins.h"

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
    __scoped_atomic_thread_fence(order, __MEMORY_SCOPE_DEVICE);
}
OVERLOAD void mem_fence(cl_mem_fence_flags flags) {
    __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_WRKGRP);
}
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) {
    __scoped_atomic_thread_fence(__ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP);
}
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) {
    __scoped_atomic_thread_fence(__ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
}

// The first work-item copies everything at once: on a CPU one memcpy beats shares of it. The barrier of
// wait_group_events lets the others see it. A vector of 3 takes the place of one of 4, as sizeof says.
#define IS_FIRST ((get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0)
#define COPY(T, TO, FROM) \
    OVERLOAD event_t async_work_group_copy(TO T *to, const FROM T *from, size_t n, event_t event) { \
        if (IS_FIRST) \
            __builtin_memcpy(to, from, n * sizeof(T)); \
        return event; \
    }
#define COPIES(N, T) \
    COPY(T##N, __local, __global) \
    COPY(T##N, __global, __local) \
    OVERLOAD event_t async_work_group_strided_copy(__local T##N *to, const __global T##N *from, size_t n, \
                                                   size_t stride, event_t event) { \
        if (IS_FIRST) \
            for (size_t i = 0; i < n; i++) \
                to[i] = from[i * stride]; \
        return event; \
    } \
    OVERLOAD event_t async_work_group_strided_copy(__global T##N *to, const __local T##N *from, size_t n, \
                                                   size_t stride, event_t event) { \
        if (IS_FIRST) \
            for (size_t i = 0; i < n; i++) \
                to[i * stride] = from[i]; \
        return event; \
    }
WIDTHS(COPIES, char)
WIDTHS(COPIES, uchar)
WIDTHS(COPIES, short)
WIDTHS(COPIES, ushort)
WIDTHS(COPIES, int)
WIDTHS(COPIES, uint)
WIDTHS(COPIES, long)
WIDTHS(COPIES, ulong)
WIDTHS(COPIES, half)
WIDTHS(COPIES, float)
WIDTHS(COPIES, double)

// Of boxes. All copies are made by one work-item, in their order: there is nothing that a fence would have to order.
#define COPY_LINES(TO, FROM) \
    OVERLOAD event_t async_work_group_copy_3D3D( \
            TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t bytes, size_t n, \
            size_t n_lines, size_t n_planes, size_t from_line, size_t from_plane, size_t to_line, size_t to_plane, \
            event_t event) { \
        if (IS_FIRST) \
            for (size_t plane = 0; plane < n_planes; plane++) \
                for (size_t line = 0; line < n_lines; line++) \
                    __builtin_memcpy((TO char *)to + (to_offset + plane * to_plane + line * to_line) * bytes, \
                                     (const FROM char *)from + (from_offset + plane * from_plane + line * from_line) \
                                     * bytes, n * bytes); \
        return event; \
    } \
    OVERLOAD event_t async_work_group_copy_2D2D( \
            TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t bytes, size_t n, \
            size_t n_lines, size_t from_line, size_t to_line, event_t event) { \
        return async_work_group_copy_3D3D(to, to_offset, from, from_offset, bytes, n, n_lines, 1, from_line, 0, \
                                          to_line, 0, event); \
    }
COPY_LINES(__local, __global)
COPY_LINES(__global, __local)
OVERLOAD void async_work_group_copy_fence(cl_mem_fence_flags flags) {}

#define WAIT(A, ...) \
    __attribute__((convergent)) OVERLOAD void wait_group_events(int n, A event_t *events) { \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    }
WRITABLE_SPACES(WAIT, )
