// SPDX-License-Identifier: Apache-2.0
// Enqueuing kernels from kernels, under the names that Clang gives to what it makes of blocks. It is the core's
// business (clpy/core/enqueue_kernel.pyx): a queue and an event are addresses to it, code of a block is a number.
#include "builtins.h"

// What functions that ask about sub-groups are given.
#ifdef __AMDGCN__
#define RANGE __generic const ndrange_t *range
#else
#define RANGE __private const ndrange_t *range
#endif

int __clpy_enqueue_kernel(queue_t queue, uint flags, __private const ndrange_t *range, uint n_wait,
                          __generic const clk_event_t *wait, __generic clk_event_t *event, __generic void *kernel_,
                          __generic void *block, uint size, uint align, uint n_locals, __private const ulong *sizes);
int __clpy_enqueue_marker(queue_t queue, uint n_wait, __generic const clk_event_t *wait, __generic clk_event_t *event);
queue_t __clpy_default_queue(void);
uint __clpy_kernel_work_group_size(__generic void *kernel_);
uint __clpy_kernel_preferred_multiple(__generic void *kernel_);
uint __clpy_kernel_sub_group_size(__generic void *kernel_);
uint __clpy_kernel_sub_group_count(RANGE, __generic void *kernel_);
void __clpy_retain_event(clk_event_t event);
void __clpy_release_event(clk_event_t event);
bool __clpy_is_valid_event(clk_event_t event);
clk_event_t __clpy_create_user_event(void);
void __clpy_set_user_event_status(clk_event_t event, int status);
void __clpy_capture_event_times(clk_event_t event, __global void *to);

#define PLAIN __attribute__((always_inline))
#define QUEUE queue_t queue, uint flags, __private const ndrange_t *range
#define EVENTS uint n_wait, __generic const clk_event_t *wait, __generic clk_event_t *event
#define BLOCK __generic void *kernel_, __generic void *block
#define LOCALS uint n_locals, __private const ulong *sizes

// What the core reads of the program and writes there, its own code reads and writes before: a fault is the kernel's.
#define TOUCH(n_wait, wait, event) \
    do { \
        if (event) \
            *(volatile __generic ulong *)(event) = 0; \
        for (uint i = 0; (wait) && i < (n_wait); i++) \
            (void)((volatile __generic const ulong *)(wait))[i]; \
    } while (0)

// What a block has captured, and for SPIR-V (clpy/compiler/spirv_blocks.py) any memory of that size.
PLAIN int __clpy_enqueue_block(QUEUE, EVENTS, BLOCK, uint size, uint align, LOCALS) {
    TOUCH(n_wait, wait, event);
    if (size)
        (void)((volatile __generic const char *)block)[size - 1];
    for (uint i = 0; i < size; i += 4096)
        (void)((volatile __generic const char *)block)[i];
    return __clpy_enqueue_kernel(queue, flags, range, n_wait, wait, event, kernel_, block, size, align, n_locals,
                                 sizes);
}
// Clang begins a block with its size and its alignment.
#define CAPTURED ((__generic const uint *)block)[0], ((__generic const uint *)block)[1]
PLAIN int __enqueue_kernel_basic(QUEUE, BLOCK) {
    return __clpy_enqueue_kernel(queue, flags, range, 0, 0, 0, kernel_, block, CAPTURED, 0, 0);
}
PLAIN int __enqueue_kernel_basic_events(QUEUE, EVENTS, BLOCK) {
    TOUCH(n_wait, wait, event);
    return __clpy_enqueue_kernel(queue, flags, range, n_wait, wait, event, kernel_, block, CAPTURED, 0, 0);
}
PLAIN int __enqueue_kernel_varargs(QUEUE, BLOCK, LOCALS) {
    return __clpy_enqueue_kernel(queue, flags, range, 0, 0, 0, kernel_, block, CAPTURED, n_locals, sizes);
}
PLAIN int __enqueue_kernel_events_varargs(QUEUE, EVENTS, BLOCK, LOCALS) {
    TOUCH(n_wait, wait, event);
    return __clpy_enqueue_kernel(queue, flags, range, n_wait, wait, event, kernel_, block, CAPTURED, n_locals, sizes);
}
OVERLOAD int enqueue_marker(queue_t queue, uint n_wait, __generic const clk_event_t *wait,
                            __generic clk_event_t *event) {
    TOUCH(n_wait, wait, event);
    return __clpy_enqueue_marker(queue, n_wait, wait, event);
}
OVERLOAD queue_t get_default_queue(void) { return __clpy_default_queue(); }

PLAIN uint __get_kernel_work_group_size_impl(BLOCK) { return __clpy_kernel_work_group_size(kernel_); }
PLAIN uint __get_kernel_preferred_work_group_size_multiple_impl(BLOCK) {
    return __clpy_kernel_preferred_multiple(kernel_);
}
PLAIN uint __get_kernel_max_sub_group_size_for_ndrange_impl(RANGE, BLOCK) {
    return __clpy_kernel_sub_group_size(kernel_);
}
PLAIN uint __get_kernel_sub_group_count_for_ndrange_impl(RANGE, BLOCK) {
    return __clpy_kernel_sub_group_count(range, kernel_);
}

OVERLOAD void retain_event(clk_event_t event) { __clpy_retain_event(event); }
OVERLOAD void release_event(clk_event_t event) { __clpy_release_event(event); }
OVERLOAD bool is_valid_event(clk_event_t event) { return __clpy_is_valid_event(event); }
OVERLOAD clk_event_t create_user_event(void) { return __clpy_create_user_event(); }
OVERLOAD void set_user_event_status(clk_event_t event, int status) { __clpy_set_user_event_status(event, status); }
OVERLOAD void capture_event_profiling_info(clk_event_t event, int name, __global void *value) {
    volatile __global ulong *times = value;
    if (name != CLK_PROFILING_COMMAND_EXEC_TIME)
        return;
    times[0] = times[1] = 0;
    __clpy_capture_event_times(event, value);
}

// Sizes beyond the dimensions are 1, a local size of zeros is none.
OVERLOAD ndrange_t ndrange_1D(size_t offset, size_t size, size_t group) {
    return (ndrange_t){1, {offset, 0, 0}, {size, 1, 1}, {group, 0, 0}};
}
OVERLOAD ndrange_t ndrange_1D(size_t size, size_t group) { return ndrange_1D(0, size, group); }
OVERLOAD ndrange_t ndrange_1D(size_t size) { return ndrange_1D(0, size, 0); }

#define RANGE_2D(offset, size, group) \
    (ndrange_t){2, {offset(0), offset(1), 0}, {size(0), size(1), 1}, {group(0), group(1), 0}}
#define RANGE_3D(offset, size, group) \
    (ndrange_t){3, {offset(0), offset(1), offset(2)}, {size(0), size(1), size(2)}, {group(0), group(1), group(2)}}
#define NONE(i) 0
#define OFFSET(i) offset[i]
#define SIZE(i) size[i]
#define GROUP(i) group[i]
#define RANGES(D, N) \
    OVERLOAD ndrange_t ndrange_##D(const size_t size[N]) { return RANGE_##D(NONE, SIZE, NONE); } \
    OVERLOAD ndrange_t ndrange_##D(const size_t size[N], const size_t group[N]) { \
        return RANGE_##D(NONE, SIZE, GROUP); \
    } \
    OVERLOAD ndrange_t ndrange_##D(const size_t offset[N], const size_t size[N], const size_t group[N]) { \
        return RANGE_##D(OFFSET, SIZE, GROUP); \
    }
RANGES(2D, 2)
RANGES(3D, 3)
