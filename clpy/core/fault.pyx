# SPDX-License-Identifier: Apache-2.0
"""What is told of a kernel that a device had to leave: where in the source, which work-groups, which memory it wanted
and what lies near that, what it may have spoiled. To the context's callback each time, to stderr once per kernel.

All of it is found out after the fault, by a thread that holds no lock, and may not need Python: the host may hold the
interpreter's lock while it waits for the command.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free
from libc.string cimport memcpy, strlen
from clpy.abi cimport CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE
from clpy.atomics cimport atomic_add_i32
from clpy.cl cimport cl_int, cl_uint
from clpy.core.build cimport build_enters, build_leaves_alone
from clpy.core.command cimport Command, LaunchPayload
from clpy.core.context cimport Context
from clpy.core.happening cimport FAULTED, happened_with
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, object_drop, object_hold_at, object_is, object_slots
from clpy.core.program cimport Code, KernelArg, KernelCode
from clpy.core.report cimport on_fault
from clpy.core.specialize cimport special_code
from clpy.core.svm cimport SvmBlock, svm_nearest
from clpy.device.base cimport (FAULT_ADDRESS, FAULT_ARITHMETIC, FAULT_JUMP, FAULT_READ, FAULT_STACK,
                               FAULT_WRITE, Fault, Launch, Task)
from clpy.device.host.each_group cimport start_of
from clpy.spec.consts cimport CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_TYPE_CONST
from clpy.trace cimport report_text

from clpy.abi_layout import KERNEL_PREFIX

cdef extern from "call_site.h" nogil:
    int CALL_BYTES "CLPY_CALL_BYTES"
    bint is_behind_call "clpy_is_behind_call"(const unsigned char *address)

cdef extern from "dlfcn.h" nogil:
    ctypedef struct Dl_info:
        const char *dli_sname
        const char *dli_fname
    int dladdr(const void *, Dl_info *)

cdef enum:
    MOST_TOLD = 100              # kernels, on stderr
    SMALL = 64 << 10             # addresses below are offsets from a null pointer
    FAR = 1 << 30                # what is further away is not near

cdef bytes prefix = KERNEL_PREFIX.encode()
cdef const char *c_prefix = prefix
cdef int32_t n_told = 0          # atomic

cdef struct Text:
    size_t used
    char data[2048]

cdef struct Place:               # memory, and how it is called
    uintptr_t start
    size_t size
    const char *argument         # NULL: of none
    bint is_svm


cdef void append(Text *text, const char *part) noexcept nogil:
    cdef size_t size = strlen(part), room = sizeof(text.data) - 1 - text.used
    if size > room:
        size = room
    memcpy(text.data + text.used, part, size)
    text.used += size
    text.data[text.used] = 0


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef const unsigned char *pointer_of(const Launch *launch, const KernelArg *arg) noexcept nogil:
    """Of an argument that is memory; else NULL."""
    cdef const unsigned char *pointer
    if arg.kind != CLPY_ARG_GLOBAL and arg.kind != CLPY_ARG_CONSTANT and arg.kind != CLPY_ARG_IMAGE:
        return NULL
    memcpy(&pointer, launch.args + arg.offset, sizeof(pointer))
    return pointer


cdef bint place_of(const Command *cmd, const Launch *launch, const KernelArg *arg, Place *place) noexcept nogil:
    """The memory behind an argument. The command holds the objects among its arguments."""
    cdef const unsigned char *pointer = pointer_of(launch, arg)
    cdef const Mem *mem
    cdef uint32_t i
    if pointer == NULL:
        return False
    place.argument = arg.name if arg.name != NULL else <const char *>b"?"
    place.is_svm = False
    for i in range(cmd.n_uses):
        mem = <const Mem *>(cmd.uses[i] if i < 8 else cmd.more_uses[i - 8])
        if object_is(mem, KIND_MEM) and (mem.data == pointer or <const void *>&mem.view == pointer):
            place.start, place.size = <uintptr_t>mem.data, mem.size
            return True
    place.start = <uintptr_t>pointer
    place.size = 0
    return svm_place(cmd.context, place, place.start) and place.start <= <uintptr_t>pointer


cdef bint svm_place(const Context *ctx, Place *place, uintptr_t address) noexcept nogil:
    cdef SvmBlock block
    if not svm_nearest(<const void *>address, &block) or block.context != ctx:
        return False
    place.start, place.size = <uintptr_t>block.ptr, block.size
    place.is_svm = True
    return True


cdef inline uintptr_t distance(const Place *place, uintptr_t address) noexcept nogil:
    if address < place.start:
        return place.start - address
    return address - (place.start + place.size) + 1 if address >= place.start + place.size else 0


cdef inline void take_nearer(Place *best, const Place *place, uintptr_t address) noexcept nogil:
    if best.start == 0 or distance(place, address) < distance(best, address):
        best[0] = place[0]


cdef Place nearest(const Command *cmd, const Launch *launch, uintptr_t address) noexcept nogil:
    """Of the arguments, and of all there is in the context."""
    cdef const KernelCode *kernel = cmd.payload.kernel.kernel
    cdef Place best = Place(0, 0, NULL, False), place
    cdef Mem *mem
    cdef cl_uint n
    cdef uint64_t i
    for n in range(kernel.n_args):
        if place_of(cmd, launch, &kernel.args[n], &place):
            take_nearer(&best, &place, address)
    place.argument = NULL
    if svm_place(cmd.context, &place, address):
        take_nearer(&best, &place, address)
    place.is_svm = False
    for i in range(object_slots(KIND_MEM)):
        mem = <Mem *>object_hold_at(KIND_MEM, i)
        if mem == NULL:
            continue
        if mem.context == cmd.context and mem.data != NULL:
            place.start, place.size = <uintptr_t>mem.data, mem.size
            take_nearer(&best, &place, address)
        object_drop(mem)
    return best


cdef void add_name(Text *text, const Place *place) noexcept nogil:
    cdef char line[192]
    if place.argument != NULL:
        snprintf(line, sizeof(line), "argument %s (%zu bytes)", place.argument, place.size)
    else:
        snprintf(line, sizeof(line), "%s of %zu bytes that is no argument", <const char *>b"shared virtual memory"
                 if place.is_svm else <const char *>b"a memory object", place.size)
    append(text, line)


cdef void add_nearest(Text *text, const Command *cmd, const Launch *launch, uintptr_t address) noexcept nogil:
    cdef char line[128]
    cdef Place near = nearest(cmd, launch, address)
    cdef uintptr_t off = distance(&near, address)
    if address < SMALL:
        snprintf(line, sizeof(line), ", %zu bytes from a null pointer", <size_t>address)
        append(text, line)
        return
    if near.start == 0 or off >= FAR:
        append(text, b", near no memory of the context")
        return
    if off == 0:
        snprintf(line, sizeof(line), ", at byte %zu of ", <size_t>(address - near.start))
    elif address < near.start:
        snprintf(line, sizeof(line), ", %zu bytes before the start of ", <size_t>off)
    else:
        snprintf(line, sizeof(line), ", %zu bytes behind the end of ", <size_t>off - 1)
    append(text, line)
    add_name(text, &near)


cdef void add_spoiled(Text *text, const Command *cmd, const Launch *launch) noexcept nogil:
    """What the kernel was given to write to: it may have stopped in the middle of that."""
    cdef const KernelCode *kernel = cmd.payload.kernel.kernel
    cdef const KernelArg *arg
    cdef Place place
    cdef cl_uint n
    cdef bint any = False
    for n in range(kernel.n_args):
        arg = &kernel.args[n]
        if arg.kind == CLPY_ARG_CONSTANT or arg.type_qualifier & CL_KERNEL_ARG_TYPE_CONST \
                or arg.access_qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY:
            continue
        if place_of(cmd, launch, arg, &place):
            append(text, <const char *>b", " if any else <const char *>b"\n  may be half written: ")
            add_name(text, &place)
            any = True


# ---- code ------------------------------------------------------------------------------------------------------------

cdef bint find_place(const LaunchPayload *payload, const Launch *launch, uintptr_t at, char **place) noexcept nogil:
    """As DeviceOps.find_place. The kernel's function begins at Launch.code, and parts of it may lie before that."""
    cdef const Code *code = special_code(payload.kernel, payload.code, launch.code)
    cdef char symbol[1024]
    cdef uintptr_t start = start_of(launch.code)
    cdef size_t i
    if code.device.ops.find_place != NULL:
        return code.device.ops.find_place(launch, at, place)
    if snprintf(symbol, sizeof(symbol), "%s%s", c_prefix, payload.kernel.name) >= <int>sizeof(symbol):
        return False
    for i in range(code.n_objects):
        if code.find_line(code.objects[i].data, code.objects[i].size, symbol, at - start, place):
            return True
    return False


