# SPDX-License-Identifier: Apache-2.0
"""What libclpy.so needs of the core once it is imported: the functions that are no part of the dispatch table."""
from libc.string cimport memcpy
from clpy.api.functions cimport function_find
from clpy.forking cimport fork_begins, fork_ends_in_child, fork_ends_in_parent
from clpy.core.interpreter cimport fork_without_python, interpreter_is_ours
from clpy.core.object cimport kill_all_after_fork, set_dispatch, set_dispatch_data
from clpy.core.platform cimport adopt_platform

import os
from importlib import import_module

from clpy import config

# The order of icd/exports.c.
cdef struct Core:
    const void *dispatch
    void *(*find_function)(const char *name, int extensions_only) noexcept nogil
    void (*set_dispatch_data)(void *data) noexcept nogil
    void (*fork_begins)() noexcept nogil
    void (*fork_ends_in_parent)() noexcept nogil
    void (*fork_ends_in_child)() noexcept nogil

cdef Core core

if config.get("LEAKS"):
    import_module("clpy.core.leaks")
if config.get("DEBUG") >= 2:
    import_module("clpy.core.log")
if config.get("TIMELINE"):
    import_module("clpy.core.timeline")


cdef void *find_function(const char *name, int extensions_only) noexcept nogil:
    return function_find(name, extensions_only)


cdef void child_begins() noexcept nogil:
    kill_all_after_fork()
    if not fork_ends_in_child():
        fork_without_python()


def before_fork():
    with nogil:
        fork_begins()


def after_fork_in_parent():
    fork_ends_in_parent()


def after_fork_in_child():
    fork_ends_in_child()


def hand_over(size_t ours, size_t table, size_t size, size_t platform, bint own_interpreter):
    """Fills the library's dispatch table from ours; the address of a struct that lives for ever."""
    if own_interpreter:
        interpreter_is_ours()
    else:                        # before Python takes its import lock, which those may need that a fork waits for
        os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent,
                            after_in_child=after_fork_in_child)
    core.dispatch = <const void *>ours
    core.find_function = find_function
    core.set_dispatch_data = set_dispatch_data
    core.fork_begins = fork_begins
    core.fork_ends_in_parent = fork_ends_in_parent
    core.fork_ends_in_child = child_begins
    adopt_platform(<void *>platform)
    set_dispatch(<void *>table)
    memcpy(<void *>table, <const void *>ours, size)
    return <size_t>&core
