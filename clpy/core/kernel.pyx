# SPDX-License-Identifier: Apache-2.0
"""Kernel objects: one entry of every build of a program, and the arguments set so far.

A kernel holds its program and the code of each build, so that nothing it needs goes away under it. Argument values are
copied into one block with the layout the machine code expects; memory objects are only noted (the specification gives a
kernel no reference to them) and looked up anew at each enqueue.
"""
from libc.stdint cimport uint32_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from clpy.abi cimport (CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE, CLPY_ARG_LOCAL, CLPY_ARG_PIPE,
                       CLPY_ARG_QUEUE, CLPY_ARG_SAMPLER, CLPY_ARG_VALUE, clpy_object)
from clpy.atomics cimport atomic_add_i32, atomic_store_i32
from clpy.cl cimport cl_int, cl_kernel, cl_mem_object_type, cl_uint
from clpy.core.formats cimport MOST_FORMATS, formats_set
from clpy.core.memory cimport Mem
from clpy.core.memory_flags cimport MEM_NO_ACCESS
from clpy.core.needed cimport FIRST, FIRST_ANY_GROUPS, needed_code
from clpy.core.object cimport (KIND_DEVICE_QUEUE, KIND_KERNEL, KIND_MEM, KIND_SAMPLER, kind_register, object_drop,
                               object_hold, object_is, object_new, object_take)
from clpy.core.program cimport (ARG_TAKEN, DISTINCT_NOT, Code, KernelArg, KernelCode, Program, code_find, program_lock,
                                program_unlock)
from clpy.core.svm cimport SvmBlock, svm_changes, svm_find
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_INVALID_ARG_INDEX, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE, CL_INVALID_CONTEXT,
                               CL_INVALID_DEVICE_QUEUE, CL_INVALID_KERNEL_DEFINITION, CL_INVALID_KERNEL_NAME,
                               CL_INVALID_MEM_OBJECT, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_SAMPLER,
                               CL_INVALID_VALUE, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                               CL_KERNEL_ARG_TYPE_CONST, CL_MEM_IMMUTABLE_EXT, CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE,
                               CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

# More local memory than any device has: sizes are cut off here, so that no sum of them wraps round.
cdef size_t MOST_LOCAL_BYTES = <size_t>1 << 48


cdef void kernel_destroy(clpy_object *obj) noexcept nogil:
    cdef Kernel *k = <Kernel *>obj
    cdef cl_uint i
    if k.codes != NULL:
        for i in range(k.n_builds):
            if k.codes[i] != NULL:
                object_drop(k.codes[i])
    free(k.codes)
    free(k.variants)
    free(k.block)
    free(k.values)
    if k.program != NULL:
        atomic_add_i32(&k.program.n_kernels, -1)
        object_drop(k.program)


cdef bint same_definition(const KernelCode *a, const KernelCode *b) noexcept nogil:
    cdef cl_uint i
    if a.n_args != b.n_args or a.args_size != b.args_size:
        return False
    for i in range(a.n_args):
        if (a.args[i].kind != b.args[i].kind or a.args[i].size != b.args[i].size
                or a.args[i].offset != b.args[i].offset):
            return False
    return True


cdef Kernel *kernel_blank(Program *program) noexcept nogil:
    """A kernel attached to `program`, without code and arguments."""
    cdef Kernel *k = <Kernel *>object_new(KIND_KERNEL)
    if k == NULL:
        return NULL
    k.n_builds = program.n_devices
    k.codes = <Code **>calloc(k.n_builds, sizeof(Code *))
    k.variants = <KernelCode **>calloc(k.n_builds, sizeof(KernelCode *))
    object_hold(program)
    atomic_add_i32(&program.n_kernels, 1)
    k.program = program
    if k.codes == NULL or k.variants == NULL:
        object_drop(k)
        return NULL
    return k


cdef bint kernel_room(Kernel *k) noexcept nogil:
    """Allocate the argument block and the values; one byte at least, so that NULL is a failure."""
    k.block = <unsigned char *>calloc(1, k.info.args_size + 1)
    k.values = <ArgValue *>calloc(k.info.n_args + 1, sizeof(ArgValue))
    return k.block != NULL and k.values != NULL


