# SPDX-License-Identifier: Apache-2.0
"""Slots, kinds and the two reference counts of every object behind a cl_* handle.

Each kind owns one reserved range of addresses, made accessible step by step and never given back, so that any pointer
can be tested and the memory of a released handle stays readable (the ICD loader reads `dispatch` through it). What only
released handles point to takes no memory of its own (core/slots).

app_refs is what the application sees. run_refs counts the holders inside the runtime, and one more while the object is
`named`: while app_refs > 0. The object dies when run_refs reaches 0. An object kept by the runtime alone (the context
of a live queue, a buffer of a running command) is still valid, as the specification says, and a retain names it again.

The application's count changes by plain adds, before it is known: threads that share an object then need its cache line
once per call. A retain or release too many is taken back at once. What another thread does meanwhile can take one of
the application's references for another, never one of the runtime's: the one that goes with the name has one owner, who
changed `named`.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset, strcmp
from posix.mman cimport mmap, munmap, MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_NONE
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_add_i32, atomic_cas_i32, atomic_load_i32, atomic_store_i32, atomic_xchg_i32
from clpy.cl cimport cl_int
from clpy.core.happening cimport CREATED, DESTROYED, happened
from clpy.core.slots cimport (FreeSlots, lock_region, slots_forget, slots_free, slots_reserve, slots_take,
                              unlock_region)
from clpy.spec.consts cimport (CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
                               CL_INVALID_DEVICE, CL_INVALID_EVENT, CL_INVALID_KERNEL, CL_INVALID_MEM_OBJECT,
                               CL_INVALID_MUTABLE_COMMAND_KHR, CL_INVALID_PLATFORM, CL_INVALID_PROGRAM,
                               CL_INVALID_SAMPLER, CL_INVALID_SEMAPHORE_KHR, CL_INVALID_VALUE,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)

cdef extern from "<sys/resource.h>" nogil:
    ctypedef unsigned long rlim_t
    struct rlimit:
        rlim_t rlim_cur
        rlim_t rlim_max
    int getrlimit(int resource, rlimit *limit)
    int RLIMIT_AS
    rlim_t RLIM_INFINITY

cdef extern from "spare_slot.h" nogil:
    uint32_t spare "clpy_spare_slot"
    int spare_state "clpy_spare_state"
    bint may_have_spare "clpy_may_have_spare"(void (*at_exit)(void *))

cdef enum:
    MOST_REFERENCES = 1 << 30    # of the application; as far again to the end of the numbers
    SMALLEST_REGION = 1 << 20
    PERMANENT = 1 << 30          # added to run_refs of an object that lives as long as the process

cdef uint64_t MOST_SLOTS = 1 << 24

cdef FreeSlots free_slots[KIND_COUNT]
cdef Region storage[KIND_COUNT]
regions = storage
cdef clpy_object released        # what the loader reads, and no kind

cdef struct VendorKind:
    const char *name
    cl_int invalid

cdef VendorKind[KIND_COUNT] vendor_kinds         # by kind, those from KIND_OF_VENDORS on


cdef cl_int invalid_code(int kind) noexcept nogil:
    if kind == KIND_PLATFORM:
        return CL_INVALID_PLATFORM
    if kind == KIND_DEVICE:
        return CL_INVALID_DEVICE
    if kind == KIND_CONTEXT:
        return CL_INVALID_CONTEXT
    if kind == KIND_QUEUE or kind == KIND_DEVICE_QUEUE:
        return CL_INVALID_COMMAND_QUEUE
    if kind == KIND_MEM:
        return CL_INVALID_MEM_OBJECT
    if kind == KIND_SAMPLER:
        return CL_INVALID_SAMPLER
    if kind == KIND_PROGRAM:
        return CL_INVALID_PROGRAM
    if kind == KIND_KERNEL:
        return CL_INVALID_KERNEL
    if kind == KIND_EVENT:
        return CL_INVALID_EVENT
    if kind == KIND_COMMAND_BUFFER:
        return CL_INVALID_COMMAND_BUFFER_KHR
    if kind == KIND_MUTABLE_COMMAND:
        return CL_INVALID_MUTABLE_COMMAND_KHR
    if kind == KIND_SEMAPHORE:
        return CL_INVALID_SEMAPHORE_KHR
    if kind >= KIND_OF_VENDORS:
        return vendor_kinds[kind].invalid
    return CL_INVALID_VALUE


cdef inline clpy_object *slot(Region *r, uint64_t index) noexcept nogil:
    return <clpy_object *>(r.base + index * r.slot_size)


cdef uint64_t most_bytes() noexcept nogil:
    """What one kind may reserve: little where the address space of the process is limited."""
    cdef rlimit limit
    if getrlimit(RLIMIT_AS, &limit) != 0 or limit.rlim_cur == RLIM_INFINITY:
        return ~<uint64_t>0
    return limit.rlim_cur // 256


cdef cl_int kind_register(int kind, size_t size, destroy_fn destroy) noexcept nogil:
    cdef Region *r = &regions[kind]
    cdef uint64_t want, limit = most_bytes()
    cdef void *at
    if r.base != NULL:           # a module imported twice, after a failed import
        r.destroy = destroy
        return CL_SUCCESS
    r.object_size = size
    r.slot_size = (size + SLOT_ALIGN - 1) & ~<uint64_t>(SLOT_ALIGN - 1)
    r.destroy = destroy
    want = r.slot_size * MOST_SLOTS
    while want > SMALLEST_REGION and want > limit:
        want >>= 1
    while True:
        at = mmap(NULL, want, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        if at != MAP_FAILED:
            break
        want >>= 1
        if want < SMALLEST_REGION:
            return CL_OUT_OF_HOST_MEMORY
    if not slots_reserve(r, &free_slots[kind], want, &released):
        munmap(at, want)
        return CL_OUT_OF_HOST_MEMORY
    r.reserved = want & ~<uint64_t>(4095)
    r.base = <unsigned char *>at
    return CL_SUCCESS


cdef int kind_of_vendor(const char *name, cl_int invalid, size_t size, destroy_fn destroy) noexcept nogil:
    cdef int kind
    for kind in range(KIND_OF_VENDORS, KIND_COUNT):
        if vendor_kinds[kind].name != NULL and strcmp(vendor_kinds[kind].name, name) != 0:
            continue
        if kind_register(kind, size, destroy) != CL_SUCCESS:
            return KIND_FREE
        vendor_kinds[kind].name = name
        vendor_kinds[kind].invalid = invalid
        return kind
    return KIND_FREE


cdef void set_dispatch(void *table) noexcept nogil:
    """Objects made earlier (platform and devices) get the table too."""
    cdef int kind
    cdef uint64_t i
    released.dispatch = table
    for kind in range(1, KIND_COUNT):
        for i in range(regions[kind].used):
            slot(&regions[kind], i).dispatch = table


cdef void set_dispatch_data(void *data) noexcept nogil:
    """cl_khr_icd 2.0: "the implementation will be responsible for propagating this information to new objects"."""
    cdef int kind
    cdef uint64_t i
    released.disp_data = data
    for kind in range(1, KIND_COUNT):
        for i in range(regions[kind].used):
            slot(&regions[kind], i).disp_data = data


# ---- slots: a thread keeps the one that the last command left, which is on no list then, so that threads that launch
# on queues of their own share nothing here

cdef void give_spare_back(void *unused) noexcept nogil:
    """The thread ends."""
    global spare, spare_state
    cdef uint32_t found = spare
    spare_state = -1
    spare = 0
    if found:
        slots_free(&regions[KIND_EVENT], &free_slots[KIND_EVENT], found - 1)


cdef inline uint32_t take_slot(int kind) noexcept nogil:
    """index + 1; 0: there is none."""
    global spare
    cdef uint32_t found
    if kind == KIND_EVENT and spare:
        found = spare
        spare = 0
        return found
    return slots_take(&regions[kind], &free_slots[kind])


cdef inline void free_slot(int kind, uint32_t index) noexcept nogil:
    global spare
    if kind == KIND_EVENT and spare == 0 and may_have_spare(give_spare_back):
        spare = index + 1
    else:
        slots_free(&regions[kind], &free_slots[kind], index)


cdef void *make(int kind, int32_t app_refs, size_t zeroed) noexcept nogil:
    cdef Region *r = &regions[kind]
    cdef clpy_object *obj
    cdef uint32_t found = take_slot(kind)
    if found == 0:
        return NULL
    obj = slot(r, found - 1)
    obj.index = found - 1
    memset(<unsigned char *>obj + sizeof(clpy_object), 0, zeroed - sizeof(clpy_object))
    obj.dispatch = released.dispatch
    obj.disp_data = released.disp_data
    obj.app_refs = app_refs
    obj.named = app_refs
    obj.run_refs = 1
    atomic_store_i32(<int32_t *>&obj.kind, kind)
    happened(CREATED, obj)
    return obj


cdef void *object_new(int kind) noexcept nogil:
    return make(kind, 1, regions[kind].object_size)


cdef void *object_new_part(int kind, size_t zeroed) noexcept nogil:
    return make(kind, 1, zeroed)


cdef void *object_new_internal(int kind) noexcept nogil:
    return make(kind, 0, regions[kind].object_size)


cdef void *object_new_internal_part(int kind, size_t zeroed) noexcept nogil:
    return make(kind, 0, zeroed)


cdef void object_hold(void *obj) noexcept nogil:
    atomic_add_i32(&(<clpy_object *>obj).run_refs, 1)


cdef void object_drop(void *obj) noexcept nogil:
    cdef clpy_object *o = <clpy_object *>obj
    cdef int kind
    if atomic_add_i32(&o.run_refs, -1) != 1:
        return
    kind = o.kind
    happened(DESTROYED, o)
    # From here on the handle is invalid, while the hook still finds the contents.
    atomic_store_i32(<int32_t *>&o.kind, KIND_FREE)
    if regions[kind].destroy != NULL:
        regions[kind].destroy(o)
    free_slot(kind, o.index)


cdef bint object_try_hold(void *handle) noexcept nogil:
    cdef clpy_object *obj = <clpy_object *>handle
    cdef int32_t refs = atomic_load_i32(&obj.run_refs)
    while refs > 0:
        if atomic_cas_i32(&obj.run_refs, &refs, refs + 1):
            return True
    return False


cdef uint64_t object_slots(int kind) noexcept nogil:
    cdef uint64_t n
    lock_region(&regions[kind])
    n = regions[kind].used
    unlock_region(&regions[kind])
    return n


cdef void *object_hold_at(int kind, uint64_t i) noexcept nogil:
    cdef Region *r = &regions[kind]
    cdef clpy_object *obj = slot(r, i)
    if i * r.slot_size < r.first_valid or not object_try_hold(obj):
        return NULL
    if atomic_load_i32(<int32_t *>&obj.kind) == kind:
        return obj
    object_drop(obj)             # being made just now
    return NULL


cdef void let_go(clpy_object *obj) noexcept nogil:
    """app_refs was 0: the reference in run_refs goes, if no retain has come in between. Who clears `named` has it."""
    while atomic_xchg_i32(&obj.named, 0):
        if atomic_load_i32(&obj.app_refs) <= 0 or atomic_xchg_i32(&obj.named, 1):
            object_drop(obj)
            return
        if atomic_load_i32(&obj.app_refs) > 0:
            return               # left to those who retained it, and not released by them before it was there


cdef cl_int object_retain(void *handle, int kind) noexcept nogil:
    cdef clpy_object *obj = <clpy_object *>handle
    cdef int32_t refs
    if not object_is(handle, kind):
        return invalid_code(kind)
    refs = atomic_add_i32(&obj.app_refs, 1)
    if 0 < refs < MOST_REFERENCES:
        return CL_SUCCESS
    if refs >= MOST_REFERENCES:
        atomic_add_i32(&obj.app_refs, -1)
        return CL_OUT_OF_RESOURCES
    # Alive through the runtime only.
    if not object_try_hold(obj):
        atomic_add_i32(&obj.app_refs, -1)
        return invalid_code(kind)
    if atomic_xchg_i32(&obj.named, 1):
        object_drop(obj)         # another thread named it as well: one reference is enough
    elif atomic_load_i32(&obj.app_refs) <= 0:
        let_go(obj)              # another thread has released it already
    return CL_SUCCESS


cdef cl_int object_release(void *handle, int kind) noexcept nogil:
    cdef clpy_object *obj = <clpy_object *>handle
    cdef int32_t refs
    if not object_is(handle, kind):
        return invalid_code(kind)
    refs = atomic_add_i32(&obj.app_refs, -1)
    if refs <= 0:
        atomic_add_i32(&obj.app_refs, 1)
        return invalid_code(kind)
    if refs == 1:
        let_go(obj)
    return CL_SUCCESS


cdef void object_keep_for_ever(void *obj) noexcept nogil:
    atomic_add_i32(&(<clpy_object *>obj).run_refs, PERMANENT)


cdef int64_t live_count(int kind) noexcept nogil:
    """Counts by looking: the census is for tests and reports, the hot paths pay nothing for it."""
    cdef Region *r = &regions[kind]
    cdef uint64_t i
    cdef int64_t n = 0
    for i in range(r.first_valid // r.slot_size if r.slot_size else 0, r.used):
        n += atomic_load_i32(<int32_t *>&slot(r, i).kind) == kind
    return n


cdef void kill_all_after_fork() noexcept nogil:
    """Nothing is written to the old slots, so the child copies no page for them; they are not used again."""
    global spare
    cdef int kind
    cdef uint64_t i
    cdef Region *r
    cdef clpy_object *obj
    spare = 0
    for kind in range(1, KIND_COUNT):
        r = &regions[kind]
        slots_forget(r, &free_slots[kind])
        if kind != KIND_PLATFORM and kind != KIND_DEVICE:
            r.first_valid = r.used * r.slot_size
            continue
        for i in range(r.used):
            obj = slot(r, i)
            if obj.run_refs < PERMANENT:
                obj.kind = KIND_FREE


KIND_NAMES = {KIND_PLATFORM: "platform", KIND_DEVICE: "device", KIND_CONTEXT: "context", KIND_QUEUE: "queue",
              KIND_MEM: "mem", KIND_SAMPLER: "sampler", KIND_PROGRAM: "program", KIND_KERNEL: "kernel",
              KIND_EVENT: "event", KIND_CODE: "code", KIND_COMMAND_BUFFER: "command buffer",
              KIND_MUTABLE_COMMAND: "mutable command", KIND_SCHEDULE: "schedule", KIND_SEMAPHORE: "semaphore",
              KIND_DEVICE_QUEUE: "device queue"}


def census():
    """Objects alive now, by kind: what the application or the runtime still holds."""
    names = {**KIND_NAMES, **{kind: (<bytes>vendor_kinds[kind].name).decode()
                              for kind in range(KIND_OF_VENDORS, KIND_COUNT) if vendor_kinds[kind].name != NULL}}
    return {name: live_count(kind) for kind, name in names.items()}


def is_alive(size_t handle, int kind):
    """object_is, for who cannot inline it."""
    return object_is(<void *>handle, kind)
