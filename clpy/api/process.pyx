# SPDX-License-Identifier: Apache-2.0
"""What libclpy.so needs of the core once it is imported: the dispatch table, and functions that are no part of it."""
from clpy.api.functions cimport function_find
from clpy.forking cimport fork_begins, fork_ends_in_child, fork_ends_in_parent
from clpy.core.interpreter cimport fork_without_python, interpreter_is_ours
from clpy.core.object cimport kill_all_after_fork, set_dispatch, set_dispatch_data
from clpy.core.platform cimport adopt_platform

import os

import clpy
from clpy import config

cdef extern from "Python.h" nogil:
    ctypedef int PyGILState_STATE
    PyGILState_STATE PyGILState_Ensure()
    void PyGILState_Release(PyGILState_STATE state)
    void PyOS_BeforeFork()
    void PyOS_AfterFork_Parent()
    void PyOS_AfterFork_Child()

cdef extern from "<dlfcn.h>" nogil:
    enum: RTLD_NOW
    void *dlopen(const char *file, int mode)
    void *dlsym(void *library, const char *name)

cdef extern from "fork_state.h" nogil:
    PyGILState_STATE fork_state "clpy_fork_state"

# The order of icd/exports.c.
cdef struct Core:
    const void *dispatch
    void (*begins)(void *table, void *platform) noexcept nogil
    void *(*find_function)(const char *name, int extensions_only) noexcept nogil
    void (*set_dispatch_data)(void *data) noexcept nogil
    void (*fork_begins)() noexcept nogil
    void (*fork_ends_in_parent)() noexcept nogil
    void (*fork_ends_in_child)() noexcept nogil

ctypedef void *(*find_fn)(const char *name) noexcept nogil
ctypedef int (*take_fn)(const Core *core) noexcept nogil

cdef Core core

if config.get("LEAKS"):
    import clpy.core.leaks
if config.get("DEBUG") >= 2:
    import clpy.core.log
if config.get("TIMELINE"):
    import clpy.core.timeline


cdef void begins(void *table, void *platform) noexcept nogil:
    """Objects are from now on the library's: they point to its table."""
    adopt_platform(platform)
    set_dispatch(table)


cdef void *find_function(const char *name, int extensions_only) noexcept nogil:
    return function_find(name, extensions_only)


# ---- forks -----------------------------------------------------------------------------------------------------------

cdef void private_fork_begins() noexcept nogil:
    """An interpreter of our own must be whole in the child."""
    global fork_state
    fork_begins()
    fork_state = PyGILState_Ensure()
    PyOS_BeforeFork()


cdef void private_fork_ends_in_parent() noexcept nogil:
    PyOS_AfterFork_Parent()
    PyGILState_Release(fork_state)
    fork_ends_in_parent()


cdef void private_fork_ends_in_child() noexcept nogil:
    kill_all_after_fork()
    fork_ends_in_child()
    PyOS_AfterFork_Child()
    PyGILState_Release(fork_state)


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


# ---- who gives the core ----------------------------------------------------------------------------------------------

cdef const Core *describe(bint private):
    from clpy.api.entries import dispatch_address
    core.dispatch = <const void *><size_t>dispatch_address()
    core.begins = begins
    core.find_function = find_function
    core.set_dispatch_data = set_dispatch_data
    core.fork_begins = private_fork_begins if private else fork_begins
    core.fork_ends_in_parent = private_fork_ends_in_parent if private else fork_ends_in_parent
    core.fork_ends_in_child = private_fork_ends_in_child if private else child_begins
    return &core


def private_core():
    """The address of a struct that lives for ever, in the library's own interpreter."""
    interpreter_is_ours()
    return <size_t>describe(True)


def lend():
    """For a Python program that looks into clpy, as its tests do: libclpy.so, the one beside this package, uses the
    modules that the program imports, and starts no core of its own. Before the library's first device; RuntimeError
    when it is too late."""
    cdef void *library
    cdef find_fn find
    cdef take_fn take
    cdef const Core *ours = describe(False)
    cdef int taken
    path = os.path.join(os.path.dirname(os.path.realpath(clpy.__file__)), "libclpy.so")
    library = dlopen(os.fsencode(path), RTLD_NOW)
    if library == NULL:
        raise RuntimeError(f"{path} is not found, or cannot be loaded")
    find = <find_fn>dlsym(library, "clGetExtensionFunctionAddress")
    take = <take_fn>find("clpyTakeCore")
    # Before Python takes its import lock, which those may need that a fork waits for.
    os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent,
                        after_in_child=after_fork_in_child)
    with nogil:
        taken = take(ours)
    if not taken:
        raise RuntimeError(f"{path} has a core already")