cdef cl_int take_variants(Kernel *k, const char *name) noexcept nogil:
    """Fill codes and variants from the program's builds, which the caller keeps from changing."""
    cdef cl_uint i
    cdef Code *code
    cdef KernelCode *variant
    cdef bint built = False
    for i in range(k.n_builds):
        code = k.program.builds[i].code
        if code == NULL:
            continue
        built = True
        variant = code_find(code, name) if name != NULL else NULL
        if variant == NULL:
            continue
        if k.info != NULL and not same_definition(k.info, variant):
            return CL_INVALID_KERNEL_DEFINITION
        k.info = variant
        object_hold(code)
        k.codes[i] = code
        k.variants[i] = variant
    if not built:
        return CL_INVALID_PROGRAM_EXECUTABLE
    if name == NULL:
        return CL_INVALID_VALUE
    return CL_SUCCESS if k.info != NULL else CL_INVALID_KERNEL_NAME


cdef Kernel *kernel_made(Program *program, const char *name, cl_int *err) noexcept nogil:
    cdef Kernel *k
    cdef cl_int status
    program_lock(program)
    k = kernel_blank(program)
    status = take_variants(k, name) if k != NULL else CL_OUT_OF_HOST_MEMORY
    program_unlock(program)
    if status == CL_SUCCESS and not kernel_room(k):
        status = CL_OUT_OF_HOST_MEMORY
    if status == CL_SUCCESS:
        return k
    if k != NULL:
        object_drop(k)
    err[0] = status
    return NULL


cdef void is_kept(Kernel *k) noexcept nogil:
    """The application has it: code that waits is likely to be needed (needed.pyx)."""
    cdef cl_uint i
    for i in range(k.n_builds):
        if k.variants[i] != NULL:
            atomic_store_i32(&k.variants[i].has_object, 1)


cdef Kernel *kernel_new(Program *program, const char *name, cl_int *err) noexcept nogil:
    cdef Kernel *k = kernel_made(program, name, err)
    if k != NULL:
        is_kept(k)
    return k


cdef bint seen_before(Program *program, cl_uint build, const char *name) noexcept nogil:
    cdef cl_uint i
    for i in range(build):
        if program.builds[i].code != NULL and code_find(program.builds[i].code, name) != NULL:
            return True
    return False


cdef cl_int new_kernels(Program *program, cl_uint room, cl_kernel *kernels, cl_uint *made,
                        cl_uint *count) noexcept nogil:
    """Walk over the kernels of all builds; each name is taken once, from the first build that has it."""
    cdef cl_uint i, j
    cdef Code *code
    cdef Kernel *k
    cdef cl_int err
    cdef bint built = False
    for i in range(program.n_devices):
        code = program.builds[i].code
        if code == NULL:
            continue
        built = True
        for j in range(code.n_kernels):
            if code.kernels[j].is_block or seen_before(program, i, code.kernels[j].name):
                continue
            # "Kernel objects are not created for any functions that do not have the same function definition across
            # all devices": only an attempt tells.
            err = CL_SUCCESS
            k = kernel_made(program, code.kernels[j].name, &err)
            if err == CL_INVALID_KERNEL_DEFINITION:
                continue
            if k == NULL:
                return err
            if kernels != NULL and made[0] < room:
                kernels[made[0]] = <cl_kernel>k
                made[0] += 1
                is_kept(k)
            else:
                object_drop(k)
            count[0] += 1
    return CL_SUCCESS if built else CL_INVALID_PROGRAM_EXECUTABLE


cdef cl_int kernel_new_all(Program *program, cl_uint room, cl_kernel *kernels, cl_uint *count) noexcept nogil:
    cdef cl_uint made = 0, i
    cdef cl_int err
    # An attached kernel is what keeps the builds from changing; there is one in name during the walk.
    program_lock(program)
    atomic_add_i32(&program.n_kernels, 1)
    program_unlock(program)
    count[0] = 0
    err = new_kernels(program, room, kernels, &made, count)
    atomic_add_i32(&program.n_kernels, -1)
    if err == CL_SUCCESS and kernels != NULL and count[0] > room:
        err = CL_INVALID_VALUE
    if err != CL_SUCCESS:
        for i in range(made):
            object_drop(<void *>kernels[i])
            kernels[i] = NULL
    return err


cdef Kernel *kernel_clone(Kernel *source, cl_int *err) noexcept nogil:
    """With no reference of the application's: a command buffer's own is not to be released by mistake."""
    cdef Kernel *k = kernel_blank(source.program)
    cdef cl_uint i
    if k != NULL:
        object_take(&k.obj)
        k.info = source.info
        k.concurrent = source.concurrent
        for i in range(k.n_builds):
            if source.codes[i] != NULL:
                object_hold(source.codes[i])
                k.codes[i] = source.codes[i]
                k.variants[i] = source.variants[i]
        if kernel_room(k):
            memcpy(k.block, source.block, k.info.args_size)
            memcpy(k.values, source.values, k.info.n_args * sizeof(ArgValue))
            return k
        object_drop(k)
    err[0] = CL_OUT_OF_HOST_MEMORY
    return NULL