cdef bint add_line(Text *text, const LaunchPayload *payload, const Launch *launch, uintptr_t at,
                   const char *before) noexcept nogil:
    """Where the byte at `at` of the kernel's code comes from. False: it is not known."""
    cdef char *place = NULL
    if not find_place(payload, launch, at, &place) or place == NULL:
        return False
    append(text, before)
    append(text, place)
    free(place)
    return True


cdef bint is_call_site(const LaunchPayload *payload, const Launch *launch, uintptr_t behind) noexcept nogil:
    """Whether a word of the stack is a return address into the kernel. Older ones, of code that is gone, and pointers
    to functions lie there too. Both ends of the longest call are looked up before its bytes are read."""
    cdef char *place = NULL
    cdef bint is_code = find_place(payload, launch, behind - 1, &place)
    free(place)
    if is_code:
        place = NULL
        is_code = find_place(payload, launch, behind - CALL_BYTES, &place)
        free(place)
    return is_code and is_behind_call(<const unsigned char *>behind)


cdef void add_place(Text *text, const Command *cmd, const Launch *launch, const Fault *fault) noexcept nogil:
    """The line of the source, or the function that the kernel called and from where. What has no name is what stands
    behind an instruction of a chip: part of that."""
    cdef const LaunchPayload *payload = &cmd.payload.kernel
    cdef const char *before = b"\n  at "
    cdef bint is_found
    cdef Dl_info info
    cdef int i
    if not build_enters():       # the process ends, and with it LLVM
        return
    is_found = add_line(text, payload, launch, fault.code, before)
    if not is_found and dladdr(<const void *>fault.code, &info):
        append(text, b"\n  in ")
        append(text, info.dli_sname if info.dli_sname != NULL else info.dli_fname)
        before = b", called at "
    for i in range(FAULT_STACK):
        if not is_found and fault.stack[i] and is_call_site(payload, launch, fault.stack[i]):
            is_found = add_line(text, payload, launch, fault.stack[i] - 1, before)
    if not is_found and before[0] == c"\n":
        append(text, b"\n  at a place that is not known")
    build_leaves_alone()


