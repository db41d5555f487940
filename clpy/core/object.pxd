# SPDX-License-Identifier: Apache-2.0
"""The base of every object behind a cl_* handle: slots, kinds, the two reference counts, the census.

A handle is valid when it points to a slot of its kind that is in use: slots of a kind lie in one reserved
range of addresses that is never given back, so any pointer at all can be tested without touching foreign memory.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_load_i32, atomic_load_i32_relaxed, atomic_load_u64
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
    KIND_SCHEDULE = 13           # what a command buffer executes (core/replay): never a handle of the application
    KIND_SEMAPHORE = 14
    KIND_DEVICE_QUEUE = 15       # a cl_command_queue of the application too
    KIND_OF_VENDORS = 16         # and those behind it: of objects that vendors' extensions bring
    KIND_COUNT = 20

cdef enum:
    SLOT_ALIGN = 64

# Called once, when the last runtime reference goes; frees what the object owns, not the slot itself.
ctypedef void (*destroy_fn)(clpy_object *obj) noexcept nogil

# The slots of one kind. What every handle test reads is a cache line away from what every new and every freed object
# writes.
ctypedef struct Region:
    unsigned char *base
    uint64_t committed           # bytes; atomic, grows under `lock`
    uint64_t first_valid         # byte offset: objects below died with the parent process
    uint64_t slot_size
    uint64_t reserved            # bytes
    size_t object_size
    destroy_fn destroy
    unsigned char apart[64]
    uint64_t free_head           # tag << 32 | index + 1; the tag changes with every push and pop (ABA)
    uint64_t used                # slots handed out at least once; grows under `lock`
    int32_t lock
    unsigned char apart_too[64]

cdef Region *regions             # by kind

cdef cl_int kind_register(int kind, size_t size, destroy_fn destroy) noexcept nogil
# The kind of an object of a vendor's extension: KIND_FREE where there is no room. `name` is the census's, `invalid`
# what a handle that is none gives.
cdef int kind_of_vendor(const char *name, cl_int invalid, size_t size, destroy_fn destroy) noexcept nogil
cdef void set_dispatch(void *table) noexcept nogil          # the table that new objects point to
cdef void set_dispatch_data(void *data) noexcept nogil      # the loader's own data, in every object
cdef void *object_new(int kind) noexcept nogil              # zeroed, app_refs 1; NULL when out of memory
cdef void *object_new_internal(int kind) noexcept nogil     # zeroed, app_refs 0, one runtime reference
# The same two, but only the first bytes are zeroed.
cdef void *object_new_part(int kind, size_t zeroed) noexcept nogil
cdef void *object_new_internal_part(int kind, size_t zeroed) noexcept nogil
cdef cl_int object_retain(void *handle, int kind) noexcept nogil   # by the application: CL_SUCCESS or CL_INVALID_<kind>
cdef cl_int object_release(void *handle, int kind) noexcept nogil
cdef void object_hold(void *obj) noexcept nogil             # by the runtime, of what somebody holds already
# Of what the application names: the last holder inside the runtime may let go of it at this moment. False: it is gone.
cdef bint object_try_hold(void *obj) noexcept nogil
cdef void object_drop(void *obj) noexcept nogil
# For looking at all objects of a kind: how many slots were ever used; what is in one, held, or NULL.
cdef uint64_t object_slots(int kind) noexcept nogil
cdef void *object_hold_at(int kind, uint64_t i) noexcept nogil
cdef cl_int invalid_code(int kind) noexcept nogil           # CL_INVALID_CONTEXT for KIND_CONTEXT, ...
cdef int64_t live_count(int kind) noexcept nogil            # the census
cdef void object_keep_for_ever(void *obj) noexcept nogil    # never destroyed, and survives a fork
cdef void kill_all_after_fork() noexcept nogil              # in the child: all but platform and root devices are dead


cdef inline bint object_is(const void *handle, int kind) noexcept nogil:
    """Is it an object of this kind, alive? Any pointer may be asked about."""
    cdef Region *r = &regions[kind]
    cdef uint64_t offset = <uintptr_t>handle - <uintptr_t>r.base
    cdef clpy_object *obj = <clpy_object *>handle
    # A pointer below the range wraps round and is too big as well.
    if offset >= atomic_load_u64(&r.committed) or offset & (SLOT_ALIGN - 1) or offset < r.first_valid:
        return False
    # Readable memory now; only the start of a slot has an index that leads back to its own address.
    return (atomic_load_i32(<int32_t *>&obj.kind) == kind
            and <uint32_t>atomic_load_i32_relaxed(<int32_t *>&obj.index) * r.slot_size == offset)


cdef inline void object_give(clpy_object *obj) noexcept nogil:
    """Before anybody else knows of it: one of the references in run_refs becomes the application's."""
    obj.app_refs = 1
    obj.named = 1


cdef inline void object_take(clpy_object *obj) noexcept nogil:
    """Before anybody else knows of it: the application's reference becomes the runtime's."""
    obj.app_refs = 0
    obj.named = 0