cdef bint is_image(cl_mem_object_type mem_type) noexcept nogil:
    return mem_type != CL_MEM_OBJECT_BUFFER and mem_type != CL_MEM_OBJECT_PIPE


cdef bint writes(const KernelArg *arg) noexcept nogil:
    """Whether the declaration of an argument lets the kernel write to its memory. Of a pointer in SPIR-V without the
    names of types nobody knows."""
    if arg.kind == CLPY_ARG_IMAGE:
        return arg.access_qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY
    return arg.kind == CLPY_ARG_GLOBAL and not arg.type_qualifier & CL_KERNEL_ARG_TYPE_CONST and arg.type_name != NULL


cdef cl_int set_memory_arg(Kernel *k, const KernelArg *arg, ArgValue *to, size_t size,
                           const void *value) noexcept nogil:
    cdef Mem *mem = NULL
    cdef bint is_pointer = arg.kind == CLPY_ARG_GLOBAL or arg.kind == CLPY_ARG_CONSTANT
    if value != NULL:
        if size != sizeof(void *):       # before the handle is read: there may be fewer bytes
            return CL_INVALID_ARG_SIZE
        memcpy(&mem, value, sizeof(void *))
    if mem == NULL:
        # "If arg_value is NULL or points to NULL, then the kernel argument will be set to NULL": pointers only.
        if not is_pointer:
            return CL_INVALID_MEM_OBJECT
    else:
        if not object_is(mem, KIND_MEM):
            return CL_INVALID_MEM_OBJECT
        if mem.context != k.program.context:
            return CL_INVALID_CONTEXT
        # "a valid memory object, but the memory object is not valid for the kernel argument"
        if (is_pointer and mem.type != CL_MEM_OBJECT_BUFFER
                or arg.kind == CLPY_ARG_IMAGE and not is_image(mem.type)
                or arg.kind == CLPY_ARG_PIPE and mem.type != CL_MEM_OBJECT_PIPE):
            return CL_INVALID_MEM_OBJECT
        if arg.kind == CLPY_ARG_IMAGE and (
                arg.access_qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY and mem.flags & CL_MEM_WRITE_ONLY
                or arg.access_qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY and mem.flags & CL_MEM_READ_ONLY):
            return CL_INVALID_ARG_VALUE
        if mem.flags & MEM_NO_ACCESS or mem.flags & CL_MEM_IMMUTABLE_EXT and writes(arg):
            return CL_INVALID_ARG_VALUE
    to.object = mem
    to.address = NULL
    to.is_set = True
    return CL_SUCCESS


cdef cl_int set_sampler_arg(const KernelArg *arg, ArgValue *to, size_t size, const void *value) noexcept nogil:
    cdef void *sampler = NULL
    if value == NULL:
        return CL_INVALID_SAMPLER
    if size != sizeof(void *):
        return CL_INVALID_ARG_SIZE
    memcpy(&sampler, value, sizeof(void *))
    if not object_is(sampler, KIND_SAMPLER):
        return CL_INVALID_SAMPLER
    to.object = sampler
    to.is_set = True
    return CL_SUCCESS


cdef cl_int set_queue_arg(const KernelArg *arg, ArgValue *to, size_t size, const void *value) noexcept nogil:
    cdef void *queue = NULL
    if value != NULL:
        if size != sizeof(void *):
            return CL_INVALID_ARG_SIZE
        memcpy(&queue, value, sizeof(void *))
    if not object_is(queue, KIND_DEVICE_QUEUE):
        return CL_INVALID_DEVICE_QUEUE
    to.object = queue
    to.is_set = True
    return CL_SUCCESS


cdef cl_int set_taken_arg(Kernel *k, const KernelArg *arg, ArgValue *to, size_t size,
                          const void *value) noexcept nogil:
    cdef cl_int err = arg.take(k.program.context, size, value, k.block + arg.offset)
    if err == CL_SUCCESS:
        to.is_set = True
    return err


cdef inline void copy_value(void *to, const void *value, size_t size) noexcept nogil:
    """The sizes of nearly all arguments without a call."""
    if size == 4:
        memcpy(to, value, 4)
    elif size == 8:
        memcpy(to, value, 8)
    else:
        memcpy(to, value, size)


