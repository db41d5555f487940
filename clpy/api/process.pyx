# SPDX-License-Identifier: Apache-2.0
"""What libclpy.so needs of the core once it is imported: the functions that are no part of the dispatch table."""
from libc.string cimport memcpy
from clpy.api.functions cimport function_find
from clpy.core.interpreter cimport interpreter_is_ours
from clpy.core.object cimport kill_all_after_fork, set_dispatch, set_dispatch_data
from clpy.core.platform cimport adopt_platform

from importlib import import_module

from clpy import config

# The order of icd/exports.c.
cdef struct Core:
    const void *dispatch
    void *(*find_function)(const char *name, int extensions_only) noexcept nogil
    void (*set_dispatch_data)(void *data) noexcept nogil
    void (*after_fork_in_child)() noexcept nogil

cdef Core core

if config.get("LEAKS"):
    import_module("clpy.core.leaks")


cdef void *find_function(const char *name, int extensions_only) noexcept nogil:
    return function_find(name, extensions_only)


cdef void after_fork_in_child() noexcept nogil:
    kill_all_after_fork()


def hand_over(size_t ours, size_t table, size_t size, size_t platform, bint own_interpreter):
    """Fills the library's dispatch table from ours; the address of a struct that lives for ever."""
    if own_interpreter:
        interpreter_is_ours()
    core.dispatch = <const void *>ours
    core.find_function = find_function
    core.set_dispatch_data = set_dispatch_data
    core.after_fork_in_child = after_fork_in_child
    adopt_platform(<void *>platform)
    set_dispatch(<void *>table)
    memcpy(<void *>table, <const void *>ours, size)
    return <size_t>&core
