# SPDX-License-Identifier: Apache-2.0
"""Semaphores: of this process, and those whose state is behind a file descriptor that other processes may have too."""
from libc.stdint cimport int32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_external_semaphore_handle_type_khr, cl_int, cl_semaphore_properties_khr, cl_uint
from clpy.core.command cimport Command, Queue, Wait
from clpy.core.context cimport Context
from clpy.device.base cimport Device

ctypedef struct Linked:          # a command in a list of a semaphore; held
    Command *command
    Linked *next

ctypedef struct Semaphore:
    clpy_object obj
    Context *context             # held
    Device *device               # the one it was made for, held; NULL for all of the context
    size_t n_properties          # entries incl. the closing 0
    cl_semaphore_properties_khr *properties
    cl_external_semaphore_handle_type_khr exports        # 0: nothing
    bint imports_sync            # made from a sync file
    int fd                       # an eventfd with the state, shared with whoever has it; -1: the state is in the lists
    int32_t lock                 # guards what follows
    bint watched                 # somebody waits for fd
    bint has_sync                # its state is imported: sync_fd, or signaled where that is -1. Until it is waited for
    int sync_fd
    Linked *signals              # commands that no wait was enqueued for yet, oldest first; only without fd
    Linked *gates                # what waits wait for whose signal was not enqueued yet, oldest first

# CL_SUCCESS, or the error; `fd`: of an imported one, which belongs to the semaphore if this succeeds, else -1.
cdef cl_int semaphore_new(Context *ctx, Device *dev, size_t n_properties,
                          const cl_semaphore_properties_khr *properties,
                          cl_external_semaphore_handle_type_khr exports,
                          cl_external_semaphore_handle_type_khr imports, int fd, Semaphore **out) noexcept nogil
# The application's further sync file, or -1.
cdef void semaphore_reimport(Semaphore *sema, int fd) noexcept nogil
# Waits for the signal that was enqueued, and takes it: what is exported is signaled. CL_OUT_OF_RESOURCES: none was.
cdef cl_int semaphore_take_signal(Semaphore *sema) noexcept nogil
cdef bint semaphore_is_signaled(Semaphore *sema) noexcept nogil
cdef bint is_semaphore_fd(int fd) noexcept nogil        # could it be one of ours?
# Another descriptor of an exportable one: the caller's. -1 when there is none.
cdef int semaphore_export(Semaphore *sema) noexcept nogil
# What waits for a signal to come waits no longer, and fails.
cdef void semaphore_release_waiters(Semaphore *sema) noexcept nogil
# The semaphores and the wait list are checked.
cdef cl_int semaphores_signal(Queue *q, cl_uint n, Semaphore *const *semas, const Wait *wait) noexcept nogil
cdef cl_int semaphores_wait(Queue *q, cl_uint n, Semaphore *const *semas, const Wait *wait) noexcept nogil