cdef void add_groups(Text *text, const Launch *launch, const Fault *fault) noexcept nogil:
    cdef char line[256]
    cdef const size_t *local = launch.shape.local_size
    if fault.n == 1:
        snprintf(line, sizeof(line), "\n  in work-group (%zu, %zu, %zu)", fault.x, fault.y, fault.z)
    else:
        snprintf(line, sizeof(line), "\n  in one of the work-groups (%zu to %zu, %zu, %zu) (CLPY_FAULTS=2 says which)",
                 fault.x, fault.x + fault.n - 1, fault.y, fault.z)
    append(text, line)
    snprintf(line, sizeof(line), " of %zu x %zu x %zu work-items; which of these is not known",
             local[0], local[1], local[2])
    append(text, line)


cdef const char *deed(int kind) noexcept nogil:
    if kind == FAULT_READ:
        return b"reads"
    if kind == FAULT_WRITE:
        return b"writes"
    if kind == FAULT_JUMP:
        return b"jumps to"
    if kind == FAULT_ADDRESS:
        return b"uses an address that no memory can have"
    if kind == FAULT_ARITHMETIC:
        return b"traps in arithmetic"
    return b"traps"


cdef void write_text(Text *text, const Command *cmd, const Launch *launch, const Fault *fault) noexcept nogil:
    cdef char line[1200]
    text.used = 0
    snprintf(line, sizeof(line), "fault: kernel %s %s", cmd.payload.kernel.kernel.name, deed(fault.kind))
    append(text, line)
    if fault.kind == FAULT_READ or fault.kind == FAULT_WRITE or fault.kind == FAULT_JUMP:
        snprintf(line, sizeof(line), " 0x%zx", <size_t>fault.address)
        append(text, line)
        add_nearest(text, cmd, launch, fault.address)
    add_place(text, cmd, launch, fault)
    add_groups(text, launch, fault)
    add_spoiled(text, cmd, launch)


cdef bint tell(const Command *cmd, Context *ctx, Task *task, cl_int status) noexcept nogil:
    """False: the callback is not told."""
    cdef Text text
    cdef Fault *fault = task.fault
    cdef KernelCode *kernel = cmd.payload.kernel.kernel
    cdef bint first = atomic_add_i32(&kernel.faults, 1) == 0 and atomic_add_i32(&n_told, 1) < MOST_TOLD
    task.fault = NULL
    happened_with(FAULTED, cmd, status, fault)
    if first or ctx.notify != NULL:
        write_text(&text, cmd, task.launch, fault)
    free(fault)
    if first:
        report_text(text.data)
    if ctx.notify == NULL:
        return False
    ctx.notify(text.data, &status, sizeof(status), ctx.notify_data)
    return True


on_fault(tell)