cdef cl_int kernel_set_arg(Kernel *k, cl_uint index, size_t size, const void *value) noexcept nogil:
    """The errors of clSetKernelArg from CL_INVALID_ARG_INDEX on; a failed call leaves the argument as it was."""
    cdef const KernelArg *arg
    cdef ArgValue *to
    if index >= k.info.n_args:
        return CL_INVALID_ARG_INDEX
    arg = &k.info.args[index]
    to = &k.values[index]
    if arg.kind == CLPY_ARG_VALUE and size == arg.size and value != NULL:
        copy_value(k.block + arg.offset, value, size)
        to.is_set = True
        return CL_SUCCESS
    if (arg.kind == CLPY_ARG_GLOBAL or arg.kind == CLPY_ARG_CONSTANT or arg.kind == CLPY_ARG_IMAGE
            or arg.kind == CLPY_ARG_PIPE):
        return set_memory_arg(k, arg, to, size, value)
    if arg.kind == CLPY_ARG_SAMPLER:
        return set_sampler_arg(arg, to, size, value)
    if arg.kind == CLPY_ARG_QUEUE:
        return set_queue_arg(arg, to, size, value)
    if arg.kind == ARG_TAKEN:
        return set_taken_arg(k, arg, to, size, value)
    if arg.kind == CLPY_ARG_LOCAL:
        if value != NULL:
            return CL_INVALID_ARG_VALUE
        to.local_size = size
        to.is_set = True
        return CL_SUCCESS
    return CL_INVALID_ARG_SIZE if size != arg.size else CL_INVALID_ARG_VALUE


cdef cl_int kernel_set_pointer(Kernel *k, cl_uint index, const void *address) noexcept nogil:
    """The errors of clSetKernelArgSVMPointer from CL_INVALID_ARG_INDEX on."""
    cdef SvmBlock block
    if index >= k.info.n_args:
        return CL_INVALID_ARG_INDEX
    # "can only be used for arguments that are declared to be a pointer to global or constant memory"
    if k.info.args[index].kind != CLPY_ARG_GLOBAL and k.info.args[index].kind != CLPY_ARG_CONSTANT:
        return CL_INVALID_ARG_VALUE
    k.values[index].object = NULL
    k.values[index].address = address
    k.values[index].is_set = True
    if k.info.fn == NULL or k.info.args[index].distinct != DISTINCT_NOT:     # its code will say, or has said
        k.values[index].svm_changes = svm_changes()
        k.values[index].svm_size = 0
        if svm_find(address, &block):
            k.values[index].svm_first = <uintptr_t>block.ptr
            k.values[index].svm_size = block.size
    return CL_SUCCESS


cdef KernelCode *kernel_variant(const Kernel *k, const Device *dev, bint any_groups, Code **code,
                                cl_int *err) noexcept nogil:
    cdef uint32_t formats[MOST_FORMATS]
    cdef cl_uint i
    err[0] = CL_INVALID_PROGRAM_EXECUTABLE
    while dev != NULL:
        for i in range(k.n_builds):
            if k.program.builds[i].device == dev and k.variants[i] != NULL:
                code[0] = k.codes[i]
                if k.variants[i].fn != NULL or not code[0].makes_kernels:
                    return k.variants[i]
                formats_set(k.variants[i], k, formats)
                return needed_code(k.variants[i], FIRST_ANY_GROUPS if any_groups else FIRST, formats, code, err)
        dev = dev.parent
    return NULL


cdef size_t kernel_max_group_size(const KernelCode *code, const Device *dev) noexcept nogil:
    cdef const size_t *asked = code.traits.reqd_size
    cdef size_t size = dev.max_work_group_size, items = 1
    cdef int i
    if not asked[0]:
        return dev.ops.max_group_size(dev, &code.traits)
    for i in range(3):           # the device has no room for more, even if that leaves the kernel without a launch
        if asked[i] > size // items:
            return size
        items *= asked[i]
    return items


cdef size_t local_arg_offset(size_t total, const KernelArg *arg) noexcept nogil:
    cdef size_t align = arg.align if arg.align else 1
    return (total + align - 1) // align * align if total < MOST_LOCAL_BYTES else total


cdef size_t local_arg_end(size_t offset, const ArgValue *value) noexcept nogil:
    return offset + value.local_size if value.local_size < MOST_LOCAL_BYTES else MOST_LOCAL_BYTES


cdef size_t kernel_local_bytes(const Kernel *k, const KernelCode *code) noexcept nogil:
    cdef size_t total = code.traits.local_bytes
    cdef cl_uint i
    for i in range(code.n_args):
        if code.args[i].kind == CLPY_ARG_LOCAL:
            total = local_arg_end(local_arg_offset(total, &code.args[i]), &k.values[i])
    return total


kind_register(KIND_KERNEL, sizeof(Kernel), kernel_destroy)
