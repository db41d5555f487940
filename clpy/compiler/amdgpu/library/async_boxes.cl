// SPDX-License-Identifier: Apache-2.0
// Copies of boxes between __global and __local memory: each work-item of the group takes its share of the elements, as
// in AMD's functions for rows.
#define OVERLOAD __attribute__((overloadable))
#define INSIDE static __attribute__((overloadable, always_inline))

#define COPY_ELEMENTS(TO, FROM) \
    INSIDE void copy_element(TO char *to, const FROM char *from, size_t bytes) { \
        if ((((size_t)to | (size_t)from | bytes) & 3) == 0) { \
            for (size_t i = 0; i < bytes / 4; i++) \
                ((TO uint *)to)[i] = ((const FROM uint *)from)[i]; \
        } else { \
            for (size_t i = 0; i < bytes; i++) \
                to[i] = from[i]; \
        } \
    } \
    OVERLOAD event_t async_work_group_copy_3D3D( \
            TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t bytes, size_t n, \
            size_t n_lines, size_t n_planes, size_t from_line, size_t from_plane, size_t to_line, size_t to_plane, \
            event_t event) { \
        size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2); \
        for (size_t i = get_local_linear_id(); i < n * n_lines * n_planes; i += items) { \
            size_t column = i % n, line = i / n % n_lines, plane = i / n / n_lines; \
            copy_element((TO char *)to + (to_offset + plane * to_plane + line * to_line + column) * bytes, \
                         (const FROM char *)from \
                         + (from_offset + plane * from_plane + line * from_line + column) * bytes, bytes); \
        } \
        return event; \
    } \
    OVERLOAD event_t async_work_group_copy_2D2D( \
            TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t bytes, size_t n, \
            size_t n_lines, size_t from_line, size_t to_line, event_t event) { \
        return async_work_group_copy_3D3D(to, to_offset, from, from_offset, bytes, n, n_lines, 1, from_line, 0, \
                                          to_line, 0, event); \
    }
COPY_ELEMENTS(__local, __global)
COPY_ELEMENTS(__global, __local)

// What one work-item has copied another may be about to copy on.
OVERLOAD __attribute__((convergent)) void async_work_group_copy_fence(cl_mem_fence_flags flags) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
