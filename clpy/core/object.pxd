# SPDX-License-Identifier: Apache-2.0
"""The base of every object behind a cl_* handle: slots, kinds, the two reference counts, the census.

A handle is valid when it points to a slot of its kind that is in use: slots of a kind lie in one reserved
range of addresses that is never given back, so any pointer at all can be tested without touching foreign memory.
"""
from libc.stdint cimport int64_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int

cdef enum:
    KIND_FREE = 0
    KIND_PLATFORM = 1
    KIND_DEVICE = 2
    KIND_CONTEXT = 3
    KIND_QUEUE = 4
    KIND_MEM = 5
    KIND_SAMPLER = 6
    KIND_PROGRAM = 7
    KIND_KERNEL = 8
    KIND_EVENT = 9
    KIND_CODE = 10               # machine code of a build (core/program): never a handle of the application
    KIND_COMMAND_BUFFER = 11
    KIND_MUTABLE_COMMAND = 12    # a handle of a command in a command buffer (core/mutable)
    KIND_PLAN = 13               # what a command buffer executes (core/replay): never a handle of the application
    KIND_SEMAPHORE = 14
    KIND_DEVICE_QUEUE = 15       # a cl_command_queue of the application too
    KIND_COUNT = 16

# Called once, when the last runtime reference goes; frees what the object owns, not the slot itself.
ctypedef void (*destroy_fn)(clpy_object *obj) noexcept nogil

cdef cl_int kind_register(int kind, size_t size, destroy_fn destroy) noexcept nogil
cdef void set_dispatch(void *table) noexcept nogil          # the table that new objects point to
cdef void set_dispatch_data(void *data) noexcept nogil      # the loader's own data, in every object
cdef void *object_new(int kind) noexcept nogil              # zeroed, app_refs 1; NULL when out of memory
cdef void *object_new_internal(int kind) noexcept nogil     # zeroed, app_refs 0, one runtime reference
cdef bint object_is(const void *handle, int kind) noexcept nogil
cdef cl_int object_retain(void *handle, int kind) noexcept nogil   # by the application: CL_SUCCESS or CL_INVALID_<kind>
cdef cl_int object_release(void *handle, int kind) noexcept nogil
cdef void object_hold(void *obj) noexcept nogil             # by the runtime
cdef void object_drop(void *obj) noexcept nogil
cdef cl_int invalid_code(int kind) noexcept nogil           # CL_INVALID_CONTEXT for KIND_CONTEXT, ...
cdef int64_t live_count(int kind) noexcept nogil            # the census
cdef void object_keep_for_ever(void *obj) noexcept nogil    # never destroyed, and survives a fork
cdef void kill_all_after_fork() noexcept nogil              # in the child: all but platform and root devices are dead
