# SPDX-License-Identifier: Apache-2.0
"""What libclpy.so needs of the core once it is imported: the functions that are no part of the dispatch table."""
from clpy.api.functions cimport function_find
from clpy.cl cimport cl_int, cl_platform_id
from clpy.core.object cimport KIND_PLATFORM, kill_all_after_fork, object_is, set_dispatch_data
from clpy.spec.consts cimport CL_INVALID_PLATFORM, CL_SUCCESS

# The order of icd/exports.c.
cdef struct Core:
    const void *dispatch
    void *(*find_function)(const char *name, int extensions_only) noexcept nogil
    cl_int (*set_dispatch_data)(cl_platform_id platform, void *data) noexcept nogil
    void (*after_fork_in_child)() noexcept nogil

cdef Core core


cdef void *find_function(const char *name, int extensions_only) noexcept nogil:
    return function_find(name, extensions_only)


cdef cl_int set_platform_dispatch_data(cl_platform_id platform, void *data) noexcept nogil:
    if not object_is(platform, KIND_PLATFORM):
        return CL_INVALID_PLATFORM
    set_dispatch_data(data)
    return CL_SUCCESS


cdef void after_fork_in_child() noexcept nogil:
    kill_all_after_fork()


def hand_over(size_t dispatch):
    """The address of a struct that lives for ever."""
    core.dispatch = <const void *>dispatch
    core.find_function = find_function
    core.set_dispatch_data = set_platform_dispatch_data
    core.after_fork_in_child = after_fork_in_child
    return <size_t>&core
